"""The tables of naive and solver scores in `docs/games/` are computed, here."""

import asyncio
from itertools import count, islice
from pathlib import Path
from statistics import mean, stdev

import pytest

from rung.core import registry
from rung.core.ports import Actor, Ports
from rung.core.seeds import Seed
from rung.core.values import Task
from rung.tasks import keys

PAGES = Path(__file__).parents[3] / "docs" / "games"
INSTANCES = 50


def drawn(game: str, setting: str) -> tuple[list[Task], float]:
    """The first admitted tasks of a setting, and the share of draws that was admitted."""
    family, key = registry.family(game), keys.key(game)
    seeds = (Seed("docs").child(game, setting, n) for n in count())
    draws = enumerate((family.draw(family.setting(setting), seed) for seed in seeds), start=1)
    numbered = list(islice(((n, task) for n, task in draws if key.admit(task)), INSTANCES))
    return [task for _, task in numbered], INSTANCES / numbered[-1][0]


async def score(task: Task, actor: Actor) -> float:
    episode = await registry.family(task.family).start(task, Ports())
    for _ in range(task.calls):
        reply = await episode.call((await actor.act(episode.view())).answer)
        if reply.done:
            break
    return (await episode.evaluate()).score


def row(game: str, setting: str) -> str:
    key, (tasks, admitted) = keys.key(game), drawn(game, setting)
    naive = [asyncio.run(score(task, key.naive(task))) for task in tasks]
    solver = [asyncio.run(score(task, key.solver(task))) for task in tasks]
    assert solver == [key.reference(task).score for task in tasks]
    cells = (f"{mean(scores):.3f} ({stdev(scores):.3f})" for scores in (naive, solver))
    return f"| {setting} | {admitted:.0%} | {' | '.join(cells)} |"


@pytest.mark.parametrize("game", ["combat-v1", "farm-v1", "hero-v1", "sweepmine-v1"])
def test_the_published_table_is_what_the_policies_score(game):
    rows = [row(game, setting.name) for setting in registry.family(game).settings()]
    table = "\n".join(rows)
    assert table in (PAGES / f"{game}.md").read_text(encoding="utf-8"), f"the table must read:\n{table}"
