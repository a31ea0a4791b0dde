"""One arm in one game as arrays: what K lineages scored at each checkpoint, and what A_0 scored on the same tasks.

A checkpoint has sealed tasks of its own, the same for all lineages and arms; A_0 sat all of these and perhaps more. So
a score is held against A_0 on its own task, and how hard tasks are cancels. Units: those of the game's scores; x
counts exploration episodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rung.core.errors import UsageError
from rung.stats.inputs import FloatArray


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """After `x` exploration episodes. `places` are the rows of its tasks among the baseline's; `attempts` holds the
    scores of each lineage (first axis) on each task (second), nan where one was not measured; two axes stand for one
    attempt each."""

    x: int
    places: tuple[int, ...]
    attempts: FloatArray

    def __post_init__(self) -> None:
        if self.attempts.ndim == 2:
            object.__setattr__(self, "attempts", self.attempts[:, :, None])

    @property
    def after(self) -> FloatArray:
        """The mean of each lineage on each task; nan where nothing was measured."""
        if self.attempts.shape[2] == 1:
            only: FloatArray = self.attempts[:, :, 0]
            return only
        lineages, tasks, repeats = self.attempts.shape
        return means_of(self.attempts.reshape(lineages * tasks, repeats)).reshape(lineages, tasks)


@dataclass(frozen=True, slots=True)
class Scores:
    """`baseline` has a row for each sealed task and a column for each attempt of A_0 at it; nan where it broke."""

    baseline: FloatArray
    checkpoints: tuple[Checkpoint, ...]

    def __post_init__(self) -> None:
        if self.baseline.ndim != 2 or not self.checkpoints:
            raise UsageError("a curve has a baseline, a row for each task, and one checkpoint or more")
        if any(each.attempts.shape[:2] != (self.lineages, len(each.places)) for each in self.checkpoints):
            raise UsageError("every checkpoint has a row for each lineage and a column for each of its tasks")

    @property
    def lineages(self) -> int:
        """K."""
        return len(self.checkpoints[0].attempts)

    @property
    def start(self) -> float:
        """The mean of A_0 over all sealed tasks; nan where none was measured."""
        means = self.start_means
        measured = means[~np.isnan(means)]
        return float(measured.mean()) if len(measured) else float("nan")

    @property
    def start_means(self) -> FloatArray:
        """What A_0 scored on each sealed task, the mean of its attempts."""
        return means_of(self.baseline)

    def differences(self, checkpoint: Checkpoint) -> FloatArray:
        """Each lineage less A_0, task by task."""
        found: FloatArray = checkpoint.after - self.start_means[list(checkpoint.places)]
        return found


def means_of(attempts: FloatArray) -> FloatArray:
    """The mean of each row over what was measured; nan where nothing was."""
    measured = ~np.isnan(attempts)
    count = measured.sum(axis=1)
    total = np.where(measured, attempts, 0.0).sum(axis=1)
    found: FloatArray = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return found


def valid(scores: Scores, lineage: int) -> list[tuple[Checkpoint, FloatArray]]:
    """The checkpoints of one lineage that were measured, each with its measured scores; the others are left out."""
    rows = [(each, each.after[lineage]) for each in scores.checkpoints]
    return [(each, row[~np.isnan(row)]) for each, row in rows if not np.isnan(row).all()]


def left_out(scores: Scores) -> int:
    """Checkpoints of lineages that have no measured score."""
    return sum(len(scores.checkpoints) - len(valid(scores, lineage)) for lineage in range(scores.lineages))


def trapezoid(x: Sequence[float]) -> FloatArray:
    """Weights of the mean of a piecewise linear curve over its length.

    >>> trapezoid([0, 3, 6]).tolist()
    [0.25, 0.5, 0.25]
    """
    places = np.asarray(x, dtype=np.float64)
    steps = np.diff(places) / (places[-1] - places[0])
    weights = np.zeros(len(places))
    weights[:-1] += steps / 2
    weights[1:] += steps / 2
    return weights
