"""ACE, agentic context engineering (Zhang et al. 2025, arXiv 2510.04618): a playbook that grows by small changes.

After each attempt one call reflects on it and another changes the playbook, which lies in `agent/memory/playbook.jsonl`
and so is forked and examined with the agent. What the paper and its code do, what we do otherwise, and why:
docs/guide/ace.md.
"""

from rung.methods.ace.method import EXAMPLES, make

__all__ = ["EXAMPLES", "make"]
