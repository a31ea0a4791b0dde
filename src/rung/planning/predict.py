"""The range in which a total over a new study will lie, from the attempts of a pilot. Numbers in, numbers out.

A study is groups of attempts (who, for what, in which cell); the total is the sum over groups of n new attempts at the
pilot's mean of that group. Attempts are not independent: many of them share a task, and those of a lineage share what
it has learnt. So each pilot attempt has a pull on the total, n/m times its distance from its group's mean, and pulls
are added up by task and by lineage before they are squared. That gives the variance of the pilot's mean total; the new
study varies as much again, the less so the more tasks and lineages it has:

    V = sum over strata of Var(J pilot tasks)·(1 + J/N)  +  Var(L pilot lineages)·(1 + L/K)

For one group of independent attempts this is n·s² + n²·s²/m, the variance of a sum of n new attempts about n times the
mean of m seen ones. Degrees of freedom are put together by Satterthwaite's rule, and the interval is made on the
logarithm, because use is positive and its long tail is upwards. Pilots are small and skewed, and a t interval covers
less there than it says: `MADE_WITH` is the level that holds `LEVEL` in simulations (tests/planning/test_predict.py).
Source: cluster-robust variance of a ratio estimator (Cochran 1977, Sampling Techniques, 9.2); Satterthwaite 1946.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from typing import NamedTuple

from rung.stats.quantiles import t_quantile

LEVEL = 0.9
"""What a range promises to hold."""

MADE_WITH = 0.95
"""The level of the t quantile that it is made with."""

BORROWED = 0.35
"""The share of itself by which the use of a group may be off that no pilot has shown, and that others lend a mean."""

LONE = 0.5
"""The same for a group of which a pilot has shown one task alone."""

UNSEEN_DF = 3.0
"""Degrees of freedom of these two, which are no estimates."""


EVENT = 0.5
"""The share of an attempt's use by which something rare may change it.

What none of J tasks showed has by Laplace's rule a chance of one in J + 2 at the next, and is as uncertain as that.
"""


class Group(NamedTuple):
    """Attempts of one kind: by whom, for what (`work`, `replay`, `exam`), in which cell of tasks."""

    who: str
    kind: str
    cell: str


@dataclass(frozen=True, slots=True)
class Seen:
    """What one attempt of a pilot used. `task` is its task; `lineage` is None where nothing was learnt before it."""

    group: Group
    task: Hashable
    lineage: Hashable | None
    value: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """So many attempts of a group, at so many different tasks, in the new study."""

    group: Group
    attempts: int
    tasks: int


@dataclass(frozen=True, slots=True)
class Range:
    """A prediction and the range about it. `low` <= `expected` <= `high`."""

    low: float
    expected: float
    high: float

    def __contains__(self, value: float) -> bool:
        """Whether the range holds a value.

        >>> 3.0 in Range(1.0, 2.0, 3.0), 3.5 in Range(1.0, 2.0, 3.0)
        (True, False)
        """
        return self.low <= value <= self.high


def total(
    wanted: Sequence[Wanted],
    seen: Sequence[Seen],
    *,
    lineages: int,
    drift: float = 0.0,
    rare: bool = True,
    level: float = MADE_WITH,
) -> Range | None:
    """The range of the sum over all wanted attempts; None where a group has nobody to lend it a mean.

    `lineages` are those of the new study. `drift` is what learning would add if it went on as in the pilot, where the
    study works longer than that: half of it is expected, and all or none is possible. `rare` allows for what the
    pilot is too small to have shown. Unit: that of the values.

    >>> group = Group("a", "exam", "farm-v1 d1")
    >>> seen = [Seen(group, task, None, value) for task, value in enumerate((8.0, 10.0, 10.0, 12.0))]
    >>> found = total([Wanted(group, 40, 40)], seen, lineages=5, rare=False)
    >>> round(found.low), found.expected, round(found.high)
    (305, 400.0, 525)
    """
    means = _means(seen)
    parts: list[_Part] = []
    expected = 0.0
    pulls: dict[int, float] = defaultdict(float)
    indices: dict[Group, list[int]] = defaultdict(list)
    for number, one in enumerate(seen):
        indices[one.group].append(number)
    tasks: Counter[tuple[str, str]] = Counter()
    shares: dict[tuple[str, str], float] = defaultdict(float)
    for want in wanted:
        lender = _lender(want.group, means)
        if lender is None:
            return None
        mean = means[lender]
        expected += want.attempts * mean
        tasks[_stratum(want.group)] = max(tasks[_stratum(want.group)], want.tasks)
        if lender != want.group:
            parts.append(_Part((BORROWED * want.attempts * mean) ** 2, UNSEEN_DF))
        for number in indices[lender]:
            pulls[number] += want.attempts * (seen[number].value - mean) / len(indices[lender])
        shares[_stratum(want.group)] += want.attempts * mean
    parts += _of_tasks(seen, pulls, tasks, shares)
    parts += _of_lineages(seen, pulls, lineages)
    parts += _of_the_unseen(seen, shares) if rare else []
    if drift:
        expected += drift / 2
        parts.append(_Part(drift**2 / 4, UNSEEN_DF))
    return _range(expected, parts, level)


class _Part(NamedTuple):
    variance: float
    df: float


def _range(expected: float, parts: Sequence[_Part], level: float) -> Range:
    variance = sum(part.variance for part in parts)
    if variance <= 0 or expected <= 0:
        return Range(max(0.0, expected), max(0.0, expected), max(0.0, expected))
    df = variance**2 / sum(part.variance**2 / part.df for part in parts)
    reach = t_quantile(max(1.0, df), level) * sqrt(variance) / expected
    factor = exp(min(reach, 20.0))
    return Range(expected / factor, expected, expected * factor)


def _means(seen: Sequence[Seen]) -> Mapping[Group, float]:
    values: dict[Group, list[float]] = defaultdict(list)
    for one in seen:
        values[one.group].append(one.value)
    return {group: sum(found) / len(found) for group, found in values.items()}


def lent(wanted: Sequence[Wanted], seen: Sequence[Seen]) -> Mapping[Group, Group | None]:
    """The groups that no pilot has shown, and who lends each of them a mean."""
    means = _means(seen)
    return {want.group: _lender(want.group, means) for want in wanted if want.group not in means}


def _lender(group: Group, means: Mapping[Group, float]) -> Group | None:
    """The group itself, else the nearest: the same cell and purpose, the same cell, the same family."""
    if group in means:
        return group
    family = group.cell.split(" ")[0]
    nearest = (
        lambda other: (other.kind, other.cell) == (group.kind, group.cell),
        lambda other: other.cell == group.cell,
        lambda other: other.cell.split(" ")[0] == family and other.kind == group.kind,
        lambda other: other.cell.split(" ")[0] == family,
    )
    for near in nearest:
        found = [other for other in sorted(means) if near(other)]
        if found:
            return max(found, key=lambda other: means[other])
    return None


def _stratum(group: Group) -> tuple[str, str]:
    """What shares its tasks: the exam of a cell, or what is worked of it."""
    return "exam" if group.kind == "exam" else "held in", group.cell


def _of_tasks(
    seen: Sequence[Seen],
    pulls: Mapping[int, float],
    tasks: Mapping[tuple[str, str], int],
    shares: Mapping[tuple[str, str], float],
) -> list[_Part]:
    """What tasks make the total vary by: pulls added up by task, each stratum apart.

    `shares` are what the strata add to the expected total, which says how much is at stake where one task was seen.
    """
    by_task: dict[tuple[str, str], dict[Hashable, float]] = defaultdict(lambda: defaultdict(float))
    for number, pull in pulls.items():
        by_task[_stratum(seen[number].group)][seen[number].task] += pull
    parts = []
    for stratum, found in by_task.items():
        many = len(found)
        new = tasks.get(stratum) or many
        if many > 1:
            variance = many / (many - 1) * sum(pull * pull for pull in found.values())
            parts.append(_Part(variance * (1 + many / new), many - 1.0))
        else:
            parts.append(_Part((LONE * shares.get(stratum, 0.0)) ** 2, UNSEEN_DF))
    return parts


def _of_the_unseen(seen: Sequence[Seen], shares: Mapping[tuple[str, str], float]) -> list[_Part]:
    """What a pilot of so few tasks may not have shown at all."""
    tasks: dict[tuple[str, str], set[Hashable]] = defaultdict(set)
    for one in seen:
        tasks[_stratum(one.group)].add(one.task)
    return [
        _Part((EVENT * share / (len(tasks.get(stratum, ())) + 2)) ** 2, UNSEEN_DF) for stratum, share in shares.items()
    ]


def _of_lineages(seen: Sequence[Seen], pulls: Mapping[int, float], lineages: int) -> list[_Part]:
    """What lineages make it vary by. Their own tasks are in that once more, which is on the safe side."""
    by_lineage: dict[Hashable, float] = defaultdict(float)
    for number, pull in pulls.items():
        lineage = seen[number].lineage
        if lineage is not None:
            by_lineage[lineage] += pull
    many = len(by_lineage)
    if many < 2:
        return []
    variance = many / (many - 1) * sum(pull * pull for pull in by_lineage.values())
    return [_Part(variance * (1 + many / lineages), many - 1.0)]
