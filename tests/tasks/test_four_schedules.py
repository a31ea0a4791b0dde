"""The four schedules of SelfImprove-Bench, Table 4: which task comes when, task by task."""

from typing import Any

import pytest

from rung.core.config import TasksConfig
from rung.core.seeds import Seed
from rung.tasks import keys, sequence
from rung.tasks.sequence import Entry, Held

FAMILY = "toy-lock-v1"


def held(schedule: dict[str, Any], *, lineages: int = 1, **tasks: Any) -> Held:
    settings = TasksConfig.model_validate(
        {
            "schedule": {"family": FAMILY, **schedule},
            "holdout": [{"family": FAMILY, "difficulty": difficulty, "count": 3} for difficulty in (3, 5)],
            **tasks,
        }
    )
    return sequence.plan(settings, root=Seed("7"), holdout_root=Seed("exam"), lineages=lineages)


def order(entries: tuple[Entry, ...]) -> str:
    """Difficulty and number of each instance, counted from 0 as it was drawn; r marks a replay."""
    return " ".join(("r" if entry.purpose == "replay" else "") + _name(entry) for entry in entries)


def _name(entry: Entry) -> str:
    *_, setting, index, _redraw = entry.task.seed.split("/")
    return f"{setting}#{index}"


REPLAY = {"replay": {"interval": 2, "lag": 2}}


def test_fresh_is_one_difficulty_and_every_instance_new():
    (entries,) = held({"kind": "fresh", "difficulty": 3, "count": 5}).lineages
    assert order(entries) == "d3#0 d3#1 d3#2 d3#3 d3#4"
    assert len({entry.task.id for entry in entries}) == 5


def test_fixed_is_one_instance_again_and_again():
    (entries,) = held({"kind": "fixed", "difficulty": 3, "count": 5}).lineages
    assert order(entries) == "d3#0 d3#0 d3#0 d3#0 d3#0"
    assert {entry.purpose for entry in entries} == {"work"}  # each of them refines; a replay would not


def test_increasing_is_the_easier_ones_first():
    (entries,) = held({"kind": "increasing", "difficulties": [1, 2, 5], "count": 6}).lineages
    assert order(entries) == "d1#0 d1#1 d2#0 d2#1 d5#0 d5#1"


def test_mixed_is_as_many_of_each_in_an_order_by_chance():
    first, second = held({"kind": "mixed", "difficulties": [1, 2, 5], "count": 6}, lineages=2).lineages
    every = ["d1#0", "d1#1", "d2#0", "d2#1", "d5#0", "d5#1"]
    for lineage, entries in (("L1", first), ("L2", second)):
        expected = list(every)
        Seed(f"7/{lineage}/order").rng().shuffle(expected)
        assert order(entries).split() == expected
    assert order(first) != order(second)
    assert order(first) == "d2#0 d2#1 d5#1 d1#1 d5#0 d1#0"


def test_each_lineage_has_instances_of_its_own_in_the_same_order_unless_mixed():
    for kind, levels in (("fresh", {"difficulty": 3}), ("fixed", {"difficulty": 3})):
        one, two = held({"kind": kind, **levels, "count": 4}, lineages=2).lineages
        assert order(one) == order(two)
        assert not {entry.task.id for entry in one} & {entry.task.id for entry in two}


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ({"kind": "fresh", "difficulty": 3, "count": 6}, "d3#0 d3#1 d3#2 d3#3 rd3#1 d3#4 d3#5 rd3#3"),
        ({"kind": "fixed", "difficulty": 3, "count": 6}, "d3#0 d3#0 d3#0 d3#0 rd3#0 d3#0 d3#0 rd3#0"),
        (
            {"kind": "increasing", "difficulties": [1, 2, 5], "count": 6},
            "d1#0 d1#1 d2#0 d2#1 rd1#1 d5#0 d5#1 rd2#1",
        ),
    ],
    ids=["fresh", "fixed", "increasing"],
)
def test_replays_stand_where_the_paper_puts_them(schedule: dict[str, Any], expected: str):
    (entries,) = held({**schedule, "replay": True}, **REPLAY).lineages
    assert order(entries) == expected


def test_a_replay_of_a_fixed_instance_is_held_against_its_very_first_play():
    (entries,) = held({"kind": "fixed", "difficulty": 3, "count": 6, "replay": True}, **REPLAY).lineages
    assert [entry.first for entry in entries if entry.purpose == "replay"] == [1, 1]


def test_mixed_shuffles_replays_too_so_that_some_have_no_first_play_before_them():
    schedule = {"kind": "mixed", "difficulties": [1, 2, 5], "count": 6, "replay": True}
    replays = [
        entry
        for entries in held(schedule, lineages=20, **REPLAY).lineages
        for entry in entries
        if entry.purpose == "replay"
    ]
    assert len(replays) == 40
    assert 10 <= sum(entry.first is None for entry in replays) <= 30  # a coin for each of them


@pytest.mark.parametrize(
    "schedule",
    [
        {"kind": "fresh", "difficulty": 3, "count": 20},
        {"kind": "fixed", "difficulty": 3, "count": 20},
        {"kind": "mixed", "difficulties": [3, 5], "count": 20},
        {"kind": "increasing", "difficulties": [3, 5], "count": 20},
    ],
    ids=lambda schedule: schedule["kind"],
)
def test_the_exam_is_the_same_under_every_schedule_and_holds_nothing_that_was_worked(schedule: dict[str, Any]):
    plain = held({"kind": "fresh", "difficulty": 1, "count": 1})
    drawn = held(schedule, lineages=3)
    content = keys.key(FAMILY).fingerprint
    assert drawn.out == plain.out
    worked = {content(entry.task) for entries in drawn.lineages for entry in entries}
    assert not worked & {content(task) for task in drawn.out}
