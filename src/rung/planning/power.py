"""The smallest gain that a design detects, and what the next task, lineage or repeat does to it. Pure formulas.

Of K lineages on N tasks, each task attempted R times by A_T and R0 times by A_0, the mean gain has the variance

    SE² = tau²/K + T/N + E/(KN)

tau: between lineages. T: between tasks, s_t², and where all lineages share one exam of A_0 its noise s_e²/R0. E: the
rest, s_e²/R, and s_e²/R0 where every lineage has an exam of A_0 of its own. The smallest detectable gain is the one
whose interval excludes 0 with the wanted power, by the interval that a report would give (`rung.stats.lineages`).
Source: the planning formula of two crossed random factors, with Satterthwaite 1946 for the degrees of freedom.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal, TypeAlias

from rung.core.errors import UsageError
from rung.stats.lineages import MeanSquares
from rung.stats.quantiles import t_quantile

ALPHA, POWER = 0.05, 0.8

ALONE = "this end state only"
NO_WORD = "two lineages carry no verdict"
ONE_TASK = "one task shows no spread"


@dataclass(frozen=True, slots=True)
class Noise:
    """Standard deviations, in the units of the scores.

    `tau`: of the true mean gain between lineages. `task` (s_t): of the true gain between tasks. `attempt` (s_e): of
    one attempt's score around its agent's own mean on that task; where a pilot has one attempt a task, what lineages
    do differently on single tasks is counted to it.
    """

    tau: float
    task: float
    attempt: float

    def __post_init__(self) -> None:
        for name in ("tau", "task", "attempt"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise UsageError(f"{name} is a standard deviation, so 0 or more, seen {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class Design:
    """K lineages, N exam tasks, R attempts a task by each A_T and R0 by A_0, whose exam lineages share or not."""

    lineages: int
    tasks: int
    repeats: int = 1
    baseline_repeats: int = 1
    shared_before: bool = True

    def __post_init__(self) -> None:
        for name in ("lineages", "tasks", "repeats", "baseline_repeats"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is a count from 1 up, seen {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest detectable gain, in the units of the scores; None with a reason where no gain would get a verdict.

    `se` is the standard error of the mean gain, `df` the degrees of freedom of its interval. `scope` is the claim:
    `ALONE` for one lineage.
    """

    gain: float | None
    se: float
    df: float
    scope: str = ""
    why: str = ""


def expected_squares(noise: Noise, design: Design) -> MeanSquares:
    """The mean squares to be expected of the K x N table of gains. Unit: squared score.

    MS_s = N·tau² + E, MS_t = K·T + E, MS_e = E (see the module).

    >>> expected_squares(Noise(tau=1.0, task=2.0, attempt=3.0), Design(5, 10, repeats=3, baseline_repeats=9))
    MeanSquares(lineage=13.0, task=28.0, rest=3.0)
    """
    noise_of_before = noise.attempt**2 / design.baseline_repeats
    task = noise.task**2 + (noise_of_before if design.shared_before else 0.0)
    rest = noise.attempt**2 / design.repeats + (0.0 if design.shared_before else noise_of_before)
    return MeanSquares(design.tasks * noise.tau**2 + rest, design.lineages * task + rest, rest)


def detectable(noise: Noise, design: Design, *, power: float = POWER, alpha: float = ALPHA) -> Detectable:
    """The smallest gain that such a study calls improved with this power, two-sided at `alpha`. Unit: that of scores.

    K >= 5: (t(1-alpha/2) + t(power))·SE with Satterthwaite's df of the expected mean squares. K = 3, 4: the wider of
    t(K-1) over lineages and t(N-1) over tasks has to exclude 0. K = 1: t(N-1) over tasks, without tau, for it is a
    claim about this end state only. K = 2: none.

    >>> round(detectable(Noise(0.0, 0.45, 0.0), Design(1, 118)).gain, 3)
    0.117
    >>> round(detectable(Noise(0.03, 0.1, 0.3), Design(5, 80, baseline_repeats=3)).gain, 3)
    0.089
    """
    _check(power, alpha)
    squares, k, n = expected_squares(noise, design), design.lineages, design.tasks
    total = squares.lineage + squares.task - squares.rest
    if k == 1:
        total = squares.task
    se = sqrt(total / (k * n))
    if n == 1:
        return Detectable(None, se, 0.0, why=ONE_TASK)
    if k == 1:
        return Detectable(_reach(se, n - 1, alpha) + _reach(se, n - 1, 2 * (1 - power)), se, n - 1, scope=ALONE)
    if k == 2:
        return Detectable(None, se, 1.0, why=NO_WORD)
    if k < 5:
        return _hull(squares, design, se, power, alpha)
    return _by(se, _satterthwaite(squares, k, n), se, power, alpha)


def nested(noise: Noise, lineages: int, events: int, *, power: float = POWER, alpha: float = ALPHA) -> Detectable:
    """The same for K lineages that each have so many replays of their own (G0), K·M events in all.

    One event is (replay - first) less the same of the static arm: four attempts, so it varies by s_t² + 4·s_e².
    SE² = tau²/K + (s_t² + 4·s_e²)/(KM); t(K-1) for K >= 5, for K = 3, 4 the wider of it and t over all events.

    >>> round(nested(Noise(0.0, 0.0, 0.25), lineages=5, events=20).gain, 3)
    0.186
    """
    _check(power, alpha)
    k, m = lineages, events
    event = noise.task**2 + 4 * noise.attempt**2
    se = sqrt(noise.tau**2 / k + event / (k * m))
    if k * m < 2:
        return Detectable(None, se, 0.0, why=ONE_TASK)
    if k == 1:
        return replace(_by(sqrt(event / m), m - 1, sqrt(event / m), power, alpha), scope=ALONE)
    if k == 2:
        return Detectable(None, se, 1.0, why=NO_WORD)
    lineage = _by(se, k - 1, se, power, alpha)
    if k >= 5:
        return lineage
    pooled = _by(sqrt((noise.tau**2 + event) / (k * m)), k * m - 1, se, power, alpha)
    return max(lineage, pooled, key=lambda found: found.gain or 0.0)


def _hull(squares: MeanSquares, design: Design, se: float, power: float, alpha: float) -> Detectable:
    k, n = design.lineages, design.tasks
    lineage = _by(sqrt(squares.lineage / (k * n)), k - 1, se, power, alpha)
    task = _by(sqrt(squares.task / (k * n)), n - 1, se, power, alpha)
    return max(lineage, task, key=lambda found: found.gain or 0.0)


def _by(spread: float, df: float, se: float, power: float, alpha: float) -> Detectable:
    """By an interval whose half-width comes from `spread`, of a mean that truly varies by `se`."""
    return Detectable(_reach(spread, df, alpha) + _reach(se, df, 2 * (1 - power)), se, df)


def _reach(se: float, df: float, outside: float) -> float:
    return t_quantile(df, 1 - outside) * se


def _satterthwaite(squares: MeanSquares, k: int, n: int) -> float:
    total = squares.lineage + squares.task - squares.rest
    if total == 0:
        return k - 1.0
    noise = squares.lineage**2 / (k - 1) + squares.task**2 / (n - 1) + squares.rest**2 / ((k - 1) * (n - 1))
    return max(1.0, total**2 / noise)


def _check(power: float, alpha: float) -> None:
    if not 0.5 <= power < 1:
        raise UsageError(f"power is a share from 0.5 up and below 1, seen {power!r}; 0.8 is usual")
    if not 0 < alpha < 0.5:
        raise UsageError(f"alpha lies between 0 and 0.5, seen {alpha!r}; 0.05 is usual")


# --------------------------------------------------------------------------------------------- the next dollar

What: TypeAlias = Literal["task", "lineage", "repeat", "baseline repeat"]


@dataclass(frozen=True, slots=True)
class Step:
    """One more of something: the gain that is detectable now and then, and what it adds to the cost.

    `now` and `then` hold one number a row of the ladder, None where there is no verdict.
    """

    what: What
    now: tuple[float | None, ...]
    then: tuple[float | None, ...]
    cost: float

    @property
    def opens(self) -> bool:
        """Whether it brings a verdict to a row that has none."""
        return any(late is not None and early is None for early, late in zip(self.now, self.then, strict=True))

    @property
    def closes(self) -> bool:
        """Whether it takes the verdict from a row that has one, as a second lineage does."""
        return any(late is None and early is not None for early, late in zip(self.now, self.then, strict=True))

    @property
    def saved(self) -> float:
        """By what share of itself the smallest detectable gain falls, over all rows that have one.

        >>> Step("task", (0.5, None), (0.375, None), 3.0).saved
        0.25
        """
        pairs = [(a, b) for a, b in zip(self.now, self.then, strict=True) if a and b is not None]
        return sum((a - b) / a for a, b in pairs) / len(pairs) if pairs else 0.0

    @property
    def worth(self) -> float:
        """What share is saved per unit of cost."""
        return self.saved / self.cost if self.cost > 0 else float("inf") if self.saved > 0 else 0.0


def larger(design: Design, what: What) -> Design:
    """The design with one more of something.

    >>> larger(Design(5, 20), "lineage").lineages
    6
    """
    field = {"task": "tasks", "lineage": "lineages", "repeat": "repeats", "baseline repeat": "baseline_repeats"}[what]
    return replace(design, **{field: getattr(design, field) + 1})


def ranked(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps in the order in which the next dollar buys most: first what brings a verdict at all.

    >>> cheap, dear = Step("repeat", (0.2,), (0.18,), 1.0), Step("lineage", (0.2,), (0.1,), 10.0)
    >>> [step.what for step in ranked([dear, cheap])]
    ['repeat', 'lineage']
    """
    return tuple(sorted(steps, key=lambda step: (not step.opens, -step.worth)))
