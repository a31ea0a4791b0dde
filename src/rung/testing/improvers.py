"""Improver models that follow a script, for any method: competent, sloppy and hostile ones.

What is asked is read off the request, so an answer is a function of the request and stays the same at any concurrency:
by the tools at hand, else by the form that the text asks for. A session with tools is one question after another, and
each is answered from the conversation so far. Against a method of your own the forms of text are tried as they are;
one that asks otherwise is answered in a sentence.

    competent   writes the lesson of `rung.testing.lessons` once it has seen what an answer should have been
    useless     writes a sentence that helps nobody
    copying     writes the answers that it was shown, which are facts of held-in tasks
    meddling    changes its own improver and nothing else, whether it is asked to or not
    SLOPPY      no use: broken JSON, nothing, a refusal, too much, no text, no form, no tool, edits off the surface
    writing     makes files as they are; for code that would do harm where it ran (see `rung.testing.attacks`)
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from rung.core.values import Call, ModelReply, ModelRequest, Usage
from rung.testing import editing
from rung.testing.lessons import FACT, Lesson

Says: TypeAlias = Callable[[ModelRequest], str | ModelReply]
Form: TypeAlias = Literal["reflect", "curate", "reflection", "instruction", "edit", "other"]

USELESS = "I should be careful with every number that I am shown."
REFUSAL = "I am sorry, but I cannot help with that."
_BULLET = re.compile(r"^\[([a-z]+-[0-9]+)\]", re.MULTILINE)
BEFORE = "I answered nought without looking for anything behind the number."


def roles(improver: Says, acting: Says) -> Says:
    """One model for both roles of a study."""
    return lambda request: improver(request) if request.role == "improver" else acting(request)


# --------------------------------------------------------------------------------------------- what is asked


def form(request: ModelRequest) -> Form:
    """What a request asks for."""
    names = {tool.name for tool in request.tools}
    for each in ("reflect", "curate"):
        if each in names:
            return each
    if names:
        return "edit"
    told = "\n".join(message.text for message in request.messages if message.author != "assistant")
    marks: Sequence[tuple[Form, str]] = (
        ("edit", editing.MARK),
        ("curate", '"operations"'),
        ("reflect", '"lesson"'),
        ("reflection", "Write a reflection"),
        ("instruction", "```"),
    )
    return next((name for name, mark in marks if mark in told), "other")


def heard(request: ModelRequest) -> str:
    """All that an improver was told; not what it said itself."""
    return "\n".join(message.text for message in request.messages if message.author != "assistant")


# --------------------------------------------------------------------------------------------- who notes something


@dataclass(frozen=True, slots=True)
class Noting:
    """An improver that has some sentences to write, and writes each of them once, in whatever form it is asked for."""

    notes: Callable[[str], Sequence[str]]

    def __call__(self, request: ModelRequest) -> str | ModelReply:
        """The reply to one request."""
        told = heard(request)
        notes = self.notes(told)
        match form(request):
            case "reflect":
                return _called(request, "reflect", _reflection(notes, told))
            case "curate":
                kept = "\n".join(line for line in told.splitlines() if _BULLET.match(line))
                return _called(request, "curate", _curation([each for each in notes if each not in kept]))
            case "instruction":
                return f"```\nAnswer with one whole number.\n{' '.join(notes)}\n```"
            case "edit":
                return editing.noting(request, notes, heard(request))
            case _:
                return " ".join([BEFORE, *notes])


def competent(lesson: Lesson) -> Says:
    """Notes the lesson where it was shown an answer that would have been right, or the lesson itself."""
    return Noting(lambda told: [lesson.sentence] if FACT.search(told) or lesson.known_from(told) else [])


def useless() -> Says:
    """Notes what helps nobody."""
    return Noting(lambda told: [USELESS])


def copying() -> Says:
    """Notes the answers themselves."""
    return Noting(lambda told: [found[0] for found in FACT.finditer(told)])


def _called(request: ModelRequest, tool: str, value: Mapping[str, Any]) -> str | ModelReply:
    """A value as the call that is asked for, or as text."""
    if not request.tools:
        return json.dumps(value)
    return ModelReply("", "scripted", "tool_calls", Usage(1, 1), calls=(Call(tool, value),))


def _reflection(notes: Sequence[str], told: str) -> Mapping[str, Any]:
    lesson = " ".join(notes) or "Nothing is to be learned here."
    named = _BULLET.findall(told)
    return {
        "happened": BEFORE,
        "cause": "I guessed.",
        "better": lesson[:1000],
        "lesson": lesson[:1000],
        "tags": [{"id": each, "tag": "helpful"} for each in named[:20]],
    }


def _curation(notes: Sequence[str]) -> Mapping[str, Any]:
    operations = [{"op": "ADD", "section": "strategies", "text": each[:500]} for each in notes[:20]]
    return {"reason": "It was missing.", "operations": operations}


# --------------------------------------------------------------------------------------------- who is of no use


def _says(text: str) -> Says:
    return lambda request: text


def _tries(*calls: Call) -> Says:
    """In a session these calls and then its end; elsewhere a form with other keys."""
    return lambda request: editing.trying(request, calls) if form(request) == "edit" else '{"other": "keys"}'


LONG = 300_000
_WRITE = "write"

SLOPPY: Mapping[str, Says] = MappingProxyType(
    {
        "broken JSON": _says('{"tool": "write", "operations": [{"op": "ADD", "text": "What sh'),
        "nothing": _says(""),
        "a refusal": _says(REFUSAL),
        "too much": _says("far too much " * (LONG // 13)),
        "no text": _says("\x00\x01\x7f\u202e" * 50),
        "no form": _says('{"other": "keys"}'),
        "no tool": _tries(Call("teleport", {"to": "the exam"})),
        "off the surface": _tries(
            Call(_WRITE, {"path": "../exam/answers.md", "text": "x"}),
            Call(_WRITE, {"path": "/etc/passwd", "text": "x"}),
            Call(_WRITE, {"path": "agent/../method/x.md", "text": "x"}),
            Call(_WRITE, {"path": "method/archive/nodes.jsonl", "text": "x"}),
            Call("delete", {"path": "method/counters.jsonl"}),
        ),
        "a file too large": _tries(Call(_WRITE, {"path": "agent/notes.md", "text": "x" * (2 << 20)})),
        "a binary file": _tries(Call(_WRITE, {"path": "agent/notes.md", "text": "\x00\x01" * 100_000})),
        "arguments of other types": _tries(Call(_WRITE, {"path": ["agent/notes.md"], "text": 7}), Call(_WRITE, {})),
        "code that is none": _tries(Call(_WRITE, {"path": "agent/tools/broken.py", "text": "def broken(:\n"})),
    }
)
"""Improvers of no use, by what is wrong with their replies."""


def endless() -> Says:
    """In a session it looks around for ever."""
    return lambda request: editing.say(request, Call("list", {})) if form(request) == "edit" else REFUSAL


def meddling(path: str = "method/improver/notes.md") -> Says:
    """Writes to its own improver and to nothing else, whether that is a target or not."""
    return _tries(Call(_WRITE, {"path": path, "text": "Read the newest attempt first.\n"}))


def writing(files: Mapping[str, str]) -> Says:
    """Makes these files, and ends."""
    return _tries(*(Call(_WRITE, {"path": path, "text": text}) for path, text in files.items()))
