"""Pictures of a ladder report as SVG: layout and no arithmetic on results. Colours come from the page's style sheet.

Every picture is an image to a screen reader, with a title and a description; the page puts the same numbers in a
table directly behind it. Text in a picture is escaped here, and shortened where it would run over its neighbour.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import chain
from math import floor, log10
from types import MappingProxyType

from rung.reports.values import ArmReport, CurvePoint, LadderReport, Rung
from rung.reports.wording import (
    LEVELS,
    RESOLUTION,
    SIGNS,
    clean,
    footnote,
    interval_text,
    number,
    shown_gain,
    truth_text,
    withheld,
)
from rung.stats.verdict import Word

WIDTH = 370
_ROW, _LEFT, _RIGHT, _TEXT = 60, 34, 200, 213
_MIDDLE, _HALF = (_LEFT + _RIGHT) / 2, (_RIGHT - _LEFT) / 2 - 9


def image(name: str, *, title: str, desc: str, height: float, body: str, width: float = WIDTH) -> str:
    """An SVG that says what it is. `name` is unique on its page; `body` is SVG, the rest is foreign text."""
    return (
        f'<svg role="img" aria-labelledby="{name}-t {name}-d" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}"><title id="{name}-t">{_text(title)}</title>'
        f'<desc id="{name}-d">{_text(desc)}</desc>{body}</svg>'
    )


def _text(foreign: str, most: int = 0) -> str:
    shown = clean(foreign)
    return escape(shown if not most or len(shown) <= most else f"{shown[: most - 1]}…")


# --------------------------------------------------------------------------------------------- scales


def spans(report: LadderReport) -> Mapping[str, float]:
    """For each unit the half-width of its scale around zero: gains in one unit, and only those, share a scale.

    Contaminated gains are not drawn, so they stretch nothing.
    """
    found: dict[str, float] = {}
    for rung in (rung for arm in report.arms for rung in arm.rungs):
        reach = max((abs(end) for end in _ends(rung)), default=0.0)
        found[rung.unit] = max(found.get(rung.unit, 0.0), reach)
    return {unit: _nice(reach) for unit, reach in found.items()}


def _ends(rung: Rung) -> Iterator[float]:
    drawn = () if withheld(rung) else (rung.gain.value, rung.gain.lo, rung.gain.hi, *rung.lineage_gains)
    return (end for end in drawn if end is not None)


def _nice(reach: float) -> float:
    """The next of 1, 2, 3, 4, 5, 6, 8 times a power of ten.

    What prints as 0 is drawn as 0, however little it is.

    >>> _nice(0.513), _nice(0.81), _nice(37.0), _nice(0.0), _nice(2e-17)
    (0.6, 1.0, 40.0, 1.0, 0.001)
    """
    if reach <= 0:
        return 1.0
    if reach < RESOLUTION:
        return 2 * RESOLUTION
    power = floor(log10(reach))
    steps = (float(f"{step}e{power}") for step in (1, 2, 3, 4, 5, 6, 8, 10))
    return next((step for step in steps if step >= reach), reach)


def _end_of(span: float, sign: str) -> str:
    return sign + (f"{span:,g}" if span < 1e5 else number(span))


# --------------------------------------------------------------------------------------------- the ladder of one arm


def ladder(arm: ArmReport, spans: Mapping[str, float], name: str) -> str:
    """One arm's ladder: G4 on top, G0 the ground below, each rung an axis of its own with the gain's interval on it."""
    rows, top, foot = [], 0.0, 0.0
    for level in reversed(list(LEVELS)):
        found = [rung for rung in arm.rungs if rung.level == level]
        if level == "G0":
            foot, top = top, top + 16
        for at, rung in enumerate(found or [None]):
            rows.append(_row(rung, level if at == 0 else "", top, arm, spans))
            top += _ROW
    desc = "; ".join(_spoken(arm, level) for level in LEVELS)
    title = f"Ladder of {arm.name}: gain on each rung with its 95% interval"
    return image(name, title=title, desc=desc, height=top, body=_rails(foot, top) + "".join(rows))


def _spoken(arm: ArmReport, level: str) -> str:
    found = [rung for rung in arm.rungs if rung.level == level]
    said = [f"{clean(rung.target)} {rung.verdict.word}, gain {shown_gain(rung)}{_also(rung)}" for rung in found]
    return f"{level}: {', '.join(said) or 'not asked'}"


def _also(rung: Rung) -> str:
    return f", {truth_text(rung)}" if truth_text(rung) else ""


def _rails(foot: float, bottom: float) -> str:
    """Two rails that end above the ground, and the line of zero that does not."""
    rails = "".join(f'<line class="rail" x1="{x}" x2="{x}" y1="4" y2="{foot:g}"/>' for x in (_LEFT, _RIGHT))
    return f'{rails}<line class="zero" x1="{_MIDDLE:g}" x2="{_MIDDLE:g}" y1="4" y2="{bottom - 10:g}"/>'


def _row(rung: Rung | None, level: str, top: float, arm: ArmReport, spans: Mapping[str, float]) -> str:
    y = top + 32
    label = f'<text class="lvl" x="2" y="{y + 5:g}">{level}</text>'
    if rung is None:
        step = f'<line class="step unasked" x1="{_LEFT}" x2="{_RIGHT}" y1="{y:g}" y2="{y:g}"/>'
        return f'{label}{step}<text class="faint" x="{_TEXT}" y="{y + 4:g}">not asked</text>'
    held, figures = " held" if rung.level in arm.climbed else "", _figures(rung)
    kind = css_class(rung)
    parts = (
        label,
        f'<line class="step{held} {kind}" x1="{_LEFT}" x2="{_RIGHT}" y1="{y:g}" y2="{y:g}"/>',
        f'<text class="tgt" x="{_LEFT + 6}" y="{top + 17:g}">{_text(rung.target, 27)}</text>',
        _scale(spans[rung.unit], y),
        _interval(rung, spans[rung.unit], y),
        f'<g class="{kind}">{mark(rung.verdict.word, _TEXT + 5, y - 9)}',
        f'<text class="word" x="{_TEXT + 15}" y="{y - 5:g}">{_word(rung)}</text></g>',
        f'<text class="num" x="{_TEXT}" y="{y + 11:g}"{_squeezed(figures, WIDTH - _TEXT)}>{figures}</text>',
    )
    return "".join(parts)


def _figures(rung: Rung) -> str:
    if withheld(rung) or rung.gain.value is None:
        return "withheld" if withheld(rung) else "no gain"
    value = number(rung.gain.value, rung.gain.lo, rung.gain.hi, signed=True)
    return f'<tspan class="big">{value}</tspan> {interval_text(rung.gain)}'


def _word(rung: Rung) -> str:
    truth = "" if rung.truth is None else f'<tspan class="truth" dx="6">truth {SIGNS[rung.truth]}</tspan>'
    return f"{rung.verdict.word}{footnote(rung)}{truth}"


def _squeezed(markup: str, room: float, *, sign: float = 6.4) -> str:
    """Where a text of so many pixels a sign is too long for its room: the order to fit it in."""
    long = len(re.sub(r"<[^>]*>", "", markup)) * sign > room
    return f' textLength="{room - 2:g}" lengthAdjust="spacingAndGlyphs"' if long else ""


def _scale(span: float, y: float) -> str:
    return (
        f'<text class="end" x="{_LEFT + 4}" y="{y + 15:g}">{_end_of(span, "−")}</text>'
        f'<text class="end r" x="{_RIGHT - 4}" y="{y + 15:g}">{_end_of(span, "+")}</text>'
    )


def _interval(rung: Rung, span: float, y: float) -> str:
    if withheld(rung) or rung.gain.value is None:
        return ""
    x = _x(rung.gain.value, span)
    bar = ""
    if rung.gain.lo is not None and rung.gain.hi is not None:
        lo, hi = _x(rung.gain.lo, span), _x(rung.gain.hi, span)
        bar = (
            f'<line class="bar" x1="{lo:.1f}" x2="{hi:.1f}" y1="{y:g}" y2="{y:g}"/>'
            f'<path class="cap" d="M{lo:.1f} {y - 4:g}v8M{hi:.1f} {y - 4:g}v8"/>'
        )
    return f'<g class="{css_class(rung)}">{bar}{mark(rung.verdict.word, x, y)}</g>'


def _x(value: float, span: float) -> float:
    return _MIDDLE + _HALF * value / span


def css_class(rung: Rung) -> str:
    """The style class of a verdict."""
    return f"v-{rung.verdict.word.replace(' ', '-')}"


_SHAPES: Mapping[Word, str] = MappingProxyType(
    {
        "improved": '<path class="solid" d="M{at}m0 -6l6 10.5h-12z"/>',
        "regressed": '<path class="solid" d="M{at}m0 6l6 -10.5h-12z"/>',
        "equivalent": (
            '<path class="hollow" d="M{at}m-5.5 -5.5h11v11h-11z"/>'
            '<path class="cross" d="M{at}m-2.8 -1.9h5.6m-5.6 3.8h5.6"/>'
        ),
        "inconclusive": '<path class="hollow" d="M{at}m-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0 -9.2 0"/>',
        "not estimable": '<path class="cross" d="M{at}m-4.5 -4.5l9 9m0 -9l-9 9"/>',
        "contaminated": (
            '<path class="solid" d="M{at}m-2.9 -7h5.8l4.1 4.1v5.8l-4.1 4.1h-5.8l-4.1 -4.1v-5.8z"/>'
            '<path class="knock" d="M{at}m0 -4.4v5.2m0 1.6v2"/>'
        ),
        "incomplete": '<path class="hollow dash" d="M{at}m0 -6l6 6l-6 6l-6 -6z"/>',
    }
)


def mark(word: Word, x: float, y: float) -> str:
    """The shape of a verdict, so that nobody depends on colour."""
    return _SHAPES[word].format(at=f"{x:.1f} {y:.1f}")


# --------------------------------------------------------------------------------------------- lineages as dots


def dots(rung: Rung, span: float, name: str) -> str:
    """The gain of each lineage as a dot around zero, on the scale of its unit."""
    width, y = 168, 10
    half = width / 2 - 6
    spots = "".join(
        f'<circle cx="{width / 2 + half * gain / span:.1f}" cy="{y}" r="3.4"/>'
        for gain in rung.lineage_gains
        if gain is not None
    )
    body = (
        f'<line class="rail" x1="2" x2="{width - 2}" y1="{y}" y2="{y}"/>'
        f'<line class="zero" x1="{width / 2:g}" x2="{width / 2:g}" y1="1" y2="19"/>'
        f'<g class="dots {css_class(rung)}">{spots}</g>'
        f'<text class="end" x="2" y="28">{_end_of(span, "−")}</text>'
        f'<text class="end m" x="{width / 2:g}" y="28">0</text>'
        f'<text class="end r" x="{width - 2}" y="28">{_end_of(span, "+")}</text>'
    )
    title = f"Gain of each lineage of {rung.arm}, {rung.level} {rung.target}"
    said = ", ".join(number(gain, *rung.lineage_gains, signed=True) for gain in rung.lineage_gains)
    return image(name, title=title, desc=said or "no lineage", height=31, width=width, body=body)


# --------------------------------------------------------------------------------------------- learning curves

_COMPARE = "compare the two lines at the same position only"
_TOP, _BOTTOM, _FROM, _TO = 24, 144, 44, 268


def curve_range(report: LadderReport) -> tuple[float, float]:
    """Lowest and highest mean of any curve in the report, so that all are drawn on one scale."""
    means = [point.mean for curve in _curves(report) for point in curve if point.mean is not None]
    low, high = min(means, default=0.0), max(means, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _curves(report: LadderReport) -> Iterator[Sequence[CurvePoint]]:
    return chain((arm.curve for arm in report.arms), report.controls.values())


def curve(arm: ArmReport, report: LadderReport, within: tuple[float, float], name: str) -> str:
    """Held-in score by position: the arm as a solid line, its static control as a dashed one."""
    control = report.controls.get(arm.control, ())
    places = [place for point in (*arm.curve, *control) for place in (point.first, point.last)]
    ends = (min(places, default=0), max(places, default=1))
    body = (
        f'<text class="end" x="{_FROM}" y="{_TOP - 12}">{_text(", ".join(report.curve_units), 58)}</text>'
        + _grid(within, ends, compare=report.programs is None)
        + _line(control, within, ends, "control")
        + _line(arm.curve, within, ends, "arm")
        + _line_names(arm, control, within)
    )
    title, desc = f"Held-in score of {arm.name} by position", f"arm: {_path_spoken(arm.curve)}"
    if report.programs is None:
        title = f"{title}, with its control {arm.control}"
        desc = f"{desc}; control: {_path_spoken(control)}; {_COMPARE}"
    return image(name, title=title, desc=desc, height=_BOTTOM + 42, body=body)


def _path_spoken(points: Sequence[CurvePoint]) -> str:
    means = [point.mean for point in points]
    said = [f"positions {point.first} to {point.last} {number(point.mean, *means)}" for point in points]
    return ", ".join(said) or "nothing was measured"


def _grid(within: tuple[float, float], ends: tuple[int, int], *, compare: bool) -> str:
    low, high = within
    middle = (low + high) / 2
    lines = "".join(
        f'<line class="grid" x1="{_FROM}" x2="{_TO}" y1="{_y(at, within):.1f}" y2="{_y(at, within):.1f}"/>'
        f'<text class="end r" x="{_FROM - 6}" y="{_y(at, within) + 3.5:.1f}"{_fit(number(at, low, high))}</text>'
        for at in (low, middle, high)
    )
    return (
        f'{lines}<text class="end" x="{_FROM}" y="{_BOTTOM + 18}">position {ends[0]}</text>'
        f'<text class="end r" x="{_TO}" y="{_BOTTOM + 18}">{ends[1]}</text>'
        f'<text class="end" x="{_FROM}" y="{_BOTTOM + 34}">{_COMPARE if compare else ""}</text>'
    )


def _fit(label: str) -> str:
    return f"{_squeezed(label, _FROM - 6, sign=5.6)}>{label}"


def _y(mean: float, within: tuple[float, float]) -> float:
    low, high = within
    return _BOTTOM - (_BOTTOM - _TOP) * (mean - low) / (high - low)


def _line(points: Sequence[CurvePoint], within: tuple[float, float], ends: tuple[int, int], kind: str) -> str:
    """A line through the measured points; where nothing was measured it breaks."""
    wide = max(1, ends[1] - ends[0])
    path, pen = [], "M"
    spots = []
    for point in points:
        if point.mean is None:
            pen = "M"
            continue
        x = _FROM + (_TO - _FROM) * ((point.first + point.last) / 2 - ends[0]) / wide
        y = _y(point.mean, within)
        path.append(f"{pen}{x:.1f} {y:.1f}")
        spots.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>')
        pen = "L"
    return f'<g class="line {kind}"><path d="{"".join(path)}"/>{"".join(spots)}</g>' if path else ""


def _line_names(arm: ArmReport, control: Sequence[CurvePoint], within: tuple[float, float]) -> str:
    """A name at the end of each line, pushed apart where they would meet."""
    own, other = _last(arm.curve, within), _last(control, within)
    if own is not None and other is not None and abs(own - other) < 13:
        own, other = ((own + other) / 2 - 7, (own + other) / 2 + 7) if own <= other else _apart(own, other)
    names = [(own, "arm", arm.name), (other, "control", "control")]
    return "".join(
        f'<text class="{kind}" x="{_TO + 8}" y="{y + 4:.1f}">{_text(shown, 14)}</text>'
        for y, kind, shown in names
        if y is not None
    )


def _apart(own: float, other: float) -> tuple[float, float]:
    return (own + other) / 2 + 7, (own + other) / 2 - 7


def _last(points: Sequence[CurvePoint], within: tuple[float, float]) -> float | None:
    means = [point.mean for point in points if point.mean is not None]
    return _y(means[-1], within) if means else None
