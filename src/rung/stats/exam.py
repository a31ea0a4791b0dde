"""One agent's score on one exam."""

from rung.core.errors import UsageError
from rung.core.values import Estimate
from rung.stats.flags import NO_VARIATION, ONE_TASK
from rung.stats.inputs import Vector, check_level, vector
from rung.stats.quantiles import normal_quantile, spread


def proportion(successes: int, attempts: int, *, level: float = 0.95) -> Estimate:
    """Share of successes among independent tasks, one attempt each, with Wilson's score interval.

    Centre (p + z²/2n) / (1 + z²/n), reach z·sqrt(p(1-p)/n + z²/4n²) / (1 + z²/n): never of zero width, never
    outside [0, 1]. Unit: share.
    Source: Wilson 1927, Probable inference, the law of succession, and statistical inference.

    >>> estimate = proportion(0, 10)
    >>> estimate.value, estimate.lo, round(estimate.hi, 4)
    (0.0, 0.0, 0.2775)
    """
    check_level(level)
    if attempts < 1 or not 0 <= successes <= attempts:
        raise UsageError(f"successes lie between 0 and the attempts, and there is one; got {successes} of {attempts}")
    z, share = normal_quantile(level), successes / attempts
    weight = 1 + z * z / attempts
    centre = (share + z * z / (2 * attempts)) / weight
    reach = z * (share * (1 - share) / attempts + z * z / (4 * attempts**2)) ** 0.5 / weight
    lo = max(0.0, centre - reach) if successes else 0.0
    hi = min(1.0, centre + reach) if successes < attempts else 1.0
    return Estimate(share, lo, hi, "Wilson score", attempts, 1)


def exam_score(task_means: Vector, *, binary: bool, level: float = 0.95) -> Estimate:
    """Mean score over tasks, where each entry is the mean of one task's attempts (avg@k).

    The task is the sampling unit: mean ± t(N-1)·sd/sqrt(N) (Student 1908). `binary`: every entry is one attempt that
    succeeded (1) or failed (0); then Wilson's interval. Unit: the scores' own.

    >>> estimate = exam_score([0.5, 1.0, 0.0, 0.25], binary=False)
    >>> estimate.value, round(estimate.lo, 4), round(estimate.hi, 4)
    (0.4375, -0.2419, 1.1169)
    >>> exam_score([0.5, 0.5], binary=False).flags
    ('interval not estimable (no variation)',)
    """
    check_level(level)
    means = vector(task_means, "task means")
    n = len(means)
    if binary and all(mean in (0, 1) for mean in means):
        return proportion(int(means.sum()), n, level=level)
    found = spread(means)
    if found is None:
        return Estimate(float(means.mean()), None, None, "t over tasks", n, 1, (ONE_TASK if n == 1 else NO_VARIATION,))
    return Estimate(found.mean, *found.interval(level), "t over tasks", n, 1)
