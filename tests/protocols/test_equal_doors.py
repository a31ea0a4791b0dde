"""The same calls come to the same facts, however they are made: asked, over MCP, or with the client file."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import mcp
import pytest

from rung.backends.servers.client import VARIABLE, rung_tasks
from rung.backends.servers.mcp import Doors
from rung.backends.servers.serving import serving
from rung.core.canonical import JSON
from rung.core.values import Call
from rung.protocols.mcp import StreamDesk
from rung.protocols.toolbox import toolbox
from rung.store.memory import MemoryJournal

from . import stage
from .stage import right
from .test_mcp import handle, stream

ANSWERS = [Call("answer", {"value": "many"}), Call("answer", {}), right()[1]]
Tell = Callable[[str, Mapping[str, Any]], Awaitable[JSON]]


@asynccontextmanager
async def over_http(url: str, mode: str) -> AsyncIterator[Tell]:
    async with mcp.Client(f"{url}/mcp", mode=mode) as client:

        async def tell(tool: str, arguments: Mapping[str, Any]) -> JSON:
            data: JSON = (await client.call_tool(tool, dict(arguments))).meta["data"]
            return data

        yield tell


@asynccontextmanager
async def with_the_client_file(url: str, _: str) -> AsyncIterator[Tell]:
    async def tell(tool: str, arguments: Mapping[str, Any]) -> JSON:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-S", "-E", "-B", rung_tasks.__file__, "--json", "call", tool, json.dumps(arguments),
            env={VARIABLE: url}, stdout=-1,
        )  # fmt: skip
        out, _ = await process.communicate()
        data: JSON = json.loads(out)
        return data

    yield tell


DOORS = {
    "the revision of 2026": (over_http, "2026-07-28"),
    "the older handshake": (over_http, "legacy"),
    "the client file": (with_the_client_file, ""),
}


async def worked(door: str, journal: MemoryJournal) -> list[JSON]:
    make, mode = DOORS[door]
    desk = StreamDesk(stream(journal), await toolbox([("box-v1", "d1")]))
    async with Doors() as doors, serving(doors, socket.create_server(("127.0.0.1", 0))) as serves:
        await doors.open("token", desk)
        async with make(f"http://127.0.0.1:{serves.port}/s/token", mode) as tell:
            said = [await tell("get_task", {}), await tell("queue_info", {})]
            for answer in ANSWERS:
                said.append(await tell(answer.tool, {"task": handle(), **answer.arguments}))
            said.append(await tell("get_task", {}))
    return said


@pytest.mark.parametrize("door", DOORS)
def test_the_facts_are_those_of_an_agent_that_is_asked(box: Any, journal: MemoryJournal, door: str):
    asked = MemoryJournal()
    asyncio.run(stage.play(stream(asked), ANSWERS[:2]))
    asyncio.run(worked(door, journal))
    assert {fact.kind for fact in journal.facts()} >= {"served", "step", "sealed"}
    assert without_strays(journal) == without_strays(asked)


def without_strays(journal: MemoryJournal) -> list[Any]:
    return [fact for fact in journal.facts() if fact.kind != "stray"]


def test_every_door_answers_and_records_the_same(box: Any):
    kept = {door: MemoryJournal() for door in DOORS}
    said = [asyncio.run(worked(door, journal)) for door, journal in kept.items()]
    assert said[0] == said[1] == said[2]
    assert len({journal.digest() for journal in kept.values()}) == 1
    assert [fact.path for fact in kept["the client file"].facts(kind="stray")] == ["s/stray/0000"]
