"""Avg., Max., AUC+ and NABA as S3Gym has them, beside what an agent that never changes gets.

Both Max. and AUC+ lie above 0 for every noisy agent. The null here is that of the very design: attempts of A_0 and of
any lineage at one task may be exchanged, and so may the tasks of checkpoints; all lineages are shuffled together,
because they share tasks and baseline. What is printed is the mean over lineages.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rung.core.seeds import Seed
from rung.reports.explore.scores import Scores, valid
from rung.stats.curve import RESAMPLES, Naba, Null, auc_plus, average, maximum, naba
from rung.stats.inputs import FloatArray

BoolArray: TypeAlias = npt.NDArray[np.bool_]

ROUNDING = 1e-12
MOST_AT_ONCE = 4_000_000
"""Shuffled scores held in memory."""


@dataclass(frozen=True, slots=True)
class Described:
    """The metrics of the paper for one arm in one game, means over lineages; x runs from 0 to `length`.

    `naba` is AUC+ over the start, or over `smallest` where the start is 0: the least positive value that a checkpoint
    can have, one score step over its episodes. None for a negative start, and for 0 where no step is declared.
    """

    average: float
    maximum: Null
    auc_plus: Null
    naba: float | None
    naba_upper: float | None
    naba_rate: float | None
    naba_reason: str
    smallest: float | None
    length: float


@dataclass(frozen=True, slots=True)
class _Means:
    """The start and the checkpoint means of each lineage of one table."""

    x: FloatArray
    y: FloatArray  # lineages by places, the start first; nan where nothing was measured


def described(scores: Scores, *, step: float | None, seed: Seed, resamples: int = RESAMPLES) -> Described | None:
    """The metrics with their nulls; None where no lineage has a curve. `step` is the least by which two scores of the
    game can differ."""
    curves = [_curve(scores, lineage) for lineage in range(scores.lineages)]
    found = [each for each in curves if each is not None]
    if not found:
        return None
    areas = float(np.mean([auc_plus(each.x, each.y) for each in found]))
    tops = float(np.mean([maximum(each.y) for each in found]))
    drawn_areas, drawn_tops = _shuffled(scores, seed, resamples)
    length = float(max(each.x[-1] for each in found))
    area = _null(areas, drawn_areas)
    start, smallest = scores.start, smallest_of(scores, step)
    own = naba_from(areas, start, smallest, length)
    unit = start if start > 0 else smallest
    return Described(
        average=float(np.mean([average(each.y) for each in found])),
        maximum=_null(tops, drawn_tops),
        auc_plus=area,
        naba=own.value,
        naba_upper=None if own.value is None or unit is None else area.upper / unit,
        naba_rate=own.rate,
        naba_reason=own.reason,
        smallest=smallest,
        length=length,
    )


def naba_of(scores: Scores, lineage: int, *, step: float | None) -> float | None:
    """NABA of one lineage; None where it is undefined."""
    found = _curve(scores, lineage)
    if found is None:
        return None
    area, length = auc_plus(found.x, found.y), float(found.x[-1])
    return naba_from(area, scores.start, smallest_of(scores, step), length).value


def smallest_of(scores: Scores, step: float | None) -> float | None:
    """The least positive value that a checkpoint can have: one score step over its episodes."""
    return None if step is None else step / max(len(each.places) for each in scores.checkpoints)


def naba_from(area: float, start: float, smallest: float | None, length: float) -> Naba:
    """NABA, also where no score step is declared and the start is above 0, so that none is needed."""
    if start == 0 and smallest is None:
        return Naba(None, None, "the curve begins at 0, and the game declares no score step")
    return naba(area, start, smallest=smallest or 1.0, length=length)


def _curve(scores: Scores, lineage: int) -> _Means | None:
    measured = valid(scores, lineage)
    if not measured or np.isnan(scores.start):
        return None
    x = [0.0, *(float(each.x) for each, _ in measured)]
    return _Means(np.array(x), np.array([scores.start, *(float(row.mean()) for _, row in measured)]))


def _null(value: float, drawn: FloatArray) -> Null:
    edge = value - ROUNDING * max(1.0, abs(value))
    p = (1 + int((drawn >= edge).sum())) / (len(drawn) + 1)
    return Null(value, float(drawn.mean()), float(np.quantile(drawn, 0.95)), p, len(drawn))


# --------------------------------------------------------------------------------------------- shuffling


def _shuffled(scores: Scores, seed: Seed, resamples: int) -> tuple[FloatArray, FloatArray]:
    """AUC+ and Max. of so many shuffled studies, means over lineages; in parts, so that memory stays small."""
    generator = np.random.default_rng(seed.child("shuffle").rng().getrandbits(64))
    table, owned = _table(scores)
    part = max(1, min(resamples, MOST_AT_ONCE // table.size))
    sizes = [part] * (resamples // part) + ([resamples % part] if resamples % part else [])
    drawn = [_studies(scores, table, owned, size, generator) for size in sizes]
    areas, tops = zip(*drawn, strict=True)
    return np.concatenate(areas), np.concatenate(tops)


def _table(scores: Scores) -> tuple[FloatArray, BoolArray]:
    """A row for each sealed task: the attempts of A_0, then those of each lineage, nan where there is none; and which
    rows are tasks of checkpoints."""
    after = np.full((len(scores.baseline), _others(scores)), np.nan)
    owned = np.zeros(len(scores.baseline), dtype=np.bool_)
    for each in scores.checkpoints:
        rows = each.attempts.transpose(1, 0, 2).reshape(len(each.places), -1)
        after[list(each.places), : rows.shape[1]] = rows
        owned[list(each.places)] = True
    return np.concatenate([scores.baseline, after], axis=1), owned


def _others(scores: Scores) -> int:
    """Attempts of all lineages at a task."""
    lineages, _, repeats = scores.checkpoints[0].attempts.shape
    return int(lineages * repeats)


def _studies(
    scores: Scores, table: FloatArray, owned: BoolArray, size: int, generator: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """So many shuffled studies: within a task what was measured changes places, and then tasks of checkpoints do."""
    gone = np.isnan(table)
    order = np.argsort(np.where(gone, np.inf, generator.random((size, *table.shape))), axis=2)
    places = np.broadcast_to(np.argsort(gone, axis=1, kind="stable"), order.shape)
    mixed = np.empty(order.shape)
    np.put_along_axis(mixed, places, np.take_along_axis(np.broadcast_to(table, order.shape), order, axis=2), axis=2)
    repeats = scores.baseline.shape[1]
    before = mixed[:, :, :repeats]
    after = _mean(mixed[:, :, repeats:].reshape(size, len(table), scores.lineages, -1), axis=3)
    rows = np.flatnonzero(owned)
    moved = rows[np.argsort(generator.random((size, len(rows))), axis=1)]
    after[:, rows] = np.take_along_axis(after[:, :], moved[:, :, None], axis=1)
    start = _mean(_mean(before, axis=2), axis=1)
    later = [_mean(after[:, list(each.places)], axis=1) for each in scores.checkpoints]
    y = np.stack([np.broadcast_to(start[:, None], later[0].shape), *later], axis=2)
    return _metrics(np.array([0.0, *(float(each.x) for each in scores.checkpoints)]), y)


def _mean(values: FloatArray, *, axis: int) -> FloatArray:
    measured = ~np.isnan(values)
    count = measured.sum(axis=axis)
    found: FloatArray = np.where(
        count > 0, np.where(measured, values, 0.0).sum(axis=axis) / np.maximum(count, 1), np.nan
    )
    return found


def _metrics(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """AUC+ and Max. of studies (first axis), means over their lineages (second)."""
    holes = np.isnan(y).any(axis=2)
    area, top = areas(x, y), y.max(axis=2)
    for study, lineage in np.argwhere(holes):  # a checkpoint without a score: its neighbours are joined
        there = ~np.isnan(y[study, lineage])
        joined = y[study, lineage][there]
        area[study, lineage] = auc_plus(x[there], joined) if len(joined) > 1 else np.nan
        top[study, lineage] = joined.max() if len(joined) > 1 else np.nan
    return _mean(area, axis=1), _mean(top, axis=1)


def areas(x: FloatArray, y: FloatArray) -> FloatArray:
    """`rung.stats.curve.auc_plus` of many curves at once; the last axis runs along a curve.

    >>> areas(np.array([0.0, 3.0, 6.0]), np.array([[1 / 3, 2 / 3, 0.0]])).round(12).tolist()
    [0.75]
    """
    above = y - y[..., :1]
    p, q = above[..., :-1], above[..., 1:]
    up, down = np.maximum(p, 0.0), np.maximum(q, 0.0)
    apart = np.where(p == q, 1.0, np.abs(q - p))
    found: FloatArray = (
        np.diff(x) * np.where(p * q < 0, np.maximum(up, down) ** 2 / (2 * apart), (up + down) / 2)
    ).sum(axis=-1)
    return found
