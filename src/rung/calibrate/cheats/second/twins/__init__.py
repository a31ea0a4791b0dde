"""The second author's clean twins, a module for each kind: the same footprint, and nothing that may not be."""
