"""What a family may declare of its scores beside their scale, for who measures judging and curves.

`reward`: the least and the most that one step can earn, the scale on which errors of judging are measured.
`score_step`: the least score above 0 of an episode, the unit of NABA for a curve that begins at 0.

A family that declares none has none; the range of the data never stands in (reference: stats 2.5, 2.6).
"""

from math import inf, isfinite

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


def score_step(family: Family) -> float | None:
    """The least score above 0 of an episode; None where the family declares none. Raises `UsageError` for no size."""
    declared = getattr(family, "score_step", None)
    if declared is None:
        return None
    if isinstance(declared, bool) or not isinstance(declared, int | float) or not 0 < declared < inf:
        raise UsageError(f"family {family.id!r}: score_step is a size above 0, got {declared!r}")
    return float(declared)
