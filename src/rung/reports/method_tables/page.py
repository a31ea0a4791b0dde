"""The tables as one self-contained page in the style of a report: no script, no request to anywhere."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rung.reports.method_tables.sections import sections
from rung.reports.method_tables.values import Section, Tables
from rung.reports.wording import clean

if TYPE_CHECKING:
    from jinja2 import Environment


def html(found: Tables, more: Sequence[Section] = ()) -> str:
    """The whole page, with sections that others made behind our own. Pure: the same tables give the same text."""
    return (
        _environment()
        .get_template("method_tables.html.j2")
        .render(found=found, sections=(*sections(found), *more), marked=_marked, pictured=_pictured, lines=_lines)
    )


def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("rung.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _lines(cell: str) -> list[str]:
    """The lines of a cell. What breaks a line inside foreign text was made a blank before it came here."""
    return [clean(line) for line in cell.split("\n")]


def _marked(section: Section, row: int, column: int) -> bool:
    return (row, column) in section.strong


def _pictured(section: Section) -> str:
    """The picture of a section, which is SVG of our own with all foreign text in it escaped."""
    from markupsafe import Markup

    return Markup(section.figure)  # noqa: S704
