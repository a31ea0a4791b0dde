"""What is decided on a curve: the signed gain for "gained", the slope for "still rising". AUC+ and Max. decide nothing.

The signed gain is the mean of the curve over its length less its start, losses counted: G = sum(w_k·(y_k - y_0)) with
trapezoid weights w. Every score is held against A_0 on its own task, so G is a mean over tasks: task i of checkpoint k
with E_k tasks enters with c_k = N·w_k/E_k, and the matrix c_k·(y_li - b_i) of K lineages by N tasks is weighed as that
of any exam (`rung.stats.verdict`): one lineage by t over tasks, three and four by the hull of lineages and tasks, from
five on by crossed random effects. The shared baseline lies between tasks there. An agent that never changes has a mean
of 0 in each cell.

Where successes are rare, an unlucky baseline of 30 attempts has none, and a t interval is then far too short: with one
success in ten and eight lineages it lay above 0 in 8.9% of studies of an agent that never changed. So a word needs an
exact test besides: nothing would be changed by swapping, task by task, the attempts of A_0 with those of the lineages.

The slope is that of the checkpoint means over x, without the start: of what came after the first checkpoint, does more
come? Its interval is the hull of t over the slopes of lineages and of the residual t of the mean curve, because
lineages share the tasks of a checkpoint.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rung.core.seeds import Seed
from rung.core.values import Estimate, Scale
from rung.reports.explore.scores import Checkpoint, Scores, trapezoid
from rung.stats import flags as say
from rung.stats.curve import Curve, slope
from rung.stats.inputs import FloatArray
from rung.stats.lineages import gain, gain_p, hull
from rung.stats.missing import Bounds, Coverage
from rung.stats.quantiles import Spread, spread, t_quantile
from rung.stats.verdict import ALPHA, Evidence, Verdict, evidence, judge

SEED = Seed("rung.reports.explore")
SLOPE = "hull of t over lineages and residual t of the mean curve"
FEWEST_FOR_SLOPE = 3
SWAPS = 9999


def weighed(scores: Scores) -> FloatArray:
    """The K x N matrix whose mean is the signed gain; nan where a score or its baseline is missing.

    Tasks that some lineage lacks count as not there, so a checkpoint without a complete task is left out and its
    neighbours are joined.
    """
    parts = [scores.differences(each) for each in scores.checkpoints]
    return np.concatenate([part * factor for part, factor in zip(parts, _factors(scores), strict=True)], axis=1)


def _factors(scores: Scores) -> list[float]:
    """c_k of each checkpoint; 0 where no task is complete."""
    parts = [scores.differences(each) for each in scores.checkpoints]
    complete = [int((~np.isnan(part).any(axis=0)).sum()) for part in parts]
    kept = [number for number, count in enumerate(complete) if count]
    weights = trapezoid([0, *(scores.checkpoints[number].x for number in kept)])[1:] if kept else ()
    by_number = {n: sum(complete) * float(w) / complete[n] for n, w in zip(kept, weights, strict=True)}
    return [by_number.get(number, 0.0) for number in range(len(parts))]


def found_in(scores: Scores, *, seed: Seed = SEED) -> Evidence:
    """The signed gain with what a verdict rests on. Unit: score."""
    return evidence(weighed(scores), binary=False, shared_before=True, seed=seed)


def verdict(scores: Scores, weight: Evidence, *, scale: Scale, margin: float | None = None) -> Verdict:
    """The word of the signed gain, by itself."""
    word = judge(weight, margin=margin, coverage=coverage(scores, scale))
    if word.word not in ("improved", "regressed"):
        return word
    p = swapped(scores)
    if p is not None and p <= ALPHA:
        return word
    why = "the interval excludes 0 and swapping attempts with those of A_0 does not agree"
    shown = "" if p is None else f" (p = {p:.3g})"
    return replace(word, word="inconclusive", reasons=(*word.reasons, f"{why}{shown}"))


def p_of(scores: Scores, weight: Evidence) -> float | None:
    """Two-sided p of the signed gain: the larger of that of its interval and that of swapping; None without a claim."""
    if scores.lineages == 2 or weight.estimate.lo is None:
        return None
    p = weight.p if scores.lineages == 1 else gain_p(weighed(scores))
    swap = swapped(scores)
    return None if p is None or swap is None else max(p, swap)


def swapped(scores: Scores, *, seed: Seed = SEED, resamples: int = SWAPS) -> float | None:
    """Two-sided p that A_0 and all that came of it are one agent: attempts at a task are swapped between them.

    Under it the attempts of A_0 are any of those at the task, drawn without replacement. Only tasks of which
    every attempt was measured; None where there is none, or all attempts at each task are equal.
    p = 2·min(1 + number as large, 1 + number as small) / (resamples + 1). Source: Fisher's randomization test (1935).
    """
    attempts = np.concatenate([each.attempts for each in scores.checkpoints], axis=1)
    after = attempts.transpose(1, 0, 2).reshape(attempts.shape[1], -1)
    before = np.concatenate([scores.baseline[list(each.places)] for each in scores.checkpoints])
    factors = np.concatenate(
        [np.full(len(each.places), f) for each, f in zip(scores.checkpoints, _factors(scores), strict=True)]
    )
    pool = np.concatenate([before, after], axis=1)
    whole = ~np.isnan(pool).any(axis=1)
    pool, factors = pool[whole], factors[whole]
    if not len(pool) or not (np.ptp(pool, axis=1) > 0).any():
        return None
    repeats, others = before.shape[1], after.shape[1]
    generator = np.random.default_rng(seed.child("swap").rng().getrandbits(64))
    drawn = _drawn(pool, repeats, resamples, generator)
    # With a sum b for A_0's R attempts the M others have total - b, so a swap moves the gain by b·(1/R + 1/M) alone.
    found = -(drawn @ factors) * (1 / repeats + 1 / others)
    value = -float(pool[:, :repeats].sum(axis=1) @ factors) * (1 / repeats + 1 / others)
    edge = 1e-9 * max(1.0, abs(value))
    larger, smaller = int((found >= value - edge).sum()), int((found <= value + edge).sum())
    return min(1.0, 2 * (1 + min(larger, smaller)) / (resamples + 1))


def _drawn(pool: FloatArray, repeats: int, resamples: int, generator: np.random.Generator) -> FloatArray:
    """What A_0's attempts at each task sum to, so many times drawn anew: resamples by tasks."""
    tasks, of = pool.shape
    if repeats == 1:
        return pool[np.arange(tasks), generator.integers(0, of, size=(resamples, tasks))]
    found = np.zeros((resamples, tasks))
    for task, row in enumerate(pool):
        chosen = np.argsort(generator.random((resamples, of)), axis=1)[:, :repeats]
        found[:, task] = row[chosen].sum(axis=1)
    return found


def carried(word: Verdict, holm: float | None) -> Verdict:
    """The word that stands once p is corrected for all curves of the report."""
    if word.word not in ("improved", "regressed") or (holm is not None and holm <= ALPHA):
        return word
    return replace(word, word="inconclusive", reasons=(*word.reasons, f"{word.word} by itself, not with Holm's p"))


def coverage(scores: Scores, scale: Scale) -> Coverage | None:
    """What is missing and what it could hide; None without holes."""
    parts = [scores.differences(each) for each in scores.checkpoints]
    holes = sum(int(np.isnan(part).sum()) for part in parts)
    if not holes:
        return None
    planned = sum(part.size for part in parts)
    estimate = gain(weighed(scores), binary=False, shared_before=True)
    ends = [_at_worst(scores, scale, high=high) for high in (False, True)]
    bounds = Bounds(*(end if end is not None and np.isfinite(end) else None for end in ends))
    return Coverage(planned, planned - holes, bounds, estimate, estimate)


def _at_worst(scores: Scores, scale: Scale, *, high: bool) -> float | None:
    """The signed gain where all that is missing speaks for it, or against it."""
    top = np.inf if scale.high is None else scale.high
    after, before = (top, scale.low) if high else (scale.low, top)
    start = np.where(np.isnan(scores.start_means), before, scores.start_means)
    weights = trapezoid([0, *(each.x for each in scores.checkpoints)])[1:]
    total = 0.0
    for weight, each in zip(weights, scores.checkpoints, strict=True):
        filled = np.where(np.isnan(each.after), after, each.after)
        total += float(weight) * float((filled - start[list(each.places)]).mean())
    return total


# --------------------------------------------------------------------------------------------- one checkpoint


def at(scores: Scores, checkpoint: Checkpoint) -> Estimate:
    """One checkpoint less the baseline on its own tasks. Unit: score."""
    return gain(scores.differences(checkpoint), binary=False, shared_before=True)


def final(scores: Scores) -> Estimate:
    """Delta_Final: the last checkpoint less the baseline. Invalid checkpoints are passed over."""
    measured = [each for each in scores.checkpoints if not np.isnan(scores.differences(each)).all()]
    if not measured:
        return Estimate(None, None, None, "none", 0, scores.lineages, (say.NO_COMPLETE_TASK,))
    last = measured[-1]
    passed = len(scores.checkpoints) - 1 - scores.checkpoints.index(last)
    flags = (f"at x = {last.x}: {passed} later without a measurement",) if passed else ()
    found = at(scores, last)
    return replace(found, flags=(*flags, *found.flags))


# --------------------------------------------------------------------------------------------- slope


def rising(scores: Scores) -> Estimate:
    """The slope of the checkpoints over x, after the start. Unit: score per exploration episode."""
    x, table = _means(scores)
    k, n = scores.lineages, sum(len(each.places) for each in scores.checkpoints)
    if len(x) < FEWEST_FOR_SLOPE or not len(table):
        return Estimate(None, None, None, SLOPE, n, k, (f"not estimable (fewer than {FEWEST_FOR_SLOPE} checkpoints)",))
    mean = table.mean(axis=0)
    fitted = slope(Curve(x, tuple(np.array([value]) for value in mean)))
    if k == 1:
        return replace(fitted, n_tasks=n, flags=(say.END_STATE_ONLY, *fitted.flags))
    if k == 2:
        return Estimate(fitted.value, None, None, SLOPE, n, k, (say.TWO_LINEAGES,))
    between = spread(_slopes(x, table))
    within = _spread(fitted, len(x))
    ends = hull([between, within], 0.95)
    if ends is None:
        return Estimate(fitted.value, None, None, SLOPE, n, k, (say.NO_VARIATION,))
    return Estimate(fitted.value, *ends, SLOPE, n, k)


def _means(scores: Scores) -> tuple[FloatArray, FloatArray]:
    """Places, and the mean difference of each lineage (rows) at each; only checkpoints that all lineages have."""
    kept: list[tuple[int, FloatArray]] = []
    for each in scores.checkpoints:
        differences = scores.differences(each)
        whole = ~np.isnan(differences).any(axis=0)
        if whole.any():
            kept.append((each.x, differences[:, whole].mean(axis=1)))
    if not kept:
        return np.zeros(0), np.zeros((0, 0))
    return np.array([float(x) for x, _ in kept]), np.stack([means for _, means in kept], axis=1)


def _slopes(x: FloatArray, table: FloatArray) -> FloatArray:
    apart = x - x.mean()
    found: FloatArray = table @ apart / float(apart @ apart)
    return found


def _spread(fitted: Estimate, places: int) -> Spread | None:
    """The residual t of a fitted line, back from its interval."""
    if fitted.lo is None or fitted.hi is None or fitted.value is None:
        return None
    df = places - 2
    reach = (fitted.hi - fitted.lo) / 2
    return Spread(fitted.value, (reach / t_quantile(df, 0.95)) ** 2, df)


def words(found: Estimate) -> str:
    """What the slope says, in two words."""
    if found.value is None or found.lo is None or found.hi is None:
        return "not estimable"
    return "still rising" if found.lo > 0 else "falling" if found.hi < 0 else "not shown"


def lineage_gains(scores: Scores) -> tuple[float | None, ...]:
    """The signed gain of each lineage over its own valid checkpoints; None where it has none."""
    return tuple(_own_gain(scores, lineage) for lineage in range(scores.lineages))


def _own_gain(scores: Scores, lineage: int) -> float | None:
    rows: Sequence[tuple[int, FloatArray]] = [
        (each.x, scores.differences(each)[lineage]) for each in scores.checkpoints
    ]
    measured = [(x, row[~np.isnan(row)]) for x, row in rows if not np.isnan(row).all()]
    if not measured:
        return None
    weights = trapezoid([0, *(x for x, _ in measured)])[1:]
    return float(sum(weight * row.mean() for weight, (_, row) in zip(weights, measured, strict=True)))
