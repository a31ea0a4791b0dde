"""Labels as a file: proposals with what a person, or an annotator, says of each (docs/guide/annotating.md).

{"codebook": 1, "labeler": who, "proposals": [{..., "labels": {...} or null}, ...]}
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from rung.core.errors import UsageError
from rung.findings.semantics.values import Earlier, Labels, Operation, Proposal

CODEBOOK = 1
"""The codebook that labels are of. Another meaning of a label is another number."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A file of labels. None stands for a proposal that is not labelled yet."""

    labeler: str
    proposals: tuple[Proposal, ...]
    labels: tuple[Labels | None, ...]

    @property
    def done(self) -> tuple[list[Proposal], list[Labels]]:
        """The proposals that are labelled, and their labels."""
        pairs = [(each, labels) for each, labels in zip(self.proposals, self.labels, strict=True) if labels is not None]
        return [each for each, _ in pairs], [labels for _, labels in pairs]


def parse(text: str, name: str = "labels") -> Labelled:
    """Read a file of labels. Raises `UsageError` that names the proposal and the key."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is no JSON: {error}") from error
    rows = found.get("proposals") if isinstance(found, Mapping) else None
    if not isinstance(rows, list):
        raise UsageError(f'{name} is an object with a list "proposals"; see docs/guide/annotating.md')
    if found.get("codebook") != CODEBOOK:
        raise UsageError(f"{name}: codebook {CODEBOOK} is the one known here, seen {found.get('codebook')!r}")
    read = [_row(row, f"{name}, proposal {place}") for place, row in enumerate(rows, 1)]
    return Labelled(str(found.get("labeler", "")), tuple(each for each, _ in read), tuple(said for _, said in read))


def _row(row: Any, name: str) -> tuple[Proposal, Labels | None]:
    if not isinstance(row, Mapping):
        raise UsageError(f"{name} is an object, seen {type(row).__name__}")
    for key in ("id", "game", "category", "method", "operation", "text"):
        if not isinstance(row.get(key), str):
            raise UsageError(f"{name}: {key} is text, seen {row.get(key)!r:.80}")
    if row["operation"] not in ("add", "revise"):
        raise UsageError(f"{name}: operation is add or revise, seen {row['operation']!r}")
    proposal = Proposal(
        row["id"],
        row["game"],
        row["category"],
        row["method"],
        row.get("path"),
        cast(Operation, row["operation"]),
        row["text"],
        row.get("before"),
        tuple(Earlier(str(each["id"]), str(each["text"])) for each in row.get("earlier", ())),
    )
    return proposal, labels_from(row["labels"], name) if row.get("labels") else None


def labels_from(row: Any, name: str) -> Labels:
    """The labels in an object, as files and models write them."""
    if not isinstance(row, Mapping):
        raise UsageError(f"{name}: labels is an object, seen {type(row).__name__}")
    given = row.get("function")
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise UsageError(f"{name}: function is a list of names, seen {given!r:.80}")
    words = {key: row.get(key) for key in ("relation", "scope", "surface")}
    for key, word in words.items():
        if not isinstance(word, str):
            raise UsageError(f"{name}: {key} is a word, seen {word!r:.80}")
    of = row.get("of")
    try:
        return Labels(**cast("Any", words), function=frozenset(given), of=None if of is None else str(of))
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from error


def spell(labelled: Labelled) -> str:
    """A file of labels as text, which `parse` reads."""
    rows = [_spelt(each, said) for each, said in zip(labelled.proposals, labelled.labels, strict=True)]
    document = {"codebook": CODEBOOK, "labeler": labelled.labeler, "proposals": rows}
    return json.dumps(document, indent=1) + "\n"


def _spelt(proposal: Proposal, labels: Labels | None) -> dict[str, Any]:
    return {
        "id": proposal.id,
        "game": proposal.game,
        "category": proposal.category,
        "method": proposal.method,
        "path": proposal.path,
        "operation": proposal.operation,
        "text": proposal.text,
        "before": proposal.before,
        "earlier": [{"id": each.id, "text": each.text} for each in proposal.earlier],
        "labels": None if labels is None else labels_json(labels),
    }


def labels_json(labels: Labels) -> dict[str, Any]:
    """Labels as an object of JSON."""
    return {
        "relation": labels.relation,
        "of": labels.of,
        "scope": labels.scope,
        "function": sorted(labels.function),
        "surface": labels.surface,
    }


def together(files: Sequence[Labelled]) -> Labelled:
    """Several files as one, in their order."""
    return Labelled(
        ", ".join(dict.fromkeys(each.labeler for each in files)),
        tuple(proposal for each in files for proposal in each.proposals),
        tuple(labels for each in files for labels in each.labels),
    )
