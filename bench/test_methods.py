"""What refining costs beside its model and its sandbox. Aims: 50 ms a refinement with all that the study does for it; a
commit of 200 files with 10 changed in half the time of `git add -A && git commit`."""

import asyncio
import statistics
import subprocess
import time
from pathlib import Path

import pytest

from rung.core.config import parse
from rung.core.surface import Surface
from rung.core.values import Candidate, FeedbackResult, State, Step
from rung.protocols import launch, surface, wiring
from rung.store.journal import SqliteJournal
from rung.store.snapshots import JournalSnapshots
from rung.testing.improvers import competent, roles
from rung.testing.lessons import Lesson
from rung.testing.models import Provided

LESSON = Lesson()
LOCK = {"family": "toy-lock-v1", "difficulty": 1}
MOST = 0.050
METHODS = {
    "reflexion": {"name": "reflexion"},
    "ace": {"name": "ace"},
    "ahe": {"name": "ahe"},
    "hyperagents": {"name": "hyperagents", "variant": "direct"},
}


@pytest.mark.parametrize("method", METHODS)
def test_a_refinement_costs_little_beside_its_model(tmp_path: Path, method: str):
    wanted = parse(
        {
            "name": "bench",
            "protocol": "ladder",
            "lineages": 1,
            "agent": {"kind": "chat", "model": "scripted/function"},
            "method": METHODS[method],
            "exam": {"secret": "s"},
            "tasks": {"schedule": [{**LOCK, "count": 30}], "holdout": [{**LOCK, "count": 1}]},
        }
    )
    model = Provided(roles(competent(LESSON), LESSON.acting))
    run = launch.run(wanted, tmp_path / "run", arms=wiring.arms(wanted, models={model.id: model}))
    journal = SqliteJournal(run.journal)
    took = [float(note.value) for note in journal.observations(under=method, name="refine_seconds")]
    journal.close()
    print(f"\n{method}: median {1000 * statistics.median(took):.1f} ms, most {1000 * max(took):.1f} ms")  # noqa: T201
    assert len(took) == 30
    assert statistics.median(took) <= MOST


def files(changed: int) -> dict[str, bytes]:
    """A state of 200 files, the first ten of them with another text in them."""
    text = "def f(x):\n    return x\n" * 60
    named = {f"agent/tools/t{n}.py": f"# {n}\n{text}" for n in range(200)}
    return {path: (f"# {changed}\n{text}" if n < 10 else text).encode() for n, (path, text) in enumerate(named.items())}


def test_two_hundred_files_with_ten_changed_are_looked_through():
    held = surface.Held({f"{n:020x}" for n in range(5_000)})
    answer = tuple(Step(n, "", (), f"Answer: {n * 7919}", "") for n in range(2_000))
    held.hear("main/L1", [FeedbackResult("h", {"family": "toy-lock-v1", "rules": ""}, answer, None)])
    before, after = State(files(0)), Candidate("a", State(files(1)))
    took = []
    for _ in range(20):
        began = time.perf_counter()
        assert surface.violations(before, after, Surface(), held, "main/L1") == ()
        took.append(time.perf_counter() - began)
    print(f"\nlooked through in {1000 * statistics.median(took):.1f} ms")  # noqa: T201
    assert statistics.median(took) <= MOST


def test_a_commit_of_two_hundred_files_with_ten_changed_against_git(tmp_path: Path):
    journal = SqliteJournal(tmp_path / "journal.sqlite")
    snapshots, loop = JournalSnapshots(journal, tmp_path / "states.git"), asyncio.new_event_loop()
    repository = tmp_path / "plain"
    repository.mkdir()
    git("init", "-q", at=repository)
    parent = snapshots.put(State(files(0)), parent=None, message="A_0")
    committed(repository, files(0))
    ours, theirs = [], []
    for number in range(1, 16):  # in turns, so that what else the machine does falls on both
        state = State(files(number))
        began = time.perf_counter()
        parent = snapshots.put(state, parent=parent, message="step")
        loop.run_until_complete(journal.flush(durable=False))
        snapshots.point("main/L1", parent)
        ours.append(time.perf_counter() - began)
        theirs.append(committed(repository, {path: state.files[path] for path in list(state.files)[:10]}))
    loop.close()
    journal.close()
    mine, plain = statistics.median(ours), statistics.median(theirs)
    print(f"\n{1000 * mine:.1f} ms, git {1000 * plain:.1f} ms, {mine / plain:.2f}")  # noqa: T201
    assert mine <= plain / 2


def committed(repository: Path, changed: dict[str, bytes]) -> float:
    """Seconds of `git add -A && git commit` after these files were written."""
    for path, data in changed.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_bytes(data)
    began = time.perf_counter()
    git("add", "-A", at=repository)
    git("commit", "-q", "-m", "step", at=repository)
    return time.perf_counter() - began


def git(*arguments: str, at: Path) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=at, check=True, capture_output=True)
