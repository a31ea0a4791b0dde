"""Another user than the one that tests run as, for what differs between root and everybody else."""

import os
import subprocess
import sys
from pathlib import Path

import rung

NOBODY = 65534 if os.geteuid() == 0 else os.geteuid()
"""Who an unprivileged half of a test runs as: whoever runs the tests, and `nobody` when that is root."""

TESTS = Path(__file__).parents[2]
SITE = Path(next(path for path in sys.path if path.endswith("site-packages")))


def python() -> str:
    """A Python that anybody may run: the one of the tests may lie in root's own home."""
    here = Path(sys.executable).resolve()
    open_to_all = all(each.stat().st_mode & 0o005 == 0o005 for each in (here, *here.parents))
    return sys.executable if open_to_all else "/usr/bin/python3"


def command(module: str, *argv: str) -> list[str]:
    """The command that runs a module of these tests as nobody."""
    drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
    return [*drop, python(), "-m", module, *argv]


def environment() -> dict[str, str]:
    """What it needs to find what is tested; the folder of packages comes last, and only pure ones are taken from it."""
    path = (Path(rung.__file__).parents[1], TESTS, SITE)
    engine = {name: os.environ[name] for name in ("DOCKER_HOST",) if name in os.environ}
    return engine | {"PATH": os.environ["PATH"], "PYTHONPATH": ":".join(map(str, path)), "PYTHONDONTWRITEBYTECODE": "1"}


def as_nobody(module: str, *argv: str) -> str:
    """What a module prints when nobody runs it; what goes wrong in it fails the test that asked."""
    done = subprocess.run(command(module, *argv), env=environment(), capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout
