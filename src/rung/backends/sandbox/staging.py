"""What is laid out before a sandbox is made: a private view of what it may see, under neutral names.

A supervisor that runs as root also takes a host user of its own for each running sandbox, so that nothing it starts is
root, and shows that user everything with owners it can live with. Standard library alone.
"""

import os
import signal
import socket
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from rung.backends.sandbox import kernel

FIRST_USER, LAST_USER = 60001, 60999
"""Host users that sandboxes run as. No machine should have accounts there; Debian keeps them for packages that ask."""


@cache
def place() -> Path:
    """Over which folder the private view is laid, where no other process sees it: one that every machine has."""
    return next(each for each in map(Path, ("/mnt", "/tmp")) if each.is_dir())  # noqa: S108 (nothing is written there)


@dataclass(frozen=True, slots=True)
class Shown:
    """A file or folder in the private view. `as_own`: whoever owns it outside, it seems to be the sandbox's user's;
    where the file system cannot do that, a wish leaves it as it is, and a must refuses."""

    outside: str
    as_own: bool = False
    must: bool = False


@dataclass(frozen=True, slots=True)
class Forked:
    """A folder in the private view that is read from the view's number `lower` and written to `upper`, its neighbour
    `work` being the kernel's own."""

    lower: int
    upper: str
    work: str


View: TypeAlias = Shown | Forked


def place_of(number: int) -> str:
    """Where the view's item of this number lies."""
    return str(place() / str(number))


def take_user() -> tuple[int, socket.socket]:
    """A host user that no other sandbox runs as. It is taken for as long as the socket is open: an abstract name, which
    the kernel gives back however its holder ends."""
    for user in range(FIRST_USER, LAST_USER + 1):
        held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            held.bind(f"\0rung-sandbox-user-{user}")
        except OSError:
            held.close()
        else:
            return user, held
    raise OSError(f"all host users from {FIRST_USER} to {LAST_USER} run a sandbox already; run fewer at once")


def become(user: int) -> None:
    """Be this user for good, with no other rights; the last thing before a program is started."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def give(path: str, user: int) -> None:
    """Make a folder and all that lies in it a user's own. Nothing runs in there yet; links are not followed."""
    os.chown(path, user, user)
    with os.scandir(path) as inside:
        if next(inside, None) is None:
            return
    _run("chown", "-R", "-h", f"{user}:{user}", "--", path)


def copy(lower: str, upper: str) -> None:
    """Copy what lies in a folder into an empty one: links as links, and holes as holes."""
    _run("cp", "-a", "--reflink=auto", "--", f"{lower}/.", upper)


def point(folder: str, path: str) -> None:
    """Make the folders around a path in a folder. A program has written in there: what is a link, or no folder, is left
    as it is and not followed."""
    at = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in Path(path).parent.parts:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=at)
            at, around = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at), at
            os.close(around)
    except NotADirectoryError:
        return
    finally:
        os.close(at)


def _run(*command: str) -> None:
    environment = {"PATH": os.defpath, "LC_ALL": "C"}
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603
    if done.returncode:
        raise OSError(f"{command[0]} failed: {done.stderr.decode(errors='replace').strip()[-300:]}")


def leave(*, as_root: bool) -> None:
    """Leave for a network of one's own, which nothing reaches. Without root, for a user namespace as well, in which
    whoever calls is almighty over networks and mounts."""
    if as_root:
        kernel.unshare(kernel.CLONE_NEWNET)
        return
    own, group = os.geteuid(), os.getegid()
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNET)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{own} {own} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def enter(views: tuple[View, ...], user: int | None) -> None:
    """Leave for a namespace of mounts that no other process sees, and lay the view out there.

    Everything is opened before the view is laid over the paths of this machine. Whoever calls is root, or has left.
    """
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.make_private()
    trees = [_trees(view, user) for view in views]
    kernel.mount_memory(place(), mode="0755")
    for number, (view, tree) in enumerate(zip(views, trees, strict=True)):
        if isinstance(view, Shown):
            _attached(tree, place() / str(number))
        else:
            _overlaid(view, place() / str(number), tree)


def _trees(view: View, user: int | None) -> int:
    """What is attached for a view: what it shows, or for a fork the folder in which its two folders lie."""
    if isinstance(view, Forked):
        return kernel.detached(Path(view.upper).parent, whole=True)
    if user is None or not view.as_own:
        return kernel.detached(Path(view.outside), whole=True)
    tree = kernel.detached(Path(view.outside), whole=False)
    owner = os.fstat(tree)
    if (owner.st_uid, owner.st_gid) != (user, user):
        try:
            with_users(tree, owner.st_uid, owner.st_gid, user)
        except OSError:
            if view.must:
                raise
    return tree


def with_users(tree: int, owner: int, group: int, user: int) -> None:
    """Let a detached mount show this owner's and group's files as the user's."""
    users = _user_namespace(f"{owner} {user} 1", f"{group} {user} 1")
    try:
        kernel.rename_owners(tree, users)
    finally:
        os.close(users)


def _user_namespace(users: str, groups: str) -> int:
    """A user namespace with these maps, held by nothing but the descriptor."""
    ready, ready_end = os.pipe()
    child = os.fork()
    if not child:
        try:
            kernel.unshare(kernel.CLONE_NEWUSER)
            os.write(ready_end, b"x")
            signal.pause()
        finally:
            os._exit(1)
    os.close(ready_end)
    try:
        if not os.read(ready, 1):
            raise OSError("no user namespace can be made")
        Path(f"/proc/{child}/uid_map").write_text(users)
        Path(f"/proc/{child}/gid_map").write_text(groups)
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(ready)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _attached(tree: int, at: Path) -> None:
    if os.fstat(tree).st_mode & 0o170000 == 0o040000:
        at.mkdir()
    else:
        at.touch()
    kernel.attach(tree, at)
    os.close(tree)


def _overlaid(view: Forked, at: Path, around: int) -> None:
    """Upper folder and work folder lie on one mount, as an overlay wants it. They are named from where they lie: a
    program can read the options of its mounts, and is to learn from them neither a path nor a name of the host."""
    _attached(around, beside := at.with_name(f"{at.name}u"))
    at.mkdir()
    os.chdir(beside / Path(view.upper).name)
    kernel.mount_overlay(at, lower=place() / str(view.lower), upper=".", work=f"../{Path(view.work).name}")
    os.chdir("/")
