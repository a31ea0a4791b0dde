"""Models without a model: what they answer is a function of what they are asked."""

from collections.abc import Callable
from dataclasses import dataclass, field

from rung.core.errors import InstrumentFault
from rung.core.values import ModelReply, ModelRequest, Usage


@dataclass
class Scripted:
    """A model that answers with what a function makes of the request, and remembers what it was asked.

    Text becomes a reply that stopped by itself; what the function raises is raised.
    """

    answer: Callable[[ModelRequest], str | ModelReply]
    asked: list[ModelRequest] = field(default_factory=list)

    async def generate(self, request: ModelRequest) -> ModelReply:
        """The scripted answer."""
        self.asked.append(request)
        said = self.answer(request)
        return said if isinstance(said, ModelReply) else ModelReply(said, "scripted", "stop", Usage(1, 1))

    def heard(self) -> str:
        """All texts this model was asked with."""
        return "\n".join(message.text for request in self.asked for message in request.messages)


class Broken:
    """A model that nobody can reach."""

    def __init__(self) -> None:
        self.calls = 0

    async def generate(self, request: ModelRequest) -> ModelReply:
        """No answer can be had."""
        self.calls += 1
        raise InstrumentFault("model", "connection reset")
