"""A ladder report for programs: all of it as JSON, or one flat row per arm and comparison, as values and as CSV."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any, TypeAlias, get_args

from rung.core.values import Ending, Estimate
from rung.findings.adoption import ANY
from rung.reports import controls_text, economy, truth
from rung.reports.values import Actions, ArmReport, Cost, Endings, LadderReport, Programs, Rung
from rung.reports.wording import clean, withheld

FlatRow: TypeAlias = dict[str, Any]


def json_text(report: LadderReport) -> str:
    """All values of a report as JSON. What is not a finite number is null, never NaN; text stands as it was recorded.

    Non-ASCII signs are escaped, so that no terminal or page acts on them.
    """
    return json.dumps(json_value(report), indent=2, allow_nan=False) + "\n"


def json_value(value: Any) -> Any:
    """A report value, or any part of one, as what JSON can say: null for what is not a finite number."""
    if is_dataclass(value):
        return {field.name: json_value(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, float):
        return value if isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return [json_value(item) for item in value] if isinstance(value, Iterable) else str(value)


def csv_rows(report: LadderReport) -> str:
    """`rows` as CSV: numbers in full, an empty cell where there is none.

    Text that a spreadsheet would run as a formula is given a leading apostrophe.
    """
    out, found = io.StringIO(), rows(report)
    writer = csv.DictWriter(out, list(found[0]) if found else ["report"], lineterminator="\n")
    writer.writeheader()
    for row in found:
        writer.writerow({key: spelled(value) for key, value in row.items()})
    return out.getvalue()


def spelled(value: object) -> object:
    """A value as a cell: lists are joined by `; `, with nothing where one of them has none."""
    if isinstance(value, list):
        return cell("; ".join("" if item is None else str(item) for item in value))
    return cell(value) if isinstance(value, str) else value


def cell(text: str) -> str:
    """Text as a cell of CSV that no spreadsheet runs."""
    shown = clean(text)
    harmless = re.fullmatch(r"[-+0-9.e; ]*", shown) or shown.lstrip()[:1] not in ("=", "+", "-", "@")
    return shown if harmless else f"'{shown}"


def rows(report: LadderReport) -> list[FlatRow]:
    """One flat row per arm and comparison, ready for a data frame; lists stay lists, and are text in CSV alone.

    A contaminated gain is left out, as in every table of gains; the JSON has it.
    """
    return [_row(report, arm, rung) for arm in report.arms for rung in arm.rungs]


def _row(report: LadderReport, arm: ArmReport, rung: Rung) -> FlatRow:
    bounds = None if withheld(rung) else rung.holes.bounds
    spared = () if withheld(rung) else rung.lineage_gains
    each = economy.per_lineage(arm.improving, report.lineages)
    return {
        "report": report.name,
        "arm": rung.arm,
        "agent": arm.agent,
        "method": arm.method,
        "agent_model": arm.model,
        "method_model": arm.improver,
        "control": arm.control,
        "control_of": arm.control_of,
        "control_kind": arm.control_kind,
        "level": rung.level,
        "sources": list(rung.sources),
        "target": rung.target,
        "unit": rung.unit,
        "before": None if withheld(rung) else rung.before,
        "after": None if withheld(rung) else rung.after,
        "reference": rung.reference,
        "certificate": rung.certificate,
        **_columns("gain", None if withheld(rung) else rung.gain),
        **_columns("hci", None if withheld(rung) else rung.hci),
        "verdict": rung.verdict.word,
        "scope": rung.verdict.scope,
        "tau_star": None if withheld(rung) else rung.tau_star,
        "unseen_share": rung.unseen_share,
        "reasons": list(rung.verdict.reasons),
        **_audited(report, arm),
        "held": "yes" if rung.level in arm.climbed else "no",
        "truth": rung.truth,
        "truth_found": truth.found(rung),
        "lineage_gains": list(spared),
        "planned_pairs": rung.holes.planned_pairs,
        "measured_pairs": rung.holes.measured_pairs,
        "bound_lo": bounds.lo if bounds else None,
        "bound_hi": bounds.hi if bounds else None,
        **_columns("failed", None if withheld(rung) else rung.holes.failed),
        **_columns("dropped", None if withheld(rung) else rung.holes.dropped),
        "crashed_before": rung.crashes.before,
        "attempts_before": rung.crashes.of_before,
        "crashed_after": rung.crashes.after,
        "attempts_after": rung.crashes.of_after,
        "limited_before": rung.limits.before,
        "limited_after": rung.limits.after,
        **_endings("improving", arm.ended_improving),
        **_endings("examining", arm.ended_examining),
        "method_faults": arm.method_faults,
        "method_skipped": arm.skipped,
        "method_refused": sum(arm.refused.values()),
        "method_limited": arm.limited,
        **_costs("improving", arm.improving),
        **_costs("working", arm.working or Cost(0, 0, 0.0)),
        **_costs("refining", arm.refining or Cost(0, 0, 0.0)),
        **_costs("examining", arm.examining),
        "improving_usd_per_lineage": each["US dollars"],
        "improving_tokens_per_lineage": each["tokens"],
        **_columns("gain_per_usd", None if withheld(rung) else rung.per_usd),
        **_columns("gain_per_million_tokens", None if withheld(rung) else rung.per_million_tokens),
        **controls_text.columns(rung, report.over),
        **_actions("improving", arm.actions_improving),
        **_actions("examining", arm.actions_examining),
        "lineages_cut": sum(cut.arm == arm.name for cut in report.cuts),
        **_program(report.programs, arm.name),
        "attempts_total": report.attempts.total,
        "attempts_planned": report.attempts.planned,
        "attempts_done": report.attempts.done,
        **_built(report, arm),
        "exam_id": report.exam_id,
        "digest": report.digest,
    }


def _program(found: Programs | None, name: str) -> FlatRow:
    """What confined an arm's program, how its working sessions went, and how A_0 drifted; empty of another study."""
    if found is None:
        return dict.fromkeys(
            ("sandboxes", "attested", "sessions", "sessions_truncated", "sessions_unseen", "tasks_worked")
        )
    mine = [each for each in found.sessions if each.arm == name]
    return {
        "sandboxes": list(found.sandboxes),
        "attested": found.attested,
        "sessions": [each.ending for each in mine],
        "sessions_truncated": sum(each.truncated for each in mine),
        "sessions_unseen": sum(not each.complete for each in mine),
        "tasks_worked": [each.worked for each in mine],
    }


def _built(report: LadderReport, arm: ArmReport) -> FlatRow:
    """Elements of an apparatus by lineage, and what the after-exam used of what was left; empty but of a cell."""
    used = next((each for each in report.adoption if each.arm == arm.name), None)
    return {
        "apparatus": [len(each.present) for each in report.inventory if each.arm == arm.name],
        "artifacts_inherited": None if used is None else len(used.artifacts),
        "attempts_on_record": None if used is None else used.seen,
        "attempts_that_used": None if used is None else used.using(ANY),
    }


def _audited(report: LadderReport, arm: ArmReport) -> FlatRow:
    found = next((each for each in report.honesty if each.arm == arm.name), None)
    return {"audit": None if found is None else found.word, "evidence": None if found is None else len(found.evidence)}


def _endings(stage: str, ended: Endings) -> FlatRow:
    return {f"{stage}_{ending}": ended.of(ending) for ending in get_args(Ending)}


def _costs(what: str, cost: Cost) -> FlatRow:
    """Seconds, calls, tokens and dollars of the arm, all its lineages together; empty where not known or none was."""
    calls = cost.calls
    return {
        f"{what}_seconds": cost.seconds,
        f"{what}_model_calls": 0 if calls is None else calls.made,
        f"{what}_failed_calls": 0 if calls is None else calls.made - calls.answered,
        f"{what}_unmetered_calls": 0 if calls is None else calls.unmetered,
        f"{what}_tokens": None if calls is None else calls.tokens,
        f"{what}_input_tokens": None if calls is None else calls.input_tokens,
        f"{what}_cached_tokens": None if calls is None else calls.cached_tokens,
        f"{what}_output_tokens": None if calls is None else calls.output_tokens,
        f"{what}_usd": None if calls is None else calls.usd,
        f"{what}_usd_at_most": None if calls is None else calls.usd_at_most,
    }


def _actions(stage: str, actions: Actions | None) -> FlatRow:
    return {
        f"{stage}_actions": None if actions is None else actions.total,
        f"{stage}_parsed_actions": None if actions is None else actions.parsed,
        f"{stage}_invalid_actions": None if actions is None else actions.invalid,
    }


def _columns(name: str, estimate: Estimate | None) -> FlatRow:
    ends = ("", "_lo", "_hi", "_method", "_n_tasks", "_n_lineages", "_flags")
    if estimate is None:
        return {f"{name}{end}": None for end in ends}
    made = (
        estimate.value,
        estimate.lo,
        estimate.hi,
        estimate.method,
        estimate.n_tasks,
        estimate.n_lineages,
        list(estimate.flags),
    )
    return {f"{name}{end}": value for end, value in zip(ends, made, strict=True)}
