"""The instrument measured on agents whose true gain is known."""
