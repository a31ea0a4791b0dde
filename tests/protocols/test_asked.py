"""`Asked` works a stream with one fresh actor a task, and what the agent's own code does is the agent's."""

import asyncio
import random
from contextlib import suppress
from typing import Any

import pytest

from rung.core.errors import AgentCrash, InstrumentFault, StoreFault, UsageError
from rung.core.ports import Kit
from rung.core.values import Action, Fault, Score, Served, View
from rung.protocols import session
from rung.store.memory import MemoryJournal

from . import stage
from .stage import WRONG, Says, hold, outcome, play, right, sealed, seat, stream

PATH = "a/L1/work/0001"


def ended(journal: MemoryJournal, path: str = PATH) -> Any:
    return journal.get(path, "ended")


def worked(journal: MemoryJournal, make: Any, *, tickets: Any = ()) -> None:
    given = list(tickets) or [stage.ticket()]
    asyncio.run(session.hold(journal, given[0].path, given, lens="none", seat=seat(make)))


# ---------------------------------------------------------------------------------------------- working


def test_every_task_gets_an_actor_of_its_own(box: Any, journal: MemoryJournal):
    made: list[Says] = []

    def make(served: Served, kit: Kit) -> Says:
        made.append(Says(right()))
        return made[-1]

    worked(journal, make, tickets=[stage.ticket("a/1"), stage.ticket("a/2")])
    assert [len(actor.seen) for actor in made] == [2, 2]


def test_the_actor_sees_the_rules_all_along_and_the_reply_to_its_last_answer(box: Any, journal: MemoryJournal):
    actor = Says(right())
    worked(journal, lambda served, kit: actor)
    assert [view.rules for view in actor.seen] == [stage.BOX.rules(stage.task())] * 2
    assert [view.reply for view in actor.seen] == ["", "The answer was taken."]


def test_an_actor_s_random_stream_hangs_under_its_attempt_and_nothing_else(box: Any):
    draws: dict[str, float] = {}
    for order in (["a/1", "a/2"], ["a/2", "a/1"]):
        for path in order:

            def make(served: Served, kit: Kit, path: str = path) -> Says:
                assert draws.setdefault(path, kit.rng.random()) == draws[path]
                return Says(right())

            worked(MemoryJournal(), make, tickets=[stage.ticket(path)])
    assert draws["a/1"] != draws["a/2"]
    assert draws["a/1"] == stage.SEED.child("a/1").rng().random()


def test_an_actor_may_be_plain_functions(box: Any, journal: MemoryJournal):
    class Plain:
        def act(self, view: View) -> Action:
            return Action(WRONG)

    worked(journal, lambda served, kit: Plain())
    assert outcome(journal) == Score(0.0)


# ---------------------------------------------------------------------------------------------- breaking


@pytest.mark.parametrize("error", [ValueError("boom"), RecursionError(), UsageError("not mine"), AgentCrash("bang")])
def test_whatever_an_agent_s_code_raises_is_its_own_and_a_score(box: Any, journal: MemoryJournal, error: Exception):
    assert hold(journal, right()[0], error) == "agent_crashed"
    assert outcome(journal) == Score(0.5)
    assert str(error) in ended(journal)["detail"]


@pytest.mark.parametrize("answer", [None, "text", 7])
def test_an_actor_that_gives_no_action_has_crashed(box: Any, journal: MemoryJournal, answer: object):
    class Strange:
        async def act(self, view: View) -> object:
            return answer

    worked(journal, lambda served, kit: Strange())
    assert ended(journal)["ending"] == "agent_crashed"
    assert sealed(journal)["status"] == "error"


def test_an_actor_that_cannot_be_made_has_crashed(box: Any, journal: MemoryJournal):
    worked(journal, stage.raises(ValueError("a torn file")))
    assert ended(journal) == {"ending": "agent_crashed", "detail": "ValueError: a torn file"}
    assert outcome(journal) == Score(0.0)


def test_what_a_crash_says_is_kept_up_to_a_limit(box: Any, journal: MemoryJournal):
    hold(journal, ValueError("x" * 1_000_000))
    assert len(ended(journal)["detail"]) < 3000


def test_the_instrument_s_fault_is_no_crash(box: Any, journal: MemoryJournal):
    assert hold(journal, InstrumentFault("model", "connection reset")) == "instrument_fault"
    assert outcome(journal) == Fault("model", "connection reset")


def test_a_record_that_cannot_be_kept_stops_the_study(box: Any, journal: MemoryJournal):
    with pytest.raises(StoreFault):
        hold(journal, StoreFault("disk", "full"))
    assert ended(journal) is None


# ---------------------------------------------------------------------------------------------- after an interruption


class Remembers(Says):
    """An actor that can be told."""

    def __init__(self, answers: Any) -> None:
        super().__init__(answers)
        self.told: list[object] = []

    def recall(self, view: View, action: Action) -> None:
        self.told.append(action.answer)


def test_an_actor_that_can_recall_is_told_and_not_asked_again(box: Any, journal: MemoryJournal):
    asyncio.run(play(stream(journal), right()[:1]))
    actor = Remembers(right()[1:])
    worked(journal, lambda served, kit: actor)
    assert (actor.told, outcome(journal)) == (right()[:1], Score(1.0))


def test_an_actor_that_cannot_is_asked_again(box: Any, journal: MemoryJournal):
    asyncio.run(play(stream(journal), right()[:1]))
    worked(journal, lambda served, kit: Says(right()))
    assert outcome(journal) == Score(1.0)


def test_an_actor_that_does_not_repeat_itself_is_a_fault(box: Any, journal: MemoryJournal):
    asyncio.run(play(stream(journal), right()[:1]))
    worked(journal, lambda served, kit: Says([WRONG, right()[1]]))
    assert isinstance(outcome(journal), Fault)
    assert "did not repeat" in sealed(journal)["fault"]["detail"]


@pytest.mark.parametrize("answer", ["\ud800", "1" * 2_000_000, None, 7, stage.Call("answer", {"value": (1, 2)})])
def test_an_actor_is_held_to_what_was_recorded_of_its_answer(box: Any, journal: MemoryJournal, answer: Any):
    asyncio.run(play(stream(journal), [answer]))
    worked(journal, lambda served, kit: Says([answer, right()[1]]))
    assert outcome(journal) == Score(0.5)


def test_a_noisy_actor_comes_back_to_where_it_was(box: Any):
    class Noisy:
        def __init__(self, rng: random.Random, steps: int) -> None:
            self.rng, self.steps = rng, steps

        async def act(self, view: View) -> Action:
            if self.steps == 0:
                raise KeyboardInterrupt
            self.steps -= 1
            return Action(f"{self.rng.randrange(1000)}")

    def record(*lives: int) -> str:
        journal = MemoryJournal()
        for steps in lives:
            with suppress(KeyboardInterrupt):
                worked(journal, lambda served, kit, steps=steps: Noisy(kit.rng, steps))
        return journal.digest()

    assert record(1, 2) == record(2) == record(0, 1, 9)


@pytest.mark.parametrize("leaving", [SystemExit(0), SystemExit("bye"), asyncio.CancelledError()])
def test_an_agent_that_tries_to_leave_has_crashed_and_ends_nothing_else(box: Any, leaving: BaseException):
    journal = MemoryJournal()
    assert hold(journal, leaving) == "agent_crashed"
    assert isinstance(outcome(journal), Score)


class Odd(str):
    def __getitem__(self, place: Any) -> str:
        raise ValueError("no")


class Heavy:
    def __float__(self) -> float:
        raise RuntimeError("no")


@pytest.mark.parametrize("action", [Action(Odd("1")), Action("1", self_score=Heavy())])
def test_what_is_odd_about_an_action_is_the_agents_own_doing(box: Any, action: Action):
    journal = MemoryJournal()
    hold(journal, action, action)
    assert isinstance(outcome(journal), Score)
