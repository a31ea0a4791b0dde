"""From journals to a comparison: read, refuse, hold every pair against each other, judge, say what stands beside."""

from collections.abc import Iterator, Mapping, Sequence

from rung.core.ports import Journal
from rung.findings.audit.verdict import Audit
from rung.reports.compare import alike, controls, exams, ranks, replays, rows, runs
from rung.reports.compare.drift import drift
from rung.reports.compare.exams import Measured
from rung.reports.compare.runs import Arm, Run
from rung.reports.compare.values import Compared
from rung.stats import flags as say

HOW = {
    "difference of gains, interval, p": "rung.stats.arms.contrast",
    "difference of gains (G0), paired": "rung.reports.compare.replays.paired",
    "difference of gains (G0), each with its own tasks": "rung.reports.compare.replays.apart",
    "gains and scores by task": "rung.reports.compare.exams.gains",
    "Holm's p over the planned rows": "rung.stats.multiplicity.planned",
    "word": "rung.reports.compare.rows.judged",
    "unscored = failed, dropped, retried": "rung.reports.compare.runs.means_under",
    "bounds": "rung.reports.compare.exams.bounds",
    "ranks": "rung.reports.compare.ranks.standings",
    "gain over the frozen A_0": "rung.stats.lineages.gain",
    "gain per US dollar, per million tokens": "rung.reports.compare.prices.ratio",
    "drift of one A_0 between runs": "rung.reports.compare.drift.shift",
}


def compare(
    journals: Mapping[str, Journal],
    *,
    against: str | None = None,
    named_controls: Sequence[str] = (),
    despite_drift: bool = False,
    audits: Mapping[str, Audit | None] | None = None,
) -> Compared:
    """Hold every arm of these runs against every other, or all `against` one.

    Raises `UsageError` for runs with no row in common, one run given twice, one that has not begun its exam, and,
    unless `despite_drift`, where an A_0 that two runs declare alike scored differently or was another model.
    """
    read = [runs.read(label, journal, (audits or {}).get(label)) for label, journal in journals.items()]
    among = runs.arms(read)
    base = None if against is None else runs.named(against, among, "--against")
    wanted = [runs.named(label, among, "--control") for label in named_controls]
    cells = alike.shared_cells(read)
    drifts = drift(read, cells)
    past = alike.refusals(read, drifts)
    if not despite_drift:
        alike.refuse(past)
    entrants = tuple(map(runs.entrant, among))
    differences, spent = [*past, *alike.unlike(read, cells)], alike.unmatched(entrants)
    held = list(_held(runs.pairs(among, base), cells))
    found = rows.rows(held, lambda each: alike.flags(each, differences, spent))
    labels = [arm.label for arm in among]
    return Compared(
        exams={run.label: run.report.exam_id for run in read},
        tasks=sum(len(read[0].cell(cell)) for cell in cells),
        runs={run.label: run.report.digest for run in read},
        entrants=entrants,
        stamps=tuple(f"DESPITE DRIFT: {each.text}." for each in past),
        warnings=(*_warnings(read, among), *(each.text for each in differences[len(past) :]), *alike.budgets(entrants)),
        drift=drifts,
        planned_rows=len(found),
        rows=found,
        matrices=rows.matrices(found, labels),
        standings=ranks.standings(found, labels),
        controls=controls.controls(among, found, wanted),
        differs=alike.differs(read),
        how=HOW,
    )


def _held(pairs: Sequence[tuple[Arm, Arm]], cells: Sequence[str]) -> Iterator[Measured]:
    """Every pair on the replays and in every cell, by level."""
    on_replays = [replays.measured(*pair) for pair in pairs]
    yield from (found for found in on_replays if found is not None)
    for cell in cells:
        yield from (exams.measured(cell, *pair) for pair in pairs)


# --------------------------------------------------------------------------------------------- what weakens it


def _warnings(read: Sequence[Run], among: Sequence[Arm]) -> Iterator[str]:
    for run in read:
        yield from _of_run(run)
    yield from _of_models(among)
    if len({arm.beginning for arm in among}) > 1:
        yield "The arms begin apart (different A_0), which is legal: gains are compared by difference of differences."
    targets = {arm.label: replays.target(arm) for arm in among}
    if len(set(targets.values())) > 1:
        told = "; ".join(f"{label} {name or 'none'}" for label, name in targets.items())
        yield f"G0 is compared only among arms with the same kinds of replays: {told}."


def _of_programs(run: Run) -> Iterator[str]:
    """What weakens the sessions of a cell's programs."""
    found = run.report.programs
    if found is None:
        return
    if found.attested:
        yield f"{run.label} was served: {found.attested}, and nobody here saw where its agent ran."
    cut = [
        f"{each.arm} L{each.lineage} ({(each.ending or '').replace('_', ' ')})"
        for each in found.sessions
        if each.truncated
    ]
    if cut:
        yield f"{run.label}: neither the agent nor its stream ended the working session of {', '.join(cut)}."


def _of_run(run: Run) -> Iterator[str]:
    if run.found.config.get("quick"):
        yield f"{run.label} is a quick look (--quick), which measures nothing."
    if run.unfinished:
        done, planned = run.report.attempts.done, run.report.attempts.planned
        yield (
            f"{run.label} is unfinished: {done:,} of {planned:,} attempts. Its rows carry no claim; "
            f"`rung run CONFIG --out {run.label}` goes on with it."
        )
    faults = sum(row.fault is not None for row in run.found.rows)
    if faults:
        yield f"{run.label}: {faults} attempts broke; they are missing, not zero."
    yield from _of_programs(run)
    loose = [arm.name for arm in run.report.arms if arm.unconfined]
    if loose:
        yield f"{run.label}: code that a model wrote ran in no sandbox ({', '.join(loose)})."
    if run.report.secret_fixed:
        yield f"{run.label}: its exam secret is fixed in the config, so anyone can draw this exam."
    if run.report.exam_shared:
        yield f"{run.label} sat the exam of another run, whose tasks lie in that run's journal."
    if run.report.lineages < 3:
        few = say.END_STATE_ONLY if run.report.lineages == 1 else say.TWO_LINEAGES
        yield f"{run.label}, lineages {run.report.lineages}: {few}."


def _of_models(among: Sequence[Arm]) -> Iterator[str]:
    models = {arm.label: arm.report.model for arm in among if arm.report.model is not None}
    if len(set(models.values())) > 1:
        told = ", ".join(f"{label} {model}" for label, model in models.items())
        yield f"The agents act with different models: {told}."
