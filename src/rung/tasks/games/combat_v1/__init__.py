"""Combat: plan card plays and purchases through a chain of fights in which health, gold and deck carry over."""
