"""Models: the gateway with what it needs, and one file for each way to reach one."""
