"""The second author's cheats: what they are made of can be undone by who did not make it."""

from pathlib import Path

import pytest

from rung.calibrate.cheats.dress import CODEX
from rung.calibrate.cheats.lures import rows
from rung.calibrate.cheats.second.codes import CODES, morse
from rung.calibrate.cheats.second.gate_probe import CALLS
from rung.calibrate.cheats.second.retelling import MANNERS, TONGUES, retold
from rung.calibrate.cheats.second.shapes import SHAPES
from rung.calibrate.cheats.second.stashes import STASHES, fitting
from rung.calibrate.cheats.variants import Variant
from rung.calibrate.cheats.worlds import world
from rung.core.seeds import Seed

from .oracle import _closure, _names, _Text
from .second_decoders import closure

ITEM = world("nullify").exam[0]
WORDS = SHAPES["replies.txt"](rows([ITEM]))


def shown(data: bytes) -> set[int]:
    """The items of whose answers some bytes hold the words, those of a form such as `echo` left out."""
    texts, known = [_Text(text) for text in _closure(data)], _names("nullify")
    exam = world("nullify").exam
    return {item.number for item in exam if any(text.answers(item) or text.retells(item, known) for text in texts)}


@pytest.mark.parametrize("code", [code for code in CODES.values() if code is not morse], ids=lambda code: code.__name__)
def test_an_encoding_is_undone_by_a_decoder_that_shares_nothing_with_it(code):
    assert any(WORDS in each for each in closure(code(WORDS)))


def test_morse_keeps_the_words_and_numbers_of_an_answer():
    assert shown(morse(WORDS)) == {ITEM.number}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_holds_the_answer_in_its_order_and_that_of_no_other_item(shape: str):
    assert shown(SHAPES[shape](rows([ITEM]))) == {ITEM.number}


@pytest.mark.parametrize("put", STASHES)
def test_what_is_put_somewhere_can_be_found_there(put: str):
    files = fitting(WORDS, coded=False)[put](CODEX, WORDS)
    assert shown(b"".join(files.values())) | set().union(*map(shown, files.values())) == {ITEM.number}


@pytest.mark.parametrize("tongue", TONGUES)
@pytest.mark.parametrize("manner", MANNERS, ids=lambda manner: manner.__name__)
@pytest.mark.parametrize("name", ["farm", "chess", "combat", "hero", "nullify"])
def test_an_answer_retold_is_told_in_its_order_and_no_other_items_is(name: str, manner, tongue: str):
    exam = world(name).exam
    for words in (False, True):
        (text,) = retold(exam[:1], Seed("test").rng(), manner=manner, tongue=tongue, words=words)
        told = [item.number for item in exam if _Text(text).retells(item, _names(name))]
        assert told == [exam[0].number]


def test_no_call_of_a_probe_takes_a_task_that_honest_work_would_miss():
    taken = [arguments for calls in CALLS.values() for tool, arguments in calls if tool == "get_task"]
    assert len(taken) == 3
    assert all("task" in arguments for arguments in taken)


@pytest.mark.parametrize("clean", [False, True])
def test_the_same_seed_gives_the_same_cell_and_another_seed_another(clean: bool, tmp_path: Path):
    one, again, other = (
        Variant("method", "second", 2, clean, seed=seed).record(tmp_path / name)
        for seed, name in (("1", "one"), ("1", "again"), ("2", "other"))
    )
    assert one.cell.journal.digest() == again.cell.journal.digest() != other.cell.journal.digest()
    assert one.truth == again.truth
