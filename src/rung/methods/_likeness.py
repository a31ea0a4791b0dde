"""Whether two short lessons say the same, without a model: by their letters, and never where one may oppose the other.

Three steps, from sure to likely: the same words; the same set of words, nearly; a cosine over counts of three and four
letters in a row, weighted by how rare they are among the lessons at hand. Any likeness puts opposites ("turn left",
"turn right") above paraphrases, so a guard goes before the last two: where numbers, negations, opposites or single
capital letters differ, two lessons are held to be two.
"""

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SAME_WORDS = 0.85
"""Share of words in common, of all words of both, from which on two lessons are the same."""

DIMENSIONS = 4096
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_NUMBER = re.compile(r"(?<!\w)-?[0-9]+(?:\.[0-9]+)?|[0-9]+")
_CAPITAL = re.compile(r"\b[A-Z]\b")
_NEGATIONS = frozenset(
    "avoid|cannot|ignore|neither|never|no|none|nor|not|nothing|refuse|stop|unless|without".split("|")  # noqa: SIM905
)
_OPPOSITES = (
    "left right|up down|before after|first last|early late|earlier later|more less|most least|high low|higher lower",
    "highest lowest|large small|larger smaller|largest smallest|long short|open closed|open close|always never",
    "increase decrease|raise lower|add remove|start end|begin end|begin finish|fast slow|safe dangerous|north south",
    "east west|attack defend|inside outside|above below|row column|true false|yes no|same different|even odd|win lose",
    "buy sell|near far|top bottom|forward back|keep discard|accept refuse|cheap expensive|all none|minimum maximum",
)
_PAIRS: Sequence[tuple[str, str]] = [
    (pair.split()[0], pair.split()[1]) for group in _OPPOSITES for pair in group.split("|")
]
_SIDED = frozenset(word for pair in _PAIRS for word in pair)


def alike(text: str, others: Sequence[str], threshold: float) -> int | None:
    """Which of the others says the same as a text, the most alike and the first among equals; None for none.

    >>> alike("Open the door on the left.", ["Open the door on the right.", "open the door, on the left"], 0.6)
    1
    """
    for index, other in enumerate(others):
        if _bare(text) == _bare(other):
            return index
    open_to = [index for index, other in enumerate(others) if not opposed(text, other)]
    for index in open_to:
        if _shared(text, others[index]) >= SAME_WORDS:
            return index
    likenesses = cosines(text, others)
    best = max(open_to, key=lambda index: likenesses[index], default=None)
    return best if best is not None and likenesses[best] >= threshold else None


def _bare(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")


def opposed(one: str, other: str) -> bool:
    """Whether two lessons may say the opposite: then they are not the same, however alike they look.

    >>> opposed("Turn left when the right side is blocked.", "Turn right when the left side is blocked.")
    True
    """
    sides = _sides(one), _sides(other)
    return _marks(one) != _marks(other) or (all(sides) and any(_differ(*sides, pair) for pair in _PAIRS))


@lru_cache(maxsize=4096)
def _sides(text: str) -> tuple[str, ...]:
    """The words of a text that have an opposite."""
    return tuple(word for word in _words(text) if word in _SIDED)


@lru_cache(maxsize=4096)
def _marks(text: str) -> tuple[Counter[str], Counter[str], bool]:
    negated = sum(word in _NEGATIONS or word.endswith("n't") for word in _words(text)) % 2 == 1
    capitals = Counter(letter for letter in _CAPITAL.findall(text) if letter not in "AI")
    return Counter(_NUMBER.findall(text)), capitals, negated


def _differ(one: Sequence[str], other: Sequence[str], pair: tuple[str, str]) -> bool:
    """Whether both speak of a pair of opposites, and not in the same order."""
    orders = [[word for word in words if word in pair] for words in (one, other)]
    return all(orders) and orders[0] != orders[1]


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold().replace("\u2019", "'")))


def _shared(one: str, other: str) -> float:
    words = set(_words(one)), set(_words(other))
    union = words[0] | words[1]
    return len(words[0] & words[1]) / len(union) if union else 0.0


def cosines(text: str, others: Sequence[str]) -> NDArray[np.float64]:
    """How alike a text and each of the others are in their letters, from 0 to 1."""
    grams = [_grams(each) for each in (text, *others)]
    row = np.repeat(np.arange(len(grams)), [len(places) for places, _ in grams])
    place, many = (np.concatenate([pair[side] for pair in grams]) for side in (0, 1))
    documents = np.bincount(place, minlength=DIMENSIONS)
    weight = many * (np.log((1 + len(grams)) / (1 + documents)) + 1.0)[place]
    first = np.zeros(DIMENSIONS)
    first[place[row == 0]] = weight[row == 0]
    lengths = np.sqrt(np.bincount(row, weight**2, len(grams)))
    products = np.bincount(row, weight * first[place], len(grams))
    scales = lengths * lengths[0]
    likenesses: NDArray[np.float64] = np.divide(products, np.where(scales > 0, scales, 1.0))
    return likenesses[1:]


@lru_cache(maxsize=4096)
def _grams(text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The runs of three and four letters, each by a place that its CRC gives it, and how often each place comes."""
    whole = f" {' '.join(_words(text))} "
    runs = (whole[at : at + size] for size in (3, 4) for at in range(len(whole) - size + 1))
    found = Counter(zlib.crc32(run.encode("utf-8", "replace")) % DIMENSIONS for run in runs)
    return np.array(list(found), dtype=np.int64), np.array(list(found.values()), dtype=np.int64)
