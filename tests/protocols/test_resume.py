"""Running again resumes: wherever the process died, the record ends as if nothing had happened."""

import random
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from rung.core import crashpoints
from rung.core.crashpoints import LABELS
from rung.core.ports import Fact
from rung.protocols import launch
from rung.store.journal import SqliteJournal

from . import small_study

STUDY = [sys.executable, small_study.__file__]
WHERE = ["first", "middle", "last"]
SECONDS = 1.5  # about how long the study takes


@dataclass(frozen=True)
class Kept:
    """What a finished run left: its facts and its refs."""

    digest: str
    facts: list[Fact]
    refs: dict[str, str]


def kept(folder: Path) -> Kept:
    journal = SqliteJournal(folder / "journal.sqlite", read_only=True)
    try:
        return Kept(journal.digest(), list(journal.facts()), refs(folder / "states.git"))
    finally:
        journal.close()


def refs(git: Path) -> dict[str, str]:
    heads = git / "refs" / "heads"
    return {str(file.relative_to(heads)): file.read_text().strip() for file in heads.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """The run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    launch.run(small_study.config(), folder)
    return kept(folder)


@pytest.fixture(scope="module")
def passings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """How often each label is passed in a whole run."""
    counted: Counter[str] = Counter()
    with hooked(counted):
        launch.run(small_study.config(), tmp_path_factory.mktemp("counted"))
    return dict(counted)


class hooked:
    def __init__(self, counted: Counter[str]) -> None:
        self.counted = counted

    def __enter__(self) -> None:
        crashpoints.hook = lambda label: self.counted.update([label])

    def __exit__(self, *_: object) -> None:
        crashpoints.hook = None


def number(where: str, passes: int) -> int:
    return {"first": 1, "middle": (passes + 1) // 2, "last": passes}[where]


def killed(folder: Path, label: str, passes: int, *, concurrency: int = 1) -> int:
    """How a run ended that was to die at the n-th passing of a label."""
    done = subprocess.run([*STUDY, str(folder), str(concurrency), label, str(passes)], check=False, capture_output=True)
    return done.returncode


def killed_after(folder: Path, seconds: float, *, concurrency: int) -> None:
    with subprocess.Popen([*STUDY, str(folder), str(concurrency)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=seconds)
        process.kill()


def resumed(folder: Path, *, concurrency: int = 1) -> Kept:
    launch.run(small_study.config(concurrency), folder)
    return kept(folder)


# ---------------------------------------------------------------------------------------------- killed and resumed


def test_every_labelled_place_is_passed(passings: dict[str, int]):
    assert set(passings) == set(LABELS)


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("label", LABELS)
def test_death_at_a_labelled_place_leaves_no_trace_in_the_facts(
    tmp_path: Path, whole: Kept, passings: dict[str, int], label: str, where: str
):
    assert killed(tmp_path, label, number(where, passings[label])) == -signal.SIGKILL
    assert resumed(tmp_path) == whole


@pytest.mark.parametrize("label", LABELS)
def test_death_with_eight_at_once_leaves_no_trace_either(
    tmp_path: Path, whole: Kept, passings: dict[str, int], label: str
):
    assert killed(tmp_path, label, passings[label] // 10, concurrency=8) == -signal.SIGKILL
    assert resumed(tmp_path, concurrency=8) == whole


@pytest.mark.parametrize(("first", "second"), [("reply.before", "served.after"), ("snapshot.after", "reply.after")])
def test_dying_twice_is_no_worse(tmp_path: Path, whole: Kept, passings: dict[str, int], first: str, second: str):
    assert killed(tmp_path, first, passings[first] // 3) == -signal.SIGKILL
    assert killed(tmp_path, second, 2, concurrency=8) == -signal.SIGKILL
    assert resumed(tmp_path) == whole


def instants(count: int) -> list[float]:
    rng = random.Random(20)
    return [SECONDS * rng.random() for _ in range(count)]


@pytest.mark.parametrize("seconds", instants(6))
def test_death_at_any_instant_leaves_no_trace_in_the_facts(tmp_path: Path, whole: Kept, seconds: float):
    killed_after(tmp_path, seconds, concurrency=1)
    assert resumed(tmp_path, concurrency=8) == whole


@pytest.mark.slow
@pytest.mark.parametrize("concurrency", [1, 8])
def test_death_at_fifty_instants_in_one_run_leaves_no_trace_in_the_facts(tmp_path: Path, whole: Kept, concurrency: int):
    for place, seconds in enumerate(instants(50)):
        killed_after(tmp_path / str(place % 10), seconds, concurrency=concurrency)
    assert [resumed(tmp_path / str(place)) for place in range(10)] == [whole] * 10


def test_a_history_of_states_survives_death(tmp_path: Path, whole: Kept, passings: dict[str, int]):
    killed(tmp_path, "ref.update.before", passings["ref.update.before"] // 2)
    resumed(tmp_path)
    subprocess.run(["git", "fsck", "--strict", "--full"], cwd=tmp_path / "states.git", check=True, capture_output=True)


# ---------------------------------------------------------------------------------------------- alike however run


def test_what_runs_at_once_never_changes_what_is_recorded(tmp_path: Path, whole: Kept):
    assert resumed(tmp_path, concurrency=8) == whole


def test_a_finished_run_that_is_run_again_stays_as_it_is(tmp_path: Path, whole: Kept):
    resumed(tmp_path)
    assert resumed(tmp_path) == whole


def test_a_study_in_memory_is_the_one_on_disk_row_for_row(whole: Kept):
    journal = small_study.in_memory()
    assert list(journal.facts()) == whole.facts
    assert journal.digest() == whole.digest


def test_every_lineage_can_be_read_under_its_name(whole: Kept):
    finals = {fact.path: fact.value["snapshot"] for fact in whole.facts if fact.kind == "final"}
    assert {name: at for name, at in whole.refs.items() if not name.endswith("/A0")} == finals
