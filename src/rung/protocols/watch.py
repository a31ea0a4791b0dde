"""The clock of a session: whose seconds are counted against the agent, and whose are not."""

import asyncio
from dataclasses import dataclass


@dataclass(slots=True)
class Watch:
    """The seconds that a session has left, on a timeout of asyncio. It stands still while a model is waited for.

    Only the try that was answered is counted, when it is: so neither an outage, nor a queue, nor a wait for money can
    use up an agent's time. Without a timeout, or without a limit on it, nothing is watched.
    """

    timeout: asyncio.Timeout | None = None
    _left: float | None = None
    _waiting: int = 0

    def stop(self) -> None:
        """A model is waited for."""
        self._waiting += 1
        if self.timeout is None or self._waiting > 1:
            return
        until = self.timeout.when()
        left = None if until is None else until - asyncio.get_running_loop().time()
        if left is not None and left > 0:  # one that is over goes off in the wait
            self.timeout.reschedule(None)
            self._left = left

    def go_on(self, took: float) -> None:
        """It has answered, in a try of so many seconds, or has not."""
        self._waiting -= 1
        if self.timeout is None or self._left is None:
            return
        self._left -= took
        if self._waiting == 0:
            self.timeout.reschedule(asyncio.get_running_loop().time() + max(self._left, 0.0))
            self._left = None
