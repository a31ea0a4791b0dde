"""How paths in what an agent program left are spelled.

A name on a disk is any bytes but `/` and NUL. `spelled` turns a path into text that JSON, a terminal and a reader can
take, and `raw` gets back the bytes.
"""

import re

from rung.core.errors import UsageError

_STRANGE = re.compile("[\\\\\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\udc80-\udcff]")
_ESCAPE = re.compile(rb"\\(?:(\\)|x([0-9a-f]{2}))?")


def spelled(path: bytes) -> str:
    r"""A path as text: what is no UTF-8, or would move a terminal's cursor or turn its text, becomes `\xNN`.

    >>> print(spelled(b"a\xff\n\\"))
    a\xff\x0a\\
    """
    return _STRANGE.sub(_escape, path.decode("utf-8", "surrogateescape"))


def raw(text: str) -> bytes:
    r"""The bytes of a path that `spelled` wrote; raises `UsageError` when it would have written it otherwise.

    >>> raw(r"a\xff")
    b'a\xff'
    """
    try:
        path = _ESCAPE.sub(_unescape, text.encode("utf-8"))
    except UnicodeEncodeError:
        path = b""
    if not text or spelled(path) != text:
        raise UsageError(f"{text!r} is no path as we spell them; one has its odd bytes as \\xNN and its \\ doubled")
    return path


def _escape(found: re.Match[str]) -> str:
    letter = found[0]
    if letter == "\\":
        return "\\\\"
    return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", "surrogateescape"))


def _unescape(found: re.Match[bytes]) -> bytes:
    if found[1]:
        return b"\\"
    return bytes.fromhex(found[2].decode()) if found[2] else found[0]
