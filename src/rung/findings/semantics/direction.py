"""In which direction a text points: whether it says the opposite of another about the same thing."""

import re
from collections.abc import Mapping
from functools import lru_cache

from rung.findings.semantics.lexicon import lexicon
from rung.findings.semantics.words import content, plain, words

_NARROW = frozenset(("unless", "except", "only", "until"))
_UNDER = re.compile(
    r"\b(?:if|when|whenever|while|because|since|so that|that|which|who|whose|whether|until|unless|as long as)\b"
    r".*?(?:,|$)"
)
_OVER = re.compile(r"\b(?:rather than|instead of|before|ahead of|prior to|over|and then|then)\b")
_LATER = re.compile(r"\b(?:after|following)\b")


def turned(one: str, other: str) -> bool:
    """Whether two texts that are about one thing point in opposite directions.

    >>> turned("Open corners first.", "Never open corners first."), turned("Turn left.", "Turn right.")
    (True, True)
    >>> turned("Heal before buying cards.", "Buy cards before healing.")
    True
    >>> turned("Do not guess.", "Never guess."), turned("Guess only when stuck.", "Never guess.")
    (False, False)
    """
    if _NARROW & (set(words(one)) ^ set(words(other))):
        return False  # a limit to it is a revision
    if _swapped(one, other):
        return True
    return (_negated(one) != _negated(other)) != _opposite(one, other)  # "not left" after "right" turns nothing round


@lru_cache(maxsize=1 << 14)
def _negated(text: str) -> bool:
    """Whether the main clause of a text says "do not": an odd number of negations in it."""
    main = _UNDER.sub(" ", plain(text))
    return sum(each in lexicon().negations or each.endswith("n't") for each in words(main)) % 2 == 1


@lru_cache(maxsize=1 << 14)
def _signs(text: str) -> Mapping[int, tuple[int, ...]]:
    """Which sides a text takes, in order, for each pair of opposites it has a word of."""
    found: dict[int, tuple[int, ...]] = {}
    before = ""
    for word in words(plain(text)):
        if word in lexicon().sides:
            number, sign = lexicon().sides[word]
            found[number] = (*found.get(number, ()), -sign if before in lexicon().flips else sign)
        before = word
    return found


def _opposite(one: str, other: str) -> bool:
    a, b = _signs(one), _signs(other)
    return any(a[number] != b[number] and not _within(a[number], b[number]) for number in a.keys() & b.keys())


def _within(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether one text takes the sides of the other and more: it says more, and nothing else."""
    return len(one) != len(other) and set(one) & set(other) != set()


def _swapped(one: str, other: str) -> bool:
    """Whether what comes first in one comes second in the other."""
    a, b = _parts(one), _parts(other)
    if a is None or b is None:
        return False
    straight = len(a[0] & b[0]) + len(a[1] & b[1])
    crossed = len(a[0] & b[1]) + len(a[1] & b[0])
    return crossed > straight and bool(a[0] & b[1]) and bool(a[1] & b[0])


@lru_cache(maxsize=1 << 14)
def _parts(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """What a text puts first, and what second; None where it speaks of no order."""
    low = plain(text)
    for pattern, later in ((_OVER, False), (_LATER, True)):
        cut = pattern.search(low)
        if cut:
            sides = frozenset(content(low[: cut.start()])), frozenset(content(low[cut.end() :]))
            if all(sides):
                return (sides[1], sides[0]) if later else sides
    return None


@lru_cache(maxsize=1 << 14)
def undirected(text: str) -> tuple[str, ...]:
    """The words of a text without negations, and with one word for both sides of a pair of opposites."""
    said = [each for each in words(plain(text)) if each not in lexicon().negations and not each.endswith("n't")]
    pairs = [f"pair {lexicon().sides[each][0]}" for each in said if each in lexicon().sides]
    return (*content(" ".join(each for each in said if each not in lexicon().sides)), *pairs)
