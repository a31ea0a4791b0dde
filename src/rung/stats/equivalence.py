"""Two one-sided tests: the only way to say that nothing of note changed, and only against a margin declared before."""

from dataclasses import dataclass
from math import isfinite, sqrt

from rung.core.errors import UsageError
from rung.core.values import Estimate
from rung.stats.inputs import Vector, vector
from rung.stats.quantiles import spread, t_tail

TOST_LEVEL = 0.90  # the two-sided interval that two one-sided 5% tests correspond to


@dataclass(frozen=True, slots=True)
class Tost:
    """Two one-sided tests against ±margin: p that the mean is at or below -margin, and at or above +margin."""

    margin: float
    p_lower: float
    p_upper: float
    lo: float
    hi: float

    @property
    def equivalent(self) -> bool:
        """True when both tests reject at 5%, which is the 90% interval inside ±margin."""
        return max(self.p_lower, self.p_upper) < 0.05


def tost(differences: Vector, *, margin: float) -> Tost | None:
    """Equivalence of one lineage's differences to 0 within ±margin; None without variation.

    t = (mean ± margin) / SE on N-1 df. Source: Schuirmann 1987, A comparison of the two one-sided tests procedure.
    Unit of margin, lo and hi: that of the scores.

    >>> found = tost([0.1, -0.05, 0.3, 0.0, 0.2, 0.15, -0.1, 0.25], margin=0.3)
    >>> round(found.p_upper, 8), round(found.lo, 8), round(found.hi, 8), found.equivalent
    (0.00344973, 0.00911985, 0.20338015, True)
    """
    check_margin(margin)
    found = spread(vector(differences, "differences"))
    if found is None:
        return None
    se = sqrt(found.variance)
    lower, upper = t_tail(found.df, (found.mean + margin) / se), t_tail(found.df, (margin - found.mean) / se)
    return Tost(margin, lower, upper, *found.interval(TOST_LEVEL))


def within(narrow: Estimate, margin: float) -> bool:
    """True when a 90% interval lies inside ±margin; False where there is no interval.

    >>> within(Estimate(0.0, -0.02, 0.04, "t over tasks", 90, 5), 0.05)
    True
    """
    check_margin(margin)
    return narrow.lo is not None and narrow.hi is not None and -margin < narrow.lo and narrow.hi < margin


def check_margin(margin: float) -> None:
    """Refuse a margin that is none."""
    if not (isfinite(margin) and margin > 0):
        raise UsageError(f"an equivalence margin is a positive score difference, got {margin!r}")
