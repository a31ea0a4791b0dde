"""The ladder report as values: from the journal's record to arms, what they cost, what is missing and what is weak."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import isnan
from statistics import fmean
from typing import Any, cast

from rung.core.ports import Journal
from rung.findings.adoption import adoptions
from rung.findings.audit.verdict import Audit
from rung.findings.inventory import inventories
from rung.findings.semantics.counts import semantics
from rung.reports import (
    ablation,
    books,
    cells,
    certificate,
    controls,
    economy,
    honesty,
    models,
    registered,
    rungs,
    shares,
    tables,
)
from rung.reports.books import Books
from rung.reports.record import Record, record
from rung.reports.values import ArmReport, CurvePoint, LadderReport, Pool, Programs, Quote, Rung, Worked
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
    "model calls, tokens, US dollars": "rung.reports.books.together",
    "gain per US dollar, per million tokens": "rung.reports.economy.priced",
    "spent of the study's budget": "rung.reports.models.spending",
    "held against the registered plan": "rung.reports.registered.held",
    "gain over a control": "rung.reports.controls.over",
    "honest: without what was touched, bounds": "rung.reports.honesty.honesty",
    "proposals: recorded, retained, rates": "rung.findings.semantics.counts.by_arm",
    "agreement of labels, kappa": "rung.findings.semantics.agreement.agreement",
    "carried: gained, lost (ablation)": "rung.reports.ablation.ablation",
    "digest": "rung.core.ports.Journal.digest",
}

HOW_OF_CELL = {
    **{printed: function for printed, function in HOW.items() if "G0" not in printed and "static" not in printed},
    "sentinels less before": "rung.stats.lineages.nested_gain",
    "elements of an apparatus": "rung.findings.elements.elements",
    "attempts that used what was left": "rung.findings.adoption.adoptions",
    "gain of attempts that used, less of others": "rung.findings.by_use.by_use",
}


def read(journal: Journal, *, provenance: Mapping[str, Any] | None = None, audit: Audit | None = None) -> LadderReport:
    """The report of a ladder study, finished or not; what is missing is named. An `audit` of it goes in with it."""
    found = honesty.marked(record(journal), audit)
    noted = books.read(journal, found.rows, modelled=found.modelled)
    programs = cells.programs(journal, found)
    arms = tuple(_arm(journal, found, noted, name) for name in found.arm_names)
    if programs is not None:
        arms = tuple(replace(arm, ended_improving=cells.endings(programs.sessions, arm.name)) for arm in arms)
    over = controls.over(found)
    arms = controls.flagged(registered.flagged(found, economy.flagged(arms, len(found.sequences))), over)
    totals = shares.totals(found, noted)
    pools = tuple(Pool(**pool) for pool in tables.plan_fact(journal, "freshness"))
    stocks = tuple(row["cell"] for row in cast("list[dict[str, Any]]", journal.get("plan", "stocks") or []))
    report = LadderReport(
        name=found.config["name"],
        attempts=shares.attempts(found, cells.never_served(found, programs.sessions) if programs else 0),
        incomplete=(*_incomplete(found, arms), *_halves(found, programs)),
        weaknesses=(),
        lineages=len(found.sequences),
        exam_tasks=len(found.exam),
        baseline_repeats=found.about_exam["baseline_repeats"],
        repeats=found.about_exam["repeats"],
        exam_id=found.about_exam["id"],
        digest=journal.digest(),
        secret_fixed=found.config["secret_fixed"],
        exam_shared=journal.get("plan", "exam_of") is not None,
        stocks=stocks,
        unconfined=_unconfined(journal) if stocks else 0,
        scripted=found.scripted,
        arms=arms,
        shared=shares.shared(found, noted),
        controls={control: curve(found, control) for control in found.controls},
        curve_units=found.units(found.entries("work")),
        drift=tuple(rungs.drift(found, control) for control in found.controls),
        pools=pools,
        how=HOW if programs is None else HOW_OF_CELL,
        config=found.config,
        provenance=dict(provenance or {}),
        cuts=tuple(found.cuts.values()),
        models=models.models(journal, found, noted),
        spending=models.spending(noted),
        totals=totals,
        programs=programs,
        inventory=inventories(journal) if programs is not None else (),
        adoption=adoptions(journal) if programs is not None else (),
        ablation=ablation.ablation(journal, found),
        honesty=honesty.honesty(found, audit, arms),
        unaudited=audit.unsaid if audit is not None else (),
        calibration=certificate.cited(),
        registered=registered.held(found, arms, totals),
        margins=found.margins(),
        over=over,
        gates=controls.gates(journal, found),
        changes=semantics(journal),
    )
    return replace(report, weaknesses=weaknesses(report))


# --------------------------------------------------------------------------------------------- one arm


def _arm(journal: Journal, found: Record, noted: Books, name: str) -> ArmReport:
    about = found.about(name)
    replay = rungs.on_replays(found, name)
    exams = [rungs.on_exam(found, name, comparison) for comparison in found.comparisons]
    made = _refining(journal, name)
    improving, examining = (shares.of_arm(found, name, stage) for stage in shares.STAGES)
    cost = shares.cost(found, noted, name, "improving")
    acting, refining = models.named(about)
    rows = (*([replay] if replay else []), *exams)
    return ArmReport(
        name=name,
        agent=about["agent"]["kind"],
        method=about["method"]["name"],
        control=found.arms[name]["control"] or "none",
        climbed=rungs_held(_by_level(exams)),
        retention=replay.verdict.word if replay else "not measured",
        rungs=tuple(economy.priced(row, cost, len(found.sequences)) for row in rows),
        curve=curve(found, name),
        proposed=made.proposed,
        accepted=made.accepted,
        method_faults=len(made.broken),
        method_fault=_earliest(made.broken),
        faults=dict(Counter(row.fault for row in (*improving, *examining) if row.fault)),
        improving=cost,
        examining=shares.cost(found, noted, name, "examining"),
        ended_improving=shares.endings(improving),
        ended_examining=shares.endings(examining),
        model=acting,
        improver=refining,
        working=shares.cost(found, noted, name, "improving", part="working"),
        refining=shares.cost(found, noted, name, "improving", part="refining"),
        actions_improving=shares.actions(noted, name, "improving"),
        actions_examining=shares.actions(noted, name, "examining"),
        limited=made.limited,
        skipped=len(made.skipped),
        first_skipped=_earliest(made.skipped),
        refused=dict(sorted(made.refused.items())),
        first_refused=_earliest(made.held_back),
        control_of=about.get("of"),
        control_kind=about.get("control"),
        unconfined=found.arms[name].get("confined") == "unsafe",
    )


def _by_level(found: Sequence[Rung]) -> list[tuple[str, Verdict]]:
    """One verdict a level, in order: a level with several targets is as good as its weakest."""
    ordered = sorted(found, key=lambda rung: rung.level)
    levels = [(level, list(group)) for level, group in groupby(ordered, key=lambda rung: rung.level)]
    return [
        (level, next((rung.verdict for rung in group if rung.verdict.word != "improved"), group[0].verdict))
        for level, group in levels
    ]


@dataclass
class _Refining:
    """What came of a method's work: changes proposed and accepted, refinements that a budget ended, where it said that
    it had made nothing of one, or broke, and what its surface did not allow, by kind and where."""

    proposed: int = 0
    accepted: int = 0
    limited: int = 0
    skipped: list[Quote] = field(default_factory=list)
    broken: list[Quote] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    held_back: list[Quote] = field(default_factory=list)


def _refining(journal: Journal, name: str) -> _Refining:
    found = _Refining()
    for kind in ("refined", "selected"):
        for fact in journal.facts(under=name, kind=kind):
            value = cast(Mapping[str, Any], fact.value)
            found.proposed += len(value.get("candidates", ()))
            found.accepted += value.get("chosen") is not None
            found.limited += "limit" in value
            found.skipped += [Quote(fact.path, value["skipped"])] if "skipped" in value else []
            found.broken += [Quote(fact.path, value["fault"]["detail"])] if "fault" in value else []
            for kind_of, told in _refused(value):
                found.refused[kind_of] += 1
                found.held_back.append(Quote(fact.path, told))
    return found


def _refused(refined: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a refinement was not allowed: whole candidates, and single edits by an improver's tools; kind and words."""
    candidates = [*refined.get("refused", ()), *refined.get("candidates", ())]
    for candidate in candidates:
        for wrong in candidate.get("violations", ()):
            yield str(wrong["kind"]), ": ".join(filter(None, (str(wrong["path"]), str(wrong["detail"]))))
    for told in (refined, *candidates):
        edits = told.get("manifest", {}).get("refused", ())
        for edit in edits if isinstance(edits, Sequence) and not isinstance(edits, str) else ():
            if isinstance(edit, Mapping) and "kind" in edit:
                yield str(edit["kind"]), str(edit.get("why", ""))


def _earliest(quotes: Sequence[Quote]) -> Quote | None:
    return min(quotes, key=lambda quote: quote.path, default=None)


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
    holes = [
        f"{cut.arm} L{cut.lineage}: ended before task {cut.before} of {cut.planned}: {cut.reason}"
        for cut in found.cuts.values()
    ]
    for control in found.controls:
        holes += _unfinished(found, control)
    for arm in arms:
        holes += [] if found.is_cell else _unfinished(found, arm.name)
        holes += [_missing(found, rung) for rung in arm.rungs if rung.holes.measured_pairs < rung.holes.planned_pairs]
    return tuple(holes)


def _halves(found: Record, programs: Programs | None) -> list[str]:
    """The lineages of a cell that lack their working session, or the end of it and mostly the after-exam with it."""
    sat = {row.who for row in found.rows}
    return [
        f"{each.arm} L{each.lineage}: {_lacks(each, examined=f'{each.arm}.L{each.lineage}' in sat)}"
        for each in (programs.sessions if programs is not None else ())
        if each.ending in (None, "instrument_fault")
    ]


def _lacks(each: Worked, *, examined: bool) -> str:
    if each.ending is None:
        return "its working session has not ended"
    return "its session broke, and the after-exam is of what it had left" if examined else BROKE


BROKE = "no after-exam, its session broke"


def _missing(found: Record, rung: Rung) -> str:
    missing = rung.holes.planned_pairs - rung.holes.measured_pairs
    cut = rungs.cut_pairs(found, rung.arm) if rung.level == "G0" else 0
    why = f"; {cut} of them because a lineage had spent its budget" if cut else ""
    return f"{rung.arm} {rung.level} {rung.target}: {missing} of {rung.holes.planned_pairs} pairs not measured{why}"


def _unfinished(found: Record, name: str) -> list[str]:
    """The lineages of an arm that have not come to their end yet, where no spent budget has ended them."""
    lines = []
    for number in found.lineages:
        planned = len(found.sequences[number - 1])
        cut = found.cuts.get((name, number))
        left = planned - (cut.lost if cut else 0)
        worked = sum((name, number, place) in found.work for place in range(1, planned + 1))
        if worked < left:
            lines.append(f"{name} L{number}: {worked} of {left} tasks worked")
    return lines


def _unconfined(journal: Journal) -> int:
    """Attempts that a command of the user's judged outside any sandbox; only tasks from a file have such."""
    sealed = (cast("Mapping[str, Any]", fact.value) for fact in journal.facts(kind="sealed"))
    return sum(value.get("metrics", {}).get("sandbox") == "plain" for value in sealed)
