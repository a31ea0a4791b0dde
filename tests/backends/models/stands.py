"""What stands around a gateway in these tests: time that nobody waits for, and a till that keeps to its limit."""

import asyncio
import heapq
from collections.abc import Coroutine
from itertools import count
from random import Random
from typing import TypeVar

from rung.backends.models.gateway import Gateway, Pace
from rung.backends.models.scripted import Script, Scripted
from rung.core.config import ModelConfig, PriceConfig
from rung.core.errors import BudgetSpent
from rung.core.ports import Amount
from rung.core.values import Message, ModelRequest

Result = TypeVar("Result")

PRICE = PriceConfig(input=1.0, output=10.0, cached=0.1, date="2026-11-30")
ASKED = ModelRequest((Message("user", "two words"),), "agent", max_tokens=100)


class Time:
    """Seconds that pass only when everybody waits: then the clock goes to the first who may go on."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self._numbers = count()
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        waits = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (self.now + seconds, next(self._numbers), waits))
        await waits

    def pace(self) -> Pace:
        return Pace(self.sleep, self.clock, Random(7))

    async def passes(self, work: Coroutine[object, object, Result]) -> Result:
        task = asyncio.ensure_future(work)
        ready = asyncio.get_running_loop()._ready
        while not task.done():
            await asyncio.sleep(0)
            if not ready and self._waiting and not task.done():
                self._wake_first()
        return await task

    def _wake_first(self) -> None:
        until, _, waits = heapq.heappop(self._waiting)
        self.now = max(self.now, until)
        if not waits.done():
            waits.set_result(None)


class Till:
    """A budget in tokens that is never overdrawn: what is set aside counts as spent until it is settled."""

    def __init__(self, limit: int = 10**9) -> None:
        self.limit = limit
        self.spent = 0
        self.aside = 0
        self.most_aside = 0
        self.open = 0
        self.most_open = 0
        self.settled: list[Amount | None] = []

    async def reserve(self, worst: Amount) -> "Receipt":
        await asyncio.sleep(0)  # as a journal is written
        if self.spent + self.aside + worst.tokens > self.limit:
            raise BudgetSpent("the till is empty")
        self.aside += worst.tokens
        self.open += 1
        self.most_aside, self.most_open = max(self.most_aside, self.aside), max(self.most_open, self.open)
        return Receipt(self, worst)


class Receipt:
    def __init__(self, till: Till, worst: Amount) -> None:
        self.till = till
        self.worst = worst
        self.used = False

    def settle(self, actual: Amount | None) -> None:
        assert not self.used, "settled twice"
        self.used = True
        self.till.aside -= self.worst.tokens
        self.till.open -= 1
        self.till.spent += self.worst.tokens if actual is None else actual.tokens
        self.till.settled.append(actual)


def gateway(
    script: Script,
    time: Time | None = None,
    *,
    price: PriceConfig | None = PRICE,
    pace: Pace | None = None,
    **config: object,
) -> Gateway:
    """A gateway to a scripted model."""
    time = time or Time()
    scripted = Scripted(script, sleep=time.sleep)
    return Gateway("scripted/test", scripted, ModelConfig(**config), price=price, live=False, pace=pace or time.pace())
