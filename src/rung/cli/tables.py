"""`rung tables`: several studies from one file, and the tables of SelfImprove-Bench over them."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from rung.cli._border import Invocation
from rung.cli._files import put
from rung.cli._progress import Progress
from rung.cli._runs import opened
from rung.cli._say import json_option, say_json
from rung.cli.run import Asked, foresee, resuming, slug, stopping
from rung.core import studies
from rung.core.errors import UsageError
from rung.protocols import launch, several
from rung.protocols.plan import Plan
from rung.reports.flat import json_value
from rung.reports.method_tables import Tables, csv_cells, csv_differences, html, markdown, read
from rung.reports.wording import money
from rung.store.run_directory import RunDirectory


@click.command("tables")
@click.argument("file", metavar="CONFIG", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The folder of all runs; else runs/<name>.")
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Put a key over what is shared; repeatable."
)
@click.option("--dry-run", "is_dry", is_flag=True, help="Say what each study costs at worst; run and write nothing.")
@click.option("--report", "only_report", is_flag=True, help="Run nothing; read the runs as they are.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print the tables as Markdown.")
@json_option
@click.pass_obj
def command(invocation: Invocation, /, **given: Any) -> None:
    """Run several studies, and write the tables over them.

    CONFIG is a config with [[studies]]: each names what it has otherwise, such as the game that is worked or the
    schedule. Each is run, or resumed, in a folder of its own inside DIR, and those that have one exam sit the same.

    Writes tables.html, tables.md, tables.csv and differences.csv into DIR: methods by game and level, transfer,
    schedules, harnesses and models, and refined agents beside general ones. docs/guide/tables.md has more.
    """
    asked = Wanted(**given)
    if asked.as_json and asked.as_markdown:
        raise UsageError("--json and --markdown are one or the other; give one of them")
    wanted = studies.read(asked.file, overrides=asked.overrides)
    place = asked.out if asked.out is not None else Path("runs") / slug(wanted.name)
    if asked.is_dry:
        _foresee(wanted, asked.file, place)
        return
    if not asked.only_report:
        again = resuming(Asked(asked.file, overrides=asked.overrides), place)
        invocation.resume = again.replace("rung run", "rung tables", 1)
        _run(invocation, wanted, place, asked.file.parent)
    found = _read(wanted, place)
    written = _write(found, place)
    if asked.as_json:
        say_json(json_value(found))
    elif asked.as_markdown:
        click.echo(markdown(found), nl=False)
    else:
        click.echo("\n".join(f"{what}: {path}" for what, path in written.items()))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the caller asked for. Each field is an argument or an option."""

    file: Path
    out: Path | None
    overrides: Sequence[str]
    is_dry: bool
    only_report: bool
    as_markdown: bool
    as_json: bool


def _run(invocation: Invocation, wanted: studies.Studies, place: Path, base: Path) -> None:
    """Run or resume every study in turn; Ctrl-C stops the one in hand, and the same command goes on."""
    usd = [config.budget.usd for config in wanted.configs.values() if config.budget.usd is not None]
    if len(usd) > 1:
        click.echo(
            f"[budget] is of each study: {len(usd)} studies may cost {money(sum(usd))} US dollars together", err=True
        )
    for name, config in wanted.configs.items():
        with _of_study(name):
            launch.refuse(config, launch.Wishes(base=base))  # before the first of them has cost anything
    for job in several.jobs(wanted, place):
        click.echo(f"study {job.name}", err=True)
        with Progress() as progress, stopping(RunDirectory(job.out), invocation):

            def planned(plan: Plan, progress: Progress = progress) -> None:
                invocation.begun = True
                progress.planned(plan)

            wishes = launch.Wishes(
                base=base,
                watch=progress.watch,
                planned=planned,
                warn=lambda text: click.echo(f"warning: {text}", err=True),
                exam_of=job.exam_of,
            )
            launch.run(job.config, job.out, wishes)


@contextmanager
def _of_study(name: str) -> Iterator[None]:
    """Say of what is refused, which study it is of."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"study {name!r}: {error}") from None


def _foresee(wanted: studies.Studies, file: Path, place: Path) -> None:
    for name, config in wanted.configs.items():
        click.echo(f"study {name}")
        with _of_study(name):
            foresee(Asked(file), config, place / name)


def _read(wanted: studies.Studies, place: Path) -> Tables:
    with ExitStack() as stack:
        there = {name: place / name for name in wanted.configs if RunDirectory(place / name).journal.exists()}
        journals = {name: stack.enter_context(opened(run))[1] for name, run in there.items()}
        absent = tuple(f"{name} has not begun" for name in wanted.configs if name not in there)
        return read(wanted.name, journals, absent=absent)


def _write(found: Tables, place: Path) -> dict[str, Path]:
    texts = {
        "tables.html": html(found),
        "tables.md": markdown(found),
        "tables.csv": csv_cells(found),
        "differences.csv": csv_differences(found),
    }
    for name, text in texts.items():
        put(place / name, text)
    return {"page": place / "tables.html", "tables": place / "tables.md", "numbers": place / "tables.csv"}
