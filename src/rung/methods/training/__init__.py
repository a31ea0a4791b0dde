"""The pathway `training` of S3Gym: judged play becomes examples, and examples become weights (see the guide)."""

from rung.methods.training.method import EXAMPLES, make

__all__ = ["EXAMPLES", "make"]
