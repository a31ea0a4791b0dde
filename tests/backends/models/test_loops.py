import asyncio

from rung.backends.models.loops import PerLoop


def test_a_loop_has_one_thing_and_another_loop_another():
    things: PerLoop[object] = PerLoop(object)

    async def twice() -> tuple[object, object]:
        return things.here(), things.here()

    first, again = asyncio.run(twice())
    other, _ = asyncio.run(twice())
    assert first is again
    assert first is not other


def test_things_of_closed_loops_are_let_go():
    things: PerLoop[object] = PerLoop(object)

    async def made() -> int:
        things.here()
        return len(things)

    assert [asyncio.run(made()) for _ in range(3)] == [1, 1, 1]


def test_a_thing_that_was_taken_is_made_anew():
    things: PerLoop[object] = PerLoop(object)

    async def taken() -> None:
        assert things.taken() is None
        made = things.here()
        assert things.taken() is made
        assert things.here() is not made

    asyncio.run(taken())
