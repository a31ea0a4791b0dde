"""A scripted improver in a session with tools: what it asks for next is a function of the conversation so far.

It looks around, reads what it was told nothing of, reads the file that it will change, changes it, and ends. Calls are
typed where the request has tools, and JSON in text where it has none.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any

from rung.core.canonical import JSON
from rung.core.values import Call, Message, ModelReply, ModelRequest, Tool, Usage
from rung.testing.lessons import FACT

MARK = "- finish ("
"""What the instructions of a session in text hold, and those of no single question."""

FINISH = "finish"
IMPROVER = "method/improver/"
INSIGHT = "Read the newest attempt before you change anything."
"""What is written into an improver that may be changed."""

_LISTED = re.compile(r"^(\S+)  [0-9]+ bytes(, to be read only)?$", re.MULTILINE)
_PROMPTS = ("agent/system.md", "agent/prompt/system.md", "agent/prompt/notes.md", "agent/prompt.md")
ELSEWHERE = "agent/notes.md"


def say(request: ModelRequest, call: Call) -> str | ModelReply:
    """A call, typed or in text."""
    if not request.tools:
        return json.dumps({"tool": call.tool, **call.arguments})
    return ModelReply("", "scripted", "tool_calls", Usage(1, 1), calls=(call,))


def trying(request: ModelRequest, calls: Sequence[Call]) -> str | ModelReply:
    """These calls one after the other, and then the end."""
    made = sum(message.author == "assistant" for message in request.messages)
    return say(request, calls[made] if made < len(calls) else _end(request, ""))


def noting(request: ModelRequest, notes: Sequence[str], told: str) -> str | ModelReply:
    """The next call of one who writes these notes into the agent's prompt, and an insight into an improver that is
    named to it as a target."""
    return say(request, _next(request, notes, told))


def _next(request: ModelRequest, notes: Sequence[str], told: str) -> Call:
    done = dict(_done(request.messages))
    listed = {path: bool(lent) for path, lent in _LISTED.findall(told)} | _choices(request)
    if "list" not in {call[0] for call in done} and not _choices(request):
        return Call("list", {})
    unread = [path for path, lent in listed.items() if lent and ("read", path) not in done]
    if unread and not FACT.search(told) and not notes:
        return Call("read", {"path": unread[-1]})
    target = next((path for path in _PROMPTS if listed.get(path) is False), ELSEWHERE)
    if target in listed and ("read", target) not in done:
        return Call("read", {"path": target})
    text = done.get(("read", target), "")
    missing = [each for each in notes if each not in text]
    if missing and ("write", target) not in done:
        return Call("write", {"path": target, "text": "\n".join([text.rstrip(), *missing, ""])})
    return _of_the_improver(request, listed, done) or _end(request, " ".join(missing))


def _choices(request: ModelRequest) -> dict[str, bool]:
    """The paths among which tools have their choice, and whether each can only be read; none where they are free."""
    found: dict[str, list[str]] = {}
    for tool in request.tools:
        properties: Any = tool.parameters.get("properties", {})
        found[tool.name] = list(properties.get("path", {}).get("enum", ()))
    written = found.get("write", [])
    return {path: path not in written for path in (*found.get("read", ()), *written)}


def _of_the_improver(
    request: ModelRequest, listed: Mapping[str, bool], done: Mapping[tuple[str, str], str]
) -> Call | None:
    """What is done to an improver that the opening names; to one that just lies there nothing is."""
    before = takewhile(lambda message: message.author != "assistant", request.messages)
    opening = "\n".join(message.text for message in before)
    path = f"{IMPROVER}notes.md"
    if f"`{IMPROVER}`" not in opening or ("write", path) in done:
        return None
    if path in listed and ("read", path) not in done:
        return Call("read", {"path": path})
    text = done.get(("read", path), "")
    return None if INSIGHT in text else Call("write", {"path": path, "text": f"{text}\n{INSIGHT}\n".lstrip()})


def _done(messages: Sequence[Message]) -> Iterator[tuple[tuple[str, str], str]]:
    """What was called, on which path, and what came back."""
    for message, answer in pairwise(messages):
        if message.author == "assistant":
            tool, arguments = _called(message)
            yield (tool, str(arguments.get("path", ""))), answer.text


def _called(message: Message) -> tuple[str, Mapping[str, Any]]:
    if message.calls:
        return message.calls[0].tool, message.calls[0].arguments
    start = message.text.find('{"tool"')
    try:
        found = json.JSONDecoder().raw_decode(message.text, max(start, 0))[0]
    except ValueError:
        return "", {}
    return (str(found.get("tool")), found) if isinstance(found, dict) else ("", {})


# --------------------------------------------------------------------------------------------- the end


def _end(request: ModelRequest, note: str) -> Call:
    """The end of a session, with whatever its form asks for."""
    form = next((tool for tool in request.tools if tool.name == FINISH), Tool(FINISH, "", {}))
    said = note or "Nothing more is to be done."
    filled = _filled(form.parameters, said)
    return Call(FINISH, filled if isinstance(filled, dict) and filled else {"summary": said})


def _filled(schema: object, said: str) -> JSON:
    """A value of a schema that says as little as it may."""
    if not isinstance(schema, Mapping):
        return said
    if "enum" in schema:
        first: JSON = next(iter(schema["enum"]))
        return first
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: _filled(properties.get(name), said) for name in schema.get("required", properties)}
    if kind == "array":
        return [_filled(schema.get("items"), said)] * int(schema.get("minItems", 0))
    return {"integer": int(schema.get("minimum", 0)), "number": 0.0, "boolean": False}.get(str(kind), said)
