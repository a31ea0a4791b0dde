"""The clean twins of each kind, a module each: the same footprint, and nothing that may not be."""
