"""An exploring study that was killed ends, when it is run again, as if nothing had happened."""

import random
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from rung.core import crashpoints
from rung.core.crashpoints import LABELS, MODEL_LABELS
from rung.protocols import launch
from rung.store.journal import SqliteJournal

from . import explore_study

STUDY = [sys.executable, explore_study.__file__]
SECONDS = 2.0  # about how long the study takes


def digest(folder: Path) -> str:
    journal = SqliteJournal(folder / "journal.sqlite", read_only=True)
    try:
        return journal.digest()
    finally:
        journal.close()


@pytest.fixture(scope="module")
def passings(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, int]]:
    """The digest of the run that nobody disturbed, and how often it passed each label."""
    counted: Counter[str] = Counter()
    folder = tmp_path_factory.mktemp("whole")
    crashpoints.hook = lambda label: counted.update([label])
    try:
        launch.run(explore_study.config(), folder)
    finally:
        crashpoints.hook = None
    return digest(folder), dict(counted)


def killed(folder: Path, label: str, passes: int, *, concurrency: int = 1) -> int:
    command = [*STUDY, str(folder), str(concurrency), label, str(passes)]
    return subprocess.run(command, check=False, capture_output=True).returncode


def resumed(folder: Path, *, concurrency: int = 1) -> str:
    launch.run(explore_study.config(concurrency), folder)
    return digest(folder)


def test_every_place_where_a_crash_is_interesting_is_passed(passings: tuple[str, dict[str, int]]):
    assert set(passings[1]) == {*LABELS, *MODEL_LABELS}


def test_eight_at_once_come_to_the_same(tmp_path: Path, passings: tuple[str, dict[str, int]]):
    assert resumed(tmp_path, concurrency=8) == passings[0]


@pytest.mark.parametrize("label", ["snapshot.after", "call.answered"])
def test_death_leaves_no_trace_in_the_facts(tmp_path: Path, passings: tuple[str, dict[str, int]], label: str):
    whole, passed = passings
    assert killed(tmp_path, label, passed[label] // 2) == -signal.SIGKILL
    assert resumed(tmp_path) == whole


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.05, 0.35, 0.65, 0.95])
@pytest.mark.parametrize("label", [*LABELS, *MODEL_LABELS])
def test_death_anywhere_leaves_no_trace_in_the_facts(
    tmp_path: Path, passings: tuple[str, dict[str, int]], label: str, share: float
):
    whole, passed = passings
    concurrency = 8 if share > 0.5 else 1
    killed(tmp_path, label, max(1, int(share * passed[label])), concurrency=concurrency)
    assert resumed(tmp_path, concurrency=9 - concurrency) == whole


@pytest.mark.slow
def test_death_at_twenty_instants_of_one_run_leaves_no_trace(tmp_path: Path, passings: tuple[str, dict[str, int]]):
    rng = random.Random(7)
    for _ in range(20):
        with subprocess.Popen([*STUDY, str(tmp_path), "1"], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=SECONDS * rng.random())
            process.kill()
    assert resumed(tmp_path) == passings[0]
