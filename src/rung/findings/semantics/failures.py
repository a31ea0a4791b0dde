"""What failing attempts have in common, game by game, and the proposals that were made in answer (the paper's Table 9).

A pattern is read from the record and from nothing that anybody says of it: how the attempt ended, whether its actions
were refused and with what reply, and the last reply of the environment, each as a template without its numbers.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from rung.core.ports import Journal
from rung.findings.semantics.record import Recorded

LONGEST = 100
"""Characters of a template."""
NONE = "none"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Failing attempts of one game that are alike, and how many proposals of which arm were made after them.

    `status` is the attempt's; `refused` the template of the reply that most refused actions got, `none` where all
    were taken; `last` that of its last reply. `answers` are the ids of the proposals, arm by arm.
    """

    game: str
    status: str
    refused: str
    last: str
    attempts: int
    answers: Mapping[str, tuple[str, ...]]


def patterns(journal: Journal, proposals: Sequence[Recorded]) -> tuple[Pattern, ...]:
    """The patterns among all working attempts that failed, the commonest of each game first."""
    after: dict[str, list[Recorded]] = defaultdict(list)
    for each in proposals:
        after[each.after].append(each)
    alike: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for fact in journal.facts(kind="sealed"):
        sealed = cast("Mapping[str, Any]", fact.value)
        if "/work/" in fact.path and "/trial/" not in fact.path and sealed.get("success") is False:
            alike[_pattern(journal, fact.path, sealed)].append(fact.path)
    found = [Pattern(*key, len(paths), _answers(paths, after)) for key, paths in alike.items()]
    return tuple(sorted(found, key=lambda each: (each.game, -each.attempts, each.status, each.refused, each.last)))


def _answers(paths: Sequence[str], after: Mapping[str, list[Recorded]]) -> dict[str, tuple[str, ...]]:
    made: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for each in after.get(path, ()):
            made[each.arm].append(each.proposal.id)
    return {arm: tuple(ids) for arm, ids in made.items()}


def _pattern(journal: Journal, path: str, sealed: Mapping[str, Any]) -> tuple[str, str, str, str]:
    served = cast("Mapping[str, Any]", journal.get(path, "served") or {})
    steps = [cast("Mapping[str, Any]", fact.value) for fact in journal.facts(under=f"{path}/step", kind="step")]
    refused = Counter(template(_text(journal, step["reply"])) for step in steps if step["invalid"])
    usual = min(refused, key=lambda each: (-refused[each], each), default=NONE)
    last = template(_text(journal, steps[-1]["reply"])) if steps else NONE
    return str(served.get("family", "")), str(sealed.get("status", "")), usual, last


def _text(journal: Journal, kept: Any) -> str:
    return journal.read_blob(kept["blob"]).decode("utf-8", "replace") if isinstance(kept, Mapping) else str(kept)


def template(reply: str) -> str:
    """The first line of a reply without its numbers and quotations.

    >>> template("Cell (3, 4) is 'marked' already.\\nThe board: ...")
    'Cell (#, #) is … already.'
    """
    line = next((each.strip() for each in reply.splitlines() if each.strip()), NONE)
    bare = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "…", line)
    return re.sub(r"-?\d+(?:\.\d+)?", "#", bare)[:LONGEST]
