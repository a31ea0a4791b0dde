"""Several studies in one file: what they share stands once, and each says what it has otherwise.

    name = "the tables"                    # everything as in a config of one study
    protocol = "ladder"
    ...
    [[studies]]
    name = "farm"
    tasks = { schedule = [{ family = "farm-v1", difficulty = 3, count = 20 }] }

A study's tables are laid over the shared ones, key by key; a list takes the place of a list. Each must be a config.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rung.core import config
from rung.core.config import Config
from rung.core.errors import UsageError

KEY = "studies"
NAME = r"[a-z0-9][a-z0-9-]{0,31}"
MOST = 200
"""Studies in one file at most."""


@dataclass(frozen=True, slots=True)
class Studies:
    """The studies of a file by name, in its order."""

    name: str
    configs: Mapping[str, Config]


def read(path: Path, *, overrides: Sequence[str] = ()) -> Studies:
    """The studies of a TOML or JSON file. Raises `UsageError` with the study, the key, the value and the mend."""
    return parse(config.document(path, overrides=overrides))


def parse(document: Mapping[str, Any]) -> Studies:
    """Studies from plain values."""
    shared = {key: value for key, value in document.items() if key != KEY}
    own = document.get(KEY)
    if not isinstance(own, list) or not 0 < len(own) <= MOST or not all(isinstance(each, Mapping) for each in own):
        raise UsageError(
            f"{KEY} is a list of 1 to {MOST} tables, each [[{KEY}]] with a name; `rung run` runs a config of one study"
        )
    names = [each.get("name") for each in own]
    for name in names:
        if not isinstance(name, str) or not re.fullmatch(NAME, name) or names.count(name) > 1:
            raise UsageError(
                f"{KEY}: each has a name of its own of small letters, digits and dashes, up to 32, seen {name!r}"
            )
    title = str(shared.get("name", KEY))
    made = {str(each["name"]): _study(title, shared, each) for each in own}
    return Studies(title, made)


def _study(title: str, shared: Mapping[str, Any], own: Mapping[str, Any]) -> Config:
    name = own["name"]
    try:
        return config.parse({**laid_over(shared, own), "name": f"{title} - {name}"})
    except UsageError as error:
        raise UsageError(f"study {name!r}: {error}") from None


def laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Two tables as one: where both have a table it is laid over, and else what is above stands.

    >>> laid_over({"a": {"b": 1, "c": 2}, "d": [1, 2]}, {"a": {"c": 3}, "d": [4]})
    {'a': {'b': 1, 'c': 3}, 'd': [4]}
    """
    made = dict(below)
    for key, value in above.items():
        under = made.get(key)
        both = isinstance(under, Mapping) and isinstance(value, Mapping)
        made[key] = laid_over(under, value) if both and under is not None else value
    return made
