"""Foreign code is called through here: plain and async functions are equals, and none of them can end the process."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import TypeVar, overload

from rung.core.errors import RungError

Result = TypeVar("Result")


class Quit(RungError):
    """Foreign code tried to end the process or to cancel itself; that is an error of its own, and nothing more."""


def contained(function: Callable[[], Result]) -> Result:
    """Call foreign code; `sys.exit` in it becomes a `Quit`."""
    try:
        return function()
    except SystemExit as leaving:
        raise Quit(f"called sys.exit({leaving.code!r})") from leaving


def blocking(function: Callable[..., Result]) -> Callable[..., Result]:
    """Mark a plain function that waits (network, files), so that it runs in a thread of its own."""
    function.__rung_blocking__ = True  # type: ignore[attr-defined]
    return function


@overload
async def settle(function: Callable[..., Awaitable[Result]], *arguments: object) -> Result: ...


@overload
async def settle(function: Callable[..., Result], *arguments: object) -> Result: ...


async def settle(function: Callable[..., object], *arguments: object) -> object:
    """Call a function that may be async, plain, or plain and marked `blocking`, and wait for its result.

    `sys.exit` in it, or a cancellation that nobody asked for, is raised as a `Quit`.
    """
    try:
        if getattr(function, "__rung_blocking__", False):
            result = await asyncio.to_thread(function, *arguments)
        else:
            result = function(*arguments)
        return await result if inspect.isawaitable(result) else result
    except SystemExit as leaving:
        raise Quit(f"called sys.exit({leaving.code!r})") from leaving
    except asyncio.CancelledError as cancelled:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise Quit("cancelled itself") from cancelled
