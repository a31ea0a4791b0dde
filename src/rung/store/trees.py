"""Between a folder tree and its manifest: `gather` reads a tree that foreign programs wrote, `build` makes one anew.

Holes stay holes where a file is larger than a megabyte. Times are kept beside the manifest and not in it.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from rung.core.paths import raw, spelled
from rung.store.manifests import ROOT, Change, Entry, File, Folder, Link, Manifest
from rung.store.walker import CAPS, Caps, Descent, Findings, Found, Unreadable, steady, walk

PIECE = 1 << 20
"""Bytes that are read at a time."""
NO_TIME = 946_684_800 * 10**9
"""Nanoseconds at the start of the year 2000: the time of a file whose own is not known."""
LATEST = 2**62

Take: TypeAlias = Callable[[int, int], tuple[str, int]]
"""Reads an open file of so many bytes to its end, keeps it if that is wanted, and gives its SHA-256 and its size."""


@dataclass
class Gathered:
    """What a tree holds, parents before children; when each file was last written, in nanoseconds; and the findings."""

    changes: list[Change] = field(default_factory=list)
    times: dict[str, int] = field(default_factory=dict)
    findings: Findings = field(default_factory=Findings)
    bytes: int = 0

    @property
    def entries(self) -> dict[str, Entry]:
        """What lies at each path; for a tree that is no overlay's upper folder."""
        return {change.path: change.entry for change in self.changes if change.entry is not None}


def gather(root: Path, take: Take, caps: Caps = CAPS, *, overlay: bool = False) -> Gathered:
    """Read a whole tree, or with `overlay` the upper folder of one. Nothing in it is followed, run or changed."""
    gathered = Gathered()
    gatherer = _Gatherer(gathered, take, caps)
    with closing(walk(root, gathered.findings, caps, overlay=overlay)) as walking:
        for found in walking:
            gatherer.add(found)
    return gathered


def hashed(handle: int, size: int) -> tuple[str, int]:
    """A `Take` that keeps nothing."""
    return pour(handle, None, most=size)


class _Gatherer:
    def __init__(self, gathered: Gathered, take: Take, caps: Caps) -> None:
        self._gathered = gathered
        self._take = take
        self._caps = caps
        self._names: dict[tuple[int, int], File] = {}

    def add(self, found: Found) -> None:
        path = spelled(found.path)
        match found.kind:
            case "whiteout" | "refused":
                self._gathered.changes.append(Change(path, None))
            case "folder":
                folder = Folder(stat.S_IMODE(found.about.st_mode) & 0o777)
                self._gathered.changes.append(Change(path, folder, opaque=found.opaque))
            case "link":
                self._gathered.changes.append(Change(path, Link(spelled(found.target))))
            case "file":
                file = self._file(found, path)
                self._gathered.changes.append(Change(path, file))
                if file is not None:
                    self._gathered.times[path] = found.about.st_mtime_ns

    def _file(self, found: Found, path: str) -> File | None:
        about, findings = found.about, self._gathered.findings
        identity = (about.st_dev, about.st_ino)
        if identity in self._names:
            first = self._names[identity]
            return File(first.mode, first.size, first.digest, first.same)
        if about.st_size > self._caps.file_bytes or self._gathered.bytes + about.st_size > self._caps.bytes:
            findings.add(found.path, "too large", f"{about.st_size} bytes")
            return None
        try:
            taken = steady(found, self._take)
        except Unreadable as error:
            findings.add(found.path, "unreadable", str(error))
            return None
        if taken is None:
            findings.add(found.path, "changed", "it was written while it was read")
            return None
        return self._taken(found, path, *taken)

    def _taken(self, found: Found, path: str, digest: str, size: int) -> File:
        mode = stat.S_IMODE(found.about.st_mode)
        if mode & (stat.S_ISUID | stat.S_ISGID):
            self._gathered.findings.add(found.path, "privileged", f"mode {mode:o}; kept without")
        file = File(mode & 0o777, size, digest)
        self._gathered.bytes += size
        if found.about.st_nlink > 1:
            self._names[found.about.st_dev, found.about.st_ino] = File(file.mode, size, digest, same=path)
        return file


# --------------------------------------------------------------------------------------------- making one anew


def build(
    manifest: Manifest,
    target: Path,
    blob: Callable[[str], Path],
    *,
    times: Mapping[str, int] | None = None,
) -> None:
    """Make the tree of a manifest in a new folder `target`, from files named by their SHA-256.

    All of it belongs to whoever runs this. `times` are when its files were last written.
    """
    target.mkdir(mode=0o700)
    root = manifest.entries[ROOT]
    assert isinstance(root, Folder)
    with Descent(target) as place:
        builder = _Builder(manifest, place, target, blob, times or {})
        for path in manifest.ordered():
            builder.make(path)
    target.chmod(root.mode)


class _Builder:
    def __init__(
        self,
        manifest: Manifest,
        place: Descent,
        target: Path,
        blob: Callable[[str], Path],
        times: Mapping[str, int],
    ) -> None:
        self._manifest = manifest
        self._place = place
        self._target = target
        self._blob = blob
        self._times = times
        self._at: list[bytes] = []

    def make(self, path: str) -> None:
        *folders, name = raw(path).split(b"/")
        self._go(folders)
        match self._manifest.entries[path]:
            case Folder(mode):
                os.mkdir(name, 0o700, dir_fd=self._place.handle)
                self._place.down(name, leave_as=mode)
                self._at.append(name)
            case Link(to):
                os.symlink(raw(to), name, dir_fd=self._place.handle)
            case File(same=str(first)):
                self._name_again(first, name)
            case File() as file:
                self._write(file, path, name)

    def _go(self, folders: list[bytes]) -> None:
        """Up to where the wanted folder parts from where we are. Folders come before what they hold, so never down."""
        while self._at != folders[: len(self._at)]:
            self._place.up()
            self._at.pop()

    def _write(self, file: File, path: str, name: bytes) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(name, flags, 0o600, dir_fd=self._place.handle)
        try:
            source = os.open(self._blob(file.digest), os.O_RDONLY | os.O_CLOEXEC)
            try:
                pour(source, handle, most=file.size)
            finally:
                os.close(source)
            time = max(-LATEST, min(LATEST, self._times.get(path, NO_TIME)))
            os.utime(handle, ns=(time, time))
            os.fchmod(handle, file.mode)
        finally:
            os.close(handle)

    def _name_again(self, first: str, name: bytes) -> None:
        *folders, last = raw(first).split(b"/")
        with Descent(self._target) as there:
            for folder in folders:
                there.down(folder)
            os.link(last, name, src_dir_fd=there.handle, dst_dir_fd=self._place.handle, follow_symlinks=False)


# --------------------------------------------------------------------------------------------- bytes


def pour(source: int, target: int | None, *, most: int) -> tuple[str, int]:
    """Read an open file to its end or to so many bytes, writing it to another; their SHA-256 and their number.

    Long stretches of zeros become holes.
    """
    digest, size = hashlib.sha256(), 0
    while piece := os.read(source, min(PIECE, most - size)):
        digest.update(piece)
        if target is not None:
            _put(target, piece, at=size)
        size += len(piece)
    if target is not None:
        os.ftruncate(target, size)
    return digest.hexdigest(), size


def _put(target: int, piece: bytes, *, at: int) -> None:
    if len(piece) == PIECE == piece.count(0):
        return
    view = memoryview(piece)
    while view:
        done = os.pwrite(target, view, at)
        view, at = view[done:], at + done
