"""What the tests of servers stand on: a free socket of this machine, and tests that may wait."""

import asyncio
import functools
import socket
from collections.abc import Callable, Coroutine
from typing import Any

SECONDS = 30
"""When a test that hangs is ended; none of them decides anything by it."""


def listening() -> socket.socket:
    """A listening, non-blocking socket on a free port, as a sandbox hands one over."""
    made = socket.socket()
    made.bind(("127.0.0.1", 0))
    made.listen(128)
    made.setblocking(False)
    return made


def waits(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that may wait, run in an event loop of its own."""

    @functools.wraps(test)
    def run(*args: object, **named: object) -> None:
        asyncio.run(asyncio.wait_for(test(*args, **named), SECONDS))

    return run
