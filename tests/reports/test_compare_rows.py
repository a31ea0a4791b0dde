"""Holm over what was planned, and words that a way of counting may not turn."""

from typing import Any

import pytest

from rung.core.values import Estimate
from rung.reports.compare.exams import Measured
from rung.reports.compare.rows import matrices, rows, turned
from rung.reports.compare.runs import Arm, arms, read
from rung.reports.compare.values import POLICIES, Policy, Row
from rung.stats.arms import Contrast
from rung.stats.missing import Bounds

from .compared import played, row, study


@pytest.fixture(scope="module")
def two() -> tuple[Arm, Arm]:
    made = [read(name, played(study(name, tasks=6, lineages=1))) for name in ("a", "b")]
    one, other = arms(made)
    return one, other


def contrast(value: float | None, p: float | None, tasks: int = 20) -> Contrast:
    return Contrast(Estimate(value, None, None, "t", tasks, 3), p)


def pair(two: tuple[Arm, Arm], found: Contrast, **more: Any) -> Measured:
    """A pair under which every way of counting says the same, unless told otherwise."""
    others: dict[Policy, Contrast] = more.pop("others", {})
    return Measured(
        cell=more.pop("cell", "toy-lock-v1 d1"),
        arms=two,
        levels=("G1", "G1"),
        gains=(0.0, found.difference.value),
        ends=(0.0, found.difference.value),
        found={policy: others.get(policy, found) for policy in POLICIES},
        end=None,
        lost=bool(others) or "bounds" in more,
        bounds=more.pop("bounds", None),
        planned=20,
        reasons=more.pop("reasons", ()),
        unit="success",
    )


def judged(*found: Measured) -> tuple[Row, ...]:
    return rows(found, lambda each: ())


def test_a_row_without_a_p_and_a_contaminated_one_count_in_holms_family_all_the_same(two):
    stale = pair(two, contrast(0.5, 0.0001), reasons=("a: not fresh: 3 of 20 exam tasks repeat content met before",))
    found = judged(pair(two, contrast(0.4, 0.02)), pair(two, contrast(0.1, None)), stale)
    # three planned rows: 0.02 is multiplied by 3
    assert found[0].adjusted == pytest.approx(0.06)
    assert [each.adjusted for each in found[1:]] == [None, None]
    assert [each.word for each in found] == ["inconclusive", "not estimable", "contaminated"]


def test_alone_the_same_p_carries_a_word(two):
    assert [each.word for each in judged(pair(two, contrast(0.4, 0.02)))] == ["higher"]
    assert [each.word for each in judged(pair(two, contrast(-0.4, 0.02)))] == ["lower"]


def test_a_word_that_turns_on_how_the_unscored_count_is_no_word_and_says_so_in_its_row(two):
    others: dict[Policy, Contrast] = {"failed": contrast(0.2, 0.2)}
    found = judged(pair(two, contrast(0.4, 0.02), others=others))[0]
    assert found.word == "incomplete"
    assert found.reasons == (
        "the word turns on how the unscored count: failed → inconclusive, dropped → higher, retried → higher",
    )
    assert found.unscored["failed"].p == 0.2


def test_no_claim_under_any_way_to_count_is_no_turn(two):
    others: dict[Policy, Contrast] = {"dropped": contrast(0.3, None)}
    found = judged(pair(two, contrast(0.4, 0.3), others=others))[0]
    assert (found.word, found.reasons) == ("inconclusive", ())


def test_the_ways_to_count_are_each_a_family_of_their_own(two):
    others: dict[Policy, Contrast] = {"failed": contrast(0.3, 0.001)}
    found = judged(pair(two, contrast(0.4, 0.02), others=others), pair(two, contrast(0.4, 0.002)))
    assert found[0].unscored["failed"].adjusted == pytest.approx(0.002)  # 0.001 of two, smallest of them
    assert found[0].unscored["retried"].adjusted == pytest.approx(0.02)  # the larger of 0.002 x 2 and 0.02


@pytest.mark.parametrize(("value", "bounds"), [(0.4, Bounds(-0.01, 0.6)), (-0.4, Bounds(-0.6, 0.0))])
def test_a_word_that_the_missing_could_overturn_is_no_word(two, value: float, bounds: Bounds):
    found = judged(pair(two, contrast(value, 0.001), bounds=bounds))[0]
    assert found.word == "incomplete"
    assert found.reasons[0].startswith("the missing scores could overturn")


def test_a_word_that_the_missing_could_not_overturn_stands(two):
    assert judged(pair(two, contrast(0.4, 0.001), bounds=Bounds(0.1, 0.6)))[0].word == "higher"
    assert judged(pair(two, contrast(0.4, 0.001), bounds=Bounds(None, None)))[0].word == "higher"


def test_more_than_a_twentieth_of_the_tasks_missing_is_incomplete(two):
    assert judged(pair(two, contrast(0.4, 0.001, tasks=19)))[0].word == "higher"
    found = judged(pair(two, contrast(0.4, 0.001, tasks=18)))[0]
    assert (found.word, found.reasons) == ("incomplete", ("18 of 20 tasks measured in every lineage of both",))


def test_nothing_measured_is_incomplete_and_a_difference_of_nothing_inconclusive(two):
    assert judged(pair(two, contrast(None, None, tasks=0)))[0].word == "incomplete"
    assert judged(pair(two, contrast(0.0, 0.001)))[0].word == "inconclusive"


def test_a_matrix_withholds_what_is_contaminated_in_both_its_places():
    found = matrices([row("a", "b", 0.4, 0.001, word="contaminated")], ["a", "b"])[0]
    assert [entry.value for line in found.entries for entry in line if entry is not None] == [None, None]


def test_a_matrix_has_no_entry_where_a_pair_was_not_asked_for():
    found = matrices([row("a", "b", 0.4, 0.001), row("a", "c", 0.1, 0.4)], ["a", "b", "c"])[0]
    assert found.entries[1][2] is None
    assert found.entries[2][1] is None


def test_cells_on_several_rungs_are_named_with_all_of_them():
    found = matrices([row("a", "b", 0.4, 0.001, levels=("G2", "G1"))], ["a", "b"])[0]
    assert found.level == "G1, G2"


def test_only_higher_and_lower_turn_with_the_pair():
    assert [turned(word) for word in ("higher", "lower", "inconclusive", "incomplete")] == [
        "lower",
        "higher",
        "inconclusive",
        "incomplete",
    ]
