"""Read a plug-in's options: every key known, every type right, or a sentence that says which and how to mend it."""

import difflib
from collections.abc import Iterable, Mapping

from rung.core.canonical import JSON
from rung.core.errors import UsageError


def unknown_key(where: str, key: str, value: object, known: Iterable[str]) -> UsageError:
    """The error for a key that nobody reads."""
    names = sorted(known)
    near = difflib.get_close_matches(key, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(names) or 'none'}"
    return UsageError(f"{where}: unknown key {key!r} (seen: {value!r}); {hint}")


def take(where: str, options: Mapping[str, JSON], defaults: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """The options over their defaults. A default's type is the type asked for; a float takes whole numbers too.

    >>> take("[agent]", {"rate": 1}, {"rate": 0.5, "base": 0.0})
    {'rate': 1.0, 'base': 0.0}
    """
    for key, value in options.items():
        if key not in defaults:
            raise unknown_key(where, key, value, defaults)
    return {key: _typed(where, key, options.get(key, default), default) for key, default in defaults.items()}


def _typed(where: str, key: str, value: JSON, default: JSON) -> JSON:
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not type(default):
        wanted = type(default).__name__
        raise UsageError(f"{where}: {key} takes a {wanted}, seen {value!r}; the default is {default!r}")
    return value


def share(where: str, key: str, value: float) -> float:
    """A number between 0 and 1."""
    if not 0.0 <= value <= 1.0:
        raise UsageError(f"{where}: {key} is a share between 0 and 1, seen {value!r}")
    return value


def whole(where: str, key: str, value: JSON) -> int:
    """A whole number from 0 up."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise UsageError(f"{where}: {key} is a whole number from 0 up, seen {value!r}")
    return value
