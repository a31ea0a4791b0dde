"""The replays (G0) of a pair of arms: the effect of the later less that of the earlier.

An effect is (replay - first) less the same in the static arm. Arms that worked the same sequences are paired event by
event; others have tasks of their own, and their lineages are drawn independently.
"""

from collections.abc import Mapping, Sequence
from math import isnan, nan, sqrt
from statistics import fmean

import numpy as np

from rung.core.seeds import Seed
from rung.core.values import Estimate
from rung.reports import rungs
from rung.reports.compare.exams import SEED, Measured, excludes_zero, unfinished
from rung.reports.compare.runs import Arm
from rung.reports.compare.values import POLICIES
from rung.reports.values import MIXED_UNITS
from rung.stats import flags as say
from rung.stats.arms import Contrast, welch
from rung.stats.exact import sign_flip
from rung.stats.inputs import FloatArray
from rung.stats.lineages import hull, nested_gain
from rung.stats.missing import Bounds
from rung.stats.paired import informative, tau_star
from rung.stats.quantiles import Spread, spread, t_tail
from rung.stats.rounding import change

LINEAGE_WELCH = "Welch's t over lineages"
EVENT_WELCH = "Welch's t over replays"
WELCH_HULL = "hull of Welch's t over lineages and over replays"

Keyed = Sequence[Mapping[tuple[int, str], float]]


def target(arm: Arm) -> str | None:
    """Which replays an arm has, in words; None for none."""
    replays = arm.run.found.entries("replay")
    cells = dict.fromkeys(entry.cell for entry in replays if entry.first is not None)
    return f"replays of {', '.join(cells)}" if cells else None


def measured(earlier: Arm, later: Arm) -> Measured | None:
    """Hold two arms against each other on G0; None where they replayed different kinds of tasks, or none."""
    arms, name = (earlier, later), target(earlier)
    if name is None or name != target(later):
        return None
    found = earlier.run.found
    units = found.units(found.entries("replay"))
    scales = found.scales(found.entries("replay"))
    floor = min(scale.floor for scale in scales)
    low = min(scale.low for scale in scales)
    highs = [scale.high for scale in scales]
    sets = [rungs.effects(arm.run.found, arm.name) for arm in arms]
    lost = any(isnan(effect) for lineages in sets for row in lineages for effect, _ in row.values())
    seed = SEED.child("replays", earlier.label, later.label)
    whole = _contrast(arms, nan, seed)
    failed = _contrast(arms, floor, seed) if lost else whole
    return Measured(
        cell=name,
        arms=arms,
        levels=("G0", "G0"),
        gains=(None, None) if len(units) > 1 else (_mean(sets[0], 0), _mean(sets[1], 0)),
        ends=(None, None) if len(units) > 1 else (_mean(sets[0], 1), _mean(sets[1], 1)),
        found={policy: _in_units(failed if policy == "failed" else whole, units) for policy in POLICIES},
        end=None,
        lost=lost,
        bounds=_bounds(arms, low, None if None in highs else max(high for high in highs if high is not None))
        if lost
        else None,
        planned=max(1, _planned(sets)),
        reasons=tuple(dict.fromkeys(unfinished(arm) for arm in arms if arm.run.unfinished)),
        unit=", ".join(units),
        tau_star=_erasing(arms, whole.difference),
    )


def _planned(sets: Sequence[Sequence[Mapping[tuple[int, str], tuple[float, float]]]]) -> int:
    """Events that could be held against each other: pairs where arms share them, else those of both."""
    sizes = [sum(map(len, lineages)) for lineages in sets]
    return sizes[0] if _shared(*sets) else sum(sizes)


def _shared(one: Sequence[Mapping[tuple[int, str], object]], other: Sequence[Mapping[tuple[int, str], object]]) -> bool:
    return [list(row) for row in one] == [list(row) for row in other]


def _effects(arm: Arm, down: float, up: float) -> Keyed:
    found = rungs.effects(arm.run.found, arm.name, down=down, up=up)
    return [{key: effect for key, (effect, _) in row.items()} for row in found]


def _contrast(arms: tuple[Arm, Arm], fill: float, seed: Seed) -> Contrast:
    one, other = (_effects(arm, fill, fill) for arm in arms)
    if _shared(one, other):
        return paired(_differences(one, other), seed=seed)
    return apart([list(row.values()) for row in one], [list(row.values()) for row in other], seed=seed)


def _differences(one: Keyed, other: Keyed) -> list[list[float]]:
    return [[change(late[key], -early[key]) for key in early] for early, late in zip(one, other, strict=True)]


def _erasing(arms: tuple[Arm, Arm], difference: Estimate) -> float | None:
    """tau* where one lineage of paired replays carries a difference whose interval excludes 0."""
    one, other = (_effects(arm, nan, nan) for arm in arms)
    if difference.n_lineages != 1 or not excludes_zero(difference) or not _shared(one, other):
        return None
    return tau_star([each for row in _differences(one, other) for each in row if not isnan(each)])


def paired(differences: Sequence[Sequence[float]], *, seed: Seed) -> Contrast:
    """Differences by lineage and event: the interval of `nested_gain`, with p of the same laws.

    K >= 5: t over lineage means; K = 3, 4: the larger p of that and of t over pooled events; K = 2: none; K = 1: t over
    events. Fewer than 20 events, or fewer than 10 that differ: the exact sign flips over events where larger; fewer
    than 6: none. nan is a missing event. Unit: that of the scores.

    >>> found = paired([[0.1, 0.3], [0.2, 0.4], [0.1, 0.2], [0.3, 0.3], [0.1, 0.1]], seed=Seed("doc"))
    >>> round(found.difference.value, 4), round(found.p, 6)
    (0.21, 0.006297)
    """
    kept = [np.array([value for value in row if not isnan(value)]) for row in differences if len(row)]
    kept = [row for row in kept if len(row)]
    if not kept:
        return Contrast(Estimate(None, None, None, "none", 0, 0, ("not estimable (no event was measured)",)), None)
    estimate, events = nested_gain([list(row) for row in differences if len(row)]), np.concatenate(kept)
    by_lineage, pooled = spread(np.array([row.mean() for row in kept])), spread(events)
    used = {1: [pooled], 2: [], 3: [by_lineage, pooled], 4: [by_lineage, pooled]}.get(len(kept), [by_lineage])
    p = _p(used, events, seed) if estimate.lo is not None else None
    return Contrast(estimate, p)


def apart(earlier: Sequence[Sequence[float]], later: Sequence[Sequence[float]], *, seed: Seed) -> Contrast:
    """Two arms whose lineages each have their own events: mean of the later's less mean of the earlier's.

    The smaller K says how: K >= 5 Welch's t over lineage means; K = 3, 4 the hull of that and Welch's t over events;
    K <= 2 the latter alone, and no p. Fewer than 6 events on a side: no p. nan is a missing event.
    Source: Welch 1947. Unit: that of the scores.

    >>> found = apart([[0.0, 0.2]] * 3, [[0.4, 0.6]] * 3, seed=Seed("doc"))
    >>> round(found.difference.value, 4), found.difference.method
    (0.4, "hull of Welch's t over lineages and over replays")
    """
    sides = [_measured(earlier), _measured(later)]
    counts, k = [sum(map(len, side)) for side in sides], min(map(len, sides))
    if not k:
        return Contrast(Estimate(None, None, None, "none", 0, 0, ("not estimable (no event was measured)",)), None)
    means = [np.array([row.mean() for row in side]) for side in sides]
    events = [np.concatenate(side) for side in sides]
    by_lineage = welch(*means) if k > 1 else None
    pooled = welch(*events) if min(counts) > 1 else None
    method, used = (
        (EVENT_WELCH, [pooled])
        if k < 3
        else (WELCH_HULL, [by_lineage, pooled])
        if k < 5
        else (LINEAGE_WELCH, [by_lineage])
    )
    ends = hull(used, 0.95)
    few = {1: (say.END_STATE_ONLY,), 2: (say.TWO_LINEAGES,)}.get(k, ())
    size = (say.UNDER_SIX,) if min(counts) < say.MIN_TASKS else ()
    flags = (*few, *size, *(() if ends else (say.NO_VARIATION,)))
    lo, hi = ends or (None, None)
    centres = events if k < 3 else means
    difference = Estimate(float(centres[1].mean() - centres[0].mean()), lo, hi, method, sum(counts), k, flags)
    if k < 3 or size or ends is None:
        return Contrast(difference, None)
    return Contrast(difference, max(_tail(found) for found in used if found is not None))


def _measured(rows: Sequence[Sequence[float]]) -> list[FloatArray]:
    kept = [np.array([value for value in row if not isnan(value)]) for row in rows]
    return [row for row in kept if len(row)]


def _p(used: Sequence[Spread | None], events: FloatArray, seed: Seed) -> float | None:
    found = [_tail(each) for each in used if each is not None]
    if not found or len(events) < say.MIN_TASKS:
        return None
    small = len(events) < say.SMALL_TASKS or informative(events) < say.MIN_INFORMATIVE
    return max(*found, sign_flip(events, seed=seed)) if small else max(found)


def _tail(found: Spread) -> float:
    return min(1.0, 2 * t_tail(found.df, abs(found.mean) / sqrt(found.variance)))


def _bounds(arms: tuple[Arm, Arm], low: float, high: float | None) -> Bounds:
    """The least and the greatest difference of the effects, whatever the missing scores were."""
    if high is None:
        return Bounds(None, None)
    least, most = ([_total(_effects(arm, *fill)) for arm in arms] for fill in ((low, high), (high, low)))
    return Bounds(least[1] - most[0], most[1] - least[0])


def _total(lineages: Keyed) -> float:
    rows = [list(row.values()) for row in lineages if row]
    return fmean(fmean(row) for row in rows)


def _in_units(found: Contrast, units: Sequence[str]) -> Contrast:
    """A difference of scores in several units has no size, and carries no word."""
    if len(units) < 2:
        return found
    made = found.difference
    flags = (*made.flags, MIXED_UNITS)
    marked = Estimate(made.value, made.lo, made.hi, made.method, made.n_tasks, made.n_lineages, flags)
    return Contrast(marked, None)


def _mean(lineages: Sequence[Mapping[tuple[int, str], tuple[float, float]]], part: int) -> float | None:
    seen = [both[part] for row in lineages for both in row.values() if not isnan(both[part])]
    return fmean(seen) if seen else None
