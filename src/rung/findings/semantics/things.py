"""Words that name a thing of a game that the lists do not know, from the rules that its agents were shown."""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

from rung.core import registry
from rung.core.ports import Journal
from rung.findings.semantics.lexicon import lexicon
from rung.findings.semantics.words import stem, words

OWN = "rung.tasks.games."
OFTEN, LONG = 2, 4
"""A word of the rules counts that comes so often and has so many letters."""


def things(journal: Journal) -> Mapping[str, frozenset[str]]:
    """For each game of a study that is none of this project's: what its rules speak of, and no other rules do."""
    found: dict[str, frozenset[str]] = {}
    for fact in journal.facts(kind="served"):
        served = cast("Mapping[str, Any]", fact.value)
        game = str(served["family"])
        if game not in found:
            found[game] = frozenset() if _is_listed(game) else _named(journal.read_blob(served["rules"]).decode())
    return found


@lru_cache(maxsize=64)
def _is_listed(game: str) -> bool:
    return registry.names("families").get(game, "").startswith(OWN)


def _named(rules: str) -> frozenset[str]:
    common = {stem(each) for each in (*lexicon().common, *lexicon().empty)}
    many = Counter(words(rules))
    return frozenset(each for each, n in many.items() if n >= OFTEN and len(each) >= LONG and stem(each) not in common)
