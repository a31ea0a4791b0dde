"""The ladder report as values: from the journal's tables to estimates, verdicts and weaknesses.

G1-G4 compare the exam means of A_T and A_0 per task: D[k, i] = after[k, i] - before[i], K lineages by N tasks. G0
compares each replay with the first play of its task, and takes away the same difference in the static arm on the same
sequence; every lineage has its own tasks there. Faulted attempts are missing, and never zero.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isnan, nan
from statistics import fmean
from typing import Any, cast

from rung.core.errors import UsageError
from rung.core.ports import Journal
from rung.core.seeds import Seed
from rung.core.values import Estimate, Scale
from rung.reports import tables
from rung.reports.tables import Planned, Row
from rung.reports.values import (
    ArmReport,
    Cost,
    CurvePoint,
    Drift,
    Holes,
    LadderReport,
    Pool,
    Rung,
)
from rung.reports.weaknesses import weaknesses
from rung.stats.climb import rungs_held
from rung.stats.headroom import hci, nested_hci
from rung.stats.lineages import nested_gain
from rung.stats.missing import Bounds, Coverage, cover
from rung.stats.verdict import Verdict, evidence, judge, nested_evidence

SEED = Seed("rung.reports.ladder")
"""The named stream of the report's own resampling (sign-flip p beyond exact enumeration)."""

BLOCKS = 12
"""Points of a learning curve: positions are averaged in this many blocks, or singly when there are fewer."""

HOW = {
    "before, after (G1-G4)": "rung.reports.tables.exam_means",
    "gain (G1-G4)": "rung.stats.lineages.gain",
    "gain (G0)": "rung.stats.lineages.nested_gain",
    "HCI (G1-G4)": "rung.stats.headroom.hci",
    "HCI (G0)": "rung.stats.headroom.nested_hci",
    "verdict": "rung.stats.verdict.judge",
    "rungs held": "rung.stats.climb.rungs_held",
    "unscored = failed / dropped, bounds": "rung.stats.missing.cover",
    "drift of the static arm": "rung.stats.lineages.nested_gain",
    "learning curve": "rung.reports.ladder.curve",
    "digest": "rung.core.ports.Journal.digest",
}


@dataclass(frozen=True, slots=True)
class Record:
    """What the journal says of a ladder study, read once."""

    config: Mapping[str, Any]
    attempts: tuple[int, int]  # per exam task, of A_0 and of A_T
    families: Mapping[str, Any]
    comparisons: Sequence[Mapping[str, Any]]
    exam: Sequence[Planned]
    sequences: Sequence[Sequence[Planned]]
    arms: Mapping[str, Mapping[str, Any]]
    rows: Sequence[Row]
    means: Mapping[str, list[float]]
    work: Mapping[tuple[str, int, int], float]  # (arm, lineage, position) -> score, NaN for a fault

    @property
    def lineages(self) -> range:
        """The numbers of the lineages."""
        return range(1, len(self.sequences) + 1)

    def scale(self, family: str) -> Scale:
        """The declared scale of a family's scores."""
        return Scale(**self.families[family]["scale"])

    def score(self, arm: str, lineage: int, position: int | None) -> float:
        """A held-in score; NaN where there is none."""
        return nan if position is None else self.work.get((arm, lineage, position), nan)


def read(journal: Journal, *, provenance: Mapping[str, Any] | None = None) -> LadderReport:
    """The report of a ladder study, finished or not; what is missing is named."""
    found = _record(journal)
    drift = tuple(_drift(found, control) for control in _controls(found))
    arms = tuple(_arm(journal, found, name) for name in _arm_names(found))
    exam = tables.plan_fact(journal, "exam")
    pools = tuple(Pool(**pool) for pool in tables.plan_fact(journal, "freshness"))
    return LadderReport(
        name=found.config["name"],
        incomplete=_incomplete(found, arms),
        weaknesses=weaknesses(found.config, arms, pools, found.lineages),
        lineages=len(found.sequences),
        exam_tasks=len(found.exam),
        repeats=exam["repeats"],
        exam_id=exam["id"],
        digest=journal.digest(),
        secret_fixed=found.config["secret_fixed"],
        scripted=all(arm["agent"]["kind"].startswith("phantom:") for arm in found.config["arms"]),
        arms=arms,
        controls={control: curve(found, control) for control in _controls(found)},
        drift=drift,
        pools=pools,
        how=HOW,
        config=found.config,
        provenance=dict(provenance or {}),
    )


def _record(journal: Journal) -> Record:
    config = tables.plan_fact(journal, "config")
    rows = list(tables.attempts(journal))
    exam, about = tables.planned_exam(journal), tables.plan_fact(journal, "exam")
    work = {
        (row.who, cast(int, row.lineage), row.place): nan if row.score is None else row.score
        for row in rows
        if row.purpose in ("work", "replay")
    }
    arms = {
        fact.path: cast(Mapping[str, Any], fact.value) for fact in journal.facts(kind="arm") if "/" not in fact.path
    }
    if not arms:
        raise UsageError("this run has not begun its first attempt; run it with `rung run`, then report")
    return Record(
        config=config,
        attempts=(about["baseline_repeats"], about["repeats"]),
        families=tables.plan_fact(journal, "families"),
        comparisons=tables.plan_fact(journal, "comparisons"),
        exam=exam,
        sequences=[tables.planned_lineage(journal, number) for number in range(1, config["lineages"] + 1)],
        arms=arms,
        rows=rows,
        means=tables.exam_means([row for row in rows if row.purpose == "exam"], tasks=len(exam)),
        work=work,
    )


def _arm_names(found: Record) -> Sequence[str]:
    return [arm["name"] for arm in found.config["arms"]]


def _controls(found: Record) -> Sequence[str]:
    return list(dict.fromkeys(found.arms[name]["control"] for name in _arm_names(found)))


# --------------------------------------------------------------------------------------------- one arm


def _arm(journal: Journal, found: Record, name: str) -> ArmReport:
    about = next(arm for arm in found.config["arms"] if arm["name"] == name)
    replay = _replay_rung(found, name)
    exams = [_exam_rung(found, name, comparison) for comparison in found.comparisons]
    rungs = (*([replay] if replay else []), *exams)
    proposed, accepted, broken = _refinements(journal, name)
    mine = [row for row in found.rows if row.who == name or row.who.startswith(f"{name}.L")]
    return ArmReport(
        name=name,
        agent=about["agent"]["kind"],
        method=about["method"]["name"],
        control=found.arms[name]["control"],
        climbed=rungs_held(_by_level(exams)),
        retention=replay.verdict.word if replay else "not measured",
        rungs=rungs,
        curve=curve(found, name),
        proposed=proposed,
        accepted=accepted,
        method_faults=broken,
        faults=dict(Counter(row.fault for row in mine if row.fault)),
        improving=_cost(journal, name, [row for row in mine if row.stage == "improving"]),
        examining=_cost(journal, name, [row for row in mine if row.stage == "examining"]),
    )


def _by_level(rungs: Sequence[Rung]) -> list[tuple[str, Verdict]]:
    """One verdict a level, in order: a level with several targets is as good as its weakest."""
    ordered = sorted(rungs, key=lambda rung: rung.level)
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


def _cost(journal: Journal, name: str, rows: Sequence[Row]) -> Cost:
    taken = {row.path for row in rows}
    homes = {row.path.split("/")[0] if row.purpose != "exam" else "/".join(row.path.split("/")[:2]) for row in rows}
    seconds = 0.0
    for home in homes:
        for kind in ("seconds", "refine_seconds"):
            for note in journal.observations(under=home, name=kind):
                if note.path in taken:
                    seconds += float(cast(float, note.value))
    return Cost(len(rows), sum(row.steps for row in rows), seconds)


# --------------------------------------------------------------------------------------------- G1-G4


def _exam_rung(found: Record, name: str, comparison: Mapping[str, Any]) -> Rung:
    """A_T against A_0 in one cell of the exam."""
    places = [task for task in found.exam if task.cell == comparison["target"]]
    scale = found.scale(places[0].family)
    before = _cells(found, found.arms[name]["A_0"], places)
    after = [_cells(found, f"{name}.L{number}", places) for number in found.lineages]
    binary = found.attempts == (1, 1) and scale.unit == "success"
    coverage = cover(before, after, scale=scale, binary=binary, shared_before=True)
    differences = [[late - early for late, early in zip(row, before, strict=True)] for row in after]
    seed = SEED.child(name, comparison["level"], comparison["target"])
    verdict = judge(evidence(differences, binary=binary, shared_before=True, seed=seed), coverage=coverage)
    reference = [float(task.reference["score"]) for task in places]
    return Rung(
        arm=name,
        level=comparison["level"],
        target=comparison["target"],
        sources=tuple(comparison["sources"]),
        before=_mean(before),
        after=_mean([score for row in after for score in row]),
        reference=_mean(reference),
        certificate=_certificate(places),
        gain=coverage.dropped,
        hci=hci(before, after, reference),
        verdict=verdict,
        lineage_gains=tuple(_mean(row) for row in differences),
        holes=_holes(coverage),
        unit=scale.unit,
    )


def _cells(found: Record, examinee: str, places: Sequence[Planned]) -> list[float]:
    means = found.means.get(examinee)
    return [nan if means is None else means[task.place - 1] for task in places]


def _certificate(places: Sequence[Planned]) -> str:
    kinds = {f"{task.reference['certificate']} ({task.reference['solver']})" for task in places}
    return ", ".join(sorted(kinds))


def _holes(coverage: Coverage) -> Holes:
    if coverage.paired == coverage.planned:
        return Holes(coverage.planned, coverage.paired, None, None, None)
    return Holes(coverage.planned, coverage.paired, coverage.failed, coverage.dropped, coverage.bounds)


def _mean(values: Sequence[float]) -> float | None:
    measured = [value for value in values if not isnan(value)]
    return fmean(measured) if measured else None


# --------------------------------------------------------------------------------------------- G0


@dataclass(frozen=True, slots=True)
class _Event:
    """One replay: the arm's first and replay scores, and the static arm's at the same places; NaN where missing."""

    first: float
    replay: float
    control_first: float
    control_replay: float
    reference: float

    @property
    def effect(self) -> float:
        return (self.replay - self.first) - (self.control_replay - self.control_first)

    def filled(self, *, down: float, up: float) -> float:
        """The effect with missing scores put at `down` where they lower it and at `up` where they raise it."""
        terms = (
            (self.replay, 1, down),
            (self.first, -1, up),
            (self.control_replay, -1, up),
            (self.control_first, 1, down),
        )
        return sum(sign * (fill if isnan(score) else score) for score, sign, fill in terms)


def _events(found: Record, name: str) -> list[list[_Event]]:
    """The replay events of every lineage that have a first play before them."""
    control = found.arms[name]["control"]
    return [
        [
            _Event(
                found.score(name, number, entry.first),
                found.score(name, number, entry.place),
                found.score(control, number, entry.first),
                found.score(control, number, entry.place),
                float(entry.reference["score"]),
            )
            for entry in found.sequences[number - 1]
            if entry.purpose == "replay" and entry.first is not None
        ]
        for number in found.lineages
    ]


def _replay_rung(found: Record, name: str) -> Rung | None:
    """(replay - first) less the same in the static arm, over all scheduled replays; None when none is scheduled."""
    events = [lineage for lineage in _events(found, name) if lineage]
    if not events:
        return None
    replays = [entry for sequence in found.sequences for entry in sequence if entry.purpose == "replay"]
    families = sorted({entry.family for entry in replays})
    cells = tuple(dict.fromkeys(entry.cell for entry in replays))
    effects = [[event.effect for event in lineage] for lineage in events]
    coverage = _nested_coverage(events, effects, [found.scale(family) for family in families])
    verdict = judge(nested_evidence(effects, seed=SEED.child(name, "G0")), coverage=coverage)
    headrooms = [[event.reference - event.first for event in lineage] for lineage in events]
    everything = [event for lineage in events for event in lineage]
    return Rung(
        arm=name,
        level="G0",
        target=f"replays of {', '.join(cells)}",
        sources=cells,
        before=_mean([event.first for event in everything]),
        after=_mean([event.replay for event in everything]),
        reference=_mean([event.reference for event in everything]),
        certificate=_certificate(replays),
        gain=coverage.dropped,
        hci=nested_hci(effects, headrooms),
        verdict=verdict,
        lineage_gains=tuple(_mean(row) for row in effects),
        holes=_holes(coverage),
        unit=", ".join(dict.fromkeys(found.scale(family).unit for family in families)),
    )


def _nested_coverage(events: list[list[_Event]], effects: list[list[float]], scales: list[Scale]) -> Coverage:
    low = min(scale.low for scale in scales)
    high = None if any(scale.high is None for scale in scales) else max(cast(float, scale.high) for scale in scales)
    floor = min(scale.floor for scale in scales)
    planned = sum(map(len, effects))
    paired = sum(not isnan(effect) for lineage in effects for effect in lineage)
    failed = [[event.filled(down=floor, up=floor) for event in lineage] for lineage in events]
    bounds = Bounds(None, None)
    if high is not None:
        ends = [
            fmean(fmean(event.filled(down=down, up=up) for event in lineage) for lineage in events)
            for down, up in ((low, high), (high, low))
        ]
        bounds = Bounds(*ends)
    return Coverage(planned, paired, bounds, nested_gain(failed), nested_gain(effects))


def _drift(found: Record, control: str) -> Drift:
    name = next(name for name in _arm_names(found) if found.arms[name]["control"] == control)
    changes = [[event.control_replay - event.control_first for event in row] for row in _events(found, name) if row]
    nothing = Estimate(None, None, None, "no replay was scheduled", 0, len(found.sequences), ("not estimable",))
    return Drift(control, nested_gain(changes) if changes else nothing)


# --------------------------------------------------------------------------------------------- curve, holes


def curve(found: Record, name: str) -> tuple[CurvePoint, ...]:
    """Mean held-in score over all lineages, replays left out, in blocks of neighbouring positions."""
    places = sorted({entry.place for sequence in found.sequences for entry in sequence if entry.purpose == "work"})
    scores: dict[int, list[float]] = defaultdict(list)
    for (who, lineage, place), score in found.work.items():
        if who == name and not isnan(score) and _is_work(found, lineage, place):
            scores[place].append(score)
    size = max(1, -(-len(places) // BLOCKS))
    blocks = [places[start : start + size] for start in range(0, len(places), size)]
    points = []
    for block in blocks:
        seen = [score for place in block for score in scores[place]]
        points.append(CurvePoint(block[0], block[-1], fmean(seen) if seen else None, len(seen)))
    return tuple(points)


def _is_work(found: Record, lineage: int, place: int) -> bool:
    return found.sequences[lineage - 1][place - 1].purpose == "work"


def _incomplete(found: Record, arms: Sequence[ArmReport]) -> tuple[str, ...]:
    """What is missing, by name."""
    holes = []
    for control in _controls(found):
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
