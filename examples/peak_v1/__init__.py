"""Peak: a hill is seen from its two ends, and the agent says where its top is. A game to copy."""
