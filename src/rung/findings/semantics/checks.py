"""Who else labelled a study's proposals, a person or a model, and how far they and the rules agree (Table 7).

Their labels are observations of the journal, at `semantics`, under the labeler's name, so the record of the study and
its digest stay as they were. Each holds what came since the one before it; of two labels of one proposal the later
counts:

    {"kind": "person" | "model", "labels": {proposal: {...}}, "unread": n, "calls": n, "tokens": n, "usd": x or null}
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias, cast

from rung.core.canonical import JSON
from rung.core.errors import UsageError
from rung.core.ports import Journal
from rung.core.seeds import Seed
from rung.findings.semantics.agreement import Agreement, agreement
from rung.findings.semantics.annotator import NAME
from rung.findings.semantics.labels import labels_from, labels_json
from rung.findings.semantics.values import Labels

PLACE = "semantics"
Kind: TypeAlias = Literal["rules", "person", "model"]


@dataclass(frozen=True, slots=True)
class Labeler:
    """Who labelled, how many proposals, and of a model what that took: the instrument's own cost, and no method's.

    `unread` answers could not be read. `usd` is None where no price is known.
    """

    name: str
    kind: Kind
    labelled: int
    unread: int = 0
    calls: int = 0
    tokens: int = 0
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """Two labelers over the proposals that both labelled."""

    one: Labeler
    other: Labeler
    proposals: int
    questions: tuple[Agreement, ...]


def keep(journal: Journal, more: Labeler, labels: Mapping[str, Labels]) -> None:
    """Write what a labeler has labelled since, and what that took, into the journal, beside the facts."""
    said: dict[str, JSON] = {name: cast(JSON, labels_json(each)) for name, each in labels.items()}
    counts: dict[str, JSON] = {key: getattr(more, key) for key in ("kind", "unread", "calls", "tokens", "usd")}
    journal.observe(PLACE, more.name, {**counts, "labels": said})


def kept(journal: Journal) -> dict[str, tuple[Labeler, dict[str, Labels]]]:
    """The labels of everybody who labelled, by name; what is none is left out."""
    found: dict[str, tuple[Labeler, dict[str, Labels]]] = {}
    for note in journal.observations(under=PLACE):
        value = cast("Mapping[str, Any]", note.value)
        before, labels = found.get(note.kind, (Labeler(note.kind, value["kind"], 0, usd=0.0), {}))
        for name, row in value["labels"].items():
            try:
                labels[name] = labels_from(row, name)
            except UsageError:  # of another codebook
                continue
        usd = None if before.usd is None or value["usd"] is None else before.usd + value["usd"]
        found[note.kind] = (
            Labeler(
                note.kind,
                value["kind"],
                len(labels),
                unread=before.unread + value["unread"],
                calls=before.calls + value["calls"],
                tokens=before.tokens + value["tokens"],
                usd=usd,
            ),
            labels,
        )
    return found


def checks(journal: Journal, rules: Mapping[str, Labels]) -> tuple[Check, ...]:
    """The agreement of every two who labelled, the rules among them; none where nobody else did."""
    everybody = {NAME: (Labeler(NAME, "rules", len(rules)), dict(rules)), **kept(journal)}
    found = []
    for (one, mine), (other, theirs) in combinations(everybody.values(), 2):
        both = [name for name in rules if name in mine and name in theirs]
        if both:
            seed = Seed(PLACE).child(one.name, other.name)
            said = agreement([mine[name] for name in both], [theirs[name] for name in both], seed=seed)
            found.append(Check(one, other, len(both), tuple(said)))
    return tuple(found)
