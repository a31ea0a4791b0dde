"""Whose judgement of each step a pathway is told."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rung.core.values import Call, FeedbackResult, Step
from rung.protocols import self_score
from rung.protocols.judging import Judged, as_judged, judged, request, with_errors

Pair = tuple[float | None, float | None]
"""A reward, and what the agent said that it would be."""


def episode(*pairs: Pair, actions: Sequence[str] = ()) -> FeedbackResult:
    steps = tuple(
        Step(n, "seen", (), actions[n] if actions else "Answer: x", "", score=reward, self_score=said)
        for n, (reward, said) in enumerate(pairs)
    )
    return FeedbackResult("t-1", {"rules": "Play."}, steps, None)


def by(judge: str, feedback: FeedbackResult, seed: int = 1) -> Judged:
    return asyncio.run(judged(judge, feedback, rng=random.Random(seed), model=None))  # type: ignore[arg-type]


SEEN = episode((1.0, 0.5), (0.0, 2.0), (-1.0, None), (None, 1.0))


def test_by_itself_it_is_what_was_said():
    assert by("itself", SEEN).scores == (0.5, 2.0, None, 1.0)


def test_by_the_verdict_it_is_what_was_earned():
    found = by("verdict", SEEN)
    assert found.scores == (1.0, 0.0, -1.0, None)
    assert found.unread == {3: "the verifier gave no reward"}


def test_the_fact_holds_whose_it_is_what_and_why_not():
    assert by("itself", SEEN).row() == {
        "by": "itself",
        "scores": [0.5, 2.0, None, 1.0],
        "unread": {"0002": "it says no score"},
    }


def test_a_pathway_is_told_the_judgement_in_place_of_the_agents():
    told = as_judged(SEEN, by("verdict", SEEN).row())
    assert [step.self_score for step in told.trajectory] == [1.0, 0.0, -1.0, None]


def test_noise_puts_each_error_on_a_step_of_the_same_kind():
    seen = episode((0.0, 3.0), (0.0, 0.0), (0.0, 0.0), (2.0, -1.0), (2.0, 2.0))
    found = {by("noise", seen, seed).scores for seed in range(60)}
    assert found == {
        tuple(3.0 if place == over else 0.0 for place in range(3)) + rest
        for over in range(3)
        for rest in ((-1.0, 2.0), (2.0, -1.0))
    }


PAIRS = st.lists(
    st.tuples(st.sampled_from([-1.0, 0.0, 0.5, 3.0]), st.sampled_from([None, -1.0, 0.0, 0.5, 3.0])), max_size=20
)


@given(PAIRS, st.integers(0, 10))
def test_noise_keeps_the_rates_of_over_and_of_under_judging(pairs: list[Pair], seed: int):
    steps = episode(*pairs).trajectory

    def rates(scores: Sequence[float | None]) -> tuple[int, int]:
        both = [(said > 0, step.score > 0) for step, said in zip(steps, scores, strict=True)
                if said is not None and step.score is not None]  # fmt: skip
        return sum(said and not event for said, event in both), sum(event and not said for said, event in both)

    assert rates(with_errors(steps, random.Random(seed))) == rates([step.self_score for step in steps])


@given(PAIRS)
def test_without_errors_noise_is_the_verdict(pairs: list[Pair]):
    right = [(reward, reward) for reward, _ in pairs]
    assert by("noise", episode(*right)).scores == by("verdict", episode(*right)).scores


# ---------------------------------------------------------------------------------------------- why there is none


def test_why_no_score_was_heard_is_said():
    said = {
        "Answer: LEFT": "it says no score",
        "": "it says no score",
        "Answer: LEFT, Score: high": "its score is no number: 'high'",
        "Score: 1\nAnswer: LEFT": "it says no score",
        "Answer: LEFT, Score: 1/0": "its score is no number: '1/0'",
        "Answer: A, Score: 1\nAnswer: B, Score: good": "its score is no number: 'good'",
    }
    assert {text: self_score.why_none(text) for text in said} == said
    assert self_score.why_none(Call("go", {"self_score": "high"})) == "its score is no number: 'high'"
    assert self_score.why_none(Call("go", {})) == "it says no score"


def test_every_step_without_a_score_says_why():
    actions = ["Answer: a, Score: two", "b"]
    found = by("itself", episode((0.0, None), (0.0, None), actions=actions))
    assert found.unread == {0: "its score is no number: 'two'", 1: "it says no score"}


def test_a_judge_is_not_shown_what_the_agent_judged():
    shown = {
        "I go.\nAnswer: LEFT, Score: 0.5": "I go.\nAnswer: LEFT",
        "**Answer: LEFT, Score: 1**": "**Answer: LEFT",
        "Answer: LEFT": "Answer: LEFT",
        "Answer: LEFT, Score: high": "Answer: LEFT, Score: high",
    }
    assert {text: self_score.unsaid(text) for text in shown} == shown


def test_a_judge_is_shown_the_words_of_an_answer_without_its_score():
    step = replace(SEEN.trajectory[0], action="I go.\nAnswer: LEFT, Score: 0.5")
    assert request(SEEN, step).messages[-1].text == ("Rules:\nPlay.\n\nSeen:\nseen\n\nDone:\nI go.\nAnswer: LEFT")


def test_a_judge_is_shown_what_the_step_before_was_answered():
    steps = (replace(SEEN.trajectory[0], response="You gained 3."), *SEEN.trajectory[1:])
    text = request(replace(SEEN, trajectory=steps), steps[1]).messages[-1].text
    assert "Seen:\nYou gained 3.\nseen" in text


def test_a_call_is_shown_without_its_score_too():
    step = replace(SEEN.trajectory[0], action=Call("go", {"to": "left", "self_score": 0.5}))
    text = request(SEEN, step).messages[-1].text
    assert text.endswith('Done:\ngo {"to":"left"}')
