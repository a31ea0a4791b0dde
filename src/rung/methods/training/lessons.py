"""From judged episodes to examples: which steps are kept, which are dropped, and which are to be answered better.

Whose judgement it is, a study says (`explore.judges`); here it is `self_score`, a number or none for each step. What an
episode is worth is the sum over its steps. The two shuffles are controls: both leave all else as it is.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from statistics import fmean
from typing import Literal, TypeAlias

from rung.core.canonical import JSON, fingerprint
from rung.core.training import Example, unjudged
from rung.core.values import Call, FeedbackResult, ModelReply, Step

Filter: TypeAlias = Literal["task", "step", "none"]
Shuffle: TypeAlias = Literal["none", "rewards", "labels"]
FILTERS: tuple[Filter, ...] = ("task", "step", "none")
SHUFFLES: tuple[Shuffle, ...] = ("none", "rewards", "labels")


@dataclass(frozen=True, slots=True)
class Lesson:
    """One step that may become an example, and how it was judged; None where it was not."""

    example: Example
    judged: float | None


@dataclass(frozen=True, slots=True)
class Played:
    """One episode: its task, by an opaque name, and its steps that were answered by a model and were legal.

    `worth` is the sum of all judgements, None where a step has none.
    """

    task: str
    lessons: tuple[Lesson, ...]
    worth: float | None


@dataclass(frozen=True, slots=True)
class Kept:
    """What is learned from: examples as they are, lessons that need a better answer, and the counts behind them."""

    examples: tuple[Example, ...]
    low: tuple[Lesson, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def why_none(self) -> str:
        """How it came that nothing is left, in words."""
        told = ", ".join(f"{count} {what}" for what, count in self.counts.items())
        return f"no example is left ({told})"


def played(feedback: FeedbackResult) -> Played:
    """An episode as a method was told of it."""
    steps = feedback.trajectory
    lessons = tuple(lesson for step in steps if (lesson := _lesson(step)) is not None)
    judged = [step.self_score for step in steps if step.self_score is not None]
    whole = bool(steps) and len(judged) == len(steps)
    return Played(str(feedback.task["instance"]), lessons, fsum(judged) if whole else None)


def _lesson(step: Step) -> Lesson | None:
    if step.agent_call is None or step.invalid:
        return None
    return Lesson(Example(step.agent_call.request, answer_of(step.agent_call.reply)), step.self_score)


def answer_of(reply: ModelReply) -> Call | str:
    """What a reply answered: its first call without its own judgement, else its text."""
    return unjudged(reply.calls[0]) if reply.calls else reply.text


def kept(episodes: Sequence[Played], how: Filter, *, share: float, bar: float) -> Kept:
    """The examples of a batch of episodes.

    `task` keeps whole episodes: of those of one task the best `share` of them, and only those above that task's mean,
    for a worth that is high by itself says mostly that the task was easy. `step` keeps every step judged above `bar`,
    as S3Gym does; the other judged ones are low. `none` keeps all.
    """
    steps = [lesson for episode in episodes for lesson in episode.lessons]
    counts = {"episodes": len(episodes), "steps": len(steps)}
    if how == "none":
        return Kept(tuple(lesson.example for lesson in steps), counts=counts)
    if how == "step":
        judged = [lesson for lesson in steps if lesson.judged is not None]
        high = [lesson.example for lesson in judged if lesson.judged is not None and lesson.judged > bar]
        low = tuple(lesson for lesson in judged if lesson.judged is not None and lesson.judged <= bar)
        return Kept(tuple(high), low, {**counts, "judged": len(judged), "low": len(low)})
    best = [episode for group in _by_task(episodes) for episode in _best(group, share)]
    judged_whole = sum(episode.worth is not None for episode in episodes)
    once = sum(len(group) == 1 for group in _by_task(episodes))
    counts |= {"judged whole": judged_whole, "of a task played once": once, "kept": len(best)}
    return Kept(tuple(lesson.example for episode in best for lesson in episode.lessons), counts=counts)


def _by_task(episodes: Sequence[Played]) -> Iterable[Sequence[Played]]:
    groups: dict[str, list[Played]] = {}
    for episode in episodes:
        groups.setdefault(episode.task, []).append(episode)
    return groups.values()


def _best(group: Sequence[Played], share: float) -> Sequence[Played]:
    """The best of the judged episodes of one task, the earlier of equals."""
    judged = [(episode.worth, episode) for episode in group if episode.worth is not None]
    if not judged:
        return ()
    mean = fmean(worth for worth, _ in judged)
    most = max(1, int(share * len(judged)))
    ranked = sorted(judged, key=lambda each: -each[0])[:most]
    return [episode for worth, episode in ranked if worth > mean]


# --------------------------------------------------------------------------------------------- controls


def shuffled(episodes: Sequence[Played], what: Shuffle, rng: random.Random) -> Sequence[Played]:
    """The same episodes with judgements, or answers, that belong to others.

    `rewards` deals the worths anew over all episodes, and the judgements of steps over all steps. `labels` deals the
    answers anew over all steps at which the same answers were legal. Either way nothing that is kept can have been kept
    for what it is.
    """
    if what == "rewards":
        return _with_judgements(_dealt_worths(episodes, rng), rng)
    return _with_answers(episodes, rng) if what == "labels" else episodes


def _dealt_worths(episodes: Sequence[Played], rng: random.Random) -> Sequence[Played]:
    worths = [episode.worth for episode in episodes]
    rng.shuffle(worths)
    return [replace(episode, worth=worth) for episode, worth in zip(episodes, worths, strict=True)]


def _with_judgements(episodes: Sequence[Played], rng: random.Random) -> Sequence[Played]:
    judged = [lesson.judged for episode in episodes for lesson in episode.lessons]
    rng.shuffle(judged)
    dealt = iter(judged)
    return [
        replace(episode, lessons=tuple(replace(lesson, judged=next(dealt)) for lesson in episode.lessons))
        for episode in episodes
    ]


def _with_answers(episodes: Sequence[Played], rng: random.Random) -> Sequence[Played]:
    answers: dict[str, list[Call | str]] = {}
    for episode in episodes:
        for lesson in episode.lessons:
            answers.setdefault(_legal(lesson.example), []).append(lesson.example.answer)
    for each in answers.values():
        rng.shuffle(each)
    return [
        replace(episode, lessons=tuple(_answered(each, answers) for each in episode.lessons)) for episode in episodes
    ]


def _answered(lesson: Lesson, answers: Mapping[str, list[Call | str]]) -> Lesson:
    return replace(lesson, example=replace(lesson.example, answer=answers[_legal(lesson.example)].pop()))


def _legal(example: Example) -> str:
    """What may be answered to an example, in one word."""
    tools: list[JSON] = [[tool.name, tool.parameters] for tool in example.request.tools]
    return fingerprint(tools)
