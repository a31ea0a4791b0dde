"""Quantiles and small-sample pieces every other file needs. scipy is imported on first use: the CLI must start fast."""

import sys
from dataclasses import dataclass

from rung.stats.inputs import FloatArray

ROUNDING = 1e-12  # relative; a spread below this is rounding, not variation
SMALLEST_P = sys.float_info.min


def normal_quantile(level: float) -> float:
    """z of a two-sided interval.

    >>> round(normal_quantile(0.95), 9)
    1.959963985
    """
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def t_quantile(df: float, level: float) -> float:
    """t of a two-sided interval; `df` need not be whole.

    >>> round(t_quantile(7, 0.95), 9)
    2.364624252
    """
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2))


def t_tail(df: float, t: float) -> float:
    """P(T >= t), never exactly 0.

    >>> round(t_tail(7, 2.364624252), 9)
    0.025
    """
    from scipy.special import stdtr

    return max(float(stdtr(df, -t)), SMALLEST_P)


@dataclass(frozen=True, slots=True)
class Spread:
    """A mean, the variance of that mean, and the degrees of freedom the variance was estimated with."""

    mean: float
    variance: float
    df: float

    def interval(self, level: float) -> tuple[float, float]:
        """The two-sided t interval."""
        reach = t_quantile(self.df, level) * self.variance**0.5
        return self.mean - reach, self.mean + reach


def varies(values: FloatArray) -> bool:
    """True when the values differ by more than rounding.

    >>> import numpy as np
    >>> varies(np.array([0.1 + 0.2, 0.3])), varies(np.array([0.3, 0.31]))
    (False, True)
    """
    top, bottom = float(values.max()), float(values.min())
    return top - bottom > ROUNDING * max(abs(top), abs(bottom))


def spread(values: FloatArray) -> Spread | None:
    """Mean of independent values with the variance of that mean; None without variation, which one value never has.

    >>> import numpy as np
    >>> spread(np.array([1.0, 2.0, 3.0]))
    Spread(mean=2.0, variance=0.3333333333333333, df=2)
    """
    if not varies(values):
        return None
    return Spread(float(values.mean()), float(values.var(ddof=1)) / len(values), len(values) - 1)
