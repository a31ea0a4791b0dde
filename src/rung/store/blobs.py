"""Large blobs as files `blobs/ab/cdef...`, so that the database stays small enough to copy and to open in tools."""

import os
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from rung.core.canonical import sha256

LARGEST_IN_TABLE = 1 << 20
"""Bytes; what is larger becomes a file."""


def is_digest(text: str) -> bool:
    """Whether this is 64 lower-case hex digits, and so may become part of a file name."""
    return re.fullmatch(r"[0-9a-f]{64}", text) is not None


class BlobFiles:
    """A folder of files named by their SHA-256. A file appears whole or not at all, also when the process dies."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def path(self, digest: str) -> Path:
        """Where the bytes with this SHA-256 lie."""
        return self._root / digest[:2] / digest[2:]

    def read(self, digest: str) -> bytes | None:
        """The bytes as they lie there, unchecked; None when there is no such file."""
        try:
            return self.path(digest).read_bytes()
        except FileNotFoundError:
            return None

    def head(self, digest: str, most: int) -> bytes | None:
        """The first so many bytes, as they lie there; None when there is no such file."""
        try:
            with self.path(digest).open("rb") as stream:
                return stream.read(most)
        except FileNotFoundError:
            return None

    def write(self, digest: str, data: bytes) -> Path:
        """Keep these bytes. They survive the process at once, and power loss after `sync`.

        A file left by a power loss may be torn, so one that exists counts only when its bytes are right.
        """
        path = self.path(digest)
        found = self.read(digest)
        if found is None or sha256(found) != digest:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace(path, data)
        return path

    def adopt(self, digest: str, temporary: Path) -> Path:
        """Keep a file that was written in `folder` for this; its bytes have this SHA-256, as the caller has seen."""
        path = self.path(digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.chmod(0o644)
        temporary.replace(path)
        return path

    @property
    def folder(self) -> Path:
        """The folder of all blobs, made when it was not there."""
        self._root.mkdir(parents=True, exist_ok=True)
        return self._root

    def sync(self, file: Path) -> None:
        """Return when a file that `write` gave survives power loss."""
        sync(file, self._root.parent)


def replace(path: Path, data: bytes, *, mode: int = 0o644, through: Path | None = None) -> None:
    """Put a file in place at once and whole: a temporary file, then a rename.

    The temporary lies beside the file, or in the folder `through` (on the same disk) where a stray one, left by a
    death between the two, would be read as something.
    """
    handle, name = tempfile.mkstemp(dir=through or path.parent, prefix=".new-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sync(file: Path, root: Path) -> None:
    """Return when a file, and the folders from it up to `root` that name it, survive power loss."""
    for place in (file, *file.parents):
        handle = os.open(place, os.O_RDONLY)
        try:
            _sync(handle)
        finally:
            os.close(handle)
        if place == root:
            return


def sync_all(files: Iterable[Path], root: Path) -> None:
    """Return when these files below `root` survive power loss.

    On Linux in one call for the whole file system: for 4,000 small files that takes a hundredth of their own calls.
    """
    if sys.platform != "linux":
        for file in files:
            sync(file, root)
        return
    import ctypes

    handle = os.open(root, os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(handle) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(root))
    finally:
        os.close(handle)


def _sync(handle: int) -> None:
    if sys.platform == "darwin":  # fsync there leaves the bytes in the drive's cache
        import fcntl

        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
    else:
        os.fsync(handle)
