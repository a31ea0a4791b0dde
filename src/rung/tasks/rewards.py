"""What one step of a game can earn: the declared scale of a family's rewards, on which errors of judging are measured.

A family that rewards steps says so by an attribute `reward`, the least and the most that one step can earn. One that
does not has no such scale, and no error is measured on the range of the data instead (reference: stats 2.6).
"""

from math import isfinite

from rung.core.errors import UsageError
from rung.core.ports import Family


def reward_range(family: Family) -> tuple[float, float] | None:
    """The least and the most that one step of a family can earn; None where it declares nothing.

    Raises `UsageError` for a declaration that is no range.
    """
    declared = getattr(family, "reward", None)
    if declared is None:
        return None
    try:
        low, high = (float(end) for end in declared)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not (isfinite(low) and isfinite(high) and low < high):
        raise UsageError(f"family {family.id!r}: reward is the least and the most that a step earns, got {declared!r}")
    return low, high
