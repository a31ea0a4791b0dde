"""What a run was made with: machine, packages, commit. Observations all; nothing of it decides a result."""

import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from rung.core.canonical import JSON

PACKAGES = ("rung", "numpy", "scipy", "pydantic", "dulwich", "jinja2")


def gather() -> dict[str, JSON]:
    """Versions, machine, time of the start, and the commit where the code lies in a checkout."""
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),  # noqa: TID251 (an observation, never a result)
        "python": platform.python_version(),
        "platform": platform.platform(),
        "executable": Path(sys.executable).name,
        "packages": {name: _version(name) for name in PACKAGES},
        "commit": _git("rev-parse", "HEAD"),
        "dirty": _dirty(),
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _dirty() -> bool | None:
    status = _git("status", "--porcelain")
    return None if status is None else bool(status)


def _git(*arguments: str) -> str | None:
    """What git says of the checkout this code lies in; None where there is none."""
    try:
        done = subprocess.run(  # noqa: S603 (fixed arguments, no shell)
            ["git", "-C", str(Path(__file__).parent), *arguments],  # noqa: S607
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
