"""An exploring report as Markdown: every table of it, what weakens it, and how each number is made."""

from collections.abc import Iterable, Sequence

from rung.reports.explore import tables, wording
from rung.reports.explore.values import ExploreReport
from rung.reports.markdown import changed, escaped


def markdown(report: ExploreReport) -> str:
    """The whole report."""
    blocks = [f"# {escaped(wording.title(report))}", f"{escaped(wording.size(report))}."]
    if report.incomplete:
        blocks += [f"**{escaped(wording.headline(report))}**", _list(report.incomplete)]
    blocks += ["## What weakens this", _list(report.weaknesses or ("nothing was recorded; that is no proof",))]
    for arm in report.arms:
        rows = [row for row in report.curves if row.arm == arm.name]
        blocks += [f"## {escaped(arm.name)}", f"{escaped(wording.about(arm))}.", _list(map(wording.sentence, rows))]
    for table in tables.tables(report):
        blocks += [f"## {escaped(table.title)}", escaped(table.note), _table(table.heads, table.rows)]
    blocks += changed(report.changes)
    words = [f"**{escaped(word)}**: {escaped(meaning)}" for word, meaning in wording.explained(report).items()]
    made = [f"{escaped(what)}: `{function}`" for what, function in report.how.items()]
    blocks += ["## Words", "\n".join(f"- {line}" for line in words)]
    blocks += ["## How each number is made", "\n".join(f"- {line}" for line in made)]
    blocks += [f"Exam `{report.exam_id}`, digest `{report.digest}`."]
    return "\n\n".join(blocks) + "\n"


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {escaped(line)}" for line in lines)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    laid = ["| " + " | ".join(map(escaped, cells)) + " |" for cells in (heads, *rows)]
    return "\n".join([laid[0], "|" + " --- |" * len(heads), *laid[1:]])
