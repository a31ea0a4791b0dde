"""Where a proposal would apply as it is written, from its words, without a model."""

import re

from rung.findings.semantics.lexicon import lexicon
from rung.findings.semantics.values import Scope
from rung.findings.semantics.words import words

_PLACE = re.compile(r"\(\s*[0-9]{1,3}\s*,\s*[0-9]{1,3}\s*\)|\b[A-Z]?[0-9]{1,2}x[0-9]{1,2}\b|\b[0-9]{5,}\b")
"""A cell or size of a board, or a number so long that it names an instance: of no use in another game."""


def scope(text: str, category: str, things: frozenset[str] = frozenset()) -> Scope:
    """The scope of a proposal: does it name a thing of a game, or speak of what a category of games shares?

    `things` are further words that name something of this game, in small letters: for games that the lists do not know.

    >>> scope("Mark certain mines.", "reasoning"), scope("Try an untried branch at a dead end.", "exploration")
    ('task', 'category')
    >>> scope("Answer with one JSON object.", "planning")
    'general'
    """
    said = words(text)
    line = " ".join(said)
    lists = lexicon()
    if _PLACE.search(text) or not things.isdisjoint(said) or lists.things.search(line):
        return "task"
    own = lists.category.get(category)
    others = [pattern for name, pattern in lists.category.items() if name != category]
    if own is not None and own.search(line):
        return "category"
    return "category" if sum(len(pattern.findall(line)) for pattern in others) > 1 else "general"
