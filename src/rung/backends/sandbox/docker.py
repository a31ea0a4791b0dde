"""Programs in containers of Docker, where there is an engine on this machine and rung runs as root.

A container has no network but its loopback; listeners and the capture are opened in it as they are in bubblewrap, and
for that it takes root: a plain user may not step into what the engine made. Forks are copies. The engine's own bounds
hold memory and processes, the kernel's limits and the filter of system calls are those of bubblewrap.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath

from rung.backends.sandbox import inside, session
from rung.backends.sandbox.bubblewrap import HOME, HOME_MB, SHM_MB, TMP_MB, UNCONFINED, files
from rung.backends.sandbox.dockered import AT_END
from rung.backends.sandbox.order import GRACE, LATER, Order
from rung.backends.sandbox.profile import profile
from rung.core.canonical import canonical
from rung.core.confined import Bind, Bounds, Fork, Given, Hear, Isolation, Mount, Program, Scratch, Sockets
from rung.core.errors import InstrumentFault, UsageError

NAME = "docker"
IMAGE = "python:3.11-slim"
LABEL = "rung=program"
"""Containers bear it: `docker ps --all --filter label=rung=program` finds what is left where rung and the supervisor
are both killed."""

NOT_COVERED = (UNCONFINED[0], "the paths of its writable folders on the host can be read inside")

STDIN = "/run/stdin"

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
        """Ask the engine who it is and whether it has the image, and run a program in a container of it."""
        if self._found is None:
            self._found = _probed(self.image, self.nursery)
        return self._found

    async def start(self, program: Program, *, hear: Hear | None = None) -> "Contained":
        """Make the container and leave the program lying still in it."""
        found = self.probe()
        if found.missing:
            raise InstrumentFault("sandbox", f"nothing runs unconfined here: {'; '.join(found.missing)}")
        folder = _folder()
        try:
            order = replace(ordered(program, self.image, folder), grace=self.grace)
            by, nothing = enforced_by(program.bounds), [session.given(b"")]
            kept = await session.ordered(self.nursery, order, nothing, hear=hear, enforced_by=by)
        except BaseException:
            _asked("rm", "--force", folder.name)
            session.clear(folder, Sockets())
            raise
        return Contained(kept, kept.sockets, folder)


@dataclass(slots=True)
class Contained(session.Furnished):
    """A session whose container goes with it: its supervisor removes that, or who leaves, should that one be killed."""

    async def __aexit__(self, *error: object) -> None:
        try:
            await session.Furnished.__aexit__(self, *error)
        finally:
            if self._kept.lost:
                await asyncio.to_thread(_asked, "rm", "--force", self._folder.name)


def _folder() -> Path:
    """A folder for given files, closed to others: the engine mounts what lies in it. The container bears its name."""
    return Path(tempfile.mkdtemp(prefix="rung-"))


def enforced_by(bounds: Bounds) -> Mapping[str, str]:
    """Who holds each bound that is set: the engine's memory cgroup counts memfds too."""
    by = {"cpu_seconds": "rlimit", "address_mb": "rlimit", "processes": "cgroup", "open_files": "rlimit"}
    by |= {"file_mb": "rlimit", "seconds": "watchdog", "memory_mb": "cgroup", "written_mb": "watchdog"}
    by |= {"written_files": "watchdog", "output_mb": "watchdog"}
    held = {name: by[name] for name, value in asdict(bounds).items() if value is not None}
    return held | {"scratch": "tmpfs", "memfd": "cgroup" if bounds.memory_mb else "nobody"}


# --------------------------------------------------------------------------------------------- a look at the machine


def _probed(image: str, nursery: session.Nursery) -> Isolation:
    lacks = _lacks(image) or _tried(image, nursery)
    return Isolation(NAME, _asked("version", "--format", "{{.Server.Version}}")[1], lacks, unconfined=NOT_COVERED)


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
    return ()


def _tried(image: str, nursery: session.Nursery) -> tuple[str, ...]:
    """Run a program in it, with all that is used later."""
    folder, nothing = _folder(), session.given(b"")
    program = Program(("/bin/sh", "-c", "exit 0"), {"PATH": os.defpath}, bounds=Bounds(seconds=60))
    try:
        said, printed = session.tried(nursery, ordered(program, image, folder), [nothing])
    finally:
        os.close(nothing)
        session.clear(folder, Sockets())
    if said.get("reason") == "exited" and said["status"] == 0:
        return ()
    seen = said.get("why") or printed.decode(errors="replace") or said
    return (f"a container of {image} does not run (seen: {seen})",)


def _asked(*words: str) -> tuple[bool, str]:
    """What the engine says to a question, and whether it was answered."""
    found = shutil.which("docker")
    if found is None:
        return False, ""
    try:
        done = subprocess.run([found, *words], capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    return done.returncode == 0, (done.stdout.strip() or done.stderr.strip())[-300:]


# --------------------------------------------------------------------------------------------- a program as options

_GATE = (
    'read -r _ || exit; exec 3>&2 2>/dev/null; (exec "$@") <"$0" 2>&3 3>&-; s=$?; '
    f"exec {AT_END}</dev/null; read -r _; exit $s"
)
"""Lies still until a line comes, runs the program, and stays until another one does. What a shell says of a program
that was killed is not the program's."""


def ordered(program: Program, image: str, folder: Path) -> Order:
    """What a supervisor is told; it picks the user. Given files come to lie in the folder."""
    words = ["--interactive", "--name", folder.name, "--label", LABEL, *_isolation(program, folder)]
    for number, mount in enumerate(program.mounts):
        words += _mounted(mount, folder / str(number))
    if not any(mount.inside == HOME for mount in program.mounts):
        words += _scratch(HOME, HOME_MB)
    if program.stdin:
        words += _mounted(Given(program.stdin, STDIN), folder / "stdin")
    # What an image would add to an environment is taken out again.
    environment = (f"{name}={value}" for name, value in ({"PWD": program.cwd} | dict(program.env)).items())
    words += [image, "/bin/sh", "-c", _GATE, STDIN if program.stdin else os.devnull, "env", "-i", *environment]
    forks = [mount for mount in program.mounts if isinstance(mount, Fork)]
    binds = [mount for mount in program.mounts if isinstance(mount, Bind) and mount.writable]
    writable = (*(str(fork.upper) for fork in forks), *(str(bind.outside) for bind in binds))
    return Order(
        kind="docker", command=(shutil.which("docker") or "docker",), options=(*words, *program.argv),
        program=program.argv[0], cwd=program.cwd, search=program.env.get("PATH", os.defpath), bounds=program.bounds,
        env={name: os.environ[name] for name in _ENGINE if name in os.environ}, wanted=inside.wanted(program.network),
        copied=tuple((str(fork.lower), str(fork.upper)) for fork in forks), points=tuple(_points(program.mounts)),
        owned=writable, watched=writable, tidied=(str(folder),), other_user=True,
    )  # fmt: skip


def _isolation(program: Program, folder: Path) -> Iterator[str]:
    bounds = program.bounds
    (folder / "profile.json").write_text(canonical(profile()))
    yield from ("--network", "none", "--hostname", "sandbox", "--user", f"{LATER}user:{LATER}user", "--read-only")
    yield from ("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--pids-limit", str(bounds.processes))
    yield from ("--security-opt", f"seccomp={folder}/profile.json")
    yield from ("--sysctl", "net.ipv4.ip_unprivileged_port_start=1024")  # docker lets anybody take our name server's
    yield from ("--log-driver", "none", "--pull", "never", "--workdir", program.cwd, "--shm-size", f"{SHM_MB}m")
    yield from _scratch("/tmp", TMP_MB)  # noqa: S108
    for path, text in files(f"{LATER}user").items():
        yield from _mounted(Given(text.encode(), path), folder / f"etc-{PurePosixPath(path).name}")
    if bounds.memory_mb:
        yield from ("--memory", f"{bounds.memory_mb}m", "--memory-swap", f"{bounds.memory_mb}m")


def _scratch(at: str, megabytes: int) -> tuple[str, str]:
    return "--tmpfs", f"{at}:rw,exec,mode=1777,size={megabytes}m"


def _mounted(mount: Mount, own: Path) -> tuple[str, str]:
    if isinstance(mount, Scratch):
        return _scratch(mount.inside, mount.megabytes)
    if isinstance(mount, Given):
        own.write_bytes(mount.data)
        own.chmod(0o444)
        return "--mount", _bound(str(own), mount.inside, writable=False)
    if isinstance(mount, Fork):
        return "--mount", _bound(str(mount.upper.absolute()), mount.inside, writable=True)
    if not mount.writable:
        _refuse_closed(mount.outside)
    return "--mount", _bound(str(mount.outside.absolute()), mount.inside, writable=mount.writable)


def _refuse_closed(outside: Path) -> None:
    """A program is a user of its own, and docker shows that user a folder as it is."""
    needed = 0o005 if outside.is_dir() else 0o004
    if outside.exists() and outside.stat().st_mode & needed != needed:
        raise UsageError(f"docker shows {outside} as it is, closed to others: chmod o+rX it, or use bubblewrap")


def _bound(outside: str, at: str, *, writable: bool) -> str:
    if "," in outside or "," in at:
        raise UsageError(f"docker cannot mount a path with a comma: {outside!r} at {at!r}")
    return f"type=bind,source={outside},target={at}{'' if writable else ',readonly'}"


def _points(mounts: tuple[Mount, ...]) -> Iterator[tuple[str, str]]:
    """What is mounted inside of a writable folder, by that folder. The engine would make what is around it root's."""
    for around in mounts:
        if isinstance(around, Fork) or (isinstance(around, Bind) and around.writable):
            outside = around.upper if isinstance(around, Fork) else around.outside
            for mount in mounts:
                if mount is not around and PurePosixPath(mount.inside).is_relative_to(around.inside):
                    yield str(outside), str(PurePosixPath(mount.inside).relative_to(around.inside))
