"""Plain and async plug-ins are equals: `settle` waits for either."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import TypeVar, overload

Result = TypeVar("Result")


def blocking(function: Callable[..., Result]) -> Callable[..., Result]:
    """Mark a plain function that waits (network, files), so that it runs in a thread of its own."""
    function.__rung_blocking__ = True  # type: ignore[attr-defined]
    return function


@overload
async def settle(function: Callable[..., Awaitable[Result]], *arguments: object) -> Result: ...


@overload
async def settle(function: Callable[..., Result], *arguments: object) -> Result: ...


async def settle(function: Callable[..., object], *arguments: object) -> object:
    """Call a function that may be async, plain, or plain and marked `blocking`, and wait for its result."""
    if getattr(function, "__rung_blocking__", False):
        result = await asyncio.to_thread(function, *arguments)
    else:
        result = function(*arguments)
    if inspect.isawaitable(result):
        return await result
    return result
