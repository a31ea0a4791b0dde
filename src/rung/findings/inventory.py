"""The inventory of a working session: what the agent wrote and revised and when, ran, had others do, and left.

Read from the manifests before and after it, the record of its gateway, and its legs. What was done is placed between
tasks by the order of the calls that its model made: a task is finished at the call that was its last step. Where no
call is on record, because a program has no model behind the gateway, files are ordered by the program's own clock and
nothing is said of the rest. How far it is from the conversation pole is `rung.findings.elements`.
"""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from rung.agents.command.facts import HOME, WORK
from rung.core.errors import StoreFault, UsageError
from rung.core.ports import Journal
from rung.findings import elements as rules
from rung.findings.artifacts import CODE, Artifact, artifacts, defined, names_in
from rung.findings.built import Inventory, Lost, Moment, Piece, Script, Tail, What
from rung.findings.commands import Written
from rung.findings.deeds import Deed, deeds
from rung.findings.sessions import Left, Session, working
from rung.findings.traces import Trace, traces

ASKS = ("get_task", "queue_info")
"""Tools of the stream that are no step of a task."""
NONE_LEFT = ("There are no more tasks.", '"done": true', '"done":true')
FLYING = "Still in flight"


def inventories(journal: Journal) -> tuple[Inventory, ...]:
    """The inventory of every working session, in key order."""
    return tuple(inventory(journal, each) for each in working(journal))


def inventory(journal: Journal, session: Session) -> Inventory:
    """What one working session built. What cannot be read is said and not raised."""
    done = tuple(traces(deeds(journal, session.path)))
    before, after, order, unread = _files(journal, session)
    ends = finished(journal, session.path, [trace.deed for trace in done])
    clock = Clock.of([trace.deed for trace in done], [end for _, end in ends.values()])
    seen = bool(done) or watched(journal, session.path)
    moments = tuple(_moments(done, clock, {**before, **after}, before))
    pieces = _pieces(before, after, moments, seen=seen)
    found = rules.Session(
        journal, session.path, seen, done, pieces, after, ends, (*session.network["names"], *session.network["bare"])
    )
    evaluations, telemetry = rules.evaluations(found), rules.telemetry(found)
    return Inventory(
        session=session.path,
        arm=session.who,
        lineage=session.lineage or 0,
        program=session.program,
        seen=seen,
        unread=unread,
        tasks=len(ends) if seen else _sealed(journal, session.path),
        pieces=pieces,
        order=order,
        timeline=moments,
        subagents=tuple(rules.told(trace) for trace in done if rules.spawned(trace)),
        scripts=_scripts(done, after),
        lost=_lost(done, {name for file, text in found.code for name in names_in(file, text)}),
        evaluations=evaluations,
        telemetry=telemetry,
        tail=_tail(journal, session, done, clock, moments),
        elements=rules.elements(found, evaluations, telemetry),
    )


def watched(journal: Journal, session: str) -> bool:
    """Whether the deeds of a session would be on record: a model was asked and offered tools, and answered."""
    facts = journal.facts(under=f"{session}/exchange", kind="exchange")
    values = (cast("Mapping[str, Any]", fact.value) for fact in facts)
    return any(value["came"] == "answered" and value["wire"] and value["request"]["tools"] for value in values)


def _files(
    journal: Journal, session: Session
) -> tuple[Mapping[str, Artifact], Mapping[str, Artifact], tuple[str, ...], str]:
    """Its files before and after, those after by time, and why none could be read."""
    if session.left is None:
        return {}, {}, (), "nothing that it left was kept"
    try:
        before = artifacts(journal, session.began, session.program)
        after = artifacts(journal, session.left, session.program)
        for file in after.values():
            if before.get(file.inside) != file:
                file.text(journal)
        return before, after, _ordered(journal, session.left, before, after), ""
    except (StoreFault, UsageError) as broken:
        return {}, {}, (), f"what it left cannot be read: {broken}"


def _ordered(
    journal: Journal, left: Left, before: Mapping[str, Artifact], after: Mapping[str, Artifact]
) -> tuple[str, ...]:
    """The files that are new or otherwise than before, by when they were last written."""
    times: dict[str, int] = {}
    for note in journal.observations(under=f"snapshot/{left.id}", name="times"):
        for which, folder in (("home", HOME), ("work", WORK)):
            kept = json.loads(journal.read_blob(cast("Mapping[str, Any]", note.value)[which]))
            times |= {f"{folder}/{path}": int(time) for path, time in kept.items()}
    changed = [file for file in after.values() if before.get(file.inside) != file and file.inside in times]
    return tuple(file.path for file in sorted(changed, key=lambda file: (times[file.inside], file.path)))


# --------------------------------------------------------------------------------------------- when


def finished(journal: Journal, session: str, done: Sequence[Deed]) -> Mapping[str, tuple[str, int]]:
    """The tasks that were finished in a session: path, handle, and number of the deed that was the last step.

    A task that something else ended, or whose last step is no call on record, is not among them.
    """
    served = {
        fact.path: str(cast("Mapping[str, Any]", fact.value)["handle"])
        for fact in journal.facts(under=session, kind="served")
    }
    steps: dict[str, list[int]] = {handle: [] for handle in served.values()}
    for deed in done:
        handle = str(deed.arguments.get("task"))
        if deed.kind == "task" and handle in steps and not deed.tool.endswith(ASKS):
            steps[handle].append(deed.number)
    found = {}
    for path, handle in served.items():
        sealed = cast("Mapping[str, Any]", journal.get(path, "sealed") or {})
        many = int(sealed.get("steps", 0))
        if sealed.get("status") == "completed" and 0 < many <= len(steps[handle]):
            found[path] = (handle, steps[handle][many - 1])
    return found


def _sealed(journal: Journal, session: str) -> int:
    facts = journal.facts(under=session, kind="sealed")
    return sum(cast("Mapping[str, Any]", fact.value).get("status") == "completed" for fact in facts)


@dataclass(frozen=True, slots=True)
class Clock:
    """Tells of the number of a deed how many tasks were finished before it, and whether none was left."""

    ends: Sequence[int]
    dry: int | None

    @classmethod
    def of(cls, done: Sequence[Deed], ends: Sequence[int]) -> "Clock":
        """A session's; it ran dry at the first answer that says so, or at its last task where that came later."""
        said = (deed.number for deed in done if deed.kind == "task" and _none_left(deed))
        first = next(said, None)
        return cls(sorted(ends), None if first is None else max([first, *ends]))

    def after(self, number: int) -> int:
        """How many tasks were finished before this deed."""
        return bisect_right(self.ends, number - 1)

    def idle(self, number: int) -> bool:
        """Whether the stream was exhausted before this deed."""
        return self.dry is not None and number > self.dry


def _none_left(deed: Deed) -> bool:
    asked = deed.tool.endswith("get_task") and "task" not in deed.arguments
    return asked and any(words in deed.result for words in NONE_LEFT) and FLYING not in deed.result


# --------------------------------------------------------------------------------------------- what


def _moments(
    done: Sequence[Trace], clock: Clock, known: Mapping[str, Artifact], before: Mapping[str, Artifact]
) -> Iterator[Moment]:
    """Everything that was done with files, tests and agents, in order."""
    there = set(before)
    for trace in done:
        deed = trace.deed
        for what, path in _done(trace, known, there):
            yield Moment(deed.number, clock.after(deed.number), clock.idle(deed.number), what, path, deed.place)


def _done(trace: Trace, known: Mapping[str, Artifact], there: set[str]) -> Iterator[tuple[What, str]]:
    if not (trace.deed.kind == "write" and trace.deed.failed):
        for each in trace.wrote:
            if _ours(each.path) and (each.how not in ("copy", "gone") or each.path in {*known, *there}):
                yield _written(each, there), shown(each.path)
    if not trace.unfound:
        yield from (("ran", shown(path)) for path in trace.ran if _ours(path))
        yield from (("tested", runner) for runner in trace.tested)
    if rules.spawned(trace):
        yield "spawned", trace.deed.tool


def _written(each: Written, there: set[str]) -> What:
    if each.how == "gone":
        there.discard(each.path)
        return "removed"
    old = each.path in there
    there.add(each.path)
    return "wrote" if not old else "appended" if each.how == "append" else "revised"


def _ours(path: str) -> bool:
    return path.startswith((f"{HOME}/", f"{WORK}/"))


def shown(inside: str) -> str:
    """A path inside as the record names it: `home/notes.md`."""
    for folder, name in ((HOME, "home"), (WORK, "workspace")):
        if inside.startswith(f"{folder}/"):
            return f"{name}/{inside[len(folder) + 1 :]}"
    return inside


WRITES = ("wrote", "revised", "appended")


def _pieces(
    before: Mapping[str, Artifact], after: Mapping[str, Artifact], moments: Sequence[Moment], *, seen: bool
) -> tuple[Piece, ...]:
    """Every file that is new, otherwise or gone; another mode is no change."""
    writes: dict[str, list[Moment]] = {}
    for moment in moments:
        if moment.what in WRITES:
            writes.setdefault(moment.path, []).append(moment)
    pieces = []
    for inside in sorted({*before, *after}):
        old, new = before.get(inside), after.get(inside)
        if old is not None and new is not None and old.digest == new.digest:
            continue
        file = new or old
        assert file is not None
        mine = writes.get(file.path, [])
        pieces.append(
            Piece(
                path=file.path,
                kind=file.kind,
                how="deleted" if new is None else "written" if old is None else "revised",
                bytes=0 if new is None else new.bytes,
                entry=file.entry,
                writes=len({moment.number for moment in mine}) if seen else None,
                first=mine[0].after if mine else None,
                last=mine[-1].after if mine else None,
                tail=bool(mine) and mine[-1].tail,
            )
        )
    return tuple(pieces)


@dataclass(slots=True)
class _Runs:
    place: str
    numbers: set[int] = field(default_factory=set)


def _scripts(done: Sequence[Trace], after: Mapping[str, Artifact]) -> tuple[Script, ...]:
    """Files that commands executed: in home or working folder, or written elsewhere by a deed."""
    written: set[str] = set()
    found: dict[str, _Runs] = {}
    for trace in done:
        written |= {each.path for each in trace.wrote}
        for path in () if trace.unfound else trace.ran:
            at = _module(path[3:], after) if path.startswith("-m ") else path
            if at in after or at in written or (_ours(at) and CODE.search(at)):
                found.setdefault(at, _Runs(trace.deed.place)).numbers.add(trace.deed.number)
    return tuple(Script(shown(path), len(runs.numbers), path in after, runs.place) for path, runs in found.items())


def _module(name: str, after: Mapping[str, Artifact]) -> str:
    place = f"{WORK}/{name.replace('.', '/')}"
    return next((each for each in (f"{place}.py", f"{place}/__main__.py") if each in after), "")


def _lost(done: Sequence[Trace], kept: set[str]) -> tuple[Lost, ...]:
    """Functions that stood in commands and are in no kept code file."""
    times: Counter[str] = Counter()
    first: dict[str, str] = {}
    for trace in done:
        if trace.deed.kind == "command":
            for name in (name for code in trace.code for name in defined(code) if name not in kept):
                times[name] += 1
                first.setdefault(name, trace.deed.place)
    return tuple(Lost(name, many, first[name]) for name, many in times.most_common())


def _tail(journal: Journal, session: Session, done: Sequence[Trace], clock: Clock, moments: Sequence[Moment]) -> Tail:
    notes = journal.observations(under=f"{session.path}/leg", name="leg")
    seconds = sum(float(cast("Mapping[str, Any]", note.value)["idle_seconds"]) for note in notes)
    late = [trace for trace in done if clock.idle(trace.deed.number)]
    written = dict.fromkeys(moment.path for moment in moments if moment.tail and moment.what in WRITES)
    return Tail(seconds, len(late) if done else None, tuple(written))
