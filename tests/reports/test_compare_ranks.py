"""Ranks by counting sure pairs: worked out by hand."""

import numpy as np

from rung.core.seeds import Seed
from rung.reports.compare.ranks import standings
from rung.stats.arms import contrast

from .compared import row

ABC = ("a", "b", "c")


def left_open(*rows) -> dict[str, tuple[int, int]]:
    return {each.label: (each.best, each.worst) for each in standings(rows, ABC)}


def test_an_arm_surely_better_than_both_is_first_and_the_others_share_what_is_left():
    # three pairs: a pair is sure at p <= 0.05 / 3 = 0.0167
    found = left_open(row("a", "b", 0.4, 0.001), row("a", "c", 0.1, 0.3), row("b", "c", -0.3, 0.016))
    assert found == {"a": (2, 3), "b": (1, 1), "c": (2, 3)}


def test_a_pair_that_is_sure_alone_is_not_sure_among_three():
    found = left_open(row("a", "b", 0.4, 0.017), row("a", "c", 0.1, 0.3), row("b", "c", -0.3, 0.04))
    assert found == {"a": (1, 3), "b": (1, 3), "c": (1, 3)}


def test_what_carries_no_claim_makes_nobody_better():
    rows = [row("a", "b", 0.4, 0.001, word=word) for word in ("incomplete", "contaminated", "not estimable")]
    assert [left_open(each) for each in rows] == [{"a": (1, 2), "b": (1, 2)}] * 3


def test_without_every_pair_there_is_no_rank():
    assert left_open(row("a", "b", 0.4, 0.001), row("a", "c", 0.4, 0.001)) == {}


def test_cells_are_ranked_apart_and_never_together():
    found = standings(
        [row("a", "b", 0.4, 0.001), row("a", "b", -900.0, 0.001, cell="farm-v1 d1", levels=("G4", "G4"))], ABC
    )
    assert [(each.level, each.label, each.best) for each in found] == [
        ("G1", "a", 2),
        ("G1", "b", 1),
        ("G4", "a", 1),
        ("G4", "b", 2),
    ]


def test_a_contaminated_gain_is_not_shown_beside_its_rank():
    assert [each.gain for each in standings([row("a", "b", 0.4, 0.001, word="contaminated")], ABC)] == [None, None]


def test_the_ranks_of_equal_arms_hold_together_in_95_of_100_studies():
    # three arms that gain alike: any rank above 1 or below 3 that is excluded is a mistake
    rng, wrong, studies = np.random.default_rng(5), 0, 300
    for study in range(studies):
        tasks = rng.normal(0, 0.3, 30)
        arms = [tasks + rng.normal(0, 0.1, (5, 1)) + rng.normal(0, 0.4, (5, 30)) for _ in ABC]
        rows = [
            row(ABC[i], ABC[j], found.difference.value, found.p)
            for i, j in ((0, 1), (0, 2), (1, 2))
            for found in [contrast(arms[i], arms[j], seed=Seed("ranks").child(study, i, j))]
        ]
        wrong += any(ranks != (1, 3) for ranks in left_open(*rows).values())
    assert wrong <= 0.05 * studies + 3 * (studies * 0.05 * 0.95) ** 0.5
