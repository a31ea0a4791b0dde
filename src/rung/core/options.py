"""Read a plug-in's options: every key known, every type right, or a sentence that says which and how to mend it."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from rung.core.canonical import JSON
from rung.core.errors import UsageError

Word = TypeVar("Word", bound=str)


@dataclass(frozen=True, slots=True)
class Unset:
    """The default of an option that may be left out: it is None then, and of this type where it is given."""

    wanted: type[bool] | type[int] | type[float] | type[str]


Default: TypeAlias = JSON | Unset


def unknown_key(where: str, key: str, value: object, known: Iterable[str]) -> UsageError:
    """The error for a key that nobody reads."""
    names = sorted(known)
    near = difflib.get_close_matches(key, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(names) or 'none'}"
    return UsageError(f"{where}: unknown key {key!r} (seen: {value!r}); {hint}")


def take(where: str, options: Mapping[str, JSON], defaults: Mapping[str, Default]) -> Mapping[str, JSON]:
    """The options over their defaults. A default's type is the type asked for; a float takes whole numbers too.

    >>> take("[agent]", {"rate": 1}, {"rate": 0.5, "base": 0.0, "heat": Unset(float)})
    {'rate': 1.0, 'base': 0.0, 'heat': None}
    """
    for key, value in options.items():
        if key not in defaults:
            raise unknown_key(where, key, value, defaults)
    return {key: _typed(where, key, options.get(key, default), default) for key, default in defaults.items()}


def _typed(where: str, key: str, value: Default, default: Default) -> JSON:
    if isinstance(value, Unset) or (value is None and isinstance(default, Unset)):
        return None
    wanted: type = default.wanted if isinstance(default, Unset) else type(default)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return _float(where, key, value)
    if type(value) is not wanted:
        usual = "leave it out for none" if isinstance(default, Unset) else f"the default is {default!r}"
        raise UsageError(f"{where}: {key} takes a {wanted.__name__}, seen {value!r}; {usual}")
    return value


def _float(where: str, key: str, value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise UsageError(
            f"{where}: {key} is larger than any number can be here, seen one of {len(str(value))} digits"
        ) from None


def share(where: str, key: str, value: float) -> float:
    """A number between 0 and 1."""
    if not 0.0 <= value <= 1.0:
        raise UsageError(f"{where}: {key} is a share between 0 and 1, seen {value!r}")
    return value


def whole(where: str, key: str, value: JSON, *, least: int = 0) -> int:
    """A whole number from `least` up."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{where}: {key} is a whole number from {least} up, seen {value!r}")
    return value


def choice(where: str, key: str, value: JSON, among: Sequence[Word]) -> Word:
    """One of some words."""
    for word in among:
        if word == value:
            return word
    raise UsageError(f"{where}: {key} is one of {', '.join(among)}, seen {value!r}")


def temperature(where: str, value: JSON) -> float | None:
    """A decoding temperature, from 0 to 2; None leaves it to the provider."""
    if value is None or (isinstance(value, float) and 0.0 <= value <= 2.0):
        return value
    raise UsageError(f"{where}: temperature is a number from 0 to 2, seen {value!r}; leave it out for the provider's")
