"""Tells an acting agent what was reflected: behind the rules of its task, and nothing where there is nothing."""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, runtime_checkable

from rung.core.ports import Actor
from rung.core.values import Action, View
from rung.core.waiting import settle


@runtime_checkable
class Recalls(Protocol):
    """An actor that can be told what it did before an interruption."""

    def recall(self, view: View, action: Action) -> None:
        """Take this step as played."""
        ...


class Told:
    """Acts as the inner actor does, on views whose rules end with the text for the attempt's first view."""

    def __init__(self, inner: Actor, text_for: Callable[[View], str]) -> None:
        self._inner = inner
        self._text_for = text_for
        self._text: str | None = None

    async def act(self, view: View) -> Action:
        """The inner actor's action."""
        return await settle(self._inner.act, self._shown(view))

    def _shown(self, view: View) -> View:
        if self._text is None:
            self._text = self._text_for(view)
        return replace(view, rules="\n\n".join(filter(None, (view.rules, self._text)))) if self._text else view


class ToldAndRecalls(Told):
    """The same over an actor that recalls. Whoever cannot recall must not seem to."""

    def __init__(self, inner: Actor, text_for: Callable[[View], str], recall: Callable[[View, Action], None]) -> None:
        super().__init__(inner, text_for)
        self._recall = recall

    def recall(self, view: View, action: Action) -> None:
        """Let the inner actor take this step as played."""
        self._recall(self._shown(view), action)


def told(inner: Actor, text_for: Callable[[View], str]) -> Actor:
    """The inner actor, told what `text_for` makes of its first view."""
    return ToldAndRecalls(inner, text_for, inner.recall) if isinstance(inner, Recalls) else Told(inner, text_for)
