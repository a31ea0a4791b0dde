"""The model gateway as a proxy: agent programs ask it, and it asks whoever answers.

A program is known by the token in the path of its requests, and so by its `Door`; what it sends as a key is not read.
Behind a door stand one model, one budget and one record. Nothing is tried again here, since programs do that
themselves; what another server answers is passed on as it is, and recorded.

    POST /TOKEN/v1/messages, /v1/messages/count_tokens, /v1/chat/completions, /v1/responses      GET /TOKEN/v1/models
    HEAD and GET /, /TOKEN: whether it is up. Anything else is 404, and recorded.
"""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from rung.backends.servers.anthropic_messages import AnthropicMessages
from rung.backends.servers.bounds import Known
from rung.backends.servers.course import Course, Incoming, reply
from rung.backends.servers.openai_chat import OpenAIChat
from rung.backends.servers.openai_responses import OpenAIResponses
from rung.backends.servers.upstream import Kind, Upstream
from rung.backends.servers.wires import Format
from rung.core.errors import RungError, UsageError
from rung.core.ports import Amount, Spending
from rung.core.proxied import Exchange, Hears, ProxyPolicy, Total

PATHS: Mapping[str, tuple[Format, Kind]] = {
    "v1/messages": (AnthropicMessages(), "ask"),
    "v1/messages/count_tokens": (AnthropicMessages(), "count"),
    "v1/chat/completions": (OpenAIChat(), "ask"),
    "v1/responses": (OpenAIResponses(), "ask"),
}
MODELS = "v1/models"
TOKEN = re.compile(r"[A-Za-z0-9_-]{16,128}")


@dataclass
class Door:
    """One session's way to its model. Make it, hand it to `Proxy.open`, and read it while the session runs.

    `spend` gives the budgets over the request of a number. `hear` is told of each exchange when it is over. `spent`
    says which budget had not enough left, once there was one; then nothing more is asked. `halt` is what must end the
    study's run, as a key that is not taken. `pulse` grows with everything that passes, `busy` are requests in flight.
    """

    session: str
    upstream: Upstream
    spend: Callable[[int], Spending]
    hear: Hears
    policy: ProxyPolicy = field(default_factory=ProxyPolicy)
    total: Total = field(default_factory=Total)
    spent: str | None = None
    halt: RungError | None = None
    pulse: int = 0
    busy: int = 0
    count: int = 0
    sent_before: set[str] = field(default_factory=set)
    known: Known = field(default_factory=Known)

    def cost(self, amount: Amount) -> None:
        """Count what a request cost."""
        self.total = self.total.plus(amount)


class Proxy:
    """Every door of a run, behind one listening socket or several. `app` is what a server serves.

    `hear` is told of what came for no door. `clock` gives seconds that only grow, for observations alone.
    """

    def __init__(self, hear: Hears = lambda exchange: None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._hear = hear
        self._clock = clock
        self._doors: dict[str, Door] = {}
        self._strays = 0
        self.app: ASGIApp = Starlette(routes=[Mount("/", app=self._serve)])

    def open(self, token: str, door: Door) -> None:
        """Let a session ask by this token. Raises `UsageError` for a token that is none or in use."""
        if not TOKEN.fullmatch(token):
            raise UsageError("a gateway's token is 16 to 128 letters, digits, _ and -")
        if token in self._doors:
            raise UsageError("a gateway's token belongs to one session, and this one is in use")
        self._doors[token] = door

    def close(self, token: str) -> None:
        """Let nobody ask by this token any more; what is in flight goes on."""
        self._doors.pop(token, None)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        first, _, path = scope["path"].lstrip("/").partition("/")
        door, path = self._doors.get(first), path.strip("/")
        incoming = Incoming(
            path,
            scope["query_string"].decode("latin-1"),
            {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]},
            receive,
            send,
            self._clock,
        )
        if scope["method"] in ("HEAD", "GET") and not path and (door is not None or not first):
            await reply(send, 200, {"object": "gateway"}, bare=scope["method"] == "HEAD")
        elif door is None:
            await self._refuse_stranger(incoming, scope)
        elif scope["method"] == "POST" and path in PATHS:
            form, kind = PATHS[path]
            await Course(door, form, kind, incoming).run()
        elif scope["method"] == "GET" and path == MODELS:
            await reply(send, 200, _models(door.upstream.model))
            self._tell_short(door, incoming, "answered", 200)
        else:
            error = OpenAIChat().error(404, "nothing is served at this path")
            await reply(send, 404, error, bare=scope["method"] == "HEAD")
            self._tell_short(door, incoming, "stray", 404, f"{scope['method']} {path}"[:200])

    async def _refuse_stranger(self, incoming: Incoming, scope: Scope) -> None:
        form = PATHS.get(incoming.path, (OpenAIChat(), ""))[0]
        await reply(incoming.send, 401, form.error(401, "no session is known by this address"))
        self._strays += 1
        now = self._clock()
        detail = f"{scope['method']} by an unknown token"
        self._hear(Exchange("", self._strays, incoming.path[:200], "stray", 401, detail=detail, started=now, ended=now))

    def _tell_short(self, door: Door, incoming: Incoming, came: Any, status: int, detail: str = "") -> None:
        """Record what was answered by ourselves and cost nothing."""
        now = self._clock()
        index, door.count, door.pulse = door.count, door.count + 1, door.pulse + 1
        path = incoming.path[:200]
        door.hear(Exchange(door.session, index, path, came, status, detail=detail, started=now, ended=now))


def _models(name: str) -> dict[str, Any]:
    """The one model there is, as OpenAI's clients and Anthropic's both read it."""
    about: dict[str, Any] = {
        "id": name,
        "object": "model",
        "type": "model",
        "display_name": name,
        "owned_by": "gateway",
    }
    about |= {"created": 0, "created_at": "1970-01-01T00:00:00Z"}
    return {"object": "list", "data": [about], "has_more": False, "first_id": name, "last_id": name}
