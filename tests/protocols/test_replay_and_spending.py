"""A study over a model: killed, cut off and replayed, it comes to the same facts and never costs more than it may."""

import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rung.core.crashpoints import MODEL_LABELS
from rung.core.errors import BudgetSpent, UsageError
from rung.protocols import launch
from rung.protocols.launch import Wishes
from rung.store.journal import SqliteJournal

from . import chat_study, many_calls
from .chat_study import config

KILLED = -signal.SIGKILL


def facts(folder: Path) -> dict[tuple[str, str], Any]:
    journal = SqliteJournal(folder / "journal.sqlite", read_only=True)
    try:
        return {(fact.path, fact.kind): fact.value for fact in journal.facts()}
    finally:
        journal.close()


def digest(folder: Path) -> str:
    journal = SqliteJournal(folder / "journal.sqlite", read_only=True)
    try:
        return journal.digest()
    finally:
        journal.close()


def owed(folder: Path) -> tuple[float, float]:
    """Dollars on record: what tries cost, those whose end was never seen at their worst; and the largest worst."""
    journal = SqliteJournal(folder / "journal.sqlite", read_only=True)
    try:
        worst: Mapping[int, float] = {
            note.value["n"]: note.value["usd"] for note in journal.observations(name="reserved")
        }
        known: Mapping[int, float] = {
            note.value["n"]: note.value["usd"] for note in journal.observations(name="settled")
        }
    finally:
        journal.close()
    return sum({**worst, **known}.values()), max(worst.values())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    launch.run(config(), folder)
    return folder


def study(folder: Path, *words: object, usd: object = "none", concurrency: int = 1) -> int:
    command = [sys.executable, chat_study.__file__, folder, concurrency, folder.parent / "tries.log", usd, *words]
    return subprocess.run([str(word) for word in command], check=False, timeout=120).returncode


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("label", MODEL_LABELS)
def test_a_study_killed_around_a_model_call_ends_as_if_nothing_had_happened(
    tmp_path: Path, whole: Path, label: str, concurrency: int
):
    folder = tmp_path / "run"
    assert study(folder, label, 7, concurrency=concurrency) == KILLED
    assert study(folder, label, 11, concurrency=concurrency) == KILLED
    assert study(folder, concurrency=concurrency) == 0
    assert digest(folder) == digest(whole)
    assert owed(folder)[0] >= sum(chat_study.spent(tmp_path / "tries.log"))


def test_no_call_that_was_on_record_is_paid_for_again(tmp_path: Path, whole: Path):
    folder = tmp_path / "run"
    assert study(folder, "call.recorded", 9) == KILLED
    assert study(folder) == 0
    recorded = [path for path, kind in facts(whole) if kind.startswith(("call/", "failed/"))]
    assert len(chat_study.spent(tmp_path / "tries.log")) == len(recorded)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_the_limit_holds_across_kills(tmp_path: Path, concurrency: int):
    """What was truly paid stays within the budget, though the killed process never saw the end of what it asked."""
    folder, limit = tmp_path / "run", 6000
    for passes in (3, 5, 7):
        assert study(folder, "call.answered", passes, usd=limit, concurrency=concurrency) in (KILLED, 4)
    assert study(folder, usd=limit, concurrency=concurrency) == 4
    paid = sum(chat_study.spent(tmp_path / "tries.log"))
    on_record, one_call = owed(folder)
    assert paid <= on_record <= limit
    assert on_record > limit - one_call


def test_a_spent_budget_stops_the_run_and_a_higher_one_goes_on_to_the_same_end(tmp_path: Path, whole: Path):
    warned = list[str]()
    with pytest.raises(BudgetSpent, match="raise it and run again to go on"):
        launch.run(config(usd=8000.0, warn_at=0.5), tmp_path / "run", Wishes(warn=warned.append))
    assert sum("[budget] usd" in each for each in warned) == 1
    launch.run(config(usd=1e6), tmp_path / "run")
    assert digest(tmp_path / "run") == digest(whole)


def test_a_replay_asks_no_model_and_comes_to_the_same_facts(tmp_path: Path, whole: Path):
    launch.run(config(concurrency=8), tmp_path / "again", Wishes(replay=whole))
    assert digest(tmp_path / "again") == digest(whole)


def test_a_recording_of_another_config_is_refused_before_anything_is_written(tmp_path: Path, whole: Path):
    other = config().model_copy(update={"seed": 99})
    with pytest.raises(UsageError, match=r"cannot be replayed: .*seed \(was 0, now 99\)"):
        launch.run(other, tmp_path / "again", Wishes(replay=whole))
    assert not (tmp_path / "again").exists()


def test_a_replay_goes_on_with_a_replay_and_with_no_run_that_asked_its_models(tmp_path: Path, whole: Path):
    launch.run(config(), tmp_path / "again", Wishes(replay=whole))
    launch.run(config(), tmp_path / "again", Wishes(replay=whole))  # it is resumed
    launch.run(config(), tmp_path / "asked")
    before = (tmp_path / "asked" / "journal.sqlite").read_bytes()
    with pytest.raises(UsageError, match="was begun by asking its models, and recorded calls would be mixed into it"):
        launch.run(config(), tmp_path / "asked", Wishes(replay=whole))
    assert (tmp_path / "asked" / "journal.sqlite").read_bytes() == before


def test_a_run_is_not_replayed_into_itself(whole: Path):
    with pytest.raises(UsageError, match="would replay the run into itself"):
        launch.run(config(), whole, Wishes(replay=whole))


def test_a_lineage_that_has_cost_what_it_may_goes_to_its_exam_as_it_is(tmp_path: Path):
    cut = config(lineage={"usd": 1200})
    launch.run(cut, tmp_path / "run")
    known = facts(tmp_path / "run")
    for lineage in ("static/L1", "reflexion/L1"):
        position = known[lineage, "cut"]["before"]
        worked = [
            int(path.split("/")[3]) for path, kind in known if kind == "sealed" and path.startswith(f"{lineage}/")
        ]
        assert max(worked) == position - 1
        assert "[budget.lineage] usd = 1,200" in known[lineage, "cut"]["reason"]
    assert ("exam/reflexion.L1/0002/1", "sealed") in known
    launch.run(cut, tmp_path / "run")
    assert facts(tmp_path / "run") == known


def test_a_cut_lineage_is_cut_at_the_same_place_in_a_replay(tmp_path: Path):
    cut = config(lineage={"usd": 1200})
    launch.run(cut, tmp_path / "run")
    launch.run(cut, tmp_path / "again", Wishes(replay=tmp_path / "run"))
    assert digest(tmp_path / "again") == digest(tmp_path / "run")


def test_a_task_that_may_cost_little_is_scored_as_it_stands(tmp_path: Path):
    launch.run(config(task={"tokens": 1}), tmp_path / "run")
    known = facts(tmp_path / "run")
    assert {value["ending"] for (_, kind), value in known.items() if kind == "ended"} == {"limit_reached"}
    assert {(value.get("score"), value.get("status")) for (_, kind), value in known.items() if kind == "sealed"} == {
        (0.0, "cancelled")
    }


@pytest.mark.parametrize("label", MODEL_LABELS)
def test_five_hundred_calls_at_once_stay_within_the_budget_across_a_kill(tmp_path: Path, label: str):
    limit, log = 1500, tmp_path / "tries.log"
    command = [sys.executable, many_calls.__file__, str(tmp_path), str(log), str(limit)]
    killed = subprocess.run([*command, label, "90"], check=False, timeout=120).returncode
    gone_on = subprocess.run(command, check=False, timeout=120).returncode
    assert (killed, gone_on) == (KILLED, 4)
    paid, (on_record, _) = sum(chat_study.spent(log)), owed(tmp_path)
    assert paid <= on_record <= limit
    assert on_record > limit - many_calls.MOST
