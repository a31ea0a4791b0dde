"""Asks the improver in the words of the prompt files, and sends back what cannot be used."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Generic, Literal, TypeAlias, TypeVar

from rung.core.canonical import canonical
from rung.core.errors import UsageError
from rung.core.ports import Model
from rung.core.values import FeedbackResult, Message, ModelReply, ModelRequest, Tool
from rung.methods._attempt import MAX_PIECE, NONE, attempt, cut, ending, rules
from rung.methods.ace.answers import Unusable
from rung.methods.ace.operations import statistics
from rung.methods.ace.playbook import SECTIONS, Playbook, Variant, shown

Replies: TypeAlias = Literal["text", "tools"]
Found = TypeVar("Found")

Read: TypeAlias = Callable[[ModelReply, Sequence[str]], Found | Unusable]
"""Makes a value of a reply; it is given the instructions so far, for what merely repeats them is none."""

REPAIRS = 2
"""How often a reply that cannot be used is sent back."""


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the improver decodes, and whether it answers in text or must call a tool."""

    replies: Replies
    max_tokens: int
    temperature: float | None


@dataclass(frozen=True, slots=True)
class Answer(Generic[Found]):
    """What came of asking: a value or None, and why each reply before it, or each of all, could not be used."""

    value: Found | None
    reasons: tuple[str, ...] = ()


@cache
def prompt(name: str) -> str:
    """A prompt file of this folder, without white space around it."""
    return (Path(__file__).parent / f"{name}.md").read_text("utf-8").strip()


def filled(name: str, **values: str) -> str:
    """A prompt with its places filled in. What is put in is no template again."""
    return Template(prompt(name)).substitute(values)


async def ask(
    model: Model,
    opening: Sequence[Message],
    form: Tool,
    read: Read[Found],
    decoding: Decoding,
) -> Answer[Found]:
    """Ask, and send back what cannot be used. What the model port raises passes through."""
    conversation = list(opening)
    told = [message.text for message in opening if message.author == "system"]
    reasons: list[str] = []
    while len(reasons) <= REPAIRS:
        reply = await model.generate(_request(conversation, form, decoding))
        found = read(reply, told)
        if not isinstance(found, Unusable):
            return Answer(found, tuple(reasons))
        reasons.append(found.reason)
        again = filled("repair", reason=found.reason)
        told.append(again)
        conversation += [Message("assistant", cut(_said(reply), MAX_PIECE) or NONE), Message("user", again)]
    return Answer(None, tuple(reasons))


def _request(conversation: Sequence[Message], form: Tool, decoding: Decoding) -> ModelRequest:
    return ModelRequest(
        tuple(conversation),
        "improver",
        tools=(form,) if decoding.replies == "tools" else (),
        max_tokens=decoding.max_tokens,
        temperature=decoding.temperature,
    )


def _said(reply: ModelReply) -> str:
    if reply.text.strip() or not reply.calls:
        return reply.text.strip()
    try:
        return canonical(reply.calls[0].arguments)
    except (UsageError, TypeError, ValueError, RecursionError):
        return ""


# --------------------------------------------------------------------------------------------- what is asked


def reflecting(feedback: FeedbackResult, notes: str, earlier: str) -> list[Message]:
    """The question after what an attempt teaches."""
    question = filled(
        "reflect",
        rules=rules(feedback),
        attempt=attempt(feedback),
        ending=ending(feedback),
        notes=notes or NONE,
        earlier=earlier or NONE,
    )
    return [Message("system", prompt("reflect_system")), Message("user", question)]


def curating(
    feedback: FeedbackResult, playbook: Playbook, reflection: str, variant: Variant, budget: int
) -> list[Message]:
    """The question after what is to become of the playbook. The published curator is not shown the attempt."""
    known = {"attempt": attempt(feedback), "ending": ending(feedback)} if variant == "repaired" else {}
    question = filled(
        f"curate_{variant}",
        rules=rules(feedback),
        playbook=shown(playbook, counts=True) or NONE,
        statistics=statistics(playbook, budget),
        reflection=reflection,
        number=str(playbook.tasks + 1),
        **known,
    )
    sections = ", ".join(SECTIONS)
    return [Message("system", filled(f"curate_system_{variant}", sections=sections)), Message("user", question)]
