"""The curve of a pathway in a game as SVG: layout and no arithmetic on results. Colours come from the style sheet.

The thick line is the mean of the lineages, a thin one each of them; the dashed line is the baseline, and what is tinted
is the area above it: AUC+ of the mean curve, which an agent that never changes has too.
"""

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from rung.reports.drawing import image
from rung.reports.explore.values import CurveRow, ExploreReport
from rung.reports.wording import clean, number

WIDTH = 370
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 356, 26, 168
_HEIGHT = _BOTTOM + 40


def scale(report: ExploreReport, game: str) -> tuple[float, float]:
    """Lowest and highest mean of any curve of a game, so that its pathways are drawn on one scale."""
    rows = [row for row in report.curves if row.game == game]
    values = [value for row in rows for line in _lines(row) for _, value in line]
    values += [row.baseline for row in rows if row.baseline is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def curve(row: CurveRow, within: tuple[float, float], name: str) -> str:
    """One curve."""
    mean, *single = _lines(row)
    last = max((point.x for point in row.points), default=1)
    parts = [_grid(within, last, row.unit)]
    if row.baseline is not None:
        parts += [_area(mean, row.baseline, within, last), _baseline(row.baseline, within)]
    parts += [_path(line, within, last, "single", spots=False) for line in single if row.lineages > 1]
    parts.append(_path(mean, within, last, "arm", spots=True))
    title = f"Curve of {row.arm} on {row.game}"
    said = ", ".join(f"after {x:g} episodes {number(value)}" for x, value in mean)
    start = f"baseline {number(row.baseline)}; " if row.baseline is not None else ""
    return image(
        name, title=title, desc=f"{start}{said or 'nothing was measured'}", height=_HEIGHT, body="".join(parts)
    )


def _lines(row: CurveRow) -> list[list[tuple[float, float]]]:
    """The mean and each lineage as places and values, all from the baseline on; unmeasured checkpoints are passed."""
    start = [] if row.baseline is None else [(0.0, row.baseline)]
    mean = start + [(float(point.x), point.mean) for point in row.points if point.mean is not None]
    single = [
        start + [(float(point.x), value) for point in row.points if (value := point.by_lineage[number]) is not None]
        for number in range(row.lineages)
    ]
    return [mean, *single]


def _x(place: float, last: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * place / max(1.0, last)


def _y(value: float, within: tuple[float, float]) -> float:
    low, high = within
    return _BOTTOM - (_BOTTOM - _TOP) * (value - low) / (high - low)


def _grid(within: tuple[float, float], last: float, unit: str) -> str:
    low, high = within
    lines = "".join(
        f'<line class="grid" x1="{_LEFT}" x2="{_RIGHT}" y1="{_y(at, within):.1f}" y2="{_y(at, within):.1f}"/>'
        f'<text class="end r" x="{_LEFT - 6}" y="{_y(at, within) + 3.5:.1f}">{number(at, low, high)}</text>'
        for at in (low, (low + high) / 2, high)
    )

    return (
        f'{lines}<text class="end" x="{_LEFT}" y="{_TOP - 12}">{escape(clean(unit)[:58])}</text>'
        f'<text class="end" x="{_LEFT}" y="{_BOTTOM + 18}">0</text>'
        f'<text class="end m" x="{(_LEFT + _RIGHT) / 2:g}" y="{_BOTTOM + 18}">exploration episodes</text>'
        f'<text class="end r" x="{_RIGHT}" y="{_BOTTOM + 18}">{last:g}</text>'
    )


def _baseline(value: float, within: tuple[float, float]) -> str:
    y = _y(value, within)
    return f'<line class="base" x1="{_LEFT}" x2="{_RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'


def _area(line: Sequence[tuple[float, float]], start: float, within: tuple[float, float], last: float) -> str:
    """What lies above the start: the polygon of the curve, cut off at the baseline."""
    y = _y(start, within)
    points = [(_x(place, last), _y(value, within)) for place, value in line]
    if len(points) < 2:
        return ""
    above: list[tuple[float, float]] = []
    for (x1, y1), (x2, y2) in pairwise(points):
        above.append((x1, min(y1, y)))
        if (y1 - y) * (y2 - y) < 0:
            above.append((x1 + (x2 - x1) * (y - y1) / (y2 - y1), y))
    above.append((points[-1][0], min(points[-1][1], y)))
    outline = "L".join(f"{x:.1f} {top:.1f}" for x, top in above)
    return f'<path class="above" d="M{points[0][0]:.1f} {y:.1f}L{outline}L{points[-1][0]:.1f} {y:.1f}z"/>'


def _path(
    line: Sequence[tuple[float, float]], within: tuple[float, float], last: float, kind: str, *, spots: bool
) -> str:
    if not line:
        return ""
    points = [(_x(place, last), _y(value, within)) for place, value in line]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>' for x, y in points) if spots else ""
    return f'<g class="line {kind}"><path d="M{path}"/>{dots}</g>'
