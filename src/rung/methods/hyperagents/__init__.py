"""HyperAgents: an archive of agents, each of which brings the improver that makes its children.

After every attempt a node of the archive is drawn, and its own improver works on it in a session with tools: agent and
improver are files alike. The child joins the archive, whatever it is worth. After Zhang et al. 2026, HyperAgents,
arXiv 2603.19461, written anew from what is published of it.
"""

from rung.methods.hyperagents.method import EXAMPLES, make

GATED = False
"""Every child is kept, whatever its trials say; they decide which node acts."""

__all__ = ["EXAMPLES", "GATED", "make"]
