import numpy as np
import pytest

from rung.core.errors import UsageError
from rung.core.seeds import Seed
from rung.core.values import Scale
from rung.stats.climb import rungs_held
from rung.stats.missing import cover
from rung.stats.verdict import Verdict, evidence, judge, nested_evidence

SEED = Seed("verdict tests")
NAN = float("nan")
UP, DOWN, UNCLEAR = (Verdict(word, None) for word in ("improved", "regressed", "inconclusive"))


def ternary(tasks, gains, losses):
    return [[1.0] * gains + [-1.0] * losses + [0.0] * (tasks - gains - losses)]


def weigh(differences, *, binary=False):
    return evidence(differences, binary=binary, shared_before=False, seed=SEED)


def normal(k, n, mean, sd, name=1):
    return np.random.default_rng(name).normal(mean, sd, (k, n))


def test_one_lineage_speaks_of_its_end_state_and_three_of_the_agent():
    one, three = judge(weigh(ternary(118, 22, 5), binary=True)), judge(weigh(normal(3, 60, 0.3, 0.3)))
    assert (one.word, one.scope) == ("improved", "this end state only")
    assert (three.word, three.scope) == ("improved", "the agent improves itself")


def test_losses_regress_and_an_interval_around_0_is_inconclusive():
    assert judge(weigh(ternary(118, 5, 22), binary=True)).word == "regressed"
    assert judge(weigh(ternary(37, 4, 4), binary=True)) == Verdict(
        "inconclusive", "this end state only", ("few informative tasks",)
    )


def test_two_lineages_get_no_verdict():
    verdict = judge(weigh(normal(2, 60, 0.5, 0.1)))
    assert verdict == Verdict("not estimable", None, ("two lineages: no verdict",))


def test_five_tasks_get_no_verdict_however_large_the_gain():
    verdict = judge(weigh(ternary(5, 5, 0), binary=True))
    assert (verdict.word, verdict.reasons) == ("not estimable", ("fewer than 6 tasks",))


def test_no_variation_is_not_estimable():
    assert judge(weigh([[0.25] * 20] * 5)).word == "not estimable"


def test_a_small_sample_is_improved_where_interval_and_exact_test_agree():
    found = weigh([[0.2, 0.3, 0.2, 0.25, 0.2, 0.3, 0.2, 0.1]])
    assert found.p == 2 / 256
    assert judge(found) == Verdict("improved", "this end state only", ("small", "few informative tasks"))


def test_a_small_sample_where_only_the_interval_excludes_0_is_inconclusive():
    found = weigh(ternary(21, 1, 7), binary=False)
    verdict = judge(found)
    assert (found.estimate.hi < 0, found.p) == (True, 0.0703125)
    assert verdict.word == "inconclusive"
    assert verdict.reasons[0] == "few informative tasks"
    assert verdict.reasons[1].endswith("does not agree (p = 0.0703)")


def test_binary_pairs_are_tested_by_mid_p():
    found = weigh(ternary(21, 1, 7), binary=True)
    assert found.p == 0.0390625
    assert judge(found).word == "regressed"


def test_equivalence_needs_a_margin_and_the_90_percent_interval_inside_it():
    found = weigh(normal(5, 80, 0.0, 0.1))
    assert judge(found).word == "inconclusive"
    assert judge(found, margin=0.05).word == "equivalent"
    assert judge(found, margin=0.005).word == "inconclusive"


def test_the_narrow_interval_is_the_90_percent_one_of_the_same_method():
    found = weigh(ternary(118, 22, 5), binary=True)
    assert found.narrow.method == found.estimate.method == "Tango score"
    assert found.estimate.lo < found.narrow.lo < found.narrow.hi < found.estimate.hi


def test_equivalence_is_not_stated_where_too_little_could_be_seen():
    few_tasks, few_changed = weigh(normal(1, 12, 0.0, 0.01)), weigh([[0.01, -0.01] + [0.0] * 40])
    assert judge(few_tasks, margin=0.5).word == "inconclusive"
    assert judge(few_changed, margin=0.5).word == "inconclusive"
    assert judge(weigh(ternary(118, 1, 1), binary=True), margin=0.1).word == "equivalent"


def test_a_real_but_small_gain_is_improved_before_it_is_equivalent():
    assert judge(weigh(normal(5, 80, 0.05, 0.1)), margin=0.5).word == "improved"


def test_contamination_comes_before_everything():
    found = weigh(ternary(118, 22, 5), binary=True)
    assert judge(found, contaminated=True).word == "contaminated"


def cell(planned, paired, gains, losses):
    gone = [NAN] * (planned - paired)
    rest = [0.0] * (paired - gains - losses)
    before, after = [0.0] * gains + [1.0] * losses + rest + gone, [1.0] * gains + [0.0] * losses + rest + gone
    coverage = cover(before, after, scale=Scale("success", 0, 1), binary=True, shared_before=False)
    return weigh([np.subtract(after, before)], binary=True), coverage


def test_more_than_5_percent_missing_is_incomplete():
    found, coverage = cell(40, 37, 15, 3)
    assert judge(found, coverage=coverage).word == "incomplete"
    assert judge(found, coverage=coverage).reasons == ("37 of 40 planned pairs measured",)


def test_a_few_missing_that_cannot_overturn_the_gain_are_only_counted():
    found, coverage = cell(120, 118, 22, 5)
    assert judge(found, coverage=coverage) == Verdict(
        "improved", "this end state only", ("118 of 120 planned pairs measured",)
    )


def test_a_few_missing_that_could_overturn_the_gain_make_it_incomplete():
    found, coverage = cell(206, 200, 6, 0)
    verdict = judge(found, coverage=coverage)
    assert judge(found).word == "improved"
    assert (verdict.word, coverage.bounds.lo) == ("incomplete", 0.0)
    assert "could overturn 'improved'" in verdict.reasons[-1]


def test_a_regression_and_an_equivalence_can_be_overturned_too():
    fallen, holes = cell(206, 200, 0, 6)
    level, few = cell(206, 200, 1, 1)
    assert (judge(fallen).word, judge(fallen, coverage=holes).word) == ("regressed", "incomplete")
    assert (judge(level, margin=0.029).word, judge(level, margin=0.029, coverage=few).word) == (
        "equivalent", "incomplete"
    )  # fmt: skip


def test_no_complete_task_is_incomplete():
    assert judge(weigh([[NAN, 0.5], [0.5, NAN], [0.1, NAN]])).word == "incomplete"


def test_nested_lineages_are_judged_by_the_same_rules():
    gains = list(normal(6, 5, 0.4, 0.1))
    assert judge(nested_evidence(gains, seed=SEED)).word == "improved"
    assert judge(nested_evidence(gains[:2], seed=SEED)).word == "not estimable"
    assert judge(nested_evidence(gains[:1], seed=SEED)).reasons == ("fewer than 6 tasks",)
    assert judge(nested_evidence([[NAN]], seed=SEED)).word == "incomplete"


def test_false_claims_of_improvement_stay_near_two_and_a_half_percent():
    rng, runs = np.random.default_rng(21), 600
    lineages = [rng.normal(0, 0.4, (5, 20)) + rng.normal(0, 0.1, (5, 1)) + rng.normal(0, 0.2, 20) for _ in range(runs)]
    improved = sum(judge(weigh(d)).word == "improved" for d in lineages)
    assert 0.01 <= improved / runs <= 0.045


def test_a_margin_must_be_one():
    with pytest.raises(UsageError, match="equivalence margin"):
        judge(weigh(ternary(40, 4, 4)), margin=-1)


# ---------------------------------------------------------------------------------------- the ladder


@pytest.mark.parametrize(
    ("verdicts", "held"),
    [
        ([UP, UP, UP, UP], ("G1", "G2", "G3", "G4")),
        ([UP, UP, UNCLEAR, UP], ("G1", "G2")),
        ([UNCLEAR, UP, UP, UP], ()),
        ([DOWN], ()),
        ([], ()),
    ],
)
def test_the_climb_stops_at_the_first_rung_that_is_not_improved(verdicts, held):
    assert rungs_held(list(zip(("G1", "G2", "G3", "G4"), verdicts, strict=False))) == held


@pytest.mark.parametrize("names", [["G2", "G1"], ["G0", "G1"], ["G1", "G1"], ["g1"], ["G5"]])
def test_rungs_come_once_and_in_order(names):
    with pytest.raises(UsageError):
        rungs_held([(name, UP) for name in names])
