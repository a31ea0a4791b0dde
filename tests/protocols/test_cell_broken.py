"""Something around a program breaks while it runs: that session is a fault, or its record incomplete, and says so; all
others go on."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rung.core.canonical import sha256
from rung.core.errors import InstrumentFault, ModelUnusable, StoreFault

from .programs import Run, config, fine, refusing

pytestmark = pytest.mark.skipif(not Path("/proc/self/ns/user").exists(), reason="programs are confined on Linux")

WORK = "command/L1/work"
ASLEEP = Path("sessions") / sha256(WORK)[:16] / "out-0001.txt"
NURSERY, WATCHERS = "rung.backends.sandbox.nursery", "rung.backends.network.watch"


def below(pid: int) -> Iterator[int]:
    """The processes that a process has started and that are still there."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        yield from map(int, (task / "children").read_text().split())


def said(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def source(of: str) -> int:
    """The newest process of ours that others of a kind are forked from."""
    return [pid for pid in below(os.getpid()) if of in said(pid)][-1]


def broken(found: Run, do: Callable[[], None]) -> Run:
    """Run a cell, and do something to it when its program has worked a task in its working session and sleeps."""
    errors: list[Exception] = []

    def when_asleep() -> None:
        try:
            heard = found.folder / "run" / ASLEEP
            while not (heard.exists() and "has ended" in heard.read_text()):
                time.sleep(0.05)
            do()
        except Exception as error:  # noqa: BLE001 (raised below, in the test)
            errors.append(error)

    other = threading.Thread(target=when_asleep, daemon=True)
    other.start()
    try:
        return found.run()
    finally:
        other.join()
        assert not errors, errors


def kill(pids: Iterator[int] | list[int], number: int = signal.SIGKILL) -> None:
    for pid in list(pids):
        os.kill(pid, number)


def naps(folder: Path, **changes: Any) -> Run:
    """A cell whose program sleeps for a moment after its first task, and then goes on."""
    return Run(folder, config(WORK="naps", **changes))


# ---------------------------------------------------------------------------------------------- processes


def test_a_session_whose_keeper_is_killed_is_a_fault_and_the_others_go_on(tmp_path: Path):
    found = broken(naps(tmp_path, lineages=2), lambda: kill(below(source(NURSERY))))
    ended = found.facts("ended")
    assert ended[WORK]["ending"] == "instrument_fault"
    assert "left" not in ended[WORK]
    assert found.facts("sealed", WORK)[f"{WORK}/0001"]["status"] == "completed", "what was finished is kept"
    assert any("no after-exam, its session broke" in hole for hole in found.report().incomplete)
    assert not found.facts("sealed", "exam/command.L1")
    assert len(found.facts("sealed", "exam/command.L2")) == 2


@pytest.mark.parametrize("who", [NURSERY, WATCHERS])
def test_where_keepers_and_recorders_come_from_is_killed_and_comes_again(tmp_path: Path, who: str):
    found = broken(naps(tmp_path), lambda: kill([source(who)]))
    assert (found.ending, found.worked) == ("queue_empty", 4)
    assert found.report().incomplete == ()
    assert not any(value["network"]["incomplete"] for value in found.facts("departed").values())


def test_a_session_whose_recorder_is_killed_goes_on_with_a_record_that_says_so(tmp_path: Path):
    found = broken(naps(tmp_path), lambda: kill(below(source(WATCHERS))))
    assert (found.ending, found.worked) == ("queue_empty", 4)
    lost = [path for path, value in found.facts("departed").items() if value["network"]["incomplete"]]
    assert lost == [f"{WORK}/leg/0001"]
    programs = found.report().programs
    assert programs is not None
    assert programs.unseen == 1
    assert programs.sessions[0].egress.startswith("no statement: the record is incomplete")
    assert len(found.facts("sealed", "exam")) == 4


@pytest.mark.slow
def test_a_recorder_that_hangs_holds_up_no_look_at_its_program(tmp_path: Path):
    def do() -> None:
        kill(below(source(WATCHERS)), signal.SIGSTOP)

    found = broken(Run(tmp_path, config(WORK="sleep", cell={"stall_seconds": 9.0})), do)
    assert (found.ending, found.worked) == ("stalled", 1)
    assert found.facts("departed", WORK)[f"{WORK}/leg/0001"]["network"]["incomplete"]


# ---------------------------------------------------------------------------------------------- places


def test_a_disk_that_takes_no_more_of_what_is_printed_ends_the_run_with_a_mend_and_it_goes_on(tmp_path: Path):
    found = Run(tmp_path, config(WORK="asks"), refusing(401))
    with pytest.raises(ModelUnusable):
        found.run()
    full = (tmp_path / "run" / ASLEEP).with_name("out-0002.txt")
    full.symlink_to("/dev/full")
    found.brain = fine
    with pytest.raises(StoreFault, match=r"what a program prints cannot be kept .*No space left.*; free some space"):
        found.run()
    full.unlink()
    found.run()
    assert (found.ending, found.worked) == ("queue_empty", 4)
    assert len(found.facts("began", WORK)) == 3


def test_a_program_that_vanishes_stops_its_exam_early_and_goes_on_when_it_is_there_again(tmp_path: Path):
    found = Run(tmp_path, config(WORK="naps", exam={"repeats": 5}))
    folder, aside = tmp_path / "agent", tmp_path / "aside"
    with pytest.raises(InstrumentFault, match="6 attempts at the exam broke on end: the sandbox could not be made"):
        broken(found, lambda: folder.rename(aside))
    assert len(found.facts("excused")) == 6
    assert found.ending == "queue_empty"
    found.run()  # which puts the program back
    assert len(found.facts("sealed", "exam/command.L1")) == 6 + 10
    assert found.report().incomplete == ()
