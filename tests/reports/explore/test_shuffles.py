"""What an agent that never changes gets: the metrics of the paper, and their null in this design."""

import numpy as np
import pytest

from rung.core.seeds import Seed
from rung.reports.explore.scores import Checkpoint, Scores
from rung.reports.explore.shuffles import areas, described, naba_of
from rung.stats.curve import auc_plus

from .test_decisions import NAN, noisy, scores

SEED = Seed("shuffles")


def test_many_areas_at_once_are_each_that_of_the_curve():
    rng = np.random.default_rng(3)
    x = np.array([0.0, 3.0, 7.0, 9.0, 15.0])
    y = rng.normal(size=(50, 2, 5))
    assert areas(x, y) == pytest.approx(np.array([[auc_plus(x, line) for line in pair] for pair in y]))


def test_the_metrics_are_means_over_lineages_of_the_papers_formulas():
    table = scores([0.0, 1.0, 0.0, 1.0], [[1.0, 1.0], [0.0, 0.0]], [[1.0, 0.0], [1.0, 1.0]])
    found = described(table, step=1.0, seed=SEED, resamples=50)
    assert found is not None
    # start 1/2; lineages [1/2, 1, 1/2] and [1/2, 0, 1] at x = 0, 3, 6
    assert found.average == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert found.maximum.value == 1.0
    # first: two triangles of 3 x 1/2 / 2; second: from -1/2 to 1/2 over 3: 1/4 / 2 x 3
    assert found.auc_plus.value == pytest.approx((1.5 + 0.375) / 2)
    assert found.naba == pytest.approx(found.auc_plus.value / 0.5)
    assert found.naba_rate == pytest.approx(found.naba / 6)


def test_naba_of_a_start_at_0_takes_a_score_step_over_the_episodes_of_a_checkpoint():
    table = scores([0.0] * 6, [[1.0, 0.0, 0.0]], [[0.0, 0.0, 0.0]])
    found = described(table, step=1.0, seed=SEED, resamples=20)
    assert found is not None
    assert found.smallest == pytest.approx(1 / 3)
    assert found.naba == pytest.approx(found.auc_plus.value * 3)
    undeclared = described(table, step=None, seed=SEED, resamples=20)
    assert undeclared is not None
    assert undeclared.naba is None
    assert "declares no score step" in undeclared.naba_reason
    assert naba_of(table, 0, step=None) is None


def test_an_agent_that_never_changes_is_not_extreme_and_one_that_learns_is():
    """p is uniform where nothing changes: over many studies a twentieth lies below 5%."""
    p = [described(noisy(3, seed=f"p{n}"), step=1.0, seed=SEED, resamples=99).auc_plus.p for n in range(200)]
    assert 0.01 <= np.mean(np.array(p) <= 0.05) <= 0.1
    assert 0.4 <= np.mean(p) <= 0.6
    assert described(noisy(3, rise=5.0), step=1.0, seed=SEED, resamples=999).auc_plus.p == 0.001


def test_the_null_of_auc_plus_is_far_above_0_and_a_still_agent_is_at_it_in_the_mean():
    found = [described(noisy(5, seed=f"still {n}"), step=1.0, seed=SEED, resamples=99) for n in range(60)]
    null = np.mean([each.auc_plus.mean for each in found])
    assert 6 < null < 12
    assert abs(np.mean([each.auc_plus.value for each in found]) - null) < 2
    assert np.mean([each.maximum.mean for each in found]) > 1


def test_holes_move_with_nothing_and_a_checkpoint_without_scores_is_joined():
    whole = noisy(2, seed="holes")
    holed = Scores(
        np.where(np.arange(30)[:, None] == 4, NAN, whole.baseline),
        tuple(
            Checkpoint(each.x, each.places, np.full_like(each.after, NAN) if each.x == 6 else each.after)
            for each in whole.checkpoints
        ),
    )
    found = described(holed, step=1.0, seed=SEED, resamples=200)
    assert found is not None
    assert np.isfinite([found.auc_plus.mean, found.auc_plus.upper, found.maximum.mean]).all()
    line = [holed.start, *(each.after[0].mean() for each in whole.checkpoints if each.x != 6)]
    other = [holed.start, *(each.after[1].mean() for each in whole.checkpoints if each.x != 6)]
    x = [0, 3, *range(9, 31, 3)]
    assert found.auc_plus.value == pytest.approx((auc_plus(x, line) + auc_plus(x, other)) / 2)


def test_where_nothing_was_measured_nothing_is_described():
    table = scores([NAN, NAN], [[NAN], [NAN]], [[NAN], [NAN]])
    assert described(table, step=1.0, seed=SEED) is None
