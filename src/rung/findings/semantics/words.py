"""Short texts as words that can be compared: without endings, and with one word for those that mean the same here."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from rung.findings.semantics.lexicon import lexicon

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_NAME = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_PHRASES = (
    (re.compile(r"(?:never|do not|don't|must not|not)\s+(?:ever\s+)?(?:exceed|go over|go beyond|overrun)"), "within"),
    (re.compile(r"(?:no|not) more than"), "at most"),
    (re.compile(r"(?:no|not) (?:less|fewer) than"), "at least"),
    (re.compile(r"(?:do not|don't|never) forget to"), ""),
    (re.compile(r"double-? ?check"), "check"),
    (re.compile(r"nothing else|nothing more|whether or not|not only|if not|or not"), ""),
    (re.compile(r"not (?:yet )?(visited|tried|explored|seen|tested)"), r"un\1"),
)
_NARRATIVE = re.compile(
    r"^.*?\b(?:next time|in future|in the future|from now on|lesson:|i should have|i should|i must|i need to)\b"
    r"[,:]?\s*(?:i (?:will|should|must|shall)\s+)?",
    re.IGNORECASE | re.DOTALL,
)
_ENDINGS = ("ations", "ation", "ings", "ing", "ied", "ies", "edly", "ed", "es", "ly", "s")


@lru_cache(maxsize=1 << 15)
def words(text: str) -> tuple[str, ...]:
    """The words of a text in small letters, names in code taken apart: `maxRetries`, `max_retries` are two words each.

    >>> words("Don't set maxRetries = 3!")
    ("don't", 'set', 'max', 'retries')
    """
    apart = _NAME.sub(" ", text.replace("\u2019", "'"))
    return tuple(each.casefold().removesuffix("'s") for each in _WORD.findall(apart))


@lru_cache(maxsize=1 << 15)
def plain(text: str) -> str:
    """A text in small letters, with turns of phrase that deny without meaning it put straight.

    >>> plain("Never exceed 3 tries."), plain("Don't forget to check.").strip()
    ('within 3 tries.', 'check.')
    """
    low = text.casefold().replace("\u2019", "'")
    for pattern, instead in _PHRASES:
        low = pattern.sub(instead, low)
    return low


@lru_cache(maxsize=1 << 15)
def advice(text: str) -> str:
    """What a text would have one do, without the story of how that came to be known.

    >>> advice("I lost all my gold. Next time I will keep some."), advice("Keep some gold.")
    ('keep some.', 'Keep some gold.')
    """
    return _NARRATIVE.sub("", text, count=1) or text


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """A word without its ending, roughly: enough to put forms of one word together.

    >>> stem("planting"), stem("planted"), stem("plants"), stem("tries"), stem("as")
    ('plant', 'plant', 'plant', 'try', 'as')
    """
    for ending in _ENDINGS:
        short = ending in ("ied", "ies")
        if word.endswith(ending) and len(word) - len(ending) >= (2 if short else 3):
            root = word.removesuffix(ending) + ("y" if short else "")
            return root[:-1] if root[-1:] == root[-2:-1] and root[-1] not in "lsz" else root.removesuffix("e")
    return word.removesuffix("e") if len(word) > 4 else word


@lru_cache(maxsize=1)
def _same() -> Mapping[str, str]:
    """Each stem with others of one meaning, and the first of them."""
    return {stem(word): stem(group[0]) for group in lexicon().same for word in group}


@lru_cache(maxsize=1)
def _empty() -> frozenset[str]:
    return frozenset(map(stem, lexicon().empty))


def telling(text: str) -> tuple[str, ...]:
    """The words of a text without those that say nothing.

    >>> telling("You should always verify the answer!")
    ('verify', 'answer')
    """
    empty = _empty()
    return tuple(each for each in words(plain(_NAME.sub(" ", advice(text)))) if stem(each) not in empty)


@lru_cache(maxsize=1 << 15)
def content(text: str) -> tuple[str, ...]:
    """The words that carry what a text says, as stems, one for all that mean the same.

    >>> content("You should always verify the answer!"), content("Check your reply.")
    (('check', 'answer'), ('check', 'answer'))
    """
    same = _same()
    return tuple(same.get(each, each) for each in map(stem, telling(text)))


def sharing(one: Sequence[str], other: Sequence[str]) -> tuple[float, float]:
    """How much of the words of the first, and of both together, is shared: containment and Jaccard, from 0 to 1.

    >>> sharing(("open", "corner"), ("open", "corner", "first", "always"))
    (1.0, 0.5)
    """
    a, b = set(one), set(other)
    both = len(a & b)
    return both / len(a) if a else 0.0, both / len(a | b) if a or b else 0.0
