"""What goes wrong in exploring is on record with its reason, and the study goes on and comes to the same again."""

from collections.abc import Callable
from typing import Any

import pytest

from rung.core.config import parse
from rung.core.errors import ContextOverflow, ModelUnusable
from rung.core.values import ModelRequest
from rung.protocols import launch, wiring
from rung.protocols.lines import Caps
from rung.store.memory import MemoryJournal
from rung.testing.models import Provided

from .explored import SECRET, TINY, Explored

SNAKE = "snake-v1"
CHESS = "chess-v1"


def explored(answer: Callable[[ModelRequest], Any], *games: Any, method: str = "history", **how: Any) -> Explored:
    """One lineage of two episodes and a checkpoint after each, with a chat agent over a scripted model."""
    return Explored(conducted(answer, *games, method=method, journal=MemoryJournal(), **how))


def conducted(
    answer: Callable[[ModelRequest], Any], *games: Any, method: str, journal: MemoryJournal, **how: Any
) -> MemoryJournal:
    document = {
        "name": "odd",
        "protocol": "explore",
        "lineages": 1,
        "agent": {"kind": "chat", "model": "scripted/function"},
        "method": {"name": method},
        "explore": {
            "games": list(games),
            "episodes": 2,
            "checkpoint_every": 1,
            "checkpoint_episodes": 1,
            "baseline_episodes": 1,
            **how,
        },
    }
    config = parse(document)
    model = Provided(answer)
    arms = wiring.arms(config, models={model.id: model})
    return launch.simulate(config, secret=SECRET, arms=arms, journal=journal)


def first(found: Explored, game: str, kind: str) -> Any:
    return found.fact(f"history.{game}/L1/work/0001", kind)


# ---------------------------------------------------------------------------------------------- answers


def test_END_at_step_0_ends_an_episode_that_is_scored_as_it_stands_and_told_of():
    seen = explored(lambda request: "I stop here.\nAnswer: END, Score: 0", CHESS)
    assert first(seen, CHESS, "sealed")["steps"] == 1
    assert first(seen, CHESS, "sealed")["score"] == 0.0
    assert first(seen, CHESS, "judged") == {"by": "itself", "scores": [0.0], "unread": {}}
    files = seen.files(seen.fact(f"history.{CHESS}/L1", "final")["snapshot"])
    assert b'"done":"END"' in files["agent/memory/history/0001.jsonl"]


def test_no_score_is_none_and_the_action_counts_all_the_same():
    seen = explored(lambda request: "Answer: UP", SNAKE, steps=2)
    assert first(seen, SNAKE, "judged") == {
        "by": "itself",
        "scores": [None, None],
        "unread": {"0000": "it says no score", "0001": "it says no score"},
    }
    assert seen.fact(f"history.{SNAKE}/L1/work/0001/step/0000", "step")["parsed"] is True


def test_a_score_in_words_is_none_and_quoted():
    seen = explored(lambda request: "Answer: UP, Score: a lot", SNAKE, steps=1)
    assert first(seen, SNAKE, "judged")["unread"] == {"0000": "its score is no number: 'a lot'"}


def test_of_several_answer_lines_the_last_counts_for_action_and_score():
    seen = explored(lambda request: "Answer: UP, Score: 1\nNo.\nAnswer: LEFT, Score: 0.25", SNAKE, steps=1)
    assert first(seen, SNAKE, "judged")["scores"] == [0.25]
    kept = seen.files(seen.fact(f"history.{SNAKE}/L1", "final")["snapshot"])["agent/memory/history/0001.jsonl"]
    assert b'"done":"LEFT"' in kept


def test_an_episode_ends_after_so_many_steps():
    seen = explored(lambda request: "Answer: UP, Score: 0", SNAKE, steps=5)
    assert first(seen, SNAKE, "sealed")["steps"] == 5


# ---------------------------------------------------------------------------------------------- caps


def test_a_call_asks_for_no_more_than_the_cap():
    asked: list[int | None] = []

    def answer(request: ModelRequest) -> str:
        asked.append(request.max_tokens)
        return "Answer: UP, Score: 0"

    explored(answer, SNAKE, steps=1, output_tokens=100)
    assert set(asked) == {100}


@pytest.mark.parametrize(("letters", "fits"), [(400, True), (401, False)])
def test_a_prompt_of_more_bytes_than_the_cap_overflows(letters: int, fits: bool):
    from rung.core.values import Message

    request = ModelRequest((Message("user", "a" * letters),), "agent")
    if fits:
        Caps(100, 10).refuse_longer(request)
    else:
        with pytest.raises(ContextOverflow, match="about 101 input tokens, and a call reads 100 at most"):
            Caps(100, 10).refuse_longer(request)


def long(request: ModelRequest) -> str:
    return f"{'I think a lot. ' * 300}\nAnswer: {'y' * 3000}, Score: 0"


def test_hints_that_overflow_are_dropped_and_the_attempt_goes_on():
    """An action of 3,000 letters is kept, so the second episode's prompt is too long until its hints are dropped."""
    seen = explored(long, TINY, input_tokens=800)
    failed = list(seen.journal.facts(under="history.toy-lock-v1/L1/work/0002", kind="failed/000000"))
    assert [fact.value["error"] for fact in failed] == ["ContextOverflow"]  # type: ignore[index,call-overload]
    assert seen.fact("history.toy-lock-v1/L1/work/0002", "call/000001") is not None
    assert seen.fact("history.toy-lock-v1/L1/work/0002", "ended")["ending"] == "queue_empty"


def test_a_conversation_that_overflows_by_itself_is_scored_as_it_stands():
    seen = explored(long, SNAKE, input_tokens=1500)
    sealed = first(seen, SNAKE, "sealed")
    assert (sealed["status"], sealed["steps"]) == ("error", 1)
    assert first(seen, SNAKE, "ended")["ending"] == "agent_crashed"
    assert len(first(seen, SNAKE, "judged")["scores"]) == 1


# ---------------------------------------------------------------------------------------------- on and on


@pytest.mark.parametrize("method", ["history", "summary"])
@pytest.mark.parametrize("until", [1, 4, 7, 13])
def test_a_study_that_stopped_in_the_middle_goes_on_to_the_same(method: str, until: int):
    """The provider is down at some call; what overflowed, was unread or was judged before is not asked again."""
    whole = conducted(odd, SNAKE, TINY, method=method, journal=MemoryJournal(), steps=3, input_tokens=1500).digest()
    calls = 0

    def stops(request: ModelRequest) -> str:
        nonlocal calls
        calls += 1
        if calls == until:
            raise ModelUnusable("the key has expired")
        return odd(request)

    journal = MemoryJournal()
    with pytest.raises(ModelUnusable):
        conducted(stops, SNAKE, TINY, method=method, journal=journal, steps=3, input_tokens=1500)
    assert conducted(odd, SNAKE, TINY, method=method, journal=journal, steps=3, input_tokens=1500).digest() == whole


def odd(request: ModelRequest) -> str:
    """Long and short, with and without a score, as the number of messages has it."""
    turn = sum(len(message.text) for message in request.messages) % 3
    return (long(request), "Answer: UP", "Answer: LEFT, Score: high\nAnswer: DOWN, Score: 1")[turn]
