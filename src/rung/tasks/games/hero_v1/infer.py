"""What the demonstrations of a quest allow: every reading of which attribute does what, and what each foretells.

It uses what an agent is shown, and never the hidden steps of the target.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, permutations
from typing import TypeAlias, TypeVar

from rung.tasks.games.hero_v1.world import BUY, Demonstration, Quest, Steps

Part: TypeAlias = tuple[str, ...] | tuple[int, ...]
"""A block's actions, or the order of the blocks and the purchase."""

T = TypeVar("T")


def foretold(quest: Quest) -> set[Steps | None]:
    """What the readings that no demonstration contradicts say of the target; None for one that does not say.

    The target's sequence is determined if this has exactly one member, and that is no None.
    """
    return set(_by_override(quest) if quest.template == "override" else _by_order(quest))


def guessed(quest: Quest) -> Steps:
    """What a newcomer says: that attributes matter in the order in which they are written, without a test of it.

    With Override the first attribute decides, and nothing is an exception. With Ordered the first attribute stands
    for the first block in the list of actions, and so on, and the last for the order. The last example counts.
    """
    labels, demonstrations = list(quest.target.traits), telling(quest)
    if quest.template == "override":
        examples = [d for d in demonstrations if _shares(d, quest, labels[0])]
        return (examples or demonstrations)[-1].steps
    readings = [_parts(quest, d.steps) for d in demonstrations]
    parts = []
    for slot, label in enumerate(labels):
        alike = [r[slot] for d, r in zip(demonstrations, readings, strict=True) if _shares(d, quest, label)]
        parts.append((alike or [readings[-1][slot]])[-1])
    return _joined(parts)


def telling(quest: Quest) -> list[Demonstration]:
    """The demonstrations whose entities have the target's attributes; the others are distractors."""
    return [d for d in quest.demonstrations if d.entity.traits.keys() == quest.target.traits.keys()]


def _shares(demonstration: Demonstration, quest: Quest, label: str) -> bool:
    return demonstration.entity.traits[label] == quest.target.traits[label]


def _by_override(quest: Quest) -> Iterator[Steps | None]:
    demonstrations = telling(quest)
    for base, other in permutations(quest.target.traits, 2):
        for special in {d.entity.traits[other] for d in demonstrations} | {quest.target.traits[other]}:

            def cause(traits: Mapping[str, str], base: str = base, other: str = other, special: str = special) -> str:
                return "the exception" if traits[other] == special else traits[base]

            table = _table([(cause(d.entity.traits), d.steps) for d in demonstrations])
            if table is not None:
                yield table.get(cause(quest.target.traits))


def _table(facts: Sequence[tuple[str, T]]) -> Mapping[str, T] | None:
    """What each cause brings, if it always brings the same."""
    table = dict(facts)
    return table if all(table[cause] == brought for cause, brought in facts) else None


def _by_order(quest: Quest) -> Iterator[Steps | None]:
    """Whether an attribute can stand for a slot does not hang on what stands for the others, so it is read once."""
    demonstrations = telling(quest)
    readings = [_parts(quest, d.steps) for d in demonstrations]
    tables = {
        (slot, label): _table(
            [(d.entity.traits[label], r[slot]) for d, r in zip(demonstrations, readings, strict=True)]
        )
        for slot in range(len(quest.target.traits))
        for label in quest.target.traits
    }
    for labels in permutations(quest.target.traits):
        chosen = [tables[slot, label] for slot, label in enumerate(labels)]
        possible = [table for table in chosen if table is not None]
        if len(possible) == len(chosen):
            parts = [table.get(quest.target.traits[label]) for table, label in zip(possible, labels, strict=True)]
            known = [part for part in parts if part is not None]
            yield _joined(known) if len(known) == len(parts) else None


def _parts(quest: Quest, steps: Steps) -> list[Part]:
    """Steps taken apart: what was done of each block, and the order; the purchase has the number after the blocks."""
    where = {action: number for number, block in enumerate(quest.world.blocks) for action in block}
    many = len(quest.world.blocks)
    parts: list[Part] = [tuple(step for step in steps if where.get(step) == block) for block in range(many)]
    return [*parts, tuple(number for number, _ in groupby(steps, key=lambda step: where.get(step, many)))]


def _joined(parts: Sequence[Part]) -> Steps:
    """Parts put together; the last of them is the order."""
    *blocks, order = parts
    return tuple(str(step) for number in order for step in (*blocks, (BUY,))[int(number)])
