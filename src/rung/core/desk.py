"""A desk of tools: what a server of tools hands on to whoever calls, knowing nothing of tasks or studies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rung.core.canonical import JSON
from rung.core.values import Image, Tool


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a call of a tool answers: text, pictures, and the same as data. `failed` says that the call was no good;
    that is an answer like any other, which the caller reads and goes on from."""

    text: str
    images: tuple[Image, ...] = ()
    data: JSON = None
    failed: bool = False


OVER = ToolAnswer("The session is over.", data={"over": True}, failed=True)
"""What is answered to a call that comes when its session has ended."""


class ToolDesk(Protocol):
    """Tools and their answers. What they are stays the same for as long as the desk is open."""

    def tools(self) -> Sequence[Tool]:
        """Every tool there is, in the order in which a program shall read them."""
        ...

    def instructions(self) -> str:
        """What a server says of itself to a program that connects; empty for nothing."""
        ...

    async def call(self, tool: str, arguments: Mapping[str, JSON]) -> ToolAnswer:
        """Answer one call. Foreign input: whatever is wrong with it is a failed answer, never an exception.

        Raises what ends a session: `InstrumentFault`, `StoreFault`, `Stopped`.
        """
        ...
