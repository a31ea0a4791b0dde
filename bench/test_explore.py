"""What exploring costs. Aims: 1 ms of CPU a step in all, and seven games by two pathways by thirty episodes in 120 s.

Everything is in it: games, a scripted model, the pathway, judgements, checkpoints and the baseline. Measured on one
core of a loaded machine, in memory and on disk: 0.48 and 0.92 ms a step, 12.5 and 24 s of CPU for the seven games. Most
of a step on disk is the hashing of prompts that hold a long history.
"""

import time
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from rung.core.config import Config, parse
from rung.core.values import ModelRequest
from rung.protocols import launch, wiring
from rung.protocols.study import Arm
from rung.store.journal import SqliteJournal
from rung.store.memory import MemoryJournal
from rung.testing.models import Provided

GAMES = ("chess-v1", "minesweeper-v1", "nullify-v1", "tetris-v1", "snake-v1", "pvz-v1", "trust-v1")
STEP_AIM, STUDY_AIM = 1e-3, 120.0
SECRET = "a fixed secret"
TURNS = ("UP", "LEFT", "DOWN", "RIGHT")


def says(request: ModelRequest) -> str:
    """A move that is legal in the game at hand, more or less, and what it will earn."""
    if request.role == "improver":
        return "- Look before every move.\n- Do what earned something again."
    turn = sum(message.author == "assistant" for message in request.messages)
    rules = next(message.text for message in request.messages if message.author == "user")[-4000:]
    if "collaborate" in rules:
        move = ("collaborate", "cheat")[turn % 2]
    elif "uncover" in rules:
        move = f"uncover ({turn // 9 % 9}, {turn % 9})"
    elif "zombie" in rules.lower():
        move = f"X {turn % 3} {turn % 7}"
    elif "LEFT" in rules:
        move = TURNS[turn // 2 % 4]
    elif "rotation" in rules.lower():
        move = f"{turn % 8 + 1} 0"
    elif "piece" in rules.lower():
        move = "A:(1, 2), B:(3, 4)"
    else:
        move = "0 1"
    return f"I look at the board and think for a while.\nAnswer: {move}, Score: {turn % 2}"


def study(*games: str) -> tuple[Config, tuple[Arm, ...]]:
    """One lineage of history and summary in these games, as the paper has it."""
    config = parse(
        {
            "name": "bench",
            "protocol": "explore",
            "lineages": 1,
            "seed": 3,
            "agent": {"kind": "chat", "model": "scripted/function"},
            "exam": {"secret": SECRET},
            "explore": {"games": list(games), "pathways": ["history", "summary"]},
        }
    )
    model = Provided(says)
    return config, wiring.arms(config, models={model.id: model})


def steps(journal: MemoryJournal | SqliteJournal) -> int:
    return sum(1 for _ in journal.facts(kind="step"))


@pytest.mark.benchmark(timer=time.process_time)
def test_seven_games_in_memory(benchmark: BenchmarkFixture):
    config, arms = study(*GAMES)
    journal = benchmark.pedantic(lambda: launch.simulate(config, secret=SECRET, arms=arms), rounds=1)
    took = benchmark.stats.stats.median if benchmark.stats is not None else 0.0
    assert took <= STUDY_AIM
    assert took / steps(journal) <= STEP_AIM


@pytest.mark.benchmark(timer=time.process_time)
def test_seven_games_on_disk(benchmark: BenchmarkFixture, tmp_path: Path):
    config, arms = study(*GAMES)
    directory = benchmark.pedantic(lambda: launch.run(config, tmp_path / "run", arms=arms), rounds=1)
    took = benchmark.stats.stats.median if benchmark.stats is not None else 0.0
    journal = SqliteJournal(directory.journal, read_only=True)
    assert took <= STUDY_AIM
    assert took / steps(journal) <= 2 * STEP_AIM  # what is written is hashed and synced too
    journal.close()
