"""Which call of a conversation a tool message answers. Our conversations are rebuilt from a record in which calls have
no ids, so ids are made of where a call stands: the same conversation has the same ids. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rung.core.values import Image, Message


@dataclass(frozen=True, slots=True)
class Threaded:
    """A message, the ids of the calls it makes, and the id of the call it answers; None where it answers none."""

    message: Message
    ids: tuple[str, ...] = ()
    answers: str | None = None


def threaded(messages: Sequence[Message]) -> Iterator[Threaded]:
    """The messages of a conversation with the ids of their calls.

    Pictures in answers to calls are the user's, after all the answers: in most formats a tool's own are text alone.

    >>> from rung.core.values import Call
    >>> talk = [Message("assistant", "", calls=(Call("a"), Call("b"))), Message("tool", "1"), Message("tool", "2")]
    >>> [(each.ids, each.answers) for each in threaded([*talk, Message("tool", "of no call")])]
    [(('call_0_0', 'call_0_1'), None), ((), 'call_0_0'), ((), 'call_0_1'), ((), None)]
    """
    waiting: list[str] = []
    pictures: list[Image] = []
    for index, message in enumerate(messages):
        if message.author == "tool" and waiting:
            yield Threaded(replace(message, images=()), answers=waiting.pop(0))
            pictures += message.images
            continue
        yield from _shown(pictures)
        pictures = []
        waiting = [f"call_{index}_{number}" for number in range(len(message.calls))]
        yield Threaded(message, tuple(waiting))
    yield from _shown(pictures)


def _shown(pictures: Sequence[Image]) -> Iterator[Threaded]:
    if pictures:
        yield Threaded(Message("user", "", tuple(pictures)))
