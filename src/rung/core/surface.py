"""What of a state a method may change, and what in a change is not allowed: paths, names, sizes, Python, imports.

A surface is a value of a method. The study holds every candidate to it (see `rung.protocols.surface`), and a method
whose model edits files can ask beforehand. Everything here is pure, and no file is ever imported or run.
"""

import ast
import re
import sys
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from rung.core.canonical import JSON

Kind: TypeAlias = Literal[
    "path", "name", "size", "total", "count", "binary", "syntax", "import", "dynamic", "identifier", "answer"
]
"""What is not allowed: `path` lies outside of the surface; `name` is an odd one; `size` of a file, `total` of all and
`count` of files are beyond their bounds; `binary` is no text; `syntax` is Python that does not parse; `import` is not
on the list; `dynamic` imports or runs text; `identifier` names a held-in task, a seed or the exam; `answer` repeats a
long answer of a held-in task."""

KIB, MIB = 1 << 10, 1 << 20
DEEPEST = 12
"""Folders in each other."""

IMPORTS = frozenset(
    "__future__ abc array base64 bisect collections copy csv dataclasses decimal enum fractions functools hashlib "  # noqa: SIM905
    "heapq itertools json math numbers operator pprint random re statistics string struct textwrap types typing "
    "typing_extensions unicodedata".split()
)
"""Modules of the standard library that compute and reach nothing: no files, no processes, no network, no clock."""

DYNAMIC = frozenset(("__import__", "eval", "exec", "compile", "globals", "__builtins__", "__loader__", "breakpoint"))
"""Names with which Python runs text, or gets at what it did not import."""

_COMPILED = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\x80\x04\x95")


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is not allowed, in the file where it is; `path` is empty for what is said of all together."""

    kind: Kind
    path: str
    detail: str

    def told(self) -> str:
        """In words, for whoever made the change."""
        return f"{self.path}: {self.detail}" if self.path else self.detail

    def to_json(self) -> Mapping[str, JSON]:
        """As it is recorded."""
        return {"kind": self.kind, "path": self.path, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Surface:
    """What a method may change: paths as patterns, and bounds.

    In a pattern `*` stands for anything but a slash, and `**` for anything. `imports` are the modules that Python files
    may import beside those that lie in the state; None allows all. `binary_bytes` is the most of a file that is no
    text.
    """

    write: tuple[str, ...] = ("agent/**", "conversation/**", "method/**")
    imports: frozenset[str] | None = IMPORTS
    file_bytes: int = MIB
    total_bytes: int = 8 * MIB
    files: int = 2_000
    binary_bytes: int = 64 * KIB

    def allows(self, path: str) -> bool:
        """Whether a file at this path may be made, changed or deleted."""
        return any(_pattern(each).fullmatch(path) for each in self.write)

    def misplaced(self, path: str) -> Violation | None:
        """Why nothing may be written or deleted at a path; None where it may."""
        odd = _odd(path)
        if odd is not None:
            return Violation("name", _shown(path), odd)
        if not self.allows(path):
            return Violation("path", _shown(path), f"only {', '.join(self.write)} may be changed")
        return None

    def unfit(self, path: str, data: bytes, own: Iterable[str] = ()) -> list[Violation]:
        """All that is not allowed in one file that was made or changed. `own` are the modules of the state itself."""
        found = self.misplaced(path)
        if found is not None:
            return [found]
        if len(data) > self.file_bytes:
            return [Violation("size", path, f"{len(data)} bytes, and at most {self.file_bytes} are kept")]
        if data.startswith(_COMPILED):
            return [Violation("binary", path, "it is compiled or pickled")]
        text = _text(data)
        if text is None:
            fits = len(data) <= self.binary_bytes
            return [] if fits else [Violation("binary", path, f"{len(data)} bytes that are no text")]
        return list(self._python(path, text, frozenset(own))) if path.endswith(".py") else []

    def _python(self, path: str, text: str, own: frozenset[str]) -> Iterator[Violation]:
        tree = parsed(text)
        if isinstance(tree, str):
            yield Violation("syntax", path, tree)
            return
        if self.imports is None:
            return
        for name, line in sorted(set(_imported(tree)), key=lambda each: each[1]):
            if name not in self.imports and name not in own:
                yield Violation("import", path, f"line {line} imports {name[:60]}, which is not allowed")
        for name, line in sorted(set(_dynamic(tree)), key=lambda each: each[1]):
            yield Violation("dynamic", path, f"line {line} uses {name}, which is not allowed")

    def overfull(self, files: Mapping[str, bytes]) -> list[Violation]:
        """What is not allowed of all files of a state together."""
        found = []
        total = sum(len(data) for data in files.values())
        if total > self.total_bytes:
            found.append(Violation("total", "", f"{total} bytes in all, and at most {self.total_bytes} are kept"))
        if len(files) > self.files:
            found.append(Violation("count", "", f"{len(files)} files, and at most {self.files} are kept"))
        return found


def modules(paths: Iterable[str]) -> frozenset[str]:
    """The names under which the Python files of a state can be imported: theirs, and those of the folders they lie in.

    >>> sorted(modules(["agent/tools/count.py", "agent/notes.md"]))
    ['agent', 'count', 'tools']
    """
    names: set[str] = set()
    for path in paths:
        if path.endswith(".py"):
            names.update(path.removesuffix(".py").split("/"))
    return frozenset(names - sys.stdlib_module_names)


def changed(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Mapping[str, bytes | None]:
    """What became of the files of a state, by path: the new bytes, or None for one that is gone."""
    found: dict[str, bytes | None] = {path: data for path, data in after.items() if before.get(path) != data}
    found |= {path: None for path in before if path not in after}
    return dict(sorted(found.items()))


# --------------------------------------------------------------------------------------------- paths


@lru_cache(maxsize=512)
def _pattern(glob: str) -> re.Pattern[str]:
    pieces = (".*" if piece == "**" else "[^/]*" if piece == "*" else re.escape(piece) for piece in _split(glob))
    return re.compile("".join(pieces), re.DOTALL)


def _split(glob: str) -> list[str]:
    return re.split(r"(\*\*|\*)", glob)


def matches(path: str, glob: str) -> bool:
    """Whether a path fits a pattern of a surface.

    >>> matches("agent/tools/count.py", "agent/tools/*.py"), matches("agent/tools/a/b.py", "agent/tools/*.py")
    (True, False)
    """
    return _pattern(glob).fullmatch(path) is not None


def _odd(path: str) -> str | None:
    """Why a path is an odd one: it would be read otherwise elsewhere, or does not show what it is."""
    pieces = path.split("/")
    if len(pieces) < 2 or any(piece in ("", ".", "..", ".git") for piece in pieces):
        return "a path is a part of the state and plain names below it"
    if len(pieces) > DEEPEST:
        return f"it lies {len(pieces)} deep, and at most {DEEPEST} are kept"
    if len(path) > 200:
        return f"its path has {len(path)} characters, and at most 200 are kept"
    if not path.isprintable() or unicodedata.normalize("NFC", path) != path:
        return "its name holds characters that do not show, or that are spelt in two ways"
    if any(piece != piece.strip() or piece.startswith(("-", "~")) or piece.endswith(".") for piece in pieces):
        return "a name begins with no dash, tilde or space, and ends in no space or dot"
    if any(letter in path for letter in '\\:*?"<>|$`'):
        return 'a name holds none of \\ : * ? " < > | $ `'
    return None


def _shown(path: str) -> str:
    """A path as text that cannot break what it stands in."""
    return path if path.isprintable() and len(path) <= 200 else ascii(path)[:200]


# --------------------------------------------------------------------------------------------- content


def _text(data: bytes) -> str | None:
    if b"\x00" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def parsed(text: str) -> ast.Module | str:
    """The syntax tree of Python text, or why there is none. Nothing of it is run."""
    try:
        with warnings.catch_warnings():  # an odd escape is no fault, and nobody here reads of it
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        return f"line {error.lineno or '?'} is no Python: {ascii(error.msg)[1:81]}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"it is no Python that can be read: {type(error).__name__}"


def _imported(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The top names of all that is imported, with the line. A relative import stays in the state."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").partition(".")[0], node.lineno


def _dynamic(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in DYNAMIC:
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and node.attr in DYNAMIC - {"compile"}:
            yield node.attr, node.lineno
