"""An app on a socket: it comes up, answers, and is gone; what it fails of is known to who opened it."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from rung.backends.servers.serving import serving
from rung.core.errors import InstrumentFault

from .stands import listening, waits


async def get(port: int, path: str = "/") -> httpx2.Response:
    async with httpx2.AsyncClient() as client:
        return await client.get(f"http://127.0.0.1:{port}{path}")


def app(answer) -> Starlette:
    return Starlette(routes=[Route("/", answer)])


async def hello(request: Request) -> Response:
    return PlainTextResponse("hello")


@waits
async def test_an_app_answers_while_the_context_is_open_and_its_socket_is_closed_after():
    sock = listening()
    async with serving(app(hello), sock) as server:
        answer = await get(server.port)
        assert (answer.text, server.requests, server.failure) == ("hello", 1, None)
        assert {"date", "server"} & set(answer.headers) == set()
    assert sock.fileno() == -1


@waits
async def test_what_an_app_does_not_catch_is_kept_and_not_told_to_the_client():
    async def broken(request: Request) -> Response:
        raise InstrumentFault("desk", "the disk is full of secrets")

    async with serving(app(broken), listening()) as server:
        answer = await get(server.port)
        assert answer.status_code == 500
        assert "secrets" not in answer.text
        with pytest.raises(InstrumentFault, match="full of secrets"):
            server.check()


@waits
async def test_an_app_that_does_not_start_is_an_instrument_fault():
    @asynccontextmanager
    async def lifespan(started: Starlette) -> AsyncIterator[None]:
        raise OSError("no disk")
        yield

    with pytest.raises(InstrumentFault, match="did not start"):
        async with serving(Starlette(lifespan=lifespan), listening()):
            pass


@waits
async def test_a_request_that_never_ends_is_cut_off_when_the_server_is_closed():
    came, ended = asyncio.Event(), asyncio.Event()

    async def never(request: Request) -> Response:
        came.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return PlainTextResponse("")

    async with serving(app(never), listening(), grace=0.01) as server:
        asking = asyncio.create_task(get(server.port))
        await came.wait()
    assert ended.is_set()
    answer = await asyncio.gather(asking, return_exceptions=True)
    assert isinstance(answer[0], httpx2.RemoteProtocolError) or answer[0].status_code == 500


@waits
async def test_an_answer_waits_for_no_acknowledgement_of_the_one_before():
    sock = listening()
    async with serving(app(hello), sock):
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)  # what it accepts has it too


@waits
async def test_an_error_in_the_context_goes_through_and_the_server_is_gone():
    sock = listening()
    with pytest.raises(KeyError):
        async with serving(app(hello), sock):
            raise KeyError
    assert sock.fileno() == -1
