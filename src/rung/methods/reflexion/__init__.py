"""Reflexion (Shinn et al. 2023, arXiv 2303.11366): after a failure, a sentence or two on what to do otherwise.

The reflections lie in `agent/memory/reflections.jsonl`, so they are forked and examined with the agent. What the paper
and its code do, what we do otherwise, and why: docs/guide/reflexion.md.
"""

from rung.methods.reflexion.method import EXAMPLES, make

__all__ = ["EXAMPLES", "make"]
