"""What the three wire formats have in common: the shape of a format, and how foreign JSON is read.

A format knows five things: what a program asks in it (`hear`), how an answer is spelled (`whole`, `events`, `error`),
what in a request the provider would do by itself (`screen`), how a request falls into pieces for the record (`parts`),
and what an answer says, streamed or not (`reader`).
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias
from urllib.parse import urlsplit

from rung.core.proxied import Heard, Read, Said, ToolCall, WireName
from rung.core.values import Image, Usage

Body: TypeAlias = Mapping[str, Any]
"""A request or an answer as its JSON object."""

SHOWN = 80
"""Characters kept of a foreign word that stands in a record as a name."""
REMOVED = "[a link that the provider would have followed was removed here]"
"""What stands in place of a link: a message must not be empty."""


class Malformed(Exception):
    """A request that is none of its format; the text says what is wrong, as half a sentence."""


@dataclass(frozen=True, slots=True)
class Screened:
    """A request without what the provider would do by itself.

    `offered` is what was found, by name; `body` is the request without it, the very same object where nothing was
    found. `kept` names what cannot be taken out without asking something else: a conversation that lies with the
    provider.
    """

    body: Body
    offered: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parts:
    """A request in pieces: all but the others, what is said to the model once, its tools, and the conversation."""

    head: Body
    system: Any
    tools: Any
    messages: Sequence[Any]


class Reader(Protocol):
    """Puts an answer together from the events of its stream."""

    def take(self, event: str, data: str) -> None:
        """Take one event."""
        ...

    def read(self) -> Read:
        """What it says as far as it has come."""
        ...


class Format(Protocol):
    """One wire format."""

    @property
    def name(self) -> WireName:
        """Its name in records."""
        ...

    def hear(self, body: Body) -> Heard:
        """What is asked. Raises `Malformed`."""
        ...

    def whole(self, said: Said, heard: Heard, seed: str) -> Body:
        """An answer in one piece; its ids are made of `seed`."""
        ...

    def events(self, said: Said, heard: Heard, seed: str, body: Body) -> Iterator[bytes]:
        """The same as a stream, an event each, as `body` asks for it."""
        ...

    def error(self, status: int, message: str, *, final: bool = False) -> Body:
        """An error as this format has it; `final` where there is no use in trying again."""
        ...

    def screen(self, body: Body) -> Screened:
        """A request without what the provider would do by itself. Raises `Malformed`."""
        ...

    def parts(self, body: Body) -> Parts:
        """A request in pieces."""
        ...

    def bounded(self, body: Body, tokens: int) -> tuple[Body, int]:
        """A request with a bound on its output, its own or else so many tokens, and the most it can be answered with.

        Where a stream has to be asked to say what it cost, it is.
        """
        ...

    def read(self, body: Body) -> Read:
        """What an answer in one piece says."""
        ...

    def reader(self) -> Reader:
        """What reads one stream."""
        ...


# --------------------------------------------------------------------------------------------- foreign JSON


def table(value: Any) -> dict[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


def rows(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; nothing for anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def word(value: Any) -> str:
    """A string, or the empty one."""
    return value if isinstance(value, str) else ""


def label(value: Any) -> str:
    """A foreign word as a name in a record.

    >>> label("web search\\n!"), label(None)
    ('web-search-', '?')
    """
    return re.sub(r"[^A-Za-z0-9._:/-]+", "-", word(value))[:SHOWN] or "?"


def count(value: Any) -> int | None:
    """A number of tokens; None for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**12 else None


def warmth(value: Any) -> float | None:
    """A temperature; None for what is none."""
    return float(value) if isinstance(value, int | float) and 0 <= value <= 100 else None


def needed(body: Body, key: str) -> list[dict[str, Any]]:
    """The list of objects at a key. Raises `Malformed`."""
    value = body.get(key)
    if not isinstance(value, list) or len(rows(value)) != len(value):
        raise Malformed(f"{key}: a list of objects is needed")
    return rows(value)


def image(media_type: str, data: str) -> Image:
    """A picture from base64. Raises `Malformed`."""
    try:
        return Image(media_type, base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError):
        raise Malformed("a picture is not base64") from None


_DATA = re.compile(r"data:([A-Za-z0-9.+/-]{1,80})?(?:;[^,]{0,200})?;base64,", re.IGNORECASE)


def inline(url: str) -> Image:
    """A picture from a `data:` URL. Raises `Malformed`."""
    found = _DATA.match(url)
    if found is None:
        raise Malformed("a picture is a link; only data: URLs are read here")
    return image(found[1] or "image/png", url[found.end() :])


def is_inline(url: Any) -> bool:
    """Whether a URL holds what it stands for."""
    return isinstance(url, str) and url.lstrip()[:5].lower() == "data:"


def host(url: Any) -> str:
    """What a link leads to, as a name in a record.

    >>> host("https://files.example:8443/a?b"), host(7)
    ('url:files.example', 'url:?')
    """
    try:
        return f"url:{label(urlsplit(word(url)).hostname)}"
    except ValueError:
        return "url:?"


# --------------------------------------------------------------------------------------------- screening


@dataclass(slots=True)
class Finds:
    """What screening found so far."""

    offered: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def done(self, body: Body) -> Screened:
        """The end of it; every name once, in the order in which it was met."""
        return Screened(body, tuple(dict.fromkeys((*self.offered, *self.kept))), tuple(dict.fromkeys(self.kept)))


def without_links(
    value: Any, remote: Callable[[dict[str, Any]], str | None], text: Callable[[str], dict[str, Any]], finds: Finds
) -> Any:
    """Content with every block that is `remote` replaced by `text`; the very same object where there is none."""
    if isinstance(value, list):
        new = [without_links(each, remote, text, finds) for each in value]
        return value if all(a is b for a, b in zip(value, new, strict=True)) else new
    if not isinstance(value, dict):
        return value
    found = remote(value)
    if found is not None:
        finds.offered.append(found)
        return text(REMOVED)
    inner = {
        key: without_links(value[key], remote, text, finds) for key in ("content", "output", "source") if key in value
    }
    changed = {key: new for key, new in inner.items() if new is not value[key]}
    return {**value, **changed} if changed else value


def without_keys(body: Body, keys: Mapping[str, str], finds: Finds) -> Body:
    """A request without these keys; each goes on record by the name it is mapped to."""
    found = [key for key in keys if body.get(key) not in (None, [], {}, False)]
    finds.offered += [keys[key] for key in found]
    return {key: value for key, value in body.items() if key not in found} if found else body


def replaced(body: Body, key: str, value: Any) -> Body:
    """A request with another value at a key; the very same object where it is no other."""
    return body if value is body.get(key) else {**body, key: value}


# --------------------------------------------------------------------------------------------- answers


def words(text: str) -> list[str]:
    """A text in two pieces, as a stream brings it; none for none."""
    half = (len(text) + 1) // 2
    return [piece for piece in (text[:half], text[half:]) if piece]


def spelled_as_offered(said: Said, heard: Heard, seed: str, prefix: str) -> Said:
    """What is said, with each call spelled as its tool was offered, and an id for each that has none."""
    parts: list[str | ToolCall] = []
    for number, part in enumerate(said.parts):
        if isinstance(part, ToolCall):
            offer = heard.offer(part.full)
            name, namespace = (part.name, part.namespace) if offer is None else (offer.name, offer.namespace)
            named = part.id or f"{prefix}{seed[:20]}{number:02d}"
            part = ToolCall(name, part.arguments, named, namespace)
        parts.append(part)
    return replace(said, parts=tuple(parts), model=said.model or heard.model, usage=said.usage or counted(heard, said))


def counted(heard: Heard, said: Said) -> Usage:
    """Tokens where nobody counts any: one for four bytes, and one at least."""
    asked = len(heard.system) + sum(map(_size, (part for turn in heard.turns for part in turn.parts)))
    return Usage(max(asked // 4, 1), max(sum(map(_size, said.parts)) // 4, 1))


def _size(part: Any) -> int:
    if isinstance(part, str):
        return len(part.encode("utf-8", "replace"))
    if isinstance(part, ToolCall):
        return len(part.full) + len(repr(dict(part.arguments)))
    return len(getattr(part, "text", "")) + 4000 * len(getattr(part, "images", ()))
