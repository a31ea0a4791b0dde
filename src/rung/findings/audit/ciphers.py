"""Exam content written in other signs, one for one: whatever the alphabet is, it need not be known.

Where every letter is replaced by one sign, always the same, the places where a letter comes again stay where they were.
So a stretch of text is known by how far back each of its letters last stood, and that is the same behind a shift of the
alphabet, an alphabet of one's own, one byte for all in an exclusive or, signs, words or numbers for letters.

Exam items are kept as such patterns, of `SPAN` letters; a text is read as several streams of signs: its letters, every
second or third of them, its words and numbers, the bytes and groups of digits of its coded runs. `LEAST` patterns of
one item in a row are the item: by chance two stretches of `SPAN + LEAST` letters repeat in the same places once in
some 10^15.

A stretch that stands there in its own letters is not meant here: texts made from one form have equal patterns where
only their figures differ, and the other rules see them.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rung.findings.audit.english import listed

SPAN = 32
"""Letters of a pattern: fewer are alike by chance in a long text, and many items say no more than 60."""
LEAST = 8
"""Patterns that have to follow one another: a stretch of 40 letters."""
NEW, REPEATS, FAR = 8, 8, 5
"""Letters of a pattern that are new, that come again, and different distances of these: a board or a rule of signs has
few, and is like another."""
OWN = 0.4
"""Share of the signs that are the item's own letters, from which on a stretch is in no other signs."""
MOST_ITEM = 4_000
"""Letters of an item that are kept as patterns; what follows in a long game is like what came before."""
MOST_STREAM = 1 << 20
"""Signs of one stream."""
MOST_STRIDED = 128 << 10
"""Letters of a text that are read at strides as well: nobody weaves more by hand."""
MOST_SIGNS = 90
"""Different words that may be signs for letters: small and large ones, figures and marks. A text of words has more."""
PLAIN = 0.2
"""Share of such words in one line, from which on it is in no other signs: in those one or two come by chance."""
LANGUAGE = 0.08
"""Share of the commonest words of English or of programs, from which on a text is read as it stands."""

Signs: TypeAlias = Sequence[object]

_WEIGHTS = np.random.default_rng(1).integers(1, 1 << 62, size=SPAN, dtype=np.uint64) | np.uint64(1)
_COMMON = frozenset(
    listed(
        "the of and to a in is it for that on with as was be this are or at by an not from if def return "
        "import else self true false none null int str let const var function then we i you have has my s"
    )
)


_LAST = np.uint64((1 << 20) - 1)


@dataclass(frozen=True)
class Patterns:
    """The patterns of all items: sorted, with the item of each, and where it stands in which of its texts."""

    hashes: NDArray[np.uint64] = field(hash=False)
    places: NDArray[np.int64] = field(hash=False)
    sources: NDArray[np.int64] = field(hash=False)
    offsets: NDArray[np.int64] = field(hash=False)
    texts: tuple[str, ...] = ()

    @cached_property
    def sieve(self) -> NDArray[np.bool_]:
        """Which last bits the hashes have."""
        found = np.zeros(int(_LAST) + 1, np.bool_)
        found[(self.hashes & _LAST).astype(np.int64)] = True
        return found

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return len(self.hashes) > 0


@dataclass(frozen=True, slots=True)
class Hidden:
    """An item that stands in a text in other signs: what it says there, and the signs."""

    place: int
    says: str
    signs: str


def patterns(items: Mapping[int, Sequence[str]]) -> Patterns:
    """The patterns of items, by their texts, less those that two items share."""
    texts: list[str] = []
    rows: list[tuple[NDArray[np.uint64], NDArray[np.int64], int, int]] = []
    times = Counter(text for said in items.values() for text in set(said))
    for place, said in items.items():
        for form in _kept(text for text in said if times[text] == 1):
            rows.append((*_told(form), place, len(texts)))
            texts.append(form)
    if not sum(len(row[0]) for row in rows):
        empty = np.empty(0, np.int64)
        return Patterns(np.empty(0, np.uint64), empty, empty, empty)
    hashes = np.concatenate([row[0] for row in rows])
    offsets = np.concatenate([row[1] for row in rows])
    places, sources = (np.concatenate([np.full(len(row[0]), row[at], np.int64) for row in rows]) for at in (2, 3))
    order = np.argsort(hashes, kind="stable")
    hashes, places, sources, offsets = hashes[order], places[order], sources[order], offsets[order]
    firsts, group = np.unique(hashes, return_index=True, return_inverse=True)[1:]
    keep = (np.maximum.reduceat(places, firsts) == np.minimum.reduceat(places, firsts))[group]
    return Patterns(hashes[keep], places[keep], sources[keep], offsets[keep], tuple(texts))


def _kept(said: Iterable[str]) -> Iterator[str]:
    """The texts of one item in all their forms, the shortest first, as far as there is room."""
    room = MOST_ITEM
    for text in sorted(dict.fromkeys(said), key=len):
        if room > 0:
            yield from dict.fromkeys(_forms(text[:room]))
        room -= len(text)


def in_work(says: str, work: Iterable[str]) -> bool:
    """Whether work has a stretch of the same pattern: then it is of a form that all of them have."""
    wanted = _told(says)[0]
    return any(np.isin(_told(form)[0], wanted).any() for text in work for form in _forms(text))


def _forms(text: str) -> Iterator[str]:
    """A text as somebody may write it before they put signs for its letters: as it is, in small letters, its letters
    and figures alone, with and without spaces."""
    low = text.lower()
    bare = re.sub(r"[^\w\s]|_", "", low)
    yield text
    yield low
    yield re.sub(r"\s", "", text)
    yield re.sub(r"[\W_]", "", text)
    yield " ".join(bare.split())
    yield re.sub(r"\s", "", bare)
    yield re.sub(r"[\s\d]", "", bare)


def _told(signs: Signs | str) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The patterns of a stream that say enough, and where each begins."""
    ids = _numbers(signs)
    if len(ids) < SPAN:
        return np.empty(0, np.uint64), np.empty(0, np.int64)
    return _patterned(ids)


def _numbers(signs: Signs | str) -> NDArray[np.int64]:
    if isinstance(signs, str):
        return np.frombuffer(signs.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)
    if isinstance(signs, bytes):
        return np.frombuffer(signs, np.uint8).astype(np.int64)
    seen: dict[object, int] = {}
    return np.fromiter((seen.setdefault(sign, len(seen)) for sign in signs), np.int64, len(signs))


def _patterned(ids: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The patterns that say enough, and where each begins."""
    back = _back(ids)
    starts = len(ids) - SPAN + 1
    repeats, kinds = np.zeros(starts, np.int64), np.zeros(starts, np.uint64)
    for at in range(SPAN):
        step = back[at : at + starts]
        step = np.where(step <= at, step, 0)
        repeats += step > 0
        kinds |= np.left_shift(np.uint64(1), step.astype(np.uint64))
    far = np.bitwise_count(kinds & ~np.uint64(1)) if hasattr(np, "bitwise_count") else _ones(kinds & ~np.uint64(1))
    good = (repeats >= REPEATS) & (repeats <= SPAN - NEW) & (far >= FAR)
    return _hashes(back)[good], np.flatnonzero(good).astype(np.int64)


def _back(ids: NDArray[np.int64]) -> NDArray[np.uint8]:
    """How far back each sign last stood; nothing where that is no less than `SPAN`."""
    order = np.argsort(ids, kind="stable")
    back = np.zeros(len(ids), np.int64)
    again = ids[order[1:]] == ids[order[:-1]]
    back[order[1:]] = np.where(again, order[1:] - order[:-1], 0)
    back[back >= SPAN] = 0
    return back.astype(np.uint8)


def _hashes(back: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The hash of every `SPAN` signs: what stood back before their first is new in them."""
    starts = len(back) - SPAN + 1
    hashes, part = np.zeros(starts, np.uint64), np.empty(starts, np.uint64)
    for at in range(SPAN):
        np.take(_STEPS[at], back[at : at + starts], out=part)
        hashes += part
    return hashes


def _steps() -> NDArray[np.uint64]:
    """What a step back weighs at each place of a pattern; nothing where it leads out of it."""
    steps = np.arange(256, dtype=np.uint64)[None, :] * _WEIGHTS[:, None]
    steps[np.arange(256)[None, :] > np.arange(SPAN)[:, None]] = 0
    return steps


_STEPS = _steps()


def _ones(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    ones: NDArray[np.int64] = np.unpackbits(values.view(np.uint8).reshape(len(values), 8), axis=1).sum(
        axis=1, dtype=np.int64
    )
    return ones


# --------------------------------------------------------------------------------------------- in a text


def hidden(text: str | bytes, known: Patterns) -> Iterator[Hidden]:
    """The items that stand in a text, or in bytes that are no text, in other signs, each once."""
    if not known.any or len(text) < SPAN + LEAST:
        return
    if isinstance(text, bytes):
        yield from _once(in_signs(text[:MOST_STREAM], known))
        return
    text = text[:MOST_STREAM]
    yield from _once(in_signs(_strange(text), known))
    yield from _once(found for signs in streams(text) for found in in_signs(signs, known, own=1.1))
    if len(text) <= MOST_STRIDED and not _is_language(text):
        yield from _once(found for signs in _woven(text.strip()) for found in in_signs(signs, known, own=1.1))


def _once(found: Iterable[Hidden]) -> Iterator[Hidden]:
    told: set[int] = set()
    for each in found:
        if each.place not in told:
            told.add(each.place)
            yield each


def in_signs(signs: Signs | str | bytes, known: Patterns, own: float = OWN) -> Iterator[Hidden]:
    """The items in one stream of signs, of which less than this share are the item's own letters."""
    ids = _numbers(signs)
    hashes = _hashes(_back(ids)) if len(ids) >= SPAN else np.empty(0, np.uint64)
    hashes = hashes[starts := np.flatnonzero(_may_be(hashes, known))]
    at = np.searchsorted(known.hashes, hashes)
    at = np.minimum(at, max(len(known.hashes) - 1, 0))
    hit = np.flatnonzero(known.hashes[at] == hashes) if len(hashes) and known.any else np.empty(0, np.int64)
    if len(hit) < LEAST:
        return
    for place in np.unique(known.places[at[hit]]):
        mine = hit[known.places[at[hit]] == place]
        first = _first_in_a_row(starts[mine])
        if first is None:
            continue
        start, entry = int(starts[mine[first]]), int(at[mine[first]])
        offset = int(known.offsets[entry])
        says = known.texts[int(known.sources[entry])][offset : offset + SPAN + LEAST]
        there = [signs[start + step] for step in range(min(len(says), len(signs) - start))]
        shown = [chr(each) if isinstance(signs, bytes) and isinstance(each, int) else str(each) for each in there]
        same = sum(one.lower() == other.lower() for one, other in zip(shown, says, strict=False))
        if same < own * len(says):
            yield Hidden(int(place), says, ("" if isinstance(signs, str | bytes) else " ").join(shown))


def _may_be(hashes: NDArray[np.uint64], known: Patterns) -> NDArray[np.bool_]:
    """Which hashes may be of a known pattern, by their last 20 bits: a table is quicker than a search."""
    return known.sieve[(hashes & _LAST).astype(np.int64)]


def _first_in_a_row(starts: NDArray[np.int64]) -> int | None:
    """Where `LEAST` patterns begin that follow one another, with a gap of one or two at most."""
    if len(starts) < LEAST:
        return None
    spread = starts[LEAST - 1 :] - starts[: len(starts) - LEAST + 1]
    rows = np.flatnonzero(spread <= LEAST + 2)
    return int(rows[0]) if len(rows) else None


# --------------------------------------------------------------------------------------------- streams

_SEPARATE = re.compile(r"[A-Za-z0-9]+|/")
_SIGNS = re.compile(r"[.\-·•∙*_–—−+o]{1,8}|[/|]")
_HEXES = re.compile(r"[0-9a-fA-F]{64,}")
_DIGITS = re.compile(r"\d{64,}")
_TWO = re.compile(r"(?:[01]{120,}|[ABab]{120,}|[.\-]{120,}|[xo]{120,})")


def streams(text: str) -> Iterator[Signs | str]:
    """The streams of signs that a text may be read as, besides its own letters."""
    yield from _words(text)
    yield from _coded(text)


def _strange(text: str) -> str:
    """The lines of a text in which few words are common ones: in other signs, hardly any is."""
    return "\n".join(line for line in text.split("\n") if not _is_language(line, most=PLAIN))


def _is_language(text: str, most: float = LANGUAGE) -> bool:
    words = text.lower().split()
    return sum(word.strip(",.:;()") in _COMMON for word in words) > most * len(words)


def _words(text: str) -> Iterator[Signs]:
    """Its words and numbers as signs, where they are few different ones; and every second and third of them, for an
    index or a mark may stand beside each."""
    for pattern in (_SEPARATE, _SIGNS):
        found = pattern.findall(text)
        for stride in (1, 2, 3):
            for some in (found[start::stride] for start in range(stride)):
                if len(some) >= SPAN + LEAST and len(set(some)) <= MOST_SIGNS:
                    yield some


def _coded(text: str) -> Iterator[Signs]:
    """Groups of the figures of its coded runs."""
    bare = re.sub(r"\s+", "", text) if len(text) <= MOST_STRIDED else text
    for pattern, sizes in ((_HEXES, (2, 4)), (_DIGITS, (2, 3)), (_TWO, (5, 7, 8, 16))):
        for run in pattern.findall(bare):
            for size in sizes:
                yield [run[at : at + size] for at in range(0, len(run) - size + 1, size)]


MOST_MOVED = 16 << 10
"""Letters of a text whose letters are put elsewhere to be compared: nobody moves more by hand."""


def moved(text: str) -> Iterator[str]:
    """A short text that is no language with its letters in other places: its lines backwards, and woven."""
    if SPAN + LEAST <= len(text) <= MOST_MOVED and not _is_language(text):
        yield "\n".join(line[::-1] for line in text.split("\n"))
        yield re.sub(r"\w+", lambda found: found[0][::-1], text)
        yield from (text.translate(table) for table in _TABLES)
        yield from (each for each in _woven(text.strip()) if len(each) > len(text) / 2)
        yield from (_by_rows(text, width) for width in range(2, MOST_WIDE + 1))


def _by_rows(text: str, width: int) -> str:
    """A text that was read by the columns of a field, as it was.

    >>> _by_rows("t yhkee", 3)
    'the key'
    """
    size, longer = divmod(len(text), width)
    starts = [column * size + min(column, longer) for column in range(width + 1)]
    columns = [text[start:end] for start, end in itertools.pairwise(starts)]
    return "".join(column[row] for row in range(size + 1) for column in columns if row < len(column))


_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_TABLES = (
    str.maketrans(_LETTERS + _LETTERS.upper() + "0123456789", _LETTERS[::-1] + _LETTERS.upper()[::-1] + "9876543210"),
    str.maketrans(
        _LETTERS + _LETTERS.upper() + "0123456789",
        _LETTERS[13:] + _LETTERS[:13] + (_LETTERS[13:] + _LETTERS[:13]).upper() + "5678901234",
    ),
    {code: 33 + (code + 14) % 94 for code in range(33, 127)},
)
"""Letters and figures mirrored, and half an alphabet on: with the figures in it, which `respelt` leaves."""
MOST_WIDE = 10
"""Columns of a field by which a text was read."""


def _woven(text: str) -> Iterator[str]:
    """Its letters backwards, in pairs turned round, at strides, and with its halves or thirds woven."""
    yield text[::-1]
    yield "".join(text[at : at + 2][::-1] for at in range(0, len(text), 2))
    for stride in (2, 3, 4, 5):
        for start in range(stride):
            yield text[start::stride]
        size = -(-len(text) // stride)
        parts = [text[at * size : (at + 1) * size] for at in range(stride)]
        yield "".join(letter for row in range(size) for part in parts for letter in part[row : row + 1])
