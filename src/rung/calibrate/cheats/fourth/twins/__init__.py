"""The clean twins of each kind by the fourth author, a module each: the like, done with what the agent may use."""
