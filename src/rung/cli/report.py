"""`rung report`: from the journal to what a person or a program reads."""

import os
import sys
import webbrowser
from pathlib import Path

import click

from rung.cli import _spelling
from rung.cli._files import put
from rung.cli._runs import opened, report_of
from rung.cli._say import json_option, run_argument, say_rich
from rung.core.errors import UsageError
from rung.reports.explore.values import ExploreReport
from rung.reports.values import LadderReport


@click.command("report")
@run_argument
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write the page to this file instead.")
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print one row per arm and comparison, or per curve.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print the report as Markdown.")
@click.option("--open", "open_it", is_flag=True, help="Open the page in a browser where there is a display.")
@click.option("--quiet", is_flag=True, help="Print the path alone, and no summary.")
def command(
    run: Path, html: Path | None, *, as_json: bool, as_csv: bool, as_markdown: bool, open_it: bool, quiet: bool
) -> None:
    """Write and print the report of a run, finished or not.

    Writes report.html into the run's folder and prints a summary and the path.

    Works on running runs too; what is missing is named. With --json, --csv or --markdown the
    whole report is printed instead and nothing is written.
    """
    texts = [name for name, wanted in (("json", as_json), ("csv", as_csv), ("markdown", as_markdown)) if wanted]
    if len(texts) + (html is not None or open_it) > 1:
        raise UsageError("--json, --csv, --markdown and a page (--html, --open) are one or the other; give one of them")
    with opened(run) as (directory, journal):
        report = report_of(directory, journal)
        page = directory.report if html is None else html
    if texts:
        click.echo(_spelling.text(report, texts[0]), nl=False)
        return
    write(report, page)
    if not quiet:
        say_rich(_spelling.terminal(report))
    click.echo(f"report: {page}")
    if open_it:
        open_page(page)


def write(report: LadderReport | ExploreReport, file: Path) -> None:
    """Write the page, whole or not at all."""
    put(file, _spelling.page(report))


def show(report: LadderReport | ExploreReport, page: Path) -> None:
    """Print the summary, and where the page lies."""
    say_rich(_spelling.terminal(report))
    click.echo(f"report: {page}")


def open_page(page: Path) -> None:
    """Open the page where somebody can see it; its path has been printed already."""
    seen = sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not seen or not webbrowser.open(page.resolve().as_uri()):
        click.echo("no browser could be opened here; open the path above", err=True)
