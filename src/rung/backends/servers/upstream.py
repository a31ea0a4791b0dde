"""What stands behind the gateway: one request opened, and how an answer flows back. One shape for all of them."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from rung.backends.models.prices import most
from rung.backends.servers.sse import compact
from rung.backends.servers.wires import Body, Format
from rung.core.config import PriceConfig
from rung.core.ports import Amount, Spending
from rung.core.proxied import WireName

JSON_TYPE = {"content-type": "application/json"}
STREAM_TYPE = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}

Kind: TypeAlias = Literal["ask", "count"]
"""A request for an answer, or for the number of tokens of one, which costs nothing."""


class Unreachable(Exception):
    """Nobody answered; the text says why and holds no key. `billed` says whether it may have cost something."""

    def __init__(self, detail: str, *, status: int = 502, billed: bool = False) -> None:
        super().__init__(detail)
        self.detail = detail
        self.status = status
        self.billed = billed


class Broken(Exception):
    """An answer whose connection was lost half-way."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it leaves: screened and bounded. `raw` are its bytes where nothing was changed.

    `most_output` and `most_input` bound its tokens; `added` are keys of the body that the program did not set.
    `headers` and `query` are the program's; `seed` is its own.
    """

    format: Format
    kind: Kind
    body: Body
    raw: bytes | None
    streamed: bool
    most_output: int
    most_input: int
    seed: str
    added: frozenset[str] = frozenset()
    headers: Mapping[str, str] = field(default_factory=dict)
    query: str = ""


class Chunks(Protocol):
    """The bytes of an answer, piece by piece."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def aclose(self) -> None:
        """Let go of where they come from, begun or not."""
        ...


@dataclass(frozen=True, slots=True)
class Flow:
    """An answer that has begun. Iterate over `chunks`, then close them; they raise `Broken` where they are cut."""

    status: int
    headers: Mapping[str, str]
    chunks: Chunks


class Upstream(Protocol):
    """Who answers."""

    @property
    def model(self) -> str:
        """The name of the one model that answers here, as programs are told it."""
        ...

    @property
    def price(self) -> PriceConfig | None:
        """What it is paid by; None where no price is known."""
        ...

    def speaks(self, wire: WireName) -> bool:
        """Whether it can be asked in this format."""
        ...

    async def open(self, sent: Sent, spending: Spending) -> Flow:
        """Ask, once. Its cost is set aside before anything leaves; what it leaves unsettled, its caller settles.

        Raises `Unreachable`, `Malformed`, and what `Spending.reserve` and `Provider.ask` do.
        """
        ...

    async def close(self) -> None:
        """Let go of the connections of the running event loop."""
        ...


def worst(sent: Sent, price: PriceConfig | None, *, dearest_input: float = 1.0) -> Amount:
    """The most that a request can cost: all the input that it may be, and all the output that it is allowed.

    `dearest_input` is what a token of input can cost at most, in prices of input.
    """
    plain = most(sent.most_input, sent.most_output, price)
    if price is None or plain.usd is None or dearest_input == 1.0:
        return plain
    return Amount(plain.usd + (dearest_input - 1.0) * sent.most_input * price.input / 1e6, plain.tokens)


async def whole(body: Body) -> AsyncGenerator[bytes, None]:
    """An answer in one piece."""
    yield compact(body).encode()


async def pieces(of: Iterable[bytes]) -> AsyncGenerator[bytes, None]:
    """An answer that is already there, piece by piece."""
    for piece in of:
        yield piece
