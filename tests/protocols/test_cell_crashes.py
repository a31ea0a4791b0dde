"""The instrument dies in a cell of real programs: nothing is left of them, and running again ends as if nothing had
been. What may differ is said here, and nothing else does: the legs of what was cut off, the attempts that were in
flight, which are faults of nobody, and their repetitions."""

import os
import random
import re
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rung.core.canonical import sha256
from rung.core.crashpoints import HOME_LABELS, LABELS, LEG_LABELS, READ_LABEL
from rung.protocols.sittings import INTERRUPTED
from rung.store.journal import SqliteJournal

from . import cell_study
from .test_resume import hooked, number

pytestmark = pytest.mark.skipif(not Path("/proc/self/ns/user").exists(), reason="programs are confined on Linux")

STUDY = [sys.executable, cell_study.__file__]
NEVER = ("ref.update.before", "ref.update.after", "snapshot.before", "snapshot.after", "reply.after")
"""Those of the labels that are for methods and their states, and for agents that are asked: a cell has none."""
PASSED = [label for label in (*LABELS, *HOME_LABELS, READ_LABEL, *LEG_LABELS) if label not in NEVER]
SECONDS = 4.0  # about how long the study takes
AGAIN = re.compile(r"/again/\d+")
Facts = dict[tuple[str, str], Any]


def facts(folder: Path) -> Facts:
    journal = SqliteJournal(folder / "run" / "journal.sqlite", read_only=True)
    try:
        return {(fact.path, fact.kind): fact.value for fact in journal.facts()}
    finally:
        journal.close()


def begun(folder: Path) -> Facts:
    """What is on record after a death, if the run had come to have a record."""
    return facts(folder) if (folder / "run" / "journal.sqlite").exists() else {}


def settled(found: Facts) -> Facts:
    """What must be equal however often a run was cut off: all but the legs, and of an exam place its last attempt."""
    kept: Facts = {}
    for (path, kind), value in found.items():
        at = AGAIN.sub("", path)
        last = (
            max((other for other, _ in found if AGAIN.sub("", other) == at), key=_rerun) if "/again" in path else path
        )
        if "/leg/" in path or (path == at and _cut_off(found, path)) or path != last:
            continue
        value = {name: each for name, each in value.items() if name != "handle"} if kind == "served" else value
        value = {name: each for name, each in value.items() if name != "detail"} if kind == "ended" else value
        kept[at, kind] = value
    return kept


def _rerun(path: str) -> int:
    found = AGAIN.search(path)
    return int(found[0].rsplit("/", 1)[1]) if found else 0


def _cut_off(found: Facts, path: str) -> bool:
    attempt = path.split("/step/")[0]
    fault = found.get((attempt, "sealed"), {}).get("fault")
    return fault is not None and fault["where"] == INTERRUPTED


@dataclass(frozen=True)
class Death:
    """What the instrument left when it died: its status, what still lived, and what was on record."""

    status: int
    survivors: str
    record: Facts


def died(folder: Path, label: str, passes: int, *, concurrency: int = 1) -> Death:
    """The instrument is to die at the n-th passing of a label."""
    command = [*STUDY, str(folder), str(concurrency), label, str(passes)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return Death(done.returncode, done.stdout.partition("survivors ")[2].strip(), begun(folder))


def killed(folder: Path, seconds: float, *, concurrency: int) -> Death:
    """The instrument is killed some time after it began."""
    with subprocess.Popen([*STUDY, str(folder), str(concurrency)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        instrument = int(process.stdout.readline().split()[1])
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=seconds)
        with suppress(ProcessLookupError):
            os.kill(instrument, signal.SIGKILL)
        said = process.stdout.read()
    return Death(process.returncode, said.partition("survivors ")[2].strip(), begun(folder))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """The run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    cell_study.run(folder)
    return facts(folder)


@pytest.fixture(scope="module")
def passings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """How often each label is passed in a whole run."""
    counted: Counter[str] = Counter()
    with hooked(counted):
        cell_study.run(tmp_path_factory.mktemp("counted"))
    return dict(counted)


def check(folder: Path, deaths: list[Death], whole: Facts, *, concurrency: int = 1) -> None:
    """That nothing survived any death, and that the run goes on to what it would have been without them."""
    assert [death.survivors for death in deaths] == [""] * len(deaths)
    cell_study.run(folder, concurrency)
    found = facts(folder)
    assert settled(found) == settled(whole)
    for death in deaths:
        assert {key: value for key, value in found.items() if key in death.record} == death.record
        _none_again(folder, found, death.record)


def _none_again(folder: Path, found: Facts, record: Facts) -> None:
    """No exam attempt whose task was served before a death was given to another program, and no finished task is
    handed to anybody after it."""
    for path, kind in record:
        if kind == "served" and path.startswith("exam/"):
            assert _legs(found, path) == _legs(record, path), path
    for path in [path for path, kind in found if kind == "began" and "/work/leg/" in path]:
        session, leg = path.rsplit("/leg/", 1)
        if (path, "began") in record:
            continue
        handed = _printed(folder, session, leg)
        over = {
            value["handle"] for (at, kind), value in record.items() if kind == "served" and (at, "sealed") in record
        }
        assert not handed & over, path


def _legs(found: Facts, session: str) -> int:
    return sum(kind == "began" and path.startswith(f"{session}/leg/") for path, kind in found)


def _printed(folder: Path, session: str, leg: str) -> set[str]:
    place = folder / "run" / "sessions" / sha256(session)[:16] / f"out-{leg}.txt"
    return {line.split()[1] for line in place.read_text().splitlines()}


# ---------------------------------------------------------------------------------------------- at labelled places


def test_every_labelled_place_of_a_cell_is_passed(passings: dict[str, int]):
    assert sorted(passings) == sorted(PASSED)


def test_what_runs_at_once_never_changes_what_is_recorded(tmp_path: Path, whole: Facts):
    cell_study.run(tmp_path, 4)
    assert facts(tmp_path) == whole


QUICK = [("leg.released", 4), ("leg.ended", 1), ("leg.ended", 3), ("leg.departed", 4)]
"""The legs in their order: two of the before-exam, one of each lineage, and five of the after-exam."""


@pytest.mark.parametrize(("label", "leg"), QUICK)
def test_death_in_a_leg_leaves_nobody_and_no_trace(tmp_path: Path, whole: Facts, label: str, leg: int):
    death = died(tmp_path, label, leg)
    assert death.status == -signal.SIGKILL % 256
    check(tmp_path, [death], whole)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["first", "middle", "last"])
@pytest.mark.parametrize("label", PASSED)
def test_death_at_a_labelled_place_leaves_nobody_and_no_trace(
    tmp_path: Path, whole: Facts, passings: dict[str, int], label: str, where: str
):
    death = died(tmp_path, label, number(where, passings[label]))
    assert death.status == -signal.SIGKILL % 256
    check(tmp_path, [death], whole)


@pytest.mark.slow
@pytest.mark.parametrize("label", PASSED)
def test_death_with_four_at_once_leaves_nobody_and_no_trace_either(
    tmp_path: Path, whole: Facts, passings: dict[str, int], label: str
):
    death = died(tmp_path, label, max(1, passings[label] // 4), concurrency=4)
    assert death.status == -signal.SIGKILL % 256
    check(tmp_path, [death], whole, concurrency=4)


def test_death_over_and_over_is_no_worse(tmp_path: Path, whole: Facts):
    labels = ["served.after", "home.forked.after", "leg.ended", "leg.departed"]
    deaths = [died(tmp_path, label, 1, concurrency=4) for label in labels]
    assert {death.status for death in deaths} == {-signal.SIGKILL % 256}
    check(tmp_path, deaths, whole, concurrency=4)


# ---------------------------------------------------------------------------------------------- at any instant


def instants(count: int) -> list[float]:
    rng = random.Random(7)
    return [round(SECONDS * rng.random(), 3) for _ in range(count)]


@pytest.mark.parametrize("seconds", instants(1))
def test_death_at_an_instant_leaves_nobody_and_no_trace(tmp_path: Path, whole: Facts, seconds: float):
    check(tmp_path, [killed(tmp_path, seconds, concurrency=4)], whole, concurrency=4)


@pytest.mark.slow
@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("seconds", instants(20))
def test_death_at_any_of_twenty_instants_leaves_nobody_and_no_trace(
    tmp_path: Path, whole: Facts, seconds: float, concurrency: int
):
    check(tmp_path, [killed(tmp_path, seconds, concurrency=concurrency)], whole, concurrency=concurrency)
