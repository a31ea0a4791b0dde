"""What one step can earn is declared by each game of S3Gym, and no step ever earns anything else."""

import asyncio
from dataclasses import replace

import pytest

from rung.core import registry
from rung.core.errors import UsageError
from rung.core.ports import Ports
from rung.core.seeds import Seed
from rung.core.waiting import settle
from rung.tasks import keys
from rung.tasks.rewards import reward_range, score_step

GAMES = ["chess-v1", "minesweeper-v1", "nullify-v1", "pvz-v1", "snake-v1", "tetris-v1", "trust-v1"]


async def rewards(game: str, setting: str, place: int, who: str) -> list[float]:
    """The rewards of one task, played by the solver or the newcomer of its key."""
    family, key = registry.family(game), keys.key(game)
    task = family.draw(family.setting(setting), Seed(f"rewards/{game}/{setting}/{place}"))
    actor = getattr(key, who)(task)
    episode = await settle(family.start, task, Ports())
    earned = []
    for _ in range(task.calls):
        action = await settle(actor.act, replace(episode.view(), family=game, setting=setting))
        call = family.parse(action.answer) if isinstance(action.answer, str) else action.answer
        reply = await settle(episode.call, call)
        earned.append(reply.score)
        if reply.done:
            break
    return earned


@pytest.mark.parametrize("game", GAMES)
def test_what_is_played_earns_within_the_declared_range_and_something(game):
    declared = reward_range(registry.family(game))
    assert declared is not None
    low, high = declared
    earned = [
        each
        for setting in ("explore", "evaluate")
        for who in ("naive", "solver")
        for place in range(2)
        for each in asyncio.run(rewards(game, setting, place, who))
    ]
    assert None not in earned
    assert low <= min(earned)
    assert 0 < max(earned) <= high


def test_a_family_that_declares_nothing_has_no_range():
    assert reward_range(registry.family("farm-v1")) is None


@pytest.mark.parametrize("declared", [(1.0, 1.0), (2, 1), (0, float("inf")), "high", 3, (1, 2, 3)])
def test_a_declaration_that_is_no_range_is_refused(declared):
    class Odd:
        id = "odd-v1"
        reward = declared

    with pytest.raises(UsageError, match="odd-v1"):
        reward_range(Odd())  # type: ignore[arg-type]


@pytest.mark.parametrize("game", GAMES)
def test_the_score_step_is_no_more_than_any_score_above_0_on_its_strict_setting(game):
    family, key = registry.family(game), keys.key(game)
    step = score_step(family)
    assert step is not None
    references = [
        key.reference(family.draw(family.setting("evaluate"), Seed(f"step/{game}/{place}"))).score for place in range(2)
    ]
    assert all(score >= step for score in references if score > 0)


@pytest.mark.parametrize("declared", [0, -1.0, "one", True, float("inf")])
def test_a_score_step_that_is_no_size_is_refused(declared):
    class Odd:
        id = "odd-v1"
        score_step = declared

    with pytest.raises(UsageError, match="odd-v1"):
        score_step(Odd())  # type: ignore[arg-type]
