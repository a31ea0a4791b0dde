"""The one way to walk through, read and delete a folder that foreign programs wrote.

It goes from open folder to open folder by single names, never by a path and never through a link, so nothing that was
planted can lead it out. It holds one folder open at a time and calls itself nowhere, so depth costs nothing. Only
regular files are opened: a pipe could hold it for ever, and a device is not its business. What cannot be kept becomes
a `Finding`, and the walk goes on.

The tree is expected to be dead: the programs in it have ended. Should one live, it can spoil its own record and
nothing else.
"""

import errno
import os
import stat
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeAlias, TypeVar

from rung.core.crashpoints import READ_LABEL, reach
from rung.core.errors import InstrumentFault, UsageError
from rung.core.paths import spelled

T = TypeVar("T")

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
REGULAR = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
THEIRS = frozenset({errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO})
"""Why a foreign file or folder is not opened that is its own matter; any other reason is a trouble of this machine."""
TRIES = 3
SHOWN = 1000
"""Findings that are kept with their names; more are counted."""

Trouble: TypeAlias = Literal[
    "device",
    "pipe",
    "socket",
    "too deep",
    "too many",
    "too large",
    "unreadable",
    "changed",
    "elsewhere",
    "overlay",
    "privileged",
]


Kind: TypeAlias = Literal["file", "folder", "link", "whiteout", "refused"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something at a path (spelled) that could not be kept, and why. `privileged` alone was kept, as a plain file."""

    path: str
    trouble: Trouble
    detail: str = ""


class Findings:
    """The findings of a walk: the first thousand by name, the rest by number."""

    def __init__(self) -> None:
        self.named: list[Finding] = []
        self.more = 0

    def add(self, path: bytes, trouble: Trouble, detail: str = "") -> None:
        """Put one on record."""
        if len(self.named) < SHOWN:
            self.named.append(Finding(spelled(path), trouble, detail))
        else:
            self.more += 1


@dataclass(frozen=True, slots=True)
class Caps:
    """How much of a tree is taken at most: levels, entries, bytes of one path, of all paths, of a file, of all files.

    The bytes of files count holes too, and a file with several names once.
    """

    depth: int = 10_000
    entries: int = 500_000
    path_bytes: int = 1 << 15
    paths_bytes: int = 1 << 28
    file_bytes: int = 2 << 30
    bytes: int = 16 << 30


CAPS = Caps()


@dataclass(frozen=True, slots=True)
class Found:
    """Something in a tree. `folder` is the open folder that holds it under `name`, until the walk goes on.

    `target` is the text of a link. What is `refused` is none of what we keep, and is a finding. In an overlay's upper
    folder a `whiteout` is a deletion, and an `opaque` folder hides all that lies below it.
    """

    path: bytes
    kind: Kind
    about: os.stat_result
    folder: int
    name: bytes
    target: bytes = b""
    opaque: bool = False


# --------------------------------------------------------------------------------------------- going down and up


@dataclass(frozen=True, slots=True)
class _Level:
    identity: tuple[int, int]
    leave_as: int | None


class Descent:
    """A place in a tree: one open folder, and the way back up. `needs` are the rights that are taken where they lack.

    A folder whose mode had to be changed gets it back when it is left.
    """

    def __init__(self, root: Path, *, needs: int = 0o500) -> None:
        self._needs = needs
        try:
            self.about = root.lstat()
            self.handle, leave_as = _enter(None, os.fsencode(root), needs)
        except OSError as error:
            raise InstrumentFault("walker", f"{root} cannot be opened as a folder ({error.strerror})") from error
        self._levels = [_Level(_identity(self.handle), leave_as)]

    @property
    def depth(self) -> int:
        """How many levels below the root."""
        return len(self._levels) - 1

    def down(self, name: bytes, *, leave_as: int | None = None) -> None:
        """Enter a folder here. It is given the mode `leave_as` when it is left."""
        if name in (b"", b".", b"..") or b"/" in name:
            raise InstrumentFault("walker", f"{name!r} is not the name of a folder in a folder")
        handle, forced = _enter(self.handle, name, self._needs)
        os.close(self.handle)
        self.handle = handle
        self._levels.append(_Level(_identity(handle), forced if leave_as is None else leave_as))

    def up(self) -> None:
        """Go back to the folder above, which must be the one we came from."""
        above = os.open("..", FOLDER, dir_fd=self.handle)
        level = self._levels.pop()
        if level.leave_as is not None:
            os.fchmod(self.handle, level.leave_as)
        os.close(self.handle)
        self.handle = above
        if _identity(above) != self._levels[-1].identity:
            raise InstrumentFault("walker", "a folder was moved while it was walked; end the programs in it first")

    def leave(self) -> None:
        """Go back to the root, and close it."""
        try:
            while self.depth:
                self.up()
            if self._levels[0].leave_as is not None:
                os.fchmod(self.handle, self._levels[0].leave_as)
        finally:
            os.close(self.handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.leave()


def _enter(above: int | None, name: bytes, needs: int) -> tuple[int, int | None]:
    """The open folder, and the mode to give back to it where it lacked rights that we need as its owner."""
    mode = os.stat(name, dir_fd=above, follow_symlinks=False).st_mode
    lacks = os.geteuid() != 0 and stat.S_ISDIR(mode) and mode & needs != needs
    if lacks:
        _change_mode(above, name, stat.S_IMODE(mode) | needs)
    return os.open(name, FOLDER, dir_fd=above), stat.S_IMODE(mode) if lacks else None


def _change_mode(above: int | None, name: bytes, mode: int) -> None:
    """Change the mode of a name, and of nothing it may link to."""
    if sys.platform != "linux":
        os.chmod(name, mode, dir_fd=above, follow_symlinks=False)
        return
    handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
    try:
        Path(f"/proc/self/fd/{handle}").chmod(mode)  # Linux changes no mode by name without following
    finally:
        os.close(handle)


def _identity(handle: int) -> tuple[int, int]:
    about = os.fstat(handle)
    return about.st_dev, about.st_ino


# --------------------------------------------------------------------------------------------- walking


def walk(root: Path, findings: Findings, caps: Caps = CAPS, *, overlay: bool = False) -> Generator[Found, None, None]:
    """All that lies in a tree, by name, each folder before what it holds; first the root itself, at `.`.

    With `overlay` it is an overlay's upper folder, where a device 0/0 means a deletion.
    """
    with Descent(root) as place:
        walking = _Walk(place, findings, caps, overlay)
        yield walking.root()
        levels = [(b"", iter(walking.names(b"")))]
        while levels:
            path, names = levels[-1]
            name = next(names, None)
            if name is None:
                levels.pop()
                if levels:
                    place.up()
                continue
            found = walking.look(path, name)
            if found is None:
                continue
            yield found
            if found.kind == "folder" and walking.enter(found):
                levels.append((found.path + b"/", iter(walking.names(found.path))))


_KEPT: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
_REFUSED: dict[int, Trouble] = {stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}


class _Walk:
    def __init__(self, place: Descent, findings: Findings, caps: Caps, overlay: bool) -> None:
        self._place = place
        self._findings = findings
        self._caps = caps
        self._overlay = overlay
        self._device = os.fstat(place.handle).st_dev
        self._entries = 0
        self._paths_bytes = 0

    def root(self) -> Found:
        return Found(b".", "folder", self._place.about, self._place.handle, b".")

    def names(self, path: bytes) -> list[bytes]:
        """The names in the folder where we are; none more than are allowed still."""
        names = []
        with os.scandir(self._place.handle) as entries:
            for entry in entries:
                if self._entries >= self._caps.entries:
                    self._findings.add(path or b".", "too many", f"more than {self._caps.entries} entries")
                    break
                self._entries += 1
                names.append(os.fsencode(entry.name))
        return sorted(names)

    def look(self, above: bytes, name: bytes) -> Found | None:
        path = above + name
        self._paths_bytes += len(path)
        if len(path) > self._caps.path_bytes or self._paths_bytes > self._caps.paths_bytes:
            self._findings.add(path[-256:], "too deep", f"a path of {len(path)} bytes; its end is shown")
            return None
        about = os.stat(name, dir_fd=self._place.handle, follow_symlinks=False)
        kind = self._kind(path, about)
        target = os.readlink(name, dir_fd=self._place.handle) if kind == "link" else b""
        return Found(path, kind, about, self._place.handle, name, target, self._opaque(path, name, kind))

    def _kind(self, path: bytes, about: os.stat_result) -> Kind:
        kind = stat.S_IFMT(about.st_mode)
        if kind in _KEPT:
            return _KEPT[kind]
        if self._overlay and kind == stat.S_IFCHR and about.st_rdev == 0:
            return "whiteout"
        if kind in _REFUSED:
            self._findings.add(path, _REFUSED[kind])
        else:
            self._findings.add(path, "device", f"{os.major(about.st_rdev)}/{os.minor(about.st_rdev)}")
        return "refused"

    def _opaque(self, path: bytes, name: bytes, kind: str) -> bool:
        if not self._overlay or kind != "folder":
            return False
        marks = _overlay_marks(self._place.handle, name)
        if marks.keys() - {"opaque"} or marks.get("opaque", b"y") != b"y":
            self._findings.add(path, "overlay", f"marks that we do not read: {sorted(marks)}")
        return marks.get("opaque") == b"y"

    def enter(self, found: Found) -> bool:
        if found.about.st_dev != self._device:
            self._findings.add(found.path, "elsewhere", "another file system is mounted there")
            return False
        if self._place.depth >= self._caps.depth:
            self._findings.add(found.path, "too deep", f"more than {self._caps.depth} levels")
            return False
        try:
            self._place.down(found.name)
        except OSError as error:
            if error.errno not in THEIRS:
                raise
            self._findings.add(found.path, "unreadable", error.strerror or "")
            return False
        return True


def _overlay_marks(above: int, name: bytes) -> dict[str, bytes]:
    """What an overlay noted on a folder, as far as it changes what the folder means."""
    marks: dict[str, bytes] = {}
    if sys.platform != "linux":
        return marks
    handle, leave_as = _enter(above, name, 0o400)
    try:
        for attribute in os.listxattr(handle):
            space, _, mark = attribute.partition(".overlay.")
            if space in ("user", "trusted") and mark in ("opaque", "redirect", "metacopy"):
                marks[mark] = os.getxattr(handle, attribute)
        if leave_as is not None:
            os.fchmod(handle, leave_as)
    finally:
        os.close(handle)
    return marks


# --------------------------------------------------------------------------------------------- reading


def steady(found: Found, take: Callable[[int, int], T]) -> T | None:
    """What `take` makes of an open regular file of so many bytes; None when it never held still meanwhile.

    Raises `Unreadable` when it cannot be opened, as its owner or as root, and whatever `take` raises.
    """
    with _opened(found) as handle:
        for _ in range(TRIES):
            before = os.fstat(handle)
            if not stat.S_ISREG(before.st_mode):
                return None
            os.lseek(handle, 0, os.SEEK_SET)
            taken = take(handle, before.st_size)
            reach(READ_LABEL)
            after = os.fstat(handle)
            if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
                return taken
    return None


class Unreadable(Exception):
    """A file that its owner forbids us to open: a finding, where an error on the way to its blob is a broken disk."""


@contextmanager
def _opened(found: Found) -> Iterator[int]:
    mode = stat.S_IMODE(found.about.st_mode)
    lacks = os.geteuid() != 0 and not mode & 0o400
    try:
        if lacks:
            _change_mode(found.folder, found.name, mode | 0o400)
        handle = os.open(found.name, REGULAR, dir_fd=found.folder)
    except OSError as error:
        if error.errno not in THEIRS:
            raise
        raise Unreadable(error.strerror) from error
    try:
        yield handle
    finally:
        if lacks:
            os.fchmod(handle, mode)
        os.close(handle)


def read_file(root: Path, path: str, *, most: int) -> bytes | None:
    """The bytes of one file in a foreign tree, at most so many; None where no regular file of at most that lies there.

    No part of the path may be a link: who wrote the tree must not choose what we read.
    """
    *folders, name = (os.fsencode(part) for part in path.split("/"))
    if {b"", b".", b".."} & {*folders, name}:
        raise UsageError(f"{path!r} is no path of a file in a folder; give one as notes/a.md")
    try:
        with Descent(root) as place:
            for folder in folders:
                place.down(folder)
            about = os.stat(name, dir_fd=place.handle, follow_symlinks=False)
            if not stat.S_ISREG(about.st_mode) or about.st_size > most:
                return None
            found = Found(os.fsencode(path), "file", about, place.handle, name)
            return steady(found, lambda handle, size: _whole(handle, size) if size <= most else None)
    except Unreadable:
        return None
    except OSError as error:
        if error.errno not in THEIRS:
            raise
        return None


def _whole(handle: int, most: int) -> bytes:
    pieces = []
    while most > 0 and (piece := os.read(handle, min(most, 1 << 20))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


# --------------------------------------------------------------------------------------------- deleting


def remove(root: Path) -> None:
    """Delete a tree with all that is in it, however deep, and whatever its names and modes. One that is gone is fine.

    Links go, and what they lead to stays. Raises `OSError` when something cannot be deleted.
    """
    try:
        mode = root.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(mode):
        root.unlink()
        return
    with Descent(root, needs=0o700) as place:
        levels = [(b"", _emptied(place.handle))]
        while levels:
            name, folders = levels[-1]
            if folders:
                inner = folders.pop()
                place.down(inner)
                levels.append((inner, _emptied(place.handle)))
            else:
                levels.pop()
                if levels:
                    place.up()
                    os.rmdir(name, dir_fd=place.handle)
    root.rmdir()


def _emptied(folder: int) -> list[bytes]:
    """Delete all but the folders in a folder; their names."""
    folders = []
    with os.scandir(folder) as entries:
        names = [(os.fsencode(entry.name), entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in names:
        if is_folder:
            folders.append(name)
        else:
            os.unlink(name, dir_fd=folder)
    return folders
