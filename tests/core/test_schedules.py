"""The short form of a schedule is blocks, `random` and `repeat`, and nothing else."""

from typing import Any

import pytest

from rung.core.config import Config, parse
from rung.core.errors import UsageError

FAMILY = {"family": "toy-lock-v1"}


def study(schedule: Any, **tasks: Any) -> Config:
    return parse(
        {
            "name": "study",
            "protocol": "ladder",
            "agent": {"kind": "phantom:general"},
            "method": {"name": "phantom"},
            "tasks": {"schedule": schedule, "holdout": [{**FAMILY, "difficulty": 3, "count": 4}], **tasks},
        }
    )


def short(kind: str, **keys: Any) -> dict[str, Any]:
    return {"kind": kind, **FAMILY, **keys}


def block(difficulty: int, count: int, **keys: Any) -> dict[str, Any]:
    return {**FAMILY, "difficulty": difficulty, "count": count, **keys}


@pytest.mark.parametrize(
    ("schedule", "blocks", "order"),
    [
        (short("fresh", difficulty=3, count=20), [block(3, 20)], {}),
        (short("fixed", difficulty=3, count=20), [block(3, 20)], {"repeat": True}),
        (
            short("mixed", difficulties=[5, 1, 3], count=6),
            [block(5, 2), block(1, 2), block(3, 2)],
            {"random": True},
        ),
        (short("increasing", difficulties=[1, 2, 4], count=9), [block(1, 3), block(2, 3), block(4, 3)], {}),
        (short("fresh", setting="tiny", count=2), [{**FAMILY, "setting": "tiny", "count": 2}], {}),
    ],
    ids=["fresh", "fixed", "mixed", "increasing", "a named setting"],
)
def test_the_short_form_is_the_same_study_as_the_long_one(
    schedule: dict[str, Any], blocks: list[dict[str, Any]], order: dict[str, bool]
):
    assert study(schedule) == study(blocks, **order)


def test_the_resolved_config_holds_blocks_and_no_kind():
    resolved = study(short("increasing", difficulties=[1, 3], count=4, replay=True), replay={"interval": 1, "lag": 1})
    tasks = resolved.identity()["tasks"]
    assert [(block["difficulty"], block["count"], block["replay"]) for block in tasks["schedule"]] == [
        (1, 2, True),
        (3, 2, True),
    ]
    assert "kind" not in str(tasks)
    assert parse(resolved.model_dump(mode="json")) == resolved


def test_saying_what_the_kind_says_already_is_no_contradiction():
    assert study(short("fixed", difficulty=1, count=3), repeat=True).tasks.repeat


@pytest.mark.parametrize(
    ("schedule", "tasks", "message"),
    [
        (
            {**FAMILY, "difficulty": 1, "count": 4},
            {},
            "schedule.kind is one of fresh, fixed, mixed, increasing, seen None",
        ),
        (short("rising", difficulty=1, count=4), {}, "seen 'rising'; or give a list of blocks"),
        (short("fresh", difficulties=[1, 2], count=4), {}, "'fresh' has one difficulty; give difficulty = n"),
        (
            short("mixed", difficulty=1, count=4),
            {},
            "'mixed' has several; give difficulties = .1, 3, 5., not difficulty",
        ),
        (short("increasing", setting="d1", count=4), {}, "not setting"),
        (short("mixed", count=4), {}, "two or more whole numbers for kind = 'mixed', seen None"),
        (short("mixed", difficulties=[2], count=4), {}, r"seen \[2\]"),
        (short("mixed", difficulties=[1, True], count=4), {}, r"seen \[1, True\]"),
        (short("mixed", difficulties=[1, 2, 1], count=6), {}, "names one twice"),
        (short("increasing", difficulties=[1, 3, 2], count=6), {}, "do not increase; sort them"),
        (
            short("increasing", difficulties=[1, 2, 3], count=20),
            {},
            "20 is not shared evenly by 3 difficulties; take 18 or 21",
        ),
        (short("increasing", difficulties=[1, 2, 3], count=2), {}, "take 3 or 6"),
        (short("increasing", difficulties=[1, 2, 3]), {}, "schedule.count is a whole number from 1 up, seen None"),
        (short("mixed", difficulties=[1, 2], count=True), {}, "seen True"),
        (short("increasing", difficulties=[1, 2], count=4), {"random": True}, "random = true contradicts"),
        (
            short("fixed", difficulty=1, count=4),
            {"repeat": False},
            "repeat = false contradicts schedule.kind = 'fixed'",
        ),
        (short("fresh", difficulty=1, count=4, colour="red"), {}, r"unknown key 'colour'"),
        (short("fresh", difficulty=0, count=4), {}, "tasks.schedule"),
        (short("fresh", count=4), {}, "give either difficulty = n or setting = 'name'"),
        (short("mixed", difficulties=[0, 1], count=4), {}, "difficulty"),
    ],
)
def test_a_schedule_that_says_two_things_or_none_is_refused(
    schedule: dict[str, Any], tasks: dict[str, Any], message: str
):
    with pytest.raises(UsageError, match=message):
        study(schedule, **tasks)


def test_the_schema_takes_both_forms():
    found = Config.model_json_schema()["$defs"]["TasksConfig"]["properties"]["schedule"]["anyOf"]
    assert [form["type"] for form in found] == ["array", "object"]
    assert found[0]["items"] == {"$ref": "#/$defs/Block"}
    assert found[1]["properties"]["kind"]["enum"] == ["fresh", "fixed", "mixed", "increasing"]
