"""Proposals and their labels. What each label means: docs/guide/annotating.md."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from rung.core.errors import UsageError

Relation: TypeAlias = Literal["new", "revise", "contradict", "duplicate"]
Scope: TypeAlias = Literal["task", "category", "general"]
Function: TypeAlias = Literal["exploration", "reasoning", "planning", "execution"]
Surface: TypeAlias = Literal["contextual artifact", "execution harness", "refinement mechanism"]
Operation: TypeAlias = Literal["add", "revise"]

RELATIONS: tuple[Relation, ...] = get_args(Relation)
SCOPES: tuple[Scope, ...] = get_args(Scope)
FUNCTIONS: tuple[Function, ...] = get_args(Function)
SURFACES: tuple[Surface, ...] = get_args(Surface)

BEFORE = "before"
"""The id by which the text that a revision replaces is known among earlier ones."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """A proposal that was there before another."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Held(Sequence[Earlier]):
    """What a proposal is held against: what stood, and the first so many of its own refinement. Both are shared."""

    standing: tuple[Earlier, ...]
    said: Sequence[Earlier]
    many: int

    def __len__(self) -> int:
        return len(self.standing) + self.many

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        stood = len(self.standing)
        return self.standing[place] if place < stood else self.said[place - stood]


@dataclass(frozen=True, slots=True)
class Proposal:
    """The smallest piece of a change that could be taken over or left out by itself.

    `path` is where it lies in the state, None where only its words are known. With `operation` revise, `before` is the
    text that it replaces. `earlier` is what it is held against, oldest first.
    """

    id: str
    game: str
    category: str
    method: str
    path: str | None
    operation: Operation
    text: str
    before: str | None = None
    earlier: Sequence[Earlier] = field(default=(), repr=False)

    def against(self, place: int) -> Earlier:
        """What its relation may be about, by place: the earlier ones, and last the text that it replaces."""
        if place == len(self.earlier) and self.before is not None:
            return Earlier(BEFORE, self.before)
        return self.earlier[place]


@dataclass(frozen=True, slots=True)
class Labels:
    """The four labels of a proposal; `of` is the earlier one that its relation is about, None for a new one."""

    relation: Relation
    of: str | None
    scope: Scope
    function: frozenset[Function]
    surface: Surface

    def __post_init__(self) -> None:
        _among("relation", self.relation, RELATIONS)
        _among("scope", self.scope, SCOPES)
        _among("surface", self.surface, SURFACES)
        if not self.function or not self.function <= set(FUNCTIONS):
            raise UsageError(f"function: one or more of {', '.join(FUNCTIONS)}, seen {sorted(self.function)}")


def _among(key: str, value: str, allowed: Iterable[str]) -> None:
    if value not in allowed:
        raise UsageError(f"{key}: one of {', '.join(allowed)}, seen {value!r}")
