"""A state cut into pieces: a sentence or item of prose, a function or statement of code, a key of settings.

A piece is what can be a proposal when a change brings it (docs/guide/annotating.md). Files are foreign: they are read
as data, never run; what is no text, or too large, has no pieces.
"""

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rung.findings.semantics.surface import CODE, REMEMBERED, SETTINGS

LARGEST = 1 << 20
"""Bytes of a file that is cut."""
LONGEST = 2000
"""Characters of a piece that are shown and compared."""
MOST = 4000
"""Pieces of one file."""

_KEPT_BOOKS = re.compile(
    r"(^|/)(counters?|meta|stats|state)\.jsonl?$"
    r"|^agent/weights\.json$"  # a hash in place of weights (see `rung.core.training`): nothing that could be read
    r"|(^|/)(episodes?|history|attempts?|transcripts?|trajector(y|ies))(/|\.jsonl?$)"
)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|=+\s*$|-{3,}\s*$|<[^>]*>\s*$|\|?[\s:|-]+\|\s*$)")
_FENCE = re.compile(r"^\s*(```|~~~)")
_END = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(\[`]?[A-Z])")
_LEANS = re.compile(
    r"(?:because|this|that|these|those|otherwise|so|thus|therefore|hence|for example|e\.g\.|it|they|then|next time"
    r"|in (?:the )?future|from now on|lesson|instead)\b",
    re.IGNORECASE,
)
_STORY = re.compile(r"(?:I|My|We|Our)\b(?! (?:should|must|will|shall|need|can|could|ought)\b)")
"""How a sentence begins that tells what happened; what is to be learned of it comes behind."""
_SENTENCE = re.compile(r"[^\W\d_]{2,}(?:\s+\S+){2}")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece at a path. `name` is what it is called where it has a name: a function, a key, the id of a record."""

    path: str
    text: str
    name: str = ""

    @property
    def key(self) -> str:
        """What makes it the same piece wherever it lies: its text without regard to white space."""
        return key_of(self.text)


def key_of(text: str) -> str:
    """A text without regard to white space."""
    return " ".join(text.split())


def pieces(files: Mapping[str, bytes]) -> tuple[Piece, ...]:
    """All pieces of a state's files, file by file in the order of their paths."""
    return tuple(piece for path in sorted(files) if is_kept(path) for piece in cut(path, files[path]))


def is_kept(path: str) -> bool:
    """Whether proposals can lie at a path: not in conversations, counters and episodes, nor in a method's own files.

    A method's own files count where they are the improver, which the next change is made with.
    """
    part = path.partition("/")[0]
    kept = part != "conversation" and (part != "method" or re.search(r"improver|meta_agent|meta_prompt", path))
    return bool(kept) and _KEPT_BOOKS.search(path) is None


def cut(path: str, data: bytes) -> Iterator[Piece]:
    """The pieces of one file."""
    if len(data) > LARGEST or b"\0" in data:
        return
    text = data.decode("utf-8", "replace")
    count = 0
    for name, piece in _cutter(path)(text):
        if count == MOST:
            return
        if piece.strip():
            count += 1
            yield Piece(path, piece.strip()[:LONGEST], name)


def _cutter(path: str) -> "Callable[[str], Iterator[tuple[str, str]]]":
    if path.endswith(".jsonl"):
        return _records
    if path.endswith(".json"):
        return lambda text: _document(text, numbers=REMEMBERED.search(path) is None)
    if path.endswith((".py", ".pyi")):
        return _python
    if CODE.search(path):
        return _blocks
    return _settings if SETTINGS.search(path) else prose


# --------------------------------------------------------------------------------------------- prose


def prose(text: str) -> Iterator[tuple[str, str]]:
    """The sentences of paragraphs and items; headings are none, and a fenced block of code is one piece."""
    paragraph: list[str] = []
    fence: list[str] | None = None
    for line in [*text.splitlines(), ""]:
        if _FENCE.match(line):
            yield from (("", each) for each in sentences(" ".join(paragraph)))
            paragraph = []
            if fence is not None:
                yield "", "\n".join(fence)
            fence = [] if fence is None else None
        elif fence is not None:
            fence.append(line)
        elif not line.strip() or _HEADING.match(line) or _ITEM.match(line):
            yield from (("", each) for each in sentences(" ".join(paragraph)))
            paragraph = [] if not line.strip() or _HEADING.match(line) else [_ITEM.sub("", line)]
        else:
            paragraph.append(line.strip())
    if fence:
        yield "", "\n".join(fence)


def sentences(text: str) -> list[str]:
    """A text as the proposals in it: its sentences, but a reason or a story stays with what it belongs to.

    >>> sentences("Plant corn first. It ripens late. Sell all on the last day.")
    ['Plant corn first. It ripens late.', 'Sell all on the last day.']
    """
    found: list[str] = []
    telling = False
    for each in _END.split(" ".join(text.split())):
        if found and (telling or len(each.split()) < 2 or _LEANS.match(each)):
            found[-1] = f"{found[-1]} {each}"
            telling = telling and _STORY.match(each) is not None
        elif each:
            found.append(each)
            telling = _STORY.match(each) is not None
    return found


# --------------------------------------------------------------------------------------------- records and settings


def _records(text: str) -> Iterator[tuple[str, str]]:
    """The sentences in each record of a file of JSON lines, under the record's id."""
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield from prose(line)
            continue
        name = str(value.get("id", "")) if isinstance(value, dict) else ""
        for _, leaf in _leaves(value):
            if isinstance(leaf, str) and _SENTENCE.search(leaf):
                yield from ((name, each) for each in sentences(leaf))


def _document(text: str, *, numbers: bool) -> Iterator[tuple[str, str]]:
    """What a JSON file says: sentences, and of settings every key with its value."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield from prose(text)
        return
    for name, leaf in _leaves(value):
        if isinstance(leaf, str) and _SENTENCE.search(leaf):
            yield from ((name, each) for each in sentences(leaf))
        elif numbers:
            yield name, f"{name} = {json.dumps(leaf)}"


def _leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """Every value in a document that holds no others, under its path, without recursion: nesting is foreign."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        name, each = waiting.pop()
        if isinstance(each, dict):
            waiting += [(f"{name}.{key}".strip("."), inner) for key, inner in reversed(each.items())]
        elif isinstance(each, list):
            waiting += [(name, inner) for inner in reversed(each)]
        else:
            yield name, each


def _settings(text: str) -> Iterator[tuple[str, str]]:
    """Every line that sets something, under its key."""
    section = ""
    for line in text.splitlines():
        said = line.strip()
        if re.fullmatch(r"\[+[^\]]*\]+", said):
            section = said.strip("[]") + "."
        elif said and not said.startswith(("#", ";", "//")):
            key = re.match(r"[-\s]*([\w.-]+)\s*[:=]", said)
            yield (f"{section}{key[1]}" if key else "", said)


# --------------------------------------------------------------------------------------------- code


def _python(text: str) -> Iterator[tuple[str, str]]:
    """Functions, classes and statements at the top of a Python file; a string of several sentences is those."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from _blocks(text)
        return
    lines = text.splitlines()
    for place, node in enumerate(tree.body):
        words = _words_of(node)
        if isinstance(node, ast.Import | ast.ImportFrom) or (place == 0 and _is_docstring(node)):
            continue
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        found = sentences(words) if words is not None else []
        source = "\n".join(lines[first - 1 : node.end_lineno])
        yield from ((_name(node), each) for each in (found if len(found) > 1 else [source]))


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _words_of(node: ast.stmt) -> str | None:
    """The text that a statement gives a name, None where it does something else."""
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return target.id if isinstance(target, ast.Name) else ""


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Code of another language: a piece begins at each line that is not indented and closes nothing."""
    block: list[str] = []
    for line in text.splitlines():
        begins = line[:1].strip() and not re.match(r"[})\]]|else\b|elif\b|fi\b|done\b|end\b|catch\b", line)
        if begins and block:
            yield _first_name(block[0]), "\n".join(block)
            block = []
        if line.strip():
            block.append(line)
    if block:
        yield _first_name(block[0]), "\n".join(block)


def _first_name(line: str) -> str:
    found = re.match(r"(?:export\s+)?(?:async\s+)?(?:function|const|let|var|def|class|func|fn)?\s*([A-Za-z_]\w*)", line)
    return found[1] if found else ""
