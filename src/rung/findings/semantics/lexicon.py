"""The word lists of the annotator, from lexicon.toml beside this file."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from re import Pattern

from rung.findings.semantics.values import FUNCTIONS, Function


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words by what they tell.

    `same`: groups of one meaning. `empty`: words that say nothing. `common`: words that any rules have. `sides`: words
    of a pair of opposites, each with the pair's number and its side. `flips` turn the next word. `numbers`: spelt out.
    `things`: what names a thing of some game. `category`: what speaks of a category of games. `function`: what speaks
    of an ability, and `hint` what may. `code`: what speaks of something that is built or enforced, `said`: of words for
    an agent, `improver`: of how the next change is made. Patterns are for small letters, a space between words.
    """

    same: Sequence[Sequence[str]]
    empty: Sequence[str]
    common: Sequence[str]
    flips: frozenset[str]
    sides: Mapping[str, tuple[int, int]] = field(hash=False)
    numbers: frozenset[str]
    things: Pattern[str]
    category: Mapping[str, Pattern[str]] = field(hash=False)
    function: Mapping[Function, Pattern[str]] = field(hash=False)
    hint: Mapping[Function, Pattern[str]] = field(hash=False)
    code: Pattern[str]
    said: Pattern[str]
    improver: Pattern[str]


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The word lists, read once."""
    found = tomllib.loads((Path(__file__).parent / "lexicon.toml").read_text("utf-8"))
    return Lexicon(
        same=[line.split() for line in _lines(found["same"])],
        empty=found["empty"].split(),
        common=found["common"].split(),
        **{name: frozenset(found["direction"][name].split()) for name in ("flips", "numbers")},
        sides=dict(_sides(found["direction"]["sides"])),
        things=_any(found["things"]),
        category={name: _any(text) for name, text in found["category"].items()},
        function={each: _any(found["function"][each]["strong"]) for each in FUNCTIONS},
        hint={each: _any(found["function"][each]["weak"]) for each in FUNCTIONS},
        code=_any(found["surface"]["code"]),
        said=_any(found["surface"]["said"]),
        improver=_any(found["surface"]["improver"]),
    )


def _lines(text: str) -> Sequence[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _sides(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for number, pair in enumerate(_lines(text)):
        for side, group in zip((1, -1), pair.split("|"), strict=True):
            yield from ((word, (number, side)) for word in group.split())


def _any(text: str | Mapping[str, str]) -> Pattern[str]:
    """Any of the terms, as whole words; a term is a regular expression without spaces, and `~` is a space in it."""
    lines = " ".join(text.values()) if isinstance(text, Mapping) else text
    return re.compile(rf"\b(?:{'|'.join(term.replace('~', ' ') for term in lines.split())})s?\b")
