"""How tasks, agents and methods meet: the stream and the published protocols that set it up."""
