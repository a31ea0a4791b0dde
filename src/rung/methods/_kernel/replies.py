"""What an improver asks for in a reply: calls of tools, typed or written as JSON in text.

A small model writes JSON as well as it can. What is read is the first object in the text that names a tool, in one of
the usual spellings; line breaks inside strings and commas before a closing bracket are let by. A text that belongs to
`write` may stand in a fenced block behind its call, where nothing has to be escaped. Nothing is ever evaluated.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rung.core.values import Call, ModelReply
from rung.methods._kernel.hands import Arguments

MAX_REPLY = 200_000
"""Characters of a reply that are read at all."""

MAX_STARTS = 200
"""Braces in a text at which an object is looked for."""

NAMES = ("tool", "name", "action", "function", "command")
BAGS = ("arguments", "args", "parameters", "input", "params")
_COMMA = re.compile(r",(\s*[}\]])")


@dataclass(frozen=True, slots=True)
class Asked:
    """One call that was asked for."""

    tool: str
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a reply asks for nothing, in words for the model that wrote it."""

    reason: str


def asked(reply: ModelReply, known: frozenset[str]) -> tuple[Asked, ...] | Unreadable:
    """The calls of a reply, of which there is at least one. In text there is one at most: the first."""
    if reply.calls:
        return tuple(_typed(call) for call in reply.calls)
    text = reply.text
    if not text.strip():
        return Unreadable("it is empty")
    if len(text) > MAX_REPLY:
        return Unreadable(f"it has {len(text)} characters, and at most {MAX_REPLY} are read")
    for found, rest in _objects(text):
        call = _spelt(found, known)
        if call is not None:
            return (_with_block(call, rest),)
    cut_off = " It was cut off before its end, so make it shorter." if reply.stop_reason == "length" else ""
    return Unreadable(f"it holds no JSON object that names one of the tools.{cut_off}")


def _typed(call: Call) -> Asked:
    return Asked(call.tool, call.arguments)


def _objects(text: str) -> Iterator[tuple[Mapping[str, object], str]]:
    """The JSON objects in a text in their order, each with what follows it. What lies in one is not looked at again."""
    for _ in range(MAX_STARTS):
        at = text.find("{")
        if at < 0:
            return
        found, rest = _decoded(text[at:])
        if isinstance(found, dict):
            yield found, rest
        text = rest


def _decoded(text: str) -> tuple[object, str]:
    """What a text begins with, and the rest of it; without its first letter where that is nothing."""
    decoder = json.JSONDecoder(strict=False)
    for spelt in (text, _COMMA.sub(r"\1", text)):
        try:
            found, end = decoder.raw_decode(spelt)
        except (ValueError, RecursionError):
            continue
        return found, spelt[end:]
    return None, text[1:]


def _spelt(found: Mapping[str, object], known: frozenset[str]) -> Asked | None:
    """An object as a call: `{"tool": name, ...}`, `{"name": name, "arguments": {...}}` or `{name: {...}}`."""
    for key in NAMES:
        name = found.get(key)
        if isinstance(name, str) and name.strip() in known:
            rest = {other: value for other, value in found.items() if other != key}
            bags = [bag for bag in BAGS if isinstance(_opened(rest.get(bag)), Mapping)]
            return Asked(name.strip(), _merged(rest, bags))
    if len(found) == 1:
        name, value = next(iter(found.items()))
        inner = _opened(value)
        if name in known and isinstance(inner, Mapping):
            return Asked(name, inner)
    return None


def _merged(rest: Mapping[str, object], bags: list[str]) -> Arguments:
    inner = {key: value for bag in bags for key, value in _mapping(rest[bag]).items()}
    return {**{key: value for key, value in rest.items() if key not in bags}, **inner}


def _mapping(value: object) -> Mapping[str, object]:
    opened = _opened(value)
    return opened if isinstance(opened, Mapping) else {}


def _opened(value: object) -> object:
    """A value, read once more where a model put JSON into a string."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        return json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return value


def _with_block(call: Asked, rest: str) -> Asked:
    """A `write` whose text stands in the fenced block behind it, from its first fence to the last in the reply."""
    if call.tool != "write" or "text" in call.arguments:
        return call
    lines = _closed(rest).splitlines()
    fences = [number for number, line in enumerate(lines) if line.lstrip().startswith("```")]
    if len(fences) < 2:
        return call
    block = lines[fences[0] + 1 : fences[-1]]
    return Asked(call.tool, {**call.arguments, "text": "".join(f"{line}\n" for line in block)})


def _closed(rest: str) -> str:
    """What follows a call, without the end of the fence in which the call itself stood."""
    return re.sub(r"\A\s*```[ \t]*(?=\n|\Z)", "", rest, count=1)
