"""What is bubblewrap's own. What every confiner promises is in test_confined.py."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from backends.sandbox.confining import python, ran
from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.core.confined import Bind, Bounds, Fork, Program
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


@pytest.mark.parametrize(
    "program",
    [
        Program(("true",), {"A": "x\0--bind\0/\0/host"}),
        Program(("true\0",), ENV),
        Program(("true",), ENV, cwd="/\0"),
        Program(("true",), ENV, (Bind(Path("/tmp\0--bind"), "/x"),)),
    ],
)
def test_no_value_can_become_an_option(program: Program):
    with pytest.raises(UsageError, match="zero byte"):
        asyncio.run(Bubblewrap().start(program))


def test_a_bound_of_none_is_held_by_nobody():
    async def ended():
        async with await Bubblewrap().start(Program(("true",), ENV, bounds=Bounds(memory_mb=None))) as held:
            await held.release()
            return await held.wait()

    by = asyncio.run(ended()).enforced_by
    assert "memory_mb" not in by
    assert (by["processes"], by["written_mb"], by["memfd"]) == ("rlimit", "watchdog", "nobody")


@pytest.mark.parametrize("forks", ["overlay", "copy"])
def test_a_fork_is_the_same_where_there_is_no_overlay(forks: Literal["overlay", "copy"], tmp_path: Path):
    for name in ("lower", "upper"):
        (tmp_path / name).mkdir()
    (tmp_path / "lower" / "base").write_text("base")
    confiner = Bubblewrap()
    confiner._found = replace(confiner.probe(), forks=forks)
    fork = Fork(tmp_path / "lower", tmp_path / "upper", "/workspace")
    code = "import os; print(open('base').read()); os.remove('base'); open('new', 'w').write('new')"
    assert ran(confiner, python(code, fork, cwd="/workspace")).out == "base\n"
    assert ran(confiner, python("import os; print(os.listdir())", fork, cwd="/workspace")).out == "['new']\n"
    assert (tmp_path / "lower" / "base").read_text() == "base"


def test_a_home_whose_owner_is_another_user_is_the_program_s_own_inside(tmp_path: Path):
    (tmp_path / "lower" / "in").mkdir(parents=True)
    (tmp_path / "upper").mkdir()
    (tmp_path / "lower" / "in" / "f").write_text("a")
    (tmp_path / "lower" / "in").chmod(0o700)
    code = "import os; print(os.stat('in').st_uid, os.stat('in/f').st_gid); open('in/f', 'a').write('b')"
    fork = Fork(tmp_path / "lower", tmp_path / "upper", "/workspace")
    seen = ran(Bubblewrap(), python(code, fork, cwd="/workspace"))
    assert (seen.out, seen.err) == ("1000 1000\n", "")
    assert (tmp_path / "upper" / "in" / "f").read_text() == "ab"
