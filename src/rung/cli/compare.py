"""`rung compare`: runs on one exam, held against each other."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from rung.cli._runs import opened
from rung.cli._say import json_option, say_json
from rung.core.errors import UsageError
from rung.reports import compare, compare_text
from rung.reports.flat import json_value


@click.command("compare")
@click.argument("runs", metavar="RUN [RUN]...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--against", metavar="RUN/ARM", help="Hold all against this arm alone, and not every pair.")
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="Print the comparison as Markdown.")
def command(runs: Sequence[Path], against: str | None, *, as_json: bool, as_markdown: bool) -> None:
    """Hold the arms of runs on one exam against each other.

    Paired by task, with every pair of arms and Holm's correction over all rows.

    Runs share an exam where exam, tasks.holdout and tasks.holdout_seed are equal, the secret too. Where two arms begin
    apart their gains are compared as well. What differs between the runs, and what is missing, stands beside.
    """
    if as_json and as_markdown:
        raise UsageError("--json and --markdown are one or the other; give one of them")
    labels = _labels(runs)
    with ExitStack() as stack:
        journals = {label: stack.enter_context(opened(run))[1] for label, run in zip(labels, runs, strict=True)}
        found = compare.compare(journals, against=against)
    if as_json:
        say_json(json_value(found))
    elif as_markdown:
        click.echo(compare_text.markdown(found), nl=False)
    else:
        for line in compare_text.lines(found):
            click.echo(line)


def _labels(runs: Sequence[Path]) -> list[str]:
    """What each run is called: its folder's name, or the path where two have one name."""
    places = [run.resolve() for run in runs]
    if len(set(places)) < len(places):
        raise UsageError("a run is named twice; name each once")
    names = [place.name for place in places]
    return [name if names.count(name) == 1 else str(run) for name, run in zip(names, runs, strict=True)]
