"""Gains of attempts that chose to use something against those that did not. A description, and no effect of the use.

Whoever is asked whether to use a thing may be asked about harder tasks, or be more careful: that is in the difference
too. The numbers here say how the two groups differ, and with what interval; none of them may be read as a cause. So it
lies beside the estimators of `rung.stats`, of whose parts it is made, and not among them: no verdict rests on it.
"""

import numpy as np

from rung.core.values import Estimate
from rung.stats import flags as say
from rung.stats.arms import welch
from rung.stats.inputs import FloatArray, Rows, check_level
from rung.stats.lineages import hull
from rung.stats.paired import informative
from rung.stats.quantiles import Spread, spread

WELCH = "Welch's t over tasks"
MEANS = "Welch's t over tasks, mean of lineages"
HULL = "hull of t over lineages and Welch's t over tasks"
LINEAGES = "t over lineages"
ONE_SIDE = "not estimable (no lineage has measured attempts of both kinds)"
CHOSEN = "use is chosen, so this is no effect of it"


def by_use(used: Rows, unused: Rows, *, level: float = 0.95) -> Estimate:
    """Mean of the attempts that used something less the mean of those that did not, over K lineages.

    A row of each is one lineage, an entry the mean gain of one task in it; nan is missing, and a row may be empty. Only
    lineages with both kinds count, each as one. K >= 5: t over their differences. K = 3, 4: hull of that and of the
    mean of their Welch intervals (variances summed, Satterthwaite's degrees of freedom). K = 2: the latter alone.
    K = 1: Welch's t over tasks, "this end state only". Below five lineages there is no interval where one has
    fewer than two tasks of a kind, and at no K where nothing varies. `n_tasks` counts entries.
    Source: Welch 1947. Unit: that of the gains.

    >>> found = by_use([[4.0, 5.0, 6.0]], [[0.0, 1.0, 2.0]])
    >>> found.value, round(found.lo, 4), round(found.hi, 4)
    (4.0, 1.733, 6.267)
    """
    check_level(level)
    pairs = [(one, other) for one, other in zip(map(_measured, used), map(_measured, unused), strict=True)]
    both = [(one, other) for one, other in pairs if len(one) and len(other)]
    tasks = sum(len(one) + len(other) for one, other in both)
    if not both:
        return Estimate(None, None, None, "none", 0, 0, (CHOSEN, ONE_SIDE))
    differences = np.array([one.mean() - other.mean() for one, other in both])
    method, spreads = _spreads(both, differences)
    flags = (CHOSEN, *_flags(both, pairs, tasks))
    interval = hull(spreads, level)
    if interval is None or (len(both) < 5 and spreads[-1] is None):
        why = say.ONE_TASK if any(min(map(len, pair)) < 2 for pair in both) else say.NO_VARIATION
        return Estimate(float(differences.mean()), None, None, method, tasks, len(both), (*flags, why))
    return Estimate(float(differences.mean()), *interval, method, tasks, len(both), flags)


def _measured(row: object) -> FloatArray:
    values: FloatArray = np.asarray(row, dtype=np.float64)
    return values[~np.isnan(values)]


def _spreads(both: list[tuple[FloatArray, FloatArray]], differences: FloatArray) -> tuple[str, list[Spread | None]]:
    k = len(both)
    if k >= 5:
        return LINEAGES, [spread(differences)]
    within = _within(both)
    if k >= 3:
        return HULL, [spread(differences), within]
    return (MEANS if k == 2 else WELCH), [within]


def _within(both: list[tuple[FloatArray, FloatArray]]) -> Spread | None:
    """The mean of the lineages' differences with the variance that its tasks alone give it."""
    found = [welch(other, one) if min(len(one), len(other)) > 1 else None for one, other in both]
    some = [each for each in found if each is not None]
    if len(some) < len(found):
        return None
    k = len(some)
    variance = sum(each.variance for each in some) / k**2
    df = variance**2 / sum((each.variance / k**2) ** 2 / each.df for each in some)
    return Spread(sum(each.mean for each in some) / k, variance, df)


def _flags(
    both: list[tuple[FloatArray, FloatArray]], pairs: list[tuple[FloatArray, FloatArray]], tasks: int
) -> tuple[str, ...]:
    k, everything = len(both), np.concatenate([part for pair in both for part in pair])
    dropped = len(pairs) - k
    less = (f"{dropped} of {len(pairs)} lineages dropped: not both kinds",) if dropped else ()
    context = (say.END_STATE_ONLY,) if k == 1 else (say.TWO_LINEAGES,) if k == 2 else ()
    return (*less, *context, *say.size_flags(tasks, informative(everything)))
