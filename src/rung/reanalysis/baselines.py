"""Table 4 of S3Gym: did both pathways of a model begin from one baseline?

All pathways start from the same model, with the same evaluation seeds and decoding (section 4.5), so the curves of one
model on one game begin at one point. That point is not printed. But the mean of a curve (Avg.), its maximum (Max.) and
the area above its start (AUC+) leave only some starts possible, and where no start is possible for both pathways, the
baselines cannot have been common, whatever the checkpoints were.

What is printed is taken as exact to its rounding, and eleven checkpoints as valid, or as many fewer as the mean of
whole scores demands. Where scores are whole numbers, a checkpoint of three episodes lies on a grid of thirds, and so
does the start; there, starts that the bounds leave in common are searched for a curve, one checkpoint after the other.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from types import MappingProxyType
from typing import Literal, TypeAlias

from rung.core.errors import UsageError

PLACES = tuple(range(0, 31, 3))
EPISODES = 3
HALF = 0.0005
"""Half a unit of the last printed digit."""

SLACK = 1e-9
HALVINGS = 60
"""Of the range of starts, where scores are no whole numbers."""

MOST_LEVELS, MOST_NODES = 45, 2_000_000
"""A search for curves on the grid is begun with so many levels at most, and given up at so many failed beginnings."""

Basis: TypeAlias = Literal["bounds", "search", ""]
"""What a flag rests on: the bounds of the starts, a search of the whole grid of thirds, or there is no flag."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What is known of a game's scores: the lowest, and whether they are whole numbers."""

    low: float
    whole: bool


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "Chess": Rule(0.0, whole=False),
        "Minesweeper": Rule(0.0, whole=False),
        "Nullify": Rule(0.0, whole=True),
        "Tetris": Rule(0.0, whole=True),
        "Snake": Rule(0.0, whole=True),
        "PvZ": Rule(0.0, whole=True),
        "TrustEvo": Rule(-10.0, whole=False),
    }
)
"""S3Gym, sections 5.1 and A.2 to A.4: a share of pieces, a share of mines, 0 or 1, rows, apples, turns; and ten rounds
that pay -1 at the least."""


@dataclass(frozen=True, slots=True)
class Printed:
    """One curve as it is printed: its mean, its maximum and the area above its start."""

    model: str
    pathway: str
    game: str
    average: float
    maximum: float
    area: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Two pathways of one model on one game. `starts` are the lowest and highest start that each allows; `basis` says
    on what it rests that none is common, and `arithmetic` shows it. `sturdy`: it would rest as firmly if one checkpoint
    of each curve, no matter which, had not been valid; whole scores show by their mean how many were."""

    model: str
    game: str
    curves: tuple[Printed, Printed]
    starts: tuple[tuple[float, float] | None, tuple[float, float] | None]
    basis: Basis
    arithmetic: tuple[str, ...]
    sturdy: bool

    @property
    def flagged(self) -> bool:
        """Whether the two cannot have begun from one baseline."""
        return self.basis != ""


def compare(curves: Sequence[Printed]) -> tuple[Pair, ...]:
    """Every model and game that has two pathways, in the order of the table."""
    found: dict[tuple[str, str], list[Printed]] = {}
    for each in curves:
        found.setdefault((each.model, each.game), []).append(each)
    more = next((key for key, both in found.items() if len(both) > 2), None)
    if more is not None:
        raise UsageError(f"{' on '.join(more)} has more than two curves; give two pathways of each model and game")
    return tuple(_pair(both[0], both[1]) for both in found.values() if len(both) == 2)


def _pair(one: Printed, other: Printed) -> Pair:
    rule = rule_of(one.game)
    allowed = [_Allowed(one, rule), _Allowed(other, rule)]
    starts = (allowed[0].ends, allowed[1].ends)
    basis: Basis = ""
    lines = tuple(each.said() for each in allowed)
    common = _common(allowed)
    if not _meet(starts):
        basis, lines = "bounds", (*lines, _apart(*allowed))
    elif rule.whole and not common:
        basis, lines = "bounds", (*lines, "no third is a start of both")
    elif rule.whole and all(_impossible(start, allowed) for start in common):
        tried = ", ".join(f"{start:.3f}" for start in common)
        basis, lines = "search", (*lines, f"from {tried}: no curve of thirds prints as both rows")
    sturdy = rule.whole or not _meet((allowed[0].loosely(), allowed[1].loosely()))
    return Pair(one.model, one.game, (one, other), starts, basis, lines, basis != "" and sturdy)


def rule_of(game: str) -> Rule:
    """What is known of a game's scores; raises `UsageError` for one that S3Gym does not have."""
    if game not in RULES:
        raise UsageError(f"no rule for the scores of {game!r}; S3Gym has {', '.join(RULES)}")
    return RULES[game]


def _meet(starts: tuple[tuple[float, float] | None, tuple[float, float] | None]) -> bool:
    one, other = starts
    return one is not None and other is not None and max(one[0], other[0]) <= min(one[1], other[1]) + SLACK


def _common(allowed: Sequence["_Allowed"]) -> list[float]:
    return [start for start in allowed[0].possible if any(abs(start - each) < SLACK for each in allowed[1].possible)]


# --------------------------------------------------------------------------------------------- one curve


class _Allowed:
    """The starts that one printed curve allows."""

    def __init__(self, printed: Printed, rule: Rule) -> None:
        self.printed, self.rule = printed, rule
        self.valid = _valid(printed) if rule.whole else len(PLACES)
        self.weights = [_weights(places) for places in _places(self.valid)]
        fine = HALF if not rule.whole else 0.0
        self.average = _exact(printed.average, EPISODES * self.valid) if rule.whole else printed.average
        self.maximum = _exact(printed.maximum, EPISODES) if rule.whole else printed.maximum
        self.fine = fine
        self.ends, self.possible = self._starts()

    def _starts(self) -> tuple[tuple[float, float] | None, tuple[float, ...]]:
        """The lowest and highest start; and on the grid all of them. Both bounds fall as the start rises."""
        low, high = self.rule.low, self.maximum + self.fine
        if not self.rule.whole:
            return self._between(self.weights[0]), ()
        thirds = range(round(EPISODES * low), round(EPISODES * high) + 1)
        found = tuple(third / EPISODES for third in thirds if self.allows(third / EPISODES))
        return ((found[0], found[-1]) if found else None), found

    def _between(self, weights: Sequence[float]) -> tuple[float, float] | None:
        """The same where scores are no whole numbers, for checkpoints of these weights."""
        low, high = self.rule.low, self.maximum + self.fine
        bottom = _first(lambda start: self.least(start, weights) <= self.printed.area + HALF, low, high)
        top = -_first(lambda start: self.most(-start, weights) >= self.printed.area - HALF, -high, -low)
        return (bottom, top) if bottom <= top else None

    def loosely(self) -> tuple[float, float] | None:
        """The lowest and highest start if any one checkpoint after the first was perhaps not valid."""
        weights = [_weights(places) for valid in (len(PLACES), len(PLACES) - 1) for places in _places(valid)]
        found = [ends for each in weights if (ends := self._between(each)) is not None]
        return (min(low for low, _ in found), max(high for _, high in found)) if found else None

    def allows(self, start: float) -> bool:
        """Whether the bounds leave this start possible, whichever checkpoint was not valid."""
        return any(
            self.most(start, weights) >= self.printed.area - HALF - SLACK
            and self.least(start, weights) <= self.printed.area + HALF + SLACK
            for weights in self.weights
        )

    def most(self, start: float, weights: Sequence[float]) -> float:
        """The largest AUC+ there can be: as many checkpoints at the maximum as the mean allows, where they weigh most.

        A checkpoint that lies z above the start adds at most its trapezoid weight times z.
        """
        low, top, later = self.rule.low, self.maximum + self.fine, len(weights)
        total = (later + 1) * (self.average + self.fine) - start
        if total < later * low - SLACK or start > top + SLACK:
            return -1.0
        if top - low <= SLACK:
            return 0.0
        high = min(later, int((total - later * low) / (top - low) + SLACK))
        heavy = sorted(weights, reverse=True)
        rest = total - high * top - (later - high - 1) * low
        partly = heavy[high] * max(rest - start, 0.0) if high < later else 0.0
        return sum(heavy[:high]) * (top - start) + partly

    def least(self, start: float, weights: Sequence[float]) -> float:
        """The smallest AUC+ there can be: the signed area, the highest where it weighs least; or that of one peak.

        A peak p above the start has an area of w·p² / (p + n) at least, where n is how far the checkpoint before it can
        lie below the start and w half the distance to it.
        """
        low, later = self.rule.low, len(weights)
        peaked = self.maximum - self.fine > start + SLACK
        total = max(
            (later + 1) * (self.average - self.fine) - start,
            later * low + (self.maximum - self.fine - low if peaked else 0.0),
        )
        top = self.maximum + self.fine
        if total > later * top + SLACK:
            return inf
        signed, left = 0.0, total - later * low
        for weight in sorted(weights):
            above = min(left, top - low)
            signed, left = signed + weight * (low + above - start), left - above
        peak = max(0.0, self.maximum - self.fine - start)
        alone = min(weights) * peak**2 / (peak + start - low) if peak else 0.0
        return max(signed, alone)

    def bounds(self, start: float) -> tuple[float, float]:
        """The least and the most AUC+ from this start, over whichever checkpoint was not valid."""
        return min(self.least(start, each) for each in self.weights), max(
            self.most(start, each) for each in self.weights
        )

    def said(self) -> str:
        """What is printed, and which starts it allows."""
        one = self.printed
        shown = f"{one.pathway}: Avg. {one.average:.3f}, Max. {one.maximum:.3f}, AUC+ {one.area:.3f}"
        few = "" if self.valid == len(PLACES) else f" at {self.valid} checkpoints, as whole scores demand"
        if self.ends is None:
            return f"{shown}{few}: no start allows these three"
        low, high = self.ends
        if one.area == 0:
            return f"{shown}{few}: nothing lies above the start, so it is the maximum, {one.maximum:.3f}"
        where = f"is {low:.3f}" if high - low < SLACK else f"lies from {low:.3f} to {high:.3f}"
        return f"{shown}{few}: the start {where}"


def _apart(one: _Allowed, other: _Allowed) -> str:
    """The arithmetic of why the nearest start that one allows is none of the other's."""
    if one.ends is None or other.ends is None:
        return "a row that no start allows has none in common"
    low, high = (one, other) if one.ends[1] < other.ends[0] else (other, one)
    assert low.ends is not None
    nearest = high.ends[0] if high.printed.area == 0 and high.ends else low.ends[1]
    asked = low if high.printed.area == 0 else high
    least, most = asked.bounds(nearest)
    row = asked.printed
    later = asked.valid - 1
    total = f"{asked.valid} × {row.average:.3f} − {nearest:.3f} = {asked.valid * row.average - nearest:.3f}"
    if most < row.area:
        why = f"an AUC+ of at most {max(most, 0.0):.3f}, and {row.area:.3f} is printed"
    else:
        why = f"an AUC+ of at least {least:.3f}, and {row.area:.3f} is printed"
    return f"{row.pathway} from {nearest:.3f}: its {later} later checkpoints sum to {total}, which means {why}"


def _first(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where something begins to hold that holds from there to `high`; infinity where it does not hold there."""
    if not holds(high):
        return inf
    if holds(low):
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _valid(printed: Printed) -> int:
    """The most checkpoints that the mean of whole scores fits."""
    for number in range(len(PLACES), 1, -1):
        sums = EPISODES * number * printed.average
        if abs(sums - round(sums)) <= EPISODES * number * HALF + SLACK:
            return number
    raise UsageError(f"{printed.model} on {printed.game}: Avg. {printed.average} is no mean of whole scores")


def _exact(printed: float, parts: int) -> float:
    return round(printed * parts) / parts


def _places(valid: int) -> list[tuple[int, ...]]:
    """Where so many valid checkpoints can lie; the first is one of them."""
    missing = len(PLACES) - valid
    if missing == 0:
        return [PLACES]
    if missing > 1:
        raise UsageError(
            f"only {valid} of {len(PLACES)} checkpoints fit a mean; with more than one missing, none is read"
        )
    return [tuple(place for place in PLACES if place != gone) for gone in PLACES[1:]]


def _weights(places: Sequence[int]) -> list[float]:
    """Trapezoid weights of the checkpoints after the first."""
    half = [(after - before) / 2 for before, after in pairwise(places)]
    return [before + after for before, after in zip(half, [*half[1:], 0.0], strict=True)]


# --------------------------------------------------------------------------------------------- curves on the grid


def _impossible(start: float, allowed: Sequence[_Allowed]) -> bool:
    """Whether no curve of thirds from this start prints as one of the rows; False too where that is not found out."""
    return any(
        each.valid == len(PLACES)
        and EPISODES * each.maximum < MOST_LEVELS
        and _search(each, round(EPISODES * start)) is False
        for each in allowed
    )


def _search(row: _Allowed, start: int) -> bool | None:
    """Whether there is such a curve; None where the search was given up. Scores count in thirds."""
    top, total = round(EPISODES * row.maximum), round(EPISODES * len(PLACES) * row.average)
    seek = _Seek(start, top, row.printed.area)
    try:
        return seek.goes_on(len(PLACES) - 1, start, total - start, 0, peaked=start == top)
    except TimeoutError:
        return None


class _Seek:
    """A search for one curve, depth first; what failed once is not tried again."""

    def __init__(self, start: int, top: int, area: float) -> None:
        self.start, self.top = start, top
        self.low, self.high = round((area - HALF) * 1e6) - 20, round((area + HALF) * 1e6) + 20
        self.failed: set[tuple[int, int, int, int, bool]] = set()
        step = PLACES[1] - PLACES[0]
        scores = range(top + 1)
        self.segment = [
            [round(1e6 * _above((a - start) / EPISODES, (b - start) / EPISODES, step)) for b in scores] for a in scores
        ]
        self.third = 1e6 * step / EPISODES

    def reach(self, last: int, total: int, left: int) -> float:
        """The most area that `left` more checkpoints that sum to `total` can add, in millionths."""
        if left == 0:
            return 0.0
        high = min(left, total // max(1, self.top))
        partly = max(0, total - high * self.top - self.start) if high < left else 0
        return self.third * (max(0, last - self.start) / 2 + high * max(0, self.top - self.start) + partly)

    def goes_on(self, left: int, last: int, total: int, area: int, *, peaked: bool) -> bool:
        """Whether `left` more checkpoints can sum to `total` and bring `area` (in millionths) to what is printed."""
        if left == 0:
            return total == 0 and peaked and self.low <= area <= self.high
        key = (left, last, total, area, peaked)
        if key in self.failed:
            return False
        if len(self.failed) > MOST_NODES:
            raise TimeoutError
        for score in range(min(self.top, total), -1, -1):
            if total - score > (left - 1) * self.top:
                break
            grown = area + self.segment[last][score]
            if grown > self.high or grown + self.reach(score, total - score, left - 1) < self.low:
                continue
            if self.goes_on(left - 1, score, total - score, grown, peaked=peaked or score == self.top):
                return True
        self.failed.add(key)
        return False


def _above(p: float, q: float, step: int) -> float:
    """The area above 0 of a line from p to q."""
    if p * q >= 0:
        return step * (max(p, 0.0) + max(q, 0.0)) / 2
    return step * max(p, q) ** 2 / (2 * abs(q - p))
