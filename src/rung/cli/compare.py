"""`rung compare`: runs on one exam, and the arms inside one, held against each other."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from rung.cli._audits import of_cell
from rung.cli._runs import opened
from rung.cli._say import json_option, say_json
from rung.core.errors import UsageError
from rung.reports.compare import text, whole
from rung.reports.flat import json_value


@click.command("compare")
@click.argument("runs", metavar="RUN [RUN]...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--against", metavar="RUN/ARM", help="Hold all against this arm alone, and not every pair.")
@click.option(
    "--control",
    "named_controls",
    metavar="RUN/ARM",
    multiple=True,
    help="An arm that is a control: gains over it are shown, by dollar and by token too. Repeatable.",
)
@click.option("--despite-drift", is_flag=True, help="Go past an A_0 that differs between runs; the output is stamped.")
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="Print the comparison as Markdown.")
def command(
    runs: Sequence[Path],
    against: str | None,
    named_controls: Sequence[str],
    *,
    despite_drift: bool,
    as_json: bool,
    as_markdown: bool,
) -> None:
    """Hold the arms of runs on one exam against each other.

    Differences of gains, paired by task, for every pair of arms on every level, with Holm's correction over all rows;
    the ranks they leave open; gains over controls, by dollar and by million tokens.

    Runs share an exam where exam, tasks.holdout and tasks.holdout_seed are equal, the secret too. Where two runs
    declare the same A_0 its scores must agree but for chance; else the comparison is refused. docs/guide/comparing.md
    has more.
    """
    if as_json and as_markdown:
        raise UsageError("--json and --markdown are one or the other; give one of them")
    labels = _labels(runs)
    with ExitStack() as stack:
        read = {label: stack.enter_context(opened(run)) for label, run in zip(labels, runs, strict=True)}
        audits = {label: of_cell(*each) for label, each in read.items()}
        found = whole.compare(
            {label: journal for label, (_, journal) in read.items()},
            against=against,
            named_controls=named_controls,
            despite_drift=despite_drift,
            audits=audits,
        )
    if as_json:
        say_json(json_value(found))
    elif as_markdown:
        click.echo(text.markdown(found), nl=False)
    else:
        for line in text.lines(found):
            click.echo(line)


def _labels(runs: Sequence[Path]) -> list[str]:
    """What each run is called: its folder's name, or the path where two have one name."""
    places = [run.resolve() for run in runs]
    twice = sorted({place.name for place in places if places.count(place) > 1})
    if twice:
        raise UsageError(f"the run {twice[0]} is named twice; name each once")
    names = [place.name for place in places]
    return [name if names.count(name) == 1 else str(run) for name, run in zip(names, runs, strict=True)]
