"""The calls of Linux that Python's library has no name for. Nothing here runs when it is imported.

Numbers are those of the kernel's own headers: system calls from 424 on are the same on every architecture.
"""

import ctypes
import os
import signal
import sys
from functools import cache
from pathlib import Path

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

NS_GET_USERNS = 0xB701
"""What an `ioctl` on a namespace asks for the user namespace that owns it (ioctl_ns(2))."""

_OPEN_TREE, _MOVE_MOUNT, _OPENAT2, _MOUNT_SETATTR = 428, 429, 437, 442
_RESOLVE_IN_ROOT = 0x10
_OPEN_TREE_CLONE, _MOVE_FROM_ITSELF = 1, 4
_AT_FDCWD, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x1000, 0x8000
_ATTR_IDMAP = 0x00100000
_MS_REC, _MS_PRIVATE = 0x4000, 1 << 18


@cache
def _libc() -> ctypes.CDLL:
    if sys.platform != "linux":
        raise OSError("this is a call of Linux, and this machine is none")
    return ctypes.CDLL(None, use_errno=True)


def _checked(answer: int, what: str) -> int:
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return answer


def prctl(option: int, value: int) -> None:
    """Set something of this process (prctl(2))."""
    _checked(_libc().prctl(option, ctypes.c_ulong(value), 0, 0, 0), "prctl")


def die_with(parent: int) -> None:
    """Be killed when the process that forked this one is gone. It has one thread, so it is the process that counts."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(127)


def live_on() -> None:
    """Be no longer killed with whoever forked this process."""
    prctl(PR_SET_PDEATHSIG, 0)


def setns(fd: int, kind: int) -> None:
    """Step into a namespace (setns(2))."""
    _checked(_libc().setns(fd, kind), "setns")


def unshare(kinds: int) -> None:
    """Leave these namespaces for new ones (unshare(2))."""
    _checked(_libc().unshare(kinds), "unshare")


def make_private() -> None:
    """Let no mount of this namespace reach another one."""
    _checked(_libc().mount(b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None), "mount --make-rprivate")


def mount_memory(folder: Path, *, mode: str) -> None:
    """Lay an empty folder in memory over a folder."""
    options = f"mode={mode},size=1m".encode()
    _checked(_libc().mount(b"tmpfs", os.fsencode(folder), b"tmpfs", ctypes.c_ulong(0), options), "mount tmpfs")


def mount_overlay(place: Path, *, lower: Path, upper: str, work: str) -> None:
    """Mount a folder that is read from `lower` and written to `upper`; paths may be relative. Marks are kept as
    anybody's overlays keep them (`userxattr`), so that one walker reads all."""
    options = f"lowerdir={lower},upperdir={upper},workdir={work},userxattr".encode()
    done = _libc().mount(b"overlay", os.fsencode(place), b"overlay", ctypes.c_ulong(0), options)
    _checked(done, "mount overlay")


def open_within(root: int, path: str) -> int:
    """Open a path as it would be found by a process whose root is this folder (openat2(2), RESOLVE_IN_ROOT)."""
    how = (ctypes.c_uint64 * 3)(os.O_PATH | os.O_CLOEXEC, 0, _RESOLVE_IN_ROOT)
    size = ctypes.c_size_t(ctypes.sizeof(how))
    return _checked(_libc().syscall(_OPENAT2, root, os.fsencode(path), ctypes.byref(how), size), path)


def detached(source: Path, *, whole: bool) -> int:
    """A mount of what lies at a path, attached nowhere yet (open_tree(2)). `whole`: with what is mounted below it."""
    flags = _OPEN_TREE_CLONE | os.O_CLOEXEC | (_AT_RECURSIVE if whole else 0)
    tree = _libc().syscall(_OPEN_TREE, _AT_FDCWD, os.fsencode(source), ctypes.c_uint(flags))
    return _checked(tree, f"open_tree {source}")


def attach(tree: int, place: Path) -> None:
    """Attach a mount that is attached nowhere (move_mount(2))."""
    done = _libc().syscall(_MOVE_MOUNT, tree, b"", _AT_FDCWD, os.fsencode(place), ctypes.c_uint(_MOVE_FROM_ITSELF))
    _checked(done, f"move_mount {place}")


class _MountAttr(ctypes.Structure):
    _fields_ = (
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    )


def rename_owners(tree: int, users: int) -> None:
    """Let a detached mount show its owners as a user namespace maps them (mount_setattr(2), MOUNT_ATTR_IDMAP)."""
    wish = _MountAttr(_ATTR_IDMAP, 0, 0, users)
    size = ctypes.c_size_t(ctypes.sizeof(wish))
    done = _libc().syscall(_MOUNT_SETATTR, tree, b"", ctypes.c_uint(_AT_EMPTY_PATH), ctypes.byref(wish), size)
    _checked(done, "mount_setattr")
