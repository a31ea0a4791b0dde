"""Lessons that say the same and lessons that do not."""

import math

import numpy as np
import pytest

from rung.methods._likeness import alike, cosines, opposed

USUAL = 0.55
SAME = [
    ("Check each row before you answer.", "check each row  before you answer"),
    ("Buy the cheapest seeds first.", "First, buy the cheapest seeds."),
    ("Work the answer out before you say it.", "Work out the answer before you say it."),
    ("Open doors that you have not seen.", "Open the doors that you have not seen yet."),
]
NOT_THE_SAME = [
    ("Turn left when a wall blocks the right side.", "Turn right when a wall blocks the left side."),
    ("Wait 3 turns before you sell.", "Wait 5 turns before you sell."),
    ("Always open the chest.", "Never open the chest."),
    ("Open the chest.", "Do not open the chest."),
    ("Go from A to B.", "Go from B to C."),
    ("Add -5 at the end.", "Add 5 at the end."),
    ("Sell before the price falls.", "Sell after the price falls."),
    ("Count the turns that are left.", "Ask for the rules of the game."),
    ("!!!", "???"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_says_the_same_in_nearly_the_same_words_is_alike(one, other):
    others = ["Look at the weather.", other, "Rest at night."]
    assert alike(one, others, USUAL) == 1
    assert alike(other, [one], USUAL) == 0


@pytest.mark.parametrize(("one", "other"), NOT_THE_SAME)
def test_what_says_something_else_is_not_however_alike_it_looks(one, other):
    assert alike(one, ["Look at the weather.", other], USUAL) is None
    assert alike(other, [one], USUAL) is None


def test_opposites_are_told_from_either_side():
    assert [opposed(*pair) for pair in NOT_THE_SAME[:7]] == [True] * 7
    assert [opposed(*pair) for pair in SAME] == [False] * 4


def test_the_most_alike_is_named_and_the_first_among_equals():
    others = ["Work the answer out before you speak of it.", "Work the answer out before you say it aloud.", "Rest."]
    assert alike("Work the answer out before you say it out.", others, 0.3) == 1
    assert alike("Rest.", ["rest", "Rest."], USUAL) == 0
    assert alike("Rest.", [], USUAL) is None


def test_a_threshold_of_one_takes_nothing_but_the_same_set_of_words():
    assert alike("Work out the answer at once", ["Work out an answer at first"], 1.0) is None
    assert alike("Rest at night", ["at night, rest"], 1.0) == 0


def test_a_cosine_is_what_a_hand_makes_of_it():
    # " ab " and " ac " have 2 runs of three letters and 1 of four each, none in common; " ab " and itself all of them.
    assert cosines("ab", ["ab", "ac"]).tolist() == pytest.approx([1.0, 0.0])
    # " ab c " has " ab", "ab ", "b c", " c ", " ab ", "ab c", "b c " and shares three with " ab ".
    # Of two texts, a run in both weighs log(3/3) + 1 = 1, and one in a single text log(3/2) + 1.
    rare = math.log(3 / 2) + 1
    assert cosines("ab", ["ab c"])[0] == pytest.approx(3 / (math.sqrt(3) * math.sqrt(3 + 4 * rare**2)))


def test_an_empty_text_is_like_nothing():
    assert cosines("", ["", "a"]).tolist() == pytest.approx([cosines("", [""])[0], 0.0])
    assert np.isfinite(cosines("!!!", ["???", ""])).all()
