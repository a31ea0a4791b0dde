"""The annotator with a model: one question a proposal, in the words of ask.md, and what can be read of the answer.

Models wrap their JSON in words and fences, and write labels in other letters; that is read. What is no answer all the
same has no labels and is counted; nothing is guessed for it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Literal, TypeAlias

from rung.core.canonical import JSON
from rung.core.errors import UsageError
from rung.core.ports import Model
from rung.core.values import Message, ModelReply, ModelRequest, Tool
from rung.findings.semantics.labels import labels_from
from rung.findings.semantics.likeness import nearest
from rung.findings.semantics.values import BEFORE, FUNCTIONS, RELATIONS, SCOPES, SURFACES, Labels, Proposal

SHOWN = 12
"""Earlier proposals that a model is shown, the most alike: no model reads a thousand."""
LONGEST = 600
"""Characters of a text that a model is shown."""
MAX_TOKENS = 400
NONE = "(none)"

Replies: TypeAlias = Literal["text", "tools"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking about some proposals; None for an answer that could not be read."""

    labels: tuple[Labels | None, ...]

    @property
    def unread(self) -> int:
        """Answers that could not be read."""
        return sum(each is None for each in self.labels)


async def ask(model: Model, proposals: Sequence[Proposal], *, replies: Replies = "text") -> Asked:
    """Ask a model about each proposal, one after the other. What the model port raises passes through."""
    found: list[Labels | None] = []
    for proposal, near in zip(proposals, nearest(proposals), strict=True):
        shown = [proposal.against(each.place) for each in near]
        rest = [each for each in proposal.earlier[:SHOWN] if each not in shown]
        earlier = [*shown, *rest][:SHOWN]
        request = _request(proposal, [(each.id, each.text) for each in earlier], replies)
        found.append(read(await model.generate(request), {each.id for each in earlier}))
    return Asked(tuple(found))


@cache
def _prompt() -> Template:
    return Template((Path(__file__).parent / "ask.md").read_text("utf-8").strip())


def _request(proposal: Proposal, earlier: Sequence[tuple[str, str]], replies: Replies) -> ModelRequest:
    lines = "\n".join(f"[{name}] {text[:LONGEST]}" for name, text in earlier) or NONE
    question = _prompt().substitute(
        game=proposal.game,
        category=proposal.category or "not known",
        path=proposal.path or "not known",
        earlier=lines,
        operation=proposal.operation if proposal.before is None else f"in the place of [{BEFORE}]",
        text=proposal.text[:LONGEST],
    )
    return ModelRequest(
        (Message("user", question),),
        "instrument",
        tools=(FORM,) if replies == "tools" else (),
        max_tokens=MAX_TOKENS,
        temperature=0.0,
    )


def _one_of(words: Sequence[str]) -> JSON:
    return {"type": "string", "enum": list(words)}


FORM = Tool(
    "label",
    "Label the proposal.",
    {
        "type": "object",
        "properties": {
            "relation": _one_of(RELATIONS),
            "of": {"type": ["string", "null"]},
            "scope": _one_of(SCOPES),
            "function": {"type": "array", "items": _one_of(FUNCTIONS), "minItems": 1, "maxItems": len(FUNCTIONS)},
            "surface": _one_of(SURFACES),
        },
        "required": ["relation", "scope", "function", "surface"],
        "additionalProperties": False,
    },
)
"""The form of an answer that is a call, which a grammar can keep a model to."""


# --------------------------------------------------------------------------------------------- reading

_OBJECT = re.compile(r"\{[^{}]*\}")
_WORDS: Mapping[str, str] = {
    "revision": "revise",
    "revises": "revise",
    "contradiction": "contradict",
    "contradicts": "contradict",
    "duplicates": "duplicate",
    "category-general": "category",
    "task-specific": "task",
    "explore": "exploration",
    "exploring": "exploration",
    "context": "contextual artifact",
    "contextual": "contextual artifact",
    "harness": "execution harness",
    "meta": "refinement mechanism",
}


def read(reply: ModelReply, known: set[str]) -> Labels | None:
    """The labels in a reply, None where there are none. `of` is kept where it names a proposal that was shown."""
    rows: list[Any] = [dict(call.arguments) for call in reply.calls[:1]]
    for found in _OBJECT.findall(reply.text):
        try:
            rows.append(json.loads(found))
        except (ValueError, RecursionError):
            continue
    for row in rows:
        try:
            return labels_from(_tidy(row, known), "reply")
        except UsageError:
            continue
    return None


def _tidy(row: Any, known: set[str]) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        return {}
    said = {str(key).strip().casefold(): value for key, value in row.items()}
    function = said.get("function", said.get("functions"))
    given = re.split(r"[,;/|+]", function) if isinstance(function, str) else function
    of = said.get("of")
    return {
        **{key: _word(said.get(key)) for key in ("relation", "scope", "surface")},
        "function": [_word(each) for each in given] if isinstance(given, list) else None,
        "of": of if isinstance(of, str) and of in known and _word(said.get("relation")) != "new" else None,
    }


def _word(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    bare = " ".join(value.casefold().replace("_", " ").split()).strip(".\"' ")
    return _WORDS.get(bare, bare)
