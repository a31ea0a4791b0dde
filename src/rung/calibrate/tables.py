"""Who scores what: the table on each game's page, of naive player, solver and reference on published instances."""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import sqrt
from statistics import mean, stdev

from scipy.stats import t

from rung.calibrate.references import numbered
from rung.core import registry
from rung.core.ports import Actor, Ports
from rung.core.values import Reference, Task
from rung.tasks import keys

HEAD = (
    "| setting | admitted | naive | solver | reference | certificate | largest gap | solver less naive, 95% |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One setting: the number of each admitted draw, counted from 1, and its scores and reference."""

    setting: str
    draws: tuple[int, ...]
    naive: tuple[float, ...]
    solver: tuple[float, ...]
    references: tuple[Reference, ...]

    @property
    def ahead(self) -> tuple[float, float]:
        """The 95% t interval of the mean paired difference of solver and naive player."""
        apart = [one - other for one, other in zip(self.solver, self.naive, strict=True)]
        half = float(t.ppf(0.975, len(apart) - 1)) * stdev(apart) / sqrt(len(apart))
        return mean(apart) - half, mean(apart) + half

    @property
    def line(self) -> str:
        """The table's line."""
        low, high = self.ahead
        scores = [f"{mean(scores):.3f} ({stdev(scores):.3f})" for scores in (self.naive, self.solver)]
        reference = f"{mean(one.score for one in self.references):.3f}"
        cells = (
            self.setting,
            f"{len(self.draws) / self.draws[-1]:.0%}",
            *scores,
            reference,
            self._certificates,
            self._gap,
            f"{low:.3f} to {high:.3f}",
        )
        return f"| {' | '.join(cells)} |"

    @property
    def _certificates(self) -> str:
        counted = Counter(one.certificate for one in self.references)
        if len(counted) == 1:
            return next(iter(counted))
        return ", ".join(f"{word} {number}" for word, number in sorted(counted.items()))

    @property
    def _gap(self) -> str:
        gaps = [one.gap for one in self.references if one.gap is not None]
        if len(gaps) < len(self.references):
            return "unproven"
        return f"{max(gaps):.2%}" if max(gaps) > 0 else "0"


def score(task: Task, actor: Actor) -> float:
    """What a player scores on a task."""
    return asyncio.run(_score(task, actor))


async def _score(task: Task, actor: Actor) -> float:
    episode = await registry.family(task.family).start(task, Ports())
    for _ in range(task.calls):
        answer = (await actor.act(episode.view())).answer
        reply = await episode.call(registry.family(task.family).parse(answer) if isinstance(answer, str) else answer)
        if reply.done:
            break
    return (await episode.evaluate()).score


def measured(game: str, setting: str, number: int) -> Cell:
    """The first admitted instances of a setting, played."""
    key, found = keys.key(game), list(islice(numbered(game, setting), number))
    tasks = [task for _, task in found]
    return Cell(
        setting,
        tuple(draw for draw, _ in found),
        tuple(score(task, key.naive(task)) for task in tasks),
        tuple(score(task, key.solver(task)) for task in tasks),
        tuple(key.reference(task) for task in tasks),
    )


def table(cells: Sequence[Cell]) -> str:
    """The table of a game."""
    return "\n".join((*HEAD, *(cell.line for cell in cells)))


def put_into(page: str, made: str) -> str:
    """A game's page with another table in the place of the one it has."""
    found = re.search(r"^" + re.escape(HEAD[0]) + r"\n(?:\|.*\n)+", page, re.MULTILINE)
    assert found is not None, "the page has no table of scores"
    return page[: found.start()] + made + "\n" + page[found.end() :]
