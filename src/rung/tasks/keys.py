"""Keys by family id: what only the instrument knows.

Agents, methods, the stream and the driver cannot import this (see the contracts in pyproject.toml), so that no grader
and no solver is within an agent's reach.
"""

import importlib
from functools import cache
from typing import cast

from rung.core import registry
from rung.core.ports import Key


@cache
def key(family: str) -> Key:
    """The key of the family with this id; raises `UsageError` for an unknown one."""
    module = importlib.import_module(f"{registry.locate('families', family)}.key")
    return cast(Key, registry.constant(module, "KEY"))
