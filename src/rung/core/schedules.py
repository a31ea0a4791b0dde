"""The four schedules of SelfImprove-Bench (section 4.4.2, Table 4), each in one line of a config.

    tasks.schedule = { kind = "increasing", family = "combat-v1", difficulties = [1, 2, 3, 4, 5], count = 20 }

It is short for blocks, `tasks.random` and `tasks.repeat`, and those are what is resolved, recorded and run:

    fresh        one difficulty, every instance new              one block
    fixed        one difficulty, one instance again and again    one block, repeat = true
    mixed        several difficulties, in an order by chance     a block each, random = true
    increasing   several difficulties, the easier ones first     a block each
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

KINDS = ("fresh", "fixed", "mixed", "increasing")
SEVERAL = ("mixed", "increasing")
"""The kinds that take `difficulties`; the others take `difficulty` or `setting`."""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "description": "Short for blocks, random and repeat: one of the schedules of SelfImprove-Bench, Table 4.",
    "properties": {
        "kind": {"enum": list(KINDS)},
        "family": {"type": "string"},
        "difficulty": {"type": "integer", "minimum": 1},
        "setting": {"type": "string"},
        "difficulties": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2},
        "count": {"type": "integer", "minimum": 1},
        "replay": {"type": "boolean", "default": False},
    },
    "required": ["kind", "family", "count"],
    "additionalProperties": False,
}
"""The short form as a JSON schema."""


def resolved(tasks: Mapping[str, Any]) -> Mapping[str, Any]:
    """`[tasks]` with a schedule in short form put in full; anything else as it is.

    Raises `ValueError` with key, value and mend. The keys of a block are left for the blocks to check.

    >>> resolved({"schedule": {"kind": "fixed", "family": "farm-v1", "difficulty": 3, "count": 20}})
    {'random': False, 'repeat': True, 'schedule': [{'family': 'farm-v1', 'difficulty': 3, 'count': 20}]}
    """
    short = tasks.get("schedule")
    if not isinstance(short, Mapping):
        return tasks
    kind = short.get("kind")
    if kind not in KINDS:
        raise ValueError(f"schedule.kind is one of {', '.join(KINDS)}, seen {kind!r}; or give a list of blocks")
    order = {"random": kind == "mixed", "repeat": kind == "fixed"}
    for key, value in order.items():
        if tasks.get(key, value) != value:
            raise ValueError(
                f"{key} = {str(tasks[key]).lower()} contradicts schedule.kind = {kind!r}; "
                f"drop {key}, or give the schedule as a list of blocks"
            )
    return {**order, **tasks, "schedule": _blocks(kind, short)}


def also_short(field: dict[str, Any]) -> None:
    """Let the JSON schema of `tasks.schedule` take the short form beside the list of blocks."""
    blocks = {key: field.pop(key) for key in ("type", "items", "minItems")}
    field["anyOf"] = [blocks, dict(SCHEMA)]


def _blocks(kind: str, short: Mapping[str, Any]) -> list[dict[str, Any]]:
    block = {key: value for key, value in short.items() if key not in ("kind", "difficulties")}
    if kind not in SEVERAL:
        if "difficulties" in short:
            raise ValueError(f"schedule.kind = {kind!r} has one difficulty; give difficulty = n, not difficulties")
        return [block]
    for key in ("difficulty", "setting"):
        if key in short:
            raise ValueError(f"schedule.kind = {kind!r} has several; give difficulties = [1, 3, 5], not {key}")
    levels = _levels(kind, short.get("difficulties"))
    share = _share(short.get("count"), len(levels))
    return [{**block, "difficulty": level, "count": share} for level in levels]


def _levels(kind: str, levels: object) -> Sequence[int]:
    if not isinstance(levels, list | tuple) or len(levels) < 2 or not all(type(level) is int for level in levels):
        raise ValueError(
            f"schedule.difficulties are two or more whole numbers for kind = {kind!r}, seen {levels!r:.80}"
        )
    if kind == "mixed" and len(set(levels)) < len(levels):
        raise ValueError(
            f"schedule.difficulties = {levels} names one twice; the count is shared evenly, so name each once"
        )
    if kind == "increasing" and any(late <= early for early, late in pairwise(levels)):
        raise ValueError(f"schedule.difficulties = {levels} do not increase; sort them, or give a list of blocks")
    return levels


def _share(count: object, levels: int) -> int:
    """How many instances of each difficulty: an even share, so that no reader has to guess who got the rest."""
    if type(count) is not int or count < 1:
        raise ValueError(f"schedule.count is a whole number from 1 up, seen {count!r:.80}; it counts all difficulties")
    if count % levels:
        near = max(levels, count - count % levels)
        raise ValueError(
            f"schedule.count = {count} is not shared evenly by {levels} difficulties; "
            f"take {near} or {near + levels}, or give a list of blocks"
        )
    return count // levels
