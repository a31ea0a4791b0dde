"""Programs as they are, unconfined. Only for when somebody asks for it by name: what comes of it is stamped so.

A program here reads and writes what its user may, reaches whatever the machine reaches, and learns where it is. What
still holds: time, output, the number of its processes where the user is not root, and that nothing of it is left
running. Paths inside stand for paths of the host: wherever one of them, or a port of the instrument's, occurs in what
the program is given, it is replaced by where that really is.
"""

import os
import re
import socket
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from rung.backends.sandbox import inside, session, staging
from rung.backends.sandbox.order import GRACE, Order
from rung.core.confined import (
    Bind,
    Bounds,
    Fork,
    Given,
    Hear,
    Isolation,
    Mount,
    Program,
    Scratch,
    Sockets,
)
from rung.core.errors import InstrumentFault

NAME = "unsafe"

UNCONFINED = (
    "it reads and writes what its user may, the instrument's own files included",
    "it reaches the whole network, and no record is kept of it",
    "it sees and may end other processes of its user",
)


@dataclass(slots=True)
class Unsafe:
    """Runs programs as they are (see `rung.core.confined.Confiner`)."""

    name: str = NAME
    grace: float = GRACE
    nursery: session.Nursery = field(default_factory=session.Nursery)

    def probe(self) -> Isolation:
        """It holds nothing, and needs next to nothing."""
        missing = (
            () if sys.platform == "linux" else (f"programs are kept track of on Linux, and this is {sys.platform}",)
        )
        return Isolation(NAME, missing=missing, unconfined=UNCONFINED)

    async def start(self, program: Program, *, hear: Hear | None = None) -> session.Furnished:
        """Leave a program waiting to begin."""
        missing = self.probe().missing
        if missing:
            raise InstrumentFault("sandbox", "; ".join(missing))
        folder = Path(tempfile.mkdtemp(prefix="rung-"))
        held = listening(program.network.ports if program.network.mode != "none" else ())
        try:
            order = replace(ordered(program, folder, held), grace=self.grace)
            kept = await session.ordered(
                self.nursery, order, [session.given(program.stdin)], hear=hear, enforced_by=enforced_by(program.bounds)
            )
        except BaseException:
            session.clear(folder, held)
            raise
        return session.Furnished(kept, held, folder)


def listening(ports: Sequence[int]) -> Sockets:
    """A listener on the host's loopback for each port that was asked for, at a port that was free."""
    made = {port: socket.create_server(("127.0.0.1", 0), backlog=inside.BACKLOG) for port in ports}
    for each in made.values():
        each.setblocking(False)
    return Sockets(listening=made)


def enforced_by(bounds: Bounds) -> Mapping[str, str]:
    """Who holds each bound that is set."""
    by = {"cpu_seconds": "rlimit", "address_mb": "rlimit", "open_files": "rlimit", "file_mb": "rlimit"}
    by |= {"seconds": "watchdog", "memory_mb": "watchdog", "written_mb": "watchdog", "written_files": "watchdog"}
    by |= {"output_mb": "watchdog", "processes": "nobody" if os.geteuid() == 0 else "rlimit"}
    held = {name: by[name] for name, value in asdict(bounds).items() if value is not None}
    return held | {"scratch": "nobody", "memfd": "nobody"}


# --------------------------------------------------------------------------------------------- in place of mounts


def ordered(program: Program, folder: Path, held: Sockets) -> Order:
    """What a supervisor is told, once everything lies where the program will find it."""
    places: dict[str, str] = {}
    for number, mount in enumerate(program.mounts):
        places[mount.inside] = _place(mount, folder / str(number), places)
    text = Replaced(places, {port: each.getsockname()[1] for port, each in held.listening.items()})
    for mount in program.mounts:
        _lay_out(mount, Path(places[mount.inside]), text)
    writable = [
        mount for mount in program.mounts if isinstance(mount, Fork) or (isinstance(mount, Bind) and mount.writable)
    ]
    env = {name: text.in_text(value) for name, value in program.env.items()}
    argv = tuple(map(text.in_text, program.argv))
    return Order(
        kind="unsafe", command=argv, program=argv[0], env=env, cwd=text.in_text(program.cwd),
        search=env.get("PATH", os.defpath), bounds=program.bounds,
        watched=tuple(places[mount.inside] for mount in writable), tidied=(str(folder),),
    )  # fmt: skip


DEEP = 2
"""Names in the path of a folder from which on it is nobody's but the program's: not /etc, but /opt/rung."""


def _place(mount: Mount, own: Path, places: dict[str, str]) -> str:
    """Where what a program is given really lies. A given file lies in what stands for the folder around it."""
    if isinstance(mount, Bind):
        return str(mount.outside)
    if isinstance(mount, Fork):
        return str(mount.upper)
    if not isinstance(mount, Given):
        return str(own)
    folder, _, _ = mount.inside.rpartition("/")
    around = [place for place in places if mount.inside.startswith(f"{place}/")]
    if not around and folder.count("/") >= DEEP:  # a search path may name the folder and not the file
        around = [folder]
        places[folder] = str(own)
    if around:
        nearest = max(around, key=len)
        return places[nearest] + mount.inside.removeprefix(nearest)
    return str(own)


def _lay_out(mount: Mount, place: Path, text: "Replaced") -> None:
    if isinstance(mount, Scratch):
        place.mkdir()
    elif isinstance(mount, Fork) and not any(mount.upper.iterdir()):
        staging.copy(str(mount.lower), str(mount.upper))
    elif isinstance(mount, Given):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.write_bytes(text.in_bytes(mount.data))
        place.chmod(0o444)


class Replaced:
    """Paths inside and the instrument's ports, replaced by where they really are."""

    def __init__(self, places: Mapping[str, str], ports: Mapping[int, int]) -> None:
        self._real = {**places, **{f"127.0.0.1:{port}": f"127.0.0.1:{real}" for port, real in ports.items()}}
        begins = {name: r"(?<![\w./-])" if name.startswith("/") else r"(?<![\w.])" for name in self._real}
        longest_first = sorted(self._real, key=len, reverse=True)
        names = "|".join(begins[name] + re.escape(name) for name in longest_first)
        self._pattern = re.compile(rf"({names})(?![\w-])" if names else r"(?!)")

    def in_text(self, text: str) -> str:
        """The text with every place as it really is. /home is not in /homes, nor in /a/home.

        >>> Replaced({"/home/agent": "/x/1"}, {8710: 40001}).in_text("see /home/agent/a, http://127.0.0.1:8710/m")
        'see /x/1/a, http://127.0.0.1:40001/m'
        """
        return self._pattern.sub(lambda found: self._real[found[1]], text)

    def in_bytes(self, data: bytes) -> bytes:
        """The same in the bytes of a file, whatever they are."""
        return self.in_text(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
