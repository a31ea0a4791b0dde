"""What a proposal does to an earlier one, from the letters and words of both, without a model.

Likeness alone calls opposites the same ("turn left", "turn right"), so direction is asked first. Of the few earlier
proposals that are most alike: one turned round -> contradict; all of it said before -> duplicate; the same point in
other words or with another number, condition or detail -> revise; else new.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from math import log

from rung.findings.semantics.direction import LIMITS, turned
from rung.findings.semantics.lexicon import lexicon
from rung.findings.semantics.likeness import Near
from rung.findings.semantics.surface import looks_like_code
from rung.findings.semantics.values import BEFORE, Earlier, Proposal, Relation
from rung.findings.semantics.words import advice, content, sharing, words

RELATED = 0.30
"""Likeness from which two texts are about one point."""
TURNED = 0.26
"""Likeness from which a turned direction is a contradiction, and no other point."""
CLOSE = 0.55
"""Likeness from which words that were added or changed count: a copy that was worked on, and no thought had twice."""
COVERED = 0.75
"""Share of a text's words that stand in a close one, from which on it says nothing more."""
EXTENDED = 0.6
"""Share of an earlier text's words in one that extends it."""
FEW, BY_CHANCE = 8, 0.04
"""Among more than so many earlier ones some are alike by chance: the likeness asked for grows with their logarithm."""
APART = 0.25
"""An earlier proposal that is less alike than the nearest by more than this does not decide."""

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_CAPITAL = re.compile(r"\b[B-HJ-Z]\b")
_TOKEN = re.compile(r"\w+|[^\w\s]")


def relation(proposal: Proposal, near: Sequence[Near]) -> tuple[Relation, str | None]:
    """The relation of a proposal to the earlier ones most like it, and the id of the one it is about."""
    more = BY_CHANCE * max(0.0, log(max(1, len(proposal.earlier)) / FEW))
    found = []
    for each in near:
        earlier = proposal.against(each.place)
        found.append((_to_one(proposal.text, earlier, each.likeness, more), each.likeness, earlier.id))
    related = [each for each in found if each[0] != "new"]
    if not related:
        return ("revise", _replaced(proposal)) if proposal.before is not None else ("new", None)
    nearest = max(likeness for _, likeness, _ in related)
    close = [each for each in related if each[1] >= nearest - APART]
    order = ("contradict", "duplicate", "revise")
    said, _, of = min(close, key=lambda each: (order.index(each[0]), -each[1]))
    return said, _replaced(proposal) if of == BEFORE else of


def _replaced(proposal: Proposal) -> str:
    """The id of what a proposal takes the place of, where that stands among the earlier ones."""
    return next((each.id for each in proposal.earlier if each.text == proposal.before), BEFORE)


def _to_one(text: str, earlier: Earlier, likeness: float, more: float) -> Relation:
    if looks_like_code(text) and looks_like_code(earlier.text):
        same = _TOKEN.findall(text) == _TOKEN.findall(earlier.text)
        return "duplicate" if same else "revise" if likeness >= CLOSE else "new"
    if likeness >= TURNED + more and turned(text, earlier.text):
        return "contradict"
    if likeness < RELATED + more or _another(text, earlier.text):
        return "new"
    if likeness < CLOSE:
        more_said = _extends(text, earlier.text) or not _marks(text)[0] <= _marks(earlier.text)[0]
        return "revise" if more_said else "duplicate"
    inside, _ = sharing(content(text), content(earlier.text))
    return "duplicate" if inside >= COVERED and not differs(text, earlier.text) else "revise"


def _extends(text: str, earlier: str) -> bool:
    """Whether a text says most of what an earlier one says, and half as much again."""
    one, other = set(content(text)), set(content(earlier))
    return sharing(tuple(other), tuple(one))[0] >= EXTENDED and len(one) >= 1.5 * len(other)


def _another(text: str, earlier: str) -> bool:
    """Whether two texts say the same of different things: each names several numbers, and none is in both."""
    one, other = (set(_NUMBER.findall(each)) for each in (text, earlier))
    return len(one) > 1 and len(other) > 1 and not one & other


@lru_cache(maxsize=1 << 14)
def _marks(text: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    said = words(advice(text))
    numbers = {*_NUMBER.findall(text), *(each for each in said if each in lexicon().numbers)}
    return frozenset(numbers), frozenset(_CAPITAL.findall(text)), LIMITS & set(said)


def differs(one: str, other: str) -> bool:
    """Whether a number, a single letter that names something, or a limit is another: then two texts are not the same.

    >>> differs("Retry 2 times.", "Retry 3 times."), differs("Guess.", "Guess only if unsure.")
    (True, True)
    """
    return _marks(one) != _marks(other)
