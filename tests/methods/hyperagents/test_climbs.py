"""Chat and HyperAgents as a study on the toys, where a lesson's true gain is known."""

from pathlib import Path
from typing import Any

import pytest

from rung.core.config import Config, parse, read
from rung.core.errors import ModelUnusable
from rung.core.values import ModelRequest
from rung.protocols import launch, wiring
from rung.reports import ladder
from rung.reports.values import ArmReport
from rung.store.journal import SqliteJournal
from rung.store.memory import MemoryJournal
from rung.store.run_directory import RunDirectory
from rung.testing.improvers import Says, competent, copying, roles, useless
from rung.testing.lessons import LAMP, LOCK, ROAD, SENTENCE, Lesson
from rung.testing.models import Provided

LESSON = Lesson()
OPTIONS = {"deploy": "latest"}
"""The newest acts, so that no luck of a single attempt takes a lesson away again."""


def config(*, exam: int = 20, worked: int = 3, lineages: int = 3, concurrency: int = 1, **method: Any) -> Config:
    lock, lamp, road = ({"family": family.id, "difficulty": 1} for family in (LOCK, LAMP, ROAD))
    document = {
        "name": "climb",
        "protocol": "ladder",
        "lineages": lineages,
        "agent": {"kind": "chat", "model": "scripted/function"},
        "method": {"name": "hyperagents", **method},
        "exam": {"secret": "a fixed secret"},
        "tasks": {
            "replay": {"interval": 1, "lag": 2},
            "schedule": [{**lock, "count": worked, "replay": True}],
            "holdout": [{**cell, "count": exam} for cell in (lock, {**lock, "difficulty": 5}, lamp, road)],
        },
        "engine": {"concurrency": concurrency},
    }
    return parse(document)


def arms(wanted: Config, model: Provided):
    return wiring.arms(wanted, models={model.id: model})


def study(improver: Says, **changes: Any) -> MemoryJournal:
    model, wanted = Provided(roles(improver, LESSON.acting)), config(**changes)
    return launch.simulate(wanted, secret="a fixed secret", arms=arms(wanted, model))


def measured(journal: MemoryJournal) -> ArmReport:
    return next(arm for arm in ladder.read(journal).arms if arm.name == "hyperagents")


def gains(arm: ArmReport) -> dict[str, float | None]:
    return {rung.level: rung.gain.value for rung in arm.rungs}


@pytest.mark.parametrize("options", [{"variant": "faithful"}, OPTIONS, {"variant": "direct", **OPTIONS}])
def test_a_lesson_that_helps_is_found_with_its_true_gain_within_the_interval(options):
    arm = measured(study(competent(LESSON), **options))
    rows = {rung.level: rung.gain for rung in arm.rungs}
    for level in ("G1", "G2", "G3", "G4"):
        gain = rows[level]
        assert gain.lo is not None
        assert gain.hi is not None
        half = (gain.hi - gain.lo) / 2
        assert half <= LESSON.gain / 2
        assert gain.value == pytest.approx(LESSON.gain, abs=1.5 * half), level  # three standard errors
    assert (arm.faults, arm.method_faults) == ({}, 0)


def test_once_the_lesson_is_there_nothing_is_left_to_change_and_that_is_counted():
    arm = measured(study(competent(LESSON), exam=2, parents="latest", **OPTIONS))
    assert (arm.proposed, arm.skipped) == (3, 3 * 2)


def test_a_useless_note_gains_nothing():
    assert set(gains(measured(study(useless(), exam=6, **OPTIONS))).values()) == {0.0}


def test_answers_of_tasks_that_were_worked_raise_the_replay_and_no_other_rung():
    found = gains(measured(study(copying(), exam=6, worked=6, parents="latest", **OPTIONS)))
    assert found["G0"] is not None
    assert found["G0"] > 0.5
    assert {level: gain for level, gain in found.items() if level != "G0"} == dict.fromkeys(
        ("G1", "G2", "G3", "G4"), 0.0
    )


def test_a_study_is_the_same_at_any_concurrency():
    one, four = (study(competent(LESSON), exam=4, concurrency=many).digest() for many in (1, 4))
    assert one == four


def test_arms_share_one_agent_at_the_beginning_whatever_their_methods_keep_for_themselves():
    document = config(exam=2, lineages=1).model_dump(exclude_defaults=True, exclude={"method"})
    names = {"hyper": {}, "direct": {"variant": "direct"}}
    made = [{"name": name, "method": {"name": "hyperagents", **method}} for name, method in names.items()]
    wanted = parse({**document, "arms": [*made, {"name": "plain", "method": {"name": "static"}}]})
    model = Provided(roles(competent(LESSON), LESSON.acting))
    journal = launch.simulate(wanted, secret="a fixed secret", arms=arms(wanted, model))
    about = [journal.get(name, "arm") for name in ("hyper", "direct", "plain")]
    assert len({(each["control"], each["A_0"]) for each in about}) == 1
    assert len({each["snapshot"] for each in about}) == 3


def digest(run: RunDirectory) -> str:
    journal = SqliteJournal(run.journal)
    try:
        return journal.digest()
    finally:
        journal.close()


def test_interrupted_in_a_session_it_asks_nothing_twice_and_ends_the_same(tmp_path: Path):
    small = config(exam=2, lineages=1, variant="direct")
    says = roles(competent(LESSON), LESSON.acting)
    whole = Provided(says)
    expected = digest(launch.run(small, tmp_path / "whole", arms=arms(small, whole)))
    asked = [number for number, request in enumerate(whole.asked) if request.role == "improver"]
    until = asked[len(asked) // 2]

    def breaks(request: ModelRequest):
        if len(model.asked) > until:
            raise ModelUnusable("the key has expired")
        return says(request)

    model, healed = Provided(breaks), Provided(says)
    with pytest.raises(ModelUnusable):
        launch.run(small, tmp_path / "run", arms=arms(small, model))
    assert digest(launch.run(small, tmp_path / "run", arms=arms(small, healed))) == expected
    assert healed.asked == whole.asked[until:]


EXAMPLE = Path(__file__).parents[3] / "examples" / "hyperagents.toml"


def test_the_example_runs_over_a_scripted_model_and_its_arms_share_one_agent_at_the_beginning():
    example = read(EXAMPLE, overrides=["agent.model=scripted/function"])
    model = Provided(roles(competent(LESSON), LESSON.acting))
    journal = launch.simulate(example, secret="a fixed secret", arms=arms(example, model))
    found = {arm.name: arm for arm in ladder.read(journal).arms if arm.name in ("faithful", "informed", "direct")}
    assert {name: arm.faults for name, arm in found.items()} == {"faithful": {}, "informed": {}, "direct": {}}
    assert len({(journal.get(name, "arm")["control"], journal.get(name, "arm")["A_0"]) for name in found}) == 1
    assert any(SENTENCE in message.text for request in model.asked for message in request.messages)
