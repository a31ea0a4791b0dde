"""One lineage: the paired difference between two exams on the same tasks."""

from math import sqrt

import numpy as np

from rung.core.errors import UsageError
from rung.core.values import Estimate
from rung.stats.flags import END_STATE_ONLY, NO_VARIATION, NORMAL, ONE_TASK, UNDER_SIX, size_flags
from rung.stats.inputs import FloatArray, Vector, check_level, vector
from rung.stats.quantiles import normal_quantile, spread, t_tail

TANGO = "Tango score"
TASK_T = "t over tasks"


def tango(gains: int, losses: int, tasks: int, *, level: float = 0.95) -> tuple[float, float]:
    """Score interval of a difference of paired proportions: (gains - losses) / tasks, one attempt on each side.

    All δ with |b - c - Nδ| <= z·sqrt(N(2q + δ - δ²)), where q is the constrained estimate of the share of losses:
    q = (sqrt(B² - 4AC) - B) / 2A with A = 2N, B = -b - c + (2N - b + c)δ, C = -cδ(1 - δ). Found by bisection.
    Never of zero width, always inside [-1, 1]; with no change at all it is ±z²/(N + z²). Unit: share of tasks.
    Source: Tango 1998, Equivalence test and confidence interval for the difference in proportions for the
    paired-sample design.

    >>> [round(end, 7) for end in tango(22, 5, 118)]
    [0.0623136, 0.2317569]
    """
    check_level(level)
    if min(gains, losses) < 0 or gains + losses > tasks or tasks < 1:
        raise UsageError(f"gains and losses are counts among the tasks; got {gains} and {losses} of {tasks}")
    z = normal_quantile(level)
    return _lower(gains, losses, tasks, z), -_lower(losses, gains, tasks, z)


def _lower(b: int, c: int, n: int, z: float) -> float:
    """The smallest δ that the score test does not reject: it rejects at -1 (or touches), accepts at (b - c) / n."""
    rejected, accepted = -1.0, (b - c) / n
    while accepted - rejected > 1e-14:
        delta = (rejected + accepted) / 2
        if delta in (rejected, accepted):
            break
        if _rejects(delta, b, c, n, z):
            rejected = delta
        else:
            accepted = delta
    return accepted


def _rejects(delta: float, b: int, c: int, n: int, z: float) -> bool:
    linear = -b - c + (2 * n - b + c) * delta
    root = sqrt(max(0.0, linear * linear + 8 * n * c * delta * (1 - delta)))
    lost = max((root - linear) / (4 * n), 0.0, -delta)
    return (b - c - n * delta) ** 2 > z * z * n * (2 * lost + delta - delta * delta)


def binary_gain(differences: Vector, *, level: float = 0.95) -> Estimate:
    """Mean of differences that are -1, 0 or 1, with Tango's interval. Unit: share of tasks.

    >>> estimate = binary_gain([1, 1, 0, -1, 1, 0, 0, 1])
    >>> estimate.value, round(estimate.lo, 4), round(estimate.hi, 4)
    (0.375, -0.1807, 0.7352)
    """
    d = vector(differences, "differences")
    if not is_ternary(d):
        raise UsageError("Tango's interval needs differences of -1, 0 or 1; average scores take task_gain")
    gains, losses, n = int((d > 0).sum()), int((d < 0).sum()), len(d)
    flags = (END_STATE_ONLY, *size_flags(n, gains + losses))
    return Estimate((gains - losses) / n, *tango(gains, losses, n, level=level), TANGO, n, 1, flags)


def task_gain(differences: Vector, *, level: float = 0.95) -> Estimate:
    """Mean difference over tasks of one lineage with mean ± t(N-1)·sd/sqrt(N), ddof 1 (Student 1908).

    The interval covers variation between tasks only: what another lineage would have done is not in it.
    Unit: that of the scores.

    >>> estimate = task_gain([0.1, -0.05, 0.3, 0.0, 0.2, 0.15, -0.1, 0.25])
    >>> round(estimate.value, 5), round(estimate.lo, 6), round(estimate.hi, 6)
    (0.10625, -0.014978, 0.227478)
    """
    check_level(level)
    d = vector(differences, "differences")
    n = len(d)
    found = spread(d)
    flags = (END_STATE_ONLY, *size_flags(n, informative(d)))
    if found is None:
        why = ONE_TASK if n == 1 else NO_VARIATION
        return Estimate(float(d.mean()), None, None, TASK_T, n, 1, (*flags, why))
    flags = (*flags, NORMAL) if UNDER_SIX in flags else flags
    return Estimate(found.mean, *found.interval(level), TASK_T, n, 1, flags)


def t_p(differences: Vector) -> float | None:
    """Two-sided p value of the paired t test (Student 1908); None without variation.

    >>> round(t_p([0.1, -0.05, 0.3, 0.0, 0.2, 0.15, -0.1, 0.25]), 8)
    0.07693611
    """
    found = spread(vector(differences, "differences"))
    if found is None:
        return None
    return min(1.0, 2 * t_tail(found.df, abs(found.mean) / sqrt(found.variance)))


def tau_star(differences: Vector) -> float | None:
    """The sd between lineages that would just erase a one-lineage claim: sqrt(max(0, (mean/1.96)² - SE²)).

    SE is sd/sqrt(N) over tasks. Printed on every one-lineage cell whose interval excludes 0: if whole runs differ by
    more than this, the claim is gone. None without variation. Unit: that of the scores.

    >>> d = [1] * 22 + [-1] * 5 + [0] * 91
    >>> round(tau_star(d), 8)
    0.06020598
    """
    found = spread(vector(differences, "differences"))
    if found is None:
        return None
    return sqrt(max(0.0, (found.mean / normal_quantile(0.95)) ** 2 - found.variance))


def unseen_share(tasks: int) -> float:
    """The 3/N line: a change confined to fewer than this share of the tasks can be missed entirely.

    At 3/N the chance that N tasks show none of it is about 5% (rule of three; Hanley and Lippman-Hand 1983).

    >>> unseen_share(60), unseen_share(2)
    (0.05, 1.0)
    """
    if tasks < 1:
        raise UsageError(f"the 3/N line needs at least one task, got {tasks}")
    return min(1.0, 3 / tasks)


def is_ternary(differences: FloatArray) -> bool:
    """True when every difference is -1, 0 or 1."""
    return bool(np.isin(differences, (-1.0, 0.0, 1.0)).all())


def informative(differences: FloatArray) -> int:
    """How many differences are not zero, rounding aside."""
    top = float(np.abs(differences).max())
    return int((np.abs(differences) > 1e-12 * top).sum())
