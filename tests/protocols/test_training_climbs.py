"""A look at what `tests/slow/test_training_measured.py` measures on Trust, on a game of one step that takes a second.

The right colour is the last one seen. Each task is played eight times by a policy that draws, filtered within the task,
and trained on: told the verdict it rises; with rewards or labels dealt anew it stays where it was.
"""

import asyncio
import random
from collections.abc import Callable
from typing import Literal

import pytest

from rung.backends.training.policy import Policy
from rung.core.canonical import sha256
from rung.core.training import Example, TrainSpec
from rung.core.values import Call, Message, ModelRequest, Tool
from rung.methods.training.lessons import Lesson, Played, Shuffle, kept, shuffled

COLOURS = ("red", "green", "blue")
PAINT = Tool("paint", "Paint it.", {"type": "object", "properties": {"colour": {"enum": list(COLOURS)}}})
PLAYS, TASKS, TRAININGS = 8, 30, 4
Judge = Callable[[str, ModelRequest, Call], float]


def task(number: int) -> tuple[str, str]:
    """What is seen, and the right colour."""
    rng = random.Random(number)
    first, last = rng.choice(COLOURS), rng.choice(COLOURS)
    return f"It was {first} at {rng.randrange(9)}, and now it is {last}.", last


class Learner:
    """A policy with the weights it has come to."""

    def __init__(self) -> None:
        self.policy, self.weights, self.kept = Policy(), None, dict[str, bytes]()
        self.policy.borrow(self.kept.__getitem__)

    async def play(self, number: int, seed: int) -> tuple[Lesson, float]:
        seen, right = task(number)
        name = None if self.weights is None else sha256(self.weights)
        request = ModelRequest((Message("user", seen),), "agent", (PAINT,), temperature=1.0, weights=name, seed=seed)
        call = (await self.policy.once(request)).calls[0]
        reward = float(call.arguments["colour"] == right)
        return Lesson(Example(request, call), reward), reward

    async def train(self, round_: int, shuffle: Shuffle) -> None:
        episodes = []
        for number in range(round_ * TASKS, (round_ + 1) * TASKS):
            for play in range(PLAYS):
                lesson, reward = await self.play(number, number * PLAYS + play)
                episodes.append(Played(str(number), (lesson,), reward))
        dealt = shuffled(episodes, shuffle, random.Random(round_))
        examples = kept(dealt, "task", share=0.25, bar=0.0).examples
        self.weights = (await self.policy.epoch(self.weights, examples, TrainSpec(seed=round_), 1)).weights
        self.kept[sha256(self.weights)] = self.weights

    async def score(self) -> float:
        """The share of unseen tasks that are answered right, drawing."""
        played = [(await self.play(10_000 + number, number))[1] for number in range(300)]
        return sum(played) / len(played)


async def gained(shuffle: Shuffle) -> float:
    learner = Learner()
    before = await learner.score()
    for round_ in range(TRAININGS):
        await learner.train(round_, shuffle)
    return await learner.score() - before


def test_told_the_verdict_it_rises():
    assert asyncio.run(gained("none")) > 0.25


@pytest.mark.parametrize("shuffle", ["rewards", "labels"])
def test_told_the_verdict_of_others_it_stays_where_it_was(shuffle: Literal["rewards", "labels"]):
    assert abs(asyncio.run(gained(shuffle))) < 0.12  # 2.2 standard errors of a difference of two such shares
