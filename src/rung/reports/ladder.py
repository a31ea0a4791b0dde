"""The ladder report as values: from the journal's record to arms, what they cost, what is missing and what is weak."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from math import isnan
from statistics import fmean
from typing import Any, cast

from rung.core.ports import Journal
from rung.reports import rungs, shares, tables
from rung.reports.record import Record, record
from rung.reports.values import ArmReport, CurvePoint, LadderReport, Pool, Quote, Rung
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
    report = LadderReport(
        name=found.config["name"],
        attempts=shares.attempts(found),
        incomplete=_incomplete(found, arms),
        weaknesses=(),
        lineages=len(found.sequences),
        exam_tasks=len(found.exam),
        baseline_repeats=found.about_exam["baseline_repeats"],
        repeats=found.about_exam["repeats"],
        exam_id=found.about_exam["id"],
        digest=journal.digest(),
        secret_fixed=found.config["secret_fixed"],
        scripted=found.scripted,
        arms=arms,
        shared=shares.shared(journal, found),
        controls={control: curve(found, control) for control in found.controls},
        curve_units=found.units(found.entries("work")),
        drift=tuple(rungs.drift(found, control) for control in found.controls),
        pools=pools,
        how=HOW,
        config=found.config,
        provenance=dict(provenance or {}),
    )
    return replace(report, weaknesses=weaknesses(report))


# --------------------------------------------------------------------------------------------- one arm


def _arm(journal: Journal, found: Record, name: str) -> ArmReport:
    about = found.about(name)
    replay = rungs.on_replays(found, name)
    exams = [rungs.on_exam(found, name, comparison) for comparison in found.comparisons]
    proposed, accepted, broken, first = _refinements(journal, name)
    improving, examining = (shares.of_arm(found, name, stage) for stage in shares.STAGES)
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
        method_fault=first,
        faults=dict(Counter(row.fault for row in (*improving, *examining) if row.fault)),
        improving=shares.cost(journal, improving, scripted=found.scripted),
        examining=shares.cost(journal, examining, scripted=found.scripted),
        ended_improving=shares.endings(improving),
        ended_examining=shares.endings(examining),
    )


def _by_level(found: Sequence[Rung]) -> list[tuple[str, Verdict]]:
    """One verdict a level, in order: a level with several targets is as good as its weakest."""
    ordered = sorted(found, key=lambda rung: rung.level)
    levels = [(level, list(group)) for level, group in groupby(ordered, key=lambda rung: rung.level)]
    return [
        (level, next((rung.verdict for rung in group if rung.verdict.word != "improved"), group[0].verdict))
        for level, group in levels
    ]


def _refinements(journal: Journal, name: str) -> tuple[int, int, int, Quote | None]:
    """Changes proposed and accepted, how often the method broke, and what it said first."""
    proposed = accepted = 0
    broken: list[Quote] = []
    for kind in ("refined", "selected"):
        for fact in journal.facts(under=name, kind=kind):
            value = cast(Mapping[str, Any], fact.value)
            proposed += len(value.get("candidates", ()))
            accepted += value.get("chosen") is not None
            if "fault" in value:
                broken.append(Quote(fact.path, value["fault"]["detail"]))
    first = min(broken, key=lambda quote: quote.path) if broken else None
    return proposed, accepted, len(broken), first


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
