"""Which node is improved next, and which one acts: pure functions of the archive.

`faithful` takes the mean score of a node as it is, and knows nothing of a node that has none. `repaired` sets each
score against all others of the same family and setting, for a node that met harder tasks is not a worse one, and
shrinks towards the node's parent, for one attempt says little.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Literal, TypeAlias

from rung.methods.hyperagents.archive import ROOT, Archive, Measured

Parents: TypeAlias = Literal["score_children", "score", "best", "latest", "random"]
Deploy: TypeAlias = Literal["best", "latest", "parent"]

STEEP = 10.0
TOP = 3
FEW_CHILDREN = 8.0
"""Numbers of the published rule: sigmoid(10 (s - mean of the best three)) exp(-(children / 8)^3)."""

PRIOR = 2.0
"""With how many attempts' weight a node is held to be like its parent."""

UNFIT_IN_A_ROW = 3
"""After so many children in a row whose improver failed, it begins at the root again."""


def plain_means(archive: Archive) -> Mapping[str, float]:
    """The mean score of each node that has one."""
    return {
        each.id: fmean(one.score for one in archive.measured(each.id))
        for each in archive.nodes
        if archive.measured(each.id)
    }


def shrunken_means(archive: Archive) -> Mapping[str, float]:
    """What each node is worth: how far above the others of the same bucket it scored, shrunken towards its parent.

    A score counts as its distance to the mean of its bucket, in parts of the bucket's range; in a bucket where all
    scored the same it counts as nothing. A root begins at nothing, a node without a score at its parent's value.
    """
    place = _within_buckets(archive)
    value: dict[str, float] = {}
    for node in archive.nodes:
        before = value[node.parent] if node.parent is not None else 0.0
        own = [place(each) for each in archive.measured(node.id)]
        value[node.id] = (PRIOR * before + sum(own)) / (PRIOR + len(own))
    return value


class _Places:
    """Where a score lies among all of its bucket."""

    def __init__(self, buckets: Mapping[str, Sequence[float]]) -> None:
        self._means = {name: fmean(scores) for name, scores in buckets.items()}
        self._ranges = {name: max(scores) - min(scores) for name, scores in buckets.items()}

    def __call__(self, one: Measured) -> float:
        wide = self._ranges[one.bucket]
        return (one.score - self._means[one.bucket]) / wide if wide > 0 else 0.0


def _within_buckets(archive: Archive) -> _Places:
    buckets: dict[str, list[float]] = {}
    for node in archive.nodes:
        for each in archive.measured(node.id):
            buckets.setdefault(each.bucket, []).append(each.score)
    return _Places(buckets)


# --------------------------------------------------------------------------------------------- the parent


def weights(archive: Archive, values: Mapping[str, float], rule: Parents) -> Mapping[str, float]:
    """The weight with which each node is drawn as a parent; a node that may be none is left out.

    Nodes whose improver failed are none, and neither are those without a value, except under `latest` and `random`,
    which ask for none. Where nobody is left, it is the root.
    """
    fit = list(fit_parents(archive))
    if rule in ("score_children", "score", "best"):
        fit = [name for name in fit if name in values] or [ROOT]
    if fit == [ROOT]:
        return {ROOT: 1.0}
    if rule == "latest":
        return {fit[-1]: 1.0}
    if rule == "random":
        return dict.fromkeys(fit, 1.0)
    if rule == "best":
        return {max(reversed(fit), key=lambda name: values[name]): 1.0}
    middle = fmean(sorted((values[name] for name in fit), reverse=True)[:TOP])
    scored = {name: _sigmoid(STEEP * (values[name] - middle)) for name in fit}
    if rule == "score":
        return scored
    weighed = {
        name: weight * math.exp(-((archive.children(name) / FEW_CHILDREN) ** 3)) for name, weight in scored.items()
    }
    return weighed if any(weighed.values()) else scored


def fit_parents(archive: Archive) -> tuple[str, ...]:
    """The nodes that may be parents; the root alone after several children in a row that may not."""
    last = archive.nodes[-UNFIT_IN_A_ROW:]
    if len(last) == UNFIT_IN_A_ROW and all(each.unfit for each in last):
        return (ROOT,)
    return tuple(each.id for each in archive.nodes if not each.unfit) or (ROOT,)


def _sigmoid(at: float) -> float:
    """1 / (1 + exp(-at)), for any number."""
    if at >= 0:
        return 1.0 / (1.0 + math.exp(-at))
    small = math.exp(max(at, -700.0))
    return small / (1.0 + small)


# --------------------------------------------------------------------------------------------- who acts


def deployed(archive: Archive, values: Mapping[str, float], policy: Deploy, *, parent: str) -> str:
    """The node that acts from now on. What was published knows of none while it searches, so this is a choice.

    `best` is the node of the greatest value, the newest among equals, where one without a value of its own has its
    parent's; `latest` the newest; `parent` the one that was drawn to be improved.
    """
    if policy == "latest":
        return archive.nodes[-1].id
    if policy == "parent":
        return parent
    whole: dict[str, float] = {}
    for node in archive.nodes:
        inherited = whole[node.parent] if node.parent is not None else 0.0
        whole[node.id] = values.get(node.id, inherited)
    return max(reversed(archive.nodes), key=lambda node: whole[node.id]).id
