"""Judging found in a journal is what was written there, to the last digit."""

from fractions import Fraction

import pytest

from rung.core.seeds import Seed
from rung.findings.judging import UNDECLARED, judgings
from rung.findings.transitions import action_of, courses
from rung.store.memory import MemoryJournal

from .explored import episode, plan, step

SAID = [1, 0, 2, 0, -1, 0, 1, 3]
EARNED = [1, 0, 0, 1, -1, 0, 3, 3]
"""The vector of the reference: agreement 3/4, over 1/8, under 1/8, kappa 1/2, mean error 5/8, over 4: 5/32."""


def written(said, earned, *, lineages=1, told=None, judge="itself", reward=(0.0, 4.0)) -> MemoryJournal:
    journal = MemoryJournal()
    plan(journal, reward=reward, judge=judge)
    for lineage in range(1, lineages + 1):
        steps = [step(f"view {n}", "go", said=s, earned=r) for n, (s, r) in enumerate(zip(said, earned, strict=True))]
        episode(journal, f"arm.game-v1/L{lineage}/work/0001", steps, told=told)
    return journal


def only(journal: MemoryJournal):
    (row,) = judgings(journal, courses(journal))
    return row


def test_scripted_transitions_give_the_declared_values_to_1e_12():
    row = only(written(SAID, EARNED))
    assert row.found is not None
    exact = (row.found.agreement, row.found.over, row.found.under, row.nmae, row.found.kappa)
    assert exact == pytest.approx((3 / 4, 1 / 8, 1 / 8, 5 / 32, 1 / 2), abs=1e-12)
    assert (row.steps, row.episodes, row.lineages, row.unread, row.scale) == (8, 1, 1, 0, 4.0)


def test_a_judge_of_declared_rates_is_found_with_them_whatever_the_rates():
    """Scripted from counts: a agreements on events, b on none, c over, d under, each off by a known amount."""
    rng = Seed("rates").rng()
    for _ in range(20):
        a, b, c, d = (rng.randrange(1, 40) for _ in range(4))
        off = Fraction(rng.randrange(1, 20), 8)
        pairs = [(1 + off, 1)] * a + [(-off, 0)] * b + [(off, 0)] * c + [(0, off)] * d
        rng.shuffle(pairs)
        n = a + b + c + d
        row = only(written([float(s) for s, _ in pairs], [float(r) for _, r in pairs], reward=(-1.0, 2.0)))
        chance = Fraction((a + c) * (a + d) + (b + d) * (b + c), n * n)
        kappa = (Fraction(a + b, n) - chance) / (1 - chance)
        assert row.found is not None
        seen = (row.found.agreement, row.found.over, row.found.under, row.nmae, row.found.event_rate, row.found.kappa)
        declared = (Fraction(a + b, n), Fraction(c, n), Fraction(d, n), off / 3, Fraction(a + d, n), kappa)
        assert seen == pytest.approx([float(each) for each in declared], abs=1e-12)


def test_what_cannot_be_read_is_left_out_and_its_share_is_said():
    row = only(written([1.0, None, 0.0, None], [1.0, 1.0, 0.0, 0.0]))
    assert row.found is not None
    assert (row.found.agreement, row.found.transitions, row.unread, row.unread_share) == (1.0, 2, 2, 0.5)
    assert "2 of 4 self-scores unread" in row.flags


def test_steps_without_a_reward_are_counted_and_held_against_nothing():
    row = only(written([1.0, 1.0], [1.0, None]))
    assert row.found is not None
    assert (row.found.transitions, row.unrewarded, row.unread) == (1, 1, 0)


def test_without_a_declared_range_there_is_no_nmae_and_the_rest_stands():
    row = only(written(SAID, EARNED, reward=None))
    assert row.nmae is None
    assert row.found is not None
    assert (row.found.agreement, row.found.mae) == (0.75, 0.625)
    assert UNDECLARED in row.flags


def test_nothing_judged_is_not_estimable():
    row = only(written([None, None], [1.0, 0.0]))
    assert row.found is None
    assert row.agreement.value is None
    assert any(flag.startswith("not estimable") for flag in row.flags)


def test_a_constant_judge_has_no_kappa_however_high_its_agreement():
    row = only(written([0.0] * 20, [0.0] * 19 + [1.0]))
    assert row.found is not None
    assert (row.found.agreement, row.found.kappa, row.found.event_rate) == (0.95, None, 0.05)


def test_a_pathway_that_is_told_another_judgement_has_both_measured():
    own, told = judgings(journal := written([1.0, 1.0], [0.0, 1.0], told=[0.0, 1.0], judge="verdict"), courses(journal))
    assert (own.whose, own.found.agreement) == ("said", 0.5)
    assert (told.whose, told.by, told.found.agreement) == ("told", "verdict", 1.0)


def test_lineages_are_the_unit_of_the_interval_from_three_on():
    journal = MemoryJournal()
    plan(journal)
    for lineage, right in enumerate([8, 6, 7], 1):  # of ten steps
        steps = [step("v", "go", said=float(n < right), earned=1.0) for n in range(10)]
        episode(journal, f"arm.game-v1/L{lineage}/work/0001", steps)
    row = only(journal)
    # shares .8, .6, .7: mean .7, sd .1, t(2) = 4.302653: reach .1/sqrt(3) x 4.302653 = .248414
    assert row.agreement.value == pytest.approx(0.7)
    assert (row.agreement.lo, row.agreement.hi) == pytest.approx((0.451586, 0.948414), abs=1e-6)


def test_one_lineage_has_an_interval_from_twenty_episodes_on_and_two_have_none():
    few = only(written(SAID, EARNED))
    assert few.agreement.lo is None
    two = only(written(SAID, EARNED, lineages=2))
    assert (two.agreement.value, two.agreement.lo) == (0.75, None)
    assert two.agreement.flags == ("two lineages: no verdict",)
    journal = MemoryJournal()
    plan(journal)
    for n in range(20):
        episode(journal, f"arm.game-v1/L1/work/{n + 1:04d}", [step("v", "go", said=1.0, earned=float(n % 2))])
    many = only(journal)
    assert many.agreement.value == 0.5
    assert 0.2 < many.agreement.lo < 0.5 < many.agreement.hi < 0.8


def test_an_episode_that_broke_is_counted_and_not_judged():
    journal = written(SAID, EARNED)
    episode(journal, "arm.game-v1/L1/work/0002", [step("v", "go", said=1.0, earned=0.0)], fault=True)
    (course,) = courses(journal)
    assert course.broke == 1
    assert only(journal).steps == 8


def test_attempts_elsewhere_are_no_exploration():
    journal = written(SAID, EARNED)
    episode(journal, "exam/arm.game-v1.L1.x0003/0001/1", [step("v", "go", said=1.0, earned=0.0)])
    episode(journal, "narrow/L1/work/0001", [step("v", "go", said=1.0, earned=0.0)])
    assert [course.arm for course in courses(journal)] == ["arm"]


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Answer: uncover (3, 4), Score: 0.0625", "uncover (3, 4)"),
        ("**Answer: UP, Score: 1**", "up"),
        ("Because of this.\nFinal answer: collaborate", "collaborate"),
        ("left", "left"),
        ("", ""),
    ],
)
def test_an_action_in_words_is_its_last_answer_without_the_score(text, action):
    assert action_of({"text": text}) == action
