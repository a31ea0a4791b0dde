"""Chat and ACE together on the toys, where the truth is known: is a true gain found, and nothing where there is none?

The scripted actor solves six numbers in ten where it has read the lesson, told by a hash of the number, and none where
it has not; so the lesson's true gain is 0.6 on every rung. All that differs between the improvers is what they note.
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

from .ace_world import add, curated, reflected

TOYS = {family.thing: family for family in (LAMP, LOCK, ROAD)}
LESSON = "What shows a number wants the secret that goes with it."
TRUE_GAIN = 0.6
Says = Callable[[ModelRequest], str]


def solved(number: int) -> bool:
    return int(sha256(f"solved {number}")[:8], 16) % 10 < 10 * TRUE_GAIN


def acting(request: ModelRequest) -> str:
    """Answers by the lesson, or by the fact that it read of this very number; names the bullet."""
    thing, shown = re.findall(r"The (\w+) shows ([0-9]+)\.", request.messages[-1].text)[-1]
    read = "\n".join(message.text for message in request.messages)
    fact = re.search(rf"\[([a-z]+-[0-9]+)\] .*answer to {shown} is ([0-9]+)", read)
    if fact is not None:
        return f'{{"used": "{fact[1]}"}}\n{fact[2]}'
    lesson = re.search(rf"\[([a-z]+-[0-9]+)\] .*{LESSON}", read)
    if lesson is None:
        return "0"
    return f'{{"used": "{lesson[1]}"}}\n{TOYS[thing].answer_to(int(shown)) if solved(int(shown)) else 0}'


def competent(request: ModelRequest) -> str:
    """Notes the lesson once, and says that it helped."""
    text = request.messages[1].text
    if "THE PLAYBOOK" in text:
        return curated() if LESSON in text else curated(add(LESSON))
    return reflected(*[(name, "helpful") for name in re.findall(r"^\[([a-z]+-[0-9]+)\]", text, re.MULTILINE)])


def useless(request: ModelRequest) -> str:
    """Notes what helps nobody."""
    return curated(add("Be careful with every number.")) if "THE PLAYBOOK" in request.messages[1].text else reflected()


def copying(request: ModelRequest) -> str:
    """Notes the answers that it was told, which are facts about one task each."""
    text = request.messages[1].text
    facts = re.findall(r"The right answer to ([0-9]+) was ([0-9]+)", text)
    notes = [add(f"The right answer to {number} is {answer}.", "others") for number, answer in facts]
    return curated(*notes) if "THE PLAYBOOK" in text else reflected()


def broken(request: ModelRequest) -> str:
    return "I would rather not."


def answer(improver: Says) -> Says:
    return lambda request: improver(request) if request.role == "improver" else acting(request)


def config(*, exam: int = 40, worked: int = 4, lineages: int = 5, concurrency: int = 1, **method: Any) -> Config:
    lock, lamp, road = ({"family": family.id, "difficulty": 1} for family in (LOCK, LAMP, ROAD))
    document = {
        "name": "climb",
        "protocol": "ladder",
        "lineages": lineages,
        "agent": {"kind": "chat", "model": "scripted/function"},
        "method": {"name": "ace", **method},
        "exam": {"secret": "a fixed secret"},
        "tasks": {
            "replay": {"interval": 1, "lag": 2},
            "schedule": [{**lock, "count": worked, "replay": True}],
            "holdout": [{**cell, "count": exam} for cell in (lock, {**lock, "difficulty": 5}, lamp, road)],
        },
        "engine": {"concurrency": concurrency},
    }
    return parse(document)


def study(improver: Says, **changes: Any) -> MemoryJournal:
    model, wanted = Provided(answer(improver)), config(**changes)
    arms = wiring.arms(wanted, models={model.id: model})
    return launch.simulate(wanted, secret="a fixed secret", arms=arms)


def measured(journal: MemoryJournal) -> ArmReport:
    return next(arm for arm in ladder.read(journal).arms if arm.name == "ace")


def gains(arm: ArmReport) -> dict[str, float | None]:
    return {rung.level: rung.gain.value for rung in arm.rungs}


@pytest.mark.parametrize("variant", ["repaired", "faithful"])
def test_a_lesson_that_helps_is_found_with_its_true_gain_within_the_interval(variant):
    arm = measured(study(competent, variant=variant))
    rows = {rung.level: rung for rung in arm.rungs}
    for level in ("G1", "G2", "G3", "G4"):
        gain = rows[level].gain
        assert (gain.n_tasks, gain.n_lineages) == (40, 5)
        assert gain.lo is not None
        assert gain.hi is not None
        half = (gain.hi - gain.lo) / 2
        assert half <= TRUE_GAIN / 2
        assert gain.value == pytest.approx(TRUE_GAIN, abs=1.5 * half), level  # three standard errors
    assert rows["G1"].gain.lo <= TRUE_GAIN <= rows["G1"].gain.hi
    assert rows["G1"].verdict.word == "improved"
    assert (arm.faults, arm.method_faults, arm.skipped) == ({}, 0, 0)


def test_a_useless_note_gains_nothing_and_is_kept_once():
    journal = study(useless)
    assert set(gains(measured(journal)).values()) == {0.0}
    manifests = [
        candidate["manifest"] for fact in journal.facts(kind="refined") for candidate in fact.value["candidates"]
    ]
    assert len(manifests) == 5 * 4
    assert sum(len(manifest["opinions"]) for manifest in manifests) == 5
    assert sum(len(manifest["duplicates"]) for manifest in manifests) == 5 * 3


def test_facts_of_instances_raise_the_replay_and_no_other_rung():
    assert gains(measured(study(copying, exam=12))) == {"G0": 1.0, "G1": 0.0, "G2": 0.0, "G3": 0.0, "G4": 0.0}


def test_an_improver_that_refuses_is_skipped_each_time_and_counted_and_nothing_changes():
    journal = study(broken, exam=6, lineages=2)
    arm = measured(journal)
    assert (arm.skipped, arm.proposed, arm.method_faults) == (2 * 4, 0, 0)
    assert set(gains(arm).values()) == {0.0}
    reasons = {fact.value["skipped"] for fact in journal.facts(kind="refined") if fact.path.startswith("ace")}
    assert reasons == {f"no reply was a reflection: {'; '.join(['it holds no JSON object'] * 3)}"}


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
    "a reflection": lambda request: request.role == "improver",
    "a curation": lambda request: request.role == "improver" and "THE PLAYBOOK" in request.messages[1].text,
    "a call that is told the playbook": lambda request: request.role == "agent" and LESSON in request.messages[1].text,
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


EXAMPLE = Path(__file__).parents[2] / "examples" / "ace.toml"


def test_the_example_runs_over_a_scripted_model_and_both_variants_share_one_beginning():
    example = read(EXAMPLE, overrides=["agent.model=scripted/function"])
    model = Provided(answer(competent))
    arms = wiring.arms(example, models={model.id: model})
    journal = launch.simulate(example, secret="a fixed secret", arms=arms)
    variants = {arm.name: arm for arm in ladder.read(journal).arms if arm.name in ("repaired", "faithful")}
    assert [(arm.proposed, arm.skipped, arm.faults) for arm in variants.values()] == [(3, 0, {})] * 2
    assert journal.get("repaired", "arm")["A_0"] == journal.get("faithful", "arm")["A_0"]
    assert all(request.tools for request in model.asked)
