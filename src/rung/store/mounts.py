"""Which file system a folder lies on. A journal on a network file system can be damaged, so those are refused.

SQLite's write-ahead log needs memory shared by all its processes, and the run's lock needs `flock`; over a network
neither can be relied on. 9p, overlay and virtiofs are how containers see a local disk, and are welcome.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from rung.core.errors import UsageError

NETWORK = re.compile(
    r"(fuse\.)?(afpfs|afs|beegfs|ceph|cifs|coda|davfs2?|gcsfuse|glusterfs|gpfs|lustre|ncpfs|nfs[34]?|orangefs|panfs"
    r"|rclone|s3fs|smb[23]|smbfs|sshfs|webdav)"
)


def refuse_network(path: Path, mounts: str | None = None) -> None:
    """Raise `UsageError` when a folder, there or yet to be made, lies on a network file system.

    `mounts` is the text of /proc/mounts or of the command `mount`; read from this machine when not given.
    """
    point, kind = file_system(path.resolve(), read_mounts() if mounts is None else mounts)
    if NETWORK.fullmatch(kind):
        raise UsageError(
            f"{path} lies on a network file system ({kind} at {point}), where a journal can be damaged;"
            " choose a folder on a local disk, and copy the finished run"
        )


def file_system(path: Path, mounts: str) -> tuple[str, str]:
    """Mount point and type of the file system an absolute path lies on; two empty words when nothing fits.

    The longest mount point wins; of two mounted at one point the later, which hides the earlier.

    >>> file_system(Path("/home/ada/run"), "/dev/sda / ext4 rw 0 0\\nbox:/home /home nfs4 rw 0 0\\n")
    ('/home', 'nfs4')
    """
    best = ("", "")
    for point, kind in _entries(mounts):
        if path.is_relative_to(point) and len(point) >= len(best[0]):
            best = (point, kind)
    return best


def read_mounts() -> str:
    """What is mounted on this machine; an empty text where that cannot be known."""
    try:
        if sys.platform == "darwin":
            return subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=False).stdout
        return Path("/proc/mounts").read_text("utf-8", "surrogateescape")
    except OSError:
        return ""


def _entries(mounts: str) -> Iterator[tuple[str, str]]:
    for line in mounts.splitlines():
        said = re.fullmatch(r".+? on (/.*) type (\S+) \(.*\)", line) or re.fullmatch(
            r".+? on (/.*) \(([^,)]+).*\)", line
        )
        fields = line.split(" ")
        if said:  # `mount`, on Linux and on macOS
            yield said[1], said[2]
        elif len(fields) >= 3:  # /proc/mounts, where a space in a name is \040
            yield re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[1]), fields[2]
