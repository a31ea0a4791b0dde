"""How many tokens a request can be read as, at most, before it is asked. Pure.

Without anything known a token for each byte, and an allowance for each picture. Once an answer said how many tokens a
conversation was, one that goes on from there is bounded by that many and the bytes of what is new: a fifth of the
other, for a program with a long system text. So less is set aside for nothing, and a budget is used to its end.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rung.backends.models.gateway import IMAGE_TOKENS, MESSAGE_TOKENS
from rung.backends.servers.sse import compact
from rung.core.proxied import Split
from rung.core.values import Usage

LONG = 2000
"""Characters of base64 from which a string is a picture's, and allowed for as a picture."""
SLACK = 2048
"""Tokens that a provider may add for what stands in no message, such as another choice among the same tools."""
LEAST_BYTES = 20
"""Bytes for each token from which a count is not believed: no text has so few tokens."""
MOST_KNOWN = 64
"""Conversations of a session that are remembered, as of a program's own sub-agents."""

_Beginning: TypeAlias = tuple[str | None, str | None, str | None]


def tokens(value: Any, raw: int | None = None) -> int:
    """No fewer tokens than some JSON has. `raw` is its length in bytes, where that is known."""
    size = len(compact(value).encode()) if raw is None else raw
    pictures = list(_pictures(value))
    return size - sum(pictures) + IMAGE_TOKENS * len(pictures)


def _pictures(value: Any) -> Iterator[int]:
    """The lengths of what is a picture's bytes in base64, wherever it stands."""
    if isinstance(value, list):
        for each in value:
            yield from _pictures(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if isinstance(each, str):
                if len(each) >= LONG and _is_picture(value, key, each):
                    yield len(each)
            else:
                yield from _pictures(each)


def _is_picture(block: dict[str, Any], key: str, text: str) -> bool:
    if key in ("url", "image_url"):
        return text[:11].lower() == "data:image/"
    return key == "data" and block.get("type") == "base64" and str(block.get("media_type")).startswith("image/")


@dataclass(slots=True)
class Known:
    """What answers said of conversations so far: messages by hash, and the tokens of all that stood before them too."""

    _said: dict[_Beginning, tuple[tuple[str, ...], int]] = field(default_factory=dict)

    def bound(self, request: Split, messages: Sequence[Any], by_bytes: int) -> int:
        """The most tokens of a request: `by_bytes`, or fewer where it goes on from what is known."""
        before, counted = self._said.get(_beginning(request), ((), 0))
        length = len(before)
        if not length or request.messages[:length] != before or len(messages) != len(request.messages):
            return by_bytes
        new = sum(tokens(message) + MESSAGE_TOKENS for message in messages[length:])
        return min(counted + new + SLACK, by_bytes)

    def learn(self, request: Split, usage: Usage | None, by_bytes: int) -> None:
        """Remember how many tokens a request was. A count that cannot be is not remembered."""
        if usage is None or not request.messages:
            return
        counted = (usage.input_tokens or 0) + (usage.cached_tokens or 0)
        if counted * LEAST_BYTES < by_bytes:
            return
        self._said.pop(_beginning(request), None)
        self._said[_beginning(request)] = (request.messages, counted)
        while len(self._said) > MOST_KNOWN:
            del self._said[next(iter(self._said))]


def _beginning(request: Split) -> _Beginning:
    return request.system, request.tools, request.messages[0] if request.messages else None
