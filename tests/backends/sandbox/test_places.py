"""Who is let in when, on machines whose memory the tests make up."""

import asyncio
from collections.abc import Iterator, Sequence

import pytest

from rung.backends.sandbox.places import Places, available_mb


def most_inside(places: Places, bounds: Sequence[int | None]) -> int:
    """How many are in at once when each stays until nobody else can come in."""

    async def seen() -> int:
        inside, most = 0, 0

        async def visit(bound: int | None) -> None:
            nonlocal inside, most
            async with places.place(bound):
                inside += 1
                most = max(most, inside)
                for _ in range(20 * len(bounds)):
                    await asyncio.sleep(0)
                inside -= 1

        await asyncio.gather(*map(visit, bounds))
        assert inside == 0
        return most

    return asyncio.run(seen())


@pytest.mark.parametrize(
    ("most", "available", "bounds", "inside"),
    [
        (3, 100_000, [4096] * 5, 3),  # the number wished for
        (8, 3000, [4096] * 5, 2),  # 1024 each: 2 fit in 3000, and a third does not
        (8, 100, [4096] * 3, 1),  # one, whatever there is
        (8, 0, [None] * 4, 4),  # those without a bound need nothing that we know of
        (8, None, [4096] * 4, 4),  # a machine that does not say
        (0, 100_000, [1] * 3, 1),
    ],
)
def test_as_many_as_memory_and_the_number_allow(most: int, available: int | None, bounds: list[int], inside: int):
    assert most_inside(Places(most, available=lambda: available), bounds) == inside


def test_what_others_take_meanwhile_keeps_the_next_one_out():
    readings: Iterator[int] = iter([10_000, 500])
    assert most_inside(Places(8, available=lambda: next(readings, 500)), [4096] * 3) == 1


def test_first_come_first_served_even_when_a_smaller_one_would_fit():
    order = []

    async def visit(places: Places, name: str, bound: int, stay: int) -> None:
        async with places.place(bound):
            order.append(name)
            for _ in range(stay):
                await asyncio.sleep(0)

    async def seen() -> None:
        places = Places(8, available=lambda: 3000)
        await asyncio.gather(*(visit(places, *each) for each in [("a", 8192, 50), ("b", 8192, 1), ("c", 1, 1)]))

    asyncio.run(seen())
    assert order == ["a", "b", "c"]


def test_one_who_gives_up_waiting_holds_nobody_up():
    async def seen() -> str:
        places = Places(1)
        async with places.place(1):
            gone = asyncio.ensure_future(places.place(1).__aenter__())
            after = asyncio.ensure_future(places.place(1).__aenter__())
            await asyncio.sleep(0)
            gone.cancel()
            await asyncio.sleep(0)
        await after
        return "let in"

    assert asyncio.run(asyncio.wait_for(seen(), 10)) == "let in"


def test_this_machine_says_what_it_has():
    assert (available_mb() or 0) > 0
