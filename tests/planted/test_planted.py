"""When the suite is green, plant a bug and see it go red: each in a copy of the sources, noticed by the tests named.

All of them take minutes, so each is planted in the slow suite, of which CI does a tenth; that each can be is seen here.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .audit_bugs import AUDIT_BUGS
from .bugs import BUGS, Bug
from .cell_bugs import CELL_BUGS
from .explore_bugs import EXPLORE_BUGS
from .method_bugs import METHOD_BUGS
from .semantics_bugs import SEMANTICS_BUGS

ROOT = Path(__file__).parents[2]
PYTEST = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider"]
ALL = (*BUGS, *CELL_BUGS, *AUDIT_BUGS, *EXPLORE_BUGS, *METHOD_BUGS, *SEMANTICS_BUGS)
LONGEST = 600
"""Seconds of one run of pytest. A bug that makes its tests go on for ever is a mistake in its description too."""
GREEN, RED = 0, 1  # any other exit status of pytest is a mistake in a bug's description


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources, with their times, so that compiled files stay good."""
    return Path(shutil.copytree(ROOT / "src", tmp_path_factory.mktemp("planted") / "src"))


@contextmanager
def planted(copy: Path, bug: Bug) -> Iterator[None]:
    file = copy / "rung" / bug.file
    sound = file.read_text()
    assert sound.count(bug.old) == 1, f"{bug.file} holds {sound.count(bug.old)} times {bug.old!r}; mend the bug"
    try:
        file.write_text(sound.replace(bug.old, bug.new))
        yield
    finally:
        shutil.copy2(ROOT / "src" / "rung" / bug.file, file)


def run(copy: Path, tests: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [*PYTEST, *tests], cwd=ROOT, env=environment, check=False, capture_output=True, text=True, timeout=LONGEST
    )


@pytest.mark.parametrize("bug", ALL, ids=lambda bug: bug.breaks)
def test_a_bug_stands_where_it_can_be_planted(bug: Bug):
    assert (ROOT / "src" / "rung" / bug.file).read_text().count(bug.old) == 1
    assert bug.old != bug.new
    assert all((ROOT / test.partition("::")[0]).is_file() for test in bug.tests)


@pytest.mark.slow
@pytest.mark.parametrize("bug", ALL, ids=lambda bug: bug.breaks)
def test_a_planted_bug_is_noticed(copy: Path, bug: Bug):
    with planted(copy, bug):
        done = run(copy, list(bug.tests))
    assert done.returncode == RED, done.stdout + done.stderr


@pytest.mark.slow
def test_without_a_bug_the_same_tests_are_green(copy: Path):
    done = run(copy, sorted({test for bug in ALL for test in bug.tests}))
    assert done.returncode == GREEN, done.stdout + done.stderr


def test_a_planted_run_sees_the_copy_and_not_the_sources(copy: Path):
    seen = subprocess.run(
        [sys.executable, "-c", "import rung; print(rung.__file__)"],
        env={**os.environ, "PYTHONPATH": str(copy)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert Path(seen.stdout.strip()).is_relative_to(copy)
