"""The shared rules of selection, on hands of scores small enough to see through."""

from rung.core.values import Fault, Outcome, Score, Trial
from rung.methods._selection import keep_best, mean_score

BROKEN = Fault("model", "gone")


def trials(*hands: tuple[float | None, ...]) -> list[Trial]:
    return [Trial(number, outcomes(*hand)) for number, hand in enumerate(hands)]


def outcomes(*scores: float | None) -> tuple[Outcome, ...]:
    return tuple(BROKEN if score is None else Score(score) for score in scores)


def chosen(incumbent: tuple[float | None, ...], *hands: tuple[float | None, ...]) -> int | None:
    return keep_best(Trial(-1, outcomes(*incumbent)), trials(*hands)).chosen


def test_the_best_of_those_above_the_incumbent_is_taken():
    assert chosen((0.5,), (0.4,), (0.7,), (0.9,), (0.8,)) == 2


def test_none_that_is_not_strictly_above_the_incumbent_is_taken():
    assert chosen((0.5,), (0.5,), (0.4,)) is None


def test_the_earliest_among_equals_is_taken():
    assert chosen((0.0,), (1.0,), (1.0,)) == 0


def test_a_mean_decides():
    assert chosen((0.5,), (1.0, 0.0, 0.0), (0.6, 0.6, 0.6)) == 1


def test_a_fault_is_neither_a_zero_nor_a_win():
    assert mean_score(outcomes(None, 1.0, None)) == 1.0
    assert chosen((0.5,), (None, 0.6), (None, None)) == 0


def test_nothing_can_beat_an_incumbent_that_was_never_measured():
    assert chosen((None,), (1.0,)) is None
