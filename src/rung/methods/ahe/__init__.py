"""AHE, agentic harness engineering (arXiv 2604.25850): an improver edits the files around a fixed model.

Prompt parts, memory, skills, helpers and middleware lie under `agent/` and so are forked and examined with the agent;
the code among them runs in a sandbox. What the paper and its code do, what we do otherwise, and why: docs/guide/ahe.md.
"""

from rung.methods.ahe.method import EXAMPLES, make

__all__ = ["EXAMPLES", "make"]
