"""A comparison of runs as Markdown, which is read in a terminal as well."""

from collections.abc import Iterator

from rung.reports.compare import Compared, Row
from rung.reports.markdown import escaped
from rung.reports.wording import clean, counted, gain_text, number

MOST = 12
"""Keys of the configs that are listed for a reader."""


def lines(found: Compared) -> Iterator[str]:
    """The comparison, line by line: what weakens it, a table per cell, and what differs between the runs."""
    arms, runs = counted(len(found.entrants), "arm"), counted(len(found.runs), "run")
    yield f"{arms} of {runs} on one exam of {counted(found.exam_tasks, 'task')} ({found.exam_id})"
    yield "Differences are later less earlier with their own 95% intervals; words rest on p after Holm over all rows."
    for warning in found.warnings:
        yield f"- {clean(warning)}"
    for cell in dict.fromkeys(row.cell for row in found.rows):
        rows = [row for row in found.rows if row.cell == cell]
        yield ""
        yield f"{clean(cell)}, {clean(rows[0].unit)}"
        yield from (_line(row) for row in rows)
    if found.differs:
        yield ""
        yield "What the configs say differently:"
    for key, values in list(found.differs.items())[:MOST]:
        yield f"- {clean(key)}: {', '.join(f'{clean(run)} {clean(value)}' for run, value in values.items())}"

    if len(found.differs) > MOST:
        yield f"- and {counted(len(found.differs) - MOST, 'other key')}, in --json"


def _line(row: Row) -> str:
    return f"  {clean(row.later)} less {clean(row.earlier)} ({row.measure}, {_levels(row)}): {_said(row)}"


def _said(row: Row) -> str:
    if row.word == "contaminated":
        return f"withheld: contaminated ({'; '.join(map(clean, row.reasons))})"
    p = "no p" if row.adjusted is None else f"p {row.adjusted:.3g}"
    failed = "" if row.failed is None else f"; unscored = failed {gain_text(row.failed)}"
    return f"{gain_text(row.difference)}, {p}: {row.word}{failed}"


def _levels(row: Row) -> str:
    early, late = row.levels
    return early if early == late else f"{late} less {early}"


def markdown(found: Compared) -> str:
    """The comparison as Markdown, one table a cell."""
    blocks = [f"# {len(found.runs)} runs on exam `{found.exam_id}`", *(f"- {escaped(text)}" for text in found.warnings)]
    for cell in dict.fromkeys(row.cell for row in found.rows):
        heads = (
            "later",
            "earlier",
            "rung",
            "measure",
            "later mean",
            "earlier mean",
            "difference [95%]",
            "Holm's p",
            "word",
        )
        table = [_cells(row) for row in found.rows if row.cell == cell]
        rows = ["| " + " | ".join(map(escaped, row)) + " |" for row in (heads, *table)]
        blocks += [f"\n## {escaped(cell)}\n", rows[0], "|" + " --- |" * len(heads), *rows[1:]]
    made = [f"- {escaped(key)}: `{name}`" for key, name in found.how.items()]
    return "\n".join([*blocks, "\n## How each number is made\n", *made]) + "\n"


def _cells(row: Row) -> tuple[str, ...]:
    hidden = row.word == "contaminated"
    early, late = (None, None) if hidden else row.means
    difference = "withheld" if hidden else gain_text(row.difference)
    p = "–" if row.adjusted is None else f"{row.adjusted:.3g}"
    return (row.later, row.earlier, _levels(row), row.measure, number(late), number(early), difference, p, row.word)
