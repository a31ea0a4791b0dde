"""The smallest detectable gain against the published tables, against simulation, and against sums by hand."""

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rung.core.errors import UsageError
from rung.core.seeds import Seed
from rung.planning.power import (
    ALONE,
    NO_WORD,
    ONE_TASK,
    Design,
    Noise,
    Step,
    detectable,
    expected_squares,
    larger,
    nested,
    ranked,
)
from rung.stats.lineages import gain
from rung.stats.quantiles import t_quantile

SD = 0.46
"""Of one difference, in the power table of the reference; before and after, each attempted once."""


@pytest.mark.parametrize(
    ("sd", "points"),
    [(0.45, [75, 52, 36, 30, 20, 14, 12, 8.0]), (0.277, [46, 32, 22, 18, 13, 8.6, 7.2, 4.9])],
)
def test_one_lineage_detects_what_the_reference_table_says(sd, points):
    found = [detectable(Noise(0.0, sd, 0.0), Design(1, n)) for n in (5, 8, 14, 20, 40, 84, 118, 250)]
    assert {each.scope for each in found} == {ALONE}
    assert [float(f"{100 * each.gain:.2g}") for each in found] == points


@pytest.mark.parametrize(
    ("points", "tasks", "repeats", "tau", "lineages", "power"),
    [
        (10, 80, 1, 3, 5, 0.82),
        (10, 118, 1, 5, 5, 0.78),
        (10, 118, 1, 8, 8, 0.78),
        (15, 40, 1, 5, 5, 0.81),
        (15, 80, 1, 8, 5, 0.80),
        (5, 118, 1, 0, 8, 0.82),
        (5, 118, 3, 3, 8, 0.87),
        (10, 40, 3, 8, 8, 0.78),
        (10, 20, 3, 5, 8, 0.82),
    ],
)
def test_the_simulated_power_table_comes_out(points, tasks, repeats, tau, lineages, power):
    """Section 3.4 of the reference: a logistic model, whose sd of one difference is 0.46, with fresh before-exams."""
    noise = Noise(tau / 100, 0.0, SD / sqrt(2))
    design = Design(lineages, tasks, repeats, repeats, shared_before=False)
    assert detectable(noise, design, power=power).gain == pytest.approx(points / 100, rel=0.15)


@pytest.mark.parametrize(
    ("noise", "design"),
    [
        (Noise(0.0, 0.117, 0.307), Design(5, 40)),
        (Noise(0.03, 0.117, 0.307), Design(5, 80, 1, 3)),
        (Noise(0.08, 0.117, 0.307), Design(5, 40, 3, 3)),
        (Noise(0.05, 0.117, 0.307), Design(8, 118, shared_before=False)),
        (Noise(0.03, 0.117, 0.307), Design(3, 40, 1, 3)),
        (Noise(0.05, 0.117, 0.307), Design(4, 20, 1, 3)),
        (Noise(0.03, 0.117, 0.307), Design(1, 20, 1, 3)),
        (Noise(0.08, 0.0, 0.1), Design(6, 20, 1, 3)),
    ],
    ids=str,
)
def test_a_gain_of_that_size_is_found_in_about_four_of_five_studies(noise, design):
    rng = np.random.default_rng(int(Seed(f"{noise} {design}").hex[:12], 16))
    k, n, found, studies = design.lineages, design.tasks, 0, 1200
    wanted = detectable(noise, design).gain
    tau = noise.tau if k > 1 else 0.0  # one lineage speaks of its own end state
    for _ in range(studies):
        early = (1 if design.shared_before else k, n)
        d = wanted + rng.normal(0, tau, (k, 1)) + rng.normal(0, noise.task, (1, n))
        d = d + rng.normal(0, noise.attempt / sqrt(design.repeats), (k, n))
        d = d - rng.normal(0, noise.attempt / sqrt(design.baseline_repeats), early)
        found += gain(d.tolist(), binary=False, shared_before=design.shared_before).lo > 0
    assert 0.74 <= found / studies <= 0.86


def test_the_noise_of_a_shared_exam_of_a_0_lies_between_tasks_and_that_of_a_fresh_one_in_the_rest():
    noise = Noise(1.0, 2.0, 3.0)
    shared, fresh = (expected_squares(noise, Design(5, 10, 3, 9, shared_before=each)) for each in (True, False))
    assert (shared.lineage, shared.task, shared.rest) == (13.0, 28.0, 3.0)
    assert (fresh.lineage, fresh.task, fresh.rest) == (14.0, 24.0, 4.0)


def test_where_only_lineages_differ_it_is_t_over_lineages():
    found = detectable(Noise(0.1, 0.0, 0.0), Design(5, 1000))
    assert found.df == pytest.approx(4.0)
    assert found.gain == pytest.approx((2.776445105 + 0.940964577) * 0.1 / sqrt(5), rel=1e-6)


def test_two_lineages_and_one_task_detect_nothing_and_say_why():
    noise = Noise(0.1, 0.1, 0.1)
    assert (detectable(noise, Design(2, 50)).gain, detectable(noise, Design(2, 50)).why) == (None, NO_WORD)
    assert (detectable(noise, Design(5, 1)).gain, detectable(noise, Design(5, 1)).why) == (None, ONE_TASK)
    assert nested(noise, 2, 10).why == NO_WORD
    assert nested(noise, 1, 1).why == ONE_TASK


def test_replays_are_four_attempts_each_and_the_lineage_is_their_unit():
    se = sqrt(0.05**2 / 6 + (0.2**2 + 4 * 0.3**2) / 60)
    t = t_quantile(5, 0.95) + t_quantile(5, 0.6)
    assert nested(Noise(0.05, 0.2, 0.3), 6, 10).gain == pytest.approx(t * se)
    few = nested(Noise(0.05, 0.2, 0.3), 3, 10)
    assert few.gain == pytest.approx((t_quantile(2, 0.95) + t_quantile(2, 0.6)) * few.se)
    assert nested(Noise(0.05, 0.2, 0.3), 1, 10).scope == ALONE


@given(
    st.floats(0, 0.2),
    st.floats(0, 0.4),
    st.floats(0.01, 0.5),
    st.integers(5, 30),
    st.integers(6, 300),
    st.integers(1, 5),
)
def test_more_of_anything_never_makes_the_standard_error_larger(tau, task, attempt, k, n, r):
    noise, design = Noise(tau, task, attempt), Design(k, n, r, r)
    now = detectable(noise, design).se
    more = ("task", "lineage", "repeat", "baseline repeat")
    assert all(detectable(noise, larger(design, what)).se <= now * (1 + 1e-12) for what in more)


def test_more_power_and_a_stricter_level_need_a_larger_gain():
    noise, design = Noise(0.03, 0.1, 0.3), Design(5, 40)
    plain = detectable(noise, design).gain
    assert detectable(noise, design, power=0.9).gain > plain
    assert detectable(noise, design, alpha=0.01).gain > plain


@pytest.mark.parametrize("wrong", [-0.1, inf, float("nan")])
def test_noise_is_a_standard_deviation(wrong):
    with pytest.raises(UsageError, match="tau is a standard deviation"):
        Noise(wrong, 0.1, 0.1)


def test_counts_power_and_level_are_checked():
    with pytest.raises(UsageError, match="tasks is a count from 1 up, seen 0"):
        Design(5, 0)
    with pytest.raises(UsageError, match=r"power is a share .* seen 1.0"):
        detectable(Noise(0, 0.1, 0.1), Design(5, 20), power=1.0)
    with pytest.raises(UsageError, match=r"alpha lies between 0 and 0\.5, seen 0\.5"):
        detectable(Noise(0, 0.1, 0.1), Design(5, 20), alpha=0.5)


def test_the_step_that_brings_a_verdict_comes_first_then_the_one_that_saves_most_for_its_cost():
    free = Step("baseline repeat", (0.2,), (0.2,), 0.0)
    cheap, dear = Step("task", (0.2,), (0.19,), 1.0), Step("repeat", (0.2,), (0.1,), 100.0)
    opens = Step("lineage", (None,), (0.3,), 1000.0)
    assert ranked([free, dear, cheap, opens]) == (opens, cheap, dear, free)
    second = Step("lineage", (0.2,), (None,), 1.0)
    assert (second.opens, second.closes, second.saved, opens.closes) == (False, True, 0.0, False)
    assert (opens.opens, opens.saved, cheap.worth) == (True, 0.0, pytest.approx(0.05))
    assert Step("task", (0.2,), (0.1,), 0.0).worth == inf
