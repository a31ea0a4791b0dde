"""What exploring costs at most is said before it starts, and a quick look at it is a small study of its own."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rung.core.config import Config, parse
from rung.protocols import forecast, launch
from rung.protocols.quick import shrink
from rung.protocols.shortfalls import shortfalls

from .explored import SECRET, TINY, Explored

ROAD = {"family": "toy-road-v1", "explore": "d1", "evaluate": "d2"}


def config(how: dict[str, Any] | None = None, **changes: Any) -> Config:
    document = {
        "name": "explore",
        "protocol": "explore",
        "lineages": 2,
        "agent": {"kind": "chat", "model": "scripted/echo", "max_tokens": 200},
        "explore": {
            "games": [TINY, ROAD],
            "pathways": ["history", "summary"],
            "judges": ["model"],
            "judge": "scripted/echo",
            "episodes": 4,
            "checkpoint_every": 2,
            "checkpoint_episodes": 2,
            "baseline_episodes": 5,
            **(how or {}),
        },
        **changes,
    }
    return parse(document)


def calls(seen: Explored) -> int:
    return sum(1 for fact in seen.journal.facts() if fact.kind.startswith("call/"))


def test_attempts_are_foreseen_exactly_and_calls_are_no_more_than_was_said():
    seen = Explored(launch.simulate(config(), secret=SECRET))
    said = forecast.make(config())
    assert said.total.attempts == len(seen.paths()) == said.extent.attempts(1)
    assert calls(seen) <= said.total.calls
    assert said.unknown == ()


def test_a_judge_is_foreseen_by_itself():
    seen = Explored(launch.simulate(config(), secret=SECRET))
    judging = next(part for part in forecast.make(config()).phases if part.phase == "judging")
    asked = sum(1 for fact in seen.journal.facts() if fact.kind.startswith("call/") and fact.path.endswith("/judge"))
    assert asked == judging.cost.calls == 2 * 2 * (4 * 1 + 4 * 2)  # two arms with a judge, two lineages
    assert (judging.cost.attempts, judging.unknown) == (0, "")


def test_without_a_judge_there_is_no_such_phase():
    said = forecast.make(config({"judges": [], "judge": None}))
    assert [part.phase for part in said.phases] == ["working", "trying", "refining", "examining"]


def test_the_baseline_is_paid_once_and_works_nothing():
    first = forecast.make(config()).arms[0]
    assert (first.name, [part.phase for part in first.parts]) == ("baseline", ["examining"])
    assert first.total.attempts == 2 * 5


def test_no_call_is_said_to_read_more_than_the_cap():
    said = forecast.make(config({"input_tokens": 25_000, "output_tokens": 50}))
    assert said.longest == 25_000 * 4
    assert said.total.written == said.total.calls * 50


@pytest.mark.parametrize("plays", [1, 2])
def test_plays_are_attempts(plays: int):
    settings = config({"plays": plays})
    assert forecast.make(settings).total.attempts == len(Explored(launch.simulate(settings, secret=SECRET)).paths())


# ---------------------------------------------------------------------------------------------- a quick look


@given(
    st.integers(1, 6), st.integers(1, 12), st.integers(1, 5), st.integers(1, 40), st.integers(1, 9), st.integers(1, 4)
)
def test_a_quick_look_is_small_whatever_the_study(
    every: int, checkpoints: int, size: int, baseline: int, lineages: int, plays: int
):
    how = {"checkpoint_every": every * plays, "episodes": every * plays * checkpoints, "plays": plays,
           "checkpoint_episodes": size, "baseline_episodes": baseline}  # fmt: skip
    small, _ = shrink(config(how, lineages=lineages))
    assert small.explore is not None
    assert (small.explore.episodes <= 4, small.explore.sealed <= 4, small.lineages <= 2) == (True, True, True)
    assert shrink(small)[0] == small


def test_what_a_quick_look_changed_is_said():
    _, said = shrink(config({"episodes": 30, "checkpoint_every": 3, "checkpoint_episodes": 3}))
    assert [line for line in said if line.startswith("explore.")] == [
        "explore.episodes: 30 -> 4",
        "explore.checkpoint_every: 3 -> 2",
        "explore.checkpoint_episodes: 3 -> 2",
        "explore.baseline_episodes: 5 -> 4",
    ]


def test_a_small_baseline_is_warned_of():
    (said,) = [line for line in shortfalls(config()) if line.startswith("explore.")]
    assert said.startswith("explore.baseline_episodes: A_0 sits 5 tasks of each game, and with fewer than 30 the noise")
    assert not [line for line in shortfalls(config({"baseline_episodes": 30})) if line.startswith("explore.")]
