"""A ladder report as one self-contained HTML page: no script, no request to anywhere, readable as it stands.

The words and numbers come from `wording`, the pictures from `drawing`, the layout from `templates/`. Every string that
reaches the page is escaped by the template engine, because names and faults are foreign text.
"""

import json
import re
from typing import TYPE_CHECKING, Any

from rung.reports import accounts, apparatus, changes, controls_text, drawing, flat, registered, terms, wording
from rung.reports.values import ArmReport, LadderReport

if TYPE_CHECKING:
    from jinja2 import Environment


_INTERVAL = re.compile(r"\[([−\d.,e]{1,7}), ([−\d.,e]{1,7})\]")  # kept on one line where it is not longer than usual


CROWDED = 150
"""Rows beyond which a page, to stay below a megabyte, leaves out curves and the gains of single lineages."""


def html(report: LadderReport) -> str:
    """The whole page. Pure: the same report gives the same text."""
    env = environment()
    page = env.get_template("report.html.j2")
    return page.render(
        report=report,
        wording=wording,
        accounts=accounts,
        terms=terms,
        registered=registered,
        apparatus=apparatus,
        controls=controls_text,
        changes=changes,
        pictures=_Pictures(report),
        settings=settings_text,
    )


def environment() -> "Environment":
    """Templates that escape every string and make foreign text visible."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def finalize(value: object) -> object:
        return value if isinstance(value, Markup) else _INTERVAL.sub("[\\1,\u00a0\\2]", wording.clean(value))

    env = Environment(
        loader=PackageLoader("rung.reports"),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["capitalize_first"] = lambda text: text[:1].upper() + text[1:]
    return env


class _Pictures:
    """The drawings of one report on the scales they share, marked as safe: `drawing` escapes what it is given."""

    def __init__(self, report: LadderReport) -> None:
        from markupsafe import Markup

        self._report, self._markup = report, Markup
        self._spans, self._within = drawing.spans(report), drawing.curve_range(report)
        self.crowded = sum(len(arm.rungs) for arm in report.arms) > CROWDED

    def ladder(self, arm: ArmReport, name: str) -> str:
        return self._markup(drawing.ladder(arm, self._spans, name))

    def dots(self, rung: Any, name: str) -> str:
        return self._markup(drawing.dots(rung, self._spans[rung.unit], name))

    def curve(self, arm: ArmReport, name: str) -> str:
        return self._markup(drawing.curve(arm, self._report, self._within, name))


def settings_text(values: object) -> str:
    """A mapping as indented JSON that keeps its lines. Non-ASCII signs are escaped, so none can turn the text round."""
    from markupsafe import escape

    return escape(json.dumps(flat.json_value(values), indent=2))
