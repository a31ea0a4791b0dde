"""What earlier runs say: of each attempt what it used, and of each row how noisy its gains were.

An attempt is taken with all that came of it: the refinement and the trials that followed it, its reruns. So what is
foreseen of a new attempt is foreseen with all of that.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan, sqrt
from typing import Any, cast

import numpy as np

from rung.core.errors import UsageError
from rung.core.ports import Journal
from rung.planning.power import Noise
from rung.planning.predict import Group
from rung.reports import books, rungs
from rung.reports.exchanges import Made
from rung.reports.record import Record, record
from rung.reports.tables import Planned, Row, last_reruns
from rung.stats.flags import MIN_TASKS
from rung.stats.inputs import FloatArray
from rung.stats.lineages import complete, mean_squares


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of some calls by kind; None where an answer came without a count."""

    calls: int = 0
    read: int | None = 0
    cached: int | None = 0
    written: int | None = 0


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt of a pilot with all that came of it. `seconds` None: none were recorded."""

    group: Group
    task: str
    lineage: tuple[int, int] | None
    attempts: int
    actions: int
    acting: Tokens
    refining: Tokens
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Pilot:
    """A run that was read. `worked` is how many tasks its lineages worked and learnt from, replays left out."""

    name: str
    digest: str
    found: Record
    attempts: tuple[Attempt, ...]
    worked: int

    @property
    def lineages(self) -> int:
        """How many lineages it has."""
        return len(self.found.sequences)


def read(journal: Journal, *, number: int = 0) -> Pilot:
    """A pilot from its journal, finished or not; `number` tells several apart. Raises `UsageError` for no ladder."""
    found = record(journal)
    if found.config["protocol"] != "ladder":
        raise UsageError(
            f"the pilot {found.config['name']!r} has protocol = {found.config['protocol']!r}, and plans are of "
            "ladders; give a run of a ladder"
        )
    worked = max((sum(entry.purpose == "work" for entry in sequence) for sequence in found.sequences), default=0)
    return Pilot(found.config["name"], journal.digest(), found, tuple(_attempts(journal, found, number)), worked)


# --------------------------------------------------------------------------------------------- use


@dataclass
class _Sum:
    """What is added up of one attempt."""

    rows: list[Row] = field(default_factory=list)
    acting: list[Made] = field(default_factory=list)
    refining: list[Made] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def home(path: str) -> str:
    """The attempt to which something belongs that is recorded at or below this path.

    >>> home("narrow/L3/work/0007/trial/0/1"), home("exam/narrow.L3/0012/1/again/2")
    ('narrow/L3/work/0007', 'exam/narrow.L3/0012/1')
    """
    return "/".join(path.split("/")[:4])


def _attempts(journal: Journal, found: Record, number: int) -> Iterator[Attempt]:
    sums: dict[str, _Sum] = defaultdict(_Sum)
    for row in found.rows:
        sums[home(row.path)].rows.append(row)
    noted = books.read(journal, found.rows, modelled=found.modelled)
    for at, made in noted.made.items():
        for call in made:
            mine = sums[home(call.path)]
            (mine.acting if at.part == "working" else mine.refining).append(call)
    for name in ("seconds", "refine_seconds"):
        for note in journal.observations(name=name):
            sums[home(note.path)].seconds.append(float(cast(float, note.value)))
    places = _places(found)
    for path in sorted(sums):
        if sums[path].rows:
            yield _attempt(path, sums[path], found, places, number)


def _places(found: Record) -> Mapping[tuple[int | None, int], Planned]:
    """Every task of the plan by lineage and place; None for the exam."""
    places: dict[tuple[int | None, int], Planned] = {(None, task.place): task for task in found.exam}
    for number, sequence in zip(found.lineages, found.sequences, strict=True):
        places |= {(number, entry.place): entry for entry in sequence}
    return places


def _attempt(
    path: str, of: _Sum, found: Record, places: Mapping[tuple[int | None, int], Planned], number: int
) -> Attempt:
    row = of.rows[0]
    planned = places[row.lineage, row.place]
    who, lineage = _who(row, found)
    kind = "exam" if row.purpose == "exam" else path.split("/")[2]
    return Attempt(
        Group(who, kind, planned.cell),
        planned.task,
        None if lineage is None else (number, lineage),
        len(of.rows),
        sum(row.steps for row in of.rows),
        _tokens(of.acting),
        _tokens(of.refining),
        sum(of.seconds) if any(of.seconds) else None,
    )


def _who(row: Row, found: Record) -> tuple[str, int | None]:
    """Whose attempt it is, and of which lineage; a static arm and its A_0 go by the name of the arm, and learn
    nothing."""
    if row.purpose != "exam":
        return row.who, None if row.who in found.controls else row.lineage
    arm, dot, lineage = row.who.rpartition(".L")
    if dot:
        return arm, int(lineage)
    return next(about["control"] for about in found.arms.values() if about["A_0"] == row.who), None


def _tokens(made: Sequence[Made]) -> Tokens:
    answered = [call for call in made if call.answered]
    if any(call.usage is None for call in answered):
        return Tokens(len(made), None, None, None)
    read, cached, written = (
        sum(cast("Mapping[str, Any]", call.usage).get(kind) or 0 for call in answered)
        for kind in ("input_tokens", "cached_tokens", "output_tokens")
    )
    return Tokens(len(made), read, cached, written)


# --------------------------------------------------------------------------------------------- noise


@dataclass(frozen=True, slots=True)
class Seen:
    """The noise of a row as pilots show it, and how many lineages beyond the first of each arm tau rests on."""

    noise: Noise
    tau_df: int


MIN_TAU_DF = 2
"""Lineages beyond the first from which on a pilot is taken to show how lineages differ."""


def on_exam(pilots: Sequence[Pilot], target: str) -> Seen | None:
    """The noise of gains in one cell of the exam, its variances averaged over arms; None where no pilot shows any.

    Six tasks are the least that count (`rung.stats.flags.MIN_TASKS`).
    """
    return _together(
        found
        for pilot in pilots
        for name in pilot.found.arm_names
        if (found := _crossed(pilot.found, name, target)) is not None
    )


def on_replays(pilots: Sequence[Pilot]) -> Seen | None:
    """The same of replays: `task` holds all of an event's noise, and `attempt` none."""
    return _together(
        found
        for pilot in pilots
        for name in pilot.found.arm_names
        if (found := _nested(_effects(pilot.found, name))) is not None
    )


def _together(found: Iterable[tuple[Noise, int]]) -> Seen | None:
    each = list(found)
    if not each:
        return None
    df = sum(many for _, many in each)
    tau = sum(many * noise.tau**2 for noise, many in each) / df if df else 0.0
    task, attempt = (sum(getattr(noise, name) ** 2 for noise, _ in each) / len(each) for name in ("task", "attempt"))
    return Seen(Noise(sqrt(tau), sqrt(task), sqrt(attempt)), df)


def _crossed(found: Record, name: str, target: str) -> tuple[Noise, int] | None:
    """Components of variance by the expected mean squares (Fisher 1925), each at least 0."""
    places = [task.place for task in found.exam if task.cell == target]
    before, after = found.means.get(found.arms[name]["A_0"]), [found.means.get(f"{name}.L{k}") for k in found.lineages]
    if len(places) < MIN_TASKS or before is None or any(row is None for row in after):
        return None
    table = np.array([[row[at - 1] - before[at - 1] for at in places] for row in cast("list[list[float]]", after)])
    d, _ = complete(table)
    if d.shape[1] < MIN_TASKS or not float(np.ptp(d)):
        return None
    return _components(d, found, _within(found, set(places)))


def _components(d: FloatArray, found: Record, within: float | None) -> tuple[Noise, int]:
    k, n = d.shape
    late, early = found.about_exam["repeats"], found.about_exam["baseline_repeats"]
    if k == 1:
        variance = float(d.var(ddof=1))
        attempt = variance / (1 / late + 1 / early) if within is None else within
        return Noise(0.0, _root(variance - attempt * (1 / late + 1 / early)), _root(attempt)), 0
    squares = mean_squares(d)
    attempt = late * squares.rest
    of_before = attempt if within is None else within
    task = (squares.task - squares.rest) / k - of_before / early
    return Noise(_root((squares.lineage - squares.rest) / n), _root(task), _root(attempt)), k - 1


def _root(variance: float) -> float:
    return sqrt(max(0.0, variance))


def _within(found: Record, places: set[int]) -> float | None:
    """The variance of attempts of one examinee at one task around their mean; None where each was made once."""
    scores: dict[tuple[str, int], list[float]] = defaultdict(list)
    for row in last_reruns([row for row in found.rows if row.purpose == "exam" and row.place in places]):
        if row.score is not None:
            scores[row.who, row.place].append(row.score)
    again = [found for found in scores.values() if len(found) > 1]
    df = sum(len(found) - 1 for found in again)
    return sum(float(np.var(found)) * len(found) for found in again) / df if df else None


def _effects(found: Record, name: str) -> list[list[float]]:
    return [[effect for effect, _ in lineage.values()] for lineage in rungs.effects(found, name)]


def _nested(effects: Sequence[Sequence[float]]) -> tuple[Noise, int] | None:
    groups = [[effect for effect in lineage if not isnan(effect)] for lineage in effects]
    groups = [group for group in groups if len(group) > 1]
    events = sum(map(len, groups))
    if events - len(groups) < MIN_TASKS:
        return None
    inside = sum(float(np.var(group)) * len(group) for group in groups) / (events - len(groups))
    means = [sum(group) / len(group) for group in groups]
    between = float(np.var(means, ddof=1)) if len(groups) > 1 else nan
    if inside == 0 and not between > 0:
        return None
    tau = between - inside * len(groups) / events if len(groups) > 1 else 0.0
    return Noise(_root(tau), sqrt(inside), 0.0), len(groups) - 1
