"""Which controls a study may add to its arms, and where one would control nothing.

A control is an arm like another, with the same agent and the same method, which is asked as often and tries as often;
only what it proposes is put out of work (see `rung.methods._controls`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias

ControlName: TypeAlias = Literal["discard", "no-op", "random-edit", "shuffled"]

OF_TEXT: tuple[ControlName, ...] = ("random-edit", "shuffled")
"""Controls that put other text in place of a method's."""

NO_ARM: Mapping[str, str] = MappingProxyType(
    {
        "static": "every ladder has a static arm already: it is A_0, frozen, and each gain is over it",
        "best-of-n": "an exam tells an agent nothing, so it cannot know which of several attempts was the best, and "
        "to pick by the grader would be more than any agent can do (see docs/guide/controls.md)",
    }
)
"""Controls of the literature that are no arm here, and why."""

STATIC = "static"
"""The method that proposes nothing, so that there is nothing to control."""


class Controlling(Protocol):
    """An arm that was added: its name, the arm that it is a control of, and that arm's agent."""

    name: str
    of: str
    control: ControlName
    agent: Any


def each_an_arm(names: object) -> object:
    """The names as they are; raises `ValueError` for one that is no arm to add, and for one given twice."""
    given = list(names) if isinstance(names, list | tuple) else []
    for name in given:
        if isinstance(name, str) and name in NO_ARM:
            raise ValueError(f"{name!r} is no arm to add: {NO_ARM[name]}; remove it")
        if given.count(name) > 1:
            raise ValueError(f"{name!r} stands twice; name each control once")
    return names


def refuse_idle(wanted: Sequence[str], protocol: str, added: Sequence[Controlling], names: Iterable[str]) -> None:
    """Refuse controls that would control nothing, and arms that cannot be named. `names` are those of every arm."""
    seen = f"controls = {list(wanted)}"
    if wanted and protocol == "cell":
        raise ValueError(
            f'{seen} puts what a method proposes out of work, and protocol = "cell" has no method; remove it: a cell '
            "has its before-exam, its sentinels (cell.sentinels) and `rung ablate`"
        )
    if wanted and not added:
        raise ValueError(f"{seen} with method.name = 'static', which proposes nothing to control; remove controls")
    for arm in added:
        _refuse(arm)
    every = list(names)
    twice = next((arm.name for arm in added if every.count(arm.name) > 1), None)
    if twice is not None:
        raise ValueError(f"{seen} adds an arm {twice!r}, and there is one of that name already; rename that one")


def _refuse(arm: Controlling) -> None:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,31}", arm.name):
        raise ValueError(
            f"controls adds an arm {arm.name!r}, and a name has at most 32 signs; give arm {arm.of!r} a shorter one"
        )
    if arm.control in OF_TEXT and arm.agent.kind.partition(":")[0] == "phantom":
        raise ValueError(
            f"controls names {arm.control!r}, which puts other text in place of what was written, and arm {arm.of!r} "
            f"has agent.kind = {arm.agent.kind!r}, which writes numbers alone; take 'discard' and 'no-op' for phantoms"
        )
