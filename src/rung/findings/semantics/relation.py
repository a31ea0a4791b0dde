"""What a proposal does to an earlier one, from the letters and words of both, without a model.

Likeness alone calls opposites the same ("turn left", "turn right"), so direction is asked first. Of the few earlier
proposals that are most alike: one turned round -> contradict; all of it said before -> duplicate; the same point in
other words or with another number, condition or detail -> revise; else new.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from rung.findings.semantics.direction import turned, undirected
from rung.findings.semantics.lexicon import lexicon
from rung.findings.semantics.likeness import Near
from rung.findings.semantics.values import BEFORE, Earlier, Proposal, Relation
from rung.findings.semantics.words import content, sharing, words

ALIKE = 0.80
"""Likeness from which two texts that differ in nothing that counts say the same."""
COVERED = 0.75
"""Share of a text's words that stand in an earlier one, from which on it says nothing more."""
SAME_POINT = 0.45
"""Likeness from which two texts are about one point."""
SHARED = 0.50
"""Share of the words of both, from which two texts are about one point, or one turns the other round."""
FEWEST = 2
"""Words from which on being covered by another text says something."""
APART = 0.25
"""An earlier proposal that is less alike than the nearest by more than this does not decide."""

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_CAPITAL = re.compile(r"\b[B-HJ-Z]\b")
_LIMITS = frozenset(("unless", "except", "only", "until"))


def relation(proposal: Proposal, near: Sequence[Near]) -> tuple[Relation, str | None]:
    """The relation of a proposal to the earlier ones most like it, and the id of the one it is about."""
    against = proposal.against
    found = [
        (_to_one(proposal.text, against[each.place], each.likeness), each.likeness, against[each.place].id)
        for each in near
    ]
    related = [each for each in found if each[0] != "new"]
    if not related:
        return ("revise", BEFORE) if proposal.before is not None else ("new", None)
    nearest = max(likeness for _, likeness, _ in related)
    close = [each for each in related if each[1] >= nearest - APART]
    order = ("contradict", "duplicate", "revise")
    said, _, of = min(close, key=lambda each: (order.index(each[0]), -each[1]))
    return said, of


def _to_one(text: str, earlier: Earlier, likeness: float) -> Relation:
    one, other = content(text), content(earlier.text)
    if one == other and not differs(text, earlier.text):
        return "duplicate"
    inside, jaccard = sharing(one, other)
    if turned(text, earlier.text):
        core = sharing(undirected(text), undirected(earlier.text))
        return "contradict" if core[1] >= SHARED else "new"
    covered = inside >= COVERED and len(set(one)) >= FEWEST
    if likeness < SAME_POINT and jaccard < SHARED and not covered:
        return "new"
    said_before = covered or likeness >= ALIKE
    return "duplicate" if said_before and not differs(text, earlier.text) else "revise"


@lru_cache(maxsize=1 << 14)
def _marks(text: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    said = words(text)
    numbers = {*_NUMBER.findall(text), *(each for each in said if each in lexicon().numbers)}
    return frozenset(numbers), frozenset(_CAPITAL.findall(text)), _LIMITS & set(said)


def differs(one: str, other: str) -> bool:
    """Whether a number, a single letter that names something, or a limit is another: then two texts are not the same.

    >>> differs("Retry 2 times.", "Retry 3 times."), differs("Guess.", "Guess only if unsure.")
    (True, True)
    """
    return _marks(one) != _marks(other)
