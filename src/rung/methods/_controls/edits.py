"""An edit with other text in it: the same files, as many characters, and nothing that the method had to say.

An edit is read line by line, and only what it puts in is text of the method's; what it takes out is taken out.

- *Plain text*: what a hunk puts in is written anew, word for word of the same length. A random edit lies anywhere in
  the file, and takes out there as many characters as the hunk did.
- *Records* (`.json`, `.jsonl`): only prose is written anew, which is a text with a space in it that was not in the
  file before; so a record stays one, and keeps its place and its keys. A line of records, or a document, without new
  prose is left out: numbers and names cannot be written anew and stay what they are. Those beside new prose go in as
  they are.
- *What the method keeps for itself* under `method/` goes in as it is: nobody who acts sees it.
- *Other bytes than UTF-8, and files taken away*: left as the incumbent has them.

Code need not run afterwards. An agent whose code does not is scored as it stands, as after any bad edit.
"""

import json
import random
import re
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from rung.core.seeds import Seed
from rung.core.values import State

KEPT_WHOLE = "method/"
_TOKEN = re.compile(r'("(?:[^"\\\n]|\\.)*")(\s*:)?')
"""A string of JSON, and the colon that makes it a key."""


@dataclass(frozen=True, slots=True)
class Hand:
    """How text is written anew, at the same length; and whether plain text then lies `anywhere` in its file."""

    write: Callable[[str, random.Random], str]
    anywhere: bool


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What came of an edit: the files that were written anew, the characters put in and taken out there, and the files
    whose change was left out."""

    state: State
    files: tuple[str, ...]
    characters: int
    left: tuple[str, ...]


def rewritten(before: State, after: State, hand: Hand, seed: Seed) -> Rewriting:
    """The edit from one state to another with other text in it."""
    kept = {path: data for path, data in before.files.items() if not path.startswith(KEPT_WHOLE)}
    kept |= after.part(KEPT_WHOLE.rstrip("/")).files
    files, left, characters = list[str](), list[str](), 0
    for path in _changed(before, after):
        made = _file(path, before.files.get(path), after.files.get(path), hand, seed.child(path).rng())
        if made is None:
            left.append(path)
            continue
        text, size = made
        kept[path] = text.encode("utf-8")
        files.append(path)
        characters += size
    return Rewriting(State(kept), tuple(files), characters, tuple(left))


def _changed(before: State, after: State) -> Iterator[str]:
    for path in sorted({*before.files, *after.files}):
        if before.files.get(path) != after.files.get(path) and not path.startswith(KEPT_WHOLE):
            yield path


def _file(
    path: str, before: bytes | None, after: bytes | None, hand: Hand, rng: random.Random
) -> tuple[str, int] | None:
    """The text of a file and the size of its edit; None where the change is left out."""
    try:
        old = (before or b"").decode("utf-8")
        new = after.decode("utf-8") if after is not None else None
    except UnicodeDecodeError:
        return None
    if new is None:
        return None
    hunks = list(_hunks(old, new))
    if path.endswith(".json"):
        made = _document(old, new, hand, rng)
    else:
        made = _lines(hunks, old, hand, rng) if path.endswith(".jsonl") else _plain(hunks, old, hand, rng)
    size = sum(len(hunk.out) + len(hunk.put) for hunk in hunks if hunk.changes)
    return None if made is None else (made, size)


# --------------------------------------------------------------------------------------------- the ways to write anew


def random_letters(text: str, rng: random.Random) -> str:
    """Random letters in place of all that is no white space.

    >>> len(random_letters("Look, first.\\n", random.Random(1))), random_letters(" \\n", random.Random(1))
    (13, ' \\n')
    """
    return "".join(sign if sign.isspace() else rng.choice(string.ascii_lowercase) for sign in text)


def shuffled_words(text: str, rng: random.Random) -> str:
    """The words in another order, the white space as it was; of one word, or of equal ones, the letters.

    Never the text itself, unless no other order of its letters is another text.

    >>> sorted(shuffled_words("look  before you\\nleap", random.Random(1)).split())
    ['before', 'leap', 'look', 'you']
    >>> shuffled_words("ab", random.Random(1)), shuffled_words("aaa", random.Random(1))
    ('ba', 'aaa')
    """
    parts = re.split(r"(\s+)", text)
    words = parts[::2]
    if len({*filter(None, words)}) > 1:
        places = [place for place, word in enumerate(words) if word]
        for place, word in zip(places, _another_order([words[place] for place in places], rng), strict=True):
            words[place] = word
        parts[::2] = words
        return "".join(parts)
    letters = iter(_another_order([sign for sign in text if not sign.isspace()], rng))
    return "".join(sign if sign.isspace() else next(letters) for sign in text)


def _another_order(things: Sequence[str], rng: random.Random) -> list[str]:
    """The same things in another order than they are in, where there is one: a shuffle, turned until it differs."""
    order = list(things)
    rng.shuffle(order)
    for _ in order:
        if order != list(things):
            break
        order = [*order[1:], order[0]]
    return order


# --------------------------------------------------------------------------------------------- hunks


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Neighbouring lines that an edit takes out, and those that it puts in their place; equal where it changes none."""

    out: str
    put: str
    changes: bool


def _hunks(old: str, new: str) -> Iterator[_Hunk]:
    """The lines of both texts in order. Equal lines at both ends are not compared, which is most of a long file."""
    first, second = old.splitlines(keepends=True), new.splitlines(keepends=True)
    most = min(len(first), len(second))
    head = next((place for place in range(most) if first[place] != second[place]), most)
    tail = next((place for place in range(most - head) if first[-1 - place] != second[-1 - place]), most - head)
    ends = len(first) - tail, len(second) - tail
    yield _Hunk("".join(first[:head]), "".join(first[:head]), changes=False)
    matched = SequenceMatcher(None, first[head : ends[0]], second[head : ends[1]], autojunk=False)
    for word, a, b, c, d in matched.get_opcodes():
        out, put = "".join(first[head + a : head + b]), "".join(second[head + c : head + d])
        yield _Hunk(out, put, changes=word != "equal")
    yield _Hunk("".join(first[ends[0] :]), "".join(first[ends[0] :]), changes=False)


def _plain(hunks: Sequence[_Hunk], old: str, hand: Hand, rng: random.Random) -> str:
    if not hand.anywhere:
        return "".join(hand.write(hunk.put, rng) if hunk.changes else hunk.put for hunk in hunks)
    text = old
    for hunk in hunks:
        if hunk.changes:
            start = rng.randrange(len(text) - min(len(hunk.out), len(text)) + 1)
            text = text[:start] + hand.write(hunk.put, rng) + text[start + len(hunk.out) :]
    return text


def _document(old: str, new: str, hand: Hand, rng: random.Random) -> str | None:
    """A whole JSON document with its new prose written anew; None where it has none."""
    made = _anew(new, _known(old), hand, rng)
    return made if made != new else None


def _lines(hunks: Sequence[_Hunk], old: str, hand: Hand, rng: random.Random) -> str | None:
    """JSON Lines with their new prose written anew, and the new lines without any left out; None where nothing is
    left of the edit."""
    known = _known(old)
    made = [_of_hunk(hunk, known, hand, rng) if hunk.changes else hunk.put for hunk in hunks]
    if all(text is None for hunk, text in zip(hunks, made, strict=True) if hunk.changes):
        return None
    return "".join(hunk.out if text is None else text for hunk, text in zip(hunks, made, strict=True))


def _of_hunk(hunk: _Hunk, known: set[str], hand: Hand, rng: random.Random) -> str | None:
    """What a hunk puts in, as far as it has prose; None where it puts something in and has none."""
    lines = hunk.put.splitlines(keepends=True)
    made = [text for line in lines if (text := _anew(line, known, hand, rng)) != line]
    return "".join(made) if made or not lines else None


def _anew(text: str, known: set[str], hand: Hand, rng: random.Random) -> str:
    """JSON with the prose that is not known written anew."""

    def other(token: re.Match[str]) -> str:
        said = _string(token[1])
        if token[2] or said in known or not re.search(r"\S\s+\S", said):
            return token[0]
        return json.dumps(hand.write(said, rng), ensure_ascii=token[0].isascii())

    return _TOKEN.sub(other, text)


def _known(text: str) -> set[str]:
    return {_string(token[1]) for token in _TOKEN.finditer(text)}


def _string(token: str) -> str:
    """What a string of JSON says; nothing where it is none after all."""
    try:
        return str(json.loads(token))
    except ValueError:
        return ""
