"""The unprivileged half of these tests: the same Python and the same programs, as another user than root.

They lie in root's own home, where nobody may go. In a mount namespace of its own the way there is opened, and to
nothing else: what stands in the way is covered by an empty folder, into which only what is needed is bound.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import rung
from rung.backends import programs

NOBODY = 65534
TESTS = Path(__file__).parents[2]


def as_nobody(module: str, *argv: str, seconds: int = 120) -> str:
    """What a module prints when it is run by nobody, or by whoever runs these tests when that is not root."""
    needed = [
        Path(each).resolve() for each in (sys.base_prefix, sys.prefix, programs.folder(), rung.__path__[0], TESTS)
    ]
    command = [sys.executable, "-m", module, *argv]
    if os.geteuid() == 0:
        drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", _way(needed, [*drop, *command])]
    with tempfile.TemporaryDirectory() as aside:
        done = subprocess.run(
            command, env=_environment(aside), cwd="/", capture_output=True, text=True, timeout=seconds, check=False
        )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _environment(aside: str) -> dict[str, str]:
    path = f"{Path(rung.__path__[0]).parent}:{TESTS}"
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "RUNG_AGENTS": str(programs.folder()),
        "ASIDE": aside,
    }


def _way(needed: Iterable[Path], command: list[str]) -> str:
    """A shell script that opens the way to these folders and then runs a command."""
    covers: dict[Path, set[Path]] = {}
    for each in needed:
        shut = next((folder for folder in [*reversed(each.parents), each] if not folder.stat().st_mode & 0o001), None)
        if shut is not None:
            covers.setdefault(shut, set()).add(each.relative_to(shut))
    lines = []
    for number, (shut, inner) in enumerate(covers.items()):
        there, kept = shlex.quote(str(shut)), f'"$ASIDE/{number}"'
        lines += [f"mkdir {kept}", f"mount --rbind {there} {kept}", f"mount -t tmpfs -o mode=755 none {there}"]
        for each in sorted(inner):
            place = shlex.quote(str(each))
            lines += [f"mkdir -p {there}/{place}", f"mount --rbind {kept}/{place} {there}/{place}"]
    return "\n".join([*lines, f"exec {shlex.join(command)}"])
