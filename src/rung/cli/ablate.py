"""`rung ablate`: which piece of what a cell left carried its gain."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from rung.cli._border import Invocation
from rung.cli._progress import Progress
from rung.cli._runs import opened, report_of
from rung.cli._say import json_option, say_json
from rung.cli.report import show, write
from rung.cli.run import Asked, resuming, slug, stopping, told
from rung.core.errors import UsageError
from rung.protocols import ablate, launch
from rung.protocols.plan import Plan
from rung.store.run_directory import RunDirectory


@click.command("ablate")
@click.argument("file", metavar="CONFIG", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The run's folder; else runs/<its name>.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Put a key over the config; repeatable.")
@click.option("--carry", "carries", multiple=True, metavar="WHAT", help="What goes along; repeatable.")
@click.option("--each", "is_each", is_flag=True, help="Each class alone, each left out, and nothing.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    /,
    *,
    file: Path,
    out: Path | None,
    overrides: Sequence[str],
    carries: Sequence[str],
    is_each: bool,
    as_json: bool,
) -> None:
    """Find what carried the gain of a cell.

    The after-exam of a run that has ended is sat again from what its sessions left with pieces taken out, and held
    against the full fork task by task. What was sat is not sat again. CONFIG is that of the run.

    WHAT is a class (conversation, harness state, files, cache) or a pattern of paths ('home/notes/**'), or several with
    commas between; with a dash before them all but those; or none.
    """
    wanted = [*(ablate.each() if is_each else ()), *map(ablate.carry, carries)]
    if not wanted:
        raise UsageError("say what to carry: --each, or --carry files, --carry -conversation, --carry none")
    asked = Asked(file, out, overrides, as_json=as_json)
    study = asked.study()
    if study.protocol != "cell":
        raise UsageError(f"ablation takes apart what a program left, and {file.name} has protocol = {study.protocol!r}")
    directory = RunDirectory(out if out is not None else Path("runs") / slug(study.name))
    if not directory.journal.exists():
        raise UsageError(f"{directory.path} holds no run of this; run it first: {resuming(asked, directory.path)}")
    with Progress() as progress, stopping(directory, invocation):

        def planned(plan: Plan) -> None:
            invocation.begun = True
            progress.planned(plan)

        launch.run(
            study,
            directory.path,
            launch.Wishes(
                base=file.parent,
                watch=progress.watch,
                planned=planned,
                warn=lambda text: click.echo(f"warning: {text}", err=True),
            ),
            protocol=partial(ablate.conduct, carries=wanted),
        )
    with opened(directory.path) as (_, journal):
        report = report_of(directory, journal)
    write(report, directory.report)
    if as_json:
        say_json(told(directory, report, progress.meter))
    else:
        show(report, directory.report)
