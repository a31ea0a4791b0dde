"""Programs in containers of Docker, where there is an engine on this machine and rung runs as root.

A container has no network but its loopback; listeners and the capture are opened in it as they are in bubblewrap, and
for that it takes root: a plain user may not step into what the engine made. Forks are copies. The engine's own bounds
hold memory and processes. Nothing here has met a real engine yet: its tests hold it to what it asks of one.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from rung.backends.sandbox import inside, session
from rung.backends.sandbox.bubblewrap import HOME, SHM_MB, TMP_MB, UNCONFINED
from rung.backends.sandbox.order import GRACE, LATER, Order
from rung.core.confined import Bind, Bounds, Fork, Given, Hear, Isolation, Mount, Program, Scratch, Sockets
from rung.core.errors import InstrumentFault, UsageError

NAME = "docker"
IMAGE = "python:3.11-slim"
LABEL = "rung=program"
"""Containers bear it: should a supervisor be killed, `docker ps --filter label=rung=program` finds what it left."""

_ENGINE = ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "HOME", "PATH")
"""What of our environment tells the docker command where its engine is. None of it reaches the program."""

_SECONDS = 30


@dataclass(slots=True)
class Docker:
    """Runs programs in containers (see `rung.core.confined.Confiner`). The image is on the machine already."""

    image: str = IMAGE
    name: str = NAME
    grace: float = GRACE
    nursery: session.Nursery = field(default_factory=session.Nursery)
    _found: Isolation | None = None

    def probe(self) -> Isolation:
        """Ask the engine who it is and whether it has the image, and run a container of it."""
        if self._found is None:
            self._found = _probed(self.image)
        return self._found

    async def start(self, program: Program, *, hear: Hear | None = None) -> session.Furnished:
        """Make the container and leave the program lying still in it."""
        found = self.probe()
        if found.missing:
            raise InstrumentFault("sandbox", f"nothing runs unconfined here: {'; '.join(found.missing)}")
        folder = _folder()
        try:
            order = replace(ordered(program, self.image, folder), grace=self.grace)
            by, given = enforced_by(program.bounds), [session.given(program.stdin)]
            kept = await session.ordered(self.nursery, order, given, hear=hear, enforced_by=by)
        except BaseException:
            session.clear(folder, Sockets())
            raise
        return session.Furnished(kept, kept.sockets, folder)


def _folder() -> Path:
    """A folder for given files, open to the container's user."""
    folder = Path(tempfile.mkdtemp(prefix="rung-"))
    folder.chmod(0o755)
    return folder


def enforced_by(bounds: Bounds) -> Mapping[str, str]:
    """Who holds each bound that is set: the engine's memory cgroup counts memfds too."""
    by = {"cpu_seconds": "rlimit", "address_mb": "nobody", "processes": "cgroup", "open_files": "rlimit"}
    by |= {"file_mb": "rlimit", "seconds": "watchdog", "memory_mb": "cgroup", "written_mb": "watchdog"}
    by |= {"written_files": "watchdog", "output_mb": "watchdog"}
    held = {name: by[name] for name, value in asdict(bounds).items() if value is not None}
    return held | {"scratch": "tmpfs", "memfd": "cgroup" if bounds.memory_mb else "nobody"}


# --------------------------------------------------------------------------------------------- a look at the machine


def _probed(image: str) -> Isolation:
    lacks = _lacks(image)
    return Isolation(NAME, _asked("version", "--format", "{{.Server.Version}}")[1], lacks, unconfined=UNCONFINED[:1])


def _lacks(image: str) -> tuple[str, ...]:
    if shutil.which("docker") is None:
        return ("docker is not on the PATH: install Docker Engine, or use bubblewrap",)
    works, said = _asked("version", "--format", "{{.Server.Version}}")
    if not works:
        return (f"no engine answers the docker command: start one, or use bubblewrap (seen: {said})",)
    if sys.platform != "linux" or os.geteuid() != 0:
        return ("listeners inside a container are opened by root on Linux alone: run rung as root, or use bubblewrap",)
    if not _asked("image", "inspect", "--format", "{{.Id}}", image)[0]:
        return (f"the image {image} is not on this machine: docker pull {image}",)
    works, said = _asked("run", "--rm", "--network", "none", "--label", LABEL, image, "/bin/sh", "-c", "exit 0")
    return () if works else (f"a container of {image} does not run (seen: {said})",)


def _asked(*words: str) -> tuple[bool, str]:
    """What the engine says to a question, and whether it was answered."""
    found = shutil.which("docker")
    if found is None:
        return False, ""
    try:
        done = subprocess.run([found, *words], capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    return done.returncode == 0, (done.stdout or done.stderr).strip()[-300:]


# --------------------------------------------------------------------------------------------- a program as options

_GATE = 'read -r _ && exec "$@"'
"""Lies still until a line comes; what is read after it is the program's own."""


def ordered(program: Program, image: str, folder: Path) -> Order:
    """What a supervisor is told; it picks the container's name and user. Given files come to lie in the folder."""
    words = ["run", "--rm", "--interactive", "--name", f"{LATER}name", "--label", LABEL, *_isolation(program)]
    for number, mount in enumerate(program.mounts):
        words += _mounted(mount, folder / str(number))
    if not any(mount.inside == HOME for mount in program.mounts):
        words += ["--tmpfs", f"{HOME}:rw,mode=1777,size={SHM_MB}m"]
    words += [image, "/bin/sh", "-c", _GATE, "sh", *program.argv]
    forks = [mount for mount in program.mounts if isinstance(mount, Fork)]
    binds = [mount for mount in program.mounts if isinstance(mount, Bind) and mount.writable]
    writable = (*(str(fork.upper) for fork in forks), *(str(bind.outside) for bind in binds))
    return Order(
        kind="docker", command=(shutil.which("docker") or "docker",), options=tuple(words), program=program.argv[0],
        cwd=program.cwd, search=program.env.get("PATH", os.defpath), bounds=program.bounds,
        env={name: os.environ[name] for name in _ENGINE if name in os.environ}, wanted=inside.wanted(program.network),
        copied=tuple((str(fork.lower), str(fork.upper)) for fork in forks),
        owned=writable, watched=writable, tidied=(str(folder),), other_user=True,
    )  # fmt: skip


def _isolation(program: Program) -> Iterator[str]:
    bounds = program.bounds
    yield from ("--network", "none", "--hostname", "sandbox", "--user", f"{LATER}user", "--read-only", "--init")
    yield from ("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--pids-limit", str(bounds.processes))
    yield from ("--log-driver", "none", "--pull", "never", "--workdir", program.cwd)
    yield from ("--tmpfs", f"/tmp:rw,mode=1777,size={TMP_MB}m", "--shm-size", f"{SHM_MB}m")  # noqa: S108
    yield from ("--ulimit", f"nofile={bounds.open_files}", "--ulimit", f"fsize={bounds.file_mb << 20}")
    yield from ("--ulimit", "core=0")
    if bounds.memory_mb:
        yield from ("--memory", f"{bounds.memory_mb}m", "--memory-swap", f"{bounds.memory_mb}m")
    if bounds.cpu_seconds:
        yield from ("--ulimit", f"cpu={bounds.cpu_seconds}")
    for name, value in program.env.items():
        yield from ("--env", f"{name}={value}")


def _mounted(mount: Mount, own: Path) -> tuple[str, str]:
    if isinstance(mount, Scratch):
        return "--tmpfs", f"{mount.inside}:rw,mode=1777,size={mount.megabytes}m"
    if isinstance(mount, Given):
        own.write_bytes(mount.data)
        own.chmod(0o444)
        return "--mount", _bound(str(own), mount.inside, writable=False)
    outside, writable = (mount.outside, mount.writable) if isinstance(mount, Bind) else (mount.upper, True)
    return "--mount", _bound(str(Path(outside).absolute()), mount.inside, writable=writable)


def _bound(outside: str, at: str, *, writable: bool) -> str:
    if "," in outside or "," in at:
        raise UsageError(f"docker cannot mount a path with a comma: {outside!r} at {at!r}")
    return f"type=bind,source={outside},target={at}{'' if writable else ',readonly'}"
