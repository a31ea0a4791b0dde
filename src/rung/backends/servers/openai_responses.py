"""OpenAI's responses: `POST /v1/responses`. Source: the public API reference of 2026, and what Codex 0.171 sends. Pure.

A conversation that lies with the provider (`previous_response_id` and its like) would not be in our record, and taking
the key out would ask something else; so such a request is refused unless the policy allows it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count as numbers
from typing import Any

from rung.backends.servers.openai_chat import FREEFORM, openai_error
from rung.backends.servers.sse import parsed, spelled
from rung.backends.servers.wires import (
    Body,
    Finds,
    Malformed,
    Parts,
    Screened,
    count,
    host,
    inline,
    is_inline,
    label,
    replaced,
    rows,
    spelled_as_offered,
    table,
    warmth,
    without_links,
    word,
    words,
)
from rung.core.proxied import Heard, Part, Read, Said, ToolCall, ToolOffer, ToolResult, Turn, WireName, texts
from rung.core.values import Image, Usage

_CLIENT_TOOLS = ("function", "custom", "local_shell", "apply_patch", "tool_search")
_CLIENT_CALLS = (
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "tool_search_call",
)
_STATE = ("previous_response_id", "conversation", "prompt", "background")
_CHOICES = ("function", "custom", "allowed_tools", "apply_patch", "shell")
_TEXTS = ("input_text", "output_text", "text")


@dataclass(frozen=True, slots=True)
class OpenAIResponses:
    """See `wires.Format`."""

    name: WireName = "openai-responses"

    # ----------------------------------------------------------------------------------------- what is asked

    def hear(self, body: Body) -> Heard:
        """What is asked. Raises `Malformed`."""
        items = _items(body)
        system = [word(body.get("instructions"))]
        system += [_words(each.get("content")) for each in items if each.get("role") in ("system", "developer")]
        made: dict[str, ToolCall] = {}
        turns = (_turn(item, made) for item in items if item.get("role") not in ("system", "developer"))
        return Heard(
            self.name,
            word(body.get("model")),
            texts([text for text in system if text]),
            tuple(turn for turn in turns if turn is not None),
            tuple(_offers(rows(body.get("tools")))),
            _choice(body.get("tool_choice")),
            parallel=body.get("parallel_tool_calls") is not False,
            max_tokens=count(body.get("max_output_tokens")),
            temperature=warmth(body.get("temperature")),
        )

    # ----------------------------------------------------------------------------------------- what is answered

    def whole(self, said: Said, heard: Heard, seed: str) -> Body:
        """An answer in one piece."""
        said = spelled_as_offered(said, heard, seed, "call_")
        return _closed(said, seed, list(_output(said, heard, seed)))

    def events(self, said: Said, heard: Heard, seed: str, body: Body) -> Iterator[bytes]:
        """The same as a stream."""
        said = spelled_as_offered(said, heard, seed, "call_")
        number = numbers()

        def event(kind: str, **data: Any) -> bytes:
            return spelled({"type": kind, "sequence_number": next(number), **data}, kind)

        opening = {**_closed(said, seed, []), "status": "in_progress", "usage": None, "incomplete_details": None}
        yield event("response.created", response=opening)
        yield event("response.in_progress", response=opening)
        items = list(_output(said, heard, seed))
        for index, item in enumerate(items):
            for kind, data in _unfolded(item):
                yield event(kind, output_index=index, **data)
        closed = _closed(said, seed, items)
        yield event(f"response.{closed['status']}", response=closed)

    def error(self, status: int, message: str, *, final: bool = False) -> Body:
        """An error as this format has it."""
        return openai_error(status, message, final=final)

    # ----------------------------------------------------------------------------------------- what passes

    def screen(self, body: Body) -> Screened:
        """A request without what the provider would do by itself."""
        finds = Finds()
        tools = body.get("tools")
        if tools is not None and not isinstance(tools, list):
            raise Malformed("tools: a list is needed")
        left = _clients(tools or [], finds)
        if left != (tools or []):
            body = _with_tools(body, left)
        finds.kept += [f"state:{key}" for key in _STATE if body.get(key)]
        finds.kept += ["state:item" for item in rows(body.get("input")) if item.get("type") == "item_reference"]
        body = replaced(body, "input", without_links(body.get("input"), _remote, _text, finds))
        return finds.done(body)

    def parts(self, body: Body) -> Parts:
        """A request in pieces."""
        head = {key: value for key, value in body.items() if key not in ("instructions", "tools", "input")}
        said = body.get("input")
        return Parts(head, body.get("instructions"), body.get("tools"), said if isinstance(said, list) else [said])

    def bounded(self, body: Body, tokens: int) -> tuple[Body, int]:
        """A request with a bound on its output, and the most it can be answered with."""
        said = count(body.get("max_output_tokens"))
        return (body, said) if said is not None else ({**body, "max_output_tokens": tokens}, tokens)

    def read(self, body: Body) -> Read:
        """What an answer in one piece says."""
        output = rows(body.get("output"))
        error = word(table(body.get("error")).get("message"))
        whole = body.get("status") in ("completed", "incomplete", "failed")
        usage = _usage(table(body.get("usage")))
        return Read(dict(body), word(body.get("model")), _stopped(body), usage, 0.0, _used(output), error, whole)

    def reader(self) -> "Stream":
        """What reads one stream."""
        return Stream()


# --------------------------------------------------------------------------------------------- request


def _items(body: Body) -> list[dict[str, Any]]:
    said = body.get("input")
    if isinstance(said, str):
        return [{"role": "user", "content": said}]
    if not isinstance(said, list) or len(rows(said)) != len(said):
        raise Malformed("input: a text or a list of objects is needed")
    return rows(said)


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    return texts([word(part.get("text")) for part in rows(content) if part.get("type") in _TEXTS])


def _turn(item: Body, made: dict[str, ToolCall]) -> Turn | None:
    """An item as a turn; None for thinking, and for what the provider did by itself."""
    match item.get("type", "message"):
        case "message":
            author, content = item.get("role"), item.get("content")
            parts = (content,) if isinstance(content, str) else tuple(_parts(rows(content)))
            return Turn("assistant" if author == "assistant" else "user", parts)
        case "function_call" | "custom_tool_call":
            call = _call(item)
            made[call.id] = call
            return Turn("assistant", (call,))
        case "function_call_output" | "custom_tool_call_output":
            return Turn("user", (_result(item, made),))
    return None


def _parts(content: list[dict[str, Any]]) -> Iterator[Part]:
    for part in content:
        if part.get("type") in _TEXTS:
            yield word(part.get("text"))
        elif part.get("type") == "input_image":
            yield _picture(part)


def _picture(part: Body) -> Image:
    return inline(word(part.get("image_url")))


def _call(item: Body) -> ToolCall:
    """A call; arguments that are no object stand as text under `input`."""
    free = item.get("type") == "custom_tool_call"
    spelling = word(item.get("input" if free else "arguments"))
    arguments = None if free else parsed(spelling or "{}")
    return ToolCall(
        word(item.get("name")),
        {"input": spelling} if arguments is None else arguments,
        word(item.get("call_id")),
        word(item.get("namespace")),
    )


def _result(item: Body, made: Mapping[str, ToolCall]) -> ToolResult:
    output, name = item.get("output"), word(item.get("call_id"))
    images = tuple(_picture(part) for part in rows(output) if part.get("type") == "input_image")
    return ToolResult(name, _words(output), images, call=made.get(name))


def _offers(tools: list[dict[str, Any]], namespace: str = "") -> Iterator[ToolOffer]:
    for tool in tools:
        name, description = word(tool.get("name")), word(tool.get("description"))
        if tool.get("type") == "namespace":
            yield from _offers(rows(tool.get("tools")), name)
        elif tool.get("type") == "function":
            yield ToolOffer(name, description, table(tool.get("parameters")), namespace)
        elif tool.get("type") == "custom":
            yield ToolOffer(name, description, FREEFORM, namespace, freeform=True)


def _choice(said: Any) -> str:
    if isinstance(said, str):
        return said if said in ("required", "none") else "auto"
    return word(table(said).get("name")) or "auto"


# --------------------------------------------------------------------------------------------- answer


def _output(said: Said, heard: Heard, seed: str) -> Iterator[dict[str, Any]]:
    if said.reasoning:
        summary = [{"type": "summary_text", "text": said.reasoning}]
        yield {"type": "reasoning", "id": f"rs_{seed[:24]}", "summary": summary}
    for number, part in enumerate(said.parts):
        if isinstance(part, str):
            yield _message(part, f"msg_{seed[:22]}{number:02d}", refused=said.stopped == "refusal")
        else:
            yield _spelled(part, heard, f"fc_{seed[:22]}{number:02d}")


def _message(text: str, name: str, *, refused: bool) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    if refused:
        part = {"type": "refusal", "refusal": text}
    return {"type": "message", "id": name, "status": "completed", "role": "assistant", "content": [part]}


def _spelled(call: ToolCall, heard: Heard, name: str) -> dict[str, Any]:
    offer = heard.offer(call.full)
    item: dict[str, Any] = {"id": name, "call_id": call.id, "name": call.name, "status": "completed"}
    if call.namespace:
        item["namespace"] = call.namespace
    if offer is not None and offer.freeform:
        return {"type": "custom_tool_call", **item, "input": str(call.arguments.get("input", ""))}
    return {"type": "function_call", **item, "arguments": json.dumps(dict(call.arguments))}


def _closed(said: Said, seed: str, output: list[dict[str, Any]]) -> dict[str, Any]:
    short = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(said.stopped)
    return {
        "id": f"resp_{seed[:24]}",
        "object": "response",
        "created_at": 0,
        "status": "completed" if short is None else "incomplete",
        "error": None,
        "incomplete_details": None if short is None else {"reason": short},
        "instructions": None,
        "metadata": {},
        "model": said.model,
        "output": output,
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "usage": _uses(said),
    }


_SPELLINGS = {
    "function_call": ("arguments", "response.function_call_arguments"),
    "custom_tool_call": ("input", "response.custom_tool_call_input"),
}


def _unfolded(item: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events that make an item."""
    kind = item["type"]
    if kind == "message":
        yield from _message_events(item)
        return
    if kind in _SPELLINGS:
        key, name = _SPELLINGS[kind]
        yield "response.output_item.added", {"item": {**item, key: "", "status": "in_progress"}}
        for piece in words(item[key]):
            yield f"{name}.delta", {"item_id": item["id"], "delta": piece}
        yield f"{name}.done", {"item_id": item["id"], key: item[key], "name": item["name"]}
    else:
        yield "response.output_item.added", {"item": item}
    yield "response.output_item.done", {"item": item}


def _message_events(item: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    part = item["content"][0]
    place = {"item_id": item["id"], "content_index": 0}
    key, name = ("text", "output_text") if part["type"] == "output_text" else ("refusal", "refusal")
    more: dict[str, Any] = {"logprobs": []} if key == "text" else {}
    yield "response.output_item.added", {"item": {**item, "status": "in_progress", "content": []}}
    yield "response.content_part.added", {**place, "part": {**part, key: ""}}
    for piece in words(part[key]):
        yield f"response.{name}.delta", {**place, "delta": piece, **more}
    yield f"response.{name}.done", {**place, key: part[key], **more}
    yield "response.content_part.done", {**place, "part": part}
    yield "response.output_item.done", {"item": item}


def _uses(said: Said) -> dict[str, Any]:
    usage = said.usage or Usage(0, 0)
    read, written, cached = usage.input_tokens or 0, usage.output_tokens or 0, usage.cached_tokens or 0
    return {
        "input_tokens": read + cached,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + cached + written,
    }


# --------------------------------------------------------------------------------------------- screening


def _clients(tools: list[Any], finds: Finds) -> list[Any]:
    """The tools that the program itself runs; a namespace keeps those of its own that it runs."""
    left = []
    for tool in tools:
        inner = table(tool).get("tools")
        if table(tool).get("type") == "namespace" and isinstance(inner, list):
            kept = _clients(inner, finds)
            left.append(tool if len(kept) == len(inner) else {**tool, "tools": kept})
        elif _is_clients(table(tool)):
            left.append(tool)
        else:
            finds.offered.append(label(table(tool).get("type")))
    return left


def _is_clients(tool: Mapping[str, Any]) -> bool:
    """A shell is the program's own only where it says so; else it runs in a container of the provider's."""
    if tool.get("type") == "shell":
        return table(tool.get("environment")).get("type") == "local"
    return tool.get("type") in _CLIENT_TOOLS


def _with_tools(body: Body, left: list[Any]) -> Body:
    """A request with these tools alone, no choice of one that is gone, and asking for nothing that only those bring."""
    choice = table(body.get("tool_choice")).get("type", "function")
    gone = {"tool_choice"} if choice not in _CHOICES or not left else set()
    included = body.get("include")
    if isinstance(included, list):
        body = {**body, "include": [each for each in included if "_call" not in word(each)]}
    return {key: value for key, value in {**body, "tools": left}.items() if key not in gone}


def _remote(part: Mapping[str, Any]) -> str | None:
    kind = part.get("type")
    if kind in ("input_image", "computer_screenshot"):
        url = part.get("image_url")
        if part.get("file_id") or url is None:
            return "state:file"
        return None if is_inline(url) else host(url)
    if kind == "input_file" and (part.get("file_url") or part.get("file_id")):
        return host(part["file_url"]) if part.get("file_url") else "state:file"
    return None


def _text(text: str) -> dict[str, Any]:
    return {"type": "input_text", "text": text}


# --------------------------------------------------------------------------------------------- reading


def _usage(said: Mapping[str, Any]) -> Usage | None:
    read, written = count(said.get("input_tokens")), count(said.get("output_tokens"))
    cached = count(table(said.get("input_tokens_details")).get("cached_tokens"))
    if read is None or written is None or (cached or 0) > read:
        return None
    return Usage(read - (cached or 0), written, cached)


def _stopped(body: Body) -> str:
    if body.get("status") == "incomplete":
        reason = word(table(body.get("incomplete_details")).get("reason"))
        return {"max_output_tokens": "length"}.get(reason, reason)
    if body.get("status") != "completed":
        return ""
    output = rows(body.get("output"))
    if any(item.get("type") in _CLIENT_CALLS for item in output):
        return "tool_calls"
    refused = any(part.get("type") == "refusal" for item in output for part in rows(item.get("content")))
    return "refusal" if refused else "stop"


def _used(output: list[dict[str, Any]]) -> tuple[str, ...]:
    """What the provider did by itself, by the items of an answer."""
    kinds = (word(item.get("type")) for item in output)
    theirs = [label(kind) for kind in kinds if kind.endswith("_call") and kind not in _CLIENT_CALLS]
    return tuple(dict.fromkeys(kind.removesuffix("_call") for kind in theirs))


@dataclass(slots=True)
class Stream:
    """Reads a response from its events: the last says all of it. Where that is missing, the items that were whole."""

    response: dict[str, Any] = field(default_factory=dict)
    items: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""
    closed: bool = False

    def take(self, event: str, data: str) -> None:
        """Take one event."""
        said = parsed(data) or {}
        match said.get("type"):
            case "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled":
                self.response, self.closed = dict(table(said.get("response"))), True
            case "response.created" | "response.in_progress":
                self.response = dict(table(said.get("response")))
            case "response.output_item.done":
                self.items.append(dict(table(said.get("item"))))
            case "error":
                told = word(said.get("message")) or word(table(said.get("error")).get("message"))
                self.error = told or "an error without a message"

    def read(self) -> Read:
        """What it says as far as it has come."""
        body = self.response
        if not self.closed or not body.get("output"):  # some servers leave the items out of the last event
            body = {**body, "output": self.items}
        found = OpenAIResponses().read(body)
        return Read(
            found.body, found.model, found.stop, found.usage, 0.0, found.used, self.error or found.error, self.closed
        )
