"""Agreement measures, against values worked out by hand and by another method."""

import numpy as np
import pytest

from rung.core.errors import UsageError
from rung.core.seeds import Seed
from rung.findings.semantics.agreement import FEWEST, METHOD, agreement, kappa
from rung.findings.semantics.values import Labels

SEED = Seed("test")


def labels(scope: str = "task", function: str = "planning", relation: str = "new") -> Labels:
    return Labels(relation, None, scope, frozenset(function.split()), "contextual artifact")


def of(question: str, one: list[Labels], other: list[Labels]):
    return next(each for each in agreement(one, other, seed=SEED) if each.question == question)


def test_kappa_is_agreement_beyond_chance():
    # the table of Cohen 1960 in small: 20 both yes, 5 yes/no, 10 no/yes, 15 both no; p_o = 0.7, p_e = 0.5
    one = [labels("task")] * 25 + [labels("general")] * 25
    other = [labels("task")] * 20 + [labels("general")] * 5 + [labels("task")] * 10 + [labels("general")] * 15
    found = of("scope", one, other)
    assert found.exact.value == pytest.approx(0.7)
    assert found.kappa.value == pytest.approx(0.4)


def test_sets_agree_wholly_in_part_and_by_what_they_share():
    one = [labels(function="planning reasoning"), labels(function="execution"), labels(function="exploration")]
    other = [labels(function="planning"), labels(function="execution"), labels(function="reasoning")]
    found = of("function", one, other)
    assert found.exact.value == pytest.approx(1 / 3)
    assert found.any_label.value == pytest.approx(2 / 3)
    assert found.jaccard.value == pytest.approx((0.5 + 1 + 0) / 3)


def test_kappa_of_sets_is_over_every_yes_and_no():
    one = [labels(function="planning reasoning"), labels(function="execution")]
    other = [labels(function="planning"), labels(function="execution")]
    # 8 decisions, 7 alike; yes: 3 of 8 and 2 of 8; p_e = 3/8 * 2/8 + 5/8 * 6/8 = 36/64
    assert of("function", one, other).kappa.value == pytest.approx((7 / 8 - 36 / 64) / (1 - 36 / 64))


def test_where_neither_ever_varies_kappa_is_not_estimable():
    found = of("surface", [labels()] * 30, [labels()] * 30)
    assert (found.exact.value, found.kappa.value, found.kappa.flags) == (1.0, None, ("neither labeler ever varies",))


def test_few_proposals_have_no_interval():
    few, enough = ([labels(), labels("general")] * half for half in (FEWEST // 2 - 1, FEWEST // 2))
    assert of("scope", few, few).exact.lo is None
    assert of("scope", enough, enough).exact.method == METHOD


def test_the_interval_is_about_that_of_the_normal_law_where_that_holds():
    one = [labels("task")] * 200
    other = [labels("task")] * 140 + [labels("general")] * 60
    found = of("scope", one, other).exact
    half = 1.96 * np.sqrt(0.7 * 0.3 / 200)
    assert (found.lo, found.hi) == (pytest.approx(0.7 - half, abs=0.01), pytest.approx(0.7 + half, abs=0.01))


def test_the_same_seed_draws_the_same_and_another_another():
    one = [labels(["task", "general"][n % 2]) for n in range(40)]
    other = [labels(["task", "general"][n % 3 == 0]) for n in range(40)]
    first, again, others = (agreement(one, other, seed=Seed(seed))[1].kappa for seed in ("a", "a", "b"))
    assert first == again
    assert (first.lo, first.hi) != (others.lo, others.hi)


def test_labels_that_do_not_pair_are_refused():
    with pytest.raises(UsageError, match="got 1 and 2"):
        agreement([labels()], [labels()] * 2, seed=SEED)
    with pytest.raises(UsageError, match="got 0 and 0"):
        agreement([], [], seed=SEED)


def test_kappa_of_two_tables_that_agree_by_chance_alone_is_nan():
    assert np.isnan(kappa(np.zeros((3, 1), dtype=int), np.zeros((3, 1), dtype=int)))
