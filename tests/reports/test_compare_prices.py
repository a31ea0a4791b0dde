"""Gains by what they cost: by hand, and by solving Fieller's inequality for its ends."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from rung.core.seeds import Seed
from rung.core.values import Estimate
from rung.reports.compare.prices import KNOWN, ratio, scaled
from rung.stats.arms import contrast, crossed_difference

GAIN = Estimate(0.3, 0.2, 0.5, "t", 20, 5)
SEED = Seed("prices")


def arms(rng, *, lineages: int = 5, tasks: int = 12, gain: float = 0.3):
    first = rng.normal(0.0, 0.2, (lineages, tasks))
    return first, rng.normal(gain, 0.2, (lineages, tasks)) + rng.normal(0, 0.05, (lineages, 1))


def test_where_lineages_cost_the_same_the_gain_is_divided_by_it():
    first, second = arms(np.random.default_rng(1))
    found = ratio(GAIN, first, second, [2.0] * 5, "US dollar")
    assert (found.value, found.lo, found.hi, found.flags) == (0.15, 0.1, 0.25, ())


def test_two_lineages_cannot_show_how_cost_varies_and_say_so():
    first, second = arms(np.random.default_rng(1), lineages=2)
    found = ratio(GAIN, first, second, [1.0, 3.0], "US dollar")
    assert (found.value, found.lo, found.hi, found.flags) == (0.15, 0.1, 0.25, (KNOWN,))


@pytest.mark.parametrize(
    ("costs", "why"),
    [
        ([0.5, None, 0.5, 0.5, 0.5], "unknown: the cost of a lineage is unknown"),
        ([0.0] * 5, "undefined: it cost nothing"),
    ],
)
def test_an_unknown_cost_is_unknown_and_never_nothing(costs, why: str):
    first, second = arms(np.random.default_rng(1))
    found = ratio(GAIN, first, second, costs, "US dollar")
    assert (found.value, found.lo, found.hi, found.flags) == (None, None, None, (why,))


def test_without_a_gain_there_is_no_ratio():
    nothing = Estimate(None, None, None, "none", 0, 5)
    assert scaled(nothing, [1.0], "US dollar").flags == ("undefined: there is no gain",)


def test_the_ends_solve_fiellers_inequality():
    rng = np.random.default_rng(2)
    first, second = arms(rng)
    costs = np.array([0.8, 1.1, 1.0, 1.3, 0.9])
    gain = contrast(first, second, seed=SEED).difference
    found = ratio(gain, first, second, list(costs), "US dollar")
    crossed = crossed_difference(first, second)
    cov = np.cov(second.mean(axis=1), costs)[0, 1] / 5
    t = stats.t.ppf(0.975, min(crossed.df, 4))

    def excess(theta: float) -> float:
        noise = crossed.variance - 2 * theta * cov + theta**2 * costs.var(ddof=1) / 5
        return (crossed.mean - theta * costs.mean()) ** 2 - t**2 * noise

    middle = crossed.mean / costs.mean()
    assert found.value == pytest.approx(middle)
    assert found.lo == pytest.approx(brentq(excess, middle - 2, middle))
    assert found.hi == pytest.approx(brentq(excess, middle, middle + 2))
    assert found.lo < gain.lo / costs.mean()  # wider than where the cost is taken as known


def test_with_three_lineages_it_is_the_wider_of_lineages_and_tasks():
    first, second = arms(np.random.default_rng(3), lineages=3)
    costs = [1.0, 1.2, 0.9]
    gain = contrast(first, second, seed=SEED).difference
    found = ratio(gain, first, second, costs, "US dollar")
    assert found.lo <= gain.lo / np.mean(costs)
    assert found.hi >= gain.hi / np.mean(costs)


def test_a_cost_that_cannot_be_told_from_nothing_has_no_ratio():
    first, second = arms(np.random.default_rng(4))
    found = ratio(contrast(first, second, seed=SEED).difference, first, second, [0.0, 0.0, 0.0, 0.0, 1.0], "US dollar")
    assert (found.value, found.flags) == (None, ("undefined: what a lineage costs cannot be told from nothing",))


def test_the_interval_covers_the_true_ratio_where_gain_and_cost_go_together():
    rng, held, studies = np.random.default_rng(6), 0, 400
    for _ in range(studies):
        luck = rng.normal(0, 1, 5)
        costs = 2.0 + 0.3 * luck
        first = rng.normal(0, 0.2, (5, 20))
        second = rng.normal(0.4, 0.2, (5, 20)) + 0.1 * luck[:, None]
        gain = contrast(first, second, seed=SEED).difference
        found = ratio(gain, first, second, list(costs), "US dollar")
        held += found.lo <= 0.2 <= found.hi
    assert held >= 0.95 * studies - 3 * (studies * 0.05 * 0.95) ** 0.5
