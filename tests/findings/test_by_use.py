"""Gains of attempts that chose to use something against the others: values by hand, and when there are none."""

from math import nan, sqrt

import pytest
from scipy import stats as scipy_stats

from rung.findings import by_use as module
from rung.findings.by_use import by_use
from rung.stats import flags


def test_one_lineage_takes_welchs_interval():
    used, unused = [0.9, 0.7, 1.0, 0.4], [0.1, 0.3, 0.0]
    found = by_use([used], [unused])
    reference = scipy_stats.ttest_ind(used, unused, equal_var=False).confidence_interval(0.95)
    assert found.value == pytest.approx(0.75 - 0.4 / 3)
    assert (found.lo, found.hi) == (pytest.approx(reference.low), pytest.approx(reference.high))
    assert (found.method, found.n_tasks, found.n_lineages) == (module.WELCH, 7, 1)
    assert flags.END_STATE_ONLY in found.flags


def test_two_lineages_take_the_mean_of_their_welch_intervals():
    used, unused = [[4.0, 5.0, 6.0], [2.0, 3.0, 4.0]], [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]
    found = by_use(used, unused)
    half = scipy_stats.t.ppf(0.975, 8) * sqrt(2 * (2 / 3) / 4)
    assert found.value == pytest.approx(3.0)
    assert (found.lo, found.hi) == (pytest.approx(3.0 - half), pytest.approx(3.0 + half))
    assert flags.TWO_LINEAGES in found.flags


def test_three_lineages_take_the_hull_with_t_over_lineages():
    used, unused = [[4.0, 5.0, 6.0], [2.0, 3.0, 4.0], [9.0, 10.0, 11.0]], [[0.0, 1.0, 2.0]] * 3
    found = by_use(used, unused)
    differences = [4.0, 2.0, 9.0]
    half = scipy_stats.t.ppf(0.975, 2) * sqrt(sum((each - 5) ** 2 for each in differences) / 2 / 3)
    assert (found.value, found.lo, found.hi) == (5.0, pytest.approx(5 - half), pytest.approx(5 + half))


def test_five_lineages_take_t_over_lineages_also_with_one_task_of_a_kind():
    found = by_use([[1.0], [2.0], [3.0], [4.0], [5.0]], [[0.0]] * 5)
    half = scipy_stats.t.ppf(0.975, 4) * sqrt(2.5 / 5)
    assert (found.value, found.lo, found.hi) == (3.0, pytest.approx(3 - half), pytest.approx(3 + half))


def test_a_lineage_that_has_but_one_kind_is_left_out_and_said():
    found = by_use([[4.0, 5.0, 6.0], [9.0], [nan]], [[0.0, 1.0, 2.0], [], [1.0]])
    assert (found.value, found.n_lineages) == (4.0, 1)
    assert "2 of 3 lineages dropped: not both kinds" in found.flags


@pytest.mark.parametrize(
    ("used", "unused", "why"),
    [
        ([[1.0, 2.0]], [[]], module.ONE_SIDE),
        ([[nan]], [[nan]], module.ONE_SIDE),
        ([[1.0]], [[0.0, 1.0]], flags.ONE_TASK),
        ([[1.0, 1.0]], [[0.0, 0.0]], flags.NO_VARIATION),
    ],
)
def test_what_cannot_be_estimated_says_why(used: list[list[float]], unused: list[list[float]], why: str):
    found = by_use(used, unused)
    assert (found.lo, found.hi) == (None, None)
    assert why in found.flags
    assert module.CHOSEN in found.flags
