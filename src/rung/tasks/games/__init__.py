"""The games, a folder each: `game.py` is what an agent meets, `key.py` what only the instrument knows."""
