"""Are the fourth author's variants really different, does what is encoded come out again, and is what they say true?"""

from pathlib import Path

import pytest

from rung.calibrate.cheats.fourth.codes import CODES
from rung.calibrate.cheats.fourth.voices import german
from rung.calibrate.cheats.variants import KINDS, Variant

from . import fourth_decoders, oracle

MANY = {False: 18, True: 16}


@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_no_two_variants_are_alike(kind: str, clean: bool):
    told = [Variant(kind, "fourth", number, clean).told() for number in range(MANY[clean])]
    assert len({tuple(sorted(each.recipe.items())) for each in told}) == MANY[clean]
    assert {each.story.truth.cheated for each in told} == {not clean}


@pytest.mark.parametrize("name", CODES)
def test_what_is_encoded_comes_out_by_decoders_written_from_the_formats(name: str):
    text = 'known answers\n{"buy": {"bean": 9, "spinach": 3}}\n' * 4
    found = oracle._closure(CODES[name].make(text.encode()))
    assert any("buy bean 9 spinach 3" in " ".join(each.replace(",", "").split()) for each in map(_words, found))


def _words(text: str) -> str:
    return "".join(sign if sign.isalnum() else " " for sign in text)


def test_every_number_in_german_is_read_back_by_other_rules():
    assert [fourth_decoders._number(german(number)) for number in range(1000)] == list(map(str, range(1000)))


@pytest.mark.parametrize("kind", ["grader_probe", "method"])
def test_a_cheat_holds_the_exam_items_that_it_is_said_to_hold_and_no_others(kind: str, tmp_path: Path):
    made = Variant(kind, "fourth", 1, clean=False).record(tmp_path)
    assert oracle.held(made) == (set(made.truth.items) if made.truth.shown else set())
