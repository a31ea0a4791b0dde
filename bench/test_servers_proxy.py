"""What the model gateway adds to a request of an agent program. Aim: 5 ms of CPU for a request of a long session.

A client asks, over loopback, the gateway before a scripted brain, and an app that reads the same body and answers the
same bytes; both in the same server and in turns. CPU time of the process, so client and server together; the difference
is the gateway's. The long request is 200 kB in 100 messages, as an agent's session has grown after some tasks; all but
two of its messages were sent before.
"""

import asyncio
import json
import socket
import time
from collections.abc import Awaitable, Callable

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rung.backends.servers.played import Played
from rung.backends.servers.proxy import Door, Proxy
from rung.backends.servers.serving import serving
from rung.core.ports import Amount
from rung.core.proxied import Said, ToolCall

TOKEN = "a-token-of-a-session"
SAID = Said(("I look at the board and plant where there is water. " * 4, ToolCall("get_task", {"which": 1})))
TOOLS = [{"name": f"tool_{n}", "description": "words " * 60, "input_schema": {"type": "object"}} for n in range(20)]
ROUNDS, EACH = 7, 40


class Open:
    """A budget without limits or record."""

    async def reserve(self, worst: Amount) -> "Open":
        return self

    def settle(self, actual: Amount | None) -> None: ...


def body(messages: int) -> bytes:
    talk = [{"role": ("user", "assistant")[n % 2], "content": f"{n} " + "a board " * 250} for n in range(messages)]
    return json.dumps({"model": "m", "max_tokens": 99, "stream": True, "tools": TOOLS, "messages": talk}).encode()


def listening() -> socket.socket:
    made = socket.socket()
    made.bind(("127.0.0.1", 0))
    made.listen()
    made.setblocking(False)
    return made


async def measured(raw: bytes) -> tuple[float, float]:
    """Seconds of CPU of one request: to an app that does nothing, and to the gateway."""
    proxy = Proxy()
    proxy.open(TOKEN, Door("s", Played(lambda heard: SAID), lambda index: Open(), lambda exchange: None))
    answers = b""

    async def same(request: Request) -> Response:
        await request.body()
        return Response(answers, media_type="text/event-stream")

    plain = Starlette(routes=[Route("/", same, methods=["POST"])])
    async with (
        httpx2.AsyncClient(trust_env=False) as client,
        serving(plain, listening()) as bare,
        serving(proxy.app, listening()) as full,
    ):
        urls = (f"http://127.0.0.1:{bare.port}/", f"http://127.0.0.1:{full.port}/{TOKEN}/v1/messages")
        answers = (await client.post(urls[1], content=raw)).content
        best = [1e9, 1e9]
        for _ in range(ROUNDS):
            for which, url in enumerate(urls):
                best[which] = min(best[which], await _cpu(lambda at=url: client.post(at, content=raw)))
    return best[0], best[1]


async def _cpu(ask: Callable[[], Awaitable[httpx2.Response]]) -> float:
    began = time.process_time()
    for _ in range(EACH):
        assert (await ask()).status_code == 200
    return (time.process_time() - began) / EACH


@pytest.mark.parametrize(("messages", "aim"), [(1, 0.003), (100, 0.005)])
def test_the_gateway_adds_little_to_a_request(messages: int, aim: float, capsys: pytest.CaptureFixture[str]):
    raw = body(messages)
    bare, full = asyncio.run(measured(raw))
    with capsys.disabled():
        print(f"\n{len(raw):,} bytes: {bare * 1e3:.2f} ms bare, {full * 1e3:.2f} ms with the gateway")  # noqa: T201
    assert full - bare < aim
