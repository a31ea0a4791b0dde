"""What a study uses where there is no pilot: episodes as long as scripted players make them. A guess, and said so.

In each cell the newcomer and the solver of the family's key play a few tasks, and somebody who answers only nonsense.
An agent is taken to act no less than the one of them who acts least, and no more than the one who acts most, and
half-way between them is what is expected. A phantom plays as the first two do.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rung.core import registry
from rung.core.config import Config
from rung.core.ports import Actor, Family, Ports
from rung.core.values import Call, Task, View
from rung.core.waiting import settle
from rung.planning.predict import Range
from rung.planning.use import OF_MODELS, QUANTITIES, Amount, Arms, wanted
from rung.protocols import forecast
from rung.protocols.forecast import Forecast
from rung.protocols.rehearsal import Babbler, Idle
from rung.tasks import keys

NO_PILOT = "there is no pilot"


@dataclass(frozen=True, slots=True)
class Lengths:
    """Mean actions of an attempt in one cell, of each player."""

    newcomer: float
    solver: float
    nonsense: float

    def range(self, *, scripted: bool) -> tuple[float, float]:
        """Of the players that the agents of a study may resemble, the shortest and the longest."""
        players = (self.newcomer, self.solver) if scripted else (self.newcomer, self.solver, self.nonsense)
        return min(players), max(players)


def amounts(config: Config, of: Arms, worst: Forecast, *, scripted: bool) -> tuple[Amount, ...]:
    """What a study uses, as far as scripted players can say.

    `worst` is its worst case; `scripted` says that all agents are phantoms.
    """
    groups = wanted(config, of)
    lengths = _played(config)
    low = high = 0.0
    for want in groups:
        least, most = lengths[want.group.cell].range(scripted=scripted)
        low, high = low + want.attempts * least, high + want.attempts * most
    attempts = sum(want.attempts for want in groups)
    trials = sum(part.cost.attempts for part in worst.phases if part.phase == "trying")
    known = {
        "attempts": Amount("attempts", Range(attempts, attempts + trials / 2, attempts + trials)),
        "actions": Amount("actions", _between(low, high * (1 + trials / attempts))),
        "calls": _calls(low, high * (1 + trials / attempts), worst),
    }
    return tuple(
        known.get(quantity, Amount(quantity, None, NO_PILOT))
        for quantity in QUANTITIES
        if of.modelled or quantity not in OF_MODELS
    )


def _calls(low: float, high: float, worst: Forecast) -> Amount:
    """A call an action, and of refinements none or all that there may be."""
    if worst.unknown:
        return Amount("calls", None, worst.unknown[0])
    refining = sum(part.cost.calls for part in worst.phases if part.phase == "refining")
    return Amount("calls", _between(low, high + refining))


def _between(low: float, high: float) -> Range:
    return Range(low, (low + high) / 2, high)


# --------------------------------------------------------------------------------------------- playing


def _played(config: Config) -> dict[str, Lengths]:
    return {cell: asyncio.run(_lengths(tasks)) for cell, tasks in forecast.sample(config).items()}


class _Player(Protocol):
    def __call__(self, task: Task) -> Actor: ...


async def _lengths(tasks: Sequence[Task]) -> Lengths:
    key, family = keys.key(tasks[0].family), registry.family(tasks[0].family)
    players: tuple[_Player, ...] = (key.naive, key.solver, lambda task: Babbler())
    means = []
    for player in players:
        lengths = [await _length(family, task, player(task)) for task in tasks]
        means.append(sum(lengths) / len(lengths))
    return Lengths(*means)


async def _length(family: Family, task: Task, actor: Actor) -> int:
    """How many actions an episode takes."""
    episode = await settle(family.start, task, Ports(sandbox=Idle()))
    rules, reply = family.rules(task), ""
    for step in range(1, task.calls + 1):
        view = episode.view()
        about = View(view.text, view.images, view.tools, rules, reply, family.id, task.setting.name)
        answer = (await settle(actor.act, about)).answer
        told = await settle(episode.call, answer if isinstance(answer, Call) else family.parse(answer))
        reply = told.text
        if told.done:
            return step
    return task.calls
