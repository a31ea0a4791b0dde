"""In which direction a text points: whether it says the opposite of another about the same thing.

What a text tells one to do, what it tells one not to do, and what it says of when and why are held apart. Two texts
point apart where one wants what the other does not, where they take other sides of a pair of opposites (left, right),
or where one puts first what the other puts second. Who does not want the left takes the side of the right.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from rung.findings.semantics.lexicon import lexicon
from rung.findings.semantics.words import advice, content, plain, words

LIMITS = frozenset(("unless", "except", "only", "until"))
"""Words of a limit. One that is put to an advice, or taken from it, is a revision."""

MOST_OF = 0.5
"""More than this share of what one text denies must be wanted by another, for it to be turned round."""

_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|[.;:,]")
_REASON = frozenset(
    ("if", "when", "whenever", "while", "because", "since", "so", "whether", "as", "unless", "until", "though")
)
_WHEN = frozenset(("before", "after"))
_DENIES = frozenset(("never", "not", "avoid", "without", "cannot", "whatever", "regardless", "nor", "neither", "no"))
_DENIES_FIRST = frozenset(("stop", "skip", "ignore", "refuse", "refrain", "drop", "reject", "forget"))
_ENDS = frozenset((".", ";", ":", ",", "but"))
_OPENS = frozenset((".", ";", ":", ",", "and", "then", "must", "should", "to", "but", ""))


@dataclass(frozen=True, slots=True)
class Bearing:
    """The words of what a text wants and of what it does not want, as `content` gives them, and the sides it takes."""

    wanted: frozenset[str]
    unwanted: frozenset[str]
    sides: Mapping[int, tuple[int, ...]]


def turned(one: str, other: str) -> bool:
    """Whether two texts that are about one thing point in opposite directions.

    >>> turned("Open corners first.", "Never open corners first."), turned("Turn left.", "Turn right.")
    (True, True)
    >>> turned("Heal before buying cards.", "Buy cards before healing.")
    True
    >>> turned("Do not guess.", "Never guess."), turned("Never go left.", "Go right.")
    (False, False)
    >>> turned("Open corners first.", "Open corners first, unless a cell is certain.")
    False
    """
    a, b = bearing(one), bearing(other)
    against = _denied(a.unwanted, b.wanted) + _denied(b.unwanted, a.wanted)
    along = len(a.wanted & b.wanted) + len(a.unwanted & b.unwanted)
    if LIMITS & (set(words(one)) ^ set(words(other))):
        return against > along
    if a.sides.keys() & b.sides.keys():  # what is denied besides is the way there, and both sides say it
        return _opposite(a, b) or _swapped(one, other)
    return against > along or _swapped(one, other)


def _denied(unwanted: frozenset[str], wanted: frozenset[str]) -> int:
    """How many words of what one does not want the other wants; none where that is but a small part of it."""
    both = len(unwanted & wanted)
    return both if both > MOST_OF * len(unwanted) else 0


@lru_cache(maxsize=1 << 14)
def bearing(text: str) -> Bearing:
    """What a text wants and what not."""
    parts: dict[str, list[str]] = {"wanted": [], "unwanted": [], "reason": []}
    for mode, word in _modes(plain(advice(text))):
        parts[mode].append(word)
    wanted, unwanted = (frozenset(content(" ".join(parts[mode]))) for mode in ("wanted", "unwanted"))
    denied = {number: tuple(-side for side in taken) for number, taken in _sides(parts["unwanted"]).items()}
    sides = {**denied, **_sides(parts["wanted"])}
    return Bearing(wanted, unwanted - wanted, sides)


def _modes(text: str) -> Iterator[tuple[str, str]]:
    """Each word of a text, and whether it belongs to what is wanted, to what is not, or to when and why."""
    mode, before = "wanted", ""
    for said in _TOKEN.findall(text):
        if said in _ENDS:
            mode = "wanted"
        elif said in _REASON or (mode == "unwanted" and said in _WHEN):
            mode = "reason"
        elif _denies(said, before):
            mode = "unwanted"
        else:
            yield mode, said
        before = said


def _denies(word: str, before: str) -> bool:
    led = (before, word) in {("rather", "than"), ("instead", "of")}
    return led or word in _DENIES or word.endswith("n't") or (word in _DENIES_FIRST and before in _OPENS)


def _sides(said: list[str]) -> Mapping[int, tuple[int, ...]]:
    """Which sides some words take, in order, for each pair of opposites there is a word of."""
    found: dict[int, tuple[int, ...]] = {}
    lists = lexicon()
    for before, word in zip(["", *said], said, strict=False):
        if word in lists.sides:
            number, side = lists.sides[word]
            found[number] = (*found.get(number, ()), -side if before in lists.flips else side)
    return found


def _opposite(one: Bearing, other: Bearing) -> bool:
    pairs = ((one.sides[number], other.sides[number]) for number in one.sides.keys() & other.sides.keys())
    return any(a != b and (len(a) == len(b) or not set(a) & set(b)) for a, b in pairs)


# --------------------------------------------------------------------------------------------- order

_LED = re.compile(r"^(?:[^,.;]*?\b)?(before|after|once)\b([^,]+),(.*)$", re.DOTALL)
_MIDDLE = re.compile(r"\b(before|prior to|ahead of|and then|then|after|following)\b")
_FIRST = re.compile(r"^(.*?)\bfirst\b[, ]+(?:and|then|and then)\b(.*)$", re.DOTALL)


def _swapped(one: str, other: str) -> bool:
    """Whether what comes first in one comes second in the other, and the other way round."""
    a, b = _order(one), _order(other)
    if a is None or b is None:
        return False
    shared = (a[0] & a[1]) | (b[0] & b[1])
    crossed = (a[0] & b[1]) - shared, (a[1] & b[0]) - shared
    return all(crossed) or (any(crossed) and not (a[0] & b[0]) - shared and not (a[1] & b[1]) - shared)


@lru_cache(maxsize=1 << 14)
def _order(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """The words of what a text puts first, and of what it puts second; None where it speaks of no order."""
    low = plain(advice(text))
    led, first, middle = _LED.search(low), _FIRST.search(low), _MIDDLE.search(low)
    if led:
        early, late = (led[3], led[2]) if led[1] == "before" else (led[2], led[3])
    elif first:
        early, late = first[1], first[2]
    elif middle:
        sides = low[: middle.start()], low[middle.end() :]
        early, late = sides[::-1] if middle[1] in ("after", "following") else sides
    else:
        return None
    found = frozenset(content(early)), frozenset(content(late))
    return found if all(found) else None
