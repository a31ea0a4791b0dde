"""What is there of a sandbox before it is known for which program: a network of its own, and two processes.

One has left for that network, and becomes bwrap when it is told the options. The other has stepped in there and taken
up the capture; it opens what else is wanted, and is at hand for what a supervisor may not do itself. Both end with
the supervisor that they belong to. Standard library alone.
"""

import os
import select
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from itertools import chain, count

from rung.backends.network import ring
from rung.backends.sandbox import inside, kernel, passing, rlimits, staging
from rung.backends.sandbox.order import OPTIONS, Order, to_view, to_wanted
from rung.core.canonical import JSON
from rung.core.confined import Bounds


class Ahead:
    """A sandbox up to where an order is needed. What went wrong with it is said to whoever has one."""

    def __init__(self) -> None:
        self._failed: str | None = None
        self.outer = 0
        """The process that becomes bwrap."""
        try:
            self._outer = _Helper(_becomes_bwrap)
            self.outer = self._outer.pid
            self._hand = _Helper(_at_hand)
            self._outer.heard()
            self.network = network_of(self.outer)
            if self.network == network_of(os.getpid()):
                raise OSError("the sandbox has no network of its own")
            self._hand.tell({"pid": self.outer})
        except OSError as error:
            self._failed = str(error)

    def start(self, order: Order, passed: Sequence[int], user: int | None) -> None:
        """Become bwrap, and open what is wanted. `passed` are its streams, and its descriptors from `OPTIONS` on."""
        if self._failed is not None:
            raise OSError(self._failed)
        view: list[JSON] = [asdict(each) for each in order.view]
        self._outer.tell({"command": list(order.command), "view": view, "user": user}, passed)
        self._outer.link.close()
        self._hand.tell({"wanted": asdict(order.wanted) if order.wanted else None})

    def opened(self) -> inside.Opened:
        """What was opened in its network; once."""
        return inside.received(self._hand.link)

    def limit(self, pid: int, bounds: Bounds, user: int | None) -> None:
        """Set the bounds of a process that lies still; the last that is asked of the hand. Root may set those of any
        user, unless it is root in a container: then the hand does it, which becomes that user."""
        with closing(self._hand.link):
            try:
                rlimits.limit(pid, bounds)
            except PermissionError:
                if user is None:
                    raise
                self._hand.tell({"limit": pid, "bounds": asdict(bounds), "user": user})
                self._hand.heard()


class _Helper:
    """A process that was forked off for some work, and ends with whoever forked it."""

    def __init__(self, work: Callable[[socket.socket], None]) -> None:
        supervisor = os.getpid()
        self.link, theirs = socket.socketpair()
        self.pid = os.fork()
        if not self.pid:
            try:
                self.link.close()
                kernel.die_with(supervisor)
                work(theirs)
            except OSError as error:
                with suppress(OSError):
                    passing.send(theirs, {"error": str(error)})
            finally:
                os._exit(0)
        theirs.close()

    def tell(self, said: Mapping[str, JSON], descriptors: Sequence[int] = ()) -> None:
        """Say something. One that is gone has said why."""
        with suppress(BrokenPipeError, ConnectionResetError):
            passing.send(self.link, said, descriptors)

    def heard(self) -> None:
        """Wait until it has done what it does; raises what went wrong with it."""
        message = passing.receive(self.link)
        if message is None:
            raise OSError("a process that the sandbox needs is gone")
        if "error" in message[0]:
            raise OSError(message[0]["error"])


def network_of(pid: int) -> int:
    """The number of the network that a process is in."""
    return os.stat(f"/proc/{pid}/ns/net").st_ino  # noqa: PTH116 (no pathlib where every start counts)


# --------------------------------------------------------------------------------------------- one becomes bwrap


def _becomes_bwrap(back: socket.socket) -> None:
    supervisor = os.getppid()
    staging.leave(as_root=os.geteuid() == 0)
    inside.raise_loopback()
    passing.send(back, {})
    message = passing.receive(back)
    if message is None:  # there was no order after all
        return
    what, descriptors = message
    try:
        for number, descriptor in zip(chain((0, 1, 2), count(OPTIONS)), descriptors, strict=False):
            os.dup2(descriptor, number)
        staging.enter(to_view(what["view"]), what["user"])
        if what["user"] is not None:
            staging.become(what["user"])
        kernel.die_with(supervisor)  # once more: the kernel forgets it with a change of user
        os.execve(what["command"][0], what["command"], {})  # noqa: S606
    except BaseException as error:  # noqa: BLE001 (nothing may come out of a forked child)
        os.write(2, f"rung: {error}\n".encode())


# --------------------------------------------------------------------------------------------- the other is at hand


def _at_hand(back: socket.socket) -> None:
    message = passing.receive(back)
    if message is None:
        return
    inside.step_into(message[0]["pid"])
    capture = inside.take_up()
    ringed = not select.select([back], [], [], 0)[0] and _ring(capture.fileno())
    message = passing.receive(back)
    if message is None:  # there was no order after all
        return
    wanted = to_wanted(message[0]["wanted"])
    opened = inside.open_all(wanted, capture) if wanted else inside.NOTHING
    inside.tell(back, opened)
    if (message := passing.receive(back)) is not None:
        what = message[0]
        staging.become(what["user"])
        rlimits.limit(what["limit"], Bounds(**what["bounds"]))
        passing.send(back, {})
    if wanted and wanted.ring and not ringed:
        _ring(opened.descriptors[0])


def _ring(capture: int) -> bool:
    """The kernel takes milliseconds over it: where an order waits already, it is made beside all else. Whoever reads
    the capture waits for what is left of that, and does without where there is none."""
    with suppress(OSError):
        ring.make(capture)
    return True
