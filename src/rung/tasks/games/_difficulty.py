"""The name of a difficulty: `d1`, `d2` and so on up to `d50`."""

from rung.core.errors import UsageError
from rung.core.values import Setting

HARDEST = 50
"""Beyond it an instance takes longer to draw than anybody would wait."""


def difficulty_of(family: str, name: str) -> int:
    """The n of `dn`; raises `UsageError` for a name that is no difficulty.

    >>> difficulty_of("farm-v1", "d7")
    7
    """
    difficulty = Setting(name).difficulty
    if difficulty is None:
        raise UsageError(f"{family} has no setting {name!r}; its settings are d1, d2 and so on")
    if difficulty > HARDEST:
        raise UsageError(f"{family} has no setting {name!r}; the hardest is d{HARDEST}")
    return difficulty
