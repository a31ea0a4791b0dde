"""Who judges the steps of an attempt, and what a method is told of it where the verdict is withheld.

In the main setting of S3Gym (section 4.2) an agent says with each action what it expects it to earn, and pathways are
told that alone. The other judges put another judgement in its place, in the same words, so that what a pathway makes of
judgements is told apart from how good they are:

    itself    what the agent said
    verdict   the reward that the verifier gave
    noise     that reward, with as many errors as the agent made in this attempt, of its own size and kind, at other
              places: its rates of over- and under-judging are kept, and what made it err is not
    model     what another model says, asked with what the agent saw and did, and not with what came of it

A judgement is on record as the fact `judged` of the attempt: `by`, the `scores` told in the order of the steps (null
for none), and `unread`, by step why there is none.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from rung.core.canonical import JSON, canonical
from rung.core.errors import ContextOverflow, InstrumentFault, LimitReached, StoreFault
from rung.core.explore_config import Judge
from rung.core.ports import Model, Provider
from rung.core.values import Action, Call, FeedbackResult, Message, ModelRequest, Step
from rung.protocols import self_score

MAX_DETAIL = 400
JUDGE_TOKENS = 512


@dataclass(frozen=True, slots=True)
class Judging:
    """Who judges; `model` is asked where it is another model."""

    by: Judge = "itself"
    model: Provider | None = None


BY_ITSELF = Judging()


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgement of each step of an attempt, None where there is none, and why not, by step."""

    by: Judge
    scores: tuple[float | None, ...]
    unread: dict[int, str]

    def row(self) -> JSON:
        """The judgement as a fact."""
        return {
            "by": self.by,
            "scores": list(self.scores),
            "unread": {f"{n:04d}": why for n, why in self.unread.items()},
        }


async def judged(by: Judge, feedback: FeedbackResult, *, rng: random.Random, model: Model | None) -> Judged:
    """The judgement of an attempt, from all that is known of it. `rng` places the errors of `noise`."""
    steps = feedback.trajectory
    if by == "model":
        assert model is not None
        return await _by_model(feedback, model)
    said = _said(steps)
    if by == "itself":
        return said
    if by == "noise":
        return Judged(by, with_errors(steps, rng), {})
    missing = {step.index: "the verifier gave no reward" for step in steps if step.score is None}
    return Judged(by, tuple(step.score for step in steps), missing)


def as_judged(feedback: FeedbackResult, fact: JSON) -> FeedbackResult:
    """What a method is told, with the judgement that a `judged` fact holds in place of the agent's."""
    scores = cast("Sequence[float | None]", cast("dict[str, Any]", fact)["scores"])
    steps = (replace(step, self_score=score) for step, score in zip(feedback.trajectory, scores, strict=True))
    return replace(feedback, trajectory=tuple(steps))


# --------------------------------------------------------------------------------------------- by itself


def _said(steps: Sequence[Step]) -> Judged:
    unread = {step.index: self_score.why_none(step.action) for step in steps if step.self_score is None}
    return Judged("itself", tuple(step.self_score for step in steps), unread)


# --------------------------------------------------------------------------------------------- by the verdict


def with_errors(steps: Sequence[Step], rng: random.Random) -> tuple[float | None, ...]:
    """The rewards of the steps, with the agent's errors at other places.

    An error is a judgement on the wrong side of 0: it is put on any of the steps that have a reward on the same side.
    So of the steps without an event as many are judged to be one, and of those with one as many not to be.

    >>> seen = [Step(n, "", (), "", "", score=reward, self_score=said)
    ...         for n, (reward, said) in enumerate([(0, 2), (0, 0), (0, 0), (1, 0)])]
    >>> sorted(with_errors(seen, random.Random(1)))
    [0, 0, 0, 2]
    """
    told = [step.score for step in steps]
    for event in (False, True):
        places = [n for n, step in enumerate(steps) if step.score is not None and (step.score > 0) == event]
        errors = [said for n in places if (said := steps[n].self_score) is not None and (said > 0) != event]
        for place, error in zip(rng.sample(places, len(errors)), errors, strict=True):
            told[place] = error
    return tuple(told)


# --------------------------------------------------------------------------------------------- by another model


async def _by_model(feedback: FeedbackResult, model: Model) -> Judged:
    """Ask for each step. A model that gives no usable answer has judged nothing there."""
    scores: list[float | None] = []
    unread: dict[int, str] = {}
    for step in feedback.trajectory:
        score, why = await _asked(feedback, step, model)
        scores.append(score)
        unread |= {} if score is not None else {step.index: why}
    return Judged("model", tuple(scores), unread)


async def _asked(feedback: FeedbackResult, step: Step, model: Model) -> tuple[float | None, str]:
    try:
        reply = await model.generate(request(feedback, step))
    except StoreFault:
        raise
    except (InstrumentFault, ContextOverflow, LimitReached) as broken:
        return None, f"{type(broken).__name__}: {broken}"[:MAX_DETAIL]
    return self_score.heard(Action(reply.text)).self_score, self_score.why_none(reply.text)


def request(feedback: FeedbackResult, step: Step) -> ModelRequest:
    """What a judge is asked: rules, what the agent saw, and what it did. What it said of that is left out."""
    asked = (Path(__file__).parent / "judging.md").read_text("utf-8").strip()
    answered = feedback.trajectory[step.index - 1].response if step.index else ""
    seen = "\n".join(filter(None, (answered, step.prompt)))
    about = f"Rules:\n{feedback.task['rules']}\n\nSeen:\n{seen}\n\nDone:\n{_done(step.action)}"
    return ModelRequest((Message("system", asked), Message("user", about)), "instrument", max_tokens=JUDGE_TOKENS)


def _done(action: str | Call) -> str:
    if isinstance(action, str):
        return self_score.unsaid(action)
    call = self_score.without(action)
    return f"{call.tool} {canonical(call.arguments)}"
