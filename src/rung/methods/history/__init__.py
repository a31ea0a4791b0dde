"""History ICL (S3Gym, section 4.5): earlier episodes with their judgements are put into the context of later ones.

Nothing is asked of a model. What the paper does, what we do otherwise, and why: docs/guide/explore.md.
"""

from rung.methods.history.method import EXAMPLES, make

__all__ = ["EXAMPLES", "make"]
