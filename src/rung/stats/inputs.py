"""The border: foreign arrays become float arrays, or a sentence that says what was seen and how to mend it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rung.core.errors import UsageError

FloatArray: TypeAlias = npt.NDArray[np.float64]
Vector: TypeAlias = Sequence[float] | FloatArray
Matrix: TypeAlias = Sequence[Sequence[float]] | FloatArray
Rows: TypeAlias = Sequence[Vector]  # one per lineage, which may differ in length


def numbers(values: object, what: str) -> FloatArray:
    """A float array of any shape; nan is let through, and nothing else that is no finite number."""
    try:
        raw = np.asarray(values)
    except ValueError:
        raise UsageError(
            f"{what}: rows of unequal length; give every row one entry per task, nan where missing"
        ) from None
    if raw.dtype.kind not in "biuf":
        raise UsageError(f"{what} are numbers, got {_offender(values)!r}; give floats, and nan where missing")
    if not raw.size:
        raise UsageError(f"{what} are empty; give at least one number")
    array: FloatArray = raw.astype(np.float64)
    if np.isinf(array).any():
        raise UsageError(f"{what} hold an infinite value; give finite numbers, and nan where missing")
    return array


def vector(values: Vector, what: str, *, missing: bool = False) -> FloatArray:
    """A one-dimensional array; nan is refused unless it means `missing` here.

    >>> vector([1, 0.5], "scores")
    array([1. , 0.5])
    """
    array = numbers(values, what)
    if array.ndim != 1:
        raise UsageError(f"{what} are one row of numbers, got the shape {array.shape}; hand in one row at a time")
    if not missing:
        _refuse_nan(array, what)
    return array


def matrix(values: Matrix, what: str) -> FloatArray:
    """Rows are lineages, columns are tasks; nan means missing."""
    array = numbers(values, what)
    if array.ndim != 2:
        raise UsageError(
            f"{what} are a table of lineages (rows) by tasks (columns), got the shape {array.shape}; "
            "write one lineage as [differences]"
        )
    return array


def rows(values: Rows, what: str) -> list[FloatArray]:
    """One array per lineage, each with its own tasks and its own length; nan means missing."""
    if not len(values):
        raise UsageError(f"{what} are empty; give at least one lineage")
    return [vector(row, f"{what} of lineage {k}", missing=True) for k, row in enumerate(values)]


def unique(names: Sequence[str], what: str) -> None:
    """Refuse a name that comes twice."""
    seen: set[str] = set()
    twice = sorted({name for name in names if name in seen or seen.add(name)})  # type: ignore[func-returns-value]
    if twice:
        raise UsageError(f"{what} come twice: {_some(twice)}; average the attempts at one task first (average_units)")


def check_level(level: float) -> None:
    """Refuse a confidence level that is none."""
    if not 0 < level < 1:
        raise UsageError(f"a confidence level lies between 0 and 1, got {level!r}; 0.95 is usual")


def two_exams(before: Vector | Matrix, after: Vector | Matrix) -> tuple[FloatArray, FloatArray]:
    """Scores before and after as two K x N tables; a single row before is shared by every lineage; nan is missing.

    >>> two_exams([0.0, 1.0], [[1.0, 1.0], [0.5, 1.0]])[0]
    array([[0., 1.],
           [0., 1.]])
    """
    later = np.atleast_2d(numbers(after, "scores after"))
    earlier = np.atleast_2d(numbers(before, "scores before"))
    if later.ndim != 2 or earlier.shape not in (later.shape, (1, later.shape[1])):
        raise UsageError(
            f"scores before and after are lineages by tasks of one shape, or one shared row before; "
            f"got {earlier.shape} before and {later.shape} after"
        )
    return np.broadcast_to(earlier, later.shape), later


def _refuse_nan(array: FloatArray, what: str) -> None:
    holes = np.flatnonzero(np.isnan(array))
    if len(holes):
        raise UsageError(f"{what} hold nan at {_some(holes.tolist())}; leave out tasks without a measurement")


def _some(items: Sequence[object]) -> str:
    rest = f" and {len(items) - 3} more" if len(items) > 3 else ""
    return ", ".join(repr(item) for item in items[:3]) + rest


def _offender(values: object) -> object:
    strange = (item for item in _flat(values) if not isinstance(item, int | float | np.number | np.bool_))
    return next(strange, values)


def _flat(values: object) -> Iterator[object]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        yield values
        return
    for item in values:
        yield from _flat(item)
