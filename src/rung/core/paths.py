"""Paths in what an agent program left: how they are spelled, and which class each belongs to.

A name on a disk is any bytes but `/` and NUL. `spelled` turns a path into text that JSON, a terminal and a reader can
take, and `raw` gets back the bytes. Rules of a program say what its files are, so that a gain can be traced to what
carried it; a file that no rule knows is an error, since leaving it in or out would change what is measured.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from rung.core.errors import UsageError

PathClass: TypeAlias = Literal["conversation", "harness", "files", "cache"]
"""What was said; what the program keeps for itself; what the agent made; and what can be had again."""

PATH_CLASSES: tuple[PathClass, ...] = get_args(PathClass)

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


@dataclass(frozen=True, slots=True)
class PathRule:
    """What the files at these paths are, as `PathRule(".claude/projects/**", "conversation")`.

    Paths are spelled, and count from the home or the work folder. `**` stands for anything, `*` for anything within a
    name, `?` for one letter of it; all else stands for itself.
    """

    glob: str
    path_class: PathClass

    def __post_init__(self) -> None:
        if not self.glob or self.glob.startswith("/"):
            raise UsageError(
                f"a path rule counts from the home, as .cache/**, got {self.glob!r}; leave out the first /"
            )


class PathRules:
    """The rules of one program in their order: the first that knows a path decides."""

    def __init__(self, rules: Sequence[PathRule]) -> None:
        self._classes = tuple(rule.path_class for rule in rules)
        self._pattern = any_of([rule.glob for rule in rules])

    def of(self, path: str) -> PathClass | None:
        """The class of a path; None where no rule knows it.

        >>> PathRules([PathRule("**/*.log", "cache"), PathRule("notes/**", "files")]).of("notes/a/b.log")
        'cache'
        """
        found = self._pattern.fullmatch(path)
        return None if found is None or found.lastindex is None else self._classes[found.lastindex - 1]

    def classify(self, paths: Iterable[str]) -> Mapping[str, PathClass]:
        """The class of each path. Raises `UsageError` with the names of those that no rule knows."""
        classes: dict[str, PathClass] = {}
        unknown: list[str] = []
        for path in paths:
            path_class = self.of(path)
            if path_class is None:
                unknown.append(path)
            else:
                classes[path] = path_class
        if unknown:
            raise UsageError(_unclassified(unknown))
        return classes


def any_of(globs: Sequence[str]) -> re.Pattern[str]:
    """A pattern that fully matches a path when one of these globs does; the group that took part tells which."""
    return re.compile("|".join(f"({_translated(glob)})" for glob in globs) or r"(?!)", re.DOTALL)


def _translated(glob: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return "".join(_WILD.get(part, re.escape(part)) for part in parts)


_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _unclassified(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    return (
        f"no rule says what these files of the program are: {shown};"
        f" add a path rule with one of {', '.join(PATH_CLASSES)}"
    )
