"""The pool of a state: every version of the prompts that was accepted, and how each did where it was at work.

    method/pool.json                      who came of whom, who is at work, and scores by family and setting
    method/pool/0003/agent/prompt/...     the texts of version 3; those of the version at work are the agent's own files

Version 0 is A_0 and is kept nowhere until a second is proposed, so that A_0 is the plain agent's state. A candidate
holds the pool with itself in it, at work. So a pool that a lineage goes on with tells who has been at work since; how
that one did stands in the lineage's log, and is counted when the next candidate is made.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from rung.core.canonical import JSON, canonical
from rung.core.ports import FeedbackLog
from rung.core.values import FeedbackResult, State

INSTRUCTIONS = "agent/prompt/instructions.md"
"""A prompt of the method's own, for agents that bring none."""

POOL = "method/pool.json"
TEXTS = "method/pool"

NEWEST = 50
"""Attempts of a log that are read at most: a long stretch in which nothing was accepted is not read again and again."""

PRIOR = 2.0
"""Attempts for which the mean of all versions counts where the score of one is estimated."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Scores in one family and setting."""

    total: float = 0.0
    many: int = 0

    def plus(self, score: float) -> "Tally":
        """With one more."""
        return Tally(self.total + score, self.many + 1)


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the prompts, the version it was rewritten from, and how it did."""

    number: int
    parent: int | None
    texts: Mapping[str, str]
    scores: Mapping[str, Tally] = field(default_factory=dict)

    def mean(self, bucket: str) -> float | None:
        """Its mean score in a family and setting; None where it was not at work there."""
        tally = self.scores.get(bucket)
        return tally.total / tally.many if tally is not None else None


@dataclass(frozen=True, slots=True)
class Pool:
    """The versions in the order of their numbers, who is at work, and how many attempts of the log are counted.

    `next` is the number of the next version; a number is never given again.
    """

    versions: tuple[Version, ...]
    at_work: int
    counted: int
    next: int

    def of(self, number: int) -> Version:
        """The version with this number."""
        return next(each for each in self.versions if each.number == number)

    @property
    def buckets(self) -> list[str]:
        """Families and settings in which some version was at work."""
        return sorted({bucket for each in self.versions for bucket in each.scores})

    def fronts(self) -> Mapping[str, set[int]]:
        """For each family and setting the places in the pool of those with the best mean there."""
        found: dict[str, set[int]] = {}
        for bucket in self.buckets:
            means = {at: mean for at, each in enumerate(self.versions) if (mean := each.mean(bucket)) is not None}
            found[bucket] = {at for at, mean in means.items() if mean == max(means.values())}
        return found

    def estimates(self) -> list[float]:
        """What each version scores, over all families and settings alike; little is known of one, it is near the rest.

        Each mean is drawn to that of all versions by `PRIOR` attempts.
        """
        return [fmean([self._estimate(each, bucket) for bucket in self.buckets] or [0.0]) for each in self.versions]

    def _estimate(self, version: Version, bucket: str) -> float:
        there = [each.scores[bucket] for each in self.versions if bucket in each.scores]
        prior = sum(tally.total for tally in there) / sum(tally.many for tally in there)
        own = version.scores.get(bucket, Tally())
        return (own.total + PRIOR * prior) / (own.many + PRIOR)

    def best(self) -> int:
        """The number of the version that is estimated highest: the one at work among equals, or else the oldest."""
        estimates = dict(zip((each.number for each in self.versions), self.estimates(), strict=True))
        return max(estimates, key=lambda number: (estimates[number], number == self.at_work, -number))


# --------------------------------------------------------------------------------------------- changes


def tallied(pool: Pool, log: FeedbackLog) -> Pool:
    """With the attempts of a log that were not counted yet, all of which are of the version at work."""
    worker = pool.of(pool.at_work)
    scores = dict(worker.scores)
    for number in range(max(pool.counted, len(log) - NEWEST), len(log)):
        told = log[number]
        if told.evaluation is not None:
            scores[bucket(told)] = scores.get(bucket(told), Tally()).plus(told.evaluation.score)
    others = [each for each in pool.versions if each.number != worker.number]
    versions = sorted([*others, replace(worker, scores=scores)], key=lambda each: each.number)
    return replace(pool, versions=tuple(versions), counted=len(log))


def bucket(told: FeedbackResult) -> str:
    """Family and setting of an attempt."""
    return f"{told.task['family']} {told.task['setting']}"


def grown(pool: Pool, parent: int, texts: Mapping[str, str], *, most: int) -> tuple[Pool, list[int]]:
    """With a new version, at work; and the numbers of those that went, for there are `most` at most.

    A_0 stays, and the parent; of the others those go that are estimated lowest, the older first.
    """
    estimates = dict(zip((each.number for each in pool.versions), pool.estimates(), strict=True))
    free = sorted((number for number in estimates if number not in (0, parent)), key=lambda n: (estimates[n], n))
    gone = free[: max(0, len(pool.versions) + 1 - most)]
    kept = [each for each in pool.versions if each.number not in gone]
    return Pool((*kept, Version(pool.next, parent, texts)), pool.next, pool.counted, pool.next + 1), gone


# --------------------------------------------------------------------------------------------- the files


def read(state: State, components: Sequence[str]) -> Pool:
    """The pool of a state; A_0 alone where it has none yet."""
    written = state.files.get(POOL)
    if written is None:
        texts = {path: state.files.get(path, b"").decode("utf-8", "replace") for path in components}
        return Pool((Version(0, None, texts),), 0, 0, 1)
    told = json.loads(written)
    versions = tuple(_version(state, each, components, told["at_work"]) for each in told["versions"])
    return Pool(versions, told["at_work"], told["counted"], told["next"])


def _version(state: State, told: Mapping[str, Any], components: Sequence[str], at_work: int) -> Version:
    number = int(told["number"])
    places = {path: path if number == at_work else _place(number, path) for path in components}
    texts = {path: state.files.get(place, b"").decode("utf-8", "replace") for path, place in places.items()}
    scores = {bucket: Tally(total, many) for bucket, (total, many) in told["scores"].items()}
    return Version(number, told["parent"], texts, scores)


def write(state: State, pool: Pool) -> State:
    """The state with this pool, and with the prompts of the version that is at work. An empty one is no file."""
    prompts = pool.of(pool.at_work).texts
    files = {path: data for path, data in state.files.items() if path not in prompts and not _of_pool(path)}
    files |= {path: text.encode() for path, text in prompts.items() if text}
    resting = [each for each in pool.versions if each.number != pool.at_work]
    files |= {_place(each.number, path): text.encode() for each in resting for path, text in each.texts.items() if text}
    return State({**files, POOL: f"{canonical(_told(pool))}\n".encode()})


def _told(pool: Pool) -> JSON:
    versions: list[JSON] = [
        {
            "number": each.number,
            "parent": each.parent,
            "scores": {bucket: [tally.total, tally.many] for bucket, tally in each.scores.items()},
        }
        for each in pool.versions
    ]
    return {"at_work": pool.at_work, "counted": pool.counted, "next": pool.next, "versions": versions}


def _place(number: int, path: str) -> str:
    return f"{TEXTS}/{number:04d}/{path}"


def _of_pool(path: str) -> bool:
    return path.startswith(f"{TEXTS}/")
