"""An exploring report as one self-contained HTML page, in the house style of `rung.reports.page`."""

from rung.reports import changes
from rung.reports.explore import drawing, tables, wording
from rung.reports.explore.values import CurveRow, ExploreReport
from rung.reports.page import environment, settings_text

CROWDED = 60
"""Curves beyond which a page leaves their pictures out."""


def html(report: ExploreReport) -> str:
    """The whole page. Pure: the same report gives the same text."""
    from rung.reports import wording as shared

    page = environment().get_template("explore.html.j2")
    return page.render(
        report=report,
        said=wording,
        wording=shared,
        tables=tables.tables(report),
        pictures=_Pictures(report),
        changes=changes,
        settings=settings_text,
    )


class _Pictures:
    """The curves of a report, those of one game on one scale, marked as safe: `drawing` escapes what it is given."""

    def __init__(self, report: ExploreReport) -> None:
        from markupsafe import Markup

        self._markup = Markup
        self._within = {game: drawing.scale(report, game) for game in report.games}
        self.crowded = len(report.curves) > CROWDED

    def curve(self, row: CurveRow, name: str) -> str:
        return self._markup(drawing.curve(row, self._within[row.game], name))
