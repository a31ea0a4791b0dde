"""The clean twins of late cheats, a module for each kind: the same footprint, and nothing that may not be."""
