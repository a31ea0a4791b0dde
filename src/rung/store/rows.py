"""How rows are spelled and ordered: what both journals must agree on, so that their digests agree."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import cast

from rung.core.canonical import JSON, canonical
from rung.core.errors import StoreFault, UsageError
from rung.core.ports import Fact

Key = tuple[str, str]


def spell(value: JSON) -> str:
    r"""Canonical JSON that any database and any UTF-8 file can hold.

    Text from an agent may hold half of a surrogate pair, which UTF-8 cannot spell. JSON can: as `\ud800`.

    >>> spell({"b": 1, "a": "\ud800"})
    '{"a":"\\ud800","b":1}'
    """
    text = canonical(value)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _escaped(whole_pairs(text))
    return text


def whole_pairs(text: str) -> str:
    """Two halves of a surrogate pair made the one character they spell; lone halves stay."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _escaped(text: str) -> str:
    # A backslash in `text` was already doubled by JSON, so this escape cannot be mistaken for the text of an agent.
    return "".join(f"\\u{ord(letter):04x}" if "\ud800" <= letter <= "\udfff" else letter for letter in text)


def read(text: str) -> JSON:
    """The value spelled by `spell`."""
    return cast(JSON, json.loads(text))


def checked(path: str, name: str) -> Key:
    """The key of a row. Keys are made by the instrument, so one that SQL cannot hold exactly is our caller's error."""
    if not name:
        raise UsageError(f"a row at {path!r} needs a kind or a name, got none")
    for word in (path, name):
        if "\0" in word or not (word.isascii() or _unicode(word)):
            raise UsageError(f"a journal's path, kind or name is Unicode text without NUL, got {word!r}")
    return path, name


def _unicode(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def settled(key: Key, old: str, new: str) -> None:
    """Let the same fact through again; another value at the same key is a fault."""
    if old != new:
        raise StoreFault(
            "journal", f"a fact is written once, and {key[0]!r} {key[1]!r} is {_short(old)}, got {_short(new)}"
        )


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:100]}... ({len(text)} characters)"


def ranges(under: str) -> list[tuple[str, str | None]]:
    """The half-open ranges of paths that are `under` or lie below it; None is no upper end.

    Two, because siblings such as `a-b` sort between `a` and `a/b`.

    >>> ranges("a")
    [('a', 'a\\x00'), ('a/', 'a0')]
    """
    path = under.removesuffix("/")
    if not path:
        return [("", None)]
    return [(path, path + "\0"), (path + "/", path + "0")]  # "0" is the character after "/"


def fact_of(key: Key, text: str) -> Fact:
    """A row as callers see it."""
    return Fact(key[0], key[1], read(text))


def digest_of(rows: Iterable[tuple[Key, str]]) -> str:
    """SHA-256 over the lines `[path,kind,value]`, each canonical JSON ended by a newline, which JSON never holds."""
    total = hashlib.sha256()
    for line in _lines(rows):
        total.update(line.encode())
    return total.hexdigest()


def _lines(rows: Iterable[tuple[Key, str]]) -> Iterator[str]:
    for (path, kind), text in rows:
        yield f"[{canonical(path)},{canonical(kind)},{text}]\n"
