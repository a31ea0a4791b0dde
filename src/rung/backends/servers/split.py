"""A request in pieces for the record, each named by its hash, so that a growing history costs once. Pure."""

import json
from typing import Any

from rung.backends.servers.wires import Parts
from rung.core.canonical import canonical, sha256
from rung.core.proxied import Split


def split(parts: Parts, before: set[str]) -> Split:
    """The pieces of a request; those that stand in `before` are named alone, and the others added to it."""
    new: dict[str, str] = {}

    def piece(value: Any) -> str | None:
        if value is None:
            return None
        text = _text(value)
        name = sha256(text)
        if name not in before:
            before.add(name)
            new[name] = text
        return name

    messages = tuple(name for message in parts.messages if (name := piece(message)) is not None)
    return Split(dict(parts.head), piece(parts.system), piece(parts.tools), messages, new)


def _text(value: Any) -> str:
    """Canonical JSON that UTF-8 can spell."""
    text = canonical(value)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can escape
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    return text
