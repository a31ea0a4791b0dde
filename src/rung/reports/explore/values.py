"""What the report of an exploring study says, as plain values. Renderers print these and compute nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rung.core.values import Estimate
from rung.findings.judging import Judged
from rung.findings.self_testing import SelfTesting
from rung.findings.semantics.counts import Semantics
from rung.reports.explore.shuffles import Described
from rung.reports.values import Cost, Pool, Quote
from rung.stats.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Point:
    """One checkpoint of a curve, after `x` exploration episodes: the mean of the lineages, each lineage, and A_0 on the
    same sealed tasks; None where nothing was measured. `n` scores went into it."""

    x: int
    mean: float | None
    by_lineage: tuple[float | None, ...]
    start: float | None
    n: int


@dataclass(frozen=True, slots=True)
class CurveRow:
    """One pathway in one game. Units: those of the game's scores, and per episode for the slope.

    `baseline` is the mean of A_0 over all sealed tasks of the game, of so many attempts. `gain` decides "gained", by
    `verdict` after Holm's correction over all curves of the report (`holm`) and by `alone` without it; `slope` decides
    "still rising". All else describes. `left_out` checkpoints of lineages have no measured score; `above` of `points_n`
    checkpoint means lie above A_0 on the same tasks. `post_mean` is the mean of all checkpoints after the start.
    """

    arm: str
    game: str
    unit: str
    lineages: int
    tasks: int
    baseline: float | None
    baseline_attempts: int
    points: tuple[Point, ...]
    left_out: int
    described: Described | None
    gain: Estimate
    lineage_gains: tuple[float | None, ...]
    p: float | None
    holm: float | None
    alone: Verdict
    verdict: Verdict
    slope: Estimate
    slope_word: str
    final: Estimate
    post_mean: float | None
    above: int
    points_n: int

    @property
    def name(self) -> str:
        """How the curve is called in its family."""
        return f"{self.arm} on {self.game}"


@dataclass(frozen=True, slots=True)
class Coupled:
    """Judging against the gain that follows, in one game over all pathways and lineages (S3Gym, Table 6).

    Spearman's correlation of agreement, and of small error, with the step to the next checkpoint, and the mean step of
    the best-judged third of blocks less that of the worst. `reliability`: how much of the steps is more than noise.
    """

    game: str
    runs: int
    blocks: int
    reliability: float | None
    by_agreement: Estimate
    by_error: Estimate
    gap_agreement: Estimate
    gap_error: Estimate


@dataclass(frozen=True, slots=True)
class Versus:
    """Two pathways in one game, lineage by lineage (S3Gym, Table 7): how often the first has the higher NABA, the mean
    difference, and the difference of their signed gains with its interval, which alone decides. `p` is its exact
    test."""

    one: str
    other: str
    game: str
    pairs: int
    wins: int
    losses: int
    ties: int
    naba: float | None
    difference: Estimate
    p: float | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Standing:
    """A pathway over games: the first and the last rank by signed gain that the tests of all pairs of a game leave it
    (1 is the largest; None without a gain), and in how many its word is improved or regressed. Nothing is averaged over
    games."""

    arm: str
    ranks: Mapping[str, tuple[int, int] | None] = field(hash=False)
    improved: int
    regressed: int
    games: int


@dataclass(frozen=True, slots=True)
class ArmRow:
    """One pathway: what it is, whose judgement it was told, what its method did, and what it took.

    `judge` is `itself`, `verdict`, `noise` or `model`; `of` the arm that it is a variant of. `refused` refinements made
    nothing of an episode or broke, the first as quoted.
    """

    name: str
    agent: str
    method: str
    model: str | None
    improver: str | None
    judge: str
    of: str | None
    accepted: int
    refused: int
    first_refused: Quote | None
    faults: Mapping[str, int] = field(hash=False)
    exploring: Cost
    examining: Cost
    unconfined: bool = False  # code that a model wrote was confined by nothing


@dataclass(frozen=True, slots=True)
class ExploreReport:
    """All of it."""

    name: str
    incomplete: tuple[str, ...]
    weaknesses: tuple[str, ...]
    lineages: int
    episodes: int
    every: int
    checkpoint_episodes: int
    baseline_episodes: int
    games: tuple[str, ...]
    settings: Mapping[str, tuple[str, str]] = field(hash=False)
    arms: tuple[ArmRow, ...]
    curves: tuple[CurveRow, ...]
    family: int
    judging: tuple[Judged, ...]
    judging_by_game: tuple[Judged, ...]
    testing: tuple[SelfTesting, ...]
    coupling: tuple[Coupled, ...]
    versus: tuple[Versus, ...]
    standing: tuple[Standing, ...]
    baseline_cost: Cost
    pools: tuple[Pool, ...]
    exam_id: str
    digest: str
    secret_fixed: bool
    how: Mapping[str, str] = field(hash=False)
    config: Mapping[str, Any] = field(hash=False)
    provenance: Mapping[str, Any] = field(hash=False)
    changes: Semantics | None = None  # what the methods changed; None where nothing was proposed

    def curve(self, arm: str, game: str) -> CurveRow:
        """The curve of a pathway in a game."""
        return next(each for each in self.curves if (each.arm, each.game) == (arm, game))
