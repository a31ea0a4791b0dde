"""The sessions of a cell's programs, as the journal has them: what each began with, did, reached and left."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from rung.core.ports import Journal
from rung.core.values import Ending


@dataclass(frozen=True, slots=True)
class Left:
    """A snapshot of a program: the manifests of its home and its working folder (see `rung.store.homes`), and the
    conversation to fork."""

    id: str
    home: str
    work: str
    conversation: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """One session of a program. `path` is where it is recorded, `who` the arm or the examinee.

    `network` is what its legs' records say together: names, bare addresses, what was asked of the name server, and why
    a record is incomplete. `began` and `left` are snapshots; an exam leaves none.
    """

    path: str
    who: str
    lineage: int | None
    exam: bool
    program: str
    ending: Ending | None
    detail: str
    began: Left
    left: Left | None
    network: Mapping[str, tuple[str, ...]] = field(hash=False)


def sessions(journal: Journal) -> Iterator[Session]:
    """Every session that has begun, in key order."""
    first: dict[str, Mapping[str, Any]] = {}
    for fact in journal.facts(kind="began"):
        first.setdefault(fact.path.rsplit("/leg/", 1)[0], cast("Mapping[str, Any]", fact.value))
    for path, began in first.items():
        yield _session(journal, path, began)


def working(journal: Journal) -> tuple[Session, ...]:
    """The working sessions."""
    return tuple(each for each in sessions(journal) if not each.exam)


def snapshot(journal: Journal, digest: str) -> Left:
    """The snapshot with this id."""
    found = json.loads(journal.read_blob(digest))
    return Left(digest, found["home"], found["work"], found.get("conversation"))


def _session(journal: Journal, path: str, began: Mapping[str, Any]) -> Session:
    ended = cast("Mapping[str, Any]", journal.get(path, "ended") or {})
    gone = [cast("Mapping[str, Any]", fact.value) for fact in journal.facts(under=f"{path}/leg", kind="departed")]
    legs = sum(1 for _ in journal.facts(under=f"{path}/leg", kind="began"))
    parts = path.split("/")
    exam = parts[0] == "exam"
    network = {key: _together(gone, key) for key in ("names", "bare", "asked", "incomplete")}
    if len(gone) < legs:
        network["incomplete"] = (*network["incomplete"], f"{legs - len(gone)} of its legs left no record")
    left = ended.get("left")
    return Session(
        path=path,
        who=parts[1] if exam else parts[0],
        lineage=None if exam else int(parts[1].removeprefix("L")),
        exam=exam,
        program=str(began["program"]),
        ending=ended.get("ending"),
        detail=str(ended.get("detail", "")),
        began=snapshot(journal, began["snapshot"]),
        left=snapshot(journal, left) if left else None,
        network=network,
    )


def _together(gone: list[Mapping[str, Any]], key: str) -> tuple[str, ...]:
    return tuple(sorted({str(each) for leg in gone for each in leg["network"][key]}))
