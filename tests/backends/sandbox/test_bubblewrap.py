"""What is bubblewrap's own. What every confiner promises is in test_confined.py."""

import asyncio
from pathlib import Path

import pytest

from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.core.confined import Bind, Bounds, Program
from rung.core.errors import InstrumentFault, UsageError

ENV = {"PATH": "/usr/bin:/bin"}


def test_this_machine_can_hold_a_program():
    found = Bubblewrap().probe()
    assert found.missing == ()
    assert found.forks == "overlay"


def test_a_program_that_is_not_there_is_no_ending_of_it():
    with pytest.raises(InstrumentFault, match="no program 'nope' in the sandbox"):
        asyncio.run(Bubblewrap().start(Program(("nope",), ENV)))


@pytest.mark.parametrize("inside", ["/", "/usr", "workspace", "/a/../usr", "/proc"])
def test_a_mount_has_a_place_of_its_own(inside: str, tmp_path: Path):
    with pytest.raises(UsageError, match="plain absolute path"):
        asyncio.run(Bubblewrap().start(Program(("true",), ENV, (Bind(tmp_path, inside),))))


def test_a_bound_of_none_is_held_by_nobody():
    async def ended():
        async with await Bubblewrap().start(Program(("true",), ENV, bounds=Bounds(memory_mb=None))) as held:
            await held.release()
            return await held.wait()

    by = asyncio.run(ended()).enforced_by
    assert "memory_mb" not in by
    assert (by["processes"], by["written_mb"], by["memfd"]) == ("rlimit", "watchdog", "nobody")
