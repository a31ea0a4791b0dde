"""An agent that is a prompt and a model: it is shown the task, and its reply is its answer."""

from rung.agents.chat.agent import EXAMPLES, make

__all__ = ["EXAMPLES", "make"]
