"""An instrument that is killed, at any moment, takes its programs with it."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import rung
from backends.sandbox import users
from backends.sandbox.confining import living

AT_ONCE = (0, 3, 8, 20)
"""Milliseconds after which the instrument is killed; the slow suite tries every quarter of one up to 50."""


def killed(kind: str, mark: str, when: str, milliseconds: float) -> None:
    """Kill an instrument so long after it said `now`, and see that nothing stays of it."""
    command = [sys.executable, "-m", "backends.sandbox.instrument", kind, mark, when]
    with subprocess.Popen(command, env=users.environment(), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"now\n"
        select.select([], [], [], milliseconds / 1000)
        process.send_signal(signal.SIGKILL)
    gone(f"\0{process.pid}\0{Path(rung.__file__).parent}")  # what keeps programs, and may be starting one
    assert living(mark) == []


def gone(word: str) -> None:
    """Wait until every process with this word in its command line has ended by itself."""
    while left := living(word):
        for pid in left:
            with suppress(ProcessLookupError):
                end = os.pidfd_open(pid)
                assert select.select([end], [], [], 20)[0], f"process {pid} outlived the instrument"
                os.close(end)


@pytest.mark.parametrize("kind", ["bubblewrap", "unsafe"])
def test_an_instrument_that_is_killed_leaves_no_process(kind: str):
    killed(kind, f"mark-{os.getpid()}-{kind}", "late", 0)


@pytest.mark.parametrize("milliseconds", AT_ONCE)
def test_nor_while_it_starts_one(milliseconds: float):
    killed("bubblewrap", f"mark-{os.getpid()}-{milliseconds}", "early", milliseconds)


@pytest.mark.slow
def test_nor_at_any_moment_of_a_start(repetitions: Callable[[int], int]):
    """200 starts, each killed a quarter of a millisecond later than the one before."""
    number = repetitions(200)
    for n in range(number):
        killed("bubblewrap", f"mark-{os.getpid()}-{n}", "early", 50 * n / number)
