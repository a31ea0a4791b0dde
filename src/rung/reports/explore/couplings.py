"""Does judging well go with gaining next (S3Gym, section 6.2)? Blocks of exploration between two checkpoints, each
with how well it was judged, and the step of the curve from before it to after it.

Runs are lineages of any pathway in one game; a run's own means are taken off, so that easy runs do not couple with good
judges. A step is of scores less those of A_0 on the same tasks, for how hard a checkpoint's few tasks are is no step;
and over the width of the game's scores, where that is declared.

Where steps are mostly noise, nothing is estimated (see `rung.stats.coupling`); nor where noise may well be all of it:
runs share tasks and baseline, so that many of them say no more of that than one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from rung.core.seeds import Seed
from rung.core.values import Estimate, Scale
from rung.findings.judging import judged
from rung.findings.transitions import Course, Episode
from rung.reports.explore.scores import Scores
from rung.reports.explore.values import Coupled
from rung.stats.coupling import LEAST_RELIABLE, Run, coupling, run, tertile_gap
from rung.stats.inputs import FloatArray
from rung.stats.verdict import ALPHA

SEED = Seed("rung.reports.explore.coupling")
ALL = "all games"
NO_RUNS = "not estimable (no lineage has two blocks with judgements and a step)"


@dataclass(frozen=True, slots=True)
class _Coupling:
    """One lineage: its blocks by agreement and by (less) error, and of its steps the variance and that of noise, with
    the degrees of freedom of both."""

    agreement: Run
    error: Run | None
    variance: float
    noise: float
    df: tuple[float, int]


def coupled(
    courses: Mapping[tuple[str, str, int], Course],
    scores: Mapping[tuple[str, str], Scores],
    *,
    every: int,
    scales: Mapping[str, Scale],
    spans: Mapping[str, float | None],
) -> tuple[Coupled, ...]:
    """A row for each game, and one for all together where there are several."""
    found: dict[str, list[_Coupling]] = {}
    for (arm, game), table in scores.items():
        for lineage in range(table.lineages):
            course = courses.get((arm, game, lineage + 1))
            one = None if course is None else _one(course, table, lineage, every, scales[game], spans[game])
            found.setdefault(game, []).extend([] if one is None else [one])
    rows = [_row(game, runs) for game, runs in found.items()]
    together = [one for runs in found.values() for one in runs]
    return tuple([*rows, _row(ALL, together)] if len(rows) > 1 else rows)


def _one(course: Course, table: Scores, lineage: int, every: int, scale: Scale, span: float | None) -> _Coupling | None:
    """The blocks of one lineage. A checkpoint without a score leaves its blocks out, and so does one without a
    judgement: a step over two blocks is the step of neither."""
    rows = {each.x: table.differences(each)[lineage] for each in table.checkpoints}
    there = {x: row[~np.isnan(row)] for x, row in rows.items() if not np.isnan(row).all()}
    width = 1.0 if scale.high is None else scale.high - scale.low
    if len(there) < 2:
        return None
    means = {0: 0.0} | {x: float(row.mean()) for x, row in there.items()}
    agreements, errors, steps = [], [], []
    for x in sorted(means):
        before, episodes = means.get(x - every), _block(course, x, every)
        if before is None or not episodes:
            continue
        block = judged([Course(course.arm, course.game, course.lineage, episodes)], scale=span)
        if block.found is None:
            continue
        agreements.append(block.found.agreement)
        errors.append(block.nmae)
        steps.append((means[x] - before) / width)
    if len(steps) < 2:
        return None
    less = [-error for error in errors if error is not None]
    return _Coupling(
        run(agreements, steps),
        run(less, steps) if len(less) == len(steps) else None,
        *_variances(list(there.values())),
    )


def _variances(rows: Sequence[FloatArray]) -> tuple[float, float, tuple[float, int]]:
    """The variance of steps between checkpoints, and twice that of a checkpoint mean, which noise alone gives it; nan
    where one of them cannot be told (see `rung.stats.curve.reliability`). Neighbouring steps share a checkpoint, so n
    of them are worth two thirds."""
    steps = np.diff([float(row.mean()) for row in rows])
    df = sum(len(row) - 1 for row in rows)
    if df < 1 or len(steps) < 2:
        return nan, nan, (0.0, 0)
    squares = sum(float(((row - row.mean()) ** 2).sum()) for row in rows)
    noise = 2 * squares / df * float(np.mean([1 / len(row) for row in rows]))
    return float(steps.var(ddof=1)), noise, (2 / 3 * len(steps), df)


def reliability(runs: Sequence[_Coupling]) -> float | None:
    """How much of the steps of all runs is more than noise: 1 less the ratio of the variances, each summed over runs
    (`rung.stats.curve.reliability` is that of one). None where it cannot be told."""
    known = [one for one in runs if not isnan(one.variance)]
    variance, noise = sum(one.variance for one in known), sum(one.noise for one in known)
    return max(0.0, 1 - noise / variance) if variance > 0 else None


def beyond_noise(runs: Sequence[_Coupling], trust: float | None) -> bool:
    """Whether noise alone makes steps as large in no more than one of twenty games: F, as if there were one run."""
    from scipy.stats import f

    known = [one.df for one in runs if not isnan(one.variance)]
    if trust is None or not known:
        return False
    steps, within = max(known)
    return trust >= 1 or float(f.sf(1 / (1 - trust), steps, within)) <= ALPHA


def _block(course: Course, x: int, every: int) -> tuple[Episode, ...]:
    """The episodes between the checkpoint before x and that at x, by their numbers in it."""
    return tuple(each for each in course.episodes if x - every < each.number <= x)


def _row(game: str, runs: Sequence[_Coupling]) -> Coupled:
    trust = reliability(runs)
    by_agreement = [one.agreement for one in runs]
    by_error = [one.error for one in runs if one.error is not None]
    usable = trust if beyond_noise(runs, trust) else None
    return Coupled(
        game=game,
        runs=len(runs),
        blocks=sum(len(one.gains) for one in by_agreement),
        reliability=trust,
        by_agreement=_coupling(by_agreement, usable, game, "agreement"),
        by_error=_coupling(by_error, usable, game, "error"),
        gap_agreement=_gap(by_agreement, usable),
        gap_error=_gap(by_error, usable),
    )


def _coupling(runs: Sequence[Run], trust: float | None, *names: str) -> Estimate:
    if not runs:
        return Estimate(None, None, None, "none", 0, 0, (NO_RUNS,))
    return coupling(runs, reliability=0.0 if trust is None else trust, seed=SEED.child(*names))


def _gap(runs: Sequence[Run], trust: float | None) -> Estimate:
    """The gap of thirds, where the steps are worth one."""
    if not runs:
        return Estimate(None, None, None, "none", 0, 0, (NO_RUNS,))
    found = tertile_gap(runs)
    if trust is None or trust < LEAST_RELIABLE:
        return Estimate(
            None, None, None, found.method, found.n_tasks, found.n_lineages, ("not estimable (noise in g)",)
        )
    return found
