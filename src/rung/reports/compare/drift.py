"""The same declared A_0 in several runs, against itself: what differs by more than chance there is drift, and no gain.

A run examines A_0 and A_T interleaved, so that what serves them drifts under both alike. Two runs were examined at two
times. Where they declare the same A_0 and gave it the same tasks, its scores must agree but for chance; where they do
not, a gain of one run cannot be held against a gain of the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import nan

import numpy as np

from rung.core.seeds import Seed
from rung.reports.compare.runs import Run
from rung.reports.compare.values import Drift, DriftWord
from rung.reports.wording import gain_text
from rung.stats.arms import Contrast, contrast
from rung.stats.exact import sign_flip
from rung.stats.flags import END_STATE_ONLY, MIN_TASKS
from rung.stats.multiplicity import planned
from rung.stats.rounding import minus

SEED = Seed("rung.reports.compare.drift")
ALPHA = 0.05
"""The chance, at most, that runs without any drift are refused for it."""


def drift(runs: Sequence[Run], cells: Sequence[str]) -> tuple[Drift, ...]:
    """Every A_0 that two runs declare alike, in every cell that both examined, with Holm's p over all of them."""
    found = [each for one, other in combinations(runs, 2) for each in _between(one, other, cells)]
    names = [f"{number}" for number in range(len(found))]
    adjusted = planned({name: each.p for name, each in zip(names, found, strict=True)}, names)
    return tuple(_judged(replace(each, adjusted=adjusted[name])) for name, each in zip(names, found, strict=True))


def _between(one: Run, other: Run, cells: Sequence[str]) -> Iterator[Drift]:
    for beginning in (name for name in one.found.exams if name in other.found.exams):
        for cell in cells:
            places = [[task.place for task in run.cell(cell)] for run in (one, other)]
            scores = [_scores(run, beginning, at) for run, at in zip((one, other), places, strict=True)]
            scale = one.found.scale(one.cell(cell)[0].family)
            found = shift(*scores, seed=SEED.child(beginning, cell, one.label, other.label))
            difference = replace(
                found.difference, flags=tuple(flag for flag in found.difference.flags if flag != END_STATE_ONLY)
            )
            yield Drift(
                beginning, cell, one.label, other.label, difference, found.p, None, "cannot be told", scale.unit
            )


def _scores(run: Run, examinee: str, places: Sequence[int]) -> list[float]:
    means = run.found.means.get(examinee)
    return [nan if means is None else means[place - 1] for place in places]


def shift(earlier: Sequence[float], later: Sequence[float], *, seed: Seed) -> Contrast:
    """Scores of one A_0 by task in two runs: their mean difference, t over tasks, and p that chance explains it.

    p as in `rung.stats.arms.contrast`: of the t over tasks, and of the exact sign flips where these are larger and
    tasks few; of the sign flips alone where every task differs by the same. None below 6 tasks, which cannot tell.
    Unit: that of the scores.

    >>> found = shift([0.0] * 6, [1.0] * 6, seed=Seed("doc"))
    >>> found.difference.value, found.p
    (1.0, 0.03125)
    """
    found = contrast([list(earlier)], [list(later)], seed=seed)
    if found.p is not None or found.difference.n_tasks < MIN_TASKS:
        return found
    change = minus(np.array(later, dtype=float), np.array(earlier, dtype=float))
    return Contrast(found.difference, sign_flip(change[~np.isnan(change)], seed=seed))


def _judged(found: Drift) -> Drift:
    word: DriftWord = "no drift seen"
    if found.adjusted is None:
        word = "cannot be told"
    elif found.adjusted <= ALPHA:
        word = "drifted"
    return replace(found, word=word)


def said(found: Drift) -> str:
    """A drift in a sentence, with runs, difference, interval and p."""
    return (
        f"{found.earlier} and {found.later} declare the same A_0 ({found.beginning}), and on {found.cell} it scored "
        f"{gain_text(found.difference)} in {found.later} against {found.earlier} (p {found.adjusted:.3g} "
        f"after Holm, paired over {found.difference.n_tasks} tasks): more than chance explains"
    )
