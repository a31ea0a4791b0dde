"""A desk that is served elsewhere, as a desk here: so that a program that speaks MCP over stdio alone reaches it."""

import base64
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from rung.core.canonical import JSON
from rung.core.desk import ToolAnswer
from rung.core.errors import UsageError
from rung.core.values import Image, Tool


@dataclass(frozen=True, slots=True)
class FarDesk:
    """The tools at an address (see `rung.core.desk.ToolDesk`). A call is sent once and never again by itself."""

    client: httpx2.AsyncClient
    told: Mapping[str, Any]

    def tools(self) -> Sequence[Tool]:
        """The tools as they were when the far desk was reached."""
        return [Tool(each["name"], each["description"], each["parameters"]) for each in self.told["tools"]]

    def instructions(self) -> str:
        """What the server at the address says of itself."""
        return str(self.told["instructions"])

    async def call(self, tool: str, arguments: Mapping[str, JSON]) -> ToolAnswer:
        """Hand one call on. An address that does not answer is a failed answer, and says so."""
        try:
            came = await self.client.post("call", json={"tool": tool, "arguments": arguments})
            said = came.raise_for_status().json()
        except (httpx2.HTTPError, ValueError) as broken:
            reason = f"no answer ({type(broken).__name__}); the call may have had its effect: look at the task again"
            return ToolAnswer(reason, data={"error": reason}, failed=True)
        images = tuple(Image(each["media_type"], base64.b64decode(each["data"])) for each in said["images"])
        return ToolAnswer(said["text"], images, said["data"], failed=said["failed"])


@asynccontextmanager
async def far_desk(address: str) -> AsyncIterator[FarDesk]:
    """The desk at an address, as `rung serve` prints it. Raises `UsageError` when there is none."""
    base = address.rstrip("/").removesuffix("/mcp")
    async with httpx2.AsyncClient(base_url=f"{base}/", timeout=None, trust_env=False) as client:
        try:
            told = (await client.get("tools")).raise_for_status().json()
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as broken:
            raise UsageError(f"nothing is served at {address!r} ({broken}); give an address of `rung serve`") from None
        yield FarDesk(client, told)
