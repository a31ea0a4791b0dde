"""Server-sent events: bytes as they come into events, and events into bytes. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

MOST_PENDING = 32 * 2**20
"""Bytes of one event that are held before it is given up as none."""


class Unending(Exception):
    """An event that does not end."""


@dataclass
class Events:
    """Takes the bytes of a stream and gives the events that are whole, as (event, data)."""

    _line: bytearray = field(default_factory=bytearray)
    _event: str = ""
    _data: list[str] = field(default_factory=list)
    _held: int = 0

    def feed(self, chunk: bytes) -> Iterator[tuple[str, str]]:
        """The events that end in this chunk. Raises `Unending`."""
        self._line += chunk
        if len(self._line) + self._held > MOST_PENDING:
            raise Unending
        *lines, rest = self._line.split(b"\n")
        self._line = bytearray(rest)
        for line in lines:
            found = self._take(line.removesuffix(b"\r").decode("utf-8", "replace"))
            if found is not None:
                yield found

    def _take(self, line: str) -> tuple[str, str] | None:
        if not line:
            found = (self._event, "\n".join(self._data)) if self._data else None
            self._event, self._data, self._held = "", [], 0
            return found
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
            self._held += len(value)
        elif name == "event":
            self._event = value
        return None


def spelled(data: Mapping[str, Any] | str, event: str = "") -> bytes:
    """One event as bytes.

    >>> spelled({"a": "é"}, "ping")
    b'event: ping\\ndata: {"a":"\\xc3\\xa9"}\\n\\n'
    """
    text = data if isinstance(data, str) else compact(data)
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {text}\n\n".encode("utf-8", "backslashreplace")


def compact(value: object) -> str:
    """JSON without spaces, lone surrogates escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def parsed(text: str | bytes) -> dict[str, Any] | None:
    """A JSON object that can be recorded, so without NaN and infinity; None for anything else."""
    try:
        value = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError("no number")
    return value
