"""The name of a difficulty: `d1`, `d2` and so on without an end."""

from rung.core.errors import UsageError
from rung.core.values import Setting


def difficulty_of(family: str, name: str) -> int:
    """The n of `dn`; raises `UsageError` for a name that is no difficulty.

    >>> difficulty_of("farm-v1", "d7")
    7
    """
    difficulty = Setting(name).difficulty
    if difficulty is None:
        raise UsageError(f"{family} has no setting {name!r}; its settings are d1, d2 and so on")
    return difficulty
