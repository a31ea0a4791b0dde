"""P values that assume no law for the scores: McNemar's for wins and losses, sign flips for everything else."""

from math import comb

import numpy as np

from rung.core.errors import UsageError
from rung.core.seeds import Seed
from rung.stats.inputs import FloatArray, Vector, vector
from rung.stats.paired import informative
from rung.stats.quantiles import SMALLEST_P

EXACT_LIMIT = 24  # non-zero differences; above, signs are drawn instead of listed
RESAMPLES = 9_999


def mcnemar_exact(gains: int, losses: int) -> float:
    """Two-sided exact p that gains and losses are equally likely: 2·P(X <= min(b, c)), X ~ Bin(b + c, 1/2).

    Conservative. Source: McNemar 1947 in its binomial form. p is a probability, 1 where nothing changed.

    >>> mcnemar_exact(5, 0), mcnemar_exact(0, 0)
    (0.0625, 1.0)
    """
    tail, _ = _half_binomial(gains, losses)
    return min(1.0, 2 * tail)


def mcnemar_midp(gains: int, losses: int) -> float:
    """Two-sided mid-p of McNemar's test: the exact p less P(X = min(b, c)); 1 - P(X = b)/2 when b = c.

    Less conservative and still holds its level in practice.
    Source: Fagerland, Lydersen and Laake 2013, The McNemar test for binary matched-pairs data.

    >>> mcnemar_midp(1, 7), mcnemar_midp(4, 4), mcnemar_midp(0, 0)
    (0.0390625, 0.86328125, 1.0)
    """
    tail, point = _half_binomial(gains, losses)
    if gains + losses == 0:
        return 1.0
    return 1 - point / 2 if gains == losses else 2 * tail - point


def _half_binomial(gains: int, losses: int) -> tuple[float, float]:
    """P(X <= m) and P(X = m) for X ~ Bin(b + c, 1/2) and m = min(b, c), from whole numbers."""
    if min(gains, losses) < 0:
        raise UsageError(f"gains and losses are counts, got {gains} and {losses}")
    n, m = gains + losses, min(gains, losses)
    tail = sum(comb(n, i) for i in range(m + 1))
    whole = 1 << n
    return max(tail / whole, SMALLEST_P), max(comb(n, m) / whole, SMALLEST_P)


def sign_flip(differences: Vector, *, seed: Seed) -> float:
    """Two-sided p that the differences are symmetric about 0: the share of sign patterns with |sum| >= |observed|.

    Exact up to 24 non-zero differences (zeros never matter) and whenever they are all of one size; above, 9,999
    patterns drawn from `seed`, p = (1 + hits) / 10,000. Never 0.
    Source: Fisher 1935, The design of experiments, section 21.

    >>> sign_flip([0.1, -0.05, 0.3, 0.0, 0.2, 0.15, -0.1, 0.25], seed=Seed("doc")) == 7 / 64
    True
    """
    d = vector(differences, "differences")
    count = informative(d)
    if count == 0:
        return 1.0
    changed = d[np.argsort(-np.abs(d))[:count]]
    if np.ptp(np.abs(changed)) <= 1e-12 * abs(changed[0]):
        return mcnemar_exact(int((changed > 0).sum()), int((changed < 0).sum()))
    edge = abs(float(changed.sum())) - 1e-10 * float(np.abs(changed).sum())
    return _listed(changed, edge) if count <= EXACT_LIMIT else _drawn(changed, edge, seed)


def _listed(changed: FloatArray, edge: float) -> float:
    """All 2^n patterns, as pairs of half patterns: sums of the left half meet the sorted sums of the right."""
    middle = len(changed) // 2
    left, right = _sums(changed[:middle]), np.sort(_sums(changed[middle:]))
    below = np.searchsorted(right, -edge - left, side="right").sum()
    above = (len(right) - np.searchsorted(right, edge - left, side="left")).sum()
    return min(1.0, float(below + above) / (1 << len(changed)))


def _sums(values: FloatArray) -> FloatArray:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums - value, sums + value))
    return sums


def _drawn(changed: FloatArray, edge: float, seed: Seed) -> float:
    generator = np.random.Generator(np.random.PCG64(int(seed.child("sign-flip").hex, 16)))
    signs = 2.0 * generator.integers(0, 2, size=(RESAMPLES, len(changed)), dtype=np.int8) - 1.0
    hits = int((np.abs(signs @ changed) >= edge).sum())
    return (1 + hits) / (1 + RESAMPLES)
