"""The record's file: one JSON object a line, only ever added to, and each line sealed over all before it.

An edited, missing or reordered line shows. Who may write the file may of course write it all anew; so whoever keeps a
record keeps the last seal beside it, elsewhere.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from rung.backends.network.flows import Event
from rung.core.canonical import canonical, sha256
from rung.core.errors import UsageError

BEGINNING = sha256("rung network record 1")
"""What stands before the first line."""
MOST_BYTES = 256 << 20
"""Bytes of a record. A program that opens flows by the million fills no disk; its record is then incomplete."""
LONGEST_LINE = 1 << 20


def sealed(event: Event, before: str) -> tuple[str, str]:
    """A line with its seal, and the seal: the hash of the one before and of the line without it."""
    seal = sha256(before + canonical(event))
    return canonical({**event, "seal": seal}), seal


class Writer:
    """Adds lines to a file. `clock` counts seconds from the start of the record.

    When `most_bytes` are written it says so once; from then on only what `vital` lines say is added.
    """

    def __init__(
        self, file: BinaryIO, *, session: str, clock: Callable[[], float], most_bytes: int = MOST_BYTES
    ) -> None:
        self._file = file
        self._session = session
        self._clock = clock
        self._left = most_bytes
        self._seal = BEGINNING
        self._lines = 0
        self.unwritten = 0
        """Events that there was no room for."""

    def write(self, event: Event, *, vital: bool = False) -> None:
        """Add one event."""
        if self._left <= 0 and not vital:
            if not self.unwritten:
                self._add({"event": "record_full"})
            self.unwritten += 1
            return
        self._add(event)

    def _add(self, event: Event) -> None:
        whole: Event = {"n": self._lines, "session": self._session, "at": round(self._clock(), 4), **event}
        line, self._seal = sealed(whole, self._seal)
        self._lines += 1
        self._left -= self._file.write(line.encode() + b"\n")

    def flush(self) -> None:
        """Hand what was added to the system."""
        self._file.flush()


@dataclass(frozen=True, slots=True)
class Verified:
    """How far a record holds. `seal` is the last line's; `fault` says what is wrong with the line after it, or None."""

    lines: int
    seal: str
    fault: str | None


class Reading:
    """The events of a record, one by one, up to the first line that does not hold; `checked` says how far that was."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.checked = Verified(0, BEGINNING, None)

    def __iter__(self) -> Iterator[Event]:
        lines, seal = 0, BEGINNING
        for line in _raw_lines(self._path):
            event, fault = _checked(line, lines, seal)
            if event is None:
                self.checked = Verified(lines, seal, fault)
                return
            lines, seal = lines + 1, str(event["seal"])
            self.checked = Verified(lines, seal, None)
            yield event


def verify(path: Path) -> Verified:
    """Whether no line of a record was edited, taken out or moved."""
    reading = Reading(path)
    for _ in reading:
        pass
    return reading.checked


def _raw_lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while line := file.readline(LONGEST_LINE):
            yield line


def _checked(line: bytes, number: int, before: str) -> tuple[Event | None, str | None]:
    """A line's event when it holds, else what is wrong with it."""
    if not line.endswith(b"\n"):
        return None, f"line {number} was cut off"
    event = _parsed(line)
    if event is None:
        return None, f"line {number} is no line of a record"
    if event.get("n") != number:
        return None, f"line {number} is missing or out of its place: there is line {event.get('n')!r}"
    rest = {key: value for key, value in event.items() if key != "seal"}
    if sealed(rest, before)[0].encode() + b"\n" != line:
        return None, f"line {number} was edited, or one before it"
    return event, None


def _parsed(line: bytes) -> Event | None:
    try:
        event = json.loads(line)
        if isinstance(event, dict):
            canonical(event)  # no NaN in it
            return event
    except (ValueError, RecursionError, UsageError):
        pass
    return None
