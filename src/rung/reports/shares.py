"""Who worked what: every recorded attempt falls to one arm or to what arms share, with its cost and how it ended."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import get_args

from rung.core.values import Ending
from rung.reports.books import Books, Part, Place
from rung.reports.record import Record
from rung.reports.tables import Row
from rung.reports.values import Actions, Attempts, Cost, Crashes, Endings, Quote, Shared, Stage

STAGES: tuple[Stage, ...] = get_args(Stage)


def attempts(found: Record, never: int = 0) -> Attempts:
    """How many attempts were planned, and how many of them, of trials and of reruns were recorded.

    What a cut lineage will never come to is planned no more, nor what `never` counts.
    """
    places, kinds = sum(map(len, found.sequences)), len(found.controls)
    arms, about = len(found.arm_names), found.about_exam
    sittings = len(found.exams) * about["baseline_repeats"] + arms * len(found.sequences) * about["repeats"]
    sentinels = len(found.sentinels) * min(found.config.get("cell", {}).get("sentinels", 0), len(found.exam))
    trials = sum(row.purpose == "trial" for row in found.rows)
    reruns = sum(row.rerun > 0 for row in found.rows)
    planned = (
        (kinds + arms) * places + sittings * len(found.exam) + sentinels - sum(cut.lost for cut in found.cuts.values())
    )
    return Attempts(planned - never, len(found.rows) - trials - reruns, trials, reruns)


def of_arm(found: Record, name: str, stage: Stage) -> list[Row]:
    """An arm's own attempts of one stage: its lineages, or the exams of what they became."""
    return [row for row in found.rows if row.stage == stage and _belongs(row.who, name)]


def _belongs(who: str, name: str) -> bool:
    return who == name or who.startswith(f"{name}.L")


def shared(found: Record, books: Books) -> tuple[Shared, ...]:
    """The static arms and the A_0 exams, each with the arms that stand on it."""
    return (
        *(_shared(found, books, control, "improving", key="control") for control in found.controls),
        *(_shared(found, books, examinee, "examining", key="A_0") for examinee in (*found.exams, *found.sentinels)),
    )


def _shared(found: Record, books: Books, who: str, stage: Stage, *, key: str) -> Shared:
    rows = [row for row in found.rows if row.who == who]
    arms = tuple(name for name in found.arm_names if who in _stood_on(found, name, key))

    def here(place: Place) -> bool:
        return place.who == who

    return Shared(who, stage, arms, _cost(books, rows, here), endings(rows), books.actions_of(here))


def _stood_on(found: Record, name: str, key: str) -> list[str]:
    """What an arm shares with others: its static arm, or its exams of A_0."""
    if key == "control":
        return [found.arms[name]["control"]]
    return [*found.baselines(name), f"{found.arms[name]['A_0']}.sentinel"]


def cost(found: Record, books: Books, name: str, stage: Stage, *, part: Part | None = None) -> Cost:
    """What one stage of an arm took, or one part of it. Attempts and their steps belong to working."""
    rows = [] if part == "refining" else of_arm(found, name, stage)
    return _cost(books, rows, _of(name, stage, part))


def actions(books: Books, name: str, stage: Stage) -> Actions | None:
    """How many actions an arm's model took in one stage, and how many were invalid; None where no model acted."""
    return books.actions_of(_of(name, stage, "working"))


def _of(name: str, stage: Stage, part: Part | None) -> Callable[[Place], bool]:
    return lambda place: _belongs(place.who, name) and place.stage == stage and part in (None, place.part)


def _cost(books: Books, rows: Sequence[Row], wanted: Callable[[Place], bool]) -> Cost:
    return Cost(len(rows), sum(row.steps for row in rows), books.seconds_of(wanted), books.calls(wanted))


def totals(found: Record, books: Books) -> Mapping[str, Cost]:
    """What all improving, all examining and the instrument took. The instrument is the frozen controls."""
    controls = set(found.controls)
    parts: Mapping[str, Callable[[str, Stage], bool]] = {
        "improving": lambda who, stage: stage == "improving" and who not in controls,
        "examining": lambda who, stage: stage == "examining",
        "instrument": lambda who, stage: stage == "improving" and who in controls,
    }
    return {
        name: _cost(books, [row for row in found.rows if fits(row.who, row.stage)], _at(fits))
        for name, fits in parts.items()
    }


def _at(fits: Callable[[str, Stage], bool]) -> Callable[[Place], bool]:
    return lambda place: fits(place.who, place.stage)


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
    return Endings(dict(count), first)


def _in_order(row: Row) -> tuple[int, ...]:
    """As a study comes to its attempts, lineage by lineage."""
    return row.lineage or 0, row.place, 0 if row.trial is None else row.trial + 1, row.repeat, row.rerun


def crashes(before: Iterable[Row], after: Iterable[Row], ending: Ending = "agent_crashed") -> Crashes:
    """How many attempts on either side of a comparison ended so: because the agent's own code raised, unless said."""
    early, late = list(before), list(after)
    return Crashes(_ended(early, ending), len(early), _ended(late, ending), len(late))


def _ended(rows: Sequence[Row], ending: Ending) -> int:
    return sum(row.ending == ending for row in rows)
