"""How a supervisor starts a program: in bubblewrap, or bare. Either lies still until it is released.

Standard library alone: a supervisor runs this. Whatever goes wrong here is an OSError that says so in plain words.
"""

import json
import os
import select
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fcntl import ioctl
from typing import Protocol

from rung.backends.sandbox import inside, kernel, procs
from rung.backends.sandbox.ahead import Ahead, network_of
from rung.backends.sandbox.order import Order
from rung.backends.sandbox.rlimits import limit

SETUP_SECONDS = 60.0
"""For a sandbox to be made. It takes some hundredths of one; a machine that swaps may need more."""


@dataclass(frozen=True, slots=True)
class Ends:
    """A program's side of its three streams; the supervisor's copies are closed once the program has them."""

    given: int
    out: int
    err: int

    def close(self) -> None:
        """Let go of them here."""
        for each in (self.given, self.out, self.err):
            os.close(each)


class Launched(Protocol):
    """A program that was started, and lies still until it is released."""

    @property
    def outer(self) -> int:
        """The process that the supervisor waits for: when it is gone the program has ended."""
        ...

    def start(self, ends: Ends, given: list[int], user: int | None) -> None:
        """Start it, up to where it would begin."""
        ...

    def check(self) -> None:
        """See that what is to run is there."""
        ...

    def opened(self) -> inside.Opened:
        """What was opened in its network; once."""
        ...

    def release(self) -> None:
        """Let it run."""
        ...

    def watch(self) -> int | None:
        """A descriptor that becomes readable when the program itself ends; None while it is not known yet."""
        ...

    def tree(self) -> list[int]:
        """The program's processes."""
        ...

    def accounted(self) -> list[int]:
        """The processes whose time is the program's, or that of children of it which they fetched."""
        ...

    def broke(self, status: int) -> bool:
        """Whether the outer process ended in a way that says nothing of the program."""
        ...

    def survivors(self) -> int:
        """How many processes are left of it that run or may run, now that the program itself has ended."""
        ...

    def starved(self) -> bool:
        """Whether the kernel killed any of its processes for the memory they held together."""
        ...

    def main(self) -> int:
        """The program's own process; 0 when it is not known or gone."""
        ...

    def finish(self) -> None:
        """The program itself has ended: let what waits for it say how."""
        ...

    def end(self) -> None:
        """End what is no process below the supervisor."""
        ...


def fork(prepare: Callable[[], None], run: Callable[[], None], ends: Ends) -> int:
    """Start a process on these ends; what goes wrong in it before `run` has replaced it is printed where errors go."""
    child = os.fork()
    if child:
        return child
    try:
        os.dup2(ends.given, 0)
        os.dup2(ends.out, 1)
        os.dup2(ends.err, 2)
        prepare()
        run()
    except BaseException as error:  # noqa: BLE001 (nothing may come out of a forked child)
        os.write(2, f"rung: {error}\n".encode())
    finally:
        os._exit(127)


# --------------------------------------------------------------------------------------------- bubblewrap


@dataclass(slots=True)
class Bubblewrapped:
    """A program in bubblewrap.

    Its outer process is stopped while the program runs. So nothing is torn down at the moment when the program ends,
    and what the program left behind can be counted first.
    """

    order: Order
    ahead: Ahead
    outer: int = 0
    inner: int = 0
    _gate: int = -1
    _main: int = 0
    _main_fd: int | None = None
    _opened: inside.Opened = inside.NOTHING

    def start(self, ends: Ends, given: list[int], user: int | None) -> None:
        """Make the sandbox, up to where the program would begin."""
        self.outer = self.ahead.outer
        (info, info_end), (gate, self._gate) = os.pipe(), os.pipe()
        try:
            options, *given = given
            self.ahead.start(self.order, [ends.given, ends.out, ends.err, options, info_end, gate, *given], user)
        finally:
            os.close(info_end)
            os.close(gate)
        self._await_setup(info, user)

    def _await_setup(self, info: int, user: int | None) -> None:
        """Wait until the program is all that is missing. bwrap tells of its inner process early; the last thing that
        process does before it waits for us is to take a second user namespace, in which no third can be made."""
        until = time.monotonic() + SETUP_SECONDS
        try:
            self.inner = _inner(info, until)
        finally:
            os.close(info)
        while not self._lies_still():
            left = until - time.monotonic()
            if left < 0:
                raise OSError(f"the sandbox was not made within {SETUP_SECONDS:.0f} s")
            time.sleep((SETUP_SECONDS - left) / 30)  # so no look comes much too late, and a slow machine has few
        os.kill(self.outer, signal.SIGSTOP)
        self._opened = self.ahead.opened()
        self.ahead.limit(self.inner, self.order.bounds, user)

    def _lies_still(self) -> bool:
        try:
            names = os.open(f"/proc/{self.inner}/ns/uts", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise OSError("bwrap ended before the sandbox was made") from None
        try:
            owner = ioctl(names, kernel.NS_GET_USERNS)
            own = os.stat(f"/proc/{self.inner}/ns/user")  # noqa: PTH116
            same = os.fstat(owner).st_ino == own.st_ino
            os.close(owner)
            return not same
        except (FileNotFoundError, ProcessLookupError):
            raise OSError("bwrap ended before the sandbox was made") from None
        finally:
            os.close(names)

    def check(self) -> None:
        """See that the program has the network that was made for it, and that it and the folder it begins in are there,
        as seen from inside."""
        if network_of(self.inner) != self.ahead.network:
            raise OSError("the program is in another network than the one that was made for it")
        check_inside(self.inner, self.order)

    def opened(self) -> inside.Opened:
        """They were opened while bwrap made the rest."""
        return self._opened

    def release(self) -> None:
        """Open the gate."""
        os.write(self._gate, b"x")
        os.close(self._gate)

    def watch(self) -> int | None:
        """The program is the second process of its namespace. Until it is there, nobody else is."""
        if self._main_fd is None:
            numbers = {procs.number_inside(pid): pid for pid in procs.children(self.inner)}
            if 2 in numbers:
                self._main = numbers[2]
                with suppress(ProcessLookupError):
                    self._main_fd = os.pidfd_open(self._main)
        if self._main_fd is None and (not procs.alive(self.inner) or self._only_others()):
            self._main_fd = ended()
        return self._main_fd

    def _only_others(self) -> bool:
        """Whether the program has come and gone and left something behind."""
        left = [procs.number_inside(pid) for pid in self.tree()]
        return bool(left) and 2 not in left and 0 not in left

    def tree(self) -> list[int]:
        """All but the sandbox's own first process, which is bwrap."""
        return procs.below(self.inner)

    def accounted(self) -> list[int]:
        """The first process has fetched what lost its parent."""
        return [self.inner, *self.tree()]

    def broke(self, status: int) -> bool:
        """bwrap itself dies of no signal, unless somebody sends it one."""
        return os.WIFSIGNALED(status)

    def survivors(self) -> int:
        """All that lives but the program."""
        return sum(1 for pid in self.tree() if procs.alive(pid) and procs.number_inside(pid) != 2)

    def starved(self) -> bool:
        """Memory is the watchdog's alone."""
        return False

    def main(self) -> int:
        """The program's process."""
        return self._main

    def finish(self) -> None:
        """Let the outer process go on: it says how the program ended, and takes the rest with it."""
        with suppress(ProcessLookupError):
            os.kill(self.outer, signal.SIGCONT)

    def end(self) -> None:
        """All of it is below the supervisor."""


def ended() -> int:
    """A descriptor that is readable at once."""
    read, write = os.pipe()
    os.close(write)
    return read


def _inner(info: int, until: float) -> int:
    """The inner process that bwrap tells of."""
    said = b""
    ready = select.poll()
    ready.register(info, select.POLLIN)
    while b"\n}" not in said:
        if not ready.poll(max(0.0, until - time.monotonic()) * 1000):
            raise OSError(f"bwrap said nothing within {SETUP_SECONDS:.0f} s")
        piece = os.read(info, 4096)
        if not piece:
            raise OSError("bwrap ended before the sandbox was made")
        said += piece
    return int(json.loads(said)["child-pid"])


def check_inside(pid: int, order: Order) -> None:
    """See that a program and the folder it begins in are there, as a process sees it that lies still."""
    root = os.open(f"/proc/{pid}/root", os.O_PATH | os.O_CLOEXEC)
    try:
        _is_there(root, order.cwd, "the folder that the program begins in")
        name = order.program
        if "/" in name:
            _is_there(root, os.path.join(order.cwd, name), "the program")  # noqa: PTH118
        elif not any(_executable(root, os.path.join(path, name)) for path in order.search.split(":")):  # noqa: PTH118
            raise OSError(f"no program {name!r} in the sandbox, on its PATH {order.search!r}")
    finally:
        os.close(root)


def _is_there(root: int, path: str, what: str) -> None:
    try:
        os.close(kernel.open_within(root, path))
    except OSError as error:
        raise OSError(f"{what} is not in the sandbox: {error}") from None


def _executable(root: int, path: str) -> bool:
    with suppress(OSError):
        found = kernel.open_within(root, path)
        try:
            return bool(os.fstat(found).st_mode & 0o111)
        finally:
            os.close(found)
    return False


# --------------------------------------------------------------------------------------------- bare


@dataclass(slots=True)
class Bare:
    """A program started as it is, by whoever runs the supervisor: nothing is confined.

    The supervisor takes in whatever the program leaves behind, so that nothing of it stays, wherever it went.
    """

    order: Order
    outer: int = 0
    _gate: int = -1
    _fd: int | None = None

    def start(self, ends: Ends, given: list[int], user: int | None) -> None:
        """Start a process that becomes the program when it is let."""
        gate, self._gate = os.pipe()
        supervisor = os.getpid()

        def prepare() -> None:
            os.setsid()
            kernel.die_with(supervisor)
            os.close(self._gate)
            os.chdir(self.order.cwd)
            if not os.read(gate, 1):
                os._exit(127)
            limit(os.getpid(), self.order.bounds)

        command = list(self.order.command)
        self.outer = fork(prepare, lambda: os.execvpe(command[0], command, self._environment()), ends)  # noqa: S606
        os.close(gate)
        self._fd = os.pidfd_open(self.outer)

    def _environment(self) -> dict[str, str]:
        return dict(self.order.env or {})

    def check(self) -> None:
        """See that the program and its folder are there."""
        if not os.path.isdir(self.order.cwd):  # noqa: PTH112 (no pathlib where every start counts)
            raise OSError(f"the folder that the program begins in is not there: {self.order.cwd}")
        at = os.path.join(self.order.cwd, self.order.program) if "/" in self.order.program else self.order.program  # noqa: PTH118
        if shutil.which(at, path=self.order.search) is None:
            raise OSError(f"no program {self.order.program!r} on the PATH {self.order.search!r}")

    def opened(self) -> inside.Opened:
        """It has no network of its own."""
        return inside.NOTHING

    def release(self) -> None:
        """Open the gate."""
        os.write(self._gate, b"x")
        os.close(self._gate)

    def watch(self) -> int | None:
        """The process itself."""
        return self._fd

    def tree(self) -> list[int]:
        """All that descends from the supervisor, which takes in what has lost its parent."""
        return procs.below(os.getpid())

    def accounted(self) -> list[int]:
        """The same."""
        return self.tree()

    def broke(self, status: int) -> bool:
        """Nothing is around the program that could."""
        return False

    def survivors(self) -> int:
        """All that lives but the program."""
        return sum(1 for pid in self.tree() if pid != self.outer and procs.alive(pid))

    def starved(self) -> bool:
        """Memory is the watchdog's alone."""
        return False

    def main(self) -> int:
        """The program's process."""
        return self.outer

    def finish(self) -> None:
        """It has nobody who waits for it but the supervisor."""

    def end(self) -> None:
        """All of it is below the supervisor."""
