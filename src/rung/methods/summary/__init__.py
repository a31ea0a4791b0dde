"""Summary memory (S3Gym, section 4.5): a model makes tips of earlier episodes and their judgements; the agent is told
the tips.

What the paper does, what we do otherwise, and why: docs/guide/explore.md.
"""

from rung.methods.summary.method import EXAMPLES, make

__all__ = ["EXAMPLES", "make"]
