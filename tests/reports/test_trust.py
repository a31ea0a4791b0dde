"""Exam rows that must not be believed as they stand, and replays that share their luck."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from rung.core.canonical import JSON
from rung.core.config import parse
from rung.core.errors import InstrumentFault
from rung.core.ports import Actor, Ports
from rung.core.values import Action, Candidate, Selection, State, View
from rung.methods.static import Static
from rung.protocols import launch
from rung.protocols.study import Arm
from rung.reports import ladder
from rung.reports.values import LadderReport, Rung
from rung.testing.toys.toy_lock_v1.game import FAMILY


def lock(setting: str, count: int, **more: JSON) -> dict[str, JSON]:
    return {"family": "toy-lock-v1", "setting": setting, "count": count, **more}


def study(kind: str = "phantom:memoriser", *, tasks: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "name": "trust",
        "protocol": "ladder",
        "agent": {"kind": kind},
        "method": {"name": "phantom"},
        "tasks": {"replay": {"interval": 1, "lag": 4}, **tasks},
        **changes,
    }


def read(document: Mapping[str, Any], *arms: Arm, secret: str = "s0") -> LadderReport:
    return ladder.read(launch.simulate(parse(document), secret=secret, arms=arms or None))


def rung(report: LadderReport, level: str) -> Rung:
    return next(rung for rung in report.arms[0].rungs if rung.level == level)


def test_an_exam_of_content_met_before_is_contaminated_and_says_where_the_number_stands():
    tasks = {"schedule": [lock("tiny", 24, replay=True)], "holdout": [lock("tiny", 24)]}
    found = rung(read(study(tasks=tasks)), "G1")
    assert found.verdict.word == "contaminated"
    assert any(flag.startswith("not fresh: 16 of 24 exam tasks") for flag in found.gain.flags)


def test_a_family_with_room_is_believed():
    tasks = {"schedule": [lock("d1", 24, replay=True)], "holdout": [lock("d1", 24)]}
    assert rung(read(study(tasks=tasks)), "G1").verdict.word == "inconclusive"


def test_replays_of_one_first_play_are_one_event():
    tasks = {"schedule": [lock("d1", 24, replay=True)], "holdout": [lock("d1", 8)], "repeat": True}
    found = [rung(read(study("phantom:static", tasks=tasks, seed=seed, lineages=1)), "G0") for seed in range(12)]
    assert {each.verdict.word for each in found} == {"not estimable"}
    assert {each.holes.planned_pairs for each in found} == {1}


def test_a_replay_before_its_first_play_is_counted_where_the_number_stands():
    tasks = {"schedule": [lock("d1", 12, replay=True)], "holdout": [lock("d1", 8)], "random": True}
    found = rung(read(study(tasks=tasks)), "G0")
    assert any("come before their first play: no pair" in flag for flag in found.gain.flags)


class Picky:
    """Solves half of the time; once `selective`, the instrument breaks whenever it would miss."""

    id = "picky"

    def __init__(self, *, selective: bool) -> None:
        self.selective = selective

    def harness(self) -> Mapping[str, bytes]:
        return {"agent/x": b""}

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        return _Acts(self, state, rng)


class _Acts:
    def __init__(self, agent: Picky, state: State, rng: random.Random) -> None:
        self.agent, self.state, self.rng = agent, state, rng

    async def act(self, view: View) -> Action:
        shown = int(view.text.rstrip(".").rsplit(" ", 1)[1])
        if self.rng.random() < 0.5:
            return Action(str(FAMILY.answer_to(shown)))
        if self.agent.selective and self.state.files["agent/x"]:
            raise InstrumentFault("model", "gone")
        return Action("0")


class Marks(Static):
    """Changes the agent's file once, so that A_T can be told from A_0."""

    id = "marks"
    trials = 0

    async def refine(self, context: Any) -> Any:
        return [Candidate(context.snapshot, State({"agent/x": b"later"}))]

    async def select(self, context: Any, incumbent: Any, trials: Any) -> Any:
        return Selection(0)


@pytest.mark.parametrize(("repeats", "reruns"), [(4, 2), (1, 6), (2, 2)])
def test_what_counts_only_because_it_did_not_break_is_no_improvement(repeats: int, reruns: int):
    tasks = {"replay": {"interval": 0, "lag": 0}, "schedule": [lock("d1", 4)], "holdout": [lock("d1", 20)]}
    document = study(tasks=tasks, exam={"repeats": repeats, "reruns": reruns})
    found = rung(read(document, Arm("phantom", Picky(selective=True), Marks())), "G1")
    assert found.verdict.word == "incomplete"
    assert any("broke at the first try" in flag for flag in found.gain.flags)


def test_an_instrument_that_holds_is_not_blamed():
    tasks = {"replay": {"interval": 0, "lag": 0}, "schedule": [lock("d1", 4)], "holdout": [lock("d1", 20)]}
    found = rung(read(study(tasks=tasks), Arm("phantom", Picky(selective=False), Marks())), "G1")
    assert found.verdict.word == "inconclusive"
