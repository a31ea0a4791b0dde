"""The third author's clean twins of each kind, a module each: the same crafts and places, and nothing that may
not be."""
