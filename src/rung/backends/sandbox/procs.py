"""What the processes of a sandbox are and what they hold, read from /proc by a supervisor.

A process may be gone between two reads; then it counts as nothing. Standard library alone.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_GONE = (FileNotFoundError, ProcessLookupError, PermissionError)
_TICKS = os.sysconf("SC_CLK_TCK")


def children(pid: int) -> list[int]:
    """The children of a process, those of each of its threads."""
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 (the names are wanted, many times a second)
    except _GONE:
        return found
    for thread in threads:
        try:
            found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
        except _GONE:
            if not Path("/proc/self/task", str(os.getpid()), "children").exists():  # a kernel without PROC_CHILDREN
                return _children_by_parent(pid)
    return found


def _children_by_parent(parent: int) -> list[int]:
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        with suppress(*_GONE):
            if _stat(int(name))[1] == str(parent):
                found.append(int(name))
    return found


def below(pid: int) -> list[int]:
    """All that descend from a process, itself not among them; a parent comes before its children."""
    found = children(pid)
    for each in found:  # grows as it is read
        found += children(each)
    return found


def alive(pid: int) -> bool:
    """Whether a process runs or may run: one that only waits to be fetched by its parent does not."""
    with suppress(*_GONE):
        return _stat(pid)[0] not in "ZX"
    return False


def is_ending(pid: int) -> bool:
    """Whether a process is gone or on its way (PF_EXITING); the first of a namespace takes all others with it then."""
    with suppress(*_GONE):
        return bool(int(_stat(pid)[6]) & 0x4)
    return True


def number_inside(pid: int) -> int:
    """The number that a process has in its own namespace of processes; 0 when it is gone."""
    with suppress(*_GONE):
        for line in _lines(f"/proc/{pid}/status", b"NSpid:"):
            return int(line.split()[-1])
    return 0


def cpu_seconds(pids: list[int]) -> float:
    """Processor time of these processes and of their children that are gone."""
    ticks = 0
    for pid in pids:
        with suppress(*_GONE):
            ticks += sum(map(int, _stat(pid)[11:15]))  # utime, stime, cutime, cstime
    return ticks / _TICKS


def killed_for_memory(pid: int) -> int:
    """How many processes the kernel has killed in this one's memory cgroup, for they held more together than they may;
    0 where it has none, or is gone."""
    with suppress(*_GONE):
        for number, kinds, path in (line.split(":", 2) for line in _read(f"/proc/{pid}/cgroup").decode().splitlines()):
            if "memory" in kinds.split(","):
                return _killed(f"/sys/fs/cgroup/memory{path}/memory.oom_control")
            if number == "0" and Path(f"/sys/fs/cgroup{path}/memory.events").exists():
                return _killed(f"/sys/fs/cgroup{path}/memory.events")
    return 0


def _killed(file: str) -> int:
    return sum(int(line.split()[1]) for line in _lines(file, b"oom_kill "))


def memory_kb(pids: list[int]) -> int:
    """Memory that these processes hold, not counting what a file on disk could be read for again.

    What several of them share is counted once for each, so this is never too little.
    """
    return sum(_sum_kb(f"/proc/{pid}/status", (b"RssAnon:", b"RssShmem:", b"VmSwap:")) for pid in pids)


def shared_out_kb(pids: list[int]) -> int:
    """The same with what is shared divided among those who share it: slower, and exact."""
    exact = [_sum_kb(f"/proc/{pid}/smaps_rollup", (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")) for pid in pids]
    return sum(exact)


def _sum_kb(path: str, names: tuple[bytes, ...]) -> int:
    with suppress(*_GONE):
        return sum(int(line.split()[1]) for line in _lines(path, *names))
    return 0


def _lines(path: str, *starts: bytes) -> Iterator[bytes]:
    return (line for line in _read(path).splitlines() if line.startswith(starts))


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        pieces = []
        while piece := os.read(descriptor, 1 << 16):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on: state, parent, ... (proc_pid_stat(5)). A name may hold anything,
    so what comes after its last parenthesis is read."""
    return _read(f"/proc/{pid}/stat").rpartition(b")")[2].decode().split()
