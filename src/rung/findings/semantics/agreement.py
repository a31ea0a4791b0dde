"""How far two sets of labels agree: shares, and Cohen's kappa, each with an interval from resampled proposals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rung.core.errors import UsageError
from rung.core.seeds import Seed
from rung.core.values import Estimate
from rung.findings.semantics.values import FUNCTIONS, Labels

RESAMPLES = 2000
FEWEST = 20
"""Below so many proposals there is no interval."""
METHOD = f"percentile bootstrap of proposals, {RESAMPLES} resamples"

Question: TypeAlias = Literal["relation", "scope", "function", "surface"]
Matrix: TypeAlias = NDArray[np.int64]
"""A row for each proposal, a column for each yes or no, or one column of a word's number."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two labelers on one question, over the same proposals (SelfImprove-Bench, A.4).

    `exact`: share with the same label, or the same whole set. `any_label`: share with a label in common. `jaccard`: the
    mean share of labels in common of all that either gave. The last two are None where one label is given. `kappa` is
    agreement beyond chance, (p_o - p_e) / (1 - p_e) (Cohen 1960); of sets it is over all yes and no, label by label.
    """

    question: Question
    exact: Estimate
    kappa: Estimate
    any_label: Estimate | None = None
    jaccard: Estimate | None = None


def agreement(one: Sequence[Labels], other: Sequence[Labels], *, seed: Seed, level: float = 0.95) -> list[Agreement]:
    """The agreement of two labelers on each of the four questions; labels of the same proposals in the same order."""
    if len(one) != len(other) or not one:
        raise UsageError(f"two labels for each proposal, of one or more; got {len(one)} and {len(other)}")
    picked = _resamples(len(one), seed)
    found = []
    words: tuple[tuple[Question, Callable[[Labels], str]], ...] = (
        ("relation", lambda each: each.relation),
        ("scope", lambda each: each.scope),
        ("surface", lambda each: each.surface),
    )
    for question, word in words:
        a, b = _numbered([word(each) for each in one], [word(each) for each in other])
        found.append(Agreement(question, _mean(a[:, 0] == b[:, 0], picked, level), _kappa(a, b, picked, level)))
    a, b = (
        np.array([[name in each.function for name in FUNCTIONS] for each in side], dtype=int) for side in (one, other)
    )
    both, either = (a & b).sum(axis=1), (a | b).sum(axis=1)
    sets = Agreement(
        "function",
        exact=_mean(both == either, picked, level),
        kappa=_kappa(a, b, picked, level),
        any_label=_mean(both > 0, picked, level),
        jaccard=_mean(both / either, picked, level),
    )
    return [*found[:2], sets, found[2]]


def _resamples(n: int, seed: Seed) -> NDArray[np.int64]:
    generator = np.random.default_rng(seed.child("agreement").rng().getrandbits(64))
    return generator.integers(0, n, size=(RESAMPLES, n))


def _numbered(one: Sequence[str], other: Sequence[str]) -> tuple[Matrix, Matrix]:
    names = sorted({*one, *other})
    a, b = (np.array([[names.index(each)] for each in side], dtype=int) for side in (one, other))
    return a, b


def _mean(values: NDArray[np.bool_] | NDArray[np.float64], picked: Matrix, level: float) -> Estimate:
    column = np.asarray(values, dtype=float)
    return _estimate(float(column.mean()), column[picked].mean(axis=1), len(column), level)


def _kappa(a: Matrix, b: Matrix, picked: Matrix, level: float) -> Estimate:
    value = kappa(a, b)
    drawn = np.array([kappa(a[row], b[row]) for row in picked])
    if np.isnan(value):
        return Estimate(None, None, None, "not estimable", len(a), 1, ("neither labeler ever varies",))
    return _estimate(value, drawn, len(a), level)


def kappa(a: Matrix, b: Matrix) -> float:
    """Cohen's kappa over all entries of two tables; nan where chance alone agrees always.

    >>> kappa(np.array([[0], [0], [1], [1]]), np.array([[0], [1], [1], [1]]))
    0.5
    """
    most = int(max(a.max(), b.max())) + 1
    shares = [np.bincount(side.ravel(), minlength=most) / side.size for side in (a, b)]
    chance = float(shares[0] @ shares[1])
    return (float((a == b).mean()) - chance) / (1 - chance) if chance < 1 else float("nan")


def _estimate(value: float, drawn: NDArray[np.float64], n: int, level: float) -> Estimate:
    if n < FEWEST:
        return Estimate(value, None, None, "share", n, 1, (f"no interval: fewer than {FEWEST} proposals",))
    kept = drawn[~np.isnan(drawn)]
    lost = len(drawn) - len(kept)
    flags = (f"undefined in {lost} of {len(drawn)} resamples",) if lost else ()
    if not len(kept):
        return Estimate(value, None, None, METHOD, n, 1, flags)
    lo, hi = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, float(lo), float(hi), METHOD, n, 1, flags)
