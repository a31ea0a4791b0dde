"""An operator stops a cell of programs: it ends in order, says how it goes on, leaves nobody, and goes on."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rung.core.canonical import sha256
from rung.store.journal import SqliteJournal

from . import cell_study

pytestmark = pytest.mark.skipif(not Path("/proc/self/ns/user").exists(), reason="programs are confined on Linux")

SLEEPER = '''
"""Falls asleep over the first task of its working session, the first time; stubbornly, if it is told to be so."""
import os, signal, sys, time
from pathlib import Path
from rung_tasks import call, get_task

slept = Path(os.environ["HOME"], "slept")
if "Get better" in Path(sys.argv[1]).read_text() and not slept.exists():
    if os.environ["STUBBORN"] == "yes":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    get_task()
    slept.write_text("yes")
    print("asleep", flush=True)
    time.sleep(600)
while not (task := get_task()).get("done"):
    while call("answer", task["task"], value=1).get("ended") is False:
        pass
'''
WORK = "command/L1/work"


def prepared(folder: Path, *, stubborn: bool = False) -> None:
    """A config of a cell in a folder, and its program."""
    (folder / "agent").mkdir()
    (folder / "agent" / "agent.py").write_text(SLEEPER)
    road = {"family": "toy-road-v1", "difficulty": 1}
    agent = {
        "kind": "command",
        "command": ["python3", "/opt/rung/program/agent.py", "{instruction_file}"],
        "env": {"STUBBORN": "yes" if stubborn else "no"},
        "folder": "agent",
    }
    document = {
        "name": "stopped",
        "protocol": "cell",
        "lineages": 1,
        "agent": agent,
        "cell": {"sentinels": 0},
        "exam": {"repeats": 1, "baseline_repeats": 1},
        "tasks": {"schedule": [{**road, "count": 2}], "holdout": [{**road, "count": 1}]},
    }
    (folder / "cell.json").write_text(json.dumps(document))


@dataclass
class Stopped:
    """How a run ended that was stopped while its program slept."""

    status: int
    survivors: str
    errors: str


def stopped(folder: Path, stop: Callable[[int, Path], None]) -> Stopped:
    """Run it until its program sleeps, stop it in a way that is given its process, and wait for its end."""
    command = [sys.executable, cell_study.__file__, str(folder), "rung", "run", "cell.json", "--out", "run"]
    errors = folder / "errors"
    with errors.open("w") as told, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, text=True) as process:
        assert process.stdout is not None
        instrument = int(process.stdout.readline().split()[1])
        heard = folder / "run" / "sessions" / sha256(WORK)[:16] / "out-0001.txt"
        until(process, lambda: heard.exists() and "asleep" in heard.read_text())
        stop(instrument, errors)
        said = process.stdout.read()
    return Stopped(process.returncode, said.partition("survivors ")[2].split("\n")[0], errors.read_text())


def until(process: "subprocess.Popen[str]", seen: Callable[[], bool]) -> None:
    while not seen():
        assert process.poll() is None, "it ended before that"
        time.sleep(0.05)


def resumed(folder: Path) -> int:
    command = [sys.executable, cell_study.__file__, str(folder), "rung", "run", "cell.json", "--out", "run"]
    return subprocess.run(command, capture_output=True, check=False).returncode


def facts(folder: Path, kind: str) -> dict[str, Any]:
    journal = SqliteJournal(folder / "run" / "journal.sqlite", read_only=True)
    try:
        return {fact.path: fact.value for fact in journal.facts(kind=kind)}
    finally:
        journal.close()


def by_command(instrument: int, errors: Path) -> None:
    words = ["-c", "from rung.cli import main; main()", "stop", str(errors.parent / "run")]
    subprocess.run([sys.executable, *words], check=True, capture_output=True)


def by_signal(number: int) -> Callable[[int, Path], None]:
    return lambda instrument, errors: os.kill(instrument, number)


@pytest.mark.parametrize(
    "stop",
    [by_command, by_signal(signal.SIGINT), by_signal(signal.SIGTERM)],
    ids=["rung stop", "Ctrl-C", "SIGTERM"],
)
def test_a_stop_ends_a_session_in_order_and_it_is_gone_on_with(tmp_path: Path, stop: Callable[[int, Path], None]):
    prepared(tmp_path)
    found = stopped(tmp_path, stop)
    assert (found.status, found.survivors) == (130, "")
    assert "a stop was requested" in found.errors
    assert found.errors.rstrip().splitlines()[-1].strip() == "rung run cell.json --out run"
    assert facts(tmp_path, "interrupted")[f"{WORK}/leg/0001"]["ending"] == "operator"
    assert facts(tmp_path, "departed")[f"{WORK}/leg/0001"]["departed"]["asked"] == "operator"
    assert WORK not in facts(tmp_path, "ended")
    goes_on(tmp_path)


def test_ctrl_c_twice_stops_at_once_and_it_is_gone_on_with(tmp_path: Path):
    def twice(instrument: int, errors: Path) -> None:
        os.kill(instrument, signal.SIGINT)
        while "press Ctrl-C again" not in errors.read_text():
            time.sleep(0.02)
        os.kill(instrument, signal.SIGINT)

    prepared(tmp_path, stubborn=True)
    found = stopped(tmp_path, twice)
    assert (found.status, found.survivors) == (130, "")
    assert "stopped at once; what was committed is kept" in found.errors
    assert found.errors.rstrip().splitlines()[-1].strip() == "rung run cell.json --out run"
    assert f"{WORK}/leg/0001" not in facts(tmp_path, "departed")
    goes_on(tmp_path)


def goes_on(folder: Path) -> None:
    """That it goes on in the home it left, with the task that was in flight."""
    assert resumed(folder) == 0
    assert facts(folder, "ended")[WORK]["ending"] == "queue_empty"
    assert sorted(path for path in facts(folder, "began") if path.startswith(WORK)) == [
        f"{WORK}/leg/0001",
        f"{WORK}/leg/0002",
    ]
    sealed = facts(folder, "sealed")
    assert [sealed[f"{WORK}/{place:04d}"]["status"] for place in (1, 2)] == ["completed"] * 2
    assert "exam/command.L1/0001/1" in sealed
