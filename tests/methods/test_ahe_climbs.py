"""Chat and AHE as a study on the toys, where a lesson's true gain is known."""

from pathlib import Path
from typing import Any

import pytest

from rung.core.config import Config, parse, read
from rung.core.errors import ModelUnusable
from rung.core.values import Call, ModelRequest
from rung.methods._coded import Bounds
from rung.protocols import launch, wiring
from rung.reports import ladder
from rung.reports.markdown import markdown
from rung.reports.values import ArmReport
from rung.store.journal import SqliteJournal
from rung.store.memory import MemoryJournal
from rung.store.run_directory import RunDirectory
from rung.testing import editing
from rung.testing.improvers import SLOPPY, Says, competent, copying, roles, useless
from rung.testing.lessons import LAMP, LOCK, ROAD, SENTENCE, Lesson
from rung.testing.models import Provided

LESSON = Lesson()
LEVELS = ("G1", "G2", "G3", "G4")


def config(*, exam: int = 6, worked: int = 3, lineages: int = 3, concurrency: int = 1, **more: Any) -> Config:
    lock, lamp, road = ({"family": family.id, "difficulty": 1} for family in (LOCK, LAMP, ROAD))
    top = {"controls": more.pop("controls")} if "controls" in more else {}
    document = {
        "name": "climb",
        "protocol": "ladder",
        "lineages": lineages,
        "agent": {"kind": "chat", "model": "scripted/function"},
        "method": {"name": "ahe", **more},
        "exam": {"secret": "a fixed secret"},
        "tasks": {
            "replay": {"interval": 1, "lag": 2},
            "schedule": [{**lock, "count": worked, "replay": True}],
            "holdout": [{**cell, "count": exam} for cell in (lock, {**lock, "difficulty": 5}, lamp, road)],
        },
        "engine": {"concurrency": concurrency},
        **top,
    }
    return parse(document)


def arms(wanted: Config, model: Provided) -> Any:
    return wiring.arms(wanted, models={model.id: model})


def study(improver: Says, **changes: Any) -> MemoryJournal:
    model, wanted = Provided(roles(improver, LESSON.acting)), config(**changes)
    return launch.simulate(wanted, secret="a fixed secret", arms=arms(wanted, model))


def measured(journal: MemoryJournal, name: str = "ahe") -> ArmReport:
    return next(arm for arm in ladder.read(journal).arms if arm.name == name)


def gains(arm: ArmReport) -> dict[str, float | None]:
    return {rung.level: rung.gain.value for rung in arm.rungs}


@pytest.mark.parametrize("options", [{}, {"variant": "faithful", "replies": "tools"}])
def test_a_lesson_that_helps_is_found_with_its_true_gain_within_the_interval(options: Any):
    arm = measured(study(competent(LESSON), exam=20, **options))
    rows = {rung.level: rung.gain for rung in arm.rungs}
    for level in LEVELS:
        gain = rows[level]
        assert gain.lo is not None
        assert gain.hi is not None
        half = (gain.hi - gain.lo) / 2
        assert half <= LESSON.gain / 2
        assert gain.value == pytest.approx(LESSON.gain, abs=1.5 * half), level  # three standard errors
    assert (arm.faults, arm.method_faults, arm.refused) == ({}, 0, {})


def test_a_useless_note_gains_nothing():
    assert set(gains(measured(study(useless()))).values()) == {0.0}


def test_answers_of_tasks_that_were_worked_raise_the_replay_and_no_other_rung():
    found = gains(measured(study(copying(), worked=6)))
    assert found["G0"] is not None
    assert found["G0"] > 0.5
    assert {level: found[level] for level in LEVELS} == dict.fromkeys(LEVELS, 0.0)


@pytest.mark.parametrize("name", SLOPPY)
def test_an_improver_of_no_use_changes_nothing_and_that_is_counted_and_said(name: str):
    journal = study(SLOPPY[name], exam=1, lineages=1)
    arm = measured(journal)
    assert (arm.proposed, arm.skipped, arm.method_faults) == (0, 3, 0)
    assert set(gains(arm).values()) == {0.0}
    assert arm.first_skipped is not None
    manifests = [fact.value["manifest"] for fact in journal.facts(kind="refined")]
    assert all(each["session"]["sent_back"] or each["refused"] or not each["edits"] for each in manifests)


def test_edits_off_the_surface_are_counted_by_kind_in_the_report():
    calls = [Call("write", {"path": "agent/memory/../../x", "text": "x"}), Call("delete", {"path": "method/a"})]
    arm = measured(study(lambda request: _in_session(request, calls), exam=1, lineages=1))
    assert arm.refused == {"name": 3, "path": 3}


def _in_session(request: ModelRequest, calls: list[Call]) -> Any:
    opening = request.messages[0].text
    return editing.trying(request, calls) if "You improve the harness" in opening else "It guessed."


HOSTILE = {
    "imports the network": ("import socket\n", "import"),
    "runs text": ("def on_view(argument):\n    return eval('1')\n", "dynamic"),
    "never ends": ("def on_view(argument):\n    while True: pass\n", "harness"),
    "forks": ("def on_view(argument):\n    while True: argument['view'].__class__.fork()\n", "harness"),
    "reads keys": ("def on_view(argument):\n    return {'note': open('/proc/1/environ').read()[7:]}\n", None),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_is_refused_or_confined_and_the_report_names_it(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("rung.methods.ahe.acting.BOUNDS", Bounds(seconds=1.0, asks=0))
    monkeypatch.setenv("A_KEY_OF_THE_CALLER", "very-secret")
    source, kind = HOSTILE[name]
    calls = [Call("write", {"path": "agent/middleware/a.py", "text": source})]
    journal = study(lambda request: _in_session(request, calls), exam=1, lineages=1)
    arm = measured(journal)
    assert arm.method_faults == 0
    if kind is not None:
        assert (arm.accepted, arm.refused) == (0, {kind: 3})
        assert f"({kind} 3)" in markdown(ladder.read(journal))
    said = [repr(fact.value) for fact in journal.facts()]
    assert not any("very-secret" in each for each in said)


MIDDLEWARE = f"def on_view(argument):\n    return {{'note': {SENTENCE!r}}}\n"


def test_a_lesson_in_code_acts_in_the_sandbox_and_gains_as_much_as_one_in_words():
    def one(path: str, text: str) -> ArmReport:
        calls = [Call("write", {"path": path, "text": text})]
        return measured(study(lambda request: _in_session(request, calls), exam=2, lineages=1))

    words, code = one("agent/memory/lesson.md", SENTENCE), one("agent/middleware/lesson.py", MIDDLEWARE)
    assert [rung.after for rung in code.rungs] == [rung.after for rung in words.rungs]
    assert any(rung.after > rung.before for rung in code.rungs)
    assert (code.accepted, code.refused) == (1, {})


def test_random_edits_and_none_stand_for_nothing():
    journal = study(competent(LESSON), exam=12, controls=["random-edit", "no-op"])
    for control in ("random-edit", "no-op"):
        arm = measured(journal, f"ahe-{control}")
        assert {level: gains(arm)[level] for level in LEVELS} == dict.fromkeys(LEVELS, 0.0)
        assert arm.method_faults == 0


def test_a_study_is_the_same_at_any_concurrency():
    one, four = (study(competent(LESSON), exam=2, concurrency=many).digest() for many in (1, 4))
    assert one == four


def test_a_state_without_a_harness_shares_its_beginning_with_the_static_arm():
    document = config(exam=2, lineages=1).model_dump(exclude_defaults=True, exclude={"method"})
    made = [{"name": "ahe", "method": {"name": "ahe"}}, {"name": "plain", "method": {"name": "static"}}]
    wanted = parse({**document, "arms": made})
    model = Provided(roles(competent(LESSON), LESSON.acting))
    journal = launch.simulate(wanted, secret="a fixed secret", arms=arms(wanted, model))
    assert journal.get("ahe", "arm") == journal.get("plain", "arm")


def digest(run: RunDirectory) -> str:
    journal = SqliteJournal(run.journal)
    try:
        return journal.digest()
    finally:
        journal.close()


def test_interrupted_in_a_session_it_asks_nothing_twice_and_ends_the_same(tmp_path: Path):
    small = config(exam=2, lineages=1)
    says = roles(competent(LESSON), LESSON.acting)
    whole = Provided(says)
    expected = digest(launch.run(small, tmp_path / "whole", arms=arms(small, whole)))
    asked = [number for number, request in enumerate(whole.asked) if request.role == "improver"]
    until = asked[len(asked) // 2]

    def breaks(request: ModelRequest) -> Any:
        if len(model.asked) > until:
            raise ModelUnusable("the key has expired")
        return says(request)

    model, healed = Provided(breaks), Provided(says)
    with pytest.raises(ModelUnusable):
        launch.run(small, tmp_path / "run", arms=arms(small, model))
    assert digest(launch.run(small, tmp_path / "run", arms=arms(small, healed))) == expected
    assert healed.asked == whole.asked[until:]


EXAMPLE = Path(__file__).parents[2] / "examples" / "ahe.toml"


def test_the_example_runs_over_a_scripted_model_and_its_arms_share_one_agent_at_the_beginning():
    example = read(EXAMPLE, overrides=["agent.model=scripted/function"])
    model = Provided(roles(competent(LESSON), LESSON.acting))
    journal = launch.simulate(example, secret="a fixed secret", arms=arms(example, model))
    found = {arm.name: (arm.faults, arm.method_faults) for arm in ladder.read(journal).arms}
    assert found == {"repaired": ({}, 0), "faithful": ({}, 0)}
    assert journal.get("repaired", "arm") == journal.get("faithful", "arm")
    assert any(SENTENCE in message.text for request in model.asked for message in request.messages)
