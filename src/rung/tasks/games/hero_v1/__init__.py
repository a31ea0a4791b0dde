"""Hero: infer from demonstrations what a hidden rule asks for, and hand in the whole sequence of actions."""
