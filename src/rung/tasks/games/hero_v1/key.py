"""What only the instrument knows of Hero: which quests can be solved by thought, and who plays how."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from rung.core.canonical import JSON, fingerprint
from rung.core.ports import Actor
from rung.core.values import Action, Call, Reference, Task, View
from rung.tasks.games._references import Solved, kept_or
from rung.tasks.games.hero_v1.game import quests_of
from rung.tasks.games.hero_v1.infer import foretold, guessed
from rung.tasks.games.hero_v1.world import BUY, Entity, Quest, Steps, plan

SOLVER = "hero-enumerate-1"


def identifiable(quest: Quest) -> bool:
    """Whether every reading of the demonstrations that fits foretells what the target really asks for."""
    return foretold(quest) == {quest.steps}


def _inferred(quest: Quest) -> Steps:
    """What the demonstrations foretell; of several the first by name, and the bare purchase where there is nothing."""
    return min((steps for steps in foretold(quest) if steps is not None), default=(BUY,))


@dataclass(frozen=True, slots=True)
class Adventurer:
    """Finds the steps of the quest in view by a rule, from what is shown of it, and hands in the shortest list."""

    quests: tuple[Quest, ...]
    rule: Callable[[Quest], Steps]

    async def act(self, view: View) -> Action:
        """The list for the quest whose number is in view; after the last quest, again the last list."""
        found = re.match(r"Quest ([0-9]+) of", view.text)
        quest = self.quests[int(found[1]) - 1 if found else -1]
        return Action(Call("submit_actions", {"actions": plan(quest.world, quest.target, self.rule(quest))}))


@dataclass(frozen=True, slots=True)
class HeroKey:
    """The key of Hero."""

    def admit(self, task: Task) -> bool:
        """Every quest has one answer that its demonstrations allow."""
        return all(identifiable(quest) for quest in quests_of(task))

    def fingerprint(self, task: Task) -> str:
        """Attributes and steps of all demonstrations and targets; names, places, items and every order are left out."""
        return fingerprint(["hero", sorted((_told(quest) for quest in quests_of(task)), key=fingerprint)])

    def reference(self, task: Task) -> Reference:
        """The shortest list in every quest scores 1, and nothing scores more."""
        return kept_or(self.solve, task, solver=SOLVER).reference(SOLVER)

    def solve(self, task: Task) -> Solved:
        """A point for each quest, which is what the shortest list gets, by the definition of the score."""
        quests = len(quests_of(task))
        return Solved(quests, quests, quests)

    def naive(self, task: Task) -> Actor:
        """Takes the attributes in the order in which they are written, and the last example that shares a value."""
        return Adventurer(quests_of(task), guessed)

    def solver(self, task: Task) -> Actor:
        """Enumerates what every attribute may stand for, and keeps what fits all demonstrations."""
        return Adventurer(quests_of(task), _inferred)


def _told(quest: Quest) -> JSON:
    shown = [_fact(demonstration.entity, demonstration.steps) for demonstration in quest.demonstrations]
    return [quest.template, quest.budget, sorted(shown, key=fingerprint), _fact(quest.target, quest.steps)]


def _fact(entity: Entity, steps: Steps) -> JSON:
    return [dict(entity.traits), list(steps)]


KEY = HeroKey()
