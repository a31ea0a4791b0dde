"""An exploring report in a terminal: the words, the numbers they rest on, judging, and what weakens it."""

import io
from typing import TYPE_CHECKING

from rung.reports.explore import tables, wording
from rung.reports.explore.tables import Table
from rung.reports.explore.values import ExploreReport
from rung.reports.wording import clean, counted

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table as RichTable
    from rich.text import Text

_MOST = 6
_SHOWN = {
    "decided": ("pathway", "game", "signed gain [95%]", "word", "and then"),
    "table-4": ("game", "pathway", "Avg.", "Max.", "AUC+", "p"),
    "table-5": ("game", "agreement [95%]", "over", "under", "kappa", "NMAE", "unread"),
}
"""What fits 80 columns; the full report has the rest."""


def terminal(report: ExploreReport, *, resume: str | None = None) -> "RenderableType":
    """A summary of a screen or two. `resume` is the command that goes on with an unfinished run."""
    from rich.console import Group

    parts: list[RenderableType] = [_line(wording.title(report), "bold")]
    if report.incomplete:
        parts.append(_line(wording.headline(report), "bold yellow"))
    parts.append(_line(wording.size(report), "dim"))
    for table in (tables.decided(report), tables.described(report), tables.judged_by_game(report)):
        parts += [_line("", ""), _line(table.title, "bold"), _table(table)]
        if table.id == "table-4":
            parts.append(_line("p: how often an agent that never changes has as much AUC+; it decides nothing", "dim"))
    parts += _listed("what weakens this", report.weaknesses) + _listed("missing", report.incomplete)
    if resume is not None and report.incomplete:
        parts.append(_line(f"go on with: {resume}", "bold"))
    return Group(*parts)


def text(report: ExploreReport, *, width: int = 80) -> str:
    """The summary as plain text."""
    from rich.console import Console

    out = io.StringIO()
    Console(width=width, file=out, color_system=None, highlight=False).print(terminal(report))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _table(found: Table) -> "RichTable":
    from rich.table import Table as RichTable
    from rich.text import Text

    wanted = [found.heads.index(head) for head in _SHOWN[found.id]]
    made = RichTable(box=None, padding=(0, 1), pad_edge=False, header_style="dim")
    for place in wanted:
        made.add_column(found.heads[place], overflow="fold")
    for row in found.rows:
        made.add_row(*(Text(clean(row[place])) for place in wanted))
    return made


def _listed(title: str, lines: tuple[str, ...]) -> "list[RenderableType]":
    if not lines:
        return []
    more = [f"and {counted(len(lines) - _MOST, 'more line')}, in the full report"] if len(lines) > _MOST else []
    return [
        _line("", ""),
        _line(f"{title}:", "bold"),
        *(_line(f"- {clean(each)}", "") for each in (*lines[:_MOST], *more)),
    ]


def _line(said: str, style: str) -> "Text":
    from rich.text import Text

    return Text(said, style=style)
