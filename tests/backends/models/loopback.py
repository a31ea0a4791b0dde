"""A real HTTP server on this machine that says, request by request, what it was told to say, down to the bytes."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

REASONS = {200: "OK", 302: "Found", 400: "Bad Request", 401: "Unauthorized", 429: "Too Many Requests"}

Turn: TypeAlias = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]
"""What comes back to one request: bytes, after which the connection is closed; or what a function writes."""


def completion(text: str | None = "yes", **changes: Any) -> dict[str, Any]:
    """A chat completion as a well-behaved server writes it; `changes` go into its message, its choice or itself."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    whole: dict[str, Any] = {"id": "1", "model": "served-1", "choices": [choice], "usage": usage}
    for key, value in changes.items():
        place = whole if key in whole else choice if key in choice else message
        place[key] = value
    return whole


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


def says(
    body: object, status: int = 200, headers: Mapping[str, str] | None = None, *, length: int | None = None
) -> bytes:
    """A whole HTTP answer; JSON unless the body is bytes. `length` lies about how long it is."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}", "content-type: application/json"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    lines += [f"content-length: {len(raw) if length is None else length}", "connection: close"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + raw


@dataclass(frozen=True)
class Seen:
    """A request as it came in."""

    line: str
    headers: Mapping[str, str]
    body: Any
    raw: bytes = b""


@dataclass
class Loopback:
    """Answers the first request with the first turn and so on; the last turn again where there are no more."""

    turns: Sequence[Turn]
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0
    _server: asyncio.Server | None = None
    _serving: set[asyncio.Task[None] | None] = field(default_factory=set)

    async def __aenter__(self) -> "Loopback":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *failure: object) -> None:
        assert self._server is not None
        self._server.close()
        left = {task for task in self._serving if task is not None and not task.done()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left)
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._serving.add(asyncio.current_task())
        try:
            while (request := await _read(reader)) is not None:
                self.seen.append(request)
                turn = self.turns[min(len(self.seen), len(self.turns)) - 1]
                if isinstance(turn, bytes):
                    writer.write(turn)
                    await writer.drain()
                    if b"connection: close" in turn:
                        break
                else:
                    await turn(writer)
        except (ConnectionError, asyncio.CancelledError):  # the client, or the test, is done
            pass
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Seen | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Seen(head[0], headers, json.loads(body) if body else None, body)
