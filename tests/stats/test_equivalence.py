import pytest

from rung.core.errors import UsageError
from rung.core.values import Estimate
from rung.stats.equivalence import tost, within

D = [0.10, -0.05, 0.30, 0.0, 0.20, 0.15, -0.10, 0.25]


def test_tost_holds_to_the_digit():
    found = tost(D, margin=0.3)
    assert (found.p_upper, found.p_lower) == pytest.approx((0.00344973, 4.843e-5), abs=1e-8)
    assert (found.lo, found.hi) == pytest.approx((0.00911985, 0.20338015), abs=1e-8)
    assert found.equivalent


@pytest.mark.parametrize(("margin", "equivalent"), [(0.2034, True), (0.2033, False)])
def test_both_tests_reject_just_when_the_90_percent_interval_lies_inside(margin, equivalent):
    found = tost(D, margin=margin)
    assert found.equivalent is equivalent
    assert within(Estimate(0.1, found.lo, found.hi, "t over tasks", 8, 1), margin) is equivalent


def test_without_variation_there_is_no_test():
    assert tost([0.0] * 8, margin=0.3) is None
    assert not within(Estimate(0.0, None, None, "t over tasks", 8, 1), 0.3)


@pytest.mark.parametrize("margin", [0.0, -0.1, float("nan"), float("inf")])
def test_a_margin_is_a_positive_number(margin):
    with pytest.raises(UsageError, match="positive score difference, got"):
        tost(D, margin=margin)
