"""Toy families of known truth, a folder each: episodes of microseconds whose expected scores are closed forms."""
