"""The shapes of a confined program: what is started, what it may use, and how it ended.

A program lies still between `Confiner.start` and `Confined.release`. In between, the instrument takes up its posts:
it listens on the sockets that were opened inside the program's own network, and reads the capture there. So nothing
the program does can come before the record of it.

Paths inside are constants; only those outside differ from one session to the next. Programs keep absolute paths in
what they leave, and an agent must not learn from a path which exam it sits.
"""

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

# --------------------------------------------------------------------------------------------- what it sees


@dataclass(frozen=True, slots=True)
class Bind:
    """A file or folder of the host, at a path inside."""

    outside: Path
    inside: str
    writable: bool = False


@dataclass(frozen=True, slots=True)
class Fork:
    """A folder that is read from `lower` and written to `upper`: `lower` stays as it is, to the byte.

    `upper` exists and is empty, or holds what an earlier session wrote. It is the difference; what was deleted is in it
    too.
    """

    lower: Path
    upper: Path
    inside: str


@dataclass(frozen=True, slots=True)
class Given:
    """A file with these bytes, which cannot be written."""

    data: bytes
    inside: str


@dataclass(frozen=True, slots=True)
class Scratch:
    """An empty folder in memory, of at most so many megabytes; gone with the program."""

    inside: str
    megabytes: int


Mount: TypeAlias = Bind | Fork | Given | Scratch

# --------------------------------------------------------------------------------------------- what it may use


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a program may use. None: no bound of ours.

    `seconds` are of a clock on the wall. `memory_mb` is what all its processes hold together, `address_mb` the address
    space of each of them; the large agent programs cannot live with the second. `written_mb` and `written_files` hold
    for all writable mounts together, `file_mb` for one file. `output_mb` bounds what it prints; what goes beyond is
    read, counted and dropped.
    """

    seconds: float | None = None
    cpu_seconds: int | None = None
    memory_mb: int | None = 4096
    address_mb: int | None = None
    processes: int = 512
    open_files: int = 4096
    file_mb: int = 1024
    written_mb: int = 4096
    written_files: int = 200_000
    output_mb: int = 256


NetworkMode: TypeAlias = Literal["none", "gateway", "allowlist"]


@dataclass(frozen=True, slots=True)
class Network:
    """What a program reaches.

    `none`: nothing; every attempt is refused at once, and captured. `gateway`: the instrument's own listeners on
    127.0.0.1 and these `ports` besides. `allowlist`: also the hosts named in `allow`, through the instrument's own
    name server and relay; a name stands for itself alone, `*.name` for everything below it.
    """

    mode: NetworkMode = "none"
    ports: tuple[int, ...] = ()
    allow: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run confined. Its environment is complete: nothing is inherited."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict, hash=False)
    mounts: tuple[Mount, ...] = ()
    cwd: str = "/"
    bounds: Bounds = Bounds()
    network: Network = Network()
    stdin: bytes = b""


# --------------------------------------------------------------------------------------------- how it ended

EndReason: TypeAlias = Literal[
    "exited", "signalled", "wall_clock", "memory", "written", "stopped", "instrument_lost", "sandbox_failed"
]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended.

    `exited` and `signalled` are its own doing (`status`, `signal`). `wall_clock`, `memory` and `written` name the bound
    that we ended it for; `stopped` was asked for, with `why`. `instrument_lost`: the process that watched it was gone.
    `sandbox_failed` says nothing of the program: it never ran, or what confined it broke.

    `seconds` ran from its release. `dropped` bytes of output went beyond the bound. `forced` processes were still there
    when the program had ended, and were killed. `enforced_by` names, for each bound, who held it: `rlimit`, `watchdog`,
    `tmpfs`, `cgroup`, or `nobody`.
    """

    reason: EndReason
    status: int | None = None
    signal: int | None = None
    why: str = ""
    seconds: float = 0.0
    dropped: int = 0
    forced: int = 0
    enforced_by: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Activity:
    """What a running program has done so far: CPU seconds, bytes printed, bytes and files in its writable mounts, and
    how many processes it has now. One that does not change in any of them, nor on the network, has stalled."""

    cpu_seconds: float
    printed: int
    written_bytes: int
    written_files: int
    processes: int


Asked: TypeAlias = Literal["operator", "wall_clock", "budget", "stalled", "looping", "idle", "forced"]
"""Why the instrument ended a program: `idle` after its stream was exhausted, `forced` where it lived on after its own
last words."""


@dataclass(frozen=True, slots=True)
class Departed:
    """How a program's session came to its end, as each source has it. Evidence, from the most to the least trusted.

    `asked`: why the instrument ended it, if it did. `ended`: what the sandbox saw. `statuses`: HTTP statuses of its
    last requests to a model, the newest last, and `answered` what an error among them said; `refused`: its last answer
    was a refusal, or was filtered. `clean`: it said itself that it was done (where it says nothing, by exit status);
    `over` that it had said its last words, which `words` quotes.
    """

    ended: Ended
    asked: Asked | None = None
    statuses: tuple[int, ...] = ()
    answered: str = ""
    refused: bool = False
    clean: bool = False
    over: bool = False
    words: str = ""


Hear: TypeAlias = Callable[[Literal["out", "err"], bytes], None]
"""Is told what a program prints, in the order in which it arrives, up to the bound."""


@dataclass(frozen=True, slots=True)
class Sockets:
    """What was opened inside a program's own network before the program ran. All are non-blocking.

    `listening` are TCP sockets on 127.0.0.1 by port. `web` are those that take what goes to any other address at the
    ports 80 and 443, by port; `dns` the name server's, over UDP and TCP. `capture` reads every packet (AF_PACKET,
    linktype Ethernet). Where a mode has no use for one it is absent.
    """

    listening: Mapping[int, socket.socket] = field(default_factory=dict)
    web: Mapping[int, socket.socket] = field(default_factory=dict)
    dns: tuple[socket.socket, ...] = ()
    capture: socket.socket | None = None


class Confined(Protocol):
    """A program in its sandbox. Use it as an async context: however it is left, every process of it is killed."""

    @property
    def sockets(self) -> Sockets:
        """What the instrument holds inside the program's network."""
        ...

    async def release(self) -> None:
        """Let the program run. Call it once, when the recorder and the servers are up."""
        ...

    async def activity(self) -> Activity:
        """What it has done so far."""
        ...

    async def stop(self, why: str) -> None:
        """Ask it to end (SIGTERM), and after a grace of some seconds kill it. `wait` gives how it ended."""
        ...

    async def wait(self) -> Ended:
        """How it ended, when all its processes are gone."""
        ...

    async def __aenter__(self) -> "Confined": ...

    async def __aexit__(self, *error: object) -> None: ...


@dataclass(frozen=True, slots=True)
class Isolation:
    """What a confiner holds, found out by running a child in it and never guessed from a version.

    `name` is what rows are stamped with: `bubblewrap`, `docker`, `unsafe`. `missing` says in plain words what is not
    there and the mend; with anything in it, nothing is started. `forks` tells whether `Fork` is an overlay or a copy.
    """

    name: str
    version: str = ""
    missing: tuple[str, ...] = ()
    forks: Literal["overlay", "copy"] = "copy"
    unconfined: tuple[str, ...] = ()


class Confiner(Protocol):
    """A place where foreign programs run."""

    @property
    def name(self) -> str:
        """What rows that come of it are stamped with."""
        ...

    def probe(self) -> Isolation:
        """Find out what it holds on this machine."""
        ...

    async def start(self, program: Program, *, hear: Hear | None = None) -> Confined:
        """Make the sandbox and leave the program lying still in it. Raises `InstrumentFault` when it cannot be made."""
        ...
