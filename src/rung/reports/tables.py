"""The journal as plain tables. Every number in a report starts from a row here, and each row from facts alone."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any, cast

from rung.core.errors import UsageError
from rung.core.ports import Journal
from rung.core.values import Ending, Purpose
from rung.reports.values import Stage


@dataclass(frozen=True, slots=True)
class Row:
    """One attempt. `who` is the arm, or the examinee in an exam; `place` counts positions of a sequence or exam tasks.

    `score` is None exactly where `fault` says what broke. `trial` is the candidate's number in a trial attempt.
    `ending` is how its session ended, None while that is not recorded, and `said` what was said then.
    """

    path: str
    who: str
    lineage: int | None
    purpose: Purpose
    place: int
    repeat: int
    rerun: int
    trial: int | None
    score: float | None
    success: bool | None
    fault: str | None
    steps: int
    ending: Ending | None = None
    said: str = ""

    @property
    def stage(self) -> Stage:
        """Which purse the attempt is paid from."""
        return "examining" if self.purpose == "exam" else "improving"


@dataclass(frozen=True, slots=True)
class Planned:
    """One task of the plan: a place in the exam, or in a lineage's sequence.

    `reference` is empty for a task that is worked and never replayed: nothing is held against it.
    """

    place: int
    task: str
    family: str
    cell: str
    reference: Mapping[str, Any]
    purpose: Purpose
    first: int | None


def planned_exam(journal: Journal) -> tuple[Planned, ...]:
    """The exam's tasks in order."""
    facts = journal.facts(under="plan/exam", kind="task")
    return tuple(_planned(fact.path, cast(Mapping[str, Any], fact.value)) for fact in facts)


def planned_lineage(journal: Journal, lineage: int) -> tuple[Planned, ...]:
    """The held-in sequence of one lineage."""
    facts = journal.facts(under=f"plan/L{lineage}", kind="entry")
    return tuple(_planned(fact.path, cast(Mapping[str, Any], fact.value)) for fact in facts)


def _planned(path: str, value: Mapping[str, Any]) -> Planned:
    place = int(path.rsplit("/", 1)[1])
    return Planned(
        place,
        value["task"],
        value["family"],
        value["cell"],
        value.get("reference", {}),
        value.get("purpose", "exam"),
        value.get("first"),
    )


def plan_fact(journal: Journal, kind: str) -> Any:
    """A fact of the plan; raises `UsageError` when this journal holds no study."""
    value = journal.get("plan", kind)
    if value is None:
        raise UsageError("this journal holds no planned study; run one with `rung run CONFIG --out DIR`")
    return value


def attempts(journal: Journal) -> Iterator[Row]:
    """Every sealed attempt in key order, reruns of faults as rows of their own."""
    ended = {fact.path: cast(Mapping[str, Any], fact.value) for fact in journal.facts(kind="ended")}
    for fact in journal.facts(kind="sealed"):
        row = _row(fact.path, cast(Mapping[str, Any], fact.value))
        end = ended.get(fact.path)
        yield replace(row, ending=end["ending"], said=str(end["detail"])) if end else row


def _row(path: str, sealed: Mapping[str, Any]) -> Row:
    parts = path.split("/")
    broken = sealed.get("fault")
    fault = f"{broken['where']}: {broken['detail']}" if broken else None
    score = None if broken else float(sealed["score"])
    success = None if broken else bool(sealed["success"])
    steps = int(sealed["steps"])
    if parts[0] == "exam":  # exam/<examinee>/<task>/<repeat>[/again/<rerun>]
        rerun = int(parts[5]) if len(parts) > 5 else 0
        place, repeat = int(parts[2]), int(parts[3])
        return Row(path, parts[1], None, "exam", place, repeat, rerun, None, score, success, fault, steps)
    # <arm>/L<lineage>/<purpose>/<position>[/trial/<candidate>/<repeat>]
    arm, lineage, place = parts[0], int(parts[1][1:]), int(parts[3])
    if len(parts) > 4:
        trial, repeat = int(parts[5]), int(parts[6])
        return Row(path, arm, lineage, "trial", place, repeat, 0, trial, score, success, fault, steps)
    return Row(path, arm, lineage, cast(Purpose, parts[2]), place, 1, 0, None, score, success, fault, steps)


def last_reruns(rows: Sequence[Row]) -> Sequence[Row]:
    """For each exam attempt the row that counts: the last rerun."""
    found: dict[tuple[str, int, int], Row] = {}
    for row in rows:
        key = (row.who, row.place, row.repeat)
        if key not in found or row.rerun > found[key].rerun:
            found[key] = row
    return list(found.values())


def exam_means(rows: Sequence[Row], *, tasks: int) -> Mapping[str, list[float]]:
    """For each examinee the mean score of every exam task over its measured repeats; NaN where none was measured."""
    sums: dict[str, list[list[float]]] = defaultdict(lambda: [[] for _ in range(tasks)])
    for row in last_reruns(rows):
        cell = sums[row.who][row.place - 1]
        if row.score is not None:
            cell.append(row.score)
    return {who: [sum(cell) / len(cell) if cell else nan for cell in cells] for who, cells in sums.items()}
