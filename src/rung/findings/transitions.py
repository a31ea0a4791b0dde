"""The steps of exploring as an agent took them, and what each earned: read from the journal, judged by nobody.

An exploring course is one arm, one game, one lineage (`history.trust-v1/L2`; see the docstring of the protocol). Its
episodes lie under `work`, each with its steps. A reward is what the verifier gave for the step, which the agent was not
told; `told` is the judgement that the pathway was told in its place.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from rung.core.canonical import canonical
from rung.core.ports import Journal

SELF_SCORE = "self_score"
"""The argument of a typed call that says what it will earn; it is no part of the action."""

_SCORE = re.compile(r"[\s,;*_`]*(?<![A-Za-z0-9])score[\s*_`]*[:=].*$", re.IGNORECASE)
_ANSWER = re.compile(r"[\W_]*(?:(?:my\s+)?final\s+)?answer\b[\s*_`]*[:=]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Transition:
    """One step: what was seen before it, what was done, what came of it.

    `said` is the agent's own score, `told` the judgement that its pathway was told, `earned` the reward; None where
    there is none. `view` is the id of the text it saw.
    """

    view: str
    action: str
    said: float | None
    told: float | None
    earned: float | None
    invalid: bool
    reply: str


@dataclass(frozen=True, slots=True)
class Episode:
    """One exploration episode that was measured, the `number`-th of its course. `extra_lives` were given beyond the
    first and `lost` of all lives lost, where its game has lives."""

    path: str
    number: int
    transitions: tuple[Transition, ...]
    extra_lives: int | None = None
    lost: int | None = None


@dataclass(frozen=True, slots=True)
class Course:
    """The episodes of one lineage of an arm in one game, in order; `broke` were begun and not measured."""

    arm: str
    game: str
    lineage: int
    episodes: tuple[Episode, ...]
    broke: int = 0

    @property
    def transitions(self) -> tuple[Transition, ...]:
        """All of its steps."""
        return tuple(step for episode in self.episodes for step in episode.transitions)


def courses(journal: Journal) -> tuple[Course, ...]:
    """Every course that has begun, in key order; none where this is no exploring study."""
    sealed: dict[tuple[str, int], list[tuple[str, Mapping[str, Any]]]] = {}
    for fact in journal.facts(kind="sealed"):
        parts = fact.path.split("/")
        if len(parts) == 4 and parts[2] == "work" and "." in parts[0]:
            key = parts[0], int(parts[1].removeprefix("L"))
            sealed.setdefault(key, []).append((fact.path, cast("Mapping[str, Any]", fact.value)))
    texts = _Texts(journal)
    return tuple(_course(journal, *key, sealed[key], texts) for key in sorted(sealed))


def _course(
    journal: Journal, name: str, lineage: int, sealed: list[tuple[str, Mapping[str, Any]]], texts: "_Texts"
) -> Course:
    arm, _, game = name.partition(".")
    measured = [(n, path, value) for n, (path, value) in enumerate(sealed, 1) if "fault" not in value]
    episodes = tuple(_episode(journal, n, path, value, texts) for n, path, value in measured)
    return Course(arm, game, lineage, episodes, len(sealed) - len(measured))


def _episode(journal: Journal, number: int, path: str, sealed: Mapping[str, Any], texts: "_Texts") -> Episode:
    judged = cast("Mapping[str, Any]", journal.get(path, "judged") or {})
    told = list(judged.get("scores", ()))
    steps = [cast("Mapping[str, Any]", fact.value) for fact in journal.facts(under=f"{path}/step", kind="step")]
    told += [None] * (len(steps) - len(told))
    lost = cast("Mapping[str, Any]", sealed.get("metrics") or {}).get("lives_lost")
    return Episode(
        path,
        number,
        tuple(_transition(step, said, texts) for step, said in zip(steps, told, strict=True)),
        texts.payload(path).get("extra_lives") if lost is not None else None,
        lost,
    )


def _transition(step: Mapping[str, Any], told: float | None, texts: "_Texts") -> Transition:
    return Transition(
        view=step["view"],
        action=action_of(step["answer"], texts),
        said=step["self_score"],
        told=told,
        earned=step["score"],
        invalid=bool(step["invalid"]),
        reply=texts.text(step["reply"]),
    )


@dataclass(frozen=True, slots=True)
class _Texts:
    """Texts of a journal that may stand in a blob."""

    journal: Journal
    known: dict[str, str] = field(default_factory=dict)

    def text(self, kept: Any) -> str:
        return self.blob(kept["blob"]) if isinstance(kept, Mapping) else str(kept)

    def blob(self, digest: str) -> str:
        if digest not in self.known:
            self.known[digest] = self.journal.read_blob(digest).decode()
        return self.known[digest]

    def payload(self, path: str) -> Mapping[str, Any]:
        served = cast("Mapping[str, Any]", self.journal.get(path, "served") or {})
        return json.loads(self.blob(served["payload"])) if served else {}


def action_of(answer: Mapping[str, Any], texts: Any = None) -> str:
    """What was done, without what was said of its score: a call by its arguments, a text by its last answer line.

    >>> action_of({"tool": "move", "arguments": {"direction": "UP", "self_score": 1}})
    'move {"direction":"UP"}'
    >>> action_of({"text": "I think so.\\nAnswer: Up, Score: 1"})
    'up'
    """
    if "tool" in answer:
        arguments = {name: value for name, value in answer["arguments"].items() if name != SELF_SCORE}
        return f"{answer['tool']} {canonical(arguments)}"
    kept = answer["text"]
    text = texts.text(kept) if texts is not None else str(kept)
    lines = [line for line in text.splitlines() if line.strip()]
    last = next((line for line in reversed(lines) if _ANSWER.match(line)), lines[-1] if lines else "")
    return " ".join(_SCORE.sub("", _ANSWER.sub("", last, count=1)).lower().split())


def views(journal: Journal, found: Course) -> Iterator[tuple[str, str]]:
    """Each view of a course by its id, once, with its text."""
    for view in dict.fromkeys(step.view for step in found.transitions):
        yield view, journal.read_blob(view).decode()
