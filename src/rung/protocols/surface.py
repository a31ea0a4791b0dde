"""Holds every candidate to the surface of its method, and lets none by that names what was held in.

What a method may change is its own to say (`rung.core.surface.Surface`, its attribute `surface`); one that says nothing
has the usual one. Beside that no candidate may name a task, a seed or the exam, nor repeat sixty characters of an
answer that was given in a held-in task: such a state would know its tasks instead of how to solve them. Only what a
candidate puts in is looked at, so nothing is refused for what was there before.

A violation is a fact of the refinement (`refused` in `refined`), its candidate is never tried, and the study goes on.
The text of a control is the instrument's own: it is held to paths and sizes alone.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from rung.core import registry
from rung.core.canonical import JSON
from rung.core.errors import UsageError
from rung.core.ports import FeedbackLog, Journal, Method
from rung.core.surface import Surface, Violation, changed, modules
from rung.core.values import Call, Candidate, FeedbackResult, State, Task
from rung.core.waiting import contained

TOLD = 60
"""Characters of a long answer that no state may repeat, with marks and white space as one space."""

MAX_TOLD = 40_000
"""Characters of the answers of one attempt that are looked at."""

MOST = 20
"""Violations of a candidate that are recorded; of more, how many."""

NAME = 20
"""Hex digits by which a task is named."""

LONG_WORD = 40
_NAMES = re.compile(rf"[0-9a-fA-F]{{{NAME},}}")
_ESCAPE = re.compile(r"\\[nrtbf\"\\/]")
_MARKS = re.compile(r"[\W_]+")
_WORD = re.compile(r"\S+")


@dataclass(slots=True)
class Held:
    """What no candidate may name, as far as is known so far: tasks and the exam by the plan, seeds as they are met, and
    the answers of each lineage."""

    names: set[str] = field(default_factory=set)
    seeds: set[str] = field(default_factory=set)
    _answers: dict[str, set[int]] = field(default_factory=dict)
    _heard: dict[str, int] = field(default_factory=dict)

    @classmethod
    def planned(cls, journal: Journal) -> "Held":
        """All tasks of a plan, by what their names end in, and its exam."""
        held = cls()
        for kind in ("task", "entry"):
            for fact in journal.facts(under="plan", kind=kind):
                held.names.add(_name(str(cast("Mapping[str, Any]", fact.value)["task"])))
        exam = journal.get("plan", "exam")
        if isinstance(exam, Mapping):
            held.names.add(str(exam["id"]))
        return held

    def meet(self, task: Task) -> None:
        """Know a task and its seed."""
        self.names.add(_name(task.id))
        self.seeds.add(task.seed)

    def hear(self, home: str, log: FeedbackLog) -> None:
        """Know the answers that a lineage was told of; only what is new in its log is read."""
        for index in range(self._heard.get(home, 0), len(log)):
            self._answers.setdefault(home, set()).update(map(hash, _windows(answers(log[index]))))
        self._heard[home] = len(log)

    def named(self, text: str) -> bool:
        """Whether a text names a task, a seed or the exam."""
        if any(len(seed) >= NAME and seed in text for seed in self.seeds):
            return True
        found = (each[0].lower() for each in _NAMES.finditer(text))
        return any(each[at : at + NAME] in self.names for each in found for at in range(len(each) - NAME + 1))

    def repeated(self, home: str, text: str) -> bool:
        """Whether a text repeats a stretch of an answer that this lineage was told of."""
        known = self._answers.get(home)
        return bool(known) and any(hash(each) in known for each in _windows(_plain(text)))  # type: ignore[operator]


def _name(task: str) -> str:
    return task.rpartition(":")[2]


# --------------------------------------------------------------------------------------------- answers


def answers(feedback: FeedbackResult) -> str:
    """What was answered in an attempt, step by step, as far as its family reads an answer in it."""
    family = registry.family(str(feedback.task["family"]))
    said = (_call(family.parse, step.action) for step in feedback.trajectory)
    texts = (text for call in said if call is not None for text in _leaves(call.arguments))
    return _plain(" ".join(texts))[:MAX_TOLD]


def _call(parse: Callable[[str], object], action: str | Call) -> Call | None:
    if isinstance(action, Call):
        return action
    try:
        found = contained(lambda: parse(action))
    except Exception:  # noqa: BLE001 (a family's own code; what it cannot read is no answer)
        return None
    return found if isinstance(found, Call) else None


def _leaves(value: JSON, deep: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and deep < LONG_WORD:
        for each in value.values():
            yield from _leaves(each, deep + 1)
    elif isinstance(value, Sequence) and deep < LONG_WORD:
        for each in value:
            yield from _leaves(each, deep + 1)
    elif value is not None:
        yield str(value)


def _plain(text: str) -> str:
    """A text without marks, escapes and cases, so that it is the same in a note, in JSON and in code."""
    return _MARKS.sub(" ", _ESCAPE.sub(" ", text)).casefold().strip()


def _windows(text: str) -> Iterator[str]:
    """The stretches of a text that begin with a word, or anywhere in one that is very long."""
    for word in _WORD.finditer(text):
        starts = range(word.start(), word.end()) if len(word[0]) > LONG_WORD else (word.start(),)
        for start in starts:
            if start + TOLD <= len(text):
                yield text[start : start + TOLD]


# --------------------------------------------------------------------------------------------- candidates


def surface_of(method: Method, *, control: bool) -> Surface:
    """What a method may change."""
    found = getattr(method, "surface", Surface())
    if not isinstance(found, Surface):
        raise UsageError(f"method {method.id!r}: surface is a rung.core.surface.Surface, seen {type(found).__name__}")
    return replace(found, imports=None) if control else found


def violations(
    before: State, candidate: Candidate, surface: Surface, held: Held | None, home: str
) -> tuple[Violation, ...]:
    """All that is not allowed in a candidate; without `held` nothing is looked for in its words."""
    after = candidate.state.files
    found: list[Violation] = []
    own = modules(after)
    for path, data in changed(before.files, after).items():
        if data is None:
            misplaced = surface.misplaced(path)
            found += [misplaced] if misplaced is not None else []
            continue
        found += [each for each in surface.unfit(path, data, own) if held is not None or each.kind != "syntax"]
        if held is not None:
            found += _told(path, _added(before.files.get(path), data), held, home)
    return (*found, *surface.overfull(after))


def _told(path: str, added: str, held: Held, home: str) -> Iterator[Violation]:
    if held.named(added) or held.named(path):
        yield Violation("identifier", path, "it names a held-in task, a seed or the exam")
    if held.repeated(home, added):
        yield Violation("answer", path, f"it repeats {TOLD} characters or more of an answer given in a held-in task")


def _added(before: bytes | None, after: bytes) -> str:
    """The lines that were not there before, as text."""
    old = set((before or b"").split(b"\n"))
    return b"\n".join(line for line in after.split(b"\n") if line not in old).decode("utf-8", "replace")


def to_json(number: int, candidate: Candidate, found: Sequence[Violation]) -> dict[str, JSON]:
    """A refused candidate as it is recorded: its number, why, and what its method said of it."""
    listed: list[JSON] = [each.to_json() for each in found[:MOST]]
    return {"number": number, "violations": listed, "all": len(found), "manifest": dict(candidate.manifest)}
