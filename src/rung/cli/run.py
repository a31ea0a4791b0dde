"""`rung run`: run a study, or resume it."""

import re
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import click

from rung.cli import _cell_forecast, _forecast
from rung.cli._border import Invocation, leave
from rung.cli._progress import Meter, Progress
from rung.cli._runs import opened, report_of
from rung.cli._say import json_option, say_json
from rung.cli.report import show, write
from rung.core import config
from rung.core.config import Config
from rung.core.errors import UsageError
from rung.protocols import cell_forecast, forecast, launch, quick
from rung.protocols.plan import Plan
from rung.reports.explore.values import ExploreReport
from rung.reports.values import LadderReport
from rung.store.run_directory import RunDirectory


@click.command("run")
@click.argument("file", metavar="CONFIG", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The run's folder; else runs/<its name>.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Put a key over the config; repeatable.")
@click.option(
    "--accept-upgrade", is_flag=True, help="Go on under another version of rung or of an installed plug-in; recorded."
)
@click.option("--quick", "is_quick", is_flag=True, help="Run a small version for a first look; it measures nothing.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Say what it costs at worst; write nothing, call no model.")
@click.option("--exam-of", type=click.Path(path_type=Path), metavar="RUN", help="Sit the exam of another run.")
@click.option("--replay", type=click.Path(path_type=Path), metavar="RUN", help="Let a run's recorded calls answer.")
@click.option("--plan", type=click.Path(path_type=Path), metavar="FILE", help="Hold the run to a registered plan.")
@json_option
@click.pass_obj
def command(invocation: Invocation, /, **given: Any) -> None:
    """Run a study, or resume it.

    CONFIG is TOML or JSON; the same command begins and resumes.

    Ends with a summary and the path of report.html. Ctrl-C stops after what is in flight, and twice at once; either
    way the run is resumed by running the same command again. Plug-in files in a config lie relative to it.

    With --quick a small version is run in a folder of its own, to see that everything works; what was shrunk is said.
    With --replay no model is called: those of the RUN, of the same config, answer again, and its digest comes out.
    With --exam-of the exam of another run is sat, for `rung compare`; give [exam] and tasks.holdout as that run has.
    With --plan the plan that `rung plan --register` wrote becomes part of the record, and the report holds the
    run to it.
    With --dry-run nothing is run: attempts, calls, tokens and dollars are said as they are at worst, beside [budget].
    """
    asked = Asked(**given)
    study = asked.study()
    directory = RunDirectory(asked.out if asked.out is not None else Path("runs") / slug(study.name))
    if asked.is_dry:
        foresee(asked, study, directory.path)
        return
    invocation.resume = resuming(asked, directory.path)
    if study.protocol == "cell" and not directory.journal.exists():
        click.echo(_cell_forecast.brief(cell_forecast.make(study, base=asked.file.parent)), err=True)
    with Progress() as progress, stopping(directory, invocation):

        def planned(plan: Plan) -> None:
            invocation.begun = True
            progress.planned(plan)

        launch.run(
            study,
            directory.path,
            launch.Wishes(
                base=asked.file.parent,
                accept_upgrade=asked.accept_upgrade,
                watch=progress.watch,
                planned=planned,
                warn=lambda text: click.echo(f"warning: {text}", err=True),
                replay=asked.replay,
                exam_of=asked.exam_of,
                plan=asked.plan,
            ),
        )
    with opened(directory.path) as (_, journal):
        report = report_of(directory, journal)
    write(report, directory.report)
    if asked.as_json:
        say_json(told(directory, report, progress.meter))
    else:
        show(report, directory.report)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the caller asked for: a config, and what to do with it. Each field is an argument or an option."""

    file: Path
    out: Path | None = None
    overrides: Sequence[str] = ()
    accept_upgrade: bool = False
    is_quick: bool = False
    is_dry: bool = False
    replay: Path | None = None
    exam_of: Path | None = None
    plan: Path | None = None
    as_json: bool = False

    def study(self) -> Config:
        """The study to run; what a quick look shrank is said on stderr."""
        study = config.read(self.file, overrides=self.overrides)
        if not self.is_quick:
            return study
        small, changes = quick.shrink(study)
        click.echo("\n".join(["a quick look, which measures nothing; changed for it:", *changes]), err=True)
        return small


def foresee(asked: Asked, study: Config, out: Path) -> None:
    """Say what the study costs at worst. Nothing is written, and no key is needed; what the run would refuse is
    refused, but for what this machine or the budget lacks, which is said."""
    if asked.replay is not None:
        raise UsageError("--dry-run with --replay: a replay calls no model and costs nothing; leave one of them out")
    wishes = launch.Wishes(
        base=asked.file.parent, accept_upgrade=asked.accept_upgrade, exam_of=asked.exam_of, plan=asked.plan
    )
    if study.protocol == "cell":
        priced = cell_forecast.make(study, base=asked.file.parent)
        launch.refuse_beside(study, out, wishes)
        if asked.as_json:
            say_json(_cell_forecast.told(priced))
        else:
            _cell_forecast.show(priced)
        return
    found = forecast.make(study, base=asked.file.parent)
    launch.refuse_beside(study, out, wishes)
    if asked.as_json:
        say_json(_forecast.told(found))
    else:
        _forecast.show(found)


def slug(name: str) -> str:
    """A study's name as a folder's.

    >>> slug("First ladder, 2nd try")
    'first-ladder-2nd-try'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def resuming(asked: Asked, out: Path) -> str:
    """The exact command that resumes, for a shell.

    >>> resuming(Asked(Path("my study.toml"), overrides=["seed=3"]), Path("runs/a"))
    "rung run 'my study.toml' --out runs/a --set seed=3"
    >>> resuming(Asked(Path("-m.toml"), is_quick=True), Path("-o"))
    'rung run ./-m.toml --out ./-o --quick'
    """
    words = ["rung", "run", _as_path(asked.file), "--out", _as_path(out)]
    for override in asked.overrides:
        words += ["--set", override]
    for option, run in (("--replay", asked.replay), ("--exam-of", asked.exam_of), ("--plan", asked.plan)):
        if run is not None:
            words += [option, _as_path(run)]
    flags = {"--quick": asked.is_quick, "--accept-upgrade": asked.accept_upgrade}
    return shlex.join([*words, *(flag for flag, given in flags.items() if given)])


def _as_path(path: Path) -> str:
    """The path as an argument: one that begins with a dash would be read as an option."""
    return f"./{path}" if str(path).startswith("-") else str(path)


@contextmanager
def stopping(directory: RunDirectory, invocation: Invocation) -> Iterator[None]:
    """While this lasts, Ctrl-C asks the run to stop, again stops it at once, and a third time leaves without tidying.

    So does whoever ends processes by SIGTERM. Before the study has begun there is nothing in flight, and the first is
    at once.
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
        again = "press Ctrl-C again" if number == signal.SIGINT else "send SIGTERM again"
        click.echo(f"{beside_the_bar}stopping after what is in flight; {again} to stop at once", err=True)

    if threading.current_thread() is not threading.main_thread():  # Python tells signals to the main thread alone
        yield
        return
    before = {number: signal.signal(number, press) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def told(directory: RunDirectory, report: LadderReport | ExploreReport, meter: Meter) -> dict[str, object]:
    """What a machine is told at the end; the whole report is `rung report RUN --json`."""
    return {
        "name": report.name,
        "quick": bool(report.config.get("quick")),
        "run": str(directory.path),
        "report": str(directory.report),
        "digest": report.digest,
        "exam": report.exam_id,
        "attempts": meter.done,
        "faults": meter.faults,
        "incomplete": list(report.incomplete),
        **_found(report),
    }


def _found(report: LadderReport | ExploreReport) -> dict[str, object]:
    """What was found, in short: the rungs held by each arm, or the word of each curve."""
    if isinstance(report, ExploreReport):
        return {"words": {curve.name: curve.verdict.word for curve in report.curves}}
    return {"climbed": {arm.name: list(arm.climbed) for arm in report.arms}}
