"""Run the command line as a user would: in this process for speed, or in one of its own where that is the point."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from rung.cli import cli
from rung.cli._border import conduct

STUDY = """
name = "Small study"
protocol = "ladder"
seed = 3
lineages = 2

[agent]
kind = "phantom:narrow"
base = 0.2
rate = 0.4

[method]
name = "phantom"

[exam]
secret = "for tests"
baseline_repeats = 1

[tasks]
replay = { interval = 2, lag = 2 }
schedule = [{ family = "toy-lock-v1", difficulty = 1, count = 4, replay = true }]
holdout = [{ family = "toy-lock-v1", difficulty = 1, count = 3 }, { family = "toy-road-v1", difficulty = 1, count = 2 }]
"""

ATTEMPTS = 2 * 2 * (4 + 1) + (1 + 2) * 5
"""Two arms of two lineages with four tasks and a replay; A_0 once and two A_T at five exam tasks."""


@dataclass(frozen=True)
class Done:
    """A command that ended."""

    exit: int
    out: str
    err: str

    @property
    def last(self) -> str:
        return self.err.splitlines()[-1]


@pytest.fixture
def rung(capsys, monkeypatch, tmp_path) -> Callable[..., Done]:
    """Run a command line in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Done:
        capsys.readouterr()
        status = conduct(cli, arguments)
        said = capsys.readouterr()
        return Done(status, said.out, said.err)

    return run


@pytest.fixture
def shell(tmp_path) -> Callable[..., Done]:
    """Run a command line in a process of its own, in an empty folder."""

    def run(*arguments: str, before: Callable[[], None] | None = None, **environment: str) -> Done:
        done = subprocess.run(
            [command(), *arguments],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            preexec_fn=before,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


def command() -> str:
    """The `rung` that belongs to this Python."""
    beside = Path(sys.executable).with_name("rung")
    return str(beside) if beside.exists() else str(shutil.which("rung"))


@pytest.fixture
def study(tmp_path) -> Path:
    """A small study of a phantom, as a file."""
    file = tmp_path / "study.toml"
    file.write_text(STUDY)
    return file


@pytest.fixture
def finished(rung, study) -> str:
    """The folder of a run that is over."""
    assert rung("run", "study.toml", "--out", "done").exit == 0
    return "done"
