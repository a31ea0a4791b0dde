"""A scripted brain behind the gateway: a function answers what it hears, in whatever format the program speaks.

For tests and demos of agent programs: no network, no key, and it costs nothing unless it is given a price.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from itertools import islice

from rung.backends.models.prices import FREE
from rung.backends.servers.sse import compact
from rung.backends.servers.upstream import JSON_TYPE, STREAM_TYPE, Broken, Flow, Sent, whole, worst
from rung.backends.servers.wires import counted
from rung.core.config import PriceConfig
from rung.core.ports import Spending
from rung.core.proxied import Brain, Cut, Heard, Never, Refused, Said, WireName


@dataclass(frozen=True, slots=True)
class Played:
    """See `upstream.Upstream`."""

    brain: Brain
    model: str = "scripted"
    price: PriceConfig | None = FREE

    def speaks(self, wire: WireName) -> bool:
        """It speaks every format."""
        return True

    async def open(self, sent: Sent, spending: Spending) -> Flow:
        """What the brain says."""
        heard = sent.format.hear(sent.body)
        if sent.kind == "count":
            return Flow(200, JSON_TYPE, whole({"input_tokens": counted(heard, Said(())).input_tokens}))
        await spending.reserve(worst(sent, self.price))
        answer = self.brain(heard)
        if isinstance(answer, Never):
            await asyncio.Event().wait()
        if isinstance(answer, Refused):
            return Flow(answer.status, refusal_headers(answer), whole(refusal(sent, answer)))
        assert isinstance(answer, Said | Cut)
        headers = STREAM_TYPE if sent.streamed else JSON_TYPE
        return Flow(200, headers, _chunks(sent, heard, answer))

    async def close(self) -> None:
        """Nothing is held."""


def refusal(sent: Sent, refused: Refused) -> dict[str, object]:
    """The body of an error."""
    return dict(sent.format.error(refused.status, refused.message, final=refused.final))


def refusal_headers(refused: Refused) -> dict[str, str]:
    """The headers of an error."""
    wait = {} if refused.retry_after is None else {"retry-after": f"{refused.retry_after:g}"}
    return JSON_TYPE | wait | ({"x-should-retry": "false"} if refused.final else {})


def spelled(sent: Sent, heard: Heard, said: Said) -> Iterator[bytes]:
    """What is said, as it was asked for: in one piece or as a stream."""
    if sent.streamed:
        return sent.format.events(said, heard, sent.seed, sent.body)
    return iter([compact(sent.format.whole(said, heard, sent.seed)).encode()])


async def _chunks(sent: Sent, heard: Heard, answer: Said | Cut) -> AsyncGenerator[bytes, None]:
    said = answer.said if isinstance(answer, Cut) else answer
    pieces = spelled(sent, heard, said)
    if isinstance(answer, Said):
        for piece in pieces:
            yield piece
        return
    for piece in islice(pieces, answer.events if sent.streamed else 1):
        yield piece if sent.streamed else piece[: len(piece) // 2]
    raise Broken("cut as scripted")
