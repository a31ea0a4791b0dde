"""The process from which supervisors come: a fork of it costs a millisecond, where starting Python costs fifteen.

It is started when the first sandbox is, has one thread, and does nothing but fork, one supervisor ahead of the orders.
Should a supervisor itself be killed, what it kept comes here, and is ended. Standard library alone.
"""

import gc
import os
import select
import signal
import socket
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rung.backends.sandbox import kernel, passing, procs, supervisor
from rung.backends.sandbox.ahead import Ahead
from rung.backends.sandbox.order import from_json

PID = struct.Struct("=I")
PAUSE = 0.03
"""Seconds after an order until there is a supervisor for the next, unless that waits already or the program runs."""
NO_MORE = 3
"""How a supervisor ends that got no order, for whoever gives them is gone."""


def main() -> None:
    """Have a supervisor ready for each order until whoever started us is gone, then wait for the last of them."""
    link, instrument = socket.socket(fileno=int(sys.argv[1])), os.pidfd_open(int(sys.argv[3]))
    link.set_inheritable(False)  # it had to be for us, and is for nobody below
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    gc.disable()  # nothing here goes in circles, and a search for it would copy pages in every fork
    gc.freeze()
    woken, waker = _woken_by_children()
    taken, taker = os.pipe()
    ready = Ready(link, instrument, taker, (woken, waker, taken), sandboxes=sys.argv[2] == "sandboxes")
    mine, spare = set[int](), ready.fork()
    while spare or mine:
        found = select.select([woken, taken], [], [])[0]
        if taken in found and PID.unpack(os.read(taken, PID.size))[0] == spare:  # and has not ended already
            mine.add(spare)
            select.select([link.fileno(), taken], [], [], PAUSE)  # a fork now would hold up what was just begun
            spare = ready.fork()
        if woken in found:
            os.read(woken, 4096)
            ended = _fetch(mine, spare)
            if spare in ended:
                spare = 0 if ended[spare] == NO_MORE else ready.fork()


def _woken_by_children() -> tuple[int, int]:
    """A descriptor that becomes readable when a child has ended, and its other end."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    return read, write


@dataclass(frozen=True, slots=True)
class Ready:
    """Forks supervisors before they are needed. Each waits for one order, says that it has it, and carries it out;
    it ends without one when no more will come."""

    link: socket.socket
    instrument: int
    taker: int
    ours: tuple[int, ...]
    sandboxes: bool

    def fork(self) -> int:
        """The process of the next one."""
        nursery, child = os.getpid(), os.fork()
        if not child:
            try:
                kernel.die_with(nursery)
                self._wait()
            finally:
                os._exit(0)
        return child

    def _wait(self) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for each in self.ours:
            os.close(each)
        ahead = None
        if not select.select([self.link], [], [], 0)[0]:  # else others may wait behind that one
            ahead = Ahead() if self.sandboxes else None
            supervisor.rehearse()
        message = self._order()
        if message is None:
            os._exit(NO_MORE)
        kernel.live_on()
        self._say_so()
        self.link.close()
        said, (theirs, *given) = message
        link = socket.socket(fileno=theirs)
        supervisor.main(link, self.instrument, from_json(said), given, ahead, runs=self._runs)

    def _say_so(self) -> None:
        """Tell the nursery that the order is taken, or that the program runs."""
        os.write(self.taker, PID.pack(os.getpid()))

    def _runs(self) -> None:
        with suppress(BrokenPipeError):  # the nursery may have been killed meanwhile
            self._say_so()

    def _order(self) -> tuple[dict[str, Any], list[int]] | None:
        """The next order. Where the instrument is gone there is none, whoever else may hold its end of the link."""
        if self.link.fileno() not in select.select([self.link.fileno(), self.instrument], [], [])[0]:
            return None
        with suppress(OSError):
            return passing.receive(self.link)
        return None


def _fetch(mine: set[int], spare: int) -> dict[int, int]:
    """Fetch what has ended, with how it did. A child that is no supervisor has lost one, and is ended."""
    ended: dict[int, int] = {}
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            mine.discard(pid)
            ended[pid] = os.waitstatus_to_exitcode(status)
    for stray in set(procs.children(os.getpid())) - mine - {spare}:
        with suppress(ProcessLookupError):
            os.kill(stray, signal.SIGKILL)
    return ended


if __name__ == "__main__":
    main()
