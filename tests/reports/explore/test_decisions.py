"""What is decided on a curve, against values worked out by hand or in another way."""

from itertools import product

import numpy as np
import pytest

from rung.core.seeds import Seed
from rung.core.values import Estimate, Scale
from rung.reports.explore import decisions
from rung.reports.explore.scores import Checkpoint, Scores, left_out
from rung.stats.curve import curve, signed_gain, slope
from rung.stats.verdict import Verdict

NAN = float("nan")
SCALE = Scale("success", 0.0, 1.0)


def scores(baseline, *checkpoints, every=3) -> Scores:
    """Checkpoints of tasks in a row; each given as rows of lineages."""
    made, place = [], 0
    for k, rows in enumerate(checkpoints, 1):
        after = np.array(rows, dtype=float)
        made.append(Checkpoint(every * k, tuple(range(place, place + after.shape[1])), after))
        place += after.shape[1]
    return Scores(np.array(baseline, dtype=float).reshape(len(baseline), -1), tuple(made))


def noisy(lineages: int, *, rise: float = 0.0, seed: str = "noisy", checkpoints: int = 10, tasks: int = 3) -> Scores:
    rng = np.random.default_rng(Seed(seed).rng().getrandbits(64))
    n = checkpoints * tasks
    levels = rng.normal(size=n)
    after = (
        levels + rng.normal(size=(lineages, n)) + rise * np.repeat(np.arange(1, checkpoints + 1), tasks) / checkpoints
    )
    return scores(levels + rng.normal(size=n), *(after[:, k * tasks : (k + 1) * tasks] for k in range(checkpoints)))


def test_the_mean_of_the_matrix_is_the_signed_gain_worked_out_by_hand():
    # x = 0, 3, 6: weights 1/4, 1/2, 1/4. Differences: (.5 + .1)/2 = .3 and (.2 + .4)/2 = .3: .5 x .3 + .25 x .3
    table = scores([0.1, 0.2, 0.3, 0.4], [[0.6, 0.3]], [[0.5, 0.8]])
    assert float(decisions.weighed(table).mean()) == pytest.approx(0.225)
    assert decisions.lineage_gains(table) == pytest.approx((0.225,))


def test_with_one_baseline_for_every_task_it_is_the_signed_gain_of_the_curve():
    rng = np.random.default_rng(1)
    after = rng.normal(size=(1, 12))
    table = scores(np.full(12, 0.7), *(after[:, 3 * k : 3 * k + 3] for k in range(4)))
    plain = signed_gain(curve([0, 3, 6, 9, 12], [np.full(3, 0.7), *(after[0, 3 * k : 3 * k + 3] for k in range(4))]))
    assert float(decisions.weighed(table).mean()) == pytest.approx(plain.value)


def test_an_invalid_checkpoint_is_left_out_counted_and_its_neighbours_joined():
    whole = scores([0.0] * 6, [[0.0, 0.0]], [[1.0, 1.0]], [[1.0, 1.0]])
    holed = scores([0.0] * 6, [[NAN, NAN]], [[1.0, 1.0]], [[1.0, 1.0]])
    # joined: x = 0, 6, 9: weights 1/3, 1/2, 1/6; whole: 1/6, 1/3, 1/3, 1/6
    assert np.nansum(decisions.weighed(holed)) / 4 == pytest.approx(1 / 2 + 1 / 6)
    assert float(decisions.weighed(whole).mean()) == pytest.approx(1 / 3 + 1 / 6)
    assert (left_out(whole), left_out(holed)) == (0, 1)


def test_many_holes_make_it_incomplete_and_one_is_bounded():
    rows = np.ones((3, 60))
    rows[0, 0] = NAN
    table = scores(np.zeros(60), *(rows[:, 6 * k : 6 * k + 6] for k in range(10)))
    cover = decisions.coverage(table, SCALE)
    assert cover is not None
    assert (cover.planned, cover.paired) == (180, 179)
    # one score of 18 at x = 3 may be anything from 0 to 1: it weighs 1/10 x 1/18
    assert (cover.bounds.hi, cover.bounds.lo) == pytest.approx((0.95, 0.95 - 1 / 180))
    rows[:, :12] = NAN
    table = scores(np.zeros(60), *(rows[:, 6 * k : 6 * k + 6] for k in range(10)))
    assert decisions.verdict(table, decisions.found_in(table), scale=SCALE).word == "incomplete"


@pytest.mark.parametrize("repeats", [1, 2])
def test_swapping_agrees_with_every_swap_there_is(repeats):
    rng = np.random.default_rng(2)
    baseline, after = rng.normal(size=(4, repeats)), rng.normal(size=(2, 4)) + 0.8
    table = scores(baseline, after[:, :2], after[:, 2:])
    pool = np.concatenate([baseline, after.T], axis=1)
    weights = np.repeat([0.5 / 2, 0.25 / 2], 2)
    choices = [
        [tuple(row[i] for i in range(len(row)) if i in chosen) for chosen in _chosen(len(row), repeats)] for row in pool
    ]
    found = []
    for picked in product(*choices):
        before = np.array([np.mean(each) for each in picked])
        rest = np.array([(row.sum() - sum(each)) / 2 for row, each in zip(pool, picked, strict=True)])
        found.append(float(weights @ (rest - before)))
    value = float(weights @ (after.mean(axis=0) - baseline.mean(axis=1)))
    larger = np.mean([each >= value - 1e-9 for each in found])
    smaller = np.mean([each <= value + 1e-9 for each in found])
    assert decisions.swapped(table, resamples=40_000) == pytest.approx(min(1, 2 * min(larger, smaller)), abs=0.012)


def test_attempts_are_swapped_one_by_one_where_a_checkpoint_has_several():
    """Means of attempts vary less than the single ones of A_0, and may not stand in for them."""
    rng = np.random.default_rng(4)
    seen = []
    for _ in range(300):
        attempts = rng.normal(size=(1, 12, 4))
        table = Scores(rng.normal(size=(12, 1)), (Checkpoint(3, tuple(range(12)), attempts),))
        seen.append(decisions.swapped(table, resamples=199))
    assert 0.02 <= np.mean(np.array(seen) <= 0.05) <= 0.08
    few = Scores(np.array([[0.0], [1.0]]), (Checkpoint(3, (0, 1), np.array([[[1.0, 1.0], [1.0, 3.0]]])),))
    # pools {0; 1, 1} and {1; 1, 3}: A_0 has 0, 1 or 1 and 1, 1 or 3; its own sum, 1, is the least with chance 2/9
    assert decisions.swapped(few, resamples=40_000) == pytest.approx(4 / 9, abs=0.012)
    assert few.checkpoints[0].after.tolist() == [[1.0, 2.0]]


def _chosen(size: int, many: int) -> list[tuple[int, ...]]:
    return [(i,) for i in range(size)] if many == 1 else [(i, j) for i in range(size) for j in range(i + 1, size)]


def test_a_rare_success_that_the_baseline_lacks_is_no_gain():
    """Every lineage succeeds at two tasks in thirty and A_0 at none: t over crossed effects calls that a gain."""
    after = np.zeros((8, 30))
    for lineage in range(8):
        after[lineage, [(3 * lineage) % 30, (7 * lineage + 11) % 30]] = 1.0
    table = scores(np.zeros(30), *(after[:, 3 * k : 3 * k + 3] for k in range(10)))
    weight = decisions.found_in(table)
    assert weight.estimate.lo > 0
    word = decisions.verdict(table, weight, scale=SCALE)
    assert word.word == "inconclusive"
    assert any("swapping" in reason for reason in word.reasons)


def test_a_gain_that_is_there_is_found_by_three_lineages_and_five():
    for lineages in (3, 5):
        table = noisy(lineages, rise=4.0)
        word = decisions.verdict(table, decisions.found_in(table), scale=Scale("u", -99, 99))
        assert (word.word, word.scope) == ("improved", "the agent improves itself")
        assert decisions.p_of(table, decisions.found_in(table)) < 0.01


def test_one_lineage_speaks_of_itself_and_two_carry_no_word():
    one, two = noisy(1, rise=4.0), noisy(2, rise=4.0)
    assert decisions.verdict(one, decisions.found_in(one), scale=SCALE).scope == "this end state only"
    assert decisions.verdict(two, decisions.found_in(two), scale=SCALE).word == "not estimable"
    assert decisions.p_of(two, decisions.found_in(two)) is None
    assert decisions.rising(two).lo is None


def test_scores_that_never_vary_are_not_estimable():
    table = scores(np.ones(30), *(np.ones((5, 3)) for _ in range(10)))
    word = decisions.verdict(table, decisions.found_in(table), scale=SCALE)
    assert word.word == "not estimable"
    assert decisions.swapped(table) is None


def test_few_tasks_are_not_estimable_however_large_the_gain():
    table = scores(
        np.zeros(4), np.array([[1.0, 0.9], [0.8, 1.0], [1.0, 0.7]]), np.array([[1.0, 1.0], [0.9, 1.0], [1, 1]])
    )
    assert decisions.verdict(table, decisions.found_in(table), scale=SCALE).word == "not estimable"


def test_the_slope_of_one_lineage_is_the_regression_of_its_checkpoints():
    table = noisy(1, rise=3.0)
    means = [table.differences(each).mean() for each in table.checkpoints]
    plain = slope(curve(range(3, 31, 3), [[value] for value in means]))
    found = decisions.rising(table)
    assert (found.value, found.lo, found.hi) == pytest.approx((plain.value, plain.lo, plain.hi))


def test_the_slope_of_several_lineages_is_as_wide_as_the_wider_of_two_reasons():
    table = noisy(4, rise=3.0)
    found, alone = (
        decisions.rising(table),
        decisions.rising(
            Scores(
                table.baseline, tuple(Checkpoint(c.x, c.places, c.after.mean(axis=0)[None]) for c in table.checkpoints)
            )
        ),
    )
    assert found.lo <= alone.lo + 1e-12
    assert found.hi >= alone.hi - 1e-12
    assert found.value == pytest.approx(alone.value)


def test_what_rose_early_and_stays_is_not_still_rising():
    early = scores(np.zeros(30), *(np.ones((5, 3)) + 0.01 * k * (-1) ** k for k in range(10)))
    assert decisions.words(decisions.rising(early)) == "not shown"
    late = scores(np.zeros(30), *(np.full((5, 3), float(k)) + 0.01 * (-1) ** k for k in range(10)))
    assert decisions.words(decisions.rising(late)) == "still rising"


def test_delta_final_is_the_last_valid_checkpoint_less_the_baseline_on_its_tasks():
    table = scores([0.0, 0.0, 0.5, 0.5, 9.0, 9.0], [[1, 1]], [[1.0, 0.5]], [[NAN, NAN]])
    found = decisions.final(table)
    assert found.value == pytest.approx(0.25)
    assert found.flags[0] == "at x = 6: 1 later without a measurement"


def test_a_word_needs_holms_p_as_well():
    word = Verdict("improved", "the agent improves itself")
    assert decisions.carried(word, 0.05) == word
    assert decisions.carried(word, 0.051).word == "inconclusive"
    assert decisions.carried(word, None).word == "inconclusive"
    assert decisions.carried(Verdict("inconclusive", None), 1.0).word == "inconclusive"


@pytest.mark.parametrize(("lo", "hi", "word"), [(0.1, 0.2, "still rising"), (-2, -1, "falling"), (-1, 1, "not shown")])
def test_the_words_of_a_slope(lo, hi, word):
    assert decisions.words(Estimate((lo + hi) / 2, lo, hi, "m", 30, 5)) == word
