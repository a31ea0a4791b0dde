"""The rows of the ladder: one arm on one comparison, from the record to an estimate and its verdict.

G1-G4 compare the exam means of A_T and A_0 per task: D[k, i] = after[k, i] - before[i], K lineages by N tasks. G0
compares each replay with the first play of its task, and takes away the same difference in the static arm on the same
sequence; every lineage has its own tasks there. Faulted attempts are missing, and never zero.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import isnan, nan
from statistics import fmean
from typing import Any, cast

from rung.core.seeds import Seed
from rung.core.values import Ending, Estimate, Scale
from rung.reports import shares, trust, truth
from rung.reports.record import Record
from rung.reports.tables import Planned, Row
from rung.reports.values import MIXED_UNITS, Crashes, Drift, Holes, Rung, Sign
from rung.stats.headroom import hci, nested_hci
from rung.stats.lineages import gain_p, nested_gain
from rung.stats.missing import Bounds, Coverage, cover
from rung.stats.paired import tau_star, unseen_share
from rung.stats.rounding import change
from rung.stats.verdict import evidence, judge, nested_evidence

SEED = Seed("rung.reports.ladder")
"""The named stream of the report's own resampling (sign-flip p beyond exact enumeration)."""

# --------------------------------------------------------------------------------------------- G1-G4


def on_exam(found: Record, name: str, comparison: Mapping[str, Any]) -> Rung:
    """A_T against A_0 in one cell of the exam."""
    places = [task for task in found.exam if task.cell == comparison["target"]]
    scale = found.scale(places[0].family)
    before, after = exams(found, name, places)
    shared = not found.fresh(name)
    once = found.about_exam["baseline_repeats"] == found.about_exam["repeats"] == 1
    binary = once and scale.unit == "success"
    coverage = cover(before[0] if shared else before, after, scale=scale, binary=binary, shared_before=shared)
    differences = _differences(before, after, shared=shared)
    seed = SEED.child(name, comparison["level"], comparison["target"])
    weighed = evidence(differences, binary=binary, shared_before=shared, seed=seed)
    verdict = judge(weighed, margin=found.margins().get(comparison["level"]), coverage=coverage)
    numbers, stale = {task.place for task in places}, trust.stale(found, places[0])
    why = (*stale, *found.tainted.get(name, ()))
    broken = trust.broken(found, name, numbers)
    reference = [float(task.reference["score"]) for task in places]
    return Rung(
        arm=name,
        level=comparison["level"],
        target=comparison["target"],
        sources=tuple(comparison["sources"]),
        before=_mean([score for row in before for score in row]),
        after=_mean([score for row in after for score in row]),
        reference=_mean(reference),
        certificate=_certificate(places),
        gain=_flagged(coverage.dropped, broken.flags, stale, trust.loose(found, name)),
        hci=hci(before[0] if shared else before, after, reference),
        verdict=trust.believed(verdict, broken, why),
        lineage_gains=tuple(_mean(row) for row in differences),
        holes=_holes(coverage),
        unit=scale.unit,
        tau_star=_tau_star(coverage.dropped, differences),
        unseen_share=_unseen(coverage.dropped),
        crashes=_exam_ends(found, name, numbers, "agent_crashed"),
        limits=_exam_ends(found, name, numbers, "limit_reached"),
        truth=_truth(found, name, comparison["level"]),
    )


def exams(found: Record, name: str, places: Sequence[Planned]) -> tuple[list[list[float]], list[list[float]]]:
    """Exam means at these tasks, NaN where there is none: of A_0, one row or one a lineage, and of every A_T."""
    before = [_cells(found, who, places) for who in found.baselines(name)]
    return before, [_cells(found, f"{name}.L{number}", places) for number in found.lineages]


def _differences(
    before: Sequence[Sequence[float]], after: Sequence[Sequence[float]], *, shared: bool
) -> list[list[float]]:
    pairs = [(late, before[0] if shared else early) for late, early in zip_longest(after, before)]
    return [[change(late, -early) for late, early in zip(*pair, strict=True)] for pair in pairs]


def p_value(found: Record, rung: Rung) -> float | None:
    """The two-sided p of a row from G1 up: by the law of its interval with three lineages or more, else exact over
    tasks; None where there is none."""
    places = [task for task in found.exam if task.cell == rung.target]
    shared = not found.fresh(rung.arm)
    differences = _differences(*exams(found, rung.arm, places), shared=shared)
    if len(differences) > 2:
        return gain_p(differences)
    seed = SEED.child(rung.arm, rung.level, rung.target)
    once = found.about_exam["baseline_repeats"] == found.about_exam["repeats"] == 1
    return evidence(differences, binary=once and rung.unit == "success", shared_before=shared, seed=seed).p


def _flagged(estimate: Estimate, *flags: tuple[str, ...]) -> Estimate:
    return replace(estimate, flags=(*estimate.flags, *(flag for some in flags for flag in some)))


def _exam_ends(found: Record, name: str, places: set[int], ending: Ending) -> Crashes:
    sat = [row for row in found.rows if row.purpose == "exam" and row.place in places]
    baselines, ends = found.baselines(name), {f"{name}.L{number}" for number in found.lineages}
    return shares.crashes((row for row in sat if row.who in baselines), (row for row in sat if row.who in ends), ending)


def _cells(found: Record, examinee: str, places: Sequence[Planned]) -> list[float]:
    means = found.means.get(examinee)
    return [nan if means is None else means[task.place - 1] for task in places]


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
        return change(self.replay, -self.first, -self.control_replay, self.control_first)

    def filled(self, *, down: float, up: float) -> float:
        """The effect with missing scores put at `down` where they lower it and at `up` where they raise it."""
        terms = (
            (self.replay, 1, down),
            (self.first, -1, up),
            (self.control_replay, -1, up),
            (self.control_first, 1, down),
        )
        return change(*(sign * (fill if isnan(score) else score) for score, sign, fill in terms))


def _events(found: Record, name: str) -> list[list[_Event]]:
    """One event per first play of every lineage: replays of one first play share its luck, so they are averaged."""
    control = found.arms[name]["control"]
    lineages = []
    for number in found.lineages:
        replays: dict[int, list[Planned]] = defaultdict(list)
        for entry in found.sequences[number - 1]:
            if entry.purpose == "replay" and entry.first is not None:
                replays[entry.first].append(entry)
        lineages.append(
            [
                _Event(
                    found.score(name, number, first),
                    _measured([found.score(name, number, entry.place) for entry in entries]),
                    found.score(control, number, first),
                    _measured([found.score(control, number, entry.place) for entry in entries]),
                    float(entries[0].reference["score"]),
                )
                for first, entries in replays.items()
            ]
        )
    return lineages


def effects(
    found: Record, name: str, *, down: float = nan, up: float = nan
) -> list[Mapping[tuple[int, str], tuple[float, float]]]:
    """Of every lineage, by position and task of a first play: the effect of its replays, and their mean score.

    Missing scores are put at `down` where they lower the effect and at `up` where they raise it.
    """
    keys = [[(pair[0], found.sequences[k - 1][pair[0] - 1].task) for pair in _pairs(found, k)] for k in found.lineages]
    return [
        {key: (event.filled(down=down, up=up), event.replay) for key, event in zip(names, row, strict=True)}
        for names, row in zip(keys, _events(found, name), strict=True)
    ]


def _measured(scores: Sequence[float]) -> float:
    mean = _mean(scores)
    return nan if mean is None else mean


def _unpaired(replays: Sequence[Planned]) -> tuple[str, ...]:
    lost = sum(entry.first is None for entry in replays)
    return (f"{lost} of {len(replays)} scheduled replays come before their first play: no pair",) if lost else ()


def on_replays(found: Record, name: str) -> Rung | None:
    """(replay - first) less the same in the static arm, over all scheduled replays; None when none is scheduled."""
    events = [lineage for lineage in _events(found, name) if lineage]
    if not events:
        return None
    replays = found.entries("replay")
    units = found.units(replays)
    cells = tuple(dict.fromkeys(entry.cell for entry in replays))
    effects = [[event.effect for event in lineage] for lineage in events]
    coverage = _nested_coverage(events, effects, found.scales(replays))
    weighed = nested_evidence(effects, seed=SEED.child(name, "G0"))
    verdict = judge(weighed, margin=found.margins().get("G0"), coverage=coverage)
    headrooms = [[change(event.reference, -event.first) for event in lineage] for lineage in events]
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
        gain=_flagged(_in_units(coverage.dropped, units), _unpaired(replays), trust.loose(found, name)),
        hci=_in_units(nested_hci(effects, headrooms), units),
        verdict=trust.contaminated(verdict, found.tainted.get(name, ())),
        lineage_gains=tuple(_mean(row) for row in effects),
        holes=_holes(coverage),
        unit=", ".join(units),
        tau_star=_tau_star(coverage.dropped, effects),
        unseen_share=_unseen(coverage.dropped),
        crashes=_replay_ends(found, name, "agent_crashed"),
        limits=_replay_ends(found, name, "limit_reached"),
        truth=_truth(found, name, "G0"),
    )


def _replay_ends(found: Record, name: str, ending: Ending) -> Crashes:
    firsts = {
        (number, entry.first)
        for number, sequence in zip(found.lineages, found.sequences, strict=True)
        for entry in sequence
        if entry.purpose == "replay"
    }

    def first(row: Row) -> bool:
        return row.purpose == "work" and (row.lineage, row.place) in firsts

    mine = [row for row in found.rows if row.who == name]
    return shares.crashes(filter(first, mine), (row for row in mine if row.purpose == "replay"), ending)


def cut_pairs(found: Record, name: str) -> int:
    """Pairs of G0 that were never made because the lineage, or that of its static arm, had spent its budget."""
    lost = 0
    for number in found.lineages:
        cuts = [found.cuts[who, number] for who in (name, found.arms[name]["control"]) if (who, number) in found.cuts]
        end = min((cut.before for cut in cuts), default=None)
        lost += (
            0 if end is None else sum(places[0] >= end or min(places[1:]) >= end for places in _pairs(found, number))
        )
    return lost


def _pairs(found: Record, number: int) -> list[list[int]]:
    """Of each first play that is replayed in a lineage its position, and those of its replays."""
    places: dict[int, list[int]] = defaultdict(list)
    for entry in found.sequences[number - 1]:
        if entry.purpose == "replay" and entry.first is not None:
            places[entry.first].append(entry.place)
    return [[first, *replays] for first, replays in places.items()]


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


def drift(found: Record, control: str) -> Drift:
    """What a static arm changed by on its own between first play and replay."""
    name = next(name for name in found.arm_names if found.arms[name]["control"] == control)
    changes = [
        [change(event.control_replay, -event.control_first) for event in row] for row in _events(found, name) if row
    ]
    nothing = Estimate(None, None, None, "no replay was scheduled", 0, len(found.sequences), ("not estimable",))
    units = found.units(found.entries("replay"))
    return Drift(control, _in_units(nested_gain(changes), units) if changes else nothing, ", ".join(units))


def _in_units(estimate: Estimate, units: Sequence[str]) -> Estimate:
    """An estimate over replays of several families says so where their units differ."""
    return replace(estimate, flags=(*estimate.flags, MIXED_UNITS)) if len(units) > 1 else estimate


# --------------------------------------------------------------------------------------------- both


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


def _truth(found: Record, name: str, level: str) -> Sign | None:
    return truth.signs(found.about(name), worked=len(found.entries("work")))[level]


def _tau_star(gain: Estimate, lineages: Sequence[Sequence[float]]) -> float | None:
    """tau* of a gain that rests on one lineage and whose interval excludes 0."""
    if gain.n_lineages != 1 or gain.lo is None or gain.hi is None or gain.lo <= 0 <= gain.hi:
        return None
    return tau_star([change for lineage in lineages for change in lineage if not isnan(change)])


def _unseen(gain: Estimate) -> float | None:
    return unseen_share(gain.n_tasks) if gain.n_tasks else None
