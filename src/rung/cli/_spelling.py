"""The renderers of the two kinds of report: of a ladder or a cell, and of exploring."""

from typing import TYPE_CHECKING

from rung.reports.explore.values import ExploreReport
from rung.reports.values import LadderReport

if TYPE_CHECKING:
    from rich.console import RenderableType


def text(report: LadderReport | ExploreReport, kind: str) -> str:
    """The whole report as `json`, `csv` or `markdown`."""
    if isinstance(report, ExploreReport):
        from rung.reports.explore import flat as rows
        from rung.reports.explore import markdown as words

        return {"json": rows.json_text, "csv": rows.csv_rows, "markdown": words.markdown}[kind](report)
    from rung.reports import flat, markdown

    return {"json": flat.json_text, "csv": flat.csv_rows, "markdown": markdown.markdown}[kind](report)


def terminal(report: LadderReport | ExploreReport) -> "RenderableType":
    """The summary for a terminal."""
    if isinstance(report, ExploreReport):
        from rung.reports.explore import terminal as explored

        return explored.terminal(report)
    from rung.reports import terminal

    return terminal.terminal(report)


def page(report: LadderReport | ExploreReport) -> str:
    """The page."""
    if isinstance(report, ExploreReport):
        from rung.reports.explore import page as explored

        return explored.html(report)
    from rung.reports import page

    return page.html(report)
