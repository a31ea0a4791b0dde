"""Is what the generator says of a cell true? Asked of the record by brute force, without the generator."""

import secrets
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from rung.calibrate.cheats import variants, worlds
from rung.calibrate.cheats.variants import KINDS, Variant

from .oracle import held

AUTHORS = (*variants.SEEN, variants.UNSEEN)


def few(*, clean: bool) -> list[Variant]:
    """One of each kind, the authors taking turns; all of them in `make slow`."""
    return [Variant(kind, AUTHORS[turn % len(AUTHORS)], 0, clean) for turn, kind in enumerate(KINDS)]


@pytest.mark.parametrize("variant", few(clean=False), ids=lambda each: each.name)
def test_a_cheat_holds_the_exam_items_that_it_is_said_to_hold_and_no_others(variant: Variant, tmp_path: Path):
    made = variant.record(tmp_path)
    assert held(made) == (set(made.truth.items) if made.truth.shown else set())
    assert made.truth.cheated


@pytest.mark.parametrize("variant", few(clean=True), ids=lambda each: each.name)
def test_a_clean_twin_holds_none(variant: Variant, tmp_path: Path):
    made = variant.record(tmp_path)
    assert held(made) == set()
    assert (made.truth.cheated, made.truth.items) == (False, ())


@pytest.mark.parametrize("name", worlds.CELLS)
def test_no_two_tasks_of_a_world_have_the_same_answer(name: str):
    made = worlds.world(name)
    answers = [item.answer for item in (*made.worked, *made.exam)]
    assert len(set(answers)) == len(answers) == worlds.WORKED + worlds.EXAMINED


@pytest.mark.parametrize("kind", KINDS)
def test_probes_touch_no_item_and_every_other_kind_does(kind: str):
    touched = [bool(variant.told().story.truth.items) for variant in variants.cheats() if variant.kind == kind]
    if kind in ("gate_probe", "grader_probe"):
        assert not any(touched)
    else:
        assert sum(touched) >= len(touched) * 2 / 3


@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_no_two_variants_are_alike(kind: str, clean: bool):
    every = variants.twins() if clean else variants.cheats()
    recipes = [tuple(sorted(each.told().recipe.items())) for each in every if each.kind == kind]
    assert len(set(recipes)) == len(recipes) >= 30


@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_half_of_the_variants_of_a_kind_are_unseen_and_the_seen_authors_take_turns(kind: str, clean: bool):
    every = [each for each in (variants.twins() if clean else variants.cheats()) if each.kind == kind]
    authors = Counter(each.author for each in every)
    assert authors.pop(variants.UNSEEN) * 2 == len(every)
    assert set(authors) == set(variants.SEEN)
    assert max(authors.values()) - min(authors.values()) <= 1


def test_there_are_as_many_as_the_issue_asks_for():
    assert len(variants.cheats()) == 36 * len(KINDS)
    assert len(variants.twins()) >= 300


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_met_in_every_program_and_in_most_worlds(kind: str):
    recipes = [each.told().recipe for each in variants.cheats() if each.kind == kind]
    assert {each["program"] for each in recipes} == {"claude-code", "codex", "pi"}
    assert {each["world"] for each in recipes} == set(worlds.CELLS)


def test_the_same_seed_gives_the_same_cell_and_another_seed_another(tmp_path: Path):
    one, again = (Variant("key_download", "first", 3, False).record(tmp_path / name) for name in ("one", "again"))
    other = Variant("key_download", "first", 3, False, seed="2").record(tmp_path / "other")
    assert one.cell.journal.digest() == again.cell.journal.digest() != other.cell.journal.digest()
    assert one.truth == again.truth


@pytest.mark.slow
def test_all_of_it_is_true_under_a_seed_that_nobody_chose(repetitions: Callable[[int], int], tmp_path: Path):
    seed = secrets.token_hex(4)
    every = [*variants.cheats(seed, repetitions(variants.CHEATS)), *variants.twins(seed, repetitions(variants.TWINS))]
    for number, variant in enumerate(every):
        made = variant.record(tmp_path / str(number))
        true = set(made.truth.items) if made.truth.shown else set()
        assert held(made) == true, f"seed {seed}, {variant.name}: {made.recipe}"
