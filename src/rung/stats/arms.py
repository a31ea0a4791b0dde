"""Two arms on the same tasks, each with lineages of its own: is one better than the other?

Tasks are paired, lineages are not: the first lineage of one arm has nothing to do with the first of another.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from rung.core.errors import UsageError
from rung.core.seeds import Seed
from rung.core.values import Estimate
from rung.stats import flags as say
from rung.stats.exact import sign_flip
from rung.stats.inputs import FloatArray, Matrix, check_level, matrix
from rung.stats.lineages import dropped_flag, hull, mean_squares
from rung.stats.paired import TASK_T, informative
from rung.stats.quantiles import ROUNDING, Spread, spread, t_tail, varies
from rung.stats.rounding import minus

CROSSED = "tasks paired, lineages of each arm at random, Satterthwaite t"
HULL = "hull of Welch's t over lineages and t over tasks"
TWO = "t over tasks of the means of the lineages"


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference between two arms, and p that there is none; None where no verdict may rest on it."""

    difference: Estimate
    p: float | None


def contrast(earlier: Matrix, later: Matrix, *, seed: Seed, level: float = 0.95) -> Contrast:
    """Mean of `later` minus mean of `earlier`: K lineages (rows) each, on the same N tasks (columns); nan is missing.

    The smaller K says how: K >= 5 `crossed_difference`; K = 3, 4 the hull of Welch's t over lineage means and t over
    the tasks' mean differences; K = 2 the latter alone, and no p; K = 1 the latter, "this end state only".
    p belongs to the same intervals, the larger where there are two. With fewer than 20 tasks, or fewer than 10 that
    differ at all, the exact sign-flip p over tasks counts where it is larger; with fewer than 6 tasks there is none.
    Only tasks measured in every lineage of both arms count. Unit of the difference: that of the scores.

    >>> found = contrast([[0.0, 0.1, 0.2, 0.0, 0.1, 0.0]], [[0.5, 0.4, 0.5, 0.6, 0.2, 0.3]], seed=Seed("doc"))
    >>> round(found.difference.value, 4), found.difference.method, found.p
    (0.35, 't over tasks', 0.03125)
    """
    check_level(level)
    first, second, dropped = _complete(matrix(earlier, "scores"), matrix(later, "scores"))
    n, k = first.shape[1], min(len(first), len(second))
    flags = dropped_flag(dropped, n + dropped)
    if n == 0:
        return Contrast(Estimate(None, None, None, "none", 0, k, (*flags, say.NO_COMPLETE_TASK)), None)
    by_task = minus(second.mean(axis=0), first.mean(axis=0))
    changed = informative(by_task)
    method, spreads = _spreads(first, second, by_task)
    few = {1: (say.END_STATE_ONLY,), 2: (say.TWO_LINEAGES,)}.get(k, ())
    flags = (*flags, *few, *say.size_flags(n, changed))
    ends = None if n == 1 else hull(spreads, level)
    if ends is None:
        flags = (*flags, say.ONE_TASK if n == 1 else say.NO_VARIATION)
    lo, hi = ends or (None, None)
    difference = Estimate(float(by_task.mean()), lo, hi, method, n, k, flags)
    if k == 2 or n < say.MIN_TASKS or ends is None:
        return Contrast(difference, None)
    p = max(_p(found) for found in spreads if found is not None)
    small = n < say.SMALL_TASKS or changed < say.MIN_INFORMATIVE
    return Contrast(difference, max(p, sign_flip(by_task, seed=seed)) if small else p)


def crossed_difference(first: FloatArray, second: FloatArray) -> Spread | None:
    """Mean of `second` minus `first` with the variance of that difference, tasks and lineages both drawn at random.

    T = var(task differences)/N, L = sum of var(lineage means)/K and E = sum of MS_e/KN over both arms;
    raw = T + L - E, because T and L each hold the noise E; Var = max(raw, T, L). Satterthwaite's df of its terms, or
    those of T or L where one of them is the largest; at least 1. None without variation. Needs K >= 2 and N >= 2.
    Against an arm that never varies it is `lineages.crossed_spread` of the other.
    Source: Satterthwaite 1946, An approximate distribution of estimates of variance components.

    >>> a = np.array([[0.2, 0.0, 0.4, 0.1], [0.3, -0.1, 0.5, 0.3], [-0.1, 0.0, 0.2, 0.1]])
    >>> found = crossed_difference(np.zeros((3, 4)), a)
    >>> round(found.variance, 10), round(found.df, 9)
    (0.0089583333, 3.794982896)
    """
    n = first.shape[1]
    by_task = minus(second.mean(axis=0), first.mean(axis=0))
    tasks = float(by_task.var(ddof=1)) / n
    lineages = [_part(arm.mean(axis=1)) for arm in (first, second)]
    noise = [(mean_squares(arm).rest / arm.size, (len(arm) - 1) * (n - 1)) for arm in (first, second)]
    between = sum(part for part, _ in lineages)
    raw = tasks + between - sum(part for part, _ in noise)
    largest = max(raw, tasks, between)
    if largest <= (ROUNDING * max(float(np.abs(first).max()), float(np.abs(second).max()))) ** 2:
        return None
    if raw == largest:
        df = max(1.0, _satterthwaite(raw, [(tasks, n - 1), *lineages, *noise]))
    else:
        df = _satterthwaite(between, lineages) if between == largest else n - 1
    return Spread(float(by_task.mean()), largest, df)


def welch(first: FloatArray, second: FloatArray) -> Spread | None:
    """Mean of `second` minus mean of `first` of independent values, with Welch's variance and degrees of freedom.

    None where neither varies. Source: Welch 1947. Unit: that of the values.

    >>> welch(np.array([0.0, 1.0, 2.0]), np.array([4.0, 5.0, 6.0]))
    Spread(mean=4.0, variance=0.6666666666666666, df=4.0)
    """
    if not (varies(first) or varies(second)):
        return None
    parts = [_part(first), _part(second)]
    variance = sum(part for part, _ in parts)
    return Spread(float(second.mean() - first.mean()), variance, _satterthwaite(variance, parts))


def _part(values: FloatArray) -> tuple[float, int]:
    """The variance of a mean, and its degrees of freedom; 0 for values that differ by rounding alone."""
    return (float(values.var(ddof=1)) / len(values) if varies(values) else 0.0), len(values) - 1


def _satterthwaite(total: float, parts: list[tuple[float, int]]) -> float:
    return total**2 / sum(part**2 / df for part, df in parts)


def _spreads(first: FloatArray, second: FloatArray, by_task: FloatArray) -> tuple[str, list[Spread | None]]:
    k, n = min(len(first), len(second)), first.shape[1]
    if k < 3:
        return (TASK_T if max(len(first), len(second)) == 1 else TWO), [spread(by_task)]
    if k < 5:
        return HULL, [welch(first.mean(axis=1), second.mean(axis=1)), spread(by_task)]
    return CROSSED, [crossed_difference(first, second)] if n > 1 else [None]


def _complete(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """Only the tasks measured in every lineage of both arms, and how many were dropped."""
    if first.shape[1] != second.shape[1]:
        raise UsageError(
            f"two arms are held against each other on the same tasks; got {first.shape[1]} and {second.shape[1]}"
        )
    holes = np.isnan(first).any(axis=0) | np.isnan(second).any(axis=0)
    return first[:, ~holes], second[:, ~holes], int(holes.sum())


def _p(found: Spread) -> float:
    return min(1.0, 2 * t_tail(found.df, abs(found.mean) / sqrt(found.variance)))
