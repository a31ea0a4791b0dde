"""What the agents of a cell built and what their forks used, in words: rows for a page, Markdown and a terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rung.findings.adoption import ANY, CAVEAT, CHOSEN, Adoption, Attempt, Split
from rung.findings.artifacts import BYPRODUCT
from rung.findings.built import Inventory, Piece
from rung.findings.uses import MANNERS
from rung.reports.values import LadderReport
from rung.reports.wording import counted, gain_text, withheld

SHOWN = 40
"""Files of one session that are printed; the JSON has them all."""

POLES = (
    "An agent that works inside its conversation alone has none of six elements of an apparatus, such as a human "
    "engineering team builds. Each is there or not by a stated rule; their number is the place between the two poles."
)
UNSEEN = (
    "Its calls are on no record, because no model behind the gateway was offered tools: what follows is from files and "
    "the network alone."
)
BUILT_HEADS = (
    "lineage",
    "elements of an apparatus",
    "files",
    "ran",
    "defined in commands and lost",
    "in the idle tail",
)
FILE_HEADS = ("lineage", "file", "class", "bytes", "what became of it")
USED_HEADS = ("artifact", *MANNERS, "any use", "functions called")
SPLIT_HEADS = ("attempts that used", "in", "used it: gain [95%]", "did not: gain [95%]", "difference, no effect [95%]")

__all__ = ["ANY", "CAVEAT", "CHOSEN"]


HIDDEN = ("conversation", "cache", BYPRODUCT)
"""Classes of files that are no part of what an agent built."""


def _lineage(one: Inventory) -> str:
    return f"{one.arm} L{one.lineage}"


# --------------------------------------------------------------------------------------------- what was built


def placing(one: Inventory) -> str:
    """How far from the conversation pole a session is: how many elements are there, and which."""
    there = ", ".join(one.present) or "none, all in its conversation"
    unknown = f"; the record cannot say of {', '.join(one.unknown)}" if one.unknown else ""
    return f"{len(one.present)} of {len(one.elements)}: {there}{unknown}"


def files(one: Inventory) -> str:
    """How many files became what, with how many that the harness reads by itself or keeps as its state."""
    if one.unread:
        return one.unread
    kept = [piece for piece in one.pieces if piece.kind not in HIDDEN]
    how = [f"{many} {word}" for word in ("written", "revised", "deleted") if (many := _many(kept, word))]
    entries = (
        f"; {counted(len(one.entries), 'entry').replace('entrys', 'entries')} of the harness" if one.entries else ""
    )
    return f"{', '.join(how) or 'none'}{entries}"


def _many(pieces: Sequence[Piece], how: str) -> int:
    return sum(piece.how == how for piece in pieces)


def built_rows(report: LadderReport) -> list[tuple[str, ...]]:
    """A row for each working session, under `BUILT_HEADS`."""
    return [(_lineage(one), placing(one), files(one), _ran(one), _lost(one), _tail(one)) for one in report.inventory]


def _ran(one: Inventory) -> str:
    if not one.seen:
        return "not on record"
    said = [
        f"{counted(len(one.scripts), 'script')} {_times(sum(each.runs for each in one.scripts))}"
        if one.scripts
        else "",
        counted(len(one.evaluations), "offline evaluation") if one.evaluations else "",
        counted(len(one.subagents), "subagent") if one.subagents else "",
    ]
    return ", ".join(filter(None, said)) or "nothing of its own"


def _times(many: int) -> str:
    return "once" if many == 1 else f"{many:,} times"


def _lost(one: Inventory) -> str:
    if not one.seen:
        return "not on record"
    first = f", {one.lost[0].name} {_times(one.lost[0].times)}" if one.lost else ""
    return f"{counted(len(one.lost), 'function')}{first}" if one.lost else "none"


def _tail(one: Inventory) -> str:
    seconds = f"{one.tail.seconds:,.0f} s"
    if one.tail.deeds is None:
        return seconds
    return f"{seconds}, {counted(one.tail.deeds, 'call')}, {counted(len(one.tail.written), 'file')} written"


def file_rows(report: LadderReport) -> list[tuple[str, ...]]:
    """The files that each session left new, otherwise or gone, under `FILE_HEADS`; the longest lists are cut."""
    rows: list[tuple[str, ...]] = []
    for one in report.inventory:
        mine = [piece for piece in one.pieces if piece.kind not in HIDDEN]
        rows += [(_lineage(one), each.path, each.kind, f"{each.bytes:,}", fate(each)) for each in mine[:SHOWN]]
        if len(mine) > SHOWN:
            rows.append((_lineage(one), f"and {len(mine) - SHOWN:,} more, in the JSON", "", "", ""))
    return rows


def fate(piece: Piece) -> str:
    """What became of a file, and after how many finished tasks."""
    if piece.writes is None:
        return f"{piece.how}; when and how often is not on record"
    if not piece.writes:
        return f"{piece.how}, by no call that names it"
    tail = ", in the idle tail" if piece.tail else ""
    last = f" through task {piece.last}" if piece.last != piece.first else ""
    again = f", {counted(piece.revisions or 0, 'revision')}{last}" if piece.revisions else ""
    return f"{piece.how} after task {piece.first}{again}{tail}"


def evidence(report: LadderReport) -> list[str]:
    """Where each element that is there stands, the first piece of evidence of each."""
    return [
        f"{_lineage(one)}, {each.name}: {each.evidence[0].text} ({each.evidence[0].path})"
        for one in report.inventory
        for each in one.elements
        if each.present and each.evidence
    ]


# --------------------------------------------------------------------------------------------- what was used


def used_line(found: Adoption) -> str:
    """How many attempts used anything, in a sentence."""
    files_of = counted(len({(each.lineage, each.path) for each in found.artifacts}), "artifact")
    forked = sum(attempt.conversation for attempt in found.attempts)
    blind = len(found.attempts) - found.seen
    unseen = f"; of {counted(blind, 'attempt')} no call is on record, so nothing is said of them" if blind else ""
    return (
        f"{found.arm}: {files_of} inherited, used by {found.using(ANY)} of {counted(found.seen, 'attempt')} on record "
        f"({found.using(CHOSEN)} by read, run or import), the conversation forked by {forked} of {len(found.attempts)}"
        f"{unseen}"
    )


def used_rows(found: Adoption) -> list[tuple[str, ...]]:
    """A row for each artifact, under `USED_HEADS`: how many attempts used it in which manner."""
    seen = [attempt for attempt in found.attempts if attempt.seen]
    paths = list(dict.fromkeys(each.path for each in found.artifacts))
    many = Counter(path for attempt in seen for path in {use.artifact for use in attempt.uses})
    paths.sort(key=lambda path: -many[path])
    rows = [_used(path, seen) for path in paths[:SHOWN]]
    more = (f"and {len(paths) - SHOWN:,} more, in the JSON", *[""] * (len(USED_HEADS) - 1))
    return [*rows, more] if len(paths) > SHOWN else rows


def _used(path: str, seen: Sequence[Attempt]) -> tuple[str, ...]:
    uses = [use for attempt in seen for use in attempt.uses if use.artifact == path]
    names = dict.fromkeys(name for use in uses for name in use.names)
    by_manner = [str(sum(use.manner == manner for use in uses)) for manner in MANNERS]
    return (path, *by_manner, f"{sum(attempt.used(path) for attempt in seen)} of {len(seen)}", ", ".join(names))


def split_rows(report: LadderReport, found: Adoption) -> list[tuple[str, ...]]:
    """A row for each split, under `SPLIT_HEADS`; a contaminated arm's gains are withheld."""
    hidden = any(withheld(rung) for arm in report.arms if arm.name == found.arm for rung in arm.rungs)
    return [_split(each, hidden=hidden) for each in found.splits[: SHOWN + 2]]


def _split(each: Split, *, hidden: bool) -> tuple[str, ...]:
    sides = (each.used, each.unused, each.difference)
    gains = (
        ["withheld"] * 3
        if hidden
        else [gain_text(side) if side.value is not None else "not estimable" for side in sides]
    )
    return (
        f"{each.what}: {each.n_used} of {each.n_used + each.n_unused}",
        each.unit,
        *gains,
    )


def lines(report: LadderReport) -> Iterator[str]:
    """What a terminal says: a line for each arm, of how far its sessions came and what their forks used."""
    for arm in dict.fromkeys(one.arm for one in report.inventory):
        mine = [one for one in report.inventory if one.arm == arm]
        counts = "; ".join(f"L{one.lineage} {len(one.present)} of {len(one.elements)}" for one in mine[:4])
        used = next((each for each in report.adoption if each.arm == arm), None)
        forks = f"; {used.using(ANY)} of {counted(used.seen, 'fork')} on record used it" if used else ""
        yield f"{arm} built {counts} of an apparatus{' ...' if len(mine) > 4 else ''}{forks}"
