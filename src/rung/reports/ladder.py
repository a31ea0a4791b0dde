"""The ladder report as values: from the journal's record to arms, what they cost, what is missing and what is weak."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from math import isnan
from statistics import fmean
from typing import Any, cast

from rung.core.ports import Journal
from rung.reports import rungs, tables
from rung.reports.record import Record, record
from rung.reports.tables import Row
from rung.reports.values import ArmReport, Cost, CurvePoint, LadderReport, Pool, Rung
from rung.reports.weaknesses import weaknesses
from rung.stats.climb import rungs_held
from rung.stats.verdict import Verdict

BLOCKS = 12
"""Points of a learning curve: positions are averaged in this many blocks, or singly when there are fewer."""

HOW = {
    "before, after (G1-G4)": "rung.reports.tables.exam_means",
    "gain (G1-G4)": "rung.stats.lineages.gain",
    "gain (G0)": "rung.stats.lineages.nested_gain",
    "HCI (G1-G4)": "rung.stats.headroom.hci",
    "HCI (G0)": "rung.stats.headroom.nested_hci",
    "verdict": "rung.stats.verdict.judge",
    "tau* (one lineage)": "rung.stats.paired.tau_star",
    "3/N line": "rung.stats.paired.unseen_share",
    "rungs held": "rung.stats.climb.rungs_held",
    "unscored = failed / dropped, bounds": "rung.stats.missing.cover",
    "drift of the static arm": "rung.stats.lineages.nested_gain",
    "learning curve": "rung.reports.ladder.curve",
    "digest": "rung.core.ports.Journal.digest",
}


def read(journal: Journal, *, provenance: Mapping[str, Any] | None = None) -> LadderReport:
    """The report of a ladder study, finished or not; what is missing is named."""
    found = record(journal)
    arms = tuple(_arm(journal, found, name) for name in found.arm_names)
    pools = tuple(Pool(**pool) for pool in tables.plan_fact(journal, "freshness"))
    return LadderReport(
        name=found.config["name"],
        incomplete=_incomplete(found, arms),
        weaknesses=weaknesses(found.config, arms, pools, len(found.sequences)),
        lineages=len(found.sequences),
        exam_tasks=len(found.exam),
        baseline_repeats=found.about_exam["baseline_repeats"],
        repeats=found.about_exam["repeats"],
        exam_id=found.about_exam["id"],
        digest=journal.digest(),
        secret_fixed=found.config["secret_fixed"],
        scripted=all(arm["agent"]["kind"].startswith("phantom:") for arm in found.config["arms"]),
        arms=arms,
        controls={control: curve(found, control) for control in found.controls},
        curve_units=found.units(found.entries("work")),
        drift=tuple(rungs.drift(found, control) for control in found.controls),
        pools=pools,
        how=HOW,
        config=found.config,
        provenance=dict(provenance or {}),
    )


# --------------------------------------------------------------------------------------------- one arm


def _arm(journal: Journal, found: Record, name: str) -> ArmReport:
    about = next(arm for arm in found.config["arms"] if arm["name"] == name)
    replay = rungs.on_replays(found, name)
    exams = [rungs.on_exam(found, name, comparison) for comparison in found.comparisons]
    proposed, accepted, broken = _refinements(journal, name)
    mine = [row for row in found.rows if row.who == name or row.who.startswith(f"{name}.L")]
    return ArmReport(
        name=name,
        agent=about["agent"]["kind"],
        method=about["method"]["name"],
        control=found.arms[name]["control"],
        climbed=rungs_held(_by_level(exams)),
        retention=replay.verdict.word if replay else "not measured",
        rungs=(*([replay] if replay else []), *exams),
        curve=curve(found, name),
        proposed=proposed,
        accepted=accepted,
        method_faults=broken,
        faults=dict(Counter(row.fault for row in mine if row.fault)),
        improving=_cost(journal, [row for row in mine if row.stage == "improving"]),
        examining=_cost(journal, [row for row in mine if row.stage == "examining"]),
    )


def _by_level(found: Sequence[Rung]) -> list[tuple[str, Verdict]]:
    """One verdict a level, in order: a level with several targets is as good as its weakest."""
    ordered = sorted(found, key=lambda rung: rung.level)
    levels = [(level, list(group)) for level, group in groupby(ordered, key=lambda rung: rung.level)]
    return [
        (level, next((rung.verdict for rung in group if rung.verdict.word != "improved"), group[0].verdict))
        for level, group in levels
    ]


def _refinements(journal: Journal, name: str) -> tuple[int, int, int]:
    proposed = accepted = broken = 0
    for kind in ("refined", "selected"):
        for fact in journal.facts(under=name, kind=kind):
            value = cast(Mapping[str, Any], fact.value)
            proposed += len(value.get("candidates", ()))
            accepted += value.get("chosen") is not None
            broken += "fault" in value
    return proposed, accepted, broken


def _cost(journal: Journal, rows: Sequence[Row]) -> Cost:
    taken = {row.path for row in rows}
    homes = {row.path.split("/")[0] if row.purpose != "exam" else "/".join(row.path.split("/")[:2]) for row in rows}
    seconds = 0.0
    for home in homes:
        for kind in ("seconds", "refine_seconds"):
            for note in journal.observations(under=home, name=kind):
                if note.path in taken:
                    seconds += float(cast(float, note.value))
    return Cost(len(rows), sum(row.steps for row in rows), seconds)


# --------------------------------------------------------------------------------------------- curve, holes


def curve(found: Record, name: str) -> tuple[CurvePoint, ...]:
    """Mean held-in score over all lineages, replays left out, in blocks of neighbouring positions.

    Empty where tasks are scored in different units: a mean over those says nothing.
    """
    if len(found.units(found.entries("work"))) > 1:
        return ()
    scores: dict[int, list[float]] = defaultdict(list)
    for number, sequence in zip(found.lineages, found.sequences, strict=True):
        for entry in sequence:
            if entry.purpose == "work":
                scores[entry.place].append(found.score(name, number, entry.place))
    places = sorted(scores)
    size = max(1, -(-len(places) // BLOCKS))
    return tuple(_point(places[start : start + size], scores) for start in range(0, len(places), size))


def _point(block: Sequence[int], scores: Mapping[int, Sequence[float]]) -> CurvePoint:
    seen = [score for place in block for score in scores[place] if not isnan(score)]
    return CurvePoint(block[0], block[-1], fmean(seen) if seen else None, len(seen))


def _incomplete(found: Record, arms: Sequence[ArmReport]) -> tuple[str, ...]:
    """What is missing, by name."""
    holes = []
    for control in found.controls:
        holes += _unfinished(found, control)
    for arm in arms:
        holes += _unfinished(found, arm.name)
        for rung in arm.rungs:
            missing = rung.holes.planned_pairs - rung.holes.measured_pairs
            if missing:
                holes.append(
                    f"{arm.name} {rung.level} {rung.target}: {missing} of {rung.holes.planned_pairs} pairs not measured"
                )
    return tuple(holes)


def _unfinished(found: Record, name: str) -> list[str]:
    lines = []
    for number in found.lineages:
        planned = len(found.sequences[number - 1])
        worked = sum((name, number, place) in found.work for place in range(1, planned + 1))
        if worked < planned:
            lines.append(f"{name} L{number}: {worked} of {planned} tasks worked")
    return lines
