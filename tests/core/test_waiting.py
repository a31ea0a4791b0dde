import asyncio
import threading

from rung.core.waiting import blocking, settle


def test_plain_and_async_functions_are_equals():
    async def later(x: int) -> int:
        return x + 1

    assert asyncio.run(settle(later, 1)) == asyncio.run(settle(lambda x: x + 1, 1)) == 2


def test_a_blocking_function_runs_in_a_thread_of_its_own():
    main = threading.get_ident()
    assert asyncio.run(settle(threading.get_ident)) == main
    assert asyncio.run(settle(blocking(lambda: threading.get_ident()))) != main
