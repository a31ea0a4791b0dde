"""Studies of an agent that never changes, in memory: what is said of them is chance, and is counted."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rung.core.seeds import Seed
from rung.core.values import Scale
from rung.reports.explore import decisions
from rung.reports.explore.scores import Checkpoint, Scores
from rung.reports.explore.shuffles import areas

CHECKPOINTS, EPISODES, EVERY = 10, 3, 3
TASKS = CHECKPOINTS * EPISODES
X = np.array([0.0, *(EVERY * (k + 1) for k in range(CHECKPOINTS))])
Draw = Callable[[Any, Any], Any]
"""Scores of attempts at tasks of these levels."""


@dataclass(frozen=True)
class World:
    """How hard tasks are, and how an agent that never changes scores on them."""

    name: str
    levels: Callable[[Any], Any]
    draw: Draw
    scale: Scale


def _success(generator: Any, levels: Any) -> Any:
    return (generator.random(levels.shape) < levels).astype(np.float64)


def _counts(generator: Any, levels: Any) -> Any:
    return np.clip(np.round(levels + generator.normal(0.0, 6.5, levels.shape)), 0, 64)


BINARY, TURNS = Scale("success", 0.0, 1.0), Scale("turns survived", 0.0, 64.0)
WORLDS = (
    World("success in 10%", lambda g: np.full(TASKS, 0.1), _success, BINARY),
    World("success in 30%", lambda g: np.full(TASKS, 0.3), _success, BINARY),
    World("success by task, Beta(.5, .5)", lambda g: g.beta(0.5, 0.5, TASKS), _success, BINARY),
    World("turns, about 26 ± 6.5", lambda g: np.full(TASKS, 26.0), _counts, TURNS),
)


def study(world: World, lineages: int, generator: Any) -> Scores:
    """One study: ten checkpoints of three sealed tasks, which A_0 sat once each."""
    levels = world.levels(generator)
    checkpoints = []
    for k in range(CHECKPOINTS):
        places = tuple(range(EPISODES * k, EPISODES * (k + 1)))
        drawn = [world.draw(generator, levels[list(places)]) for _ in range(lineages)]
        checkpoints.append(Checkpoint(EVERY * (k + 1), places, np.stack(drawn)))
    return Scores(world.draw(generator, levels)[:, None], tuple(checkpoints))


@dataclass(frozen=True)
class Rates:
    """Of so many studies: the share called gained, called lost, called still rising, and with an AUC+ above 0."""

    studies: int
    gained: float
    lost: float
    rising: float
    auc_plus: float

    def row(self) -> str:
        """As the documents have it: per cent with one decimal."""
        return " | ".join(f"{100 * each:.1f}" for each in (self.gained, self.lost, self.rising, self.auc_plus))


def words(scores: Scores, world: World) -> tuple[str, str, bool]:
    """What is said of one study, and whether its AUC+ is above 0."""
    found = decisions.verdict(scores, decisions.found_in(scores), scale=world.scale)
    y = np.stack([np.full(scores.lineages, scores.start), *(each.after.mean(axis=1) for each in scores.checkpoints)])
    return found.word, decisions.words(decisions.rising(scores)), bool(areas(X, y.T).mean() > 0)


def rates(world: World, lineages: int, studies: int) -> Rates:
    """The rates over so many studies; the same each time."""
    generator = np.random.default_rng(Seed(f"unchanging/{world.name}/{lineages}").rng().getrandbits(64))
    said = [words(study(world, lineages, generator), world) for _ in range(studies)]
    return Rates(
        studies,
        sum(word == "improved" for word, _, _ in said) / studies,
        sum(word == "regressed" for word, _, _ in said) / studies,
        sum(slope == "still rising" for _, slope, _ in said) / studies,
        sum(above for _, _, above in said) / studies,
    )


def table(studies: int, lineages: tuple[int, ...] = (1, 3, 5)) -> Iterator[str]:
    """The rows of the document."""
    for world in WORLDS:
        for k in lineages:
            yield f"| {world.name} | {k} | {rates(world, k, studies).row()} |"
