"""What the journal says of time, model calls and money, read once and kept by place: who, at which stage, doing what.

Calls and their tokens are facts. Dollars, seconds and what was set aside are observations (see
`rung.protocols.budget`), so a run that was replayed from another's recording has calls and no dollars.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

from rung.core.ports import Journal
from rung.reports import exchanges
from rung.reports.exchanges import Made, metered
from rung.reports.tables import Row
from rung.reports.values import Actions, Calls, Failed, Failure, Quote, Stage
from rung.store.calls import kind_of_call

Part: TypeAlias = Literal["working", "judging", "refining"]
PARTS: Mapping[str, Part] = {"judge": "judging", "refine": "refining", "select": "refining"}
"""What is done below an attempt, by the last piece of its path; all else is the attempt itself."""


class Place(NamedTuple):
    """Where something was paid: an arm or an examinee, its stage, and whether it acted, was judged by another model, or
    its method refined."""

    who: str
    stage: Stage
    part: Part


def place(path: str) -> Place:
    """The place of a path under which calls are recorded.

    >>> place("narrow/L3/work/0007/refine"), place("exam/narrow.L3/0012/1")
    (Place(who='narrow', stage='improving', part='refining'), Place(who='narrow.L3', stage='examining', part='working'))
    """
    pieces = path.split("/")
    if pieces[0] == "exam":
        return Place(pieces[1], "examining", "working")
    return Place(pieces[0], "improving", PARTS.get(pieces[-1], "working"))


@dataclass
class Tries:
    """What tries at calls cost, as budgets count it: one whose end was never seen cost all that was set aside.

    `usd` holds the dollars of each call, None where a price is missing.
    """

    usd: dict[tuple[str, int], float | None] = field(default_factory=dict)
    tokens: int = 0
    count: int = 0


@dataclass(frozen=True, slots=True)
class Books:
    """Everything by place, for who wants it of some places only."""

    seconds: Mapping[Place, float]
    made: Mapping[Place, Sequence[Made]]
    told: Mapping[Place, int]
    actions: Mapping[Place, Actions]
    tries: Tries
    notes: Mapping[str, Sequence[Any]]  # observations of the run as a whole, by name

    def seconds_of(self, wanted: Callable[[Place], bool]) -> float:
        """Seconds on the wall at these places."""
        return sum(seconds for at, seconds in self.seconds.items() if wanted(at))

    def calls(self, wanted: Callable[[Place], bool]) -> Calls | None:
        """The model calls at these places together; None where there were none."""
        made = [call for at, calls in self.made.items() if wanted(at) for call in calls]
        told = sum(count for at, count in self.told.items() if wanted(at))
        return together(made, told=told) if made or told else None

    def actions_of(self, wanted: Callable[[Place], bool]) -> Actions | None:
        """Actions at these places, where a model acted; None where none did."""
        modelled = {at for at, calls in self.made.items() if at.part == "working" and calls}
        found = [actions for at, actions in self.actions.items() if at in modelled and wanted(at)]
        if not found:
            return None
        return Actions(*(sum(getattr(each, what) for each in found) for what in ("total", "parsed", "invalid")))


# --------------------------------------------------------------------------------------------- reading


def read(journal: Journal, rows: Sequence[Row], *, modelled: bool) -> Books:
    """The books of a study. Unless `modelled`, no model was called, and none is looked for."""
    noted = _notes(journal)
    paths = {row.path for row in rows}
    learnt = [row.path for row in rows if row.purpose == "work"]
    lines = [*paths, *(f"{path}/{concern}" for path in learnt for concern in PARTS)]
    lines += [path for path, name in noted if name == "reserved" or name.startswith("call/")]
    tries = _tries(noted)
    made: dict[Place, list[Made]] = defaultdict(list)
    exchanged = exchanges.made(journal, tries.usd) if modelled else {}
    for path in sorted(set(lines) - set(exchanged)) if modelled else ():
        made[place(path)] += _made(journal, path, noted, tries)
    for path, calls in exchanged.items():
        made[place(path)] += calls
    told: Counter[Place] = Counter()
    for row in rows if modelled else ():
        told[place(row.path)] += sum(journal.get(row.path, f"told/{step:06d}") is not None for step in range(row.steps))
    return Books(
        seconds=_seconds(noted, {*paths, *exchanged, *(path for path, name in noted if name == "seconds")}),
        made={at: calls for at, calls in made.items() if calls},
        told={at: count for at, count in told.items() if count},
        actions=_actions(journal) if modelled else {},
        tries=tries,
        notes={name: values for (path, name), values in noted.items() if path == "run"},
    )


_Notes: TypeAlias = Mapping[tuple[str, str], Sequence[Any]]


def _notes(journal: Journal) -> _Notes:
    """Every observation by path and name, those of one key in the order in which they were made."""
    found: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for note in journal.observations():
        found[note.path, note.kind].append(note.value)
    return found


def _seconds(noted: _Notes, paths: set[str]) -> Mapping[Place, float]:
    """Seconds of each place. Those of a refinement are noted under the attempt that it follows."""
    found: dict[Place, float] = defaultdict(float)
    for name, concern in (("seconds", ""), ("refine_seconds", "/refine")):
        for path in paths:
            found[place(f"{path}{concern}")] += sum(map(float, noted.get((path, name), ())))
    return found


def _tries(noted: _Notes) -> Tries:
    settled: dict[int, Any] = {
        value["n"]: value for (_, name), values in noted.items() if name == "settled" for value in values
    }
    found = Tries()
    for (path, name), values in noted.items():
        for reserved in values if name == "reserved" else ():
            cost: Any = settled.get(reserved["n"], reserved)
            key = (path, int(reserved["call"]))
            found.usd[key] = _plus(found.usd.get(key, 0.0), cost["usd"])
            found.tokens += cost["tokens"]
            found.count += 1
    return found


def _plus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def _made(journal: Journal, path: str, noted: _Notes, tries: Tries) -> Iterator[Made]:
    """The calls of one path, numbered together; the last may have been interrupted."""
    index = 0
    while True:
        usd = _usd(path, index, noted, tries)
        answered = cast("Mapping[str, Any] | None", journal.get(path, kind_of_call(index)))
        failed = cast("Mapping[str, Any] | None", journal.get(path, f"failed/{index:06d}"))
        if answered is not None:
            yield Made(path, index, True, metered(answered["usage"]), None, "", usd)
        elif failed is not None:
            free = 0.0 if failed["error"] == "LimitReached" and usd is None else usd  # it was never sent
            yield Made(path, index, False, None, failed["error"], failed["detail"], free)
        else:
            if (path, index) in tries.usd:
                yield Made(path, index, False, None, None, "", usd)
            return
        index += 1


def _usd(path: str, index: int, noted: _Notes, tries: Tries) -> float | None:
    """Dollars of one call: of its tries where they were set aside, else as the call itself notes them."""
    if (path, index) in tries.usd:
        return tries.usd[path, index]
    seen = noted.get((path, kind_of_call(index)), ())
    return cast("float | None", seen[-1]["usd"]) if seen else None


def _actions(journal: Journal) -> Mapping[Place, Actions]:
    total, parsed, invalid = Counter[Place](), Counter[Place](), Counter[Place]()
    for fact in journal.facts(kind="step"):
        at = place(fact.path.rsplit("/step/", 1)[0])
        value = cast("Mapping[str, Any]", fact.value)
        total[at] += 1
        parsed[at] += bool(value.get("parsed", not value["invalid"]))  # rung 0.1 did not tell the two apart
        invalid[at] += bool(value["invalid"])
    return {at: Actions(count, parsed[at], invalid[at]) for at, count in total.items()}


# --------------------------------------------------------------------------------------------- adding up


def together(made: Sequence[Made], *, told: int = 0) -> Calls:
    """Calls added up. A sum in which a part is not known is not known (see `rung.reports.values.Calls`)."""
    answered = [call for call in made if call.answered]
    unmetered = sum(call.usage is None for call in answered)
    most: float | None = 0.0
    for call in made:
        most = _plus(most, call.usd)
    read, cached, written = (
        None if unmetered else sum((call.usage or {}).get(kind) or 0 for call in answered)
        for kind in ("input_tokens", "cached_tokens", "output_tokens")
    )
    return Calls(
        answered=len(answered),
        unmetered=unmetered,
        input_tokens=read,
        cached_tokens=cached,
        output_tokens=written,
        usd=None if unmetered else most,
        usd_at_most=most,
        failures=tuple(_failures(made)),
        told=told,
    )


def _failures(made: Iterable[Made]) -> Iterator[Failure]:
    by_error: dict[str, list[Made]] = defaultdict(list)
    for call in sorted(made, key=lambda call: (call.path, call.index)):
        by_error[call.error or ""].append(call)
    for error in get_args(Failed):
        failed = by_error[error]
        if failed:
            yield Failure(error, len(failed), Quote(failed[0].path, failed[0].said))
