"""The first author's kinds of cheat, a module each: `story` makes a variant of it."""
