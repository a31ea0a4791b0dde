"""Keys of services and the addresses they are sent to. A key is in nothing that is said or printed."""

import re
from collections.abc import Mapping

from rung.core.errors import UsageError


class Key:
    """A key, or none. Its repr, its messages and what it cleans do not hold it."""

    def __init__(self, variable: str | None, value: str) -> None:
        self._variable = variable
        self._value = value

    def __repr__(self) -> str:
        return f"<key from {self._variable}>"

    def header(self) -> Mapping[str, str]:
        """The header that carries it to most services."""
        return {"authorization": f"Bearer {self._value}"} if self._value else {}

    def alone(self, header: str) -> Mapping[str, str]:
        """The key and nothing more in a header of this name."""
        return {header: self._value} if self._value else {}

    def removed_from(self, text: str) -> str:
        """A text without it."""
        return text.replace(self._value, "[key]") if self._value else text

    def cleaner(self) -> "Cleaner":
        """What removes it from bytes that come piece by piece."""
        return Cleaner(self._value.encode())

    def mend(self) -> str:
        """What to do when it is not taken."""
        if self._variable is None:
            return "No key was sent; name the variable that holds it as key_env"
        return f"The key in ${self._variable} is not taken; put a valid one there"


class Cleaner:
    """Removes a key from a stream of bytes, also where two pieces share it. Nothing else is held back for long."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._held = b""

    def __repr__(self) -> str:
        return "<cleaner>"

    def feed(self, chunk: bytes) -> bytes:
        """What may pass now: all but an end that may be the beginning of the key."""
        if not self._key:
            return chunk
        text = (self._held + chunk).replace(self._key, b"[key]")
        keep = next((n for n in range(min(len(self._key) - 1, len(text)), 0, -1) if self._key.startswith(text[-n:])), 0)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def rest(self) -> bytes:
        """What was held back when the stream has ended."""
        held, self._held = self._held, b""
        return held


def key_in(model: str, variable: str | None, environ: Mapping[str, str]) -> Key:
    """The key of a model in this variable, or none for no variable. Raises `UsageError` when it is not there."""
    if variable is None:
        return Key(None, "")
    value = environ.get(variable, "").strip()
    if not value:
        raise UsageError(
            f"model {model!r} needs a key in the variable {variable}, which is not set; "
            f'set it, or name another with key_env in [models."{model}"]'
        )
    if not re.fullmatch(r"[\x21-\x7e]+", value):
        raise UsageError(f"the key in {variable} has characters that no key has (spaces, line ends or non-ASCII)")
    return Key(variable, value)


def plain_url(model: str, base_url: str) -> str:
    """An address that holds no key. Raises `UsageError` for one that does, or that is none."""
    import httpx2

    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL as error:
        raise UsageError(
            f"model {model!r}: base_url is no address ({error}); for example http://localhost:8000/v1"
        ) from None
    if not url.host or url.userinfo:
        raise UsageError(f"model {model!r}: base_url is scheme, host, port and path; a key belongs into key_env")
    return base_url
