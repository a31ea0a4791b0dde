"""A gateway that is up, with one door, for tests: who answers is said by each."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2

from rung.backends.servers.played import Played
from rung.backends.servers.proxy import Door, Proxy
from rung.backends.servers.serving import serving
from rung.backends.servers.upstream import Upstream
from rung.core.config import PriceConfig
from rung.core.errors import LimitReached
from rung.core.ports import Amount, Spending
from rung.core.proxied import Brain, Exchange, ProxyPolicy

from .stands import listening

TOKEN = "a-token-of-a-session"
PRICE = PriceConfig(input=1.0, output=10.0, cached=0.1, date="2026-11-30")
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


class Till:
    """A budget in tokens; `None` for none. It keeps what was set aside and what it came to, in order."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.reserved: list[Amount] = []
        self.settled: list[Amount | None] = []
        self.spent = 0

    async def reserve(self, worst: Amount) -> "Receipt":
        if self.limit is not None and self.spent + worst.tokens > self.limit:
            raise LimitReached(f"tokens: {worst.tokens} more do not fit")
        self.reserved.append(worst)
        return Receipt(self, worst)


@dataclass
class Receipt:
    till: Till
    worst: Amount
    used: bool = False

    def settle(self, actual: Amount | None) -> None:
        assert not self.used, "settled twice"
        self.used = True
        self.till.settled.append(actual)
        self.till.spent += self.worst.tokens if actual is None else actual.tokens


@dataclass
class Gate:
    """What a test holds of it."""

    url: str
    door: Door
    client: httpx2.AsyncClient
    seen: list[Exchange]
    strays: list[Exchange]
    till: Till = field(default_factory=Till)

    async def post(self, path: str, body: object, **more: Any) -> httpx2.Response:
        return await self.client.post(f"{self.url}/{path}", json=body, **more)


@asynccontextmanager
async def gate(
    answers: Brain | Upstream, *, policy: ProxyPolicy | None = None, till: Till | None = None, grace: float = 0.05
) -> AsyncIterator[Gate]:
    """A gateway before a brain or another upstream."""
    seen: list[Exchange] = []
    strays: list[Exchange] = []
    till = till or Till()

    def spend(index: int) -> Spending:
        return till

    upstream = answers if hasattr(answers, "open") else Played(answers, price=PRICE)  # type: ignore[arg-type]
    door = Door("session", upstream, spend, seen.append, policy or ProxyPolicy())  # type: ignore[arg-type]
    proxy = Proxy(strays.append, clock=iter(range(10**9)).__next__)
    proxy.open(TOKEN, door)
    async with httpx2.AsyncClient(trust_env=False) as client, serving(proxy.app, listening(), grace=grace) as server:
        yield Gate(f"http://127.0.0.1:{server.port}/{TOKEN}", door, client, seen, strays, till)
        server.check()


def function(name: str = "get_task", **parameters: object) -> Mapping[str, Any]:
    """A tool as chat completions has it."""
    schema = {"type": "object", "properties": parameters}
    return {"type": "function", "function": {"name": name, "description": "", "parameters": schema}}
