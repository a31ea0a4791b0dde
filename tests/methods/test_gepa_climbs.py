"""Chat and GEPA together on the toys, where the truth is known: is a true gain found, and nothing where there is none?

The scripted actor solves six numbers in ten where it has read the lesson, told by a hash of the number, and none where
it has not; so the lesson's true gain is 0.6 on every rung. All that differs between the improvers is what they write.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rung.core.canonical import sha256
from rung.core.config import Config, parse, read
from rung.core.errors import ModelUnusable
from rung.core.values import ModelRequest
from rung.protocols import launch, wiring
from rung.reports import ladder
from rung.reports.values import ArmReport
from rung.store.journal import SqliteJournal
from rung.store.memory import MemoryJournal
from rung.store.run_directory import RunDirectory
from rung.testing.models import Provided
from rung.testing.toys.toy_lamp_v1.game import FAMILY as LAMP
from rung.testing.toys.toy_lock_v1.game import FAMILY as LOCK
from rung.testing.toys.toy_road_v1.game import FAMILY as ROAD

TOYS = {family.thing: family for family in (LAMP, LOCK, ROAD)}
LESSON = "What shows a number wants the secret that goes with it."
TRUE_GAIN = 0.6
Says = Callable[[ModelRequest], str]


def solved(number: int) -> bool:
    return int(sha256(f"solved {number}")[:8], 16) % 10 < 10 * TRUE_GAIN


def acting(request: ModelRequest) -> str:
    """Answers by the lesson, or by the fact that it read of this very number."""
    thing, shown = re.findall(r"The (\w+) shows ([0-9]+)\.", request.messages[-1].text)[-1]
    read = "\n".join(message.text for message in request.messages)
    fact = re.search(rf"For {shown} say ([0-9]+)\.", read)
    if fact is not None:
        return fact[1]
    return str(TOYS[thing].answer_to(int(shown)) if LESSON in read and solved(int(shown)) else 0)


def competent(request: ModelRequest) -> str:
    """Writes the lesson; where it is there already, something more that helps nobody."""
    more = "\nBe careful." if LESSON in request.messages[0].text else ""
    return f"```\n{LESSON}{more}\n```"


def useless(request: ModelRequest) -> str:
    return "```\nBe careful with every number.\n```"


def copying(request: ModelRequest) -> str:
    """Writes down the answers that it was told, in words too short for the guard to know again."""
    text = request.messages[0].text
    now = re.findall(r"For [0-9]+ say [0-9]+\.", text)
    facts = [f"For {number} say {answer}." for number, answer in re.findall(r"answer to ([0-9]+) was ([0-9]+)", text)]
    return "```\n" + "\n".join(dict.fromkeys([*now, *facts])) + "\n```"


def passages(request: ModelRequest) -> str:
    """Writes down the whole attempt."""
    text = request.messages[0].text
    return f"```\n{text[text.index('# Example') :].replace('`', '')[:3000]}\n```"


def broken(request: ModelRequest) -> str:
    return "I would rather not."


def answer(improver: Says) -> Says:
    return lambda request: improver(request) if request.role == "improver" else acting(request)


def config(*, exam: int = 40, worked: int = 8, lineages: int = 5, concurrency: int = 1, **method: Any) -> Config:
    lock, lamp, road = ({"family": family.id, "difficulty": 1} for family in (LOCK, LAMP, ROAD))
    return parse(
        {
            "name": "climb",
            "protocol": "ladder",
            "lineages": lineages,
            "agent": {"kind": "chat", "model": "scripted/function"},
            "method": {"name": "gepa", **method},
            "exam": {"secret": "a fixed secret"},
            "tasks": {
                "replay": {"interval": 1, "lag": 2},
                "schedule": [{**lock, "count": worked, "replay": True}],
                "holdout": [{**cell, "count": exam} for cell in (lock, {**lock, "difficulty": 5}, lamp, road)],
            },
            "engine": {"concurrency": concurrency},
        }
    )


def study(improver: Says, **changes: Any) -> MemoryJournal:
    model, wanted = Provided(answer(improver)), config(**changes)
    return launch.simulate(wanted, secret="a fixed secret", arms=wiring.arms(wanted, models={model.id: model}))


def measured(journal: MemoryJournal) -> ArmReport:
    return next(arm for arm in ladder.read(journal).arms if arm.name == "gepa")


def gains(arm: ArmReport) -> dict[str, float | None]:
    return {rung.level: rung.gain.value for rung in arm.rungs}


@pytest.mark.parametrize("components", ["instructions", "prompts"])
def test_a_lesson_that_helps_is_found_with_its_true_gain_within_the_interval(components):
    arm = measured(study(competent, components=components))
    rows = {rung.level: rung for rung in arm.rungs}
    for level in ("G1", "G2", "G3", "G4"):
        gain = rows[level].gain
        assert (gain.n_tasks, gain.n_lineages) == (40, 5)
        assert gain.lo is not None
        assert gain.hi is not None
        half = (gain.hi - gain.lo) / 2
        assert half <= TRUE_GAIN / 2
        assert gain.value == pytest.approx(TRUE_GAIN, abs=1.5 * half), level  # three standard errors
    assert rows["G1"].verdict.word == "improved"
    assert (arm.faults, arm.method_faults, arm.skipped) == ({}, 0, 0)


def test_what_does_not_do_better_on_the_task_just_failed_is_never_taken():
    arm = measured(study(useless, exam=12))
    assert (arm.proposed, arm.accepted) == (5 * 8, 0)
    assert set(gains(arm).values()) == {0.0}


def test_facts_of_instances_raise_the_replay_and_no_other_rung():
    found = gains(measured(study(copying, exam=12)))
    assert found["G0"] is not None
    assert found["G0"] > 0.9
    assert {level: found[level] for level in ("G1", "G2", "G3", "G4")} == dict.fromkeys(("G1", "G2", "G3", "G4"), 0.0)


def test_a_whole_attempt_never_gets_into_the_instructions():
    arm = measured(study(passages, exam=6, lineages=2))
    assert (arm.proposed, arm.skipped, arm.method_faults) == (0, 2 * 8, 0)
    assert arm.first_skipped is not None
    assert "it copies from an example" in arm.first_skipped.text


def test_an_improver_that_refuses_is_skipped_each_time_and_counted_and_nothing_changes():
    arm = measured(study(broken, exam=6, lineages=2))
    assert (arm.skipped, arm.proposed, arm.method_faults) == (2 * 8, 0, 0)
    assert set(gains(arm).values()) == {0.0}


def test_a_study_is_the_same_at_any_concurrency():
    one, four = (study(competent, exam=6, concurrency=many).digest() for many in (1, 4))
    assert one == four


def digest(run: RunDirectory) -> str:
    journal = SqliteJournal(run.journal)
    try:
        return journal.digest()
    finally:
        journal.close()


CALLS: dict[str, Callable[[ModelRequest], bool]] = {
    "a rewrite": lambda request: request.role == "improver",
    "a call that is told the lesson": lambda request: request.role == "agent" and LESSON in request.messages[1].text,
}


@pytest.mark.parametrize("call", CALLS)
def test_interrupted_at_any_call_it_asks_nothing_twice_and_ends_the_same(tmp_path: Path, call: str):
    small = config(exam=6, lineages=1)

    def arms(model):
        return wiring.arms(small, models={model.id: model})

    whole = Provided(answer(competent))
    expected = digest(launch.run(small, tmp_path / "whole", arms=arms(whole)))
    until = next(number for number, request in enumerate(whole.asked) if CALLS[call](request))

    def breaks(request):
        if len(model.asked) > until:
            raise ModelUnusable("the key has expired")
        return answer(competent)(request)

    model, healed = Provided(breaks), Provided(answer(competent))
    with pytest.raises(ModelUnusable):
        launch.run(small, tmp_path / "run", arms=arms(model))
    assert digest(launch.run(small, tmp_path / "run", arms=arms(healed))) == expected
    assert healed.asked == whole.asked[until:]


def test_the_example_runs_over_a_scripted_model():
    example = read(Path(__file__).parents[2] / "examples" / "gepa.toml", overrides=["agent.model=scripted/function"])
    model = Provided(answer(competent))
    journal = launch.simulate(example, secret="a fixed secret", arms=wiring.arms(example, models={model.id: model}))
    (arm,) = (arm for arm in ladder.read(journal).arms if arm.name == "gepa")
    assert (arm.skipped, arm.faults, arm.method_faults) == (0, {}, 0)
    assert arm.accepted == 1
