"""Which call of a conversation a tool message answers. Our conversations are rebuilt from a record in which calls have
no ids, so ids are made of where a call stands: the same conversation has the same ids. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rung.core.values import Message


@dataclass(frozen=True, slots=True)
class Threaded:
    """A message, the ids of the calls it makes, and the id of the call it answers; None where it answers none."""

    message: Message
    ids: tuple[str, ...] = ()
    answers: str | None = None


def threaded(messages: Sequence[Message]) -> Iterator[Threaded]:
    """The messages of a conversation with the ids of their calls.

    >>> from rung.core.values import Call
    >>> talk = [Message("assistant", "", calls=(Call("a"), Call("b"))), Message("tool", "1"), Message("tool", "2")]
    >>> [(each.ids, each.answers) for each in threaded([*talk, Message("tool", "of no call")])]
    [(('call_0_0', 'call_0_1'), None), ((), 'call_0_0'), ((), 'call_0_1'), ((), None)]
    """
    waiting: list[str] = []
    for index, message in enumerate(messages):
        if message.author == "tool" and waiting:
            yield Threaded(message, answers=waiting.pop(0))
            continue
        waiting = [f"call_{index}_{number}" for number in range(len(message.calls))]
        yield Threaded(message, tuple(waiting))
