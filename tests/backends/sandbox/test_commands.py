"""Single commands in a confiner, as the sandbox port hands them to agents and methods."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.backends.sandbox.commands import BOUNDS, Commands
from rung.backends.sandbox.plain import KEPT
from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Ran

AMPLE = 60.0


@pytest.fixture(scope="module")
def box() -> Commands:
    return Commands(Bubblewrap(grace=0.2), replace(BOUNDS, written_mb=8))


@pytest.fixture(scope="module")
def ran(box: Commands) -> Callable[..., Ran]:
    def run(code: str, *, seconds: float = AMPLE, stdin: bytes = b"", **files: bytes) -> Ran:
        named: Mapping[str, bytes] = {"main.py": code.encode(), **files}
        return asyncio.run(box.run(("python3", "main.py"), files=named, seconds=seconds, stdin=stdin))

    return run


def test_a_command_finds_its_files_and_input_and_is_heard(ran: Callable[..., Ran]):
    code = (
        "import os, sys; print(sorted(os.listdir('.')), os.getcwd(), sys.stdin.read()); open('new', 'w'); sys.exit(3)"
    )
    assert ran(code, stdin=b"abc") == Ran(3, b"['main.py'] /workspace abc\n", b"")


def test_it_is_stamped_with_what_confines_it(box: Commands):
    assert box.name == "bubblewrap"


def test_it_knows_path_home_and_lang_and_no_key_of_the_caller(ran: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("A_KEY_OF_THE_CALLER", "secret")
    code = "import os; print(sorted(set(os.environ) - {'PWD', 'LC_CTYPE'}))"
    assert ran(code).out == b"['HOME', 'LANG', 'PATH']\n"


def test_it_cannot_read_what_its_caller_may(ran: Callable[..., Ran], tmp_path: Path):
    (tmp_path / "key").write_text("secret")
    for path in (tmp_path / "key", Path("/proc/1/environ"), Path(__file__)):
        assert b"secret" not in ran(f"print(open({str(path)!r}, 'rb').read())").out
    assert ran(f"import os; print(os.path.exists({str(tmp_path)!r}))").out == b"False\n"


def test_it_reaches_no_network(ran: Callable[..., Ran]):
    seen = ran("import socket; print('begun', flush=True); socket.create_connection(('192.0.2.1', 80), 5)")
    assert (seen.out, seen.status) == (b"begun\n", 1)


def test_one_that_never_ends_is_late(ran: Callable[..., Ran]):
    seen = ran("while True: pass", seconds=0.5)
    assert (seen.status, seen.late) == (None, True)


def test_one_that_forks_without_end_is_held_and_leaves_nothing(ran: Callable[..., Ran]):
    seen = ran("import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass", seconds=1.0)
    assert seen.late


def test_one_that_writes_without_end_is_ended(ran: Callable[..., Ran]):
    seen = ran("f = open('big', 'wb')\nwhile True: f.write(b'x' * 1_000_000); f.flush()", seconds=AMPLE)
    assert seen.status != 0
    assert not seen.late


def test_of_what_it_prints_the_end_is_kept(ran: Callable[..., Ran]):
    seen = ran("print('x' * 200_000 + 'end')")
    assert len(seen.out) == KEPT
    assert seen.out.endswith(b"end\n")


def test_nothing_is_left_of_its_folder(ran: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    ran("import os; os.mkdir('d'); open('d/f', 'w').close(); os.chmod('d', 0)")
    assert list(tmp_path.glob("*/work")) == []


def test_where_the_system_has_no_python_it_is_the_one_that_runs_rung(
    ran: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("rung.backends.sandbox.commands.PATH", "/nowhere")
    assert ran("import sys; print(sys.prefix)").out.decode().strip() == sys.base_prefix


def test_a_path_that_leaves_the_folder_is_refused(box: Commands):
    with pytest.raises(UsageError):
        asyncio.run(box.run(("true",), files={"../x": b""}, seconds=1))


def test_a_sandbox_that_cannot_be_made_is_a_fault():
    confiner = Bubblewrap()
    confiner._found = replace(confiner.probe(), missing=("it is gone",))
    with pytest.raises(InstrumentFault, match="it is gone"):
        asyncio.run(Commands(confiner).run(("true",), files={}, seconds=1))
