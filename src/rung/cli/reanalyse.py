"""`rung reanalyse`: results that another tool measured, given the honest report."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rung.cli._files import put
from rung.cli._say import json_option, say_json
from rung.core.errors import UsageError

if TYPE_CHECKING:
    from rung.reanalysis.columns import Given, Guess, Source
    from rung.reanalysis.question import Question


@click.command("reanalyse")
@click.argument("results", metavar="RESULTS...", nargs=-1, required=True)
@click.option("--item", metavar="COLUMN", help="What was scored: ids that pair the two sides.")
@click.option("--before", metavar="NAME", help="The side before: a column, or a value of the condition.")
@click.option("--after", metavar="NAME", multiple=True, help="The side after; repeatable. Else all others.")
@click.option("--condition", metavar="COLUMN", help="In a long table, what tells the sides apart.")
@click.option("--score", metavar="COLUMN", help="In a long table the score; in logs, which scorer or reward.")
@click.option("--trial", metavar="COLUMN", help="Numbers several attempts at one item.")
@click.option("--repeats", is_flag=True, help="Rows of one item are attempts, numbered as they come.")
@click.option("--checkpoint", metavar="COLUMN", help="Where along the work, a number: a learning curve.")
@click.option("--group", metavar="COLUMN", multiple=True, help="Cells of a table, compared within; repeatable.")
@click.option("--unit", metavar="COLUMN", help="What is sampled, where items share a template or document.")
@click.option("--lineage", metavar="COLUMN", help="Whole runs of self-improvement; blank where they share one before.")
@click.option(
    "--items", metavar="PATTERN", multiple=True, help="Leaderboards: columns that are items, such as 'math_*'."
)
@click.option("--reference", metavar="NAME", help="The condition that bounds what can be reached, for HCI.")
@click.option("--search", metavar="NAME", help="The score by which a search chose what is called after.")
@click.option("--planned", type=int, metavar="N", help="Comparisons planned, those that are not here too.")
@click.option("--margin", type=float, metavar="SIZE", help="The smallest difference of note, fixed beforehand.")
@click.option("--scale", metavar="LOW,HIGH", help="The ends of the scale; LOW, alone where it is open.")
@click.option("--contaminated", metavar="GROUP", multiple=True, help="Withhold this group's number; repeatable.")
@click.option("--selected-from", type=int, metavar="M", help="The scores after picked the best of M candidates.")
@click.option("--as-published", "published", is_flag=True, help="Also give mean ± 1.96·sd/sqrt(n), as some tools do.")
@click.option("--yes", is_flag=True, help="Take the guess of columns without asking.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE.md", help="Write the report as Markdown too.")
@json_option
def command(results: tuple[str, ...], **given: Any) -> None:
    """Give results that another tool measured the honest report.

    RESULTS is a table (CSV, TSV, JSON, JSONL; - for a pipe), or files and folders of Inspect, Harbor, verifiers,
    shobench or RSIBench, where the first is before and the others after. A text of the S3Gym paper is searched for
    curves that cannot have begun from one baseline.

    A table has one row per item with a column for each side, or one row per score with a column that names the side.
    Columns are guessed by name; on a terminal you are asked, in a pipe a doubt is refused with the flags for it.

    \b
    rung reanalyse scores.csv                                   # item, before, after
    rung reanalyse scores.csv --before base --after tuned       # other names
    rung reanalyse long.jsonl --condition arm --score reward --trial attempt
    rung reanalyse before.eval after.eval                       # Inspect
    rung reanalyse jobs/base jobs/tuned --score reward          # Harbor
    cat scores.csv | rung reanalyse - --group suite --planned 12

    Each comparison has its interval, an exact p, Holm's p over all planned, and a word; what is missing is counted and
    bounded. It ends with what cannot be said: one run is one end state, and no file tells how whole runs differ.
    """
    from rung.reanalysis import analysis, text
    from rung.reanalysis.columns import settle
    from rung.reanalysis.readers import find, s3gym
    from rung.reports.flat import json_value

    if len(results) == 1 and s3gym.matches(Path(results[0])):
        _baselines(Path(results[0]), out=given["out"], as_json=given["as_json"])
        return
    columns, question = _columns(given), _question(given)
    source = find.read(results, score=columns.score)
    guess = settle(source, columns)
    _confirm(source, guess, yes=given["yes"], as_json=given["as_json"])
    found = analysis.reanalyse(source, guess, question)
    if given["out"] is not None:
        put(given["out"], text.markdown(found))
    if given["as_json"]:
        say_json(json_value(found))
        return
    for line in text.lines(found):
        click.echo(line)
    if given["out"] is not None:
        click.echo(f"report: {given['out']}")


def _baselines(paper: Path, *, out: Path | None, as_json: bool) -> None:
    """Of the curves that the paper prints, which cannot have begun from one baseline."""
    from rung.reanalysis import baselines, baselines_text
    from rung.reanalysis.readers import s3gym
    from rung.reports.flat import json_value

    pairs = baselines.compare(s3gym.read(paper))
    said = list(baselines_text.lines(pairs))
    if out is not None:
        put(out, "\n".join(("```", *said, "```", "")))
    if as_json:
        say_json(json_value(pairs))
        return
    for line in said:
        click.echo(line)


def _columns(given: Mapping[str, Any]) -> "Given":
    from rung.reanalysis.columns import Given

    names = (
        "item",
        "before",
        "condition",
        "score",
        "trial",
        "checkpoint",
        "unit",
        "lineage",
        "reference",
        "search",
        "repeats",
    )
    many = ("after", "group", "items")
    said: dict[str, Any] = {name: given[name] for name in names} | {name: tuple(given[name]) for name in many}
    return Given(**said)


def _question(given: Mapping[str, Any]) -> "Question":
    from rung.reanalysis.question import Question

    names = ("planned", "margin", "selected_from", "published")
    contaminated = tuple(given["contaminated"])
    return Question(**{name: given[name] for name in names}, contaminated=contaminated, scale=scale_of(given["scale"]))


def scale_of(text: str | None) -> tuple[float, float | None] | None:
    """The ends of a scale from `LOW,HIGH`, the upper one None where nothing follows the comma.

    >>> scale_of("0,1"), scale_of("0,"), scale_of(None)
    ((0.0, 1.0), (0.0, None), None)
    """
    if text is None:
        return None
    low, comma, high = text.partition(",")
    try:
        if not comma:
            raise ValueError
        return float(low), float(high) if high.strip() else None
    except ValueError:
        raise UsageError(f"--scale is LOW,HIGH such as 0,1, or LOW, where it has no upper end; got {text!r}") from None


def _confirm(source: "Source", guess: "Guess", *, yes: bool, as_json: bool) -> None:
    """On a terminal say the guess and ask; elsewhere refuse what is in doubt. For a machine it is said on stderr."""
    from rung.reanalysis.columns import unsure
    from rung.reports.wording import clean

    guessed = [line for line in guess.said if not line.endswith("(given)")]
    if not guessed and not guess.doubts:
        return
    on_screen = not (yes or as_json) and sys.stdin.isatty() and sys.stderr.isatty()
    if on_screen or as_json:  # elsewhere the report begins with it
        for line in (source.format, *guess.said, *(f"in doubt: {doubt}" for doubt in guess.doubts)):
            click.echo(clean(line), err=True)
    if on_screen:
        if not click.confirm("Is that so?", default=not guess.doubts, err=True):
            raise unsure(guess, source) if guess.doubts else UsageError(f"nothing was compared. {_flags()}")
    elif guess.doubts and not yes:
        raise unsure(guess, source)


def _flags() -> str:
    from rung.reanalysis.columns import FLAGS

    return f"Say which column is which. {FLAGS}"
