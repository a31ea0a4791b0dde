"""Values, ports, names and seeds, faults and the registry. Standard library and pydantic only."""
