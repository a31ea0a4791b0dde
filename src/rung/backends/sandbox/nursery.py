"""The process from which supervisors come: a fork of it costs a millisecond, where starting Python costs fifteen.

It is started when the first sandbox is, has one thread, and does nothing but fork. Should a supervisor itself be
killed, what it kept comes here, and is ended. Standard library alone.
"""

import os
import select
import signal
import socket
import sys
from contextlib import suppress

from rung.backends.sandbox import kernel, passing, procs, supervisor
from rung.backends.sandbox.order import from_json


def main() -> None:
    """Serve orders until whoever started us is gone, then wait for the last supervisor."""
    link, instrument = socket.socket(fileno=int(sys.argv[1])), os.pidfd_open(int(sys.argv[2]))
    link.set_inheritable(False)  # it had to be for us, and is for nobody below
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    woken, waker = _woken_by_children()
    poll = select.poll()
    for each in (link.fileno(), instrument, woken):
        poll.register(each, select.POLLIN)
    mine: set[int] = set()
    serving = True
    while serving or mine:
        for descriptor, _ in poll.poll():
            if descriptor == woken:
                os.read(woken, 4096)
            elif descriptor == link.fileno() and serving:
                child = _serve(link, instrument, (woken, waker))
                serving = child is not None
                mine |= {child} if child else set()
            elif descriptor == instrument:
                serving = False
                poll.unregister(instrument)
        if not serving:
            with suppress(KeyError, ValueError):
                poll.unregister(link)
        _fetch(mine)


def _woken_by_children() -> tuple[int, int]:
    """A descriptor that becomes readable when a child has ended, and its other end."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    return read, write


def _serve(link: socket.socket, instrument: int, ours: tuple[int, int]) -> int | None:
    """Take one order and fork its supervisor; None when no more will come."""
    try:
        message = passing.receive(link)
    except OSError:
        message = None
    if message is None:
        return None
    said, (theirs, *given) = message
    child = os.fork()
    if not child:
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            link.close()
            for each in ours:
                os.close(each)
            supervisor.main(socket.socket(fileno=theirs), instrument, from_json(said), given)
        finally:
            os._exit(0)
    for each in (theirs, *given):
        os.close(each)
    return child


def _fetch(mine: set[int]) -> None:
    """Fetch what has ended. A child that is no supervisor has lost one, and is ended."""
    with suppress(ChildProcessError):
        while pid := os.waitpid(-1, os.WNOHANG)[0]:
            mine.discard(pid)
    for stray in set(procs.children(os.getpid())) - mine:
        with suppress(ProcessLookupError):
            os.kill(stray, signal.SIGKILL)


if __name__ == "__main__":
    main()
