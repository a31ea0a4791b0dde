"""Do many jobs, a bounded number at once. What is done first never changes what is recorded."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from rung.core.errors import Stopped

Result = TypeVar("Result")


async def work_off(jobs: Iterable[Callable[[], Awaitable[Result]]], *, workers: int) -> list[Result]:
    """Results in the order of the jobs. The first error stops the others and is raised as it is.

    When the operator asks for a stop, what is in flight goes on to where it can stop itself, and nothing new begins.
    """
    if workers == 1:
        return [await job() for job in jobs]
    queue = iter(enumerate(jobs))
    results: dict[int, Result] = {}
    stops: list[Stopped] = []

    async def worker() -> None:
        for number, job in queue:
            if stops:
                return
            try:
                results[number] = await job()
            except Stopped as stop:
                stops.append(stop)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
    except BaseExceptionGroup as errors:
        raise _first(errors) from None
    if stops:
        raise stops[0]
    return [results[number] for number in sorted(results)]


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
