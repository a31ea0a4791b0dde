"""Asks the improver to rewrite a prompt, and sends back what cannot be used."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Literal, TypeAlias

from rung.core.ports import Model
from rung.core.values import FeedbackResult, Message, ModelReply, ModelRequest
from rung.methods._attempt import MAX_PIECE, NONE, attempt, cut, ending, rules
from rung.methods._plain import plain
from rung.methods.gepa import package
from rung.methods.gepa.leak import copied

Question: TypeAlias = Literal["published", "general"]

REPAIRS = 2
"""How often a reply that cannot be used is sent back."""

SHOWN = 100
"""Characters of a copied run that are quoted to whoever copied it."""

MAX_REASON = 600
"""Bytes of a reason at most."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How the improver is asked, how it decodes, and what is taken: texts of at most `characters` that share no run of
    `overlap` with an attempt that was shown (0 lets all pass)."""

    question: Question
    overlap: int
    characters: int
    max_tokens: int
    temperature: float | None


@dataclass(frozen=True, slots=True)
class Written:
    """What came of asking: a text or None, and why each reply before it, or each of all, could not be used."""

    text: str | None
    reasons: tuple[str, ...]


@cache
def prompt(name: str) -> str:
    """A prompt file of this folder, without white space around it."""
    return (Path(__file__).parent / f"{name}.md").read_text("utf-8").strip()


def opening(current: str, batch: Sequence[FeedbackResult], question: Question) -> str:
    """The question, over the attempts of a batch."""
    examples = [{"Inputs": rules(told), "Generated Outputs": attempt(told), "Feedback": ending(told)} for told in batch]
    return package.asked(current or NONE, examples, None if question == "published" else prompt("general"))


async def write(
    model: Model, current: str, batch: Sequence[FeedbackResult], manner: Manner, *, refusing: str | None = None
) -> Written:
    """Ask, and send back what cannot be used. What the model port raises passes through.

    With a reason for `refusing`, every reply is sent back with it: a rehearsal asks all that can be asked.
    """
    conversation = [Message("user", opening(current, batch, manner.question))]
    reasons: list[str] = []
    while len(reasons) <= REPAIRS:
        reply = await model.generate(
            ModelRequest(tuple(conversation), "improver", max_tokens=manner.max_tokens, temperature=manner.temperature)
        )
        text = tidy(package.read(reply.text))
        reason = refusing or why_not(reply, text, current, batch, manner)
        if reason is None:
            return Written(text, tuple(reasons))
        reasons.append(reason)
        again = Template(prompt("repair")).substitute(reason=reason)
        conversation += [Message("assistant", cut(reply.text.strip(), MAX_PIECE) or NONE), Message("user", again)]
    return Written(None, tuple(reasons))


def tidy(text: str) -> str:
    """A text of which every line shows all that it holds; what stands before a line's first word stays.

    >>> tidy("Look.\\r\\n  - Then\\u202e act. ")
    'Look.\\n  - Then act.'
    """
    lines = text.strip().splitlines()
    return "\n".join(f"{' ' * (len(line) - len(line.lstrip(' ')))}{plain(line)}".rstrip() for line in lines)


def why_not(reply: ModelReply, text: str, current: str, batch: Sequence[FeedbackResult], manner: Manner) -> str | None:
    """Why a reply is no new prompt, in words for the model that wrote it; None when it is one."""
    if reply.stop_reason == "length":
        return "it was cut off before its end, so it is too long"
    if "```" not in reply.text:
        return "there are no ``` marks in it, between which the new instructions belong"
    if not text:
        return "there is nothing between its ``` marks"
    if len(text) > manner.characters:
        return f"it has {len(text)} characters, and at most {manner.characters} are kept"
    if plain(text) == plain(current):
        return "it is what the instructions were already"
    run = _copied(text, current, batch, manner.overlap)
    if run is not None:
        return f"it copies from an example, which is of no use in another task: {run[:SHOWN]}"
    return None


def _copied(text: str, current: str, batch: Sequence[FeedbackResult], overlap: int) -> str | None:
    """What it copies of the attempts as they were shown. Rules, and what the prompt said before, may be repeated."""
    if not overlap:
        return None
    shown = [each for told in batch for each in (attempt(told), ending(told))]
    return copied(text, shown, [current, *map(rules, batch)], overlap)
