"""Anthropic's messages: `POST /v1/messages`. Source: the public API reference, version 2023-06-01. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rung.backends.servers.sse import parsed, spelled
from rung.backends.servers.wires import (
    Body,
    Finds,
    Malformed,
    Parts,
    Screened,
    count,
    host,
    image,
    label,
    needed,
    replaced,
    rows,
    spelled_as_offered,
    table,
    warmth,
    without_keys,
    without_links,
    word,
    words,
)
from rung.core.proxied import Heard, Part, Read, Said, ToolCall, ToolOffer, ToolResult, Turn, WireName, texts
from rung.core.values import Image, Usage

KINDS: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
STOPS: Mapping[str, str] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}
_SAYS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}

WRITE_5M, WRITE_1H = 0.25, 1.0
"""What writing a token to a cache costs above reading it, by how long the cache lives: 1.25 and 2 times the input."""

_CLIENT_TOOL = re.compile(r"custom|(bash|text_editor|memory|computer)_[0-9]{8}|tool_search_tool_[a-z0-9_]+")
"""Kinds of tools that the program itself runs, or that look for tools among those offered. All others are the
provider's, those that nobody knew of when this was written too."""
_KEYS = {"mcp_servers": "mcp_servers", "container": "container"}


@dataclass(frozen=True, slots=True)
class AnthropicMessages:
    """See `wires.Format`."""

    name: WireName = "anthropic-messages"

    # ----------------------------------------------------------------------------------------- what is asked

    def hear(self, body: Body) -> Heard:
        """What is asked. Raises `Malformed`."""
        made: dict[str, ToolCall] = {}
        system = body.get("system")
        return Heard(
            self.name,
            word(body.get("model")),
            system if isinstance(system, str) else texts([word(block.get("text")) for block in rows(system)]),
            tuple(_turn(message, made) for message in needed(body, "messages")),
            tuple(_offer(tool) for tool in rows(body.get("tools")) if tool.get("type") in (None, "custom")),
            _choice(table(body.get("tool_choice"))),
            parallel=not table(body.get("tool_choice")).get("disable_parallel_tool_use"),
            max_tokens=count(body.get("max_tokens")),
            temperature=warmth(body.get("temperature")),
        )

    # ----------------------------------------------------------------------------------------- what is answered

    def whole(self, said: Said, heard: Heard, seed: str) -> Body:
        """An answer in one piece."""
        said = spelled_as_offered(said, heard, seed, "toolu_")
        return {
            **_opening(said, seed),
            "content": list(_blocks(said)),
            "stop_reason": _stop(said),
            "usage": _uses(said),
        }

    def events(self, said: Said, heard: Heard, seed: str, body: Body) -> Iterator[bytes]:
        """The same as a stream."""
        said = spelled_as_offered(said, heard, seed, "toolu_")
        opening = {**_opening(said, seed), "usage": {**_uses(said), "output_tokens": 1}}
        yield _event("message_start", message=opening)
        yield _event("ping")
        for index, block in enumerate(_blocks(said)):
            empty, deltas = _unfolded(block)
            yield _event("content_block_start", index=index, content_block=empty)
            for delta in deltas:
                yield _event("content_block_delta", index=index, delta=delta)
            yield _event("content_block_stop", index=index)
        closing = {"stop_reason": _stop(said), "stop_sequence": None}
        yield _event("message_delta", delta=closing, usage={"output_tokens": _uses(said)["output_tokens"]})
        yield _event("message_stop")

    def error(self, status: int, message: str, *, final: bool = False) -> Body:
        """An error as this format has it; it has no word for one that is final."""
        return {"type": "error", "error": {"type": KINDS.get(status, "api_error"), "message": message}}

    # ----------------------------------------------------------------------------------------- what passes

    def screen(self, body: Body) -> Screened:
        """A request without what the provider would do by itself."""
        finds = Finds()
        tools = body.get("tools")
        if tools is not None and not isinstance(tools, list):
            raise Malformed("tools: a list is needed")
        left = [tool for tool in tools or () if _is_clients(tool)]
        if len(left) < len(tools or ()):
            gone = [tool for tool in rows(tools) if not _is_clients(tool)]
            finds.offered += [label(tool.get("type")) for tool in gone]
            body = _with_tools(body, left, {word(tool.get("name")) for tool in gone})
        body = without_keys(body, _KEYS, finds)
        for key in ("messages", "system"):
            body = replaced(body, key, without_links(body.get(key), _remote, _text, finds))
        return finds.done(body)

    def parts(self, body: Body) -> Parts:
        """A request in pieces; its messages without the marks of where to cache."""
        head = {key: value for key, value in body.items() if key not in ("system", "tools", "messages")}
        messages = body.get("messages")
        kept = [_unmarked(message) for message in messages] if isinstance(messages, list) else []
        return Parts(head, body.get("system"), body.get("tools"), kept)

    def bounded(self, body: Body, tokens: int) -> tuple[Body, int]:
        """A request with a bound on its output, and the most it can be answered with."""
        said = count(body.get("max_tokens"))
        return (body, said) if said is not None else ({**body, "max_tokens": tokens}, tokens)

    def read(self, body: Body) -> Read:
        """What an answer in one piece says."""
        usage, extra = _usage(table(body.get("usage")))
        stop = word(body.get("stop_reason"))
        error = word(table(body.get("error")).get("message"))
        used = _used(rows(body.get("content")))
        whole = body.get("type") == "message"
        return Read(dict(body), word(body.get("model")), STOPS.get(stop, stop), usage, extra, used, error, whole)

    def reader(self) -> "Stream":
        """What reads one stream."""
        return Stream()


# --------------------------------------------------------------------------------------------- request


def _turn(message: Body, made: dict[str, ToolCall]) -> Turn:
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else rows(content)
    parts = tuple(part for block in blocks if (part := _part(block, made)) is not None)
    return Turn("assistant" if message.get("role") == "assistant" else "user", parts)


def _part(block: Body, made: dict[str, ToolCall]) -> Part | None:
    """A block as a part; None for thinking and for what is no model's to hear."""
    match block.get("type"):
        case "text":
            return word(block.get("text"))
        case "image":
            return _picture(block)
        case "tool_use":
            call = ToolCall(word(block.get("name")), table(block.get("input")), word(block.get("id")))
            made[call.id] = call
            return call
        case "tool_result":
            return _result(block, made)
    return None


def _picture(block: Body) -> Image:
    source = table(block.get("source"))
    if source.get("type") != "base64":
        raise Malformed("a picture is a link or a file of the provider's; only base64 is read here")
    return image(word(source.get("media_type")), word(source.get("data")))


def _result(block: Body, made: Mapping[str, ToolCall]) -> ToolResult:
    content, name = block.get("content"), word(block.get("tool_use_id"))
    inner = [{"type": "text", "text": content}] if isinstance(content, str) else rows(content)
    images = tuple(_picture(each) for each in inner if each.get("type") == "image")
    text = texts([word(each.get("text")) for each in inner if each.get("type") == "text"])
    return ToolResult(name, text, images, bool(block.get("is_error")), made.get(name))


def _offer(tool: Body) -> ToolOffer:
    return ToolOffer(word(tool.get("name")), word(tool.get("description")), table(tool.get("input_schema")))


def _choice(said: Body) -> str:
    kind = said.get("type")
    return word(said.get("name")) if kind == "tool" else {"any": "required", "none": "none"}.get(word(kind), "auto")


def _unmarked(message: Any) -> Any:
    """A message without the marks of where to cache, which move from request to request and would make it another."""
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return message
    plain = [
        {key: value for key, value in block.items() if key != "cache_control"} if isinstance(block, dict) else block
        for block in content
    ]
    return {**message, "content": plain}


# --------------------------------------------------------------------------------------------- answer


def _opening(said: Said, seed: str) -> dict[str, Any]:
    opening = {"id": f"msg_{seed[:24]}", "type": "message", "role": "assistant", "model": said.model, "content": []}
    return {**opening, "stop_reason": None, "stop_sequence": None}


def _blocks(said: Said) -> Iterator[dict[str, Any]]:
    if said.reasoning:
        yield {"type": "thinking", "thinking": said.reasoning, "signature": "none"}
    for part in said.parts:
        if isinstance(part, str):
            yield {"type": "text", "text": part}
        else:
            yield {"type": "tool_use", "id": part.id, "name": part.full, "input": dict(part.arguments)}


def _unfolded(block: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A block as it begins, and what follows piece by piece."""
    if block["type"] == "thinking":
        empty = {"type": "thinking", "thinking": "", "signature": ""}
        thoughts = [{"type": "thinking_delta", "thinking": piece} for piece in words(block["thinking"])]
        return empty, [*thoughts, {"type": "signature_delta", "signature": block["signature"]}]
    if block["type"] == "text":
        return {"type": "text", "text": ""}, [{"type": "text_delta", "text": each} for each in words(block["text"])]
    spelling = json.dumps(block["input"])
    pieces = [{"type": "input_json_delta", "partial_json": each} for each in words(spelling)]
    return {**block, "input": {}}, pieces


def _event(kind: str, **data: Any) -> bytes:
    return spelled({"type": kind, **data}, kind)


def _stop(said: Said) -> str:
    return _SAYS.get(said.stopped, said.stopped)


def _uses(said: Said) -> dict[str, int]:
    usage = said.usage or Usage(0, 0)
    return {
        "input_tokens": usage.input_tokens or 0,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached_tokens or 0,
        "output_tokens": usage.output_tokens or 0,
    }


# --------------------------------------------------------------------------------------------- screening


def _is_clients(tool: Any) -> bool:
    kind = tool.get("type") if isinstance(tool, dict) else None
    return isinstance(tool, dict) and (kind is None or bool(_CLIENT_TOOL.fullmatch(word(kind))))


def _with_tools(body: Body, left: list[Any], gone: set[str]) -> Body:
    """A request with these tools alone, and no choice of one that is gone."""
    body = {**body, "tools": left}
    if not left or table(body.get("tool_choice")).get("name") in gone:
        body = {key: value for key, value in body.items() if key != "tool_choice"}
    return body if left else {key: value for key, value in body.items() if key != "tools"}


def _remote(block: Mapping[str, Any]) -> str | None:
    """What a block would have the provider fetch, as a name; None where it holds what it stands for."""
    kind, source = block.get("type"), table(block.get("source"))
    if kind == "container_upload":
        return "state:file"
    if kind not in ("image", "document"):
        return None
    if source.get("type") == "url":
        return host(source.get("url"))
    return "state:file" if source.get("type") == "file" else None


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


# --------------------------------------------------------------------------------------------- reading


def _usage(said: Mapping[str, Any]) -> tuple[Usage | None, float]:
    """Tokens, and what writing to a cache costs above reading, in tokens of input."""
    names = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    read, written, kept, cached = (count(said.get(name)) for name in names)
    if read is None or written is None:
        return None, 0.0
    long = count(table(said.get("cache_creation")).get("ephemeral_1h_input_tokens")) or 0
    short = max((kept or 0) - long, 0)
    return Usage(read + (kept or 0), written, cached), WRITE_5M * short + WRITE_1H * long


def _used(content: list[dict[str, Any]]) -> tuple[str, ...]:
    """What the provider did by itself, by the blocks of an answer."""
    calls = [block for block in content if word(block.get("type")) in ("server_tool_use", "mcp_tool_use")]
    named = [label(block.get("name")) for block in calls]
    results = [label(kind) for block in content if re.fullmatch(r"\w+_tool_result", kind := word(block.get("type")))]
    return tuple(dict.fromkeys(named or results))


@dataclass(slots=True)
class Stream:
    """Puts a message together from its events."""

    message: dict[str, Any] = field(default_factory=dict)
    blocks: dict[int, dict[str, Any]] = field(default_factory=dict)
    pieces: dict[int, list[str]] = field(default_factory=dict)
    error: str = ""
    stopped: bool = False

    def take(self, event: str, data: str) -> None:
        """Take one event."""
        said = parsed(data) or {}
        match said.get("type"):
            case "message_start":
                self.message = dict(table(said.get("message")))
            case "content_block_start":
                self.blocks[count(said.get("index")) or 0] = dict(table(said.get("content_block")))
            case "content_block_delta":
                self._grow(count(said.get("index")) or 0, table(said.get("delta")))
            case "message_delta":
                self._close(said)
            case "message_stop":
                self.stopped = True
            case "error":
                self.error = word(table(said.get("error")).get("message")) or "an error without a message"

    def _grow(self, index: int, delta: dict[str, Any]) -> None:
        block = self.blocks.setdefault(index, {})
        kind = word(delta.get("type"))
        if kind == "input_json_delta":
            self.pieces.setdefault(index, []).append(word(delta.get("partial_json")))
        elif kind == "citations_delta":
            block["citations"] = [*rows(block.get("citations")), delta.get("citation")]
        else:
            for key in ("text", "thinking", "signature"):
                if key in delta:
                    block[key] = word(block.get(key)) + word(delta[key])

    def _close(self, said: dict[str, Any]) -> None:
        self.message |= table(said.get("delta"))
        known = {key: value for key, value in table(said.get("usage")).items() if value is not None}
        self.message["usage"] = {**table(self.message.get("usage")), **known}

    def read(self) -> Read:
        """What it says as far as it has come."""
        for index, pieces in self.pieces.items():
            spelling = "".join(pieces)
            inner = parsed(spelling or "{}")
            self.blocks[index]["input"] = {"input": spelling} if inner is None else inner
        whole = {**self.message, "content": [self.blocks[index] for index in sorted(self.blocks)]}
        found = AnthropicMessages().read(whole)
        return Read(
            found.body, found.model, found.stop, found.usage, found.extra_input, found.used, self.error, self.stopped
        )
