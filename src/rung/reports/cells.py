"""What a cell's record says of its programs: each working session, what confined them, and whether A_0 drifted."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any, cast

from rung.core.ports import Journal
from rung.core.values import Ending
from rung.reports.record import Record
from rung.reports.values import Drift, Endings, Programs, Quote, Worked
from rung.stats.lineages import nested_gain
from rung.stats.rounding import change


def programs(journal: Journal, found: Record) -> Programs | None:
    """What is known of a cell's programs; None of another study."""
    if not found.is_cell:
        return None
    began = [cast("Mapping[str, Any]", fact.value) for fact in journal.facts(kind="began")]
    gone = [cast("Mapping[str, Any]", fact.value) for fact in journal.facts(kind="departed")]
    return Programs(
        sessions=tuple(_worked(journal, found, name, number) for name in found.arm_names for number in found.lineages),
        sandboxes=tuple(dict.fromkeys(each["sandbox"] for each in began)),
        legs=len(began),
        unseen=len(began) - sum(not each["network"]["incomplete"] for each in gone),
        sentinels=tuple(_drift(found, name) for name in found.sentinels),
        attested=found.attested,
    )


def session(name: str, number: int) -> str:
    """The path of a working session."""
    return f"{name}/L{number}/work"


def endings(sessions: Sequence[Worked], name: str) -> Endings:
    """How an arm's working sessions ended."""
    mine = [each for each in sessions if each.arm == name and each.ending is not None]
    first = {each.ending: Quote(session(name, each.lineage), each.detail) for each in reversed(mine) if each.ending}
    first.pop("queue_empty", None)
    return Endings(Counter(each.ending for each in mine if each.ending is not None), first)


def _worked(journal: Journal, found: Record, name: str, number: int) -> Worked:
    path = session(name, number) if not found.attested else f"{name}/L{number}/session"
    ended = cast("Mapping[str, Any]", journal.get(path, "ended") or {})
    began = [cast("Mapping[str, Any]", fact.value) for fact in journal.facts(under=f"{path}/leg", kind="began")]
    gone = [cast("Mapping[str, Any]", fact.value) for fact in journal.facts(under=f"{path}/leg", kind="departed")]
    seen = [cast("Mapping[str, Any]", note.value) for note in journal.observations(under=f"{path}/leg", name="leg")]
    stopped = journal.facts(under=f"{path}/leg", kind="interrupted")
    kept = cast("Mapping[str, Any]", gone[-1].get("kept", {}) if gone else {})
    why = [f"{len(began) - len(gone)} of its legs left no record"] if len(gone) < len(began) else []
    why += [reason for each in gone for reason in each["network"]["incomplete"]]
    return Worked(
        arm=name,
        lineage=number,
        ending=ended.get("ending"),
        detail=str(ended.get("detail", "")),
        worked=sum((name, number, entry.place) in found.work for entry in found.sequences[number - 1]),
        planned=len(found.sequences[number - 1]),
        legs=len(began),
        interrupted=tuple(cast(Ending, cast("Mapping[str, Any]", fact.value)["ending"]) for fact in stopped),
        seconds=sum(float(each["seconds"]) for each in seen),
        idle_seconds=sum(float(each["idle_seconds"]) for each in seen),
        egress=_egress(gone, why) if not found.attested else "not seen from here",
        reached=tuple(sorted({name for each in gone for name in _reached(each["network"])})),
        complete=bool(gone) and not why,
        kept=sum(int(tree["files"]) for tree in (kept.get("home"), kept.get("work")) if tree),
        odd=tuple(_odd(kept)),
        program=str(began[0]["program"]) if began else "served" if found.attested else "",
        version=began[-1]["version"] if began else None,
        pinned=began[-1]["pinned"] if began else None,
    )


def _reached(network: Mapping[str, Any]) -> Iterator[str]:
    yield from network["names"]
    yield from network["bare"]


def _egress(gone: Sequence[Mapping[str, Any]], why: Sequence[str]) -> str:
    """What may be said of whom a session reached."""
    if not gone:
        return "no record"
    if why:
        return f"no statement: the record is incomplete ({'; '.join(dict.fromkeys(why))})"
    names = {name for each in gone for name in _reached(each["network"])}
    if not names:
        return "nothing outside was reached or tried"
    let_out = any(each["network"]["let_out"] for each in gone)
    return f"{len(names)} tried outside, {'some let out' if let_out else 'none let out'}"


def _odd(kept: Mapping[str, Any]) -> Iterator[str]:
    for tree in ("home", "work"):
        for each in kept.get(tree, {}).get("findings", ()):
            yield f"{tree}/{each['path']}: {each['trouble']}"
    for path in kept.get("unclassified", ()):
        yield f"home/{path}: no rule says what it is"


def _drift(found: Record, sentinel: str) -> Drift:
    """A_0 among the after-exam less itself in the before-exam, over the tasks it sat again."""
    shipped = sentinel.removesuffix(".sentinel")
    before = [found.means[who] for who in found.means if who == shipped or who.startswith(f"{shipped}.L")]
    after = found.means.get(sentinel, [])
    changes = []
    for place, late in enumerate(after):
        early = [means[place] for means in before if not isnan(means[place])]
        if early and not isnan(late):
            changes.append(change(late, -sum(early) / len(early)))
    cells = [task for task, late in zip(found.exam, after, strict=False) if not isnan(late)]
    return Drift(sentinel, nested_gain([changes]), ", ".join(found.units(cells)))


def never_served(found: Record, sessions: Sequence[Worked]) -> int:
    """Tasks that ended sessions will never come to, and attempts of the after-exams that broken ones do not have."""
    tasks = sum(each.planned - each.worked for each in sessions if each.ending is not None)
    sat = {row.who for row in found.rows}
    broken = [each for each in sessions if each.ending is not None and f"{each.arm}.L{each.lineage}" not in sat]
    lost = len([each for each in broken if each.ending == "instrument_fault"])
    return tasks + lost * len(found.exam) * int(found.about_exam["repeats"])
