"""A server of the same format behind the gateway. What a program asks goes on as it is, but for the policy, the name
of the model and the key; what the server answers comes back byte for byte, but for the key where a server quotes it.

Asked once. Of the program's headers a few go on, of the server's answer too; no redirect is followed.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from rung.backends.models.chat_completions import CONNECT_SECONDS, HOSTS
from rung.backends.models.keys import Key, key_in, plain_url
from rung.backends.models.loops import PerLoop
from rung.backends.models.prices import known
from rung.backends.servers.anthropic_messages import WRITE_1H
from rung.backends.servers.sse import compact
from rung.backends.servers.upstream import Broken, Flow, Sent, Unreachable, worst
from rung.core.config import ModelConfig, PriceConfig
from rung.core.errors import UsageError
from rung.core.ports import Amount, Spending
from rung.core.proxied import WireName

if TYPE_CHECKING:
    import httpx2

ANTHROPIC = "https://api.anthropic.com"
VERSION = "2023-06-01"
"""The version of Anthropic's format that is asked for where a program names none."""
ENDINGS: Mapping[WireName, str] = {
    "anthropic-messages": "messages",
    "openai-chat": "chat/completions",
    "openai-responses": "responses",
}
BOUND = "max_completion_tokens"
"""OpenAI's word for a bound on a chat's output."""
RETURNED = ("content-type", "retry-after", "retry-after-ms", "x-should-retry", "request-id", "x-request-id")
LIMITS = ("x-ratelimit-", "anthropic-ratelimit-")
"""How those headers begin that tell a program what it has left."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a model is asked in one format, and in which header the key goes: `x-api-key`, or as a bearer's."""

    base_url: str
    bare_key: bool = False

    def to(self, ending: str, query: str) -> str:
        """The whole address. A query of the address's own stays, and the program's is added to it."""
        before, _, own = self.base_url.partition("?")
        asked = urlencode([*parse_qsl(own, keep_blank_values=True), *parse_qsl(query, keep_blank_values=True)])
        return f"{before.rstrip('/')}/{ending}" + (f"?{asked}" if asked else "")


class Relay:
    """One model at its own server. See `upstream.Upstream`."""

    def __init__(
        self,
        name: str,
        addresses: Mapping[WireName, Address],
        key: Key,
        config: ModelConfig,
        price: PriceConfig | None,
        *,
        bound: str = BOUND,
    ) -> None:
        self._name = name
        self._addresses = addresses
        self._key = key
        self._config = config
        self._price = price
        self._bound = bound
        self._clients: PerLoop[httpx2.AsyncClient] = PerLoop(self._client)
        self._slots: PerLoop[asyncio.Semaphore] = PerLoop(self._slot)

    @property
    def model(self) -> str:
        """The name by which the server knows it."""
        return self._name

    @property
    def price(self) -> PriceConfig | None:
        """What it is paid by."""
        return self._price

    def speaks(self, wire: WireName) -> bool:
        """Whether its server does."""
        return wire in self._addresses

    async def open(self, sent: Sent, spending: Spending) -> Flow:
        """Ask the server, once a place among those in flight is free."""
        slots = self._slots.here()
        await slots.acquire()
        try:
            if sent.kind == "ask":
                await spending.reserve(self._worst(sent))
            response = await self._sent(sent)
        except BaseException:
            slots.release()
            raise
        if not (200 <= response.status_code < 300 or response.status_code >= 400):
            slots.release()
            await response.aclose()
            raise Unreachable(f"its server leads elsewhere ({response.status_code}); give the final base_url")
        return Flow(response.status_code, self._headers(response), _Passing(response, slots, self._key))

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        client = self._clients.taken()
        if client is not None:
            await client.aclose()

    def _worst(self, sent: Sent) -> Amount:
        dearest = 1.0 + WRITE_1H if sent.format.name == "anthropic-messages" else 1.0
        return worst(sent, self._price, dearest_input=dearest)

    # ----------------------------------------------------------------------------------------- over the network

    async def _sent(self, sent: Sent) -> "httpx2.Response":
        import httpx2

        address = self._addresses[sent.format.name]
        ending = ENDINGS[sent.format.name] + ("/count_tokens" if sent.kind == "count" else "")
        client = self._clients.here()
        headers = {**sent.headers, **self._authorised(address, sent), "accept-encoding": "identity"}
        request = client.build_request(
            "POST", address.to(ending, sent.query), content=self._content(sent), headers=headers
        )
        try:
            return await client.send(request, stream=True)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError) as error:
            raise Unreachable(self._said("no connection", error)) from None
        except httpx2.TimeoutException as error:
            raise Unreachable(self._said("no answer in time", error), status=504, billed=True) from None
        except httpx2.RequestError as error:
            raise Unreachable(self._said("the connection was lost", error), billed=True) from None

    def _content(self, sent: Sent) -> bytes:
        """The program's own bytes, unless the policy changed them or it asks for another model than there is."""
        if sent.raw is not None and sent.body.get("model") == self._name:
            return sent.raw
        body = {**sent.body, "model": self._name}
        if BOUND in sent.added:  # the bound is ours, and many servers have the older word for it
            body[self._bound] = body.pop(BOUND)
        return compact(body).encode()

    def _authorised(self, address: Address, sent: Sent) -> dict[str, str]:
        if not address.bare_key:
            return dict(self._key.header())
        return {"anthropic-version": sent.headers.get("anthropic-version", VERSION), **self._key.alone("x-api-key")}

    def _headers(self, response: "httpx2.Response") -> dict[str, str]:
        named = {name.lower(): value for name, value in response.headers.items()}
        return {
            name: self._key.removed_from(value)
            for name, value in named.items()
            if name in RETURNED or name.startswith(LIMITS)
        }

    def _said(self, words: str, error: Exception) -> str:
        return _said(words, error, self._key)

    def _client(self) -> "httpx2.AsyncClient":
        import httpx2

        # A stream may take as long as it says something now and then; a program's own patience bounds the whole.
        return httpx2.AsyncClient(
            timeout=httpx2.Timeout(self._config.timeout_seconds, connect=CONNECT_SECONDS, pool=None),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=self._config.concurrency),
            follow_redirects=False,
        )

    def _slot(self) -> asyncio.Semaphore:
        return asyncio.Semaphore(self._config.concurrency)


def _said(words: str, error: Exception, key: Key) -> str:
    return f"{words} ({type(error).__name__}: {key.removed_from(str(error))[:200]})"


class _Passing:
    """The bytes of an answer without the key. Closed, it lets go of the connection and of its place, begun or not."""

    def __init__(self, response: "httpx2.Response", slots: asyncio.Semaphore, key: Key) -> None:
        self._response = response
        self._slots: asyncio.Semaphore | None = slots
        self._key = key
        self._pieces = self._cleaned()

    def __aiter__(self) -> AsyncGenerator[bytes, None]:
        return self._pieces

    async def __anext__(self) -> bytes:
        return await anext(self._pieces)

    async def _cleaned(self) -> AsyncGenerator[bytes, None]:
        import httpx2

        clean = self._key.cleaner()
        try:
            async for chunk in self._response.aiter_bytes():
                if passed := clean.feed(chunk):
                    yield passed
        except (httpx2.RequestError, httpx2.DecodingError) as error:
            raise Broken(_said("the connection was lost", error, self._key)) from None
        if rest := clean.rest():
            yield rest

    async def aclose(self) -> None:
        slots, self._slots = self._slots, None
        if slots is not None:
            slots.release()
            await self._pieces.aclose()
            await self._response.aclose()


# --------------------------------------------------------------------------------------------- from a config


def make(model: str, config: ModelConfig, environ: Mapping[str, str]) -> Relay | None:
    """A relay to the server of `provider/name`, where that speaks a format that programs do; None where it does not.

    Raises `UsageError` for a missing key or address.
    """
    provider, _, name = model.partition("/")
    _refuse_body(model, config)
    price = config.price or known(model)
    if provider == "anthropic":
        base = plain_url(model, config.base_url or ANTHROPIC).rstrip("/").removesuffix("/v1")
        key = key_in(model, config.key_env or "ANTHROPIC_API_KEY", environ)
        addresses: dict[WireName, Address] = {"anthropic-messages": Address(f"{base}/v1", bare_key=True)}
        return Relay(name, addresses, key, config, price)
    host = HOSTS.get(provider)
    if host is None and provider != "compatible":
        return None
    base_url = config.base_url or (host.base_url if host is not None else None)
    if base_url is None:
        raise UsageError(f'model {model!r} needs an address: [models."{model}"] base_url = "http://localhost:8000/v1"')
    address = Address(plain_url(model, base_url))
    addresses = {"openai-chat": address}
    if provider == "openai":
        addresses["openai-responses"] = address
    key = key_in(model, config.key_env or (host.key_env if host is not None else None), environ)
    return Relay(name, addresses, key, config, price, bound=host.bound if host is not None else "max_tokens")


def _refuse_body(model: str, config: ModelConfig) -> None:
    if config.body:
        raise UsageError(
            f'[models."{model}"] body: what an agent program asks, it says itself, so nothing is added here; remove it'
        )
