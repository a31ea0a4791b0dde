"""GEPA (Agrawal et al. 2025, arXiv 2507.19457): prompts rewritten by reflection, and kept where they score higher.

What it asks, how it reads the reply and how it chooses a parent are the package's own (`pip install "rung[gepa]"`). The
flow is ours, since here one task is worked at a time and no method may run one: docs/guide/gepa.md.
"""

from rung.methods.gepa.method import EXAMPLES, make

__all__ = ["EXAMPLES", "make"]
