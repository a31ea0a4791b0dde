"""OpenAI's chat completions: `POST /v1/chat/completions`. Source: the public API reference of 2026. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rung.backends.models.wire import usage as read_usage
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
from rung.core.canonical import JSON
from rung.core.proxied import Heard, Part, Read, Said, ToolCall, ToolOffer, ToolResult, Turn, WireName, texts
from rung.core.values import Usage

CODES: Mapping[int, tuple[str, str]] = {
    400: ("invalid_request_error", "invalid_request"),
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("invalid_request_error", "permission_denied"),
    404: ("invalid_request_error", "not_found"),
    413: ("invalid_request_error", "request_too_large"),
    429: ("requests", "rate_limit_exceeded"),
    529: ("overloaded_error", "overloaded"),
}
STOPS: Mapping[str, str] = {"end_turn": "stop", "function_call": "tool_calls", "max_tokens": "length"}
_BOUNDS = ("max_completion_tokens", "max_tokens")
_KEYS = {
    "web_search_options": "web_search",
    "search_parameters": "web_search",
    "plugins": "plugins",
    "models": "models",
    "preset": "preset",
}
"""Keys that make a provider act by itself: search, as OpenAI's and xAI's, or add tools and take another model than the
one that is asked, as OpenRouter's."""
_CLIENT_TOOLS = ("function", "custom")
FREEFORM: Mapping[str, JSON] = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}


def openai_error(status: int, message: str, *, final: bool) -> Body:
    """An error as OpenAI's formats have it; one that is `final` and 429 is a quota that is used up."""
    kind, code = CODES.get(status, ("server_error", "server_error"))
    if final and status == 429:
        kind = code = "insufficient_quota"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


@dataclass(frozen=True, slots=True)
class OpenAIChat:
    """See `wires.Format`."""

    name: WireName = "openai-chat"

    # ----------------------------------------------------------------------------------------- what is asked

    def hear(self, body: Body) -> Heard:
        """What is asked. Raises `Malformed`."""
        if (count(body.get("n")) or 1) > 1:
            raise Malformed("n: one answer at a time is given here")
        messages, made = needed(body, "messages"), dict[str, ToolCall]()
        system = [_words(each.get("content")) for each in messages if each.get("role") in ("system", "developer")]
        talk = [each for each in messages if each.get("role") not in ("system", "developer")]
        return Heard(
            self.name,
            word(body.get("model")),
            texts(system),
            tuple(_turn(message, made) for message in talk),
            tuple(offer for tool in rows(body.get("tools")) if (offer := _offer(tool)) is not None),
            _choice(body.get("tool_choice")),
            parallel=body.get("parallel_tool_calls") is not False,
            max_tokens=_bound(body),
            temperature=warmth(body.get("temperature")),
        )

    # ----------------------------------------------------------------------------------------- what is answered

    def whole(self, said: Said, heard: Heard, seed: str) -> Body:
        """An answer in one piece."""
        said = spelled_as_offered(said, heard, seed, "call_")
        choice = {"index": 0, "message": _message(said), "logprobs": None, "finish_reason": _stop(said)}
        return {**_opening(said, seed, "chat.completion"), "choices": [choice], "usage": _uses(said)}

    def events(self, said: Said, heard: Heard, seed: str, body: Body) -> Iterator[bytes]:
        """The same as a stream."""
        said = spelled_as_offered(said, heard, seed, "call_")
        opening = _opening(said, seed, "chat.completion.chunk")

        def chunk(delta: dict[str, Any], stop: str | None = None) -> bytes:
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": stop}
            return spelled({**opening, "choices": [choice]})

        yield chunk({"role": "assistant", "content": ""})
        for delta in _deltas(said):
            yield chunk(delta)
        yield chunk({}, _stop(said))
        if table(body.get("stream_options")).get("include_usage"):
            yield spelled({**opening, "choices": [], "usage": _uses(said)})
        yield spelled("[DONE]")

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
        left = [tool for tool in tools or () if table(tool).get("type") in _CLIENT_TOOLS]
        if len(left) < len(tools or ()):
            gone = [tool for tool in rows(tools) if tool.get("type") not in _CLIENT_TOOLS]
            finds.offered += [label(tool.get("type")) for tool in gone]
            body = _with_tools(body, left)
        body = without_keys(body, _KEYS, finds)
        body = replaced(body, "messages", without_links(body.get("messages"), _remote, _text, finds))
        return finds.done(body)

    def parts(self, body: Body) -> Parts:
        """A request in pieces; what is said to the model once stands among its messages."""
        head = {key: value for key, value in body.items() if key not in ("tools", "messages")}
        messages = body.get("messages")
        return Parts(head, None, body.get("tools"), messages if isinstance(messages, list) else [])

    def bounded(self, body: Body, tokens: int) -> tuple[Body, int]:
        """A request with a bound on its output and, streamed, with its usage; and the most it can be answered with."""
        if body.get("stream") and not table(body.get("stream_options")).get("include_usage"):
            body = {**body, "stream_options": {**table(body.get("stream_options")), "include_usage": True}}
        bound = _bound(body)
        if bound is None:
            body, bound = {**body, "max_completion_tokens": tokens}, tokens
        return body, bound * max(count(body.get("n")) or 1, 1)

    def read(self, body: Body) -> Read:
        """What an answer in one piece says."""
        choice = next(iter(rows(body.get("choices"))), {})
        message, stop = table(choice.get("message")), word(choice.get("finish_reason"))
        if message.get("refusal") and not message.get("content"):
            stop = "refusal"
        used = ("web_search",) if rows(message.get("annotations")) else ()
        error = body.get("error")
        said = word(table(error).get("message")) or ("" if error is None else str(error)[:300])
        usage = read_usage(body.get("usage"))
        stop = STOPS.get(stop, stop)
        return Read(dict(body), word(body.get("model")), stop, usage, 0.0, used, said, "choices" in body)

    def reader(self) -> "Stream":
        """What reads one stream."""
        return Stream()


# --------------------------------------------------------------------------------------------- request


def _words(content: Any) -> str:
    """The text of a content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    return texts([word(part.get("text")) for part in rows(content) if part.get("type") in ("text", "input_text")])


def _turn(message: Body, made: dict[str, ToolCall]) -> Turn:
    content = message.get("content")
    if message.get("role") == "tool":
        name = word(message.get("tool_call_id"))
        return Turn("user", (ToolResult(name, _words(content), call=made.get(name)),))
    if message.get("role") == "assistant":
        calls = [_call(each) for each in rows(message.get("tool_calls"))]
        made.update({call.id: call for call in calls})
        said = _words(content)
        return Turn("assistant", (*((said,) if said else ()), *calls))
    return Turn("user", (content,) if isinstance(content, str) else tuple(_parts(rows(content))))


def _parts(content: list[dict[str, Any]]) -> Iterator[Part]:
    for part in content:
        if part.get("type") == "text":
            yield word(part.get("text"))
        elif part.get("type") == "image_url":
            yield inline(word(table(part.get("image_url")).get("url")))


def _call(said: Body) -> ToolCall:
    """A call; arguments that are no object stand as text under `input`."""
    custom, function = table(said.get("custom")), table(said.get("function"))
    if custom:
        return ToolCall(word(custom.get("name")), {"input": word(custom.get("input"))}, word(said.get("id")))
    spelling = word(function.get("arguments"))
    arguments = parsed(spelling or "{}")
    return ToolCall(
        word(function.get("name")), {"input": spelling} if arguments is None else arguments, word(said.get("id"))
    )


def _offer(tool: Body) -> ToolOffer | None:
    about = table(tool.get(word(tool.get("type"))))
    if tool.get("type") == "custom":
        return ToolOffer(word(about.get("name")), word(about.get("description")), FREEFORM, freeform=True)
    if tool.get("type") != "function":
        return None
    return ToolOffer(word(about.get("name")), word(about.get("description")), table(about.get("parameters")))


def _choice(said: Any) -> str:
    if isinstance(said, str):
        return said if said in ("required", "none") else "auto"
    function = table(table(said).get("function"))
    return word(function.get("name")) or "auto"


def _bound(body: Body) -> int | None:
    return next((bound for key in _BOUNDS if (bound := count(body.get(key))) is not None), None)


# --------------------------------------------------------------------------------------------- answer


def _opening(said: Said, seed: str, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{seed[:24]}", "object": kind, "created": 0, "model": said.model}


def _message(said: Said) -> dict[str, Any]:
    text = "".join(part for part in said.parts if isinstance(part, str))
    refused = said.stopped == "refusal"
    message: dict[str, Any] = {"role": "assistant", "content": None if refused else text or None}
    message["refusal"] = text if refused else None
    calls = [_spelled(part) for part in said.parts if isinstance(part, ToolCall)]
    message |= {"tool_calls": calls} if calls else {}
    return message | ({"reasoning_content": said.reasoning} if said.reasoning else {})


def _spelled(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.full, "arguments": json.dumps(dict(call.arguments))}
    return {"id": call.id, "type": "function", "function": function}


def _deltas(said: Said) -> Iterator[dict[str, Any]]:
    for piece in words(said.reasoning):
        yield {"reasoning_content": piece}
    key, number = "refusal" if said.stopped == "refusal" else "content", 0
    for part in said.parts:
        if isinstance(part, str):
            for piece in words(part):
                yield {key: piece}
            continue
        call = _spelled(part)
        first = {**call, "index": number, "function": {**call["function"], "arguments": ""}}
        yield {"tool_calls": [first]}
        for piece in words(call["function"]["arguments"]):
            yield {"tool_calls": [{"index": number, "function": {"arguments": piece}}]}
        number += 1


def _stop(said: Said) -> str:
    return "stop" if said.stopped == "refusal" else said.stopped


def _uses(said: Said) -> dict[str, Any]:
    usage = said.usage or Usage(0, 0)
    read, written, cached = usage.input_tokens or 0, usage.output_tokens or 0, usage.cached_tokens or 0
    return {
        "prompt_tokens": read + cached,
        "completion_tokens": written,
        "total_tokens": read + cached + written,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


# --------------------------------------------------------------------------------------------- screening


def _with_tools(body: Body, left: list[Any]) -> Body:
    """A request with these tools alone, and no choice among tools where there are none."""
    gone = () if left else ("tools", "tool_choice", "parallel_tool_calls")
    return {key: value for key, value in {**body, "tools": left}.items() if key not in gone}


def _remote(part: Mapping[str, Any]) -> str | None:
    kind = word(part.get("type"))
    if kind.endswith("_url"):  # image_url, and some servers' video_url and audio_url
        inner = part.get(kind)
        url = inner if isinstance(inner, str) else table(inner).get("url")
        return None if is_inline(url) else host(url)
    file = table(part.get("file"))
    if kind == "file" and not is_inline(file.get("file_data")):
        return host(file["file_url"]) if file.get("file_url") else "state:file"
    return None


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


# --------------------------------------------------------------------------------------------- reading


@dataclass(slots=True)
class Stream:
    """Puts a completion together from its chunks. Of several choices the first is kept."""

    whole: dict[str, Any] = field(default_factory=dict)
    pieces: dict[str, list[str]] = field(default_factory=dict)
    calls: dict[int, dict[str, Any]] = field(default_factory=dict)
    arguments: dict[int, list[str]] = field(default_factory=dict)
    annotations: list[Any] = field(default_factory=list)
    stop: str = ""
    error: str = ""
    done: bool = False

    def take(self, event: str, data: str) -> None:
        """Take one chunk."""
        if data.strip() == "[DONE]":
            self.done = True
            return
        said = parsed(data) or {}
        if said.get("error"):
            self.error = word(table(said["error"]).get("message")) or str(said["error"])[:300]
        self.whole |= {key: value for key, value in said.items() if key not in ("choices", "object") and value}
        choice = next((each for each in rows(said.get("choices")) if not each.get("index")), {})
        self.stop = word(choice.get("finish_reason")) or self.stop
        self._grow(table(choice.get("delta")))

    def _grow(self, delta: dict[str, Any]) -> None:
        for key in ("content", "refusal", "reasoning_content", "reasoning"):
            if isinstance(delta.get(key), str):
                self.pieces.setdefault(key, []).append(delta[key])
        self.annotations += rows(delta.get("annotations"))
        for call in rows(delta.get("tool_calls")):
            index = count(call.get("index")) or 0
            function = table(call.get("function"))
            self.arguments.setdefault(index, []).append(word(function.get("arguments")))
            known = self.calls.setdefault(index, {"id": "", "name": ""})
            known["id"] = word(call.get("id")) or known["id"]
            known["name"] = word(function.get("name")) or known["name"]

    def read(self) -> Read:
        """What it says as far as it has come."""
        message: dict[str, Any] = {"role": "assistant", "content": None}
        message |= {key: "".join(pieces) for key, pieces in self.pieces.items() if any(pieces)}
        if self.calls:
            message["tool_calls"] = [self._call(index) for index in sorted(self.calls)]
        if self.annotations:
            message["annotations"] = self.annotations
        choice = {"index": 0, "message": message, "finish_reason": self.stop or None}
        found = OpenAIChat().read({**self.whole, "object": "chat.completion", "choices": [choice]})
        whole = self.done or bool(self.stop)
        return Read(found.body, found.model, found.stop, found.usage, 0.0, found.used, self.error, whole)

    def _call(self, index: int) -> dict[str, Any]:
        about = self.calls[index]
        function = {"name": about["name"], "arguments": "".join(self.arguments[index])}
        return {"id": about["id"], "type": "function", "function": function}
