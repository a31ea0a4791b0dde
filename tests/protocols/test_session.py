"""A session: a driver, a stream, a home, and an ending that we write down."""

import asyncio
from typing import Any

import pytest

from rung.core.errors import InstrumentFault
from rung.core.ports import Kit, Ports, Post
from rung.core.values import Action, Exit, Fault, Score, Served, State
from rung.protocols import session
from rung.protocols.session import Seat
from rung.store.memory import MemoryJournal
from rung.testing.toys._riddle import RiddleKey

from . import stage
from .stage import BOX, SEED, Says, Twisted, hold, installed, outcome, raises, right, seat, ticket

TWO = [ticket("a/1"), ticket("a/2")]


def ended(journal: MemoryJournal, path: str) -> Any:
    return journal.get(path, "ended")


def drive(journal: MemoryJournal, driver: Any, tickets: Any = TWO) -> None:
    given = Seat(driver, State(), Ports(), SEED, scripted=False)
    asyncio.run(session.hold(journal, "session", tickets, lens="none", seat=given))


class Takes:
    """A driver that takes so many tasks, works each, and leaves as it is told to."""

    def __init__(self, tasks: int, *, leaves: Exit | Exception, answers: int = 2) -> None:
        self.tasks, self.leaves, self.answers = tasks, leaves, answers

    async def run(self, post: Post) -> Exit:
        for _ in range(self.tasks):
            served = await post.stream.get_task()
            assert served is not None
            for answer in right()[: self.answers]:
                await post.stream.answer(served.handle, Action(answer))
        if isinstance(self.leaves, Exception):
            raise self.leaves
        return self.leaves


def test_a_session_whose_tasks_all_ended_ended_with_its_queue_whatever_the_driver_says(
    box: Any, journal: MemoryJournal
):
    drive(journal, Takes(2, leaves=Exit("agent_stopped", "tired")))
    assert ended(journal, "session") == {"ending": "queue_empty", "detail": "tired"}


def test_one_that_left_tasks_was_stopped_by_the_agent(box: Any, journal: MemoryJournal):
    drive(journal, Takes(1, leaves=Exit("queue_empty")))
    assert ended(journal, "session")["ending"] == "agent_stopped"
    assert journal.get("a/2", "sealed") is None


def test_a_task_left_in_the_middle_is_scored_as_it_stands(box: Any, journal: MemoryJournal):
    drive(journal, Takes(1, leaves=Exit("agent_stopped"), answers=1))
    assert outcome(journal, "a/1") == Score(0.5)


def test_a_fault_of_the_instrument_seals_what_is_in_flight_and_leaves_the_rest_unserved(
    box: Any, journal: MemoryJournal
):
    drive(journal, Takes(1, leaves=InstrumentFault("sandbox", "died"), answers=1))
    assert outcome(journal, "a/1") == Fault("sandbox", "died")
    assert journal.get("a/2", "served") is None
    assert ended(journal, "session") == {"ending": "instrument_fault", "detail": "died"}


def test_a_session_that_ended_is_not_held_again(box: Any, journal: MemoryJournal):
    hold(journal, *right())
    assert hold(journal, AssertionError("asked again")) == "queue_empty"


def test_what_was_sealed_before_an_interruption_is_not_worked_again(box: Any, journal: MemoryJournal):
    hold(journal, *right(), tickets=TWO[:1], path="before")
    drive(journal, Takes(1, leaves=Exit("queue_empty")))
    assert ended(journal, "session")["ending"] == "queue_empty"


def test_only_a_scripted_agent_is_handed_the_policies(box: Any, journal: MemoryJournal):
    seen: dict[bool, Any] = {}

    def keep(served: Served, kit: Kit) -> Says:
        seen[kit.ports.policies is not None] = kit.ports.policies
        return Says(right())

    for scripted, path in ((True, "a/1"), (False, "a/2")):
        asyncio.run(session.hold(journal, path, [ticket(path)], lens="none", seat=seat(keep, scripted=scripted)))
    assert seen[False] is None
    assert seen[True].cell == "box-v1 d1"


def test_the_stream_itself_hands_no_policies_to_a_family():
    given: list[Ports] = []

    async def start(task: Any, ports: Ports) -> Any:
        given.append(ports)
        return await BOX.start(task, ports)

    with installed(stage.box(start=start)):
        asyncio.run(
            session.hold(
                MemoryJournal(),
                "a/1",
                TWO[:1],
                lens="none",
                seat=seat(lambda served, kit: Says(right()), scripted=True),
            )
        )
    assert given == [Ports()]


@pytest.mark.parametrize(
    "twist",
    [
        {"solver": raises(ValueError("boom"))},
        {"solver": lambda task: Twisted(None, act=raises(ValueError("boom")))},
        {"solver": lambda task: Twisted(None, act=stage.araises(ValueError("boom")))},
    ],
)
def test_a_key_that_breaks_is_a_fault_and_not_the_phantom_s_score(journal: MemoryJournal, twist: dict[str, Any]):
    def solve(served: Served, kit: Kit) -> Any:
        assert kit.ports.policies is not None
        return kit.ports.policies.solver()

    with installed(key=Twisted(RiddleKey(BOX), **twist)):
        asyncio.run(session.hold(journal, "a/1", TWO[:1], lens="none", seat=seat(solve, scripted=True)))
    assert outcome(journal, "a/1") == Fault("key of box-v1", "ValueError: boom")
