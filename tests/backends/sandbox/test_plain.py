"""Commands in a fresh folder. A program here is Python, which is found whatever the caller's PATH is."""

import asyncio
import os
import select
import sys
from pathlib import Path

import pytest

from rung.backends.sandbox.plain import KEPT, Plain
from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Ran

AMPLE = 60.0


def ran(*argv: str, seconds: float = AMPLE, stdin: bytes = b"", **files: bytes) -> Ran:
    named = {name.replace("_", "."): data for name, data in files.items()}
    return asyncio.run(Plain().run(argv, files=named, seconds=seconds, stdin=stdin))


def program(code: str, **more: object) -> Ran:
    return ran("python3", "main.py", main_py=code.encode(), **more)


def test_a_command_is_heard_and_its_status_is_told():
    seen = program("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert seen == Ran(3, b"out\n", b"err\n", late=False)


def test_it_reads_what_it_is_given():
    assert program("import sys; print(sys.stdin.read()[::-1], end='')", stdin=b"abc").out == b"cba"


def test_what_it_does_not_read_holds_nothing_up():
    assert program("", stdin=b"x" * 1_000_000).status == 0


def test_its_files_lie_in_its_folder_and_nothing_else_does():
    seen = program("import os; print(sorted(os.listdir('.')), open('data.txt').read())", data_txt=b"seven")
    assert seen.out == b"['data.txt', 'main.py'] seven\n"


def test_a_file_in_a_folder_finds_its_place():
    files = {"in/side.txt": b"1", "main.py": b"print(open('in/side.txt').read())"}
    assert asyncio.run(Plain().run(["python3", "main.py"], files=files, seconds=AMPLE)).out == b"1\n"


def test_a_file_of_its_own_may_be_the_command():
    assert ran("./hello.sh", hello_sh=b"#!/bin/sh\nexit 4\n").status == 4


def test_nothing_is_left_of_its_folder():
    folder = program("import os; open('new', 'w').close(); os.mkdir('d'); os.chmod('d', 0); print(os.getcwd())").out
    assert not Path(folder.decode().strip()).exists()


def test_it_knows_path_home_and_lang_and_nothing_else(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("A_KEY_OF_THE_CALLER", "secret")
    code = "import os; print(sorted(set(os.environ) - {'LC_CTYPE', '__CF_USER_TEXT_ENCODING'}))"
    code += "; print(os.path.realpath(os.environ['HOME']) == os.path.realpath('.'), os.environ['LANG'])"
    assert program(code).out == b"['HOME', 'LANG', 'PATH']\nTrue C.UTF-8\n"


def test_python3_is_the_python_that_runs_rung(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert program("import sys; print(sys.prefix)").out.decode().strip() == sys.prefix


def test_no_shell_looks_at_a_command():
    seen = ran("python3", "-c", "import sys; print(sys.argv[1:])", "$(id)", "; exit 1", "*")
    assert seen.out == b"['$(id)', '; exit 1', '*']\n"


def test_one_that_takes_too_long_is_late_and_has_no_status():
    seen = program("print('begun', flush=True); import signal; signal.pause()", seconds=1.5)
    assert (seen.status, seen.late) == (None, True)


def test_one_that_a_signal_ended_has_no_status_and_is_not_late():
    seen = program("import os; os.kill(os.getpid(), 9)")
    assert (seen.status, seen.late) == (None, False)


def rest_of(pipe: int) -> bytes:
    """What is left in a pipe that ends; one that does not end within a minute has a writer that lives."""
    ended, _, _ = select.select([pipe], [], [], AMPLE)
    assert ended, "somebody still holds the other end"
    rest = os.read(pipe, 1)
    os.close(pipe)
    return rest


CHILD = """
import os, signal
ready, told = os.pipe()
if os.fork() == 0:
    held = open({pipe!r}, "w")
    os.write(told, b"1")
    signal.pause()
os.read(ready, 1)
"""


def test_a_child_that_is_left_behind_is_killed_and_holds_nothing_up(tmp_path: Path):
    """The child holds the command's standard output too. A pipe ends when nobody lives who could write into it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert program(CHILD.format(pipe=str(pipe))).status == 0
    assert rest_of(reader) == b""


def test_the_last_of_a_flood_is_kept():
    seen = program(f"import sys; sys.stdout.write('x' * {40 * KEPT}); print('the end')")
    assert len(seen.out) == KEPT
    assert seen.out.endswith(b"xthe end\n")


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (["no-such-program-anywhere"], "'no-such-program-anywhere' cannot be started: No such file or directory"),
        (["./plain.txt"], "'./plain.txt' cannot be started: Exec format error"),
        (["python3", "a\0b"], "'python3' cannot be started: embedded null byte"),
    ],
)
def test_what_cannot_be_started_is_a_fault_of_the_instrument(argv: list[str], reason: str):
    with pytest.raises(InstrumentFault) as caught:
        ran(*argv, plain_txt=b"no program\n")
    assert (caught.value.where, caught.value.detail) == ("sandbox", reason)


@pytest.mark.parametrize("name", ["/etc/passwd", "../up", "a/../../up", "a//b", "", "."])
def test_a_file_cannot_lie_outside_the_folder(name: str):
    with pytest.raises(UsageError, match="by a plain path"):
        asyncio.run(Plain().run(["python3"], files={name: b""}, seconds=AMPLE))


def test_a_caller_who_goes_away_leaves_no_process(tmp_path: Path):
    """The pipe ends when the process that holds its other end is gone."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = f"import signal; held = open({str(pipe)!r}, 'w'); held.write('x'); held.flush(); signal.pause()"

    async def leave() -> bytes:
        work = asyncio.create_task(Plain().run(["python3", "-c", code], files={}, seconds=AMPLE))
        reader = await asyncio.to_thread(os.open, pipe, os.O_RDONLY)
        first = await asyncio.to_thread(os.read, reader, 1)
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        assert work.cancelled()
        return first + await asyncio.to_thread(rest_of, reader)

    assert asyncio.run(leave()) == b"x"


def test_many_at_once_do_not_meet():
    async def several() -> list[Ran]:
        code = "import sys; print(sys.stdin.read(), end='')"
        return await asyncio.gather(
            *(Plain().run(["python3", "-c", code], files={}, seconds=AMPLE, stdin=str(n).encode()) for n in range(8))
        )

    assert [seen.out for seen in asyncio.run(several())] == [str(n).encode() for n in range(8)]
