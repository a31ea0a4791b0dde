"""What a hostile program could leave behind, made by hand."""

import os
import socket
import stat
import subprocess
from pathlib import Path

FSMONITOR = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = "touch {mark}; false"\n'


def nested(folder: Path, levels: int, name: str = "d") -> None:
    """That many folders in each other, and a file in the last; made without a path that would be too long."""
    handle = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=handle)
        inner = os.open(name, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(os.open("last", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=handle))
    os.close(handle)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    """A socket that nobody listens on any more."""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.fspath(path))


def device(path: Path) -> None:
    """The one device that anybody may make; root makes the null device."""
    os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3) if os.geteuid() == 0 else 0)


def traps(folder: Path, mark: Path) -> None:
    """Files that run a command, which touches `mark`, in whoever runs git, Python or pytest there."""
    code = f"import pathlib; pathlib.Path({os.fspath(mark)!r}).touch()\n"
    subprocess.run(["git", "init", "-q", folder], check=True, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
    (folder / ".git/config").write_text(FSMONITOR.format(mark=mark))
    for hook in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction"):
        (folder / ".git/hooks").mkdir(exist_ok=True)
        (folder / ".git/hooks" / hook).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (folder / ".git/hooks" / hook).chmod(0o755)
    for name in ("sitecustomize.py", "usercustomize.py", "conftest.py", "json.py", "os.py"):
        (folder / name).write_text(code)
    (folder / "lib/python3/site-packages").mkdir(parents=True)
    (folder / "lib/python3/site-packages/evil.pth").write_text(code.replace("\n", ""))


def seen(folder: Path) -> dict[str, tuple[str, str, str, bytes]]:
    """What `find`, which is another walker, sees: type, mode, link text, and what is in the files; the folder at ""."""
    printed = subprocess.run(
        ["find", folder, "-printf", r"%P\0%y\0%m\0%l\0"], check=True, capture_output=True, env={"LC_ALL": "C"}
    )
    words = os.fsdecode(printed.stdout).split("\0")[:-1]
    found = {}
    for path, kind, mode, target in zip(*(words[n::4] for n in range(4)), strict=True):
        found[path] = (kind, "" if kind == "l" else mode, target, (folder / path).read_bytes() if kind == "f" else b"")
    return found
