"""A gain by what it cost to improve: a ratio of two uncertain means, for lineages differ in both.

With three lineages or more that did not all cost the same the interval is Fieller's, with the covariance of gain and
cost over lineages; else the cost is taken as known, and the interval is the gain's, divided by it.
"""

from collections.abc import Sequence

import numpy as np

from rung.core.values import Estimate
from rung.stats.arms import crossed_difference, welch
from rung.stats.headroom import Moments, fieller
from rung.stats.inputs import FloatArray, Matrix, matrix
from rung.stats.lineages import complete
from rung.stats.quantiles import Spread, spread, varies
from rung.stats.rounding import minus

KNOWN = "cost taken as known"


def scaled(gain: Estimate, costs: Sequence[float | None], unit: str) -> Estimate:
    """A gain by the mean cost of a lineage, that taken as known; unknown where a cost is unknown, and never 0.

    >>> found = scaled(Estimate(0.3, 0.2, 0.5, "t", 20, 4), [0.5, 0.5], "US dollar")
    >>> found.value, found.lo, found.hi, found.method
    (0.6, 0.4, 1.0, 't, by US dollar of improving a lineage')
    >>> scaled(Estimate(0.3, 0.2, 0.5, "t", 20, 4), [0.5, None], "US dollar").flags
    ('unknown: the cost of a lineage is unknown',)
    """
    method = f"{gain.method}, by {unit} of improving a lineage"
    known = [cost for cost in costs if cost is not None]
    why = (
        "undefined: there is no gain"
        if gain.value is None
        else "unknown: the cost of a lineage is unknown"
        if len(known) < len(costs)
        else "undefined: it cost nothing"
        if not any(known)
        else ""
    )
    if why or gain.value is None:
        return Estimate(None, None, None, method, gain.n_tasks, gain.n_lineages, (why,))
    cost = float(np.mean(known))
    lo, hi = (None if end is None else end / cost for end in (gain.lo, gain.hi))
    flags = (KNOWN,) if len(known) < 3 or varies(np.array(known)) else ()
    return Estimate(gain.value / cost, lo, hi, method, gain.n_tasks, gain.n_lineages, flags)


def ratio(gain: Estimate, earlier: Matrix, later: Matrix, costs: Sequence[float | None], unit: str) -> Estimate:
    """A difference of gains by what a lineage of the later arm cost; `earlier` and `later` as `arms.contrast` had them.

    K >= 5: Fieller with the variance of `arms.crossed_difference`. K = 3, 4: the hull of Fieller with that of Welch
    over lineages, and over tasks. The cost has var(costs)/K, and its covariance with the gain is that over lineages;
    df is the smaller of the gain's and K - 1. Else `scaled`. Undefined where the cost cannot be told from 0 (g >= 1).
    Source: Fieller 1954, Some problems in interval estimation. Unit: that of the scores, by `unit`.
    """
    plain = scaled(gain, costs, unit)
    known = np.array([cost for cost in costs if cost is not None])
    k = min(len(earlier), len(later))
    if plain.value is None or k < 3 or not varies(known):
        return plain
    moments = _moments(*_complete(earlier, later), known)
    method = f"Fieller, {gain.method}, by {unit} of improving a lineage"
    if not moments:
        return Estimate(plain.value, None, None, method, gain.n_tasks, gain.n_lineages, gain.flags)
    sets = [fieller(each) for each in moments]
    ends = [(found.lo, found.hi) for found in sets if found.kind == "bounded"]
    bounded = [(lo, hi) for lo, hi in ends if lo is not None and hi is not None]
    if len(bounded) < len(sets):
        why = ("undefined: what a lineage costs cannot be told from nothing",)
        return Estimate(None, None, None, method, gain.n_tasks, gain.n_lineages, why)
    lo, hi = min(lo for lo, _ in bounded), max(hi for _, hi in bounded)
    return Estimate(plain.value, lo, hi, method, gain.n_tasks, gain.n_lineages, ())


def _complete(earlier: Matrix, later: Matrix) -> tuple[FloatArray, FloatArray]:
    first, second = matrix(earlier, "scores"), matrix(later, "scores")
    kept, _ = complete(np.vstack([first, second]))
    return kept[: len(first)], kept[len(first) :]


def _moments(first: FloatArray, second: FloatArray, costs: FloatArray) -> list[Moments]:
    by_lineage, by_task = second.mean(axis=1), minus(second.mean(axis=0), first.mean(axis=0))
    cov = float(np.cov(by_lineage, costs, ddof=1)[0, 1]) / len(costs)
    if min(len(first), len(second)) >= 5:
        return _of([(crossed_difference(first, second), cov)], costs)
    return _of([(welch(first.mean(axis=1), by_lineage), cov), (spread(by_task), 0.0)], costs)


def _of(spreads: Sequence[tuple[Spread | None, float]], costs: FloatArray) -> list[Moments]:
    k, mean, variance = len(costs), float(costs.mean()), float(costs.var(ddof=1)) / len(costs)
    return [
        Moments(found.mean, mean, found.variance, variance, cov, min(found.df, k - 1))
        for found, cov in spreads
        if found is not None
    ]
