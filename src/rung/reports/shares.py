"""Who worked what: every recorded attempt falls to one arm or to what arms share, with its cost and how it ended."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast, get_args

from rung.core.ports import Journal
from rung.reports.record import Record
from rung.reports.tables import Row
from rung.reports.values import Attempts, Cost, Crashes, Ending, Endings, Quote, Shared, Stage
from rung.store.calls import kind_of_call

STAGES: tuple[Stage, ...] = get_args(Stage)


def attempts(found: Record) -> Attempts:
    """How many attempts were planned, and how many of them, of trials and of reruns were recorded."""
    places, kinds = sum(map(len, found.sequences)), len(found.controls)
    arms, about = len(found.arm_names), found.about_exam
    sittings = len(found.exams) * about["baseline_repeats"] + arms * len(found.sequences) * about["repeats"]
    trials = sum(row.purpose == "trial" for row in found.rows)
    reruns = sum(row.rerun > 0 for row in found.rows)
    planned = (kinds + arms) * places + sittings * len(found.exam)
    return Attempts(planned, len(found.rows) - trials - reruns, trials, reruns)


def of_arm(found: Record, name: str, stage: Stage) -> list[Row]:
    """An arm's own attempts of one stage: its lineages, or the exams of what they became."""
    return [row for row in found.rows if row.stage == stage and (row.who == name or row.who.startswith(f"{name}.L"))]


def shared(journal: Journal, found: Record) -> tuple[Shared, ...]:
    """The static arms and the A_0 exams, each with the arms that stand on it."""
    return (
        *(_shared(journal, found, control, "improving", key="control") for control in found.controls),
        *(_shared(journal, found, examinee, "examining", key="A_0") for examinee in found.exams),
    )


def _shared(journal: Journal, found: Record, who: str, stage: Stage, *, key: str) -> Shared:
    rows = [row for row in found.rows if row.who == who]
    arms = tuple(name for name in found.arm_names if found.arms[name][key] == who)
    return Shared(who, stage, arms, cost(journal, rows, scripted=found.scripted), endings(rows))


def cost(journal: Journal, rows: Sequence[Row], *, scripted: bool) -> Cost:
    """What these attempts took. A model's figures stand where its calls were recorded; `scripted` agents have none."""
    homes: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        parts = row.path.split("/")
        homes["/".join(parts[:2]) if row.purpose == "exam" else parts[0]].add(row.path)
    seconds = sum(
        float(cast(float, note.value))
        for home, taken in homes.items()
        for kind in ("seconds", "refine_seconds")
        for note in journal.observations(under=home, name=kind)
        if note.path in taken
    )
    called = (None, None) if scripted else _called(journal, rows)
    return Cost(len(rows), sum(row.steps for row in rows), seconds, *called)


def _called(journal: Journal, rows: Sequence[Row]) -> tuple[int | None, int | None]:
    """Model calls recorded under these attempts, and their tokens; None where there were none, or usage is missing."""
    calls = (journal.get(row.path, kind_of_call(index)) for row in rows for index in range(row.steps))
    usages: list[Mapping[str, Any] | None] = [cast(Mapping[str, Any], call)["usage"] for call in calls if call]
    if not usages:
        return None, None
    told = [usage["input_tokens"] + usage["output_tokens"] for usage in usages if usage is not None]
    return len(usages), sum(told) if len(told) == len(usages) else None


def endings(rows: Iterable[Row]) -> Endings:
    """Count how these attempts ended, and quote the first of each ending that was out of order."""
    count: Counter[Ending] = Counter()
    first: dict[Ending, Quote] = {}
    for row in sorted(rows, key=_in_order):
        if row.ending is None:
            continue
        count[row.ending] += 1
        if row.ending != "queue_empty":
            first.setdefault(row.ending, Quote(row.path, row.said))
    return Endings(
        count["queue_empty"], count["agent_stopped"], count["agent_crashed"], count["instrument_fault"], first=first
    )


def _in_order(row: Row) -> tuple[int, ...]:
    """As a study comes to its attempts, lineage by lineage."""
    return row.lineage or 0, row.place, 0 if row.trial is None else row.trial + 1, row.repeat, row.rerun


def crashes(before: Iterable[Row], after: Iterable[Row]) -> Crashes:
    """How many attempts on either side of a comparison ended because the agent's own code raised."""
    early, late = list(before), list(after)
    return Crashes(_crashed(early), len(early), _crashed(late), len(late))


def _crashed(rows: Sequence[Row]) -> int:
    return sum(row.ending == "agent_crashed" for row in rows)
