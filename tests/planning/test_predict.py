"""Ranges against the formula by hand, and against new studies that are simulated from small and skewed pilots."""

from collections.abc import Iterator
from math import exp, sqrt

import numpy as np
import pytest

from rung.core.seeds import Seed
from rung.planning.predict import BORROWED, EVENT, LEVEL, Group, Range, Seen, Wanted, lent, total
from rung.stats.quantiles import t_quantile

EXAM = Group("a", "exam", "g-v1 d1")


def seen(*values: float, group: Group = EXAM, lineage: int | None = None) -> list[Seen]:
    return [Seen(group, place, lineage, value) for place, value in enumerate(values)]


def test_one_group_is_a_sum_of_new_attempts_about_the_mean_of_those_seen():
    values = (4.0, 6.0, 7.0, 11.0)
    found = total([Wanted(EXAM, 20, 20)], seen(*values), lineages=1, rare=False)
    variance = 20 * np.var(values, ddof=1) + 20**2 * np.var(values, ddof=1) / 4
    factor = exp(t_quantile(3, 0.95) * sqrt(variance) / 140)
    assert found == Range(pytest.approx(140 / factor), pytest.approx(140.0), pytest.approx(140 * factor))


def test_attempts_at_one_task_are_one_and_not_many():
    apart = total([Wanted(EXAM, 40, 40)], seen(4.0, 6.0, 4.0, 6.0, 4.0, 6.0, 4.0, 6.0), lineages=1, rare=False)
    same = [Seen(EXAM, place // 4, None, value) for place, value in enumerate((4.0,) * 4 + (6.0,) * 4)]
    together = total([Wanted(EXAM, 40, 10)], same, lineages=1, rare=False)
    assert together.expected == apart.expected == 200.0
    assert together.high > 2 * apart.high


def test_lineages_that_differ_widen_the_range():
    def study(longer: float) -> Range:
        each = [Seen(EXAM, (k, n), k, 5.0 + n % 2 + longer * k) for k in range(3) for n in range(10)]
        return total([Wanted(EXAM, 50, 50)], each, lineages=5)

    alike, apart = study(0.0), study(3.0)
    assert apart.high / apart.low > 1.5 * alike.high / alike.low


def test_attempts_that_never_varied_are_allowed_what_so_few_tasks_cannot_show():
    found = total([Wanted(EXAM, 10, 10)], seen(*[5.0] * 8), lineages=1)
    factor = exp(t_quantile(3, 0.95) * EVENT / 10)
    assert found == Range(pytest.approx(50 / factor), 50.0, pytest.approx(50 * factor))
    assert total([Wanted(EXAM, 10, 10)], seen(*[5.0] * 8), lineages=1, rare=False) == Range(50.0, 50.0, 50.0)


def test_a_single_task_says_little():
    found = total([Wanted(EXAM, 10, 10)], seen(5.0), lineages=1, rare=False)
    assert found.expected == 50.0
    assert found.high > 2 * found.expected


def test_a_group_that_was_not_seen_borrows_from_the_nearest_and_the_range_says_so():
    other, family, stranger = (
        Group("b", "exam", "g-v1 d1"),
        Group("a", "exam", "g-v1 d9"),
        Group("a", "exam", "h-v1 d1"),
    )
    pilot = seen(5.0, 5.0, 5.0, 5.0)
    assert lent([Wanted(other, 10, 10)], pilot) == {other: EXAM}
    assert lent([Wanted(family, 10, 10)], pilot) == {family: EXAM}
    assert lent([Wanted(stranger, 10, 10)], pilot) == {stranger: None}
    factor = exp(t_quantile(3, 0.95) * BORROWED)
    found = total([Wanted(other, 10, 10)], pilot, lineages=1, rare=False)
    assert (found.low, found.high) == (pytest.approx(50 / factor), pytest.approx(50 * factor))
    assert total([Wanted(stranger, 10, 10)], pilot, lineages=1) is None


def test_learning_that_goes_on_is_expected_by_half_and_possible_in_full():
    plain = total([Wanted(EXAM, 10, 10)], seen(5.0, 5.0, 5.0), lineages=1, rare=False)
    drifts = total([Wanted(EXAM, 10, 10)], seen(5.0, 5.0, 5.0), lineages=1, rare=False, drift=20.0)
    assert (plain.expected, drifts.expected) == (50.0, 60.0)
    assert drifts.low < 50.0
    assert drifts.high > 70.0


# --------------------------------------------------------------------------------------------- do they hold?


class World:
    """Attempts whose use is lognormal: tasks differ, lineages differ, and attempts at one task do."""

    def __init__(self, name: str, tau: float, task: float, rest: float) -> None:
        self._rng = np.random.default_rng(int(Seed(name).hex[:12], 16))
        self._tau, self._task, self._rest = tau, task, rest

    def study(self, k: int, worked: int, sat: int, again: int) -> Iterator[Seen]:
        """K lineages of a learner and its static arm, and an exam in two cells, which A_0 sits so many times."""
        lineages = self._rng.normal(0, self._tau, k)
        for number in range(k):
            for place in range(worked):
                task = self._rng.normal(0, self._task)
                yield self._attempt(Group("static", "work", "g d1"), ("held", number, place), None, 10, task)
                about = task + lineages[number]
                yield self._attempt(Group("a", "work", "g d1"), ("held", number, place), number, 10, about)
        for cell, size in (("g d1", 10), ("g d2", 30)):
            for place in range(sat):
                task, name = self._rng.normal(0, self._task), (cell, place)
                for _ in range(again):
                    yield self._attempt(Group("static", "exam", cell), name, None, size, task)
                for number in range(k):
                    yield self._attempt(Group("a", "exam", cell), name, number, size, task + lineages[number])

    def _attempt(self, group: Group, task: object, lineage: int | None, size: float, log: float) -> Seen:
        return Seen(group, task, lineage, max(1.0, round(size * exp(log + self._rng.normal(0, self._rest)))))


def wanted(k: int, worked: int, sat: int, again: int) -> list[Wanted]:
    groups = [Wanted(Group(who, "work", "g d1"), k * worked, k * worked) for who in ("static", "a")]
    for cell in ("g d1", "g d2"):
        groups += [
            Wanted(Group("static", "exam", cell), sat * again, sat),
            Wanted(Group("a", "exam", cell), sat * k, sat),
        ]
    return groups


@pytest.mark.parametrize("pilot", [(2, 6, 4, 1), (2, 12, 8, 1), (3, 20, 20, 3)], ids=str)
@pytest.mark.parametrize("noise", [(0.0, 0.3, 0.3), (0.3, 0.3, 0.3), (0.3, 0.8, 0.5), (0.0, 0.1, 1.0)], ids=str)
def test_ranges_hold_in_nine_of_ten_new_studies(pilot, noise):
    world, size, studies = World(f"{pilot} {noise}", *noise), (5, 20, 20, 3), 150
    held = 0
    for _ in range(studies):
        found = total(wanted(*size), list(world.study(*pilot)), lineages=5)
        held += sum(each.value for each in world.study(*size)) in found
    chance = 2 * sqrt(LEVEL * (1 - LEVEL) / studies)
    assert held / studies >= LEVEL - chance
