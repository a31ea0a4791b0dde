"""Scripted models: what they say is written down beforehand. For tests, examples and demos; no network and no key.

By name in a config, each a function of the request alone, so that a study is the same at any concurrency and after any
interruption:

    scripted/echo           says the text of the last message
    scripted/first          calls the first tool with the plainest arguments its schema takes; without tools as echo
    scripted/silent         says nothing at all, as a model that spent its tokens on thinking
    scripted/PATH.jsonl     says what a file says: see `from_file`

In code, `Scripted` takes a function or a list, and can fail and dawdle as told. Usage is counted by one rule: a token
is a word, that is what stands between white space. No more than `max_tokens` are said; then the reply stops with
`length`.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from rung.core.canonical import JSON, canonical
from rung.core.errors import ModelFault, UsageError
from rung.core.values import Call, ModelReply, ModelRequest, Tool, Usage

Said: TypeAlias = str | Call | ModelReply | BaseException
"""One entry of a script: text, a call, a whole reply as it shall be, or an error to raise."""
Script: TypeAlias = Callable[[ModelRequest, int], Said] | Sequence[Said]
"""A function of the request and the number of the try, from 0; or the entries for tries 0, 1, 2 ..."""


class Scripted:
    """A backend that says what its script says. It costs nothing and is not live."""

    def __init__(
        self,
        script: Script,
        *,
        model: str = "scripted",
        delay: float | Callable[[ModelRequest, int], float] = 0.0,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._script = script
        self._model = model
        self._delay = delay
        self._sleep = sleep
        self.tries = 0

    async def once(self, request: ModelRequest) -> ModelReply:
        """What the script says to this try, after `delay` seconds."""
        number = self.tries
        self.tries += 1
        seconds = self._delay(request, number) if callable(self._delay) else self._delay
        if seconds > 0:
            await self._sleep(seconds)
        said = self._said(request, number)
        if isinstance(said, BaseException):
            raise said
        return said if isinstance(said, ModelReply) else reply(request, said, model=self._model)

    def _said(self, request: ModelRequest, number: int) -> Said:
        if callable(self._script):
            return self._script(request, number)
        if number < len(self._script):
            return self._script[number]
        raise ModelFault("scripted model", f"its script has {len(self._script)} entries, and this is try {number + 1}")

    async def close(self) -> None:
        """Nothing is held."""


def reply(request: ModelRequest, said: str | Call, *, model: str = "scripted") -> ModelReply:
    """A whole reply from text or a call, with usage by the rule of one token a word, cut at `max_tokens`."""
    read = sum(words(message.text) for message in request.messages) + sum(map(_tool_words, request.tools))
    spoken = f"{said.tool} {canonical(said.arguments)}" if isinstance(said, Call) else said
    written, room = words(spoken), request.max_tokens
    if room is not None and written > room:
        return ModelReply(" ".join(spoken.split()[:room]), model, "length", Usage(read, room))
    if isinstance(said, Call):
        return ModelReply("", model, "tool_calls", Usage(read, written), (said,))
    return ModelReply(said, model, "stop", Usage(read, written))


def words(text: str) -> int:
    """How many tokens a scripted model counts in a text.

    >>> words("plant 3  4")
    3
    """
    return len(text.split())


def _tool_words(tool: Tool) -> int:
    return words(tool.name) + words(tool.description) + words(canonical(tool.parameters))


# --------------------------------------------------------------------------------------------- scripts with a name


def echo(request: ModelRequest, number: int) -> Said:
    """The text of the last message."""
    return request.messages[-1].text if request.messages else ""


def first(request: ModelRequest, number: int) -> Said:
    """A call of the first tool with the plainest arguments; the last message where there are no tools."""
    if not request.tools:
        return echo(request, number)
    tool = request.tools[0]
    plain = plainest(tool.parameters)
    return Call(tool.name, plain if isinstance(plain, Mapping) else {})


def silent(request: ModelRequest, number: int) -> Said:
    """Nothing."""
    return ""


def plainest(schema: JSON) -> JSON:
    """The plainest value that a simple JSON schema takes: its first choice, its least number, what it requires.

    >>> plainest({"type": "object", "properties": {"x": {"type": "integer", "minimum": 1}, "y": {}}, "required": ["x"]})
    {'x': 1}
    """
    if not isinstance(schema, Mapping):
        return None
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    choices = schema.get("enum")
    if isinstance(choices, Sequence) and choices:
        return choices[0]
    of_type = _PLAIN.get(str(schema.get("type")))
    return None if of_type is None else of_type(schema)


def _plain_object(schema: Mapping[str, JSON]) -> JSON:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, Mapping) or not isinstance(required, Sequence):
        return {}
    return {str(name): plainest(properties.get(str(name))) for name in required}


def _plain_array(schema: Mapping[str, JSON]) -> JSON:
    least = schema.get("minItems")
    return [plainest(schema.get("items")) for _ in range(least if isinstance(least, int) else 0)]


def _plain_string(schema: Mapping[str, JSON]) -> JSON:
    least = schema.get("minLength")
    return "a" * (least if isinstance(least, int) else 0)


_PLAIN: Mapping[str, Callable[[Mapping[str, JSON]], JSON]] = {
    "object": _plain_object,
    "array": _plain_array,
    "string": _plain_string,
    "integer": lambda schema: schema.get("minimum", 0),
    "number": lambda schema: schema.get("minimum", 0),
    "boolean": lambda _: False,
}


# --------------------------------------------------------------------------------------------- scripts in a file


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a script file: what is said, to requests whose last message holds the text `when`."""

    said: str | Call
    when: str = ""


def from_file(path: Path) -> Callable[[ModelRequest, int], Said]:
    """A script from a JSON Lines file.

    Each line is `{"reply": "text"}` or `{"call": {"tool": "name", "arguments": {...}}}`, and may have a `when`: it is
    then said only where the request's last message holds that text. Of the lines that fit, those with the longest
    `when` count, and among these the first is said in a conversation's first turn, the second in its second, and so on
    from the start again. Nothing is remembered from request to request.
    """
    lines = _read(path)

    def script(request: ModelRequest, number: int) -> Said:
        last = request.messages[-1].text if request.messages else ""
        fitting = [line for line in lines if line.when in last]
        if not fitting:
            return ModelFault(f"scripted model {path.name}", f"no line fits a request that ends {last[-60:]!r}")
        longest = max(len(line.when) for line in fitting)
        chosen = [line for line in fitting if len(line.when) == longest]
        turn = sum(1 for message in request.messages if message.author == "assistant")
        return chosen[turn % len(chosen)].said

    return script


def _read(path: Path) -> list[Line]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the script of a scripted model, {str(path)!r}, cannot be read: {error}") from None
    rows = [(number, row) for number, row in enumerate(text.splitlines(), 1) if row.strip()]
    if not rows:
        raise UsageError(f'{path.name} has no lines; write at least one {{"reply": "text"}}')
    return [_line(f"{path.name}, line {number}", row) for number, row in rows]


def _line(where: str, row: str) -> Line:
    try:
        entry = json.loads(row)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON ({error})") from None
    keys = set(entry) if isinstance(entry, dict) else set()
    if len(keys & {"reply", "call"}) != 1 or keys - {"reply", "call", "when"}:
        raise UsageError(f'{where}: takes "reply" or "call", and perhaps "when"; seen {row[:80]!r}')
    said, when = _entry(where, entry), entry.get("when", "")
    if not isinstance(when, str):
        raise UsageError(f'{where}: "when" is text, seen {when!r}')
    return Line(said, when)


def _entry(where: str, entry: Mapping[str, object]) -> str | Call:
    said, call = entry.get("reply"), entry.get("call")
    if isinstance(said, str):
        return said
    if isinstance(call, dict) and isinstance(call.get("tool"), str) and isinstance(call.get("arguments", {}), dict):
        return Call(call["tool"], call.get("arguments", {}))
    raise UsageError(f'{where}: "reply" is text, and "call" is {{"tool": "name", "arguments": {{...}}}}')


# --------------------------------------------------------------------------------------------- by name

NAMED: Mapping[str, Callable[[ModelRequest, int], Said]] = {"echo": echo, "first": first, "silent": silent}


def make(name: str) -> Scripted:
    """The scripted model of this name; raises `UsageError` for one that there is not."""
    if name.endswith(".jsonl"):
        return Scripted(from_file(Path(name)), model=f"scripted/{name}")
    if name not in NAMED:
        raise UsageError(f"no scripted model named {name!r}; there are: {', '.join(NAMED)}, and PATH.jsonl")
    return Scripted(NAMED[name], model=f"scripted/{name}")
