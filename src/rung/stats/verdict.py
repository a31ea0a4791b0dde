"""The seven words a report may say of a gain. "No improvement" is not among them: without proof it is inconclusive."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rung.core.seeds import Seed
from rung.core.values import Estimate
from rung.stats import flags as say
from rung.stats.equivalence import TOST_LEVEL, check_margin, within
from rung.stats.exact import mcnemar_midp, sign_flip
from rung.stats.inputs import Matrix, Rows, matrix, rows
from rung.stats.lineages import complete, gain, measured_events, nested_gain
from rung.stats.missing import MAX_MISSING, Coverage
from rung.stats.paired import TANGO, informative

Word: TypeAlias = Literal[
    "improved", "regressed", "equivalent", "inconclusive", "not estimable", "contaminated", "incomplete"
]
Scope: TypeAlias = Literal["this end state only", "the agent improves itself"]

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Verdict:
    """One word, the claim it is about, and why. `scope` None: two lineages carry neither claim."""

    word: Word
    scope: Scope | None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a verdict rests on: the 95% estimate, the 90% one by the same method, the exact p over tasks (mid-p McNemar
    or sign flip), and how many tasks changed at all."""

    estimate: Estimate
    narrow: Estimate
    p: float | None
    informative: int


def evidence(differences: Matrix, *, binary: bool, shared_before: bool, seed: Seed) -> Evidence:
    """Weigh K lineages on the same N tasks; arguments as in `lineages.gain`, `seed` as in `exact.sign_flip`.

    A seed never decides a verdict: where the exact p is needed (N < 20 or fewer than 10 changed tasks) it is exact.

    >>> found = evidence([[1, 1, 0, -1, 1, 0, 0, 1]], binary=True, shared_before=False, seed=Seed("doc"))
    >>> found.p, found.informative
    (0.21875, 5)
    """
    estimate = gain(differences, binary=binary, shared_before=shared_before)
    narrow = gain(differences, binary=binary, shared_before=shared_before, level=TOST_LEVEL)
    by_task = complete(matrix(differences, "differences"))[0].mean(axis=0)
    if not len(by_task):
        return Evidence(estimate, narrow, None, 0)
    if estimate.method == TANGO:
        p = mcnemar_midp(int((by_task > 0).sum()), int((by_task < 0).sum()))
    else:
        p = sign_flip(by_task, seed=seed)
    return Evidence(estimate, narrow, p, informative(by_task))


def nested_evidence(lineages: Rows, *, seed: Seed) -> Evidence:
    """Weigh K lineages that each have their own tasks; arguments as in `lineages.nested_gain`.

    >>> nested_evidence([[0.1, 0.3, 0.2], [0.2, 0.4, 0.0]], seed=Seed("doc")).p
    0.0625
    """
    estimate, narrow = nested_gain(lineages), nested_gain(lineages, level=TOST_LEVEL)
    groups, _ = measured_events(rows(lineages, "differences"))
    if not groups:
        return Evidence(estimate, narrow, None, 0)
    events = np.concatenate(groups)
    return Evidence(estimate, narrow, sign_flip(events, seed=seed), informative(events))


def judge(
    found: Evidence, *, margin: float | None = None, coverage: Coverage | None = None, contaminated: bool = False
) -> Verdict:
    """Say one word about a gain, and of which claim.

    contaminated > incomplete (over 5% missing) > not estimable (no interval, fewer than 6 tasks, two lineages) >
    improved or regressed (the 95% interval excludes 0; with fewer than 20 tasks or fewer than 10 changed ones the
    exact p must be at most 5% as well) > equivalent (a `margin` was declared and the 90% interval lies inside it) >
    inconclusive. A word that the missing pairs could overturn becomes incomplete.

    >>> judge(evidence([[1] * 22 + [-1] * 5 + [0] * 91], binary=True, shared_before=False, seed=Seed("doc")))
    Verdict(word='improved', scope='this end state only', reasons=())
    """
    if margin is not None:
        check_margin(margin)
    scope = _scope(found.estimate.n_lineages)
    refusal = _refusal(found.estimate, coverage, contaminated=contaminated)
    if refusal is not None:
        return Verdict(refusal[0], scope, refusal[1])
    word, reasons = _decide(found, margin)
    if coverage is None:
        return Verdict(word, scope, reasons)
    if _could_overturn(word, coverage, margin):
        return Verdict("incomplete", scope, (*coverage.flags, f"the missing pairs could overturn '{word}'"))
    return Verdict(word, scope, (*reasons, *coverage.flags))


def _scope(lineages: int) -> Scope | None:
    if lineages >= 3:
        return "the agent improves itself"
    return "this end state only" if lineages == 1 else None


def _refusal(
    estimate: Estimate, coverage: Coverage | None, *, contaminated: bool
) -> tuple[Word, tuple[str, ...]] | None:
    if contaminated:
        return "contaminated", ("the number stands inside the finding only",)
    if coverage is not None and coverage.missing_share > MAX_MISSING:
        return "incomplete", coverage.flags
    if estimate.n_tasks == 0:
        return "incomplete", estimate.flags
    if estimate.n_tasks < say.MIN_TASKS:
        return "not estimable", (say.UNDER_SIX,)
    if estimate.n_lineages == 2:
        return "not estimable", (say.TWO_LINEAGES,)
    if estimate.lo is None or estimate.hi is None:
        return "not estimable", (say.NO_VARIATION,)
    return None


def _decide(found: Evidence, margin: float | None) -> tuple[Word, tuple[str, ...]]:
    small = say.size_flags(found.estimate.n_tasks, found.informative)
    direction = _direction(found.estimate)
    p = 1.0 if found.p is None else found.p
    if direction is not None and small and p > ALPHA:
        return "inconclusive", (*small, f"the interval excludes 0 and the exact test does not agree (p = {p:.3g})")
    if direction is not None:
        return direction, small
    if margin is None or not within(found.narrow, margin):
        return "inconclusive", small
    if not _can_be_equivalent(found):
        return "inconclusive", (*small, "too little changed on too few tasks to state equivalence")
    return "equivalent", (f"the 90% interval lies inside ±{margin:g}",)


def _direction(estimate: Estimate) -> Word | None:
    if estimate.lo is not None and estimate.lo > 0:
        return "improved"
    return "regressed" if estimate.hi is not None and estimate.hi < 0 else None


def _can_be_equivalent(found: Evidence) -> bool:
    """No exact test backs equivalence on a small sample, and t is too short where few tasks changed; Tango is not."""
    enough = found.estimate.method == TANGO or found.informative >= say.MIN_INFORMATIVE
    return enough and found.estimate.n_tasks >= say.SMALL_TASKS


def _could_overturn(word: Word, coverage: Coverage, margin: float | None) -> bool:
    """True when the worst case of the missing pairs lies on the other side. An open end bounds nothing: flagged."""
    lo, hi = coverage.bounds.lo, coverage.bounds.hi
    if coverage.paired == coverage.planned:
        return False
    if word == "improved":
        return lo is not None and lo <= 0
    if word == "regressed":
        return hi is not None and hi >= 0
    return word == "equivalent" and margin is not None and max(-(lo or 0.0), hi or 0.0) >= margin
