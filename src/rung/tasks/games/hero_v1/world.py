"""What a quest consists of: a world, entities with traits, demonstrations, and the sequence that the target asks for.

A quest is what SelfImprove-Bench calls an episode: one world, one hidden rule, one list of actions.
"""

from collections.abc import Mapping
from dataclasses import dataclass

BUY = "buy"
"""The purchase of the entity's item in a hidden sequence; all else there is an action word for word."""

Steps = tuple[str, ...]
"""A hidden sequence: `perform low_chant`, `drink sweet_tonic` and, once, `buy`."""


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody to be defeated: a name, where to find them, the item it takes, and the traits by their labels."""

    name: str
    place: str
    item: str
    traits: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class World:
    """Where one is and what one has at the start, the places, what each shop sells, and what can be done.

    `blocks` are the groups that rituals and potions come in. With the Ordered template there is one group a block,
    of one ritual and one potion; with Override all are one group.
    """

    start: str
    money: int
    cost: int
    places: tuple[str, ...]
    shops: Mapping[str, str]
    blocks: tuple[tuple[str, ...], ...]

    def shop_of(self, item: str) -> str:
        """The shop that sells an item."""
        return next(shop for shop, sold in self.shops.items() if sold == item)


@dataclass(frozen=True, slots=True)
class Demonstration:
    """An entity, and the steps by which it was defeated."""

    entity: Entity
    steps: Steps


@dataclass(frozen=True, slots=True)
class Quest:
    """One of a task's worlds. `steps` is what the target asks for: hidden, and in nothing that an agent is shown."""

    template: str
    world: World
    demonstrations: tuple[Demonstration, ...]
    target: Entity
    steps: Steps
    budget_percent: int

    @property
    def shortest(self) -> int:
        """How many actions the shortest successful list has: the steps, two ways, and the defeat."""
        return len(self.steps) + 3

    @property
    def budget(self) -> int:
        """How many actions are allowed."""
        return self.shortest * self.budget_percent // 100


def plan(world: World, entity: Entity, steps: Steps) -> list[str]:
    """The shortest list of actions that does these steps for an entity and defeats it."""
    actions: list[str] = []
    for step in steps:
        actions += [f"go {world.shop_of(entity.item)}", f"buy {entity.item}"] if step == BUY else [step]
    return [*actions, f"go {entity.place}", f"defeat {entity.name}"]
