"""How much lies in folders that an untrusted program writes to, while it writes to them.

Nothing is opened but folders, and no link is followed. Standard library alone: a supervisor runs this.
"""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

DEEPEST = 128
"""Folders in folders that are followed; what is nested deeper cannot be measured with few open files."""


@dataclass(frozen=True, slots=True)
class Written:
    """Bytes on disk and files of all kinds; `too_deep` when folders lie deeper in each other than is followed."""

    bytes: int = 0
    files: int = 0
    too_deep: bool = False


@dataclass(slots=True)
class _Count:
    most: int
    bytes: int = 0
    files: int = 0
    too_deep: bool = False


def measure(folders: Iterable[str], *, most_files: int) -> Written:
    """What lies in these folders. Stops counting beyond so many files: the bound is passed, by how much is not said."""
    count = _Count(most_files)
    linked: set[tuple[int, int]] = set()
    for folder in folders:
        with suppress(OSError):
            _measure_one(folder, count, linked)
    return Written(count.bytes, count.files, count.too_deep)


def _measure_one(folder: str, count: _Count, linked: set[tuple[int, int]]) -> None:
    """Depth first with the open folders as a stack, so that moving folders about cannot lead the walk outside."""
    stack: list[tuple[int, list[str]]] = []
    try:
        stack.append(_opened(folder, None))
        while stack and count.files <= count.most:
            descriptor, names = stack[-1]
            if not names:
                os.close(stack.pop()[0])
                continue
            below = _counted(names.pop(), descriptor, count, linked)
            if below is None:
                continue
            if len(stack) >= DEEPEST:
                count.too_deep = True
                continue
            with suppress(OSError):  # gone, or closed to whoever measures: it has been counted itself
                stack.append(_opened(below, descriptor))
    finally:
        for descriptor, _ in stack:
            os.close(descriptor)


def _opened(name: str, parent: int | None) -> tuple[int, list[str]]:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    descriptor = os.open(name, flags, dir_fd=parent)
    try:
        return descriptor, os.listdir(descriptor)  # noqa: PTH208 (a descriptor, not a path)
    except OSError:
        os.close(descriptor)
        raise


def _counted(name: str, parent: int, count: _Count, linked: set[tuple[int, int]]) -> str | None:
    """Count one thing in a folder; its name when it is a folder itself."""
    try:
        seen = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except OSError:
        return None
    count.files += 1
    folder = stat.S_ISDIR(seen.st_mode)
    if folder or seen.st_nlink == 1 or (seen.st_dev, seen.st_ino) not in linked:
        count.bytes += seen.st_blocks * 512
    if not folder and seen.st_nlink > 1:
        linked.add((seen.st_dev, seen.st_ino))
    return name if folder else None
