"""The course of one request through the gateway: read, screened, paid for, asked, passed on, recorded."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from starlette.types import Receive, Send

from rung.backends.models.gateway import UNBELIEVABLE
from rung.backends.models.prices import NOTHING, cost
from rung.backends.servers.bounds import tokens
from rung.backends.servers.split import split
from rung.backends.servers.sse import Events, Unending, compact, parsed
from rung.backends.servers.upstream import Broken, Flow, Kind, Sent, Unreachable
from rung.backends.servers.wires import Body, Format, Malformed, Reader, Screened, word
from rung.core.canonical import sha256
from rung.core.errors import BudgetSpent, ContextOverflow, InstrumentFault, LimitReached, ModelFault, Stopped
from rung.core.ports import Amount, Reservation, Spending
from rung.core.proxied import Came, Exchange, ProviderTools, Read, Split

if TYPE_CHECKING:
    from rung.backends.servers.proxy import Door

MOST_KEPT = 32 * 2**20
"""Bytes of an answer in one piece that are kept to be read."""
MOST_ERROR = 64 * 2**10
"""Bytes of an error that are kept."""
SHOWN = 500
"""Characters of an error's words that are kept."""
MOST_DRAINED = 8
"""How many times the bound a request's body may be before its connection is closed while it still comes."""
LATE = (504, 524)
"""Errors of those who stopped waiting for a model that may have worked."""
PASSED = ("content-type", "accept", "anthropic-version", "anthropic-beta", "openai-beta", "user-agent")
"""The program's headers that go on. No other does, least of all its key."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request of HTTP, without the token it came by."""

    path: str
    query: str
    headers: Mapping[str, str]
    receive: Receive
    send: Send
    clock: Callable[[], float]


class _Gone(Exception):
    """The program has closed its connection."""


class _Answered(Exception):
    """The course ends here with an answer of our own."""

    def __init__(self, came: Came, status: int, message: str, *, detail: str = "", final: bool = False) -> None:
        super().__init__(message)
        self.came, self.status, self.message, self.detail, self.final = came, status, message, detail, final
        self.closes = False  # the connection, since more of the request would come


@dataclass
class Course:
    """One request under way, and what is known of it so far."""

    door: "Door"
    form: Format
    kind: Kind
    incoming: Incoming
    came: Came = "answered"
    status: int | None = None
    streamed: bool = False
    asked: str = ""
    request: Split = field(default_factory=Split)
    answer: Read = field(default_factory=Read)
    tools: ProviderTools = field(default_factory=ProviderTools)
    detail: str = ""
    first: float | None = None
    _tap: "_Tap | None" = None
    _bill: "_Bill | None" = None
    _by_bytes: int = 0

    async def run(self) -> None:
        """Serve it to its end, whatever that is, and have it recorded once."""
        door, started = self.door, self.incoming.clock()
        index, door.count = door.count, door.count + 1
        door.busy += 1
        try:
            await self._serve(index)
        except BaseException as error:  # ended from outside, or a bug of ours, which goes on to who opened the server
            self.came, self.detail = "closed", type(error).__name__
            raise
        finally:
            self._settle()
            door.busy -= 1
            door.pulse += 1
            door.hear(self._exchange(index, started))

    def _exchange(self, index: int, started: float) -> Exchange:
        return Exchange(
            self.door.session,
            index,
            self.incoming.path,
            self.came,
            self.status,
            self.form.name,
            self.streamed,
            self.asked,
            self.request,
            self.answer,
            self.tools,
            self.detail,
            None if self._bill is None else self._bill.cost,
            started,
            self.first,
            self.incoming.clock(),
        )

    async def _serve(self, index: int) -> None:
        try:
            raw = await self._raw()
            sent = self._prepared(raw, index)
            await self._while_there(self._ask(sent, index))
        except _Gone:
            self.came = "client_gone"
        except Malformed as why:
            await self._say(_Answered("bad_request", 400, str(why)))
        except RecursionError:
            await self._say(_Answered("bad_request", 400, "the request is nested too deeply"))
        except _Answered as answered:
            await self._say(answered)

    # ----------------------------------------------------------------------------------------- before it leaves

    async def _raw(self) -> bytes:
        """The body, which is read on beyond the bound so that the program hears why it is refused."""
        bound, body, size = self.door.policy.body_bytes, bytearray(), 0
        while True:
            message = await self.incoming.receive()
            if message["type"] == "http.disconnect":
                raise _Gone
            chunk = message.get("body", b"")
            size += len(chunk)
            if size <= bound:
                body += chunk
            else:
                body.clear()
            if not message.get("more_body") or size > MOST_DRAINED * bound:
                break
        if size > bound:
            answered = _Answered("bad_request", 413, f"a request has {bound:,} bytes at most")
            answered.closes = size > MOST_DRAINED * bound
            raise answered
        return bytes(body)

    def _prepared(self, raw: bytes, index: int) -> Sent:
        if self.incoming.headers.get("content-encoding", "identity") != "identity":
            raise Malformed("send the request uncompressed")
        body = parsed(raw)
        if body is None:
            raise Malformed("the request is no JSON object")
        self.asked, self.streamed = word(body.get("model"))[:200], body.get("stream") is True
        self.request = split(self.form.parts(body), self.door.sent_before)
        if not self.door.upstream.speaks(self.form.name):
            raise _Answered("bad_request", 404, f"{self.door.upstream.model} is not served in this format")
        left = self._screened(self.form.screen(body), body)
        bounded, most = (left, 0) if self.kind == "count" else self.form.bounded(left, self.door.policy.output_tokens)
        unchanged = bounded is body
        self._by_bytes = tokens(bounded, len(raw) if unchanged else None)
        headers = {name: value for name in PASSED if (value := self.incoming.headers.get(name, "")) and value.isascii()}
        return Sent(
            self.form,
            self.kind,
            bounded,
            raw if unchanged else None,
            self.streamed,
            most,
            self.door.known.bound(self.request, self.form.parts(bounded).messages, self._by_bytes),
            sha256(b"%d:" % index + raw),  # also of its place: programs take two answers with one id for one
            frozenset(bounded.keys() - body.keys()),
            headers,
            self.incoming.query,
        )

    def _screened(self, screened: Screened, body: Body) -> Body:
        """The request as the policy lets it pass."""
        policy, offered = self.door.policy.provider_tools, screened.offered
        self.tools = ProviderTools(offered)
        if policy == "allow" or not offered:
            return body
        stopping = offered if policy == "refuse" else screened.kept
        if stopping:
            raise _Answered("policy", 400, f"not served here: {', '.join(stopping)}")
        self.tools = ProviderTools(offered, offered)
        return screened.body

    # ----------------------------------------------------------------------------------------- asking

    async def _while_there(self, asking: Coroutine[Any, Any, None]) -> None:
        """Ask for as long as the program waits; raises `_Gone` when it does not."""
        doing = asyncio.ensure_future(asking)
        gone = asyncio.ensure_future(_left(self.incoming.receive))
        try:
            await asyncio.wait((doing, gone), return_when=asyncio.FIRST_COMPLETED)
            if not doing.done():
                raise _Gone
        finally:
            gone.cancel()
            if not doing.done():
                doing.cancel()
                await asyncio.wait((doing,))
        doing.result()

    async def _ask(self, sent: Sent, index: int) -> None:
        if self.door.spent is not None:
            raise self._budget(self.door.spent)
        try:
            bill = self._bill = _Bill(self.door.spend(index))
            flow = await self.door.upstream.open(sent, bill)
        except (LimitReached, BudgetSpent) as short:
            self.door.spent = str(short)
            self.door.halt = short if isinstance(short, BudgetSpent) else self.door.halt
            raise self._budget(str(short)) from None
        except ContextOverflow as too_long:
            raise _Answered("refused", 400, f"prompt is too long: {too_long}", detail=str(too_long)) from None
        except ModelFault as fault:
            raise _Answered("refused", 502, "the model gave no usable answer", detail=str(fault)) from None
        except (InstrumentFault, Stopped) as halt:
            self.door.halt = halt
            raise _Answered("unreachable", 503, "no model can be asked", detail=str(halt), final=True) from None
        except Unreachable as nobody:
            bill.close(None if nobody.billed else NOTHING)
            said = "the model's server cannot be reached"
            raise _Answered("unreachable", nobody.status, said, detail=nobody.detail) from None
        await self._pass_on(flow, sent)

    def _budget(self, why: str) -> _Answered:
        said = "the budget of this session is spent; no further request is answered"
        return _Answered("budget", 429, said, detail=why, final=True)

    # ----------------------------------------------------------------------------------------- passing on

    async def _pass_on(self, flow: Flow, sent: Sent) -> None:
        self.status, self.first = flow.status, self.incoming.clock()
        self._tap = tap = _Tap.of(flow, sent)
        try:
            async with aclosing(flow.chunks) as chunks:
                await self._start(flow)
                async for chunk in chunks:
                    self.door.pulse += 1
                    tap.take(chunk)
                    await self.incoming.send({"type": "http.response.body", "body": chunk, "more_body": True})
        except Broken as broken:
            # Returning without an end makes the server close the connection: the program sees a cut, as we did.
            self.came, self.detail = "cut", str(broken)[:SHOWN]
            return
        self._judge(tap.read(), flow.status)
        await self.incoming.send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _start(self, flow: Flow) -> None:
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in flow.headers.items()]
        await self.incoming.send({"type": "http.response.start", "status": flow.status, "headers": headers})

    def _judge(self, read: Read, status: int) -> None:
        """What an answer that came to its end was."""
        if status != 200 or (read.error and not read.stop):
            self.came, self.detail = "refused", read.error[:SHOWN]
        elif not read.whole and self.kind == "ask":
            self.came, self.detail = "cut", "the answer has no end"

    async def _say(self, answered: _Answered) -> None:
        """Answer ourselves."""
        self.came, self.status, self.detail = answered.came, answered.status, (answered.detail or answered.message)
        body = self.form.error(answered.status, answered.message, final=answered.final)
        more = {b"x-should-retry": b"false"} if answered.final else {}
        more |= {b"connection": b"close"} if answered.closes else {}
        await reply(self.incoming.send, answered.status, body, more)

    # ----------------------------------------------------------------------------------------- what it cost

    def _settle(self) -> None:
        """Say what it cost. What cannot be known, as of an answer that was cut, cost all that was set aside."""
        actual = None
        if self._tap is not None:
            self.answer = self._tap.read()
            self.tools = replace(self.tools, used=self.answer.used)
            actual = self._actual(self.status or 0, self._tap.most_output)
            if self.answer.whole:
                self.door.known.learn(self.request, self.answer.usage, self._by_bytes)
        if self._bill is not None:
            self._bill.close(actual)
            if self._bill.cost is not None:
                self.door.cost(self._bill.cost)

    def _actual(self, status: int, most_output: int) -> Amount | None:
        if status != 200:
            return None if status in LATE else NOTHING
        usage, price = self.answer.usage, self.door.upstream.price
        if usage is not None and not self.answer.whole:  # what it read is known, and what it wrote on is not
            usage = replace(usage, output_tokens=most_output)
        actual = cost(usage, price)
        if actual is None or actual.usd is None or price is None:
            return actual
        return Amount(actual.usd + self.answer.extra_input * price.input / 1e6, actual.tokens)


@dataclass
class _Bill:
    """The budgets over one request, with what was set aside and what it came to. See `core.ports.Spending`."""

    spending: Spending
    cost: Amount | None = None
    _open: list["_Item"] = field(default_factory=list)

    async def reserve(self, worst: Amount) -> "_Item":
        """Set aside the most that one try can cost."""
        item = _Item(self, await self.spending.reserve(worst), worst)
        self._open.append(item)
        return item

    def settled(self, item: "_Item", actual: Amount | None) -> None:
        """Count what a try cost, once."""
        if item in self._open:
            self._open.remove(item)
            item.held.settle(actual)
            came_to = item.worst if actual is None else actual
            self.cost = came_to if self.cost is None else self.cost + came_to

    def close(self, actual: Amount | None) -> None:
        """Settle what is open. A count that cannot be is no count."""
        for item in tuple(self._open):
            believable = actual is None or actual.tokens <= UNBELIEVABLE * max(item.worst.tokens, 1)
            self.settled(item, actual if believable else None)


@dataclass(frozen=True, eq=False)
class _Item:
    """See `core.ports.Reservation`."""

    bill: _Bill
    held: Reservation
    worst: Amount

    def settle(self, actual: Amount | None) -> None:
        """Say what it cost in truth."""
        self.bill.settled(self, actual)


async def _left(receive: Receive) -> None:
    """Returns when the program has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def reply(
    send: Send, status: int, body: Body, more: Mapping[bytes, bytes] = MappingProxyType({}), *, bare: bool = False
) -> None:
    """Answer with JSON; only with its head where that is all that was asked for."""
    raw = compact(body).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(raw)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *more.items()]})
    await send({"type": "http.response.body", "body": b"" if bare else raw})


# --------------------------------------------------------------------------------------------- reading along


@dataclass
class _Tap:
    """Reads an answer while it passes."""

    form: Format
    reader: Reader | None
    most: int
    most_output: int
    events: Events = field(default_factory=Events)
    kept: bytearray = field(default_factory=bytearray)
    lost: bool = False

    @classmethod
    def of(cls, flow: Flow, sent: Sent) -> "_Tap":
        streamed = flow.status == 200 and "event-stream" in flow.headers.get("content-type", "")
        most = MOST_KEPT if flow.status == 200 else MOST_ERROR
        return cls(sent.format, sent.format.reader() if streamed else None, most, sent.most_output)

    def take(self, chunk: bytes) -> None:
        if self.reader is None:
            self.kept += chunk[: max(self.most - len(self.kept), 0)]
        elif not self.lost:
            try:
                for event, data in self.events.feed(chunk):
                    self.reader.take(event, data)
            except Unending:
                self.lost = True

    def read(self) -> Read:
        if self.reader is not None:
            return self.reader.read()
        body = parsed(bytes(self.kept))
        if body is not None:
            return self.form.read(body)
        return Read(error=self.kept[:SHOWN].decode("utf-8", "replace"))
