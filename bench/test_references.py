"""How long references take: Farm's integer program and Combat's two searches, each on instances nobody has solved."""

from itertools import count

import pytest

from rung.calibrate.references import nth
from rung.core.values import Task
from rung.tasks.games.combat_v1.chain import Chain
from rung.tasks.games.combat_v1.solver import best_line, proven
from rung.tasks.games.farm_v1.engine import Farm
from rung.tasks.games.farm_v1.planner import best_plan


def fresh(game: str, setting: str):
    """Another instance each time, so that nothing is answered from a cache."""
    numbers = count(1)
    return lambda: ((nth(game, setting, next(numbers), root="bench"),), {})


@pytest.mark.parametrize("setting", ["d1", "d3", "d5", "d8"])
def test_a_farm_is_planned(benchmark, setting: str):
    def plan(task: Task):
        return best_plan(Farm.of(task.payload))

    found = benchmark.pedantic(plan, setup=fresh("farm-v1", setting), rounds=20)
    assert found.profit > 0
    assert found.most - found.profit <= 0.02 * found.profit


@pytest.mark.parametrize("setting", ["d1", "d5"])
def test_a_chain_is_solved(benchmark, setting: str):
    def solve(task: Task):
        chain = Chain.of(task)
        return best_line(chain), proven(chain)

    line, proof = benchmark.pedantic(solve, setup=fresh("combat-v1", setting), rounds=20)
    assert proof.line.objective >= line.objective
