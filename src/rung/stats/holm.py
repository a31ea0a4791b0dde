"""Many tests at once: p values that keep the chance of any false word at the level of one."""

from collections.abc import Sequence

from rung.core.errors import UsageError


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p values, in the order given: reject where one is at most 5%, and the chance of any false
    rejection among them is at most 5%, however they depend on each other.

    The i-th smallest of m is multiplied by m - i + 1; none is smaller than the one before it, nor above 1.
    Source: Holm 1979, A simple sequentially rejective multiple test procedure. Unit: probability.

    >>> [round(p, 12) for p in holm([0.01, 0.04, 0.03, 0.005])]
    [0.03, 0.06, 0.06, 0.02]
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise UsageError(f"p values lie between 0 and 1, got {[p for p in p_values if not 0 <= p <= 1][:3]}")
    adjusted, floor, left = [0.0] * len(p_values), 0.0, len(p_values)
    for place in sorted(range(len(p_values)), key=p_values.__getitem__):
        floor = max(floor, min(1.0, left * p_values[place]))
        adjusted[place], left = floor, left - 1
    return tuple(adjusted)
