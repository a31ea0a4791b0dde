"""What a list of actions does: carried out in order until the target is defeated, or the list or the budget ends.

The log holds what was bought, performed and drunk since the start or the last failed defeat, and the defeat asks for
the exact sequence. Were more repetitions let pass, or the last time of a step counted, trying around would win.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rung.tasks.games._answers import quoted
from rung.tasks.games.hero_v1.world import BUY, Entity, Steps, World

NOTES = 5  # actions in vain are all counted, and so many are described


@dataclass(slots=True)
class Journey:
    """A way through a world towards one entity. Each deed returns what happened; `failed` counts those in vain."""

    world: World
    target: Entity
    steps: Steps
    place: str = field(init=False)
    money: int = field(init=False)
    log: list[str] = field(default_factory=list)
    done: bool = False
    failed: int = 0

    def __post_init__(self) -> None:
        self.place, self.money = self.world.start, self.world.money

    def act(self, action: str) -> str:
        """Do one action. It is foreign text: it is compared with what is known, and nothing in it can raise."""
        verb, _, name = action.partition(" ")
        deed = {"go": self._go, "buy": self._buy, "perform": self._rite, "drink": self._rite, "defeat": self._defeat}
        if action == "check_location":
            return f"you are at the {self.place}"
        if action == "check_inventory":
            return f"you have {self.money} money and since the start or the last failed defeat did: {len(self.log)}"
        return deed[verb](action, name) if verb in deed else self._fail(f"there is no action {quoted(action)}")

    def _fail(self, why: str) -> str:
        self.failed += 1
        return why

    def _go(self, action: str, name: str) -> str:
        if name not in self.world.places:
            return self._fail(f"there is no place {quoted(name)}")
        self.place = name
        return f"you are at the {name}"

    def _buy(self, action: str, name: str) -> str:
        if self.world.shops.get(self.place) != name:
            return self._fail(f"no {quoted(name)} is sold at the {self.place}")
        if self.money < self.world.cost:
            return self._fail(f"it costs {self.world.cost}, and you have {self.money}")
        self.money -= self.world.cost
        self.log.append(action)
        return f"you have the {name}"

    def _rite(self, action: str, name: str) -> str:
        if not any(action in block for block in self.world.blocks):
            return self._fail(f"{quoted(action)} is nothing that can be done here")
        self.log.append(action)
        return "done"

    def _defeat(self, action: str, name: str) -> str:
        if name != self.target.name:
            return self._fail(f"{quoted(name)} is not whom you came for")
        if self.place != self.target.place:
            return self._fail(f"{name} is not at the {self.place}")
        if self.log != [f"buy {self.target.item}" if step == BUY else step for step in self.steps]:
            self.log.clear()
            return self._fail("requirements not met; begin again, your item is lost")
        self.done = True
        return "defeated"


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a list: whether the target was defeated, what each action brought, and which were in vain."""

    done: bool
    said: tuple[str, ...]
    failed: int
    notes: tuple[str, ...]

    @property
    def actions(self) -> int:
        """How many actions were done."""
        return len(self.said)


def carry_out(journey: Journey, actions: Sequence[str], budget: int) -> Result:
    """Do the actions of a list in order. What comes after the defeat, or beyond the budget, is not done."""
    said: list[str] = []
    notes: list[str] = []
    for action in actions[:budget]:
        failed = journey.failed
        said.append(journey.act(action))
        if journey.failed > failed:
            notes.append(f"action {len(said)}, {quoted(action)}: {said[-1]}")
        if journey.done:
            break
    return Result(journey.done, tuple(said), journey.failed, tuple(notes[:NOTES]))
