"""Asks a model for a reflection, and takes nothing that is none.

Without examples a model answers the task instead of reflecting on it (seen in ports of the published method), so it is
shown two, and what it writes is checked. A reply that is no reflection is sent back with the reason; after so many the
update is skipped.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

from rung.core.ports import Model
from rung.core.values import FeedbackResult, Message, ModelReply, ModelRequest, Step
from rung.methods._attempt import MAX_PIECE, NONE, attempt, cut, ending, rules, spelt
from rung.methods._plain import plain
from rung.methods.reflexion.memory import MAX_CHARACTERS, Reflection

REPAIRS = 2
"""How often a reply that is no reflection is sent back."""

MIN_WORDS = 6
EARLIER = 3
"""How many earlier reflections the improver is shown."""


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the improver decodes."""

    max_tokens: int
    temperature: float | None


@dataclass(frozen=True, slots=True)
class Written:
    """What came of asking: a reflection or None, and why each reply before it, or each of all, was none."""

    text: str | None
    reasons: tuple[str, ...]


@cache
def prompt(name: str) -> str:
    """A prompt file of this folder, without white space around it."""
    return (Path(__file__).parent / f"{name}.md").read_text("utf-8").strip()


async def write(model: Model, feedback: FeedbackResult, earlier: Sequence[Reflection], decoding: Decoding) -> Written:
    """Ask, and send back what is no reflection. What the model port raises passes through."""
    conversation = opening(feedback, earlier)
    instructions = [message.text for message in conversation[:-1]]
    reasons: list[str] = []
    while len(reasons) <= REPAIRS:
        request = ModelRequest(
            tuple(conversation), "improver", max_tokens=decoding.max_tokens, temperature=decoding.temperature
        )
        reply = await model.generate(request)
        reason = why_not(reply, feedback, instructions)
        if reason is None:
            return Written(plain(reply.text), tuple(reasons))
        reasons.append(reason)
        again = Template(prompt("repair")).substitute(reason=reason)
        instructions.append(again)
        conversation += [Message("assistant", cut(reply.text.strip(), MAX_PIECE) or NONE), Message("user", again)]
    return Written(None, tuple(reasons))


# --------------------------------------------------------------------------------------------- what is asked


def opening(feedback: FeedbackResult, earlier: Sequence[Reflection]) -> list[Message]:
    """The system text, two examples, and the attempt."""
    shown = [("user", "example_1_attempt"), ("assistant", "example_1_reflection")]
    shown += [("user", "example_2_attempt"), ("assistant", "example_2_reflection")]
    question = Template(prompt("ask")).substitute(
        rules=rules(feedback),
        attempt=attempt(feedback),
        ending=ending(feedback),
        earlier="\n".join(f"- {each.text}" for each in earlier[max(0, len(earlier) - EARLIER) :]) or NONE,
    )
    examples = [Message("user" if author == "user" else "assistant", prompt(name)) for author, name in shown]
    return [Message("system", prompt("system")), *examples, Message("user", question)]


# --------------------------------------------------------------------------------------------- what is taken


def why_not(reply: ModelReply, feedback: FeedbackResult, instructions: Sequence[str]) -> str | None:
    """Why a reply is no reflection, in words for the model that wrote it; None when it is one.

    A small model repeats what it was instructed with, examples and all. An earlier reflection it may repeat: how often
    a method finds the same again is something to be measured.
    """
    text = plain(reply.text)
    words = len(text.split())
    if len(text) > MAX_CHARACTERS:
        return f"it has {len(text)} characters, and at most {MAX_CHARACTERS} are kept"
    if reply.stop_reason == "length":
        return "it was cut off before its end, so it is too long"
    if words < MIN_WORDS:
        return f"it has {words} words, and a reflection has at least {MIN_WORDS}"
    if "```" in reply.text or _is_json(text):
        return "it is code or JSON, as an answer to the task would be"
    if text.casefold() in _answers(feedback.trajectory):
        return "it repeats what was answered in the attempt"
    if any(text.casefold() in plain(told).casefold() for told in instructions):
        return "it repeats the instructions or an example, and says nothing of this attempt"
    return None


def _is_json(text: str) -> bool:
    """Whether a text begins as JSON does, finished or not, or a JSON object or list makes up half of it or more."""
    if text.startswith(('{"', "[{", '["')):
        return True
    read = json.JSONDecoder().raw_decode
    for start, letter in enumerate(text):
        if letter in "{[":
            try:
                end = read(text, start)[1]
            except (ValueError, RecursionError):
                continue
            if 2 * (end - start) >= len(text):
                return True
    return False


def _answers(trajectory: Sequence[Step]) -> set[str]:
    """What was answered in an attempt, but for what is too long to be kept as a reflection anyway."""
    said = (spelt(step.action) for step in trajectory)
    return {plain(text).casefold() for text in said if len(text) <= 4 * MAX_CHARACTERS}
