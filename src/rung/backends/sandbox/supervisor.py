"""The process that owns one program: it starts it, watches it, ends it, and says how it ended.

It has one thread, so nothing that ends with a thread can end a program by mistake. It takes in every process that has
lost its parent, so nothing gets away. And it watches whoever gave the order: when that process is gone, however it
went, so is the program. What it says goes over one Unix socket: a length, JSON, and after `out` and `err` its bytes.

Standard library alone: it is a fork of a small process, and holds some 3 MB of its own.
"""

import json
import os
import select
import shutil
import signal
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rung.backends.sandbox import kernel, passing, procs, staging, written
from rung.backends.sandbox.ahead import Ahead
from rung.backends.sandbox.dockered import Dockered
from rung.backends.sandbox.inside import Wanted
from rung.backends.sandbox.launch import Bare, Bubblewrapped, Ends, Launched, check_inside
from rung.backends.sandbox.order import Kind, Order, from_json, to_json
from rung.backends.sandbox.staging import Shown
from rung.core.canonical import JSON
from rung.core.confined import EndReason

PIECE = 1 << 16
MEGABYTE = 1 << 20
HELD_BACK = 1 << 20
"""Bytes of output that may wait for the instrument. Beyond, the program is not read, and waits as well."""

SOON, LATER = 0.05, 0.25
"""Seconds between two looks at memory: where more than half of the bound is used, and elsewhere."""

WRITTEN_EVERY = 0.5
SHARE = 20
"""A look that takes long is followed by so many times its length without one."""

STARVED = "the kernel killed one of its processes, for together they held more than {} MB"

STARTING_EVERY = 0.002
TOLD = 2000
"""Characters of what bwrap says that are passed on."""

LAST_SECONDS = 10.0
"""For killed processes to be gone. One that the kernel keeps longer waits for a disk that does not answer."""

KINDS: Mapping[Kind, Callable[[Order, Ahead | None], Launched]] = {
    "bubblewrap": lambda order, ahead: Bubblewrapped(order, ahead or Ahead()),
    "unsafe": lambda order, _: Bare(order),
    "docker": lambda order, _: Dockered(order),
}


@dataclass(slots=True)
class Supervisor:
    """One program's keeper."""

    order: Order
    link: socket.socket
    held: Launched
    runs: Callable[[], None]
    streams: dict[str, int] = field(default_factory=dict)
    released: float | None = None
    reason: EndReason | None = None
    why: str = ""
    printed: int = 0
    dropped: int = 0
    cpu: float = 0.0
    files: written.Written = field(default_factory=written.Written)
    waiting: bytearray = field(default_factory=bytearray)
    heard: bytearray = field(default_factory=bytearray)
    due: dict[str, float] = field(default_factory=dict)
    main: int | None = None
    over: bool = False
    alone: bool = False

    # ----------------------------------------------------------------------------------------- the beginning

    def begin(self, given: list[int]) -> None:
        """Make the sandbox and say that it lies still, with the sockets that were opened in it."""
        user = self._user()
        self._lay_out(user)
        ends = Ends(given[0], *(self._stream(name, user) for name in ("out", "err")))
        try:
            self.held.start(ends, given[1:], user)
        finally:
            ends.close()
            for each in given[1:]:
                os.close(each)
        self.held.check()
        opened = self.held.opened()
        passing.send(self.link, {"kind": "ready", "names": list(opened.names)}, opened.descriptors)
        opened.close(but="capture")
        self.link.setblocking(False)

    def _user(self) -> int | None:
        if not self.order.other_user:
            return None
        user, taken = staging.take_user()
        taken.detach()  # open, and so taken, for as long as this process lives
        return user

    def _lay_out(self, user: int | None) -> None:
        for lower, upper in self.order.copied:
            if not any(Path(upper).iterdir()):
                staging.copy(lower, upper)
        for folder, path in self.order.points:
            staging.point(folder, path)
        for work in self.order.works:
            remove_work(work)  # of a session whose supervisor was killed
            Path(work).mkdir(mode=0o700)
        if user is not None:
            for folder in (*self.order.owned, *self.order.works):
                staging.give(folder, user)

    def _stream(self, name: str, user: int | None) -> int:
        self.streams[name], end = os.pipe()
        os.set_blocking(self.streams[name], False)
        if user is not None:
            os.fchown(end, user, user)  # so that /dev/stdout can be opened inside
        return end

    # ----------------------------------------------------------------------------------------- the middle

    def watch(self, instrument: int) -> None:
        """Everything from lying still to the end. `instrument` is a descriptor of the process that gave the order."""
        while not self.over:
            for descriptor, events in self._poll(instrument):
                self._answer(descriptor, events, instrument)
            self._look_at_what_is_due()

    def _poll(self, instrument: int) -> list[tuple[int, int]]:
        poll = select.poll()
        poll.register(instrument, select.POLLIN)
        poll.register(self.link, select.POLLIN | (select.POLLOUT if self.waiting else 0))
        for each in self.streams.values() if len(self.waiting) < HELD_BACK else ():
            poll.register(each, select.POLLIN)
        if self.main is not None:
            poll.register(self.main, select.POLLIN)
        left = min(self.due.values()) - time.monotonic() if self.due else None
        return poll.poll(None if left is None else max(0, int(left * 1000) + 1))

    def _answer(self, descriptor: int, events: int, instrument: int) -> None:
        if descriptor == instrument:
            self._end("instrument_lost", "the instrument's process is gone")
        elif descriptor == self.main:
            self.over = True
        elif descriptor == self.link.fileno():
            if events & select.POLLOUT:
                self._send_on()
            if events & ~select.POLLOUT:
                self._obey()
        else:
            self._take(next(name for name, each in self.streams.items() if each == descriptor))

    def _take(self, name: str) -> None:
        """Pass on what the program prints, up to the bound; count the rest."""
        try:
            piece = os.read(self.streams[name], PIECE)
        except BlockingIOError:
            return
        if not piece:
            os.close(self.streams.pop(name))
            return
        kept = piece[: max(0, self.order.bounds.output_mb * MEGABYTE - self.printed)]
        self.printed += len(piece)
        self.dropped += len(piece) - len(kept)
        if kept:
            self._say({"kind": name, "size": len(kept)}, kept)

    def _say(self, said: dict[str, JSON], data: bytes = b"") -> None:
        self.waiting += passing.packed(said) + data

    def _send_on(self) -> None:
        try:
            del self.waiting[: self.link.send(memoryview(self.waiting)[:PIECE])]
        except BlockingIOError:
            return
        except OSError:
            self._alone()

    def _alone(self) -> None:
        self.alone = True
        self._end("instrument_lost", "nobody listens any more")

    def _obey(self) -> None:
        try:
            piece = self.link.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        if not piece:
            self._alone()
        self.heard += piece
        while message := self._message():
            self._do(message)

    def _message(self) -> dict[str, Any] | None:
        head = passing.LENGTH.size
        if len(self.heard) < head:
            return None
        size = head + passing.LENGTH.unpack(self.heard[:head])[0]
        if len(self.heard) < size:
            return None
        said: dict[str, Any] = json.loads(self.heard[head:size])
        del self.heard[:size]
        return said

    def _do(self, message: dict[str, Any]) -> None:
        if message["do"] == "release" and self.released is None:
            self._release()
        elif message["do"] == "activity":
            self._say(self._activity())
        elif message["do"] == "stop":
            self._stop("stopped", message["why"])
        elif message["do"] == "kill":
            self._end("stopped", message["why"])

    def _release(self) -> None:
        self.held.release()
        self.released = time.monotonic()
        self.due |= {"start": self.released, "memory": self.released + SOON, "written": self.released + SOON}
        if self.order.bounds.seconds is not None:
            self.due["wall_clock"] = self.released + self.order.bounds.seconds

    # ----------------------------------------------------------------------------------------- looks

    def _look_at_what_is_due(self) -> None:
        looks = {
            "start": self._look_at_start,
            "memory": self._look_at_memory,
            "written": self._look_at_written,
            "wall_clock": self._look_at_clock,
            "grace": self._grace_is_over,
        }
        now = time.monotonic()
        for name in [name for name, at in self.due.items() if at <= now]:
            del self.due[name]
            looks[name]()

    def _again(self, name: str, seconds: float, began: float) -> None:
        took = time.monotonic() - began
        self.due[name] = began + took + max(seconds, SHARE * took)

    def _look_at_start(self) -> None:
        self.main = self.held.watch()
        if self.main is None:
            self.due["start"] = time.monotonic() + STARTING_EVERY
        else:
            self.runs()

    def _look_at_memory(self) -> None:
        began = time.monotonic()
        pids = self.held.tree()
        self._fetch_lost(pids)
        self.cpu = max(self.cpu, procs.cpu_seconds(self.held.accounted()))
        bound = self.order.bounds.memory_mb
        held = procs.memory_kb(pids) if bound else 0
        if bound and held > bound * 1024 and (exact := procs.shared_out_kb(pids)) > bound * 1024:
            self._end("memory", f"its processes hold {exact // 1024} MB together, more than {bound} MB")
        if self.held.starved():
            self._end("memory", STARVED.format(bound))
        self._again("memory", SOON if bound and held > bound * 512 else LATER, began)

    def _fetch_lost(self, pids: list[int]) -> None:
        """Fetch what ended here after it had lost its parent."""
        for pid in pids:
            if pid != self.held.outer and not procs.alive(pid):
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)

    def _look_at_written(self) -> None:
        began = time.monotonic()
        bounds = self.order.bounds
        self.files = written.measure(self.order.watched, most_files=bounds.written_files)
        if self.files.too_deep:
            self._end("written", f"folders lie more than {written.DEEPEST} deep in each other")
        elif self.files.files > bounds.written_files:
            self._end("written", f"more than {bounds.written_files} files lie in its writable folders")
        elif self.files.bytes > bounds.written_mb * MEGABYTE:
            seen = self.files.bytes // MEGABYTE
            self._end("written", f"{seen} MB lie in its writable folders, more than {bounds.written_mb} MB")
        self._again("written", WRITTEN_EVERY, began)

    def _look_at_clock(self) -> None:
        self._stop("wall_clock", f"it ran for {self.order.bounds.seconds:g} s")

    def _activity(self) -> dict[str, JSON]:
        pids = self.held.tree() if self.released is not None else []
        self.cpu = max(self.cpu, procs.cpu_seconds(self.held.accounted()) if pids else 0.0)
        return {
            "kind": "activity",
            "cpu_seconds": self.cpu,
            "printed": self.printed,
            "written_bytes": self.files.bytes,
            "written_files": self.files.files,
            "processes": sum(map(procs.alive, pids)),
        }

    # ----------------------------------------------------------------------------------------- the end

    def _stop(self, reason: EndReason, why: str) -> None:
        """Ask the program to end, and give it a while to save what it holds."""
        main = self.held.main()
        if self.released is None or not main:
            self._end(reason, why)
        elif self.reason is None:
            self.reason, self.why = reason, why
            self.due["grace"] = time.monotonic() + self.order.grace
            with suppress(ProcessLookupError):
                os.kill(main, signal.SIGTERM)

    def _grace_is_over(self) -> None:
        self.over = True

    def _end(self, reason: EndReason, why: str) -> None:
        """End it at once. The first reason stands."""
        if self.reason is None:
            self.reason, self.why = reason, why
        self.over = True

    def finish(self) -> dict[str, JSON]:
        """End all that is left, and give how the program ended."""
        seconds = 0.0 if self.released is None else time.monotonic() - self.released
        forced = self.held.survivors()
        ended = self._status() if self._main_is_gone() else None
        if ended is not None and self.held.broke(ended):
            ended = None
        starved = self.held.starved()
        self.cpu = max(self.cpu, procs.cpu_seconds(self.held.accounted()))
        self.held.end()
        kill_all(LAST_SECONDS)
        self.files = written.measure(self.order.watched, most_files=self.order.bounds.written_files)
        for name in list(self.streams):
            self._drain(name)
        self.tidy()
        return self._said(ended, starved=starved) | {
            "seconds": seconds,
            "forced": forced,
            "dropped": self.dropped,
            "cpu": self.cpu,
        }

    def tidy(self) -> None:
        """Remove what was laid out for this program alone."""
        for work in self.order.works:
            remove_work(work)
        for folder in self.order.tidied:
            shutil.rmtree(folder, ignore_errors=True)

    def _status(self) -> int | None:
        """What the program's process left to its parent; None when its parent is gone without a word."""
        self.held.finish()
        gone = os.pidfd_open(self.held.outer)
        self._hear_until(gone)
        os.close(gone)
        pid, status = os.waitpid(self.held.outer, os.WNOHANG)
        return status if pid else None

    def _hear_until(self, gone: int) -> None:
        """Take what is printed until a process is gone: it may have to pass on what the program printed at last."""
        until = time.monotonic() + LAST_SECONDS
        found: list[int] = []
        while gone not in found and (left := until - time.monotonic()) > 0:
            found = select.select([gone, *self.streams.values()], [], [], left)[0]
            for name in [name for name, each in self.streams.items() if each in found]:
                self._take(name)
            self._flush(HELD_BACK)

    def _main_is_gone(self) -> bool:
        return self.main is not None and bool(select.select([self.main], [], [], 0)[0])

    def _said(self, ended: int | None, *, starved: bool) -> dict[str, JSON]:
        number, status = (None, None) if ended is None else how(ended)
        reason, why = self.reason, self.why
        if reason is None and starved:
            reason, why = "memory", STARVED.format(self.order.bounds.memory_mb)
        elif reason is None and ended is None:
            reason, why = "sandbox_failed", "what confines the program was ended from outside"
        elif reason is None:
            reason = "exited" if number is None else "signalled"
        return {"kind": "ended", "reason": reason, "why": why, "status": status, "signal": number}

    def last_words(self) -> str:
        """What was printed where errors go, by whatever could not start the program."""
        try:
            return os.read(self.streams["err"], PIECE).decode(errors="replace").strip()[-TOLD:]
        except (BlockingIOError, KeyError):
            return ""

    def _drain(self, name: str) -> None:
        """Take what the program printed at last. Nobody holds the other end any more, or nobody that counts."""
        while name in self.streams and select.select([self.streams[name]], [], [], 0)[0]:
            self._take(name)
            self._flush(HELD_BACK)

    def _flush(self, most: int) -> None:
        """Send on until no more than so much waits, or nobody listens."""
        while len(self.waiting) > most and not self.alone:
            poll = select.poll()
            poll.register(self.link, select.POLLOUT)
            poll.poll()
            self._send_on()

    def say_last(self, said: dict[str, JSON]) -> None:
        """Say how it ended, when all that was printed has been passed on, and stay until nobody listens any more.

        The capture is open here as well. Whoever closes it last waits for the whole machine's network; that is not to
        be the instrument, which does everything else in the same thread.
        """
        self._say(said)
        self._flush(0)
        self.link.setblocking(True)
        with suppress(OSError):
            while not self.alone and self.link.recv(PIECE):
                pass


def how(status: int) -> tuple[int | None, int | None]:
    """The signal that ended a program, and else its exit status. From 129 on a status stands for a signal: so bwrap and
    every shell say it, and nothing else is known of what ran under them."""
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status), None
    code = os.WEXITSTATUS(status)
    if 128 < code <= 128 + signal.NSIG - 1:
        return code - 128, None
    return None, code


def kill_all(seconds: float) -> None:
    """Kill every process below this one, again and again until there is none: each that loses its parent comes here."""
    until = time.monotonic() + seconds
    while (left := procs.children(os.getpid())) and time.monotonic() < until:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return  # nor can there be any more: whoever could start or leave one is gone
        time.sleep(0.0002)


def remove_work(work: str) -> None:
    """Remove an overlay's work folder. The kernel leaves a folder without any rights in it, and a few things in there;
    no program has ever seen it."""
    with suppress(OSError):
        for each in Path(work).iterdir():
            each.chmod(0o700)
    shutil.rmtree(work, ignore_errors=True)


_REHEARSED = Order("bubblewrap", ("sh",), "sh", search="/bin", wanted=Wanted((1,)), view=(Shown("/"),))


def rehearse() -> None:
    """Do what an order asks for, as far as it leaves no trace.

    The kernel copies a page of memory when a forked process first writes to it, and that takes longer than all that is
    done here. So it is done once before there is an order.
    """
    ours, theirs = socket.socketpair()
    with ours, theirs, suppress(OSError):
        passing.send(ours, to_json(_REHEARSED))
        said = passing.receive(theirs)
        keeper = Supervisor(from_json(said[0]) if said else _REHEARSED, theirs, Bare(_REHEARSED), lambda: None)
        check_inside(os.getpid(), keeper.order)
        keeper.held.tree()
        keeper._say(keeper._said(0, starved=False))
        keeper._send_on()


def main(
    link: socket.socket, instrument: int, order: Order, given: list[int], ahead: Ahead | None, runs: Callable[[], None]
) -> None:
    """Carry out one order. `instrument` is a descriptor of the process that gave it, `ahead` what is there already."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    keeper = Supervisor(order, link, KINDS[order.kind](order, ahead), runs)
    try:
        keeper.begin(given)
    except OSError as error:
        keeper.held.end()
        kill_all(LAST_SECONDS)
        keeper.tidy()
        told = keeper.last_words()
        passing.send(link, {"kind": "failed", "why": f"{error}{': ' if told else ''}{told}"})
        return
    try:
        keeper.watch(instrument)
    finally:
        said = keeper.finish()
    keeper.say_last(said)
