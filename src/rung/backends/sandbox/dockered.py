"""How a supervisor starts a program in a container of Docker (see `docker`). Standard library alone."""

import os
import select
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rung.backends.sandbox import inside, kernel, procs, rlimits, staging
from rung.backends.sandbox.launch import SETUP_SECONDS, Ends, check_inside, ended, fork
from rung.backends.sandbox.order import LATER, Order

AT_END = 4
"""The descriptor that the shell opens when the program is over."""

_ASK_EVERY = 0.05
_ANSWER_SECONDS = 30.0
"""For the engine to answer a question. It takes some hundredths of one."""

_STATE = "{{.State.Status}} {{.State.ExitCode}} {{.State.OOMKilled}}"


@dataclass(slots=True)
class Dockered:
    """A program in a container, whose first process is a shell.

    The shell waits for a line, runs the program, and waits for another line: so nothing is torn down at the moment when
    the program ends, and what it left behind can be counted first. A container bears the name of its order's folder.
    """

    order: Order
    outer: int = 0
    _init: int = 0
    _main: int = 0
    _gate: int = -1
    _outer_fd: int = 0
    _init_fd: int = 0
    _watched: select.epoll | None = None
    _starved: bool = False
    _torn_down: bool = False

    def start(self, ends: Ends, given: list[int], user: int | None) -> None:
        """Have the engine make the container, up to where the program would begin.

        It is made before it is started, so that whatever happens from here on there is one of its name to remove.
        """
        self._fill(str(user))
        said = self._ask("create", *(each.replace(f"{LATER}user", str(user)) for each in self.order.options))
        if said.returncode:
            raise OSError(f"docker made no container: {said.stderr.decode(errors='replace').strip()[-300:]}")
        gate, self._gate = os.pipe()
        supervisor, environment = os.getpid(), dict(self.order.env or {})
        command = [*self.order.command, "start", "--attach", "--interactive", self._name]
        own = Ends(gate, ends.out, ends.err)
        self.outer = fork(lambda: kernel.die_with(supervisor), lambda: os.execve(command[0], command, environment), own)  # noqa: S606
        os.close(gate)
        self._outer_fd = os.pidfd_open(self.outer)
        self._await()
        self._limit(user)

    @property
    def _name(self) -> str:
        return Path(self.order.tidied[0]).name

    def _fill(self, user: str) -> None:
        """Write the user's number into the files that tell of it."""
        for each in Path(self.order.tidied[0]).glob("etc-*"):
            each.write_text(each.read_text().replace(f"{LATER}user", user))

    def _await(self) -> None:
        until = time.monotonic() + SETUP_SECONDS
        while not self._init:
            if time.monotonic() > until or not procs.alive(self.outer):
                raise OSError("docker started no container")
            said = self._ask("inspect", "--format", "{{.State.Pid}}", self._name).stdout.strip()
            self._init = int(said) if said.isdigit() else 0
            self._init_fd = os.pidfd_open(self._init) if self._init else 0
            time.sleep(0 if self._init else _ASK_EVERY)

    def _limit(self, user: int | None) -> None:
        """Set its bounds. Root in a container may not set those of another user, but that user may."""
        try:
            rlimits.limit(self._init, self.order.bounds)
        except PermissionError:
            if user is None:
                raise
            child = os.fork()
            if not child:
                try:
                    staging.become(user)
                    rlimits.limit(self._init, self.order.bounds)
                    os._exit(0)
                finally:
                    os._exit(1)
            if os.waitpid(child, 0)[1]:
                raise OSError("the bounds of the container cannot be set") from None

    def _ask(self, *words: str) -> "subprocess.CompletedProcess[bytes]":
        command, environment = [*self.order.command, *words], dict(self.order.env or {})
        try:
            return subprocess.run(  # noqa: S603
                command, env=environment, capture_output=True, timeout=_ANSWER_SECONDS, check=False,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            return subprocess.CompletedProcess(command, 1, b"", str(error).encode())

    def check(self) -> None:
        """See that the program and its folder are there, as seen from inside."""
        check_inside(self._init, self.order)

    def opened(self) -> inside.Opened:
        """What was opened in its network."""
        return inside.open_inside(self._init, self.order.wanted) if self.order.wanted else inside.NOTHING

    def release(self) -> None:
        """Send the first line."""
        with suppress(BrokenPipeError):
            os.write(self._gate, b"\n")

    def watch(self) -> int | None:
        """The program is the shell's oldest child, until the shell says that it is over. The engine's command is
        watched as well: without it nothing is heard of the program any more."""
        if self._watched is None:
            over = self._is_over()
            self._main = min(procs.children(self._init), key=procs.number_inside, default=0)
            if self._main or over:
                self._watched = select.epoll()
                self._watched.register(self._outer_fd, select.EPOLLIN)
                self._watched.register(self._end_of_main(), select.EPOLLIN)
        return self._watched.fileno() if self._watched else None

    def _end_of_main(self) -> int:
        with suppress(ProcessLookupError):
            if self._main and not self._is_over():
                return os.pidfd_open(self._main)
        self._main = 0
        return ended()

    def _is_over(self) -> bool:
        said = Path(f"/proc/{self._init}/fd/{AT_END}").exists()
        return said or not (procs.alive(self._init) and procs.alive(self.outer))

    def tree(self) -> list[int]:
        """All but the container's own first process."""
        return procs.below(self._init) if self._init else []

    def accounted(self) -> list[int]:
        """The first process has fetched what lost its parent."""
        return [self._init, *self.tree()]

    def broke(self, status: int) -> bool:
        """The shell was ended from outside, or the engine does not say the same as its command: one of them failed."""
        said = self._ask("inspect", "--format", _STATE, self._name).stdout.decode(errors="replace").split()
        self._starved = self._starved or said[2:] == ["true"]
        return self._torn_down or os.WIFSIGNALED(status) or said[:2] != ["exited", str(os.WEXITSTATUS(status))]

    def starved(self) -> bool:
        """The kernel says so while the container is there, and the engine afterwards."""
        self._starved = self._starved or procs.killed_for_memory(self._init) > 0
        return self._starved and self.order.bounds.memory_mb is not None

    def survivors(self) -> int:
        """All that lives but the program."""
        return sum(1 for pid in self.tree() if pid != self._main and procs.alive(pid))

    def main(self) -> int:
        """The program's process."""
        return self._main

    def finish(self) -> None:
        """Send the second line, unless the shell did not wait for it."""
        self._torn_down = procs.is_ending(self._init)
        with suppress(BrokenPipeError):
            os.write(self._gate, b"\n")

    def end(self) -> None:
        """A container does not end with the command that started it. With its first process all others end, also where
        the engine is gone; and the engine removes none whose command cannot pass on what the program printed."""
        for each in filter(None, (self._init_fd, self._outer_fd)):
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(each, signal.SIGKILL)
        self._ask("rm", "--force", "--volumes", self._name)
