"""An ASGI app on a listening socket, for as long as a context is open. Every server of ours runs in this.

The socket may be of another network namespace. Signals stay the caller's, nothing is printed, and no header tells the
time or the server's name. What an app fails to catch is kept in `Serving.failure` for whoever opened the server: the
client sees a 500 and no detail.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from rung.core.errors import InstrumentFault

GRACE_SECONDS = 2.0
"""How long requests in flight may go on when a server is closed; then they are cut off."""
KEEP_ALIVE_SECONDS = 3600
"""How long an idle connection stays open: longer than any client's own patience, so that no request meets its end."""


@dataclass(slots=True)
class Serving:
    """A server that is up. `failure` is the first error that its app did not catch; `requests` counts what came in."""

    port: int
    failure: Exception | None = None
    requests: int = 0

    def check(self) -> None:
        """Raise what the app failed of, if anything, as what it is: an `InstrumentFault`, or a bug of ours."""
        if self.failure is not None:
            raise self.failure


@asynccontextmanager
async def serving(app: ASGIApp, listening: socket.socket, *, grace: float = GRACE_SECONDS) -> AsyncIterator[Serving]:
    """Serve an app on a bound TCP socket, which is closed at the end. The app's own lifespan is run around it.

    Raises `InstrumentFault` when it does not come up.
    """
    # Asyncio sets this only on sockets that were made with the protocol's number. Without it an answer of two writes
    # waits 40 ms for the other side's acknowledgement.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    serves = Serving(listening.getsockname()[1])
    server = _Server(_config(_watched(app, serves)), grace)
    running = asyncio.create_task(_run(server, listening))
    try:
        await _came_up(server, running)
        yield serves
    finally:
        server.leave.set()
        await running


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        log_level=logging.CRITICAL,  # what goes wrong is in `Serving.failure`
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )


class _Server(uvicorn.Server):
    """Uvicorn's server without its signal handlers and without its clock: it ends when `leave` is set.

    Its own shutdown looks every tenth of a second whether all is done, and does not wait for what it cut off.
    """

    def __init__(self, config: uvicorn.Config, grace: float) -> None:
        super().__init__(config)
        self.grace = grace
        self.leave = asyncio.Event()
        self.up = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()

    async def main_loop(self) -> None:
        await self.leave.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in self.servers:
            listener.close()
        for connection in tuple(self.server_state.connections):
            connection.shutdown()
        if requests := set(self.server_state.tasks):
            _, late = await asyncio.wait(requests, timeout=self.grace)
            for request in late:
                request.cancel()
            await asyncio.wait(requests)
        for connection in tuple(self.server_state.connections):
            connection.transport.close()
        for listener in self.servers:
            await listener.wait_closed()
        await self.lifespan.shutdown()


async def _run(server: _Server, listening: socket.socket) -> None:
    try:
        await server.serve([listening])
    except SystemExit:  # so it says that the app did not start; a task that raises this would end the event loop
        raise InstrumentFault("server", "its app did not start") from None
    finally:
        listening.close()


async def _came_up(server: _Server, running: asyncio.Task[None]) -> None:
    up = asyncio.create_task(server.up.wait())
    try:
        await asyncio.wait((up, running), return_when=asyncio.FIRST_COMPLETED)
    finally:
        up.cancel()
    if running.done():
        await running


def _watched(app: ASGIApp, serves: Serving) -> ASGIApp:
    """The app, with what it fails of kept."""

    async def watched(scope: Scope, receive: Receive, send: Send) -> None:
        serves.requests += scope["type"] == "http"
        try:
            await app(scope, receive, send)
        except Exception as error:
            serves.failure = serves.failure or error
            raise

    return watched
