"""Lines of JSON that a program prints. Foreign text: what cannot be read is passed over."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

Line: TypeAlias = Mapping[str, object]

_STATUS = re.compile(r"(?:status:? |^|\()([45][0-9]{2})\b")


def split(data: bytes) -> list[str]:
    """What a program printed, as lines. Only a line feed ends one: a string in JSON may hold other separators."""
    return data.decode("utf-8", "replace").split("\n")


def read(lines: Iterable[str]) -> Iterator[Line]:
    """Those of the lines that are JSON objects."""
    for line in lines:
        found = read_line(line)
        if found is not None:
            yield found


def read_line(line: str) -> Line | None:
    """One line, None where it is no JSON object."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def kind(line: Line) -> str:
    """A line's type; empty where it has none."""
    return text(line.get("type"))


def text(value: object) -> str:
    """A string; empty for anything else."""
    return value if isinstance(value, str) else ""


def within(line: Line, *keys: str) -> object:
    """What lies under these keys, None where nothing does."""
    found: object = line
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def parts(value: object) -> str:
    """The text of a message's content: a string, or the text of its parts."""
    if isinstance(value, str):
        return value
    items: Sequence[object] = value if isinstance(value, list) else ()
    return "".join(text(item.get("text")) for item in items if isinstance(item, Mapping))


def status_in(message: str) -> int | None:
    """The HTTP status of an error that a message names.

    >>> status_in("exceeded retry limit, last status: 429 Too Many Requests")
    429
    """
    found = _STATUS.search(message)
    return int(found[1]) if found else None
