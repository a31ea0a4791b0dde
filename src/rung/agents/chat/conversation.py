"""A conversation as its model is shown it: a pure function of what was seen and what was replied.

So an attempt that was interrupted asks the same again, and the model port can answer it from the record.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rung.core.canonical import canonical
from rung.core.errors import UsageError
from rung.core.values import Call, Message, ModelReply, View

NOTHING_TO_SEE = "(There is nothing to see.)"
NO_ANSWER = "(There was no answer.)"
"""Stand in for empty messages, which providers refuse."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One step as later requests show it."""

    view: View
    said: str


def messages(system: str, turns: Sequence[Turn], now: View) -> tuple[Message, ...]:
    """The system text if there is any, the turns, and what there is to see now. The first view comes after the rules.

    >>> told = messages("", [Turn(View("See 7."), "7")], View("See 8.", rules="Add.", reply="Taken."))
    >>> [message.text for message in told]
    ['Add.\\n\\nSee 7.', '7', 'Taken.\\n\\nSee 8.']
    """
    told = [Message("system", system)] if system else []
    rules = now.rules
    for turn in turns:
        told += [_shown(turn.view, rules), Message("assistant", turn.said)]
        rules = ""
    return (*told, _shown(now, rules))


def _shown(view: View, rules: str) -> Message:
    text = "\n\n".join(part for part in (rules, view.reply, view.text) if part.strip())
    return Message("user", text if text or view.images else NOTHING_TO_SEE, view.images)


def spelt(reply: ModelReply) -> str:
    """A reply as text: what was said, and the first call."""
    said = [reply.text.rstrip()] if reply.text.strip() else []
    called = [f"{call.tool} {_arguments(call)}" for call in reply.calls[:1]]
    return "\n".join([*said, *called]) or NO_ANSWER


def _arguments(call: Call) -> str:
    try:
        return canonical(call.arguments)
    except (UsageError, TypeError, ValueError, RecursionError):
        return "(arguments that are no JSON)"
