"""A confined program as the instrument holds it: what goes to its supervisor, and what comes back."""

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rung.backends.sandbox import inside, passing
from rung.backends.sandbox.order import Order, to_json
from rung.core.canonical import JSON
from rung.core.confined import Activity, Ended, Hear, Sockets
from rung.core.errors import InstrumentFault

_PIECE = 1 << 16

_START = """
import sys, types
package = types.ModuleType("rung")
package.__path__ = [sys.argv.pop()]
sys.modules["rung"] = package
from rung.backends.sandbox.nursery import main
main()
"""
"""Starts a nursery without what `import rung` costs, and without a path on which a stranger's module could lie."""


class Nursery:
    """The process from which supervisors come, started when the first one is needed. It ends with this process."""

    def __init__(self, *, sandboxes: bool = False) -> None:
        self._sandboxes = sandboxes
        self._link: socket.socket | None = None
        self._owner = 0

    def order(self, order: Order, descriptors: Sequence[int]) -> None:
        """Have a supervisor carry out an order; should the nursery have been killed, by a new one."""
        try:
            passing.send(self._started(), to_json(order), descriptors)
        except OSError:
            self._link = None
            passing.send(self._started(), to_json(order), descriptors)

    def _started(self) -> socket.socket:
        """Where orders go. A process that was forked off gets a nursery of its own."""
        if self._link is None or self._owner != os.getpid():
            self._link, process = _nursery("sandboxes" if self._sandboxes else "bare")
            self._owner = os.getpid()
            weakref.finalize(self, _end, self._link, process, self._owner)
        return self._link


def _nursery(kind: str) -> "tuple[socket.socket, subprocess.Popen[bytes]]":
    ours, theirs = socket.socketpair()
    package = str(Path(__file__).parents[2])
    command = [sys.executable, "-I", "-S", "-c", _START, str(theirs.fileno()), kind, str(os.getpid()), package]
    process = subprocess.Popen(  # noqa: S603 (our own module)
        command, env={}, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=(theirs.fileno(),),
        start_new_session=True,
    )  # fmt: skip
    theirs.close()
    return ours, process


def _end(link: socket.socket, process: "subprocess.Popen[bytes]", owner: int) -> None:
    """Hang up: the nursery ends when its last supervisor has."""
    if owner == os.getpid():
        link.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)


# --------------------------------------------------------------------------------------------- one session


@dataclass(slots=True)
class Session:
    """A program that a supervisor keeps (see `rung.core.confined.Confined`)."""

    link: socket.socket
    hear: Hear | None
    enforced_by: Mapping[str, str]
    nursery: Nursery  # kept, for it ends with its last holder
    _sockets: Sockets = field(default_factory=Sockets)
    _deaf: Exception | None = None
    _heard: bytearray = field(default_factory=bytearray)
    _descriptors: list[int] = field(default_factory=list)
    _ready: "asyncio.Future[None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    _ended: "asyncio.Future[Ended]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    _asked: "list[asyncio.Future[Activity]]" = field(default_factory=list)

    @property
    def sockets(self) -> Sockets:
        """What was opened inside its network. They are closed when the session is left."""
        return self._sockets

    @property
    def lost(self) -> bool:
        """Whether the process that watched it was killed."""
        return self._ended.done() and self._ended.result().reason == "instrument_lost"

    async def release(self) -> None:
        """Let it run."""
        self._say({"do": "release"})

    async def stop(self, why: str) -> None:
        """Ask it to end, and kill it after a while."""
        self._say({"do": "stop", "why": why})

    async def activity(self) -> Activity:
        """What it has done so far; of one that has ended, an `InstrumentFault`."""
        asked: asyncio.Future[Activity] = asyncio.get_running_loop().create_future()
        self._asked.append(asked)
        if self._ended.done() or not self._say({"do": "activity"}):
            self._asked.remove(asked)
            raise InstrumentFault("sandbox", "the program has ended: ask `wait` how")
        return await asked

    async def wait(self) -> Ended:
        """How it ended. Raises what `hear` raised: then it was ended for that."""
        ended = await asyncio.shield(self._ended)
        if self._deaf is not None:
            raise self._deaf
        return ended

    async def __aenter__(self) -> "Session":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End it if it runs, and let go of everything; waits until all its processes are gone."""
        try:
            if not self._ended.done():
                self._say({"do": "kill", "why": "the session was left"})
                await asyncio.shield(self._ended)
        finally:
            self._let_go()

    def _let_go(self) -> None:
        asyncio.get_running_loop().remove_reader(self.link)
        inside.close(self._sockets)
        self.link.close()  # the supervisor waits for this, and closes the capture for good

    # ----------------------------------------------------------------------------------------- the wire

    async def begin(self) -> None:
        """Wait until the program lies still. However this is left early, the supervisor ends it."""
        self.link.setblocking(False)
        asyncio.get_running_loop().add_reader(self.link, self._listen)
        try:
            await self._ready
        except BaseException:
            self._let_go()
            raise

    def _say(self, said: Mapping[str, JSON]) -> bool:
        """Messages are few and short, and the supervisor always reads: none of them waits."""
        try:
            self.link.sendall(passing.packed(said))
        except OSError:
            return False
        return True

    def _listen(self) -> None:
        try:
            piece, ancillary, _, _ = self.link.recvmsg(_PIECE, passing.ROOM, socket.MSG_CMSG_CLOEXEC)
        except BlockingIOError:
            return
        except OSError:
            piece, ancillary = b"", []
        self._descriptors += passing.descriptors_in(ancillary)
        self._heard += piece
        while self._next():
            pass
        if not piece:
            asyncio.get_running_loop().remove_reader(self.link)
            self._lost()

    def _next(self) -> bool:
        """Take one message off what was heard, if a whole one is there."""
        head = passing.LENGTH.size
        if len(self._heard) < head:
            return False
        size = head + passing.LENGTH.unpack(self._heard[:head])[0]
        if len(self._heard) < size:
            return False
        said = passing.unpacked(bytes(self._heard[head:size]))
        data = int(said.get("size", 0))
        if len(self._heard) < size + data:
            return False
        piece = bytes(self._heard[size : size + data])
        del self._heard[: size + data]
        self._take(said, piece)
        return True

    def _take(self, said: Mapping[str, Any], piece: bytes) -> None:
        kind = said["kind"]
        if kind in ("out", "err"):
            self._pass_on(kind, piece)
        elif kind == "ready":
            self._sockets = inside.sockets(inside.opened_of(said["names"], self._descriptors))
            self._ready.set_result(None)
        elif kind == "failed":
            self._ready.set_exception(InstrumentFault("sandbox", f"the sandbox could not be made: {said['why']}"))
        elif kind == "activity":
            if self._asked:
                _answer(self._asked.pop(0), Activity(**{key: value for key, value in said.items() if key != "kind"}))
        else:
            self._end(_ended(said, self.enforced_by))

    def _pass_on(self, stream: Literal["out", "err"], piece: bytes) -> None:
        """Whoever hears may fail, as on a full disk. Then the program ends, and whoever waits for it is told."""
        if self.hear and self._deaf is None:
            try:
                self.hear(stream, piece)
            except Exception as error:  # noqa: BLE001 (raised again by `wait`)
                self._deaf = error
                self._say({"do": "kill", "why": "what it printed could not be kept"})

    def _end(self, ended: Ended) -> None:
        if not self._ended.done():
            self._ended.set_result(ended)
        for asked in self._asked:
            if not asked.done():
                asked.set_exception(InstrumentFault("sandbox", "the program has ended: ask `wait` how"))
        self._asked.clear()

    def _lost(self) -> None:
        """The supervisor is gone. The kernel, or the nursery, ended what it kept."""
        why = "the process that watched the program was killed"
        if not self._ready.done():
            self._ready.set_exception(InstrumentFault("sandbox", why))
        self._end(Ended("instrument_lost", why=why, enforced_by=self.enforced_by))


@dataclass(slots=True)
class Furnished:
    """A session with files of its own in a folder that goes with it, and sockets from elsewhere."""

    _kept: Session
    sockets: Sockets
    _folder: Path

    async def release(self) -> None:
        """Let it run."""
        await self._kept.release()

    async def activity(self) -> Activity:
        """What it has done so far."""
        return await self._kept.activity()

    async def stop(self, why: str) -> None:
        """Ask it to end, and kill it after a while."""
        await self._kept.stop(why)

    async def wait(self) -> Ended:
        """How it ended."""
        return await self._kept.wait()

    async def __aenter__(self) -> "Furnished":
        return self

    async def __aexit__(self, *error: object) -> None:
        try:
            await self._kept.close()
        finally:
            clear(self._folder, self.sockets)


def clear(folder: Path, held: Sockets) -> None:
    """Let go of a session's folder and sockets."""
    inside.close(held)
    shutil.rmtree(folder, ignore_errors=True)


def _answer(asked: "asyncio.Future[Activity]", activity: Activity) -> None:
    if not asked.done():
        asked.set_result(activity)


def _ended(said: Mapping[str, Any], enforced_by: Mapping[str, str]) -> Ended:
    return Ended(
        said["reason"], said["status"], said["signal"], said["why"], said["seconds"], said["dropped"], said["forced"],
        enforced_by,
    )  # fmt: skip


async def ordered(
    nursery: Nursery, order: Order, descriptors: Sequence[int], *, hear: Hear | None, enforced_by: Mapping[str, str]
) -> Session:
    """Have a program started, and give it when it lies still. The descriptors are closed here."""
    ours, theirs = socket.socketpair()
    try:
        nursery.order(order, [theirs.fileno(), *descriptors])
    except OSError as error:
        ours.close()
        raise InstrumentFault("sandbox", f"no supervisor can be started: {error}") from error
    finally:
        theirs.close()
        for each in descriptors:
            os.close(each)
    session = Session(ours, hear, enforced_by, nursery)
    await session.begin()
    return session


def tried(nursery: Nursery, order: Order, descriptors: Sequence[int]) -> tuple[Mapping[str, Any], bytes]:
    """Run a program to its end and wait for it: how it ended, and what it printed. For a look at what a machine holds.

    Gives the message `failed` when the sandbox could not be made.
    """
    ours, theirs = socket.socketpair()
    with ours, theirs, open(os.devnull, "rb") as nothing:  # noqa: PTH123
        nursery.order(order, [theirs.fileno(), nothing.fileno(), *descriptors])
        theirs.close()
        printed = b""
        while (message := passing.receive(ours)) is not None:
            said, opened = message
            for each in opened:
                os.close(each)
            if said["kind"] == "ready":
                passing.send(ours, {"do": "release"})
            elif said["kind"] in ("out", "err"):
                printed += passing.exactly(ours, said["size"])
            else:
                ours.shutdown(socket.SHUT_RDWR)
                return said, printed
    return {"kind": "failed", "why": "the process that watched the program was killed"}, printed


def given(stdin: bytes) -> int:
    """A descriptor from which a program reads this, and then the end. It never waits for a person."""
    return in_memory(stdin) if stdin else os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)


def in_memory(data: bytes) -> int:
    """A descriptor of these bytes."""
    descriptor = os.memfd_create("rung", os.MFD_CLOEXEC)
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
