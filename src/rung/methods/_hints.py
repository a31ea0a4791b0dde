"""Tells an acting agent what was kept of earlier episodes, before the rules of its task (S3Gym, Appendix A.1).

`turns` leaves an attempt the conversation that the agent makes of it, and puts the hints before its rules. `paper`
shows each step as S3Gym does, in one message: hints, the steps of this attempt so far, rules and view. It is for agents
that hold nothing from step to step but their conversation, and makes a fresh one at every step.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from rung.core.errors import ContextOverflow
from rung.core.ports import Actor
from rung.core.values import Action, View
from rung.core.waiting import settle
from rung.methods._episodes import action
from rung.methods._telling import Recalls

Composition: TypeAlias = Literal["turns", "paper"]
COMPOSITIONS: tuple[Composition, ...] = ("turns", "paper")

HEADING = "Hint Messages:"
SO_FAR = "Game history of current episode:"
WRAPPING = "the prompt of S3Gym"
"""What `paper` adds around an agent, also where there is nothing to be told."""


class Hints:
    """Texts for an agent, the oldest first. Where a prompt overflows, the older half of them goes for good."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces = list(pieces)
        self.text = self._joined()

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def _joined(self) -> str:
        """All of them under their heading; empty without any."""
        return "\n".join([HEADING, *self._pieces]) if self._pieces else ""

    async def asked(self, ask: Callable[[], Awaitable[Action]]) -> Action:
        """What the agent answers, asked with fewer hints after each prompt that is too long for its model."""
        while True:
            try:
                return await ask()
            except ContextOverflow:
                if not self._pieces:
                    raise
                half = len(self._pieces) // 2
                self._pieces = self._pieces[len(self._pieces) - half :]
                self.text = self._joined()


class Hinted:
    """Acts as the inner actor does, on views whose rules come after the hints."""

    def __init__(self, inner: Actor, hints: Hints) -> None:
        self._inner = inner
        self._hints = hints

    async def act(self, view: View) -> Action:
        """The inner actor's action."""
        return await self._hints.asked(lambda: settle(self._inner.act, self._shown(view)))

    def _shown(self, view: View) -> View:
        return replace(view, rules="\n\n".join(filter(None, (self._hints.text, view.rules))))


class HintedAndRecalls(Hinted):
    """The same over an actor that recalls. Whoever cannot recall must not seem to."""

    def __init__(self, inner: Actor, hints: Hints, recall: Callable[[View, Action], None]) -> None:
        super().__init__(inner, hints)
        self._recall = recall

    def recall(self, view: View, action: Action) -> None:
        """Let the inner actor take this step as played."""
        self._recall(self._shown(view), action)


class Composed:
    """Asks a fresh actor at each step, in one message of the paper's order. With `twice` the rules also follow the
    hints, as the paper's summary memory has them."""

    def __init__(self, make: Callable[[], Actor], hints: Hints, *, twice: bool) -> None:
        self._make = make
        self._hints = hints
        self._twice = twice
        self._played: list[str] = []

    async def act(self, view: View) -> Action:
        """The fresh actor's action."""
        chosen = await self._hints.asked(lambda: settle(self._make().act, self._shown(view)))
        judged = "" if chosen.self_score is None else f", Score: {chosen.self_score:g}"
        said = _last_line(chosen.answer) if isinstance(chosen.answer, str) else f"Answer: {action(chosen.answer)}"
        self._played.append(f"Env: {_seen(view)}\nLLM: {said}{judged}")
        return chosen

    def _shown(self, view: View) -> View:
        played = "\n".join([SO_FAR, *self._played]) if self._played else ""
        again = view.rules if self._twice and self._hints else ""
        parts = (self._hints.text, again, played, view.rules, _seen(view))
        return replace(view, rules="", reply="", text="\n\n".join(part for part in parts if part.strip()))


def _seen(view: View) -> str:
    return "\n".join(part for part in (view.reply, view.text) if part.strip())


def _last_line(said: str) -> str:
    """The answer line of a reply, with the score that it says."""
    return (said.strip().splitlines() or [""])[-1]


def hinted(make: Callable[[], Actor], pieces: Sequence[str], composition: Composition, *, twice: bool = False) -> Actor:
    """The agent's actor, told these texts; without any, in `turns`, the actor as it is."""
    hints = Hints(pieces)
    if composition == "paper":
        return Composed(make, hints, twice=twice)
    inner = make()
    if not pieces:
        return inner
    return HintedAndRecalls(inner, hints, inner.recall) if isinstance(inner, Recalls) else Hinted(inner, hints)
