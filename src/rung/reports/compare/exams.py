"""One cell of the exam and one pair of arms: the difference of their gains, however what was not scored is counted.

D[k, i] = A_T[k, i] - A_0[i] of either arm, K lineages by N tasks; the row is D of the later less D of the earlier. Two
arms of one run that begin alike stand on one measured A_0. It cancels, so that their A_T alone are held against each
other, and a task on which A_0 broke is not lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isnan, nan
from statistics import fmean

import numpy as np

from rung.core.seeds import Seed
from rung.core.values import Estimate, Scale
from rung.reports import trust
from rung.reports.compare.runs import Arm, same_start
from rung.reports.compare.values import POLICIES, Policy
from rung.stats.arms import Contrast, contrast
from rung.stats.inputs import FloatArray
from rung.stats.missing import MAX_MISSING, Bounds
from rung.stats.paired import tau_star
from rung.stats.rounding import change, minus

SEED = Seed("rung.reports.compare")


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of one pair in one cell, before Holm and the words.

    `found` holds one contrast under each policy; equal ones where `lost` is False, for then every attempt was scored
    at the first try. `lone` are the gains of either arm, lineages by tasks.
    """

    cell: str
    arms: tuple[Arm, Arm]
    levels: tuple[str, str]
    gains: tuple[float | None, float | None]
    ends: tuple[float | None, float | None]
    found: Mapping[Policy, Contrast]
    end: Estimate | None
    lost: bool
    bounds: Bounds | None
    planned: int
    reasons: tuple[str, ...]
    unit: str
    tau_star: float | None = None


def measured(cell: str, earlier: Arm, later: Arm) -> Measured:
    """Hold two arms against each other in one cell."""
    arms = (earlier, later)
    scale = earlier.run.found.scale(earlier.run.cell(cell)[0].family)
    seed = SEED.child(cell, earlier.label, later.label)
    alone = same_start(earlier, later)
    lost = any(_lost(arm, cell) for arm in arms)
    tables = [gains(arm, cell, alone=alone) for arm in arms]
    whole = contrast(*tables, seed=seed)
    found = {policy: _under(policy, cell, arms, scale, seed) if lost else whole for policy in POLICIES}
    ends = [_after(arm, cell, "retried") for arm in arms]
    return Measured(
        cell=cell,
        arms=arms,
        levels=(earlier.level(cell), later.level(cell)),
        gains=(_mean(gains(earlier, cell)), _mean(gains(later, cell))),
        ends=(_mean(ends[0]), _mean(ends[1])),
        found=found,
        end=None if alone else contrast(*ends, seed=seed).difference,
        lost=lost,
        bounds=_bounds(cell, arms, scale) if lost else None,
        planned=len(earlier.run.cell(cell)),
        reasons=_doubts(cell, arms),
        unit=scale.unit,
        tau_star=erasing(whole.difference, tables),
    )


def excludes_zero(difference: Estimate) -> bool:
    """True where there is an interval and 0 is not in it."""
    lo, hi = difference.lo, difference.hi
    return lo is not None and hi is not None and not lo <= 0 <= hi


def erasing(difference: Estimate, tables: Sequence[Sequence[Sequence[float]]]) -> float | None:
    """tau* of a difference that rests on one lineage of an arm and whose interval excludes 0; else None."""
    if difference.n_lineages != 1 or not excludes_zero(difference):
        return None
    first, second = (np.array(table, dtype=float).mean(axis=0) for table in tables)
    by_task = minus(second, first)
    return tau_star(by_task[~np.isnan(by_task)])


def gains(
    arm: Arm, cell: str, *, alone: bool = False, policy: Policy = "retried", fill: float = nan
) -> list[list[float]]:
    """A_T less A_0 by lineage and task; A_T `alone` where A_0 cancels. `fill` stands for what is still missing."""
    before = [0.0] * len(arm.run.cell(cell)) if alone else _of(arm, arm.beginning, cell, policy, fill)
    after = _after(arm, cell, policy, fill)
    return [[change(late, -early) for late, early in zip(row, before, strict=True)] for row in after]


def _after(arm: Arm, cell: str, policy: Policy, fill: float = nan) -> list[list[float]]:
    return [_of(arm, f"{arm.name}.L{number}", cell, policy, fill) for number in arm.run.found.lineages]


def _of(arm: Arm, examinee: str, cell: str, policy: Policy, fill: float = nan) -> list[float]:
    means = arm.run.means[policy].get(examinee)
    scores = [nan if means is None else means[task.place - 1] for task in arm.run.cell(cell)]
    return [fill if isnan(score) else score for score in scores]


def _under(policy: Policy, cell: str, arms: tuple[Arm, Arm], scale: Scale, seed: Seed) -> Contrast:
    fill = scale.floor if policy == "failed" else nan
    alone = same_start(*arms)
    return contrast(*(gains(arm, cell, alone=alone, policy=policy, fill=fill) for arm in arms), seed=seed)


def _lost(arm: Arm, cell: str) -> bool:
    """Whether an attempt behind this arm and cell was not scored at its first try, or is not there."""
    broke = trust.broken(arm.run.found, arm.name, {task.place for task in arm.run.cell(cell)}).attempts
    return broke > 0 or any(isnan(gain) for row in gains(arm, cell) for gain in row)


# --------------------------------------------------------------------------------------------- what is missing


def _bounds(cell: str, arms: tuple[Arm, Arm], scale: Scale) -> Bounds:
    """The least and the greatest difference when what is still missing lies anywhere on the scale (Manski 1989)."""
    sides = [(1, _after(arms[1], cell, "retried")), (-1, _after(arms[0], cell, "retried"))]
    if not same_start(*arms):
        sides += [(-1, [_of(arms[1], arms[1].beginning, cell, "retried")])]
        sides += [(1, [_of(arms[0], arms[0].beginning, cell, "retried")])]
    return bounds([(sign, np.array(table)) for sign, table in sides], low=scale.low, high=scale.high)


def bounds(sides: Sequence[tuple[int, FloatArray]], *, low: float, high: float | None) -> Bounds:
    """Bounds of a signed sum of means of tables in which nan is missing and may be anything from low to high.

    None where the scale has an open end that something missing could take.

    >>> nan = float("nan")
    >>> bounds([(1, np.array([[1.0, nan]])), (-1, np.array([[0.0, 0.5]]))], low=0, high=1)
    Bounds(lo=0.25, hi=0.75)
    """
    top = inf if high is None else high
    ends = [
        sum(sign * float(np.where(np.isnan(table), worst if sign > 0 else best, table).mean()) for sign, table in sides)
        for worst, best in ((low, top), (top, low))
    ]
    return Bounds(*(end if np.isfinite(end) else None for end in ends))


def _mean(table: Sequence[Sequence[float]]) -> float | None:
    seen = [score for row in table for score in row if not isnan(score)]
    return fmean(seen) if seen else None


def _doubts(cell: str, arms: tuple[Arm, Arm]) -> tuple[str, ...]:
    """What takes belief away from a row: tasks met before, dishonest arms, first tries that broke, a run not over."""
    said: list[str] = []
    for arm in arms:
        run, tasks = arm.run, arm.run.cell(cell)
        said += [f"{run.label}: {line}" for line in trust.stale(run.found, tasks[0])]
        said += [f"{arm.label}: {line}" for line in run.found.tainted.get(arm.name, ())]
        lost = trust.broken(run.found, arm.name, {task.place for task in tasks})
        said += [f"{arm.label}: {line}" for line in lost.flags if lost.share > MAX_MISSING]
        said += [unfinished(arm)] if run.unfinished else []
    return tuple(dict.fromkeys(said))


def unfinished(arm: Arm) -> str:
    """Why an arm of a run that is not over carries no claim."""
    attempts = arm.run.report.attempts
    return f"{arm.run.label} is unfinished: {attempts.done:,} of {attempts.planned:,} attempts"
