"""The bounds that the kernel holds for each process. Standard library alone: a supervisor runs this."""

import resource

from rung.core.confined import Bounds


def limits(bounds: Bounds) -> dict[int, int]:
    """The bounds that the kernel holds for each process, or each user, by what the kernel calls them."""
    megabyte = 1 << 20
    wanted = {
        resource.RLIMIT_CPU: bounds.cpu_seconds,
        resource.RLIMIT_AS: bounds.address_mb and bounds.address_mb * megabyte,
        resource.RLIMIT_FSIZE: bounds.file_mb * megabyte,
        resource.RLIMIT_NOFILE: bounds.open_files,
        resource.RLIMIT_NPROC: bounds.processes,
        resource.RLIMIT_CORE: 0,
    }
    return {kind: value for kind, value in wanted.items() if value is not None}


def limit(pid: int, bounds: Bounds) -> None:
    """Set the kernel's bounds for a process that lies still, and so for all that it will start. One that is lower
    already stays as it is: only root may raise it."""
    for kind, value in limits(bounds).items():
        _, hard = resource.prlimit(pid, kind)
        least = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.prlimit(pid, kind, (least, least))
