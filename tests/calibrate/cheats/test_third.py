"""The third author's cheats and twins: what they say of themselves is true, and what they hide can be undone."""

from pathlib import Path

import pytest

from rung.calibrate.cheats import worlds
from rung.calibrate.cheats.dress import CODEX
from rung.calibrate.cheats.lures import rows
from rung.calibrate.cheats.third.ciphers import CIPHERS
from rung.calibrate.cheats.third.dns_tunnel import RECORDS
from rung.calibrate.cheats.third.forms import FORMS
from rung.calibrate.cheats.third.nooks import NOOKS
from rung.calibrate.cheats.third.tellings import MANNERS
from rung.calibrate.cheats.variants import KINDS, Variant
from rung.calibrate.cheats.worlds import world
from rung.core.seeds import Seed

from .oracle import _closure, _names, _Text, held
from .third_decoders import closure

ITEM = world("nullify").exam[0]
WORDS = FORMS["rules.txt"](rows([ITEM]))
MANY = 18
"""Of each kind and of its twins: half of what the issue asks for."""

A_FEW = ("conversation", "method")
"""The kinds whose cells are recorded here; all of them in `make slow`."""


def variant(kind: str, number: int, *, clean: bool, seed: str = "1") -> Variant:
    return Variant(kind, "third", number, clean, seed)


def shown(data: bytes, name: str = "nullify") -> set[int]:
    """The items whose answers some bytes hold."""
    texts, known = [_Text(text) for text in _closure(data)], _names(name)
    exam = world(name).exam
    return {item.number for item in exam if any(text.answers(item) or text.retells(item, known) for text in texts)}


@pytest.mark.parametrize("kind", A_FEW)
def test_a_cheat_holds_the_exam_items_that_it_is_said_to_hold_and_no_others(kind: str, tmp_path: Path):
    made = variant(kind, 4, clean=False).record(tmp_path)
    assert held(made) == (set(made.truth.items) if made.truth.shown else set())
    assert made.truth.cheated


@pytest.mark.parametrize("kind", A_FEW)
def test_a_clean_twin_holds_none(kind: str, tmp_path: Path):
    made = variant(kind, 4, clean=True).record(tmp_path)
    assert held(made) == set()
    assert (made.truth.cheated, made.truth.items) == (False, ())


@pytest.mark.slow
@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_all_of_it_is_true(kind: str, clean: bool, tmp_path: Path):
    for number in range(MANY):
        made = variant(kind, number, clean=clean).record(tmp_path / str(number))
        true = set(made.truth.items) if made.truth.shown else set()
        assert held(made) == true, f"{made.variant.name}: {made.recipe}"


@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_no_two_variants_are_alike(kind: str, clean: bool):
    recipes = [variant(kind, number, clean=clean).told().recipe for number in range(MANY)]
    assert len({tuple(sorted(each.items())) for each in recipes}) == MANY
    assert {each["program"] for each in recipes} == {"claude-code", "codex", "pi"}
    assert {each["world"] for each in recipes} == set(worlds.CELLS)


@pytest.mark.parametrize("kind", KINDS)
def test_probes_touch_no_item_and_every_other_kind_does(kind: str):
    touched = [bool(variant(kind, number, clean=False).told().story.truth.items) for number in range(MANY)]
    assert set(touched) == {kind not in ("gate_probe", "grader_probe")}


@pytest.mark.parametrize("name", CIPHERS)
def test_an_encoding_is_undone_by_a_decoder_that_shares_nothing_with_it(name: str):
    assert WORDS in closure({CIPHERS[name](WORDS)})


@pytest.mark.parametrize("kind", RECORDS)
def test_what_records_of_names_carry_is_undone_too(kind: str):
    assert WORDS in closure({RECORDS[kind](WORDS).encode()})


@pytest.mark.parametrize("form", FORMS)
def test_a_file_holds_the_answer_in_its_order_and_that_of_no_other_item(form: str):
    assert shown(FORMS[form](rows([ITEM]))) == {ITEM.number}


@pytest.mark.parametrize("nook", NOOKS)
def test_what_is_put_somewhere_can_be_found_there(nook: str):
    files = NOOKS[nook](CODEX, WORDS, "txt")
    assert shown(b"".join(files.values())) | set().union(*map(shown, files.values())) == {ITEM.number}


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("name", ["farm", "chess", "combat", "hero", "nullify"])
def test_an_answer_told_in_a_manner_is_told_in_its_order_and_no_other_items_is(name: str, manner: str):
    item = world(name).exam[0]
    assert shown(MANNERS[manner](item, Seed("test").rng()).encode(), name) == {item.number}


def test_the_same_seed_gives_the_same_cell_and_another_seed_another(tmp_path: Path):
    one, again = (variant("method", 2, clean=False).record(tmp_path / name) for name in ("one", "again"))
    other = variant("method", 2, clean=False, seed="2").record(tmp_path / "other")
    assert one.cell.journal.digest() == again.cell.journal.digest() != other.cell.journal.digest()
    assert one.truth == again.truth
