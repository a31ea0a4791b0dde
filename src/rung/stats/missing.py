"""What missing measurements could hide. A fault is no zero: it is counted, bounded, and shown under two policies."""

from dataclasses import dataclass

import numpy as np

from rung.core.errors import UsageError
from rung.core.values import Estimate, Scale
from rung.stats.flags import NO_BOUND
from rung.stats.inputs import FloatArray, Matrix, Vector, two_exams
from rung.stats.lineages import gain
from rung.stats.rounding import minus

MAX_MISSING = 0.05  # share of planned pairs; above, the cell is incomplete


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the greatest mean gain over all planned pairs; None where the scale has an open end."""

    lo: float | None
    hi: float | None


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the plan was measured, what the rest could hide, and the gain under both policies.

    `planned` and `paired` count pairs (lineage x task). `failed`: missing scores count as the family's floor.
    `dropped`: tasks with a missing cell are left out.
    """

    planned: int
    paired: int
    bounds: Bounds
    failed: Estimate
    dropped: Estimate

    @property
    def missing_share(self) -> float:
        """Share of planned pairs without a measured difference."""
        return (self.planned - self.paired) / self.planned

    @property
    def flags(self) -> tuple[str, ...]:
        """What a report has to say of the holes; nothing when there are none."""
        if self.paired == self.planned:
            return ()
        counted = f"{self.paired} of {self.planned} planned pairs measured"
        return (counted, NO_BOUND) if self.bounds.lo is None or self.bounds.hi is None else (counted,)


def worst_case(before: Vector | Matrix, after: Vector | Matrix, *, low: float, high: float | None) -> Bounds:
    """Bounds of the mean gain over all planned pairs when missing scores (nan) lie anywhere in [low, high].

    A pair missing on both sides adds ±(high - low); one missing on one side adds no more than that side can.
    `high` None: the scale is open above, and the end that depends on it has no bound.
    Source: Manski 1989, Anatomy of the selection problem. Unit: that of the scores.

    >>> nan = float("nan")
    >>> worst_case([0, 0, nan, nan], [1, 0, nan, 1], low=0, high=1)
    Bounds(lo=0.0, hi=0.75)
    """
    earlier, later = two_exams(before, after)
    top = np.inf if high is None else high
    _check_scale(earlier, later, low, top)
    lo = _filled(later, low).mean() - _filled(earlier, top).mean()
    hi = _filled(later, top).mean() - _filled(earlier, low).mean()
    return Bounds(*(float(end) if np.isfinite(end) else None for end in (lo, hi)))


def cover(
    before: Vector | Matrix, after: Vector | Matrix, *, scale: Scale, binary: bool, shared_before: bool
) -> Coverage:
    """Account for missing scores (nan) in an exam before and after, K lineages (rows) by N tasks (columns).

    `before` may be one shared row. `binary` and `shared_before` as in `lineages.gain`. Unit: that of the scores.

    >>> nan = float("nan")
    >>> found = cover([0, 0, 0, 1], [1, 0, nan, 1], scale=Scale("success", 0, 1), binary=True, shared_before=False)
    >>> found.paired, found.bounds, found.failed.value, round(found.dropped.value, 4)
    (3, Bounds(lo=0.25, hi=0.5), 0.25, 0.3333)
    """
    earlier, later = two_exams(before, after)
    difference = minus(later, earlier)
    if np.isnan(difference).any():
        bounds = worst_case(earlier, later, low=scale.low, high=scale.high)
        filled = minus(_filled(later, scale.floor), _filled(earlier, scale.floor))
    else:
        bounds, filled = Bounds(float(difference.mean()), float(difference.mean())), difference
    return Coverage(
        difference.size,
        int((~np.isnan(difference)).sum()),
        bounds,
        gain(filled, binary=binary, shared_before=shared_before),
        gain(difference, binary=binary, shared_before=shared_before),
    )


def _filled(scores: FloatArray, value: float) -> FloatArray:
    return np.where(np.isnan(scores), value, scores)


def _check_scale(earlier: FloatArray, later: FloatArray, low: float, high: float) -> None:
    if not low < high:
        raise UsageError(f"a scale runs from low to high, got {low} to {high}")
    seen = np.concatenate([earlier.ravel(), later.ravel()])
    stray = seen[(seen < low) | (seen > high)]
    if len(stray):
        raise UsageError(f"scores lie on the declared scale [{low}, {high}], got {stray[0]}; declare the scale it has")
