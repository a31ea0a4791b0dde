"""From a plug-in's name or file to the things that its suite examines.

A plug-in module may say two things about how it wants to be tried:

    EXAMPLES   the options to try it with: for a method a mapping each, for an agent (variant, mapping) each.
               Without it a method is made from no options, and an agent from no variant and no options
    GATED      False for a method that takes a candidate over whatever its trials say
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, Literal, TypeAlias

from rung.core import registry
from rung.core.errors import UsageError
from rung.tasks import keys
from rung.testing.contracts.families import FamilyCase
from rung.testing.contracts.methods import MethodCase

Found: TypeAlias = Literal["families", "agents", "methods", "sources"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A thing under test: the suite that it belongs to, what to call it, and itself."""

    kind: Found
    name: str
    thing: object


def subjects(name: str, group: registry.Group | None = None) -> list[Subject]:
    """The things to examine of a plug-in: a registered name with its group, or a Python file.

    A file is a family when it has FAMILY and KEY; else its `make` is a method's with one argument (options), an
    agent's with two (variant, options). A module without any of these is no plug-in, and gives no subject.
    """
    if name.endswith(".py"):
        module = registry.load(group or "methods", name)
        return _of_module(name, module, group or _group_of(module, name))
    if group is None:
        raise UsageError(f"{name!r}: say of which group it is: families, methods or agents")
    if group == "families":
        return [Subject(group, name, FamilyCase(registry.family(name), keys.key(name)))]
    return _of_module(name, registry.load(group, name), group)


def _group_of(module: ModuleType, name: str) -> registry.Group:
    if hasattr(module, "FAMILY"):
        return "families"
    if not hasattr(module, "make"):
        raise UsageError(f"{name}: found neither FAMILY and KEY nor make(...); define one of them at the top level")
    return "agents" if len(inspect.signature(module.make).parameters) == 2 else "methods"


def _of_module(name: str, module: ModuleType, group: registry.Group) -> list[Subject]:
    if group == "families":
        if not (hasattr(module, "FAMILY") and hasattr(module, "KEY")):
            raise UsageError(f"{name}: a family needs FAMILY and KEY at the top level")
        return [Subject(group, name, FamilyCase(module.FAMILY, module.KEY))]
    make = getattr(module, "make", None)
    if make is None:
        return []
    return _agents(name, module, make) if group == "agents" else _methods(name, module, make)


def _agents(name: str, module: ModuleType, make: Callable[..., Any]) -> list[Subject]:
    examples: Sequence[tuple[str, Mapping[str, Any]]] = getattr(module, "EXAMPLES", (("", {}),))
    return [
        Subject("agents", _called(f"{name}:{variant}" if variant else name, options), partial(make, variant, options))
        for variant, options in examples
    ]


def _methods(name: str, module: ModuleType, make: Callable[..., Any]) -> list[Subject]:
    examples: Sequence[Mapping[str, Any]] = getattr(module, "EXAMPLES", ({},))
    gated = bool(getattr(module, "GATED", True))
    return [
        Subject("methods", _called(name, options), MethodCase(partial(make, options), gated=gated))
        for options in examples
    ]


def _called(name: str, options: Mapping[str, Any]) -> str:
    return f"{name} {dict(options)}" if options else name
