"""Host names: foreign bytes as text that can be kept, what a name may look like, and which names may be reached."""

import re
from collections.abc import Iterable

from rung.core.errors import UsageError

LONGEST_NAME = 253
"""Characters of the longest name that DNS can carry, without its last dot."""

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NUMBERS = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+))*")


def shown(raw: bytes) -> str:
    r"""Foreign bytes as printable ASCII, each other byte as `\xNN`, so that no two of them look alike.

    >>> shown(b"a.example\x00.b")
    'a.example\\x00.b'
    """
    return "".join(chr(byte) if 0x20 < byte < 0x7F and byte != 0x5C else f"\\x{byte:02x}" for byte in raw)


def is_name(text: str) -> bool:
    """Whether this is a host name as we compare them: lower case, no dot at its end, and no number.

    What programs read as an address is none, in whatever base it is written: `2130706433`, `0x7f.1`, `0177.0.0.1`.

    >>> [is_name(text) for text in ("api.example", "API.example", "api.example.", "127.0.0.1", "0x7f.1")]
    [True, False, False, False, False]
    """
    return len(text) <= LONGEST_NAME and bool(_NAME.fullmatch(text)) and not _NUMBERS.fullmatch(text)


def checked(allow: Iterable[str]) -> tuple[str, ...]:
    """Patterns in lower case. Raises `UsageError` for one that could allow nothing, or more than it seems to."""
    patterns = tuple(pattern.lower() for pattern in allow)
    for pattern in patterns:
        if not is_name(pattern.removeprefix("*.")):
            mend = "write a host name in ASCII, as api.example, or *.example for all names below it"
            raise UsageError(f"a network's allow has {pattern!r}, which is no host name; {mend}")
    return patterns


def matching(name: str, allow: Iterable[str]) -> str | None:
    """The checked pattern that allows this name, or None. A name stands for itself, `*.name` for all below it alone.

    >>> matching("a.b.example", ["b.example", "*.b.example"])
    '*.b.example'
    """
    for pattern in allow:
        if name == pattern or (pattern.startswith("*.") and name.endswith(pattern[1:])):
            return pattern
    return None
