"""The hidden rules: how a quest is drawn, by which of the two templates of SelfImprove-Bench, Appendix B.2.

Override: one attribute (class) decides the sequence, but for one value of another (role), which has its own. Ordered:
each block's action and count hang on an attribute of its own, and the order of blocks and purchase on one more. Every
map is drawn anew for every quest, so that nothing but its demonstrations tells what an attribute means.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from rung.core.seeds import Seed
from rung.tasks.games.hero_v1 import words
from rung.tasks.games.hero_v1.world import BUY, Demonstration, Entity, Quest, Steps, World

VALUES = 3  # of every attribute but the role
ROLES = 4
MOST_TIMES = 3  # an action in an Ordered block is done one to three times
ITEMS = 3  # and as many shops

Combination = tuple[str, ...]
"""One value for each attribute, in the order of the labels."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a setting fixes for a quest."""

    template: str
    blocks: int
    demonstrations: int
    distractors: int
    budget_percent: int
    money: int
    cost: int


@dataclass(frozen=True, slots=True)
class Lesson:
    """A rule in use: the attributes, combinations with their steps to be shown, and the target's."""

    labels: tuple[str, ...]
    blocks: tuple[tuple[str, ...], ...]
    shown: tuple[tuple[Combination, Steps], ...]
    target: Combination
    steps: Steps


def draw(numbers: Numbers, seed: Seed, *, exception: bool) -> Quest:
    """A quest. `exception` says whether an Override target has the overriding role; Ordered knows no exceptions."""
    rng = seed.child("rule").rng()
    lesson = _override(numbers, rng, exception=exception) if numbers.template == "override" else _ordered(numbers, rng)
    return _staged(numbers, lesson, seed.child("world").rng())


def _override(numbers: Numbers, rng: random.Random, *, exception: bool) -> Lesson:
    """Two classes are shown with every role, the third once, with an ordinary role; the target is of the third."""
    classes = rng.sample(words.TRAITS["class"], VALUES)
    roles = rng.sample(words.TRAITS["role"], ROLES)
    names = _rituals(numbers.blocks, rng) + _potions(numbers.blocks, rng)
    *defaults, special = rng.sample(_sequences(names, numbers.blocks), VALUES + 1)
    by_class = dict(zip(classes, defaults, strict=True))
    held_out, overriding = classes[-1], roles[0]
    hint, *rest = rng.sample(roles[1:], ROLES - 1)
    target = (held_out, overriding if exception else rest[0])

    def asked(combination: Combination) -> Steps:
        return special if combination[1] == overriding else by_class[combination[0]]

    shown = [*product(classes[:-1], roles), (held_out, hint)]
    return Lesson(
        ("class", "role"), (tuple(sorted(names)),), tuple((c, asked(c)) for c in shown), target, asked(target)
    )


def _sequences(names: Sequence[str], blocks: int) -> list[Steps]:
    """Every order of so many different actions, with the purchase anywhere."""
    orders = [chosen for chosen in product(names, repeat=blocks) if len(set(chosen)) == blocks]
    return [(*order[:at], BUY, *order[at:]) for order in orders for at in range(blocks + 1)]


def _ordered(numbers: Numbers, rng: random.Random) -> Lesson:
    """Different combinations are shown; the target is none of them, and each of its values was shown if possible."""
    many = numbers.blocks
    labels = tuple(rng.sample(list(words.TRAITS), many + 1))
    values = [rng.sample(words.TRAITS[label], VALUES) for label in labels]
    blocks = tuple(zip(_rituals(many, rng), _potions(many, rng), strict=True))
    slots = rng.sample(range(many + 1), many + 1)  # slots[i] is the attribute of block i; the last is the order's
    done = [dict(zip(values[slots[i]], _choices(blocks[i], rng), strict=True)) for i in range(many)]
    order = dict(zip(values[slots[-1]], _orders(many, rng), strict=True))

    def asked(combination: Combination) -> Steps:
        parts = [*(done[i][combination[slots[i]]] for i in range(many)), (BUY,)]
        return tuple(step for part in order[combination[slots[-1]]] for step in parts[part])

    combinations = list(product(*values))
    rng.shuffle(combinations)
    shown, unseen = combinations[: numbers.demonstrations], combinations[numbers.demonstrations :]
    seen = [set(column) for column in zip(*shown, strict=True)]
    target = next((c for c in unseen if all(v in s for v, s in zip(c, seen, strict=True))), unseen[0])
    return Lesson(labels, blocks, tuple((c, asked(c)) for c in shown), target, asked(target))


def _choices(block: tuple[str, ...], rng: random.Random) -> list[Steps]:
    """Three different pairs of an action and how often, for the three values of a block's attribute."""
    return [(name,) * times for name, times in rng.sample(list(product(block, range(1, MOST_TIMES + 1))), VALUES)]


def _orders(blocks: int, rng: random.Random) -> list[tuple[int, ...]]:
    """Three different orders of the blocks and the purchase, which is the last number."""
    found: dict[tuple[int, ...], None] = {}
    while len(found) < VALUES:  # there are at least six orders, so this ends soon
        found[tuple(rng.sample(range(blocks + 1), blocks + 1))] = None
    return list(found)


def _rituals(many: int, rng: random.Random) -> list[str]:
    return [f"perform {name}" for name in rng.sample(words.RITUALS, many)]


def _potions(many: int, rng: random.Random) -> list[str]:
    return [f"drink {name}" for name in rng.sample(words.POTIONS, many)]


def _staged(numbers: Numbers, lesson: Lesson, rng: random.Random) -> Quest:
    """Give every combination a name, a place and an item, and mix the distractors in."""
    items = [f"{size}_{weapon}" for size, weapon in rng.sample(list(product(words.SIZES, words.WEAPONS)), ITEMS)]
    shops = dict(sorted(zip(rng.sample(words.SHOPS, ITEMS), items, strict=True)))
    labels = rng.sample(lesson.labels, len(lesson.labels))
    others = dict(zip(labels, rng.sample(list(words.OTHER_TRAITS), len(labels)), strict=True))
    cast = numbers.demonstrations + numbers.distractors + 1
    names = iter(rng.sample(list(product(words.FIRST_NAMES, words.LAST_NAMES)), cast))
    places = rng.sample(words.PLACES, min(cast, len(words.PLACES)))

    def entity(traits: Mapping[str, str]) -> Entity:
        return Entity("_".join(next(names)), rng.choice(places), rng.choice(items), traits)

    def of(combination: Combination) -> Entity:
        traits = dict(zip(lesson.labels, combination, strict=True))
        return entity({label: traits[label] for label in labels})

    def distractor() -> Entity:
        return entity({others[label]: rng.choice(words.OTHER_TRAITS[others[label]]) for label in labels})

    demonstrations = [Demonstration(of(combination), steps) for combination, steps in lesson.shown]
    demonstrations += [Demonstration(distractor(), (BUY,)) for _ in range(numbers.distractors)]
    rng.shuffle(demonstrations)
    everywhere = tuple(sorted({*places, *shops, words.START}))
    blocks = tuple(rng.sample(lesson.blocks, len(lesson.blocks)))
    world = World(words.START, numbers.money, numbers.cost, everywhere, shops, blocks)
    return Quest(
        numbers.template, world, tuple(demonstrations), of(lesson.target), lesson.steps, numbers.budget_percent
    )
