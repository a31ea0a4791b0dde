"""Where the processes come from that keep records: one that has all loaded and forks another for each record."""

import os
import socket
import subprocess
import sys
import weakref
from contextlib import suppress
from pathlib import Path

_START = """
import sys, types
sys.modules["rung"] = types.ModuleType("rung")  # without its own first lines, which look up its version for 20 ms
sys.modules["rung"].__path__ = [sys.argv[2]]
from rung.backends.network.watch import serve
serve(int(sys.argv[1]))
"""
_PATIENCE_SECONDS = 10.0


class Watchers:
    """Starts watchers, each in a millisecond, for any number of recorders. Its process ends with its last holder.

    That process comes with the first watcher, or by `start`, which waits for nothing: call it before the first
    sandbox is made, and the two come up at once.
    """

    def __init__(self) -> None:
        self._link: socket.socket | None = None
        self._owner = 0
        self.pid = 0
        """Its process."""

    def start(self) -> None:
        """Be ready for the first watcher."""
        self._started()

    def watcher(self) -> socket.socket:
        """Start a watcher: the socket over which it takes its order. It ends when that is closed."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._started(), [b"."], [theirs.fileno()])
            except OSError:  # it was killed: there will be another
                self._link = None
                socket.send_fds(self._started(), [b"."], [theirs.fileno()])
        return ours

    def _started(self) -> socket.socket:
        """Where watchers are asked for. A process that was forked off gets its own."""
        if self._link is None or self._owner != os.getpid():
            self._link, process = _forking()
            self._owner, self.pid = os.getpid(), process.pid
            weakref.finalize(self, _end, self._link, process, self._owner)
        return self._link


def _forking() -> "tuple[socket.socket, subprocess.Popen[bytes]]":
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-I", "-S", "-c", _START, str(theirs.fileno()), str(Path(__file__).parents[2])]
    with theirs:
        process = subprocess.Popen(  # noqa: S603 (our own module)
            command,
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
    return ours, process


def _end(link: socket.socket, process: "subprocess.Popen[bytes]", owner: int) -> None:
    """Hang up, and it ends; watchers at work end with their own records."""
    if owner == os.getpid():
        link.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_PATIENCE_SECONDS)
