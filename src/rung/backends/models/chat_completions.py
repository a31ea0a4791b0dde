"""Any endpoint that speaks OpenAI's chat completions, over HTTP.

Here: who is asked and with which key, one try, and what a failed one means. How a request and a reply are spelled is
in `wire`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal

from rung.backends.models import wire
from rung.backends.models.backend import TryAgain
from rung.backends.models.keys import Key, key_in, plain_url
from rung.backends.models.loops import PerLoop
from rung.core.config import ModelConfig
from rung.core.errors import ContextOverflow, ModelFault, ModelUnusable, RungError, UsageError
from rung.core.values import ModelReply, ModelRequest

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True, slots=True)
class Host:
    """Facts about a service: its address, the variable that its key is kept in, and its word for a bound on output."""

    base_url: str
    key_env: str
    bound: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"


HOSTS: Mapping[str, Host] = {
    "openai": Host("https://api.openai.com/v1", "OPENAI_API_KEY", "max_completion_tokens"),
    "openrouter": Host("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "deepseek": Host("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "groq": Host("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "mistral": Host("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "together": Host("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "xai": Host("https://api.x.ai/v1", "XAI_API_KEY"),
    "fireworks": Host("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    "cerebras": Host("https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    "google": Host("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
}

MAX_BYTES = 16 * 2**20
"""The longest reply that is read, unpacked: a thousand times the longest that a model writes."""
CONNECT_SECONDS = 30.0
"""How long a connection may take to open; nothing was asked before, so such a try costs nothing."""

_AGAIN = {408, 409, 425, 429}
_LATE = {504, 524}  # a gateway stopped waiting for a model that may have worked
_BUSY = "insufficient_quota"

_TOO_LONG = re.compile(
    r"context_length_exceeded|context window|context[ _]size|context length|context limit"
    r"|maximum (context|prompt|model) length|longer than the (maximum )?model|prompt is too long|input is too long"
    r"|input token count .* exceeds|max_new_tokens. must be <=|reduce the length of the (messages|prompt|input)",
    re.IGNORECASE | re.DOTALL,
)
_NO_MODEL = re.compile(
    r"model_not_found|model_decommissioned|model[^.]{0,80} (does not exist|not exist|not found)", re.IGNORECASE
)
_FLAGGED = re.compile(r"flagged|moderation", re.IGNORECASE)  # this prompt is refused, and not the key
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
_SHOWN = 300


class ChatCompletions:
    """One model at one endpoint. The key is sent to that endpoint and stands in nothing that this class says."""

    def __init__(self, name: str, *, base_url: str, key: Key, bound: str, body: Mapping[str, Any], pool: int) -> None:
        self._name = name
        self._url = _endpoint(base_url)
        self._shown = self._url.partition("?")[0]  # a query may hold a key
        self._key = key
        self._bound = bound
        self._body = body
        self._pool = pool
        self._clients = PerLoop(self._client)

    async def once(self, request: ModelRequest) -> ModelReply:
        """Ask once; see `Backend.once`."""
        sent = wire.request_body(request, model=self._name, bound=self._bound, body=self._body)
        status, headers, raw = await self._post(json.dumps(sent).encode())
        if status != 200:
            raise self._refused(status, _error_in(raw), headers)
        answer = self._object(raw)
        if "choices" not in answer and answer.get("error"):
            error = _described(answer["error"])
            raise self._refused(error.status or 502, error, headers)
        try:
            return wire.reply(answer)
        except wire.Unreadable as why:
            raise TryAgain("garbage", f"{self._shown} answered 200, and {why}", billed=True) from None

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        client = self._clients.taken()
        if client is not None:
            await client.aclose()

    # ----------------------------------------------------------------------------------------- over the network

    async def _post(self, content: bytes) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of the answer, each failure of the network as a `TryAgain`."""
        import httpx2

        headers = {"content-type": "application/json", **self._key.header()}
        try:
            async with self._clients.here().stream("POST", self._url, content=content, headers=headers) as answer:
                return answer.status_code, answer.headers, await self._read(answer)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError) as error:
            raise self._network("connection", "no connection to", error, billed=False) from None
        except httpx2.DecodingError as error:
            raise self._network("garbage", "cannot unpack the answer of", error, billed=True) from None
        except httpx2.RequestError as error:
            raise self._network("connection", "lost the connection to", error, billed=True) from None

    def _object(self, raw: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(raw)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            shown = self._clean(raw[:4000].decode("utf-8", "replace"))[:80]
            raise TryAgain("garbage", f"{self._shown} answered 200 with no JSON object: {shown!r}", billed=True)
        return answer

    async def _read(self, answer: "httpx2.Response") -> bytes:
        body = bytearray()
        async for piece in answer.aiter_bytes():
            body += piece
            if len(body) > MAX_BYTES:
                raise TryAgain("garbage", f"{self._shown} answered more than {MAX_BYTES:,} bytes", billed=True)
        return bytes(body)

    def _network(
        self, trouble: Literal["connection", "garbage"], words: str, error: Exception, *, billed: bool
    ) -> TryAgain:
        return TryAgain(
            trouble, f"{words} {self._shown} ({type(error).__name__}: {self._clean(str(error))})", billed=billed
        )

    def _client(self) -> "httpx2.AsyncClient":
        import httpx2

        # The whole time of a try is the gateway's to limit, and so is the number in flight.
        return httpx2.AsyncClient(
            timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=self._pool),
            follow_redirects=False,
        )

    # ----------------------------------------------------------------------------------------- what a refusal means

    def _refused(self, status: int, error: "_Error", headers: Mapping[str, str]) -> RungError:
        """What a status other than 200 means."""
        said = f"{self._shown} answered {status}: {self._clean(error.text) or 'nothing'}"
        if status in _AGAIN or status >= 500:
            return self._again(status, error, said, headers)
        return self._final(status, error, said)

    def _again(self, status: int, error: "_Error", said: str, headers: Mapping[str, str]) -> RungError:
        if status == 429 and _BUSY in error.text:
            return ModelUnusable(f"{said}. The account is out of credit; add some, and running again resumes")
        trouble: Literal["rate limit", "timeout", "server error"] = "server error"
        if status in (408, 429):
            trouble = "timeout" if status == 408 else "rate limit"
        return TryAgain(trouble, said, after=asked_to_wait(headers), billed=status in _LATE)

    def _final(self, status: int, error: "_Error", said: str) -> RungError:
        if status == 403 and _FLAGGED.search(error.text):
            return ModelFault(f"model {self._name}", said)
        if status in (401, 403):
            return ModelUnusable(f"{said}. {self._key.mend()}; running again resumes")
        if status == 402:
            return ModelUnusable(f"{said}. The account is out of credit; add some, and running again resumes")
        if status == 404 or (status == 400 and _NO_MODEL.search(error.text)):
            return ModelUnusable(f"{said}. Is there a model {self._name!r}? See its name and base_url, and run again")
        if status in (400, 413, 422) and _TOO_LONG.search(error.text):
            return ContextOverflow(said)
        if status < 400:
            return ModelUnusable(f"{said}. It leads elsewhere, where no key is sent; give the final base_url")
        return ModelFault(f"model {self._name}", said)

    def _clean(self, text: str) -> str:
        """Foreign text on one short line, without the key."""
        return _CONTROL.sub(" ", self._key.removed_from(text)).strip()[:_SHOWN]


# --------------------------------------------------------------------------------------------- errors of a server


@dataclass(frozen=True, slots=True)
class _Error:
    """What a server says of an error: all its words together, and a status where it names one."""

    text: str
    status: int | None = None


def _error_in(raw: bytes) -> _Error:
    try:
        answer = json.loads(raw)
    except (ValueError, RecursionError):
        return _Error(raw[:4000].decode("utf-8", "replace"))
    return _described(answer.get("error", answer) if isinstance(answer, dict) else answer)


def _described(error: object) -> _Error:
    """OpenAI's `{"message", "type", "code"}`, or whatever else a server made of it."""
    if not isinstance(error, dict):
        return _Error(str(error)[:4000])
    code = error.get("code")
    pieces = [error.get("message") or error.get("detail") or json.dumps(error), error.get("type"), code]
    text = " ".join(str(piece)[:4000] for piece in pieces if piece)
    return _Error(text, code if isinstance(code, int) and 400 <= code < 600 else None)


def asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """How many seconds an answer asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date.

    A date is held against the server's own `date`, so that no clock of ours decides; without one it says nothing.

    >>> asked_to_wait({"retry-after": "7"}), asked_to_wait({"retry-after-ms": "250", "retry-after": "1"})
    (7.0, 0.25)
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text):
            return float(text) / unit
    try:
        until, now = (parsedate_to_datetime(headers.get(name, "")) for name in ("retry-after", "date"))
        return max((until - now).total_seconds(), 0.0)
    except (ValueError, TypeError):  # no date, a broken one, or one without its zone
        return None


# --------------------------------------------------------------------------------------------- from a config


def make(model: str, config: ModelConfig, environ: Mapping[str, str]) -> ChatCompletions:
    """The backend of `provider/name` for a provider in `HOSTS`, or `compatible`.

    Raises `UsageError` when there is no key or address, or when `body` would change what is not its to change.
    """
    provider, _, name = model.partition("/")
    host = HOSTS.get(provider)
    base_url = config.base_url or (host.base_url if host is not None else None)
    if base_url is None:
        raise UsageError(f'model {model!r} needs an address: [models."{model}"] base_url = "http://localhost:8000/v1"')
    wire.check_body(model, config.body)
    return ChatCompletions(
        name,
        base_url=plain_url(model, base_url),
        key=key_in(model, config.key_env or (host.key_env if host is not None else None), environ),
        bound=host.bound if host is not None else "max_tokens",
        body=config.body,
        pool=config.concurrency,
    )


def _endpoint(base_url: str) -> str:
    """The address to post to; a query, as of some clouds, stays at the end."""
    before, mark, query = base_url.partition("?")
    return f"{before.rstrip('/').removesuffix('/chat/completions')}/chat/completions{mark}{query}"
