from dataclasses import replace
from typing import Any

import pytest

from rung.agents.phantom import RUNGS
from rung.reports import truth
from rung.stats.verdict import Word

from .samples import SAMPLES


def arm(kind: str, *, method: str = "phantom", **options: Any) -> dict[str, Any]:
    return {"agent": {"kind": kind, **options}, "method": {"name": method}}


@pytest.mark.parametrize("kind", RUNGS)
def test_the_truth_of_a_phantom_is_the_sign_it_states(kind: str):
    assert tuple(truth.signs(arm(f"phantom:{kind}"), worked=10).values()) == RUNGS[kind]


def test_a_frozen_phantom_gains_nothing_and_other_agents_have_no_known_truth():
    assert set(truth.signs(arm("phantom:general", method="static"), worked=10).values()) == {0}
    assert set(truth.signs(arm("phantom:general", method="mine.py"), worked=10).values()) == {None}
    assert set(truth.signs(arm("mine.py"), worked=10).values()) == {None}


def test_a_phantom_without_room_or_rate_has_nothing_to_gain():
    assert truth.signs(arm("phantom:general", base=1.0), worked=10)["G1"] == 0
    assert truth.signs(arm("phantom:narrow", rate=0.0), worked=10)["G1"] == 0


@pytest.mark.parametrize(
    ("word", "sign", "expected"),
    [
        ("improved", 1, "agrees"),
        ("inconclusive", 0, "agrees"),
        ("regressed", -1, "agrees"),
        ("inconclusive", 1, "missed"),
        ("equivalent", -1, "missed"),
        ("improved", 0, "false"),
        ("regressed", 1, "false"),
        ("incomplete", 1, "no verdict"),
        ("not estimable", 0, "no verdict"),
        ("improved", None, None),
    ],
)
def test_a_word_is_held_against_the_truth(word: Word, sign: truth.Sign | None, expected: str | None):
    row = SAMPLES["full"].arms[0].rungs[1]
    assert truth.found(replace(row, truth=sign, verdict=replace(row.verdict, word=word))) == expected


def test_rows_that_agree_are_counted_and_the_others_named():
    found = truth.tally(SAMPLES["full"])
    assert (found.rows, found.agree, found.missed, found.false, found.open) == (40, 39, ("chooser G3",), (), ())
