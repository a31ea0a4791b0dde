"""A subprocess in a fresh folder: bounded in time and in output, and its process group killed when it ends.

It keeps things tidy and confines nothing. What runs here runs as the caller: it reads what the caller may read, writes
where the caller may write, and reaches the network; a process that leaves its group outlives it. So it is a place for
the caller's own checkers. Whatever is measured through it ran unsandboxed, and is to be stamped so.
"""

import asyncio
import os
import re
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Ran

KEPT = 64 * 1024
"""Bytes kept of what a command prints, its last ones, on either stream."""

GRACE = 1.0
"""Seconds for what a command printed to arrive, once it has ended. Only what left its group can use them up."""

_PIECE = re.compile(r"[^/\x00]{1,255}")


@dataclass(frozen=True, slots=True)
class Plain:
    """Runs commands as the caller (see `rung.core.ports.Sandbox`). Its seconds are those of a clock on the wall."""

    name: str = "plain"

    async def run(self, argv: Sequence[str], *, files: Mapping[str, bytes], seconds: float, stdin: bytes = b"") -> Ran:
        """Run one command over these files, without a shell. The folder is its working directory and its HOME."""
        with tempfile.TemporaryDirectory(prefix="rung-", ignore_cleanup_errors=True) as home:
            lay_out(Path(home), files)
            with tempfile.TemporaryFile() as given:
                given.write(stdin)
                given.seek(0)
                return await _ran(argv, home, given, seconds)


def lay_out(home: Path, files: Mapping[str, bytes]) -> None:
    """Put the files in place; each may be executed, for it may be the command."""
    for name, data in files.items():
        pieces = name.split("/")
        if not all(_PIECE.fullmatch(piece) and piece not in (".", "..") for piece in pieces):
            raise UsageError(f"a sandbox's file lies in its folder by a plain path, got {name!r}")
        file = home.joinpath(*pieces)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(0o700)


def _environment(home: str) -> dict[str, str]:
    """PATH, HOME and LANG and nothing else. First on the path is this Python, so that `python3` is always there."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    return {"PATH": path, "HOME": home, "LANG": "C.UTF-8"}


@dataclass(slots=True)
class _Heard:
    """What comes out of a pipe: its last bytes."""

    reader: asyncio.StreamReader
    transport: asyncio.ReadTransport
    kept: bytearray = field(default_factory=bytearray)

    async def listen(self) -> None:
        """Read to the end, however much it is."""
        while piece := await self.reader.read(KEPT):
            self.kept += piece
            del self.kept[:-KEPT]


async def _pipe() -> tuple[_Heard, int]:
    """A pipe of our own and its other end. Those of asyncio keep a process waiting for whoever else holds them."""
    read, write = os.pipe()
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read, "rb"))
    return _Heard(reader, transport), write


async def _ran(argv: Sequence[str], home: str, given: BinaryIO, seconds: float) -> Ran:
    (out, out_end), (err, err_end) = await _pipe(), await _pipe()
    try:
        process = await _started(argv, home, (given.fileno(), out_end, err_end))
    except BaseException:
        out.transport.close()
        err.transport.close()
        raise
    finally:
        os.close(out_end)
        os.close(err_end)
    heard = [asyncio.create_task(each.listen()) for each in (out, err)]
    try:
        await asyncio.wait_for(process.wait(), seconds)
        late = False
    except TimeoutError:
        late = True
    finally:
        _end(process.pid)
        await _settled(process, heard)
        out.transport.close()
        err.transport.close()
    status = process.returncode if not late and process.returncode is not None and process.returncode >= 0 else None
    return Ran(status, bytes(out.kept), bytes(err.kept), late)


async def _started(argv: Sequence[str], home: str, ends: tuple[int, int, int]) -> asyncio.subprocess.Process:
    given, out, err = ends
    try:
        return await asyncio.create_subprocess_exec(
            *argv, cwd=home, env=_environment(home), stdin=given, stdout=out, stderr=err, start_new_session=True
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InstrumentFault("sandbox", f"{argv[0]!r} cannot be started: {reason}") from error


def _end(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS says EPERM of a group whose processes are all gone
        os.killpg(group, signal.SIGKILL)


async def _settled(process: asyncio.subprocess.Process, heard: Sequence[asyncio.Task[None]]) -> None:
    """Wait until the process is gone and what it printed has arrived."""
    await process.wait()
    _, pending = await asyncio.wait(heard, timeout=GRACE)
    for task in pending:
        task.cancel()
    await asyncio.gather(*heard, return_exceptions=True)
