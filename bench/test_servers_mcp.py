"""What a tool call costs over MCP. Aim: at most 1.5 times that of an echo tool on the same SDK, the two in turns.

Both servers run in this process, on sockets of the same kind; the same client calls them over streamable HTTP. The echo
is an `MCPServer` of the SDK with one function, in the same way of answering: JSON, without sessions. Ours answers from
a stream with a journal on disk, a road of two thousand signposts, and records each call before it answers.
"""

import asyncio
import socket
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import mcp
import pytest
from mcp.server.mcpserver import MCPServer

from rung.backends.servers.mcp import Doors
from rung.backends.servers.serving import serving
from rung.core import registry
from rung.core.ports import Journal, Ports
from rung.core.seeds import Seed
from rung.core.values import Task
from rung.protocols import record
from rung.protocols.lines import Lines
from rung.protocols.mcp import StreamDesk
from rung.protocols.stream import Stream, Terms, Ticket
from rung.protocols.toolbox import toolbox
from rung.store.journal import SqliteJournal

CALLS, ROUNDS, MOST = 100, 7, 1.5
SESSIONS, STEPS = 64, 10


def road(signposts: int) -> Task:
    family = registry.family("toy-road-v1")
    drawn = family.draw(family.setting("d1"), Seed("bench"))
    return Task(drawn.family, drawn.setting, drawn.seed, {"numbers": [*range(signposts)]}, drawn.constants, signposts)


async def desk(journal: Journal, session: str, task: Task) -> StreamDesk:
    lines = Lines(journal)
    stream = Stream(
        journal,
        [Ticket(f"{session}/0001", task, "work", "snapshot")],
        terms=Terms("full", apart=True),
        salt="salt",
        ports=Ports(),
        line_for=lambda path: lines.line(path, "agent", None),
        session=session,
    )
    return StreamDesk(stream, await toolbox([("toy-road-v1", "d1")]))


@pytest.fixture
def journal(tmp_path: Path) -> Any:
    made = SqliteJournal(tmp_path / "journal.sqlite", group=True)
    yield made
    made.close()


def listening() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0), backlog=256)


@asynccontextmanager
async def echo() -> AsyncIterator[str]:
    server = MCPServer("echo")

    @server.tool()
    async def answer(task: str, value: int) -> str:
        return f"The answer was taken.\n\nThe signpost of {task} shows {value}."

    app = server.streamable_http_app(json_response=True, stateless_http=True)
    async with serving(app, listening()) as serves:
        yield f"http://127.0.0.1:{serves.port}/mcp"


async def some_calls(client: mcp.Client, task: str) -> float:
    """Seconds for one call, in the mean over some."""
    began = time.perf_counter()
    for value in range(CALLS):
        answer = await client.call_tool("answer", {"task": task, "value": value})
        assert not answer.is_error
    return (time.perf_counter() - began) / CALLS


async def in_turns(journal: Journal) -> tuple[list[float], list[float]]:
    async with AsyncExitStack() as stack:
        there = await stack.enter_async_context(echo())
        doors = await stack.enter_async_context(Doors())
        serves = await stack.enter_async_context(serving(doors, listening()))
        await doors.open("token", await desk(journal, "s", road(CALLS * (ROUNDS + 2))))
        echoing = await stack.enter_async_context(mcp.Client(there))
        ours = await stack.enter_async_context(mcp.Client(f"http://127.0.0.1:{serves.port}/s/token/mcp"))
        got = await ours.call_tool("get_task", {})
        assert got.meta is not None
        times: tuple[list[float], list[float]] = ([], [])
        for number in range(ROUNDS + 1):
            took = await some_calls(echoing, "t"), await some_calls(ours, got.meta["data"]["task"])
            if number:  # the first is a warm-up
                for kept, seconds in zip(times, took, strict=True):
                    kept.append(seconds)
        return times


def test_a_tool_call_costs_at_most_half_as_much_again_as_an_echo(journal: Journal):
    echoed, ours = asyncio.run(in_turns(journal))
    ratio = statistics.median(mine / other for other, mine in zip(echoed, ours, strict=True))
    print(  # noqa: T201
        f"echo {statistics.median(echoed) * 1e3:.2f} ms, ours {statistics.median(ours) * 1e3:.2f} ms, {ratio:.2f}"
    )
    assert ratio <= MOST


async def one_session(base: str, token: str) -> list[float]:
    took = []
    async with mcp.Client(f"{base}/s/{token}/mcp") as client:
        got = await client.call_tool("get_task", {})
        assert got.meta is not None
        for value in range(STEPS):
            began = time.perf_counter()
            answer = await client.call_tool("answer", {"task": got.meta["data"]["task"], "value": value})
            took.append(time.perf_counter() - began)
            assert not answer.is_error
    return took


async def many_sessions(journal: Journal) -> list[float]:
    async with Doors() as doors, serving(doors, listening()) as serves:
        for number in range(SESSIONS):
            await doors.open(f"token-{number}", await desk(journal, f"s{number:02d}", road(STEPS)))
        base = f"http://127.0.0.1:{serves.port}"
        took = await asyncio.gather(*(one_session(base, f"token-{number}") for number in range(SESSIONS)))
    return [seconds for each in took for seconds in each]


def test_sixty_four_sessions_at_once_lose_no_event(journal: Journal):
    began = time.perf_counter()
    took = sorted(asyncio.run(many_sessions(journal)))
    whole = time.perf_counter() - began
    print(  # noqa: T201
        f"{len(took)} calls of {SESSIONS} sessions in {whole:.1f} s, {len(took) / whole:.0f} a second; "
        f"median {took[len(took) // 2] * 1e3:.0f} ms, 99th in 100 {took[len(took) * 99 // 100] * 1e3:.0f} ms"
    )
    for number in range(SESSIONS):
        path = f"s{number:02d}/0001"
        answers: list[Any] = [step.action for step in record.read_steps(journal, path)]
        assert [answer.arguments["value"] for answer in answers] == list(range(STEPS))
        assert journal.get(path, "sealed") is not None
