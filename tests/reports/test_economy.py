"""Gains by what they cost, and whether budgets match: worked out by hand."""

from dataclasses import replace

import pytest

from rung.core.values import Estimate
from rung.reports import economy
from rung.reports.values import ArmReport, Calls, Cost

from . import samples


def spent(usd: float | None, tokens: int | None) -> Cost:
    return Cost(10, 10, 1.0, Calls(10, 0, tokens, 0 if tokens is not None else None, 0, usd, usd))


def arm(name: str, usd: float | None, tokens: int | None = 100) -> ArmReport:
    return replace(samples.arm(name, (0.1, 0.2, 0.1, 0.0, 0.0)), improving=spent(usd, tokens))


RUNG = replace(samples.rung("a", "G1", 0.3, 0.1), gain=Estimate(0.3, 0.2, 0.5, "t", 20, 4))


def test_a_gain_and_its_interval_are_divided_by_the_cost_of_a_lineage():
    found = economy.priced(RUNG, spent(2.0, 8_000_000), 4)  # half a dollar, two million tokens
    assert found.per_usd == Estimate(0.6, 0.4, 1.0, "t, by US dollar of improving a lineage", 20, 4)
    assert found.per_million_tokens is not None
    per_million = found.per_million_tokens
    assert (per_million.value, per_million.lo, per_million.hi) == pytest.approx((0.15, 0.1, 0.25))


@pytest.mark.parametrize(
    ("usd", "why"), [(None, "undefined: its cost is unknown"), (0.0, "undefined: it cost nothing")]
)
def test_by_an_unknown_cost_or_none_there_is_no_ratio(usd: float | None, why: str):
    found = economy.priced(RUNG, spent(usd, None), 4).per_usd
    assert found is not None
    assert (found.value, found.lo, found.hi, found.flags) == (None, None, None, (why,))


def test_without_a_gain_there_is_no_ratio():
    nothing = replace(RUNG, gain=Estimate(None, None, None, "none", 0, 4))
    found = economy.priced(nothing, spent(2.0, 8), 4).per_usd
    assert found is not None
    assert (found.value, found.flags) == (None, ("undefined: there is no gain",))


def test_a_study_without_models_has_no_ratio_to_speak_of():
    assert economy.priced(RUNG, Cost(10, 10, 1.0), 4) == RUNG


def test_a_quarter_more_is_matched_and_above_it_is_not():
    assert economy.unmatched([arm("a", 1.0), arm("b", 1.25)], 4) is None
    found = economy.unmatched([arm("a", 1.0), arm("b", 1.26), arm("c", 3.0)], 4)
    assert found is not None
    assert (found.resource, found.least, found.more) == ("US dollars", "a", ("b", "c"))
    assert found.flag("c") == "unmatched budgets: spent 3 times what a did on improving (US dollars)"
    assert found.flag("a") == ""


@pytest.mark.parametrize("usd", [0.0, None])
def test_where_dollars_say_nothing_tokens_are_compared(usd: float | None):
    found = economy.unmatched([arm("a", usd, 100), arm("b", usd, 200)], 4)
    assert found is not None
    assert (found.resource, found.amounts) == ("tokens", {"a": 25.0, "b": 50.0})


def test_an_arm_without_calls_spent_nothing_and_one_unknown_is_not_compared():
    silent = replace(arm("a", 1.0), improving=Cost(10, 10, 1.0))
    found = economy.unmatched([silent, arm("b", 1.0)], 4)
    assert found is not None
    assert found.flag("b").startswith("unmatched budgets: spent something, against nothing, what a did")
    assert economy.unmatched([arm("a", None, None), arm("b", 1.0)], 4) is None


def test_only_the_gains_of_who_spent_more_are_flagged():
    first, second = economy.flagged((arm("a", 1.0), arm("b", 2.0)), 4)
    assert not any("unmatched" in flag for rung in first.rungs for flag in rung.gain.flags)
    assert all(rung.gain.flags[-1].startswith("unmatched budgets: spent 2 times") for rung in second.rungs)
