"""A text whose letters were moved: each word turned round, or the alphabet shifted, mirrored or moved on a keyboard.

All of these leave words words. So the different words of a text are moved first, and the text only where `LEAST` of
them come out as names of exam items: twenty-eight readings cost no more than one.
"""

import string
from collections.abc import Callable, Collection, Iterator, Sequence

LEAST = 3
"""Names of exam items that have to come out: of a thousand words moved in 28 ways one or two do by chance."""
LONGEST = 1 << 20
"""Letters of a text that is read in other ways."""

_LOWER = string.ascii_lowercase


def _shift(by: int) -> dict[int, int]:
    return str.maketrans(_LOWER, _LOWER[by:] + _LOWER[:by])


_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_LEFT = str.maketrans("".join(_ROWS), "".join(row[-1] + row[:-1] for row in _ROWS))
_RIGHT = str.maketrans("".join(_ROWS), "".join(row[1:] + row[0] for row in _ROWS))

_TABLES = (
    *((f"letters {26 - by} on", _shift(by)) for by in range(1, 26)),
    ("letters mirrored", str.maketrans(_LOWER, _LOWER[::-1])),
    ("keys one to the left", _LEFT),
    ("keys one to the right", _RIGHT),
)


def respelt(
    text: str, different: Collection[str], words: Sequence[str], names: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Other readings of a text of these words in which names stand, each with what was done."""
    if len(text) > LONGEST:
        return
    long = sorted(word for word in different if len(word) > 3)
    if len(long) < LEAST:
        return
    joined = "\n".join(long)
    for name, table in _TABLES:
        if _named(joined.translate(table).split("\n"), names):
            yield name, text.lower().translate(table)
    for name, turn in _TURNS:
        if _named([turn(word) for word in long], names):
            yield name, " ".join(turn(word) for word in words)


def _named(words: list[str], names: Collection[str]) -> bool:
    return sum(word in names for word in words) >= LEAST


def _pig(word: str) -> str:
    """A word of pig Latin as it was: `oundryfay`."""
    bare = word.removesuffix("ay").removesuffix("w")
    return bare[-1:] + bare[:-1]


_TURNS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("words turned round", lambda word: word[::-1]),
    ("first letters last", lambda word: word[-1:] + word[:-1]),
    ("last letters first", lambda word: word[1:] + word[:1]),
    ("pig Latin", _pig),
)
