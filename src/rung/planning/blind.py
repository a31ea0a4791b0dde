"""What a study uses where there is no pilot: episodes as long as scripted players make them. A guess, and said so.

In each cell the newcomer and the solver of the family's key play a few tasks, and somebody who answers only nonsense.
An agent is taken to act no less than the one of them who acts least, and no more than the one who acts most, and
half-way between them is what is expected. A phantom plays as the first two do.
"""

import asyncio
from collections.abc import Mapping, Sequence
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
from rung.protocols.rehearsal import Babbler, Idle
from rung.protocols.study import Arm
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


@dataclass(frozen=True, slots=True)
class Guess:
    """What scripted players and the worst case say, whatever the size of the study.

    `trials` and `refining` are the most trials and calls of refining in one lineage of all arms together; `scripted`
    says that all agents are phantoms, and `unknown` why calls cannot be said.
    """

    lengths: Mapping[str, Lengths]
    trials: float
    refining: float
    scripted: bool
    unknown: str


def guess(config: Config, arms: Sequence[Arm]) -> Guess:
    """Play a few tasks of each cell, and look at the worst case of a study."""
    worst = forecast.of(config, arms)
    most = {part.phase: part.cost for part in worst.phases}
    return Guess(
        lengths={cell: asyncio.run(_lengths(tasks)) for cell, tasks in forecast.sample(config).items()},
        trials=most["trying"].attempts / config.lineages,
        refining=most["refining"].calls / config.lineages,
        scripted=all(arm.scripted for arm in arms),
        unknown=worst.unknown[0] if worst.unknown else "",
    )


def amounts(config: Config, of: Arms, guessed: Guess) -> tuple[Amount, ...]:
    """What a study of these arms and cells uses, as far as scripted players can say."""
    groups = wanted(config, of)
    attempts, trials = sum(want.attempts for want in groups), guessed.trials * config.lineages
    low = high = 0.0
    for want in groups:
        least, most = guessed.lengths[want.group.cell].range(scripted=guessed.scripted)
        low, high = low + want.attempts * least, high + want.attempts * most
    high *= 1 + trials / attempts
    refining = guessed.refining * config.lineages  # none of it, or all that there may be
    known = {
        "attempts": Amount("attempts", _between(attempts, attempts + trials)),
        "actions": Amount("actions", _between(low, high)),
        "calls": Amount("calls", None if guessed.unknown else _between(low, high + refining), guessed.unknown),
    }
    return tuple(
        known.get(quantity, Amount(quantity, None, NO_PILOT))
        for quantity in QUANTITIES
        if of.modelled or quantity not in OF_MODELS
    )


def _between(low: float, high: float) -> Range:
    return Range(low, (low + high) / 2, high)


# --------------------------------------------------------------------------------------------- playing


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
