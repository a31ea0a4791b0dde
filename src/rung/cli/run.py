"""`rung run`: run a study, or resume it."""

import re
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click

from rung.cli._border import Invocation, leave
from rung.cli._progress import Meter, Progress
from rung.cli._runs import opened, report_of
from rung.cli._say import json_option, say_json
from rung.cli.report import show, write
from rung.core import config
from rung.protocols import launch
from rung.protocols.plan import Plan
from rung.reports.values import LadderReport
from rung.store.run_directory import RunDirectory


@click.command("run")
@click.argument("file", metavar="CONFIG", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The run's folder; else runs/<its name>.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Put a key over the config; repeatable.")
@click.option("--accept-upgrade", is_flag=True, help="Go on under another version, or edited code; recorded.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    file: Path,
    out: Path | None,
    *,
    overrides: Sequence[str],
    accept_upgrade: bool,
    as_json: bool,
) -> None:
    """Run a study, or resume it.

    CONFIG is TOML or JSON; the same command begins and resumes.

    Ends with a summary and the path of report.html. Ctrl-C stops after what is in flight, and twice at once; either
    way the run is resumed by running the same command again. Plug-in files in a config lie relative to it.
    """
    study = config.read(file, overrides=overrides)
    directory = RunDirectory(out if out is not None else Path("runs") / slug(study.name))
    invocation.resume = resuming(file, directory.path, overrides, accept_upgrade=accept_upgrade)
    with Progress() as progress, stopping(directory, invocation):

        def planned(plan: Plan) -> None:
            invocation.begun = True
            progress.planned(plan)

        wishes = launch.Wishes(base=file.parent, accept_upgrade=accept_upgrade, watch=progress.watch, planned=planned)
        launch.run(study, directory.path, wishes)
    with opened(directory.path) as (_, journal):
        report = report_of(journal)
    write(report, directory.report)
    if as_json:
        say_json(told(directory, report, progress.meter))
    else:
        show(report, directory.report)


def slug(name: str) -> str:
    """A study's name as a folder's.

    >>> slug("First ladder, 2nd try")
    'first-ladder-2nd-try'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def resuming(file: Path, out: Path, overrides: Sequence[str], *, accept_upgrade: bool) -> str:
    """The exact command that resumes, for a shell.

    >>> resuming(Path("my study.toml"), Path("runs/a"), ["seed=3"], accept_upgrade=False)
    "rung run 'my study.toml' --out runs/a --set seed=3"
    >>> resuming(Path("-m.toml"), Path("-o"), [], accept_upgrade=False)
    'rung run ./-m.toml --out ./-o'
    """
    words = ["rung", "run", _as_path(file), "--out", _as_path(out)]
    for override in overrides:
        words += ["--set", override]
    return shlex.join([*words, *(["--accept-upgrade"] if accept_upgrade else [])])


def _as_path(path: Path) -> str:
    """The path as an argument: one that begins with a dash would be read as an option."""
    return f"./{path}" if str(path).startswith("-") else str(path)


@contextmanager
def stopping(directory: RunDirectory, invocation: Invocation) -> Iterator[None]:
    """While this lasts, Ctrl-C asks the run to stop, again stops it at once, and a third time leaves without tidying.

    Before the study has begun there is nothing in flight, and the first is at once.
    """
    pressed = 0

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 2:
            leave(invocation)
        if pressed > 1 or not invocation.begun:
            raise KeyboardInterrupt
        directory.request_stop()
        beside_the_bar = "\n" if sys.stderr.isatty() else ""
        click.echo(f"{beside_the_bar}stopping after what is in flight; press Ctrl-C again to stop at once", err=True)

    if threading.current_thread() is not threading.main_thread():  # Python tells signals to the main thread alone
        yield
        return
    before = signal.signal(signal.SIGINT, press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def told(directory: RunDirectory, report: LadderReport, meter: Meter) -> dict[str, object]:
    """What a machine is told at the end; the whole report is `rung report RUN --json`."""
    return {
        "name": report.name,
        "run": str(directory.path),
        "report": str(directory.report),
        "digest": report.digest,
        "exam": report.exam_id,
        "attempts": meter.done,
        "faults": meter.faults,
        "incomplete": list(report.incomplete),
        "climbed": {arm.name: list(arm.climbed) for arm in report.arms},
    }
