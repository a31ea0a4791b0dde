"""How many sandboxes run at once: as many as are wished for, and no more than memory carries."""

import asyncio
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

SHARE = 0.25
"""Part of its memory bound that a program is taken to need. Agent programs hold 0.1 to 0.3 GB where 4 GB are allowed
(measured); one that takes more is still held to its bound."""


def available_mb() -> int | None:
    """Megabytes that programs may take before the machine runs out (`MemAvailable`); None where nobody says."""
    if sys.platform != "linux":
        return None
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) // 1024
    return None


class Places:
    """Places for sandboxes. Whoever comes first is let in first, and one is let in whatever the machine looks like.

    One more is let in while fewer than `most` are in, what is available now covers its share, and what was available
    when nobody was in covers the shares of all: those who are in may not have taken theirs yet.
    """

    def __init__(self, most: int, *, available: Callable[[], int | None] = available_mb) -> None:
        self._most = most
        self._available = available
        self._at_first: int | None = None
        self._inside: list[float] = []
        self._waiting: deque[object] = deque()
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def place(self, memory_mb: int | None) -> AsyncIterator[None]:
        """Hold a place for a program with this bound of memory; without a bound it counts as needing nothing."""
        share = SHARE * (memory_mb or 0)
        await self._enter(share)
        try:
            yield
        finally:
            async with self._changed:
                self._inside.remove(share)
                self._changed.notify_all()

    async def _enter(self, share: float) -> None:
        ticket = object()
        self._waiting.append(ticket)
        async with self._changed:
            try:
                await self._changed.wait_for(lambda: self._waiting[0] is ticket and self._fits(share))
                if not self._inside:
                    self._at_first = self._available()
                self._inside.append(share)
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()

    def _fits(self, share: float) -> bool:
        if not self._inside:
            return True
        if len(self._inside) >= self._most:
            return False
        now = self._available()
        return now is None or self._at_first is None or (
            now >= share and self._at_first >= sum(self._inside) + share
        )  # fmt: skip
