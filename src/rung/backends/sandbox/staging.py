"""What a supervisor that runs as root does so that nothing it starts is root: a host user of its own for each running
sandbox, and a private view of what the sandbox may see, under neutral names and with owners that user can live with.

Everybody else needs none of this: their sandboxes run as themselves. Standard library alone.
"""

import os
import signal
import socket
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from rung.backends.sandbox import kernel

FIRST_USER, LAST_USER = 60001, 60999
"""Host users that sandboxes run as. No machine should have accounts there; Debian keeps them for packages that ask."""

PLACE = Path("/mnt")
"""Over which folder the private view is laid, where no other process sees it."""


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
    return str(PLACE / str(number))


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


def _run(*command: str) -> None:
    environment = {"PATH": os.defpath, "LC_ALL": "C"}
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603
    if done.returncode:
        raise OSError(f"{command[0]} failed: {done.stderr.decode(errors='replace').strip()[-300:]}")


@dataclass(frozen=True, slots=True)
class Prepared:
    """Mounts that are attached nowhere yet, in the view's order; None where an overlay comes."""

    views: tuple[View, ...]
    trees: tuple[int | None, ...]


def prepare(views: tuple[View, ...], user: int) -> Prepared:
    """Open what the view shows, before anything is laid over the paths of this machine."""
    return Prepared(views, tuple(_tree(view, user) if isinstance(view, Shown) else None for view in views))


def _tree(shown: Shown, user: int) -> int:
    tree = kernel.detached(Path(shown.outside))
    if shown.as_own:
        owner = os.fstat(tree)
        if (owner.st_uid, owner.st_gid) != (user, user):
            try:
                with_users(tree, owner.st_uid, owner.st_gid, user)
            except OSError:
                if shown.must:
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


def enter(prepared: Prepared) -> None:
    """Leave for a namespace of mounts that no other process sees, and lay the view out there."""
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.make_private()
    uppers = {
        number: kernel.detached(Path(view.upper).parent)
        for number, view in enumerate(prepared.views)
        if isinstance(view, Forked)
    }
    kernel.mount_memory(PLACE, mode="0755")
    for number, (view, tree) in enumerate(zip(prepared.views, prepared.trees, strict=True)):
        if tree is not None:
            _attached(tree, PLACE / str(number))
        elif isinstance(view, Forked):
            _overlaid(view, PLACE / str(number), uppers[number])


def _attached(tree: int, place: Path) -> None:
    if os.fstat(tree).st_mode & 0o170000 == 0o040000:
        place.mkdir()
    else:
        place.touch()
    kernel.attach(tree, place)
    os.close(tree)


def _overlaid(view: Forked, place: Path, parent: int) -> None:
    """The upper folder and the kernel's own lie on one mount, as an overlay wants it. What a program may read of its
    mounts names places of the view alone."""
    _attached(parent, beside := place.with_name(f"{place.name}u"))
    place.mkdir()
    upper, work = (beside / Path(each).name for each in (view.upper, view.work))
    kernel.mount_overlay(place, lower=PLACE / str(view.lower), upper=upper, work=work)
