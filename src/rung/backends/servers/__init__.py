"""Every listener: the tools of a stream over MCP, and the model gateway as a proxy."""
