"""How fast weights are trained. Aim: an epoch of 500 examples on the tiny model under 60 s on a CPU and within 4 GB."""

import asyncio
import random
import subprocess
import sys

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from rung.backends.training import tiny
from rung.backends.training.policy import Policy
from rung.backends.training.tiny import Tiny
from rung.core.training import Example, TrainSpec
from rung.core.values import Call, Message, ModelRequest, Tool

TOOL = Tool("choose", "Choose.", {"properties": {"move": {"enum": ["collaborate", "cheat"]}}})
MOVES = ("collaborate", "cheat")
MANY = 500


def examples(many: int = MANY) -> list[Example]:
    """Views as long as those of Trust in its last rounds."""
    made = []
    for number in range(many):
        rng = random.Random(number)
        rounds = [f"{n}: You: {rng.choice(MOVES)}, Opponent: {rng.choice(MOVES)}, Payoff: 2" for n in range(1, 10)]
        request = ModelRequest((Message("user", "\n".join(["Round 10 of 10.", *rounds])),), "agent", (TOOL,))
        made.append(Example(request, Call("choose", {"move": rng.choice(MOVES)})))
    return made


def test_an_epoch_of_the_policy(benchmark: BenchmarkFixture):
    lessons, policy = examples(), Policy()
    benchmark(lambda: asyncio.run(policy.epoch(None, lessons, TrainSpec(), 1)))


def test_a_choice_of_the_policy(benchmark: BenchmarkFixture):
    request, policy = examples(1)[0].request, Policy()
    benchmark(lambda: asyncio.run(policy.once(request)))


def test_an_epoch_of_the_tiny_model(benchmark: BenchmarkFixture):
    pytest.importorskip("torch", reason="needs pip install 'rung[train]'")
    lessons, model = examples(), Tiny()
    tiny.reported()  # what is imported and made once
    benchmark.pedantic(lambda: asyncio.run(model.epoch(None, lessons, TrainSpec(), 1)), rounds=3)
    assert benchmark.stats["max"] < 60.0  # type: ignore[index]


MEMORY = """
import asyncio, resource, sys
sys.path.insert(0, {here!r})
from test_training import TrainSpec, Tiny, examples
asyncio.run(Tiny().epoch(None, examples(), TrainSpec(), 1))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def test_the_memory_of_an_epoch_of_the_tiny_model():
    pytest.importorskip("torch", reason="needs pip install 'rung[train]'")
    here = __file__.rpartition("/")[0]
    done = subprocess.run([sys.executable, "-c", MEMORY.format(here=here)], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 4e9
