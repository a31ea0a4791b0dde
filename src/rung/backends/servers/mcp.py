"""Desks of tools served to programs: over MCP, by HTTP or stdio, and as plain HTTP for those without MCP.

    /s/TOKEN/mcp     streamable HTTP, in the revision of 2026-07-28 and in the older ones that begin with `initialize`
    /mcp             the same, with the token as `Authorization: Bearer TOKEN`
    /s/TOKEN/tools   GET: the tools. For the client file `rung_tasks.py`
    /s/TOKEN/call    POST {"tool": ..., "arguments": {...}}: one call, answered by the same desk

    /s/TOKEN/rung_tasks.py, /s/TOKEN/SKILL.md   GET: the client file, and how to use it

A program is known by its token alone. No MCP session is kept: whoever is cut off, or meets this server after it was
started again, goes on with its next call. A call whose caller hangs up is left to come to its end.
"""

import asyncio
import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import mcp_types as types
from anyio import AsyncFile
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from rung.backends.servers.client import FILE, SKILL, skill, source
from rung.core.canonical import JSON
from rung.core.desk import OVER, ToolAnswer, ToolDesk
from rung.core.values import Tool

NAME = "tasks"
"""What a server calls itself; the same for every session."""

WANTED = {"tools": "GET", "call": "POST", "mcp": "POST", FILE: "GET", SKILL: "GET"}
"""What can be asked of a door, and by which method."""

DATA = "data"
"""Where in the `_meta` of a result the answer stands as data, for scripts; models are not shown it."""

LARGEST = 4 << 20
"""Bytes of a request that are read; a longer one is refused."""


@dataclass(slots=True)
class Door:
    """A desk as it is served. `ended` is what a call raised that ends the session, once one has."""

    token: str
    desk: ToolDesk
    ended: asyncio.Future[BaseException] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    async def call(self, tool: str, arguments: Mapping[str, JSON]) -> ToolAnswer:
        """Answer one call. What ends a session is kept for its owner, and the caller is told that it is over."""
        try:
            return await self.desk.call(tool, arguments)
        except Exception as error:  # noqa: BLE001 (kept for the owner of the session, who raises it)
            if not self.ended.done():
                self.ended.set_result(error)
            return OVER


class Doors:
    """All desks of one server, by token; an ASGI app. Use it as an async context: no door is open after it."""

    def __init__(self) -> None:
        self._doors: dict[str, Door] = {}
        self._managers: dict[str, StreamableHTTPSessionManager] = {}
        self._shut: dict[str, asyncio.Event] = {}
        self._held: dict[str, asyncio.Task[None]] = {}

    async def __aenter__(self) -> "Doors":
        return self

    async def __aexit__(self, *error: object) -> None:
        for token in list(self._doors):
            await self.shut(token)

    async def open(self, token: str, desk: ToolDesk) -> Door:
        """Serve a desk to whoever knows the token."""
        door = self._doors[token] = Door(token, desk)
        up = asyncio.Event()
        self._shut[token] = asyncio.Event()
        manager = StreamableHTTPSessionManager(
            app=server(door), json_response=True, stateless=True, max_request_body_size=LARGEST
        )
        self._managers[token] = manager
        self._held[token] = asyncio.create_task(_hold(manager, up, self._shut[token]))
        await up.wait()
        return door

    async def shut(self, token: str) -> None:
        """Serve a desk no longer. A token that was shut is as unknown as any other."""
        self._doors.pop(token, None)
        self._managers.pop(token, None)
        shut = self._shut.pop(token, None)
        if shut is not None:
            shut.set()
            await self._held.pop(token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        token, what = _addressed(request)
        door = self._doors.get(token)
        if door is None:
            await _refused(404, "there is nothing at this address")(scope, receive, send)
        elif what == "mcp" and request.method == "POST":
            await self._managers[token].handle_request(scope, receive, send)
        else:
            await (await _plain(door, what, request))(scope, receive, send)


async def _hold(manager: StreamableHTTPSessionManager, up: asyncio.Event, shut: asyncio.Event) -> None:
    """Keep a manager running; its task group has to be left by the task that entered it."""
    async with manager.run():
        up.set()
        await shut.wait()


async def _live(receive: Receive, send: Send) -> None:
    while True:
        kind = str((await receive())["type"])
        await send({"type": f"{kind}.complete"})
        if kind == "lifespan.shutdown":
            return


def _addressed(request: Request) -> tuple[str, str]:
    """The token and what is asked of its door: from the path, or from the header of one who asks at `/mcp`."""
    pieces = request.url.path.strip("/").split("/")
    if len(pieces) == 3 and pieces[0] == "s":
        return pieces[1], pieces[2]
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return (token.strip(), "mcp") if pieces == ["mcp"] and scheme.lower() == "bearer" else ("", "")


# --------------------------------------------------------------------------------------------- MCP


def server(door: Door) -> Server[Any]:
    """An MCP server of one desk."""
    tools = [_tool(tool) for tool in door.desk.tools()]
    schemas = {tool.name: tool.input_schema for tool in tools}

    async def listed(_: ServerRequestContext[Any], __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def called(_: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        return _result(await door.call(params.name, params.arguments or {}))

    return Server(
        NAME,
        instructions=door.desk.instructions() or None,
        get_tool_input_schema=schemas.get,
        on_list_tools=listed,
        on_call_tool=called,
    )


async def over_stdio(
    desk: ToolDesk, *, stdin: AsyncFile[str] | None = None, stdout: AsyncFile[str] | None = None
) -> None:
    """Serve a desk to the program at the other end of stdin and stdout until it closes them.

    A call that was under way then is left to the desk: close it afterwards. Raises what ended the session, if a call
    did.
    """
    door = Door("", desk)
    serves = server(door)
    async with stdio_server(stdin, stdout) as (incoming, outgoing):
        await serves.run(incoming, outgoing, serves.create_initialization_options())
    if door.ended.done():
        raise door.ended.result()


def _tool(tool: Tool) -> types.Tool:
    return types.Tool(name=tool.name, description=tool.description, input_schema=dict(tool.parameters))


def _result(answer: ToolAnswer) -> types.CallToolResult:
    content: list[Any] = [types.TextContent(text=answer.text)]
    content += [types.ImageContent(data=_in_text(image.data), mime_type=image.media_type) for image in answer.images]
    # Not `answer.data` as structured content: where there is some, Codex 0.171 shows its model that alone, without the
    # text and without the pictures, and Claude Code 2.1.332 without the text. Scripts find it under `_meta`.
    return types.CallToolResult(content=content, is_error=answer.failed, _meta={DATA: answer.data})


def _in_text(data: bytes) -> str:
    return base64.b64encode(data).decode()


# --------------------------------------------------------------------------------------------- plain HTTP


async def _plain(door: Door, what: str, request: Request) -> Response:
    """What the client file asks."""
    wanted = WANTED.get(what)
    if wanted is None:
        return _refused(404, "there is nothing at this address")
    if request.method != wanted:
        return _refused(405, f"use {wanted}", allow=wanted)
    if what in (FILE, SKILL):
        return PlainTextResponse(source() if what == FILE else skill(door.desk))
    if what == "tools":
        return JSONResponse({"instructions": door.desk.instructions(), "tools": [_told(t) for t in door.desk.tools()]})
    asked = _asked(await _body(request))
    if isinstance(asked, str):
        return _refused(400, asked)
    return JSONResponse(_written(await door.call(*asked)))


async def _body(request: Request) -> bytes | None:
    """The body, if it is not too long."""
    read = bytearray()
    async for piece in request.stream():
        read += piece
        if len(read) > LARGEST:
            return None
    return bytes(read)


def _asked(body: bytes | None) -> tuple[str, Mapping[str, JSON]] | str:
    """The tool and its arguments; or why there are none."""
    if body is None:
        return f"the request is longer than {LARGEST} bytes"
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        return "the request is no JSON"
    tool, arguments = (asked.get("tool"), asked.get("arguments", {})) if isinstance(asked, dict) else (None, None)
    if not isinstance(tool, str) or not isinstance(arguments, dict):
        return 'send {"tool": "NAME", "arguments": {...}}'
    return tool, cast(Mapping[str, JSON], arguments)


def _told(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _written(answer: ToolAnswer) -> dict[str, Any]:
    images = [{"media_type": image.media_type, "data": _in_text(image.data)} for image in answer.images]
    return {"text": answer.text, "data": answer.data, "failed": answer.failed, "images": images}


def _refused(status: int, why: str, *, allow: str | None = None) -> Response:
    return JSONResponse({"error": why}, status, headers={"Allow": allow} if allow else None)
