"""Desks to serve in tests: one that says what it was asked, and one that can be held, broken and counted."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from rung.backends.servers.mcp import Door, Doors
from rung.backends.servers.serving import serving
from rung.core.desk import ToolAnswer, ToolDesk
from rung.core.values import Image, Tool

from .stands import listening

PICTURE = Image("image/png", b"\x89PNG\r\n\x1a\n picture")


@dataclass
class Desk:
    """Says what it was asked. `fails` is raised by the tool `break`; the tool `wait` waits until it is `opened`."""

    fails: Exception | None = None
    asked: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    finished: int = 0
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    entered: asyncio.Event = field(default_factory=asyncio.Event)

    def tools(self) -> Sequence[Tool]:
        schema: Any = {"type": "object", "properties": {"task": {"type": "string"}, "text": {"type": "string"}}}
        return [Tool("say", "Say it back.", schema), Tool("picture", "Show one.", {"type": "object"})]

    def instructions(self) -> str:
        return "Say things."

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        self.asked.append((tool, dict(arguments)))
        if tool == "break" and self.fails is not None:
            raise self.fails
        if tool == "wait":
            self.entered.set()
            await self.opened.wait()
        self.finished += 1
        images = (PICTURE,) if tool == "picture" else ()
        known = tool in ("say", "picture", "wait")
        return ToolAnswer(json.dumps([tool, arguments]), images, {"tool": tool, **arguments}, failed=not known)


@dataclass
class Served:
    """A server that is up, and the address of its one door."""

    doors: Doors
    door: Door
    port: int
    token: str

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/s/{self.token}"

    @property
    def mcp(self) -> str:
        return f"{self.address}/mcp"


@asynccontextmanager
async def served(desk: ToolDesk, token: str = "a-token") -> AsyncIterator[Served]:
    async with Doors() as doors, serving(doors, listening()) as serves:
        yield Served(doors, await doors.open(token, desk), serves.port, token)
        serves.check()
