"""From rows to differences: pair by task, and average whatever is not independent."""

from collections.abc import Sequence

import numpy as np

from rung.core.errors import UsageError
from rung.stats.inputs import FloatArray, Matrix, Vector, numbers, unique, vector
from rung.stats.rounding import minus


def pair_by_id(
    before: Sequence[tuple[str, float]], after: Sequence[tuple[str, float]]
) -> tuple[tuple[str, ...], FloatArray]:
    """After minus before, task by task, in the order of `before`; both sides must hold the same tasks, each once.

    nan is a missing score and stays one in the difference.

    >>> pair_by_id([("a", 0.0), ("b", 1.0)], [("b", 0.5), ("a", 1.0)])
    (('a', 'b'), array([ 1. , -0.5]))
    """
    ids = [task for task, _ in before]
    unique(ids, "task ids before")
    unique([task for task, _ in after], "task ids after")
    later = dict(after)
    unpaired = sorted(set(ids) ^ set(later))
    if unpaired:
        raise UsageError(f"a paired gain needs the same tasks on both sides; unpaired: {unpaired[:5]}")
    old = vector([score for _, score in before], "scores before", missing=True)
    new = vector([later[task] for task in ids], "scores after", missing=True)
    return tuple(ids), minus(new, old)


def average_units(values: Vector | Matrix, units: Sequence[str]) -> tuple[tuple[str, ...], FloatArray]:
    """Average entries that share a unit: attempts at one task, or tasks of one template, document or opponent.

    What shares a unit is not independent, so the unit is the sampling unit and N counts units. Works on a row, or on
    every row of a table of lineages by tasks; units stand in order of first sight, and a missing entry makes its
    unit missing. With equal sizes this is the cluster-robust (CR1) interval with t on G-1 degrees of freedom.
    Source: Miller 2024, Adding error bars to evals. Unit: that of the values.

    >>> average_units([1.0, 0.0, 0.5], ["doc1", "doc1", "doc2"])
    (('doc1', 'doc2'), array([0.5, 0.5]))
    """
    table = numbers(values, "values")
    if table.ndim == 0 or table.shape[-1] != len(units):
        raise UsageError(f"each value belongs to one unit: got values of shape {table.shape} and {len(units)} units")
    names = tuple(dict.fromkeys(units))
    place = {name: j for j, name in enumerate(names)}
    member = np.zeros((len(units), len(names)))
    member[np.arange(len(units)), [place[unit] for unit in units]] = 1.0
    holes = np.isnan(table)
    means = (np.where(holes, 0.0, table) @ member) / member.sum(axis=0)
    averaged: FloatArray = np.where((holes @ member) > 0, np.nan, means)
    return names, averaged
