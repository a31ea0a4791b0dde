"""Hero in words: the rules, and a quest as an agent sees it."""

from collections.abc import Iterator, Sequence

from rung.tasks.games.hero_v1.engine import Journey, carry_out
from rung.tasks.games.hero_v1.rule import MOST_TIMES, Numbers
from rung.tasks.games.hero_v1.world import Demonstration, Entity, Quest, World, plan

_OVERRIDE = """\
The sequence of an entity has {blocks} such {actions} besides the purchase. One attribute decides which, and where the \
purchase stands among them. But one value of another attribute has a sequence of its own, whatever the first attribute \
says."""

_ORDERED = """\
The world lists {blocks} blocks, each of a ritual and a potion. The sequence of an entity takes one of the two from \
every block, and does it one or more times in a row, {most} at most. For each block one attribute decides which of the \
two and how many times. One more attribute decides the order of the blocks and the purchase among each other."""


def rules(numbers: Numbers, quests: int) -> str:
    """The rules of a task with so many quests."""
    actions = "action" if numbers.blocks == 1 else "different actions"
    template = _OVERRIDE if numbers.template == "override" else _ORDERED
    shape = template.format(blocks=numbers.blocks, actions=actions, most=MOST_TIMES)
    return f"""\
There are {quests} quests, one after the other. They have nothing to do with each other: each has a world, a hidden \
rule and a target of its own. In each you defeat the target with one list of actions, handed in at once.

To defeat an entity you must be where it is, and before that you must have done exactly its sequence, in order: the \
purchase of the item it takes, and some rituals and potions. Which ones, the card of an entity does not say: its \
attributes decide it, by the rule that you have to find from the demonstrations. {shape} Demonstrations of entities \
with other attributes than the target's tell nothing of the rule. Every demonstration is the shortest that succeeds.

The actions:
- go PLACE: you are there at once. Needed only to buy and to defeat.
- buy ITEM: at the shop that sells it, for {numbers.cost} of your {numbers.money} money. It is part of the sequence.
- perform RITUAL, drink POTION: anywhere. Each time is part of the sequence.
- defeat NAME: where the target is. If what you bought, performed and drank is not exactly its sequence, nothing \
more and nothing less, the defeat fails: your item is lost, nothing counts as done, and you may begin again.
- check_inventory, check_location: tell nothing new.

Actions are done in order until the target is defeated, the list ends, or as many are done as are allowed. An action \
that is malformed or cannot be done is used up too. A quest in which the target is defeated scores the length of the \
shortest list divided by the actions done; otherwise it scores zero. Your score is the mean over the quests.

Answer for each quest with one JSON list of strings, such as ["perform RITUAL", "go SHOP", "buy ITEM", "go PLACE", \
"defeat NAME"]."""


def shown(quest: Quest, number: int, quests: int) -> str:
    """A quest as an agent sees it: the world, the demonstrations with their results, the target and the budget."""
    demonstrations = (_demonstration(quest.world, d, n) for n, d in enumerate(quest.demonstrations, start=1))
    return "\n".join(
        (
            f"Quest {number} of {quests}",
            "",
            "The world",
            *_world(quest),
            *(line for lines in demonstrations for line in lines),
            "",
            f"Your target: defeat {quest.target.name}",
            f"  card: {_card(quest.target)}",
            f"Actions allowed: {quest.budget}",
        )
    )


def _world(quest: Quest) -> Iterator[str]:
    world = quest.world
    yield f"  start: {world.start}; money: {world.money}"
    yield f"  places: {', '.join(world.places)}"
    for shop, item in world.shops.items():
        yield f"  shop: {shop} sells {item} for {world.cost}"
    for number, block in enumerate(world.blocks, start=1):
        yield f"  {_head(quest, number)}: {', '.join(block)}"
    entities = [*(d.entity for d in quest.demonstrations), quest.target]
    for entity in sorted(entities, key=lambda entity: entity.name):
        yield f"  entity: {entity.name}; {_card(entity)}"


def _head(quest: Quest, number: int) -> str:
    return "rituals and potions" if quest.template == "override" else f"block {number}"


def _card(entity: Entity) -> str:
    traits = (f"{label} {value}" for label, value in entity.traits.items())
    return f"{', '.join(traits)}; at {entity.place}, takes {entity.item}"


def _demonstration(world: World, demonstration: Demonstration, number: int) -> Sequence[str]:
    entity, steps = demonstration.entity, demonstration.steps
    actions = plan(world, entity, steps)
    said = carry_out(Journey(world, entity, steps), actions, len(actions)).said
    return (
        "",
        f"Demonstration {number}: defeat {entity.name}",
        f"  card: {_card(entity)}",
        *(f"  {action} -> {result}" for action, result in zip(actions, said, strict=True)),
    )
