"""The runs of a comparison and their arms, read once; what cannot be compared at all is refused here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeAlias, cast

from rung.core.errors import UsageError
from rung.core.ports import Journal
from rung.findings.audit.verdict import Audit
from rung.reports import books, honesty, ladder
from rung.reports.compare.values import POLICIES, Entrant, Policy
from rung.reports.exchanges import Made
from rung.reports.record import Record, record
from rung.reports.tables import Planned, exam_means
from rung.reports.values import ArmReport, Calls, LadderReport

Means: TypeAlias = Mapping[str, list[float]]


@dataclass(frozen=True, slots=True)
class Run:
    """One run: what its journal says, under the label it was named with."""

    label: str
    found: Record
    report: LadderReport
    means: Mapping[Policy, Means]  # of every examinee, under each way of counting what was not scored
    improving: Mapping[tuple[str, int], Calls]  # model calls of improving, by arm and lineage
    code: Mapping[str, str]
    version: str
    sandboxes: tuple[str, ...]  # in which commands judged
    confined: tuple[str, ...] = ()  # in which programs ran

    @property
    def unfinished(self) -> bool:
        """Whether attempts of the plan are still to come."""
        return self.report.attempts.done < self.report.attempts.planned

    def cell(self, name: str) -> list[Planned]:
        """The exam tasks of one cell, in order."""
        return [task for task in self.found.exam if task.cell == name]

    @property
    def cells(self) -> list[str]:
        """The cells of the exam, in order."""
        return list(dict.fromkeys(task.cell for task in self.found.exam))


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm of one run."""

    run: Run
    name: str

    @property
    def label(self) -> str:
        """How it is named: `RUN/ARM`."""
        return f"{self.run.label}/{self.name}"

    @property
    def beginning(self) -> str:
        """The examinee that is its A_0."""
        return str(self.run.found.arms[self.name]["A_0"])

    @property
    def frozen(self) -> str:
        """What is its A_0 for ever: the static arm of its run, and in a cell, which has none, A_0 as it sat."""
        return f"{self.run.label}/{self.run.found.arms[self.name]['control'] or 'A_0'}"

    @property
    def report(self) -> ArmReport:
        """What the report of its run says of it."""
        return next(arm for arm in self.run.report.arms if arm.name == self.name)

    @property
    def costs(self) -> list[Calls]:
        """The model calls of improving, lineage by lineage."""
        return [self.run.improving[self.name, number] for number in self.run.found.lineages]

    def level(self, cell: str) -> str:
        """The rung on which its run asks about a cell."""
        return next((str(row["level"]) for row in self.run.found.comparisons if row["target"] == cell), "–")


def same_start(one: Arm, other: Arm) -> bool:
    """Whether both stand on one measurement of one A_0, which then cancels in a difference of gains."""
    return one.run is other.run and one.beginning == other.beginning


def read(label: str, journal: Journal, audit: Audit | None = None) -> Run:
    """Read a run with its audit; raises `UsageError` where none has begun, or nothing of its exam was sat."""
    try:
        found, report = honesty.marked(record(journal), audit), ladder.read(journal, audit=audit)
    except UsageError as error:
        raise UsageError(f"{label}: {error}") from None
    if not found.means:
        done, planned = report.attempts.done, report.attempts.planned
        raise UsageError(
            f"{label} is unfinished, {done:,} of {planned:,} attempts, and has not begun its exam: there is nothing to "
            f"compare yet; `rung run CONFIG --out {label}` goes on with it"
        )
    code = [cast(Mapping[str, str], note.value) for note in journal.observations(under="run", name="code")]
    version = [str(note.value) for note in journal.observations(under="run", name="version")]
    return Run(
        label,
        found,
        report,
        {policy: means_under(found, policy) for policy in POLICIES},
        _improving(journal, found),
        code[-1] if code else {},
        version[-1] if version else "unknown",
        _sandboxes(journal),
        tuple(sorted(report.programs.sandboxes)) if report.programs is not None else (),
    )


def means_under(found: Record, policy: Policy) -> Means:
    """The exam means of every examinee when what was not scored counts so.

    `retried`: the last rerun of an attempt counts, as everywhere in a report. `dropped`: only first tries count, and
    those that broke are left out. `failed`: those are scores at the family's floor.
    """
    if policy == "retried":
        return found.means
    first = [row for row in found.rows if row.purpose == "exam" and row.rerun == 0]
    if policy == "failed":
        floors = {task.place: found.scale(task.family).floor for task in found.exam}
        first = [row if row.score is not None else replace(row, score=floors[row.place]) for row in first]
    return exam_means(first, tasks=len(found.exam))


def _improving(journal: Journal, found: Record) -> Mapping[tuple[str, int], Calls]:
    noted = books.read(journal, found.rows, modelled=found.modelled)
    made: dict[tuple[str, int], list[Made]] = {(name, k): [] for name in found.arm_names for k in found.lineages}
    for at, calls in noted.made.items():
        for call in calls if at.stage == "improving" else ():
            home = (at.who, int(call.path.split("/")[1].removeprefix("L")))
            if home in made:  # and not of a frozen control
                made[home].append(call)
    return {home: books.together(calls) for home, calls in made.items()}


def _sandboxes(journal: Journal) -> tuple[str, ...]:
    sealed = (cast("Mapping[str, Any]", fact.value) for fact in journal.facts(kind="sealed"))
    seen = {str(value.get("metrics", {}).get("sandbox")) for value in sealed if "metrics" in value}
    return tuple(sorted(seen - {"None"}))


# --------------------------------------------------------------------------------------------- who is there


def arms(runs: Sequence[Run]) -> list[Arm]:
    """Every arm of these runs; raises `UsageError` for fewer than two, and for one run given twice."""
    for one, other in combinations(runs, 2):
        if one.report.digest == other.report.digest:
            raise UsageError(
                f"{one.label} and {other.label} are the same run, fact for fact (digest {one.report.digest[:12]}); "
                "name each run once"
            )
    found = [Arm(run, name) for run in runs for name in run.found.arm_names]
    if len(found) < 2:
        raise UsageError(
            f"a comparison needs two arms, seen {found[0].label!r} alone; name another run on the same exam"
        )
    return found


def named(label: str, among: Sequence[Arm], option: str) -> Arm:
    """The arm with this label; raises `UsageError` where there is none."""
    for arm in among:
        if arm.label == label:
            return arm
    there = ", ".join(arm.label for arm in among)
    raise UsageError(f"{option} {label!r} is none of the arms; there are: {there}")


def pairs(among: Sequence[Arm], against: Arm | None) -> list[tuple[Arm, Arm]]:
    """The pairs to hold against each other: all of them, or all against one."""
    if against is None:
        return list(combinations(among, 2))
    return [(against, arm) for arm in among if arm is not against]


def entrant(arm: Arm) -> Entrant:
    """An arm as a comparison names it."""
    about, report, lineages = arm.run.found.about(arm.name), arm.report, len(arm.run.found.sequences)
    calls = report.improving.calls
    usd, tokens = (None, None) if calls is None else (calls.usd, calls.tokens)
    return Entrant(
        label=arm.label,
        agent=about["agent"],
        method=about["method"],
        beginning=arm.beginning,
        control=arm.frozen,
        lineages=lineages,
        improving_attempts=report.improving.attempts / lineages,
        called=calls is not None,
        improving_usd=None if usd is None else usd / lineages,
        improving_tokens=None if tokens is None else tokens / lineages,
    )
