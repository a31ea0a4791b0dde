"""Differences free of rounding: where two scores agree to twelve digits their difference is nothing, and not 1e-17.

A mean of equal scores can be off in its last digit. Without this, a frozen agent would show a tiny gain that never
varies, and an interval around it that excludes zero.
"""

import numpy as np

from rung.stats.inputs import FloatArray
from rung.stats.quantiles import ROUNDING


def minus(later: FloatArray, earlier: FloatArray) -> FloatArray:
    """later - earlier, and exactly 0 where they agree to twelve digits; nan stays nan.

    >>> minus(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 0.5]))
    array([0. , 0.5])
    """
    difference = later - earlier
    size = np.maximum(np.abs(later), np.abs(earlier))
    return np.where(np.abs(difference) <= ROUNDING * size, 0.0, difference)


def change(*terms: float) -> float:
    """The sum of signed terms, and exactly 0 where it is nothing but rounding; nan stays nan.

    >>> change(0.1, 0.2, -0.3), change(1.0, -0.5)
    (0.0, 0.5)
    """
    total = sum(terms)
    return 0.0 if abs(total) <= ROUNDING * max(map(abs, terms)) else total
