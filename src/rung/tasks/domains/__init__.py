"""Kinds of task that are no games. A folder each: game.py is what an agent meets, key.py what only we know."""
