"""Pictures of the tables as SVG, in the colours of the page. Each stands over the table that has its numbers."""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10

from rung.core.values import Estimate
from rung.reports.drawing import image, mark
from rung.reports.method_tables.values import Cell, Ranked, Transfer
from rung.reports.wording import clean, interval_text, number, ranks_text

WIDTH = 640
_FROM, _TO, _ROW = 170, 470, 26
MOST = 2.0
"""HCI beyond which a bar is cut off: twice the headroom, either way."""


def transfer(found: Transfer, name: str) -> str:
    """A panel for each target: HCI of the arm refined on each source, and a dashed line for refinement on itself."""
    low, high = _span([cell.hci for row in found.entries.values() for cell in row.values() if not cell.withheld])
    body, top = [], 0.0
    for target in found.targets:
        body.append(_panel(found, target, top, low, high))
        top += 40 + _ROW * len(found.sources) + 22
    desc = "; ".join(_spoken(found, target) for target in found.targets)
    title = f"HCI of {found.arm} on each target, by what it was refined on, with 95% intervals"
    return image(name, title=title, desc=desc, height=top, body="".join(body), width=WIDTH)


def _panel(found: Transfer, target: str, top: float, low: float, high: float) -> str:
    bottom = top + 34 + _ROW * len(found.sources)
    zero = _x(0.0, low, high)
    parts = [
        f'<text class="lvl" x="2" y="{top + 18:g}">{_short(target, 60)}</text>',
        f'<line class="zero" x1="{zero:.1f}" x2="{zero:.1f}" y1="{top + 28:g}" y2="{bottom:g}"/>',
        *_ends(low, high, bottom),
    ]
    direct = found.direct(target)
    if direct is not None and direct.hci.value is not None and not direct.withheld:
        x = _x(direct.hci.value, low, high)
        parts.append(
            f'<line class="line control" style="stroke:currentColor;stroke-dasharray:5 4" x1="{x:.1f}" '
            f'x2="{x:.1f}" y1="{top + 26:g}" y2="{bottom:g}"/>'
        )
    for at, source in enumerate(found.sources):
        y = top + 40 + _ROW * at
        parts.append(f'<text class="tgt" x="2" y="{y + 4:g}">{_short(source, 28)}</text>')
        parts.append(_dot(found.entries[source].get(target), y, low, high))
    return "".join(parts)


def _dot(cell: Cell | None, y: float, low: float, high: float) -> str:
    if cell is None or cell.withheld or cell.hci.value is None:
        said = "not asked" if cell is None else "withheld" if cell.withheld else "HCI undefined"
        return f'<text class="faint" x="{_FROM}" y="{y + 4:g}">{said}</text>'
    kind = f"v-{cell.word.replace(' ', '-')}"
    at = mark(cell.word, _x(cell.hci.value, low, high), y)
    figures = _figures(cell.hci)
    told = f'<text class="num" x="{_TO + 14}" y="{y + 4:g}">{figures}</text>'
    return f'<g class="{kind}">{_bar(cell.hci, y, low, high)}{at}</g>{told}'


def ranks(found: Sequence[Ranked], name: str) -> str:
    """Scores, highest first, with the ranks that are left open: refined agents solid, general ones hollow."""
    low, high = _span([each.score for each in found], most=None)
    parts = []
    for at, each in enumerate(found):
        y = 20 + _ROW * at
        parts.append(
            f'<text class="tgt" x="2" y="{y + 4:g}">{ranks_text(each.places)}. {_short(each.label, 24)}</text>'
        )
        if each.score.value is not None:
            parts.append(_placed(each, y, low, high))
    bottom = 20 + _ROW * len(found)
    parts += _ends(low, high, bottom)
    said = "; ".join(f"{ranks_text(each.places)}. {each.label} {_figures(each.score)}" for each in found)
    title = f"Exam scores on {found[0].target}: refined agents beside general ones, with 95% intervals"
    return image(name, title=title, desc=said, height=bottom + 24, body="".join(parts), width=WIDTH)


def _placed(each: Ranked, y: float, low: float, high: float) -> str:
    assert each.score.value is not None
    x = _x(each.score.value, low, high)
    kind = "v-improved" if each.refined else "v-inconclusive"
    shape = (
        f'<circle class="solid" cx="{x:.1f}" cy="{y:g}" r="5.2"/>'
        if each.refined
        else f'<path class="hollow" d="M{x:.1f} {y:g}m-4.6 -4.6h9.2v9.2h-9.2z"/>'
    )
    told = f'<text class="num" x="{_TO + 14}" y="{y + 4:g}"><tspan class="big">{_figures(each.score)}</tspan></text>'
    return f'<g class="{kind}">{_bar(each.score, y, low, high)}{shape}</g>{told}'


# --------------------------------------------------------------------------------------------- scales


def _span(found: Sequence[Estimate], most: float | None = MOST) -> tuple[float, float]:
    """Lowest and highest of what is drawn, in whole steps, 0 among it; cut off at `most`."""
    ends = [end for each in found for end in (each.value, each.lo, each.hi) if end is not None]
    kept = ends if most is None else [max(-most, min(most, end)) for end in ends]
    low, high = min([0.0, *kept]), max([0.0, *kept])
    if high <= low:
        return 0.0, 1.0
    step = _step(high - low)
    return -ceil(-low / step) * step, ceil(high / step) * step


def _step(span: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that goes four times into a span.

    >>> _step(1.16), _step(2.4), _step(37.0)
    (0.2, 0.5, 5.0)
    """
    power = floor(log10(span / 4))
    return max(float(f"{each}e{power}") for each in (1, 2, 5) if float(f"{each}e{power}") <= span / 4)


def _x(value: float, low: float, high: float) -> float:
    return _FROM + (_TO - _FROM) * (max(low, min(high, value)) - low) / (high - low)


def _bar(found: Estimate, y: float, low: float, high: float) -> str:
    if found.lo is None or found.hi is None:
        return ""
    start, end = _x(found.lo, low, high), _x(found.hi, low, high)
    caps = [x for x, real in ((start, found.lo), (end, found.hi)) if low <= real <= high]
    drawn = "".join(f"M{x:.1f} {y - 4:g}v8" for x in caps)
    bar = f'<line class="bar" x1="{start:.1f}" x2="{end:.1f}" y1="{y:g}" y2="{y:g}"/><path class="cap" d="{drawn}"/>'
    return bar + _on(_FROM, y, -1) * (found.lo < low) + _on(_TO, y, 1) * (found.hi > high)


def _on(x: float, y: float, way: int) -> str:
    """The arrow of an interval that goes on beyond the axis."""
    return f'<path class="solid beyond" d="M{x + 9 * way:g} {y:g}l{-9 * way} -5.5v11z"/>'


def _ends(low: float, high: float, y: float) -> list[str]:
    return [
        f'<line class="rail" x1="{_FROM}" x2="{_TO}" y1="{y:g}" y2="{y:g}"/>',
        f'<text class="end" x="{_FROM}" y="{y + 14:g}">{_end(low)}</text>',
        f'<text class="end r" x="{_TO}" y="{y + 14:g}">{_end(high)}</text>',
    ]


def _end(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _figures(found: Estimate) -> str:
    return f"{number(found.value, found.lo, found.hi)} {interval_text(found)}"


def _short(foreign: str, most: int) -> str:
    shown = clean(foreign)
    return escape(shown if len(shown) <= most else f"{shown[: most - 1]}…")


def _spoken(found: Transfer, target: str) -> str:
    told = []
    for source in found.sources:
        cell = found.entries[source].get(target)
        if cell is not None and not cell.withheld:
            told.append(f"from {source} {_figures(cell.hci)} {cell.word}")
    return f"{target}: {', '.join(told) or 'nothing was measured'}"
