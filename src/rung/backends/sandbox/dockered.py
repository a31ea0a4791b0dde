"""How a supervisor starts a program in a container of Docker (see `docker`). Standard library alone."""

import os
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from rung.backends.sandbox import inside, kernel, procs
from rung.backends.sandbox.launch import SETUP_SECONDS, Ends, check_inside, fork
from rung.backends.sandbox.order import LATER, Order

_CLI_FAILED = 125
"""What `docker run` ends with when the engine failed, and not the program."""

_ASK_EVERY = 0.05


@dataclass(slots=True)
class Dockered:
    """A program in a container. Its shell waits for a line, and then becomes the program."""

    order: Order
    outer: int = 0
    _name: str = ""
    _init: int = 0
    _main: int = 0
    _main_fd: int | None = None
    _feed: int = -1
    _given: int = -1

    def start(self, ends: Ends, given: list[int], user: int | None) -> None:
        """Have the engine make the container, up to where the program would begin."""
        self._name = f"rung-{os.getpid()}-{time.monotonic_ns()}"
        filled = {f"{LATER}name": self._name, f"{LATER}user": f"{user}:{user}"}
        command = [*self.order.command, *(filled.get(each, each) for each in self.order.options)]
        reading, self._feed = os.pipe()
        self._given = os.dup(ends.given)
        supervisor = os.getpid()
        own = Ends(reading, ends.out, ends.err)
        environment = dict(self.order.env or {})
        self.outer = fork(lambda: kernel.die_with(supervisor), lambda: os.execve(command[0], command, environment), own)  # noqa: S606
        os.close(reading)
        self._await()
        self._main_fd = os.pidfd_open(self._main)

    def _await(self) -> None:
        until = time.monotonic() + SETUP_SECONDS
        while not self._main:
            if time.monotonic() > until or not procs.alive(self.outer):
                raise OSError("docker started no container")
            said = self._ask("inspect", "--format", "{{.State.Pid}}", self._name)
            self._init = int(said) if said.isdigit() else 0
            self._main = next(iter(procs.children(self._init)), 0) if self._init else 0
            time.sleep(_ASK_EVERY)

    def _ask(self, *words: str) -> str:
        command: Sequence[str] = (*self.order.command, *words)
        done = subprocess.run(command, env=dict(self.order.env or {}), capture_output=True, check=False)  # noqa: S603
        return done.stdout.decode(errors="replace").strip()

    def check(self) -> None:
        """See that the program and its folder are there, as seen from inside."""
        check_inside(self._init, self.order)

    def opened(self) -> inside.Opened:
        """What was opened in its network."""
        return inside.open_inside(self._init, self.order.wanted) if self.order.wanted else inside.NOTHING

    def release(self) -> None:
        """Send the line, and then what the program shall read; a process of its own does, for it may have to wait."""
        if not os.fork():
            with suppress(OSError):
                kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
                os.write(self._feed, b"\n")
                while piece := os.read(self._given, 1 << 16):
                    while piece:
                        piece = piece[os.write(self._feed, piece) :]
            os._exit(0)
        os.close(self._feed)
        os.close(self._given)

    def watch(self) -> int | None:
        """The program's process."""
        return self._main_fd

    def tree(self) -> list[int]:
        """All but the container's own first process."""
        return procs.below(self._init)

    def accounted(self) -> list[int]:
        """The first process has fetched what lost its parent."""
        return [self._init, *self.tree()]

    def broke(self, status: int) -> bool:
        """The engine failed, or somebody killed its command."""
        return os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == _CLI_FAILED

    def survivors(self) -> int:
        """All that lives but the program; the container's end may have taken them before they were counted."""
        return sum(1 for pid in self.tree() if pid != self._main and procs.alive(pid))

    def main(self) -> int:
        """The program's process."""
        return self._main

    def finish(self) -> None:
        """The engine's command ends by itself."""

    def end(self) -> None:
        """A container does not end with the command that started it."""
        if self._name:
            self._ask("rm", "--force", self._name)
