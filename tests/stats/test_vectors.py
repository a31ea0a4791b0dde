"""Pieces that published formulas go through, to ten digits from exact rationals and 40-digit arithmetic.

What estimators make of them is held in the test of each; here stand the steps in between.
"""

from math import sqrt

import numpy as np
import pytest

from rung.stats.headroom import Moments, fieller
from rung.stats.lineages import crossed_spread
from rung.stats.quantiles import spread, t_quantile

BEFORE = [0.2, 0.5, 0.3, 0.6, 0.4, 0.1, 0.5, 0.6]
AFTER = [0.5, 0.6, 0.7, 0.7, 0.4, 0.6, 0.6, 0.9]
TWO_LEVEL = np.array([[0.2, 0.0, 0.4, 0.1], [0.3, -0.1, 0.5, 0.3], [-0.1, 0.0, 0.2, 0.1]])


@pytest.mark.parametrize(("df", "t"), [(7, 2.364624252), (3.794982896, 2.836611439)])
def test_quantiles_of_t_hold_to_the_digit(df: float, t: float):
    assert t_quantile(df, 0.95) == pytest.approx(t, abs=1e-9)


def test_standard_errors_hold_to_the_digit():
    paired = spread(np.array([0.1, -0.05, 0.3, 0.0, 0.2, 0.15, -0.1, 0.25]))
    binary = spread(np.array([1.0] * 22 + [-1.0] * 5 + [0.0] * 91))
    crossed = crossed_spread(TWO_LEVEL)
    assert paired is not None
    assert binary is not None
    assert crossed is not None
    assert sqrt(paired.variance) == pytest.approx(0.05126741864, abs=1e-11)
    assert sqrt(crossed.variance) == pytest.approx(0.09464847243, abs=1e-11)
    assert (100 * binary.mean, 100 * sqrt(binary.variance)) == pytest.approx((14.40677966, 4.216958329), abs=1e-8)


def test_means_of_lineages_and_tasks_are_the_margins_of_the_table():
    tasks = [0.1333333333, -0.03333333333, 0.3666666667, 0.1666666667]
    assert TWO_LEVEL.mean(axis=0) == pytest.approx(tasks, abs=1e-10)
    assert TWO_LEVEL.mean(axis=1) == pytest.approx([0.175, 0.25, 0.05])


@pytest.mark.parametrize(
    ("reference", "a", "b", "c"),
    [
        ([1.0] * 8, 0.3360366521, 0.1200229075, 0.02915783414),
        ([0.4, 0.4, 0.5, 0.5, 0.5, 0.2, 0.3, 0.6], -0.01485132887, -0.004858964721, 0.02915783414),
    ],
)
def test_fiellers_ends_are_the_roots_of_its_quadratic(reference: list[float], a: float, b: float, c: float):
    u, v = np.subtract(AFTER, BEFORE), np.subtract(reference, BEFORE)
    cov = np.cov(u, v) / 8
    moments = Moments(float(u.mean()), float(v.mean()), cov[0, 0], cov[1, 1], cov[0, 1], 7)
    found = fieller(moments)
    t2 = t_quantile(7, 0.95) ** 2
    made = (v.mean() ** 2 - t2 * cov[1, 1], u.mean() * v.mean() - t2 * cov[0, 1], u.mean() ** 2 - t2 * cov[0, 0])
    assert made == pytest.approx((a, b, c), abs=1e-10)
    roots = sorted((b + sign * sqrt(b * b - a * c)) / a for sign in (-1, 1))
    assert (found.lo, found.hi) == pytest.approx(tuple(roots), abs=1e-6)
    assert found.kind == ("bounded" if a > 0 else "exclusive")
