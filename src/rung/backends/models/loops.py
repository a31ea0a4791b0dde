"""What belongs to one event loop, for things that outlive it: a notebook runs many, one after the other."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class PerLoop(Generic[Thing]):
    """One thing for each event loop, made when it is first asked for; things of closed loops are let go."""

    def __init__(self, make: Callable[[], Thing]) -> None:
        self._make = make
        self._things: dict[asyncio.AbstractEventLoop, Thing] = {}

    def __len__(self) -> int:
        return len(self._things)

    def here(self) -> Thing:
        """The thing of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._things:
            self._things = {other: thing for other, thing in self._things.items() if not other.is_closed()}
            self._things[loop] = self._make()
        return self._things[loop]

    def taken(self) -> Thing | None:
        """The thing of the running loop, no longer kept; None where there is none."""
        return self._things.pop(asyncio.get_running_loop(), None)
