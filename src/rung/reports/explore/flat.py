"""An exploring report for programs: all of it as JSON, or a row for each pathway and game as CSV."""

import csv
import io
import json
from typing import Any

from rung.core.values import Estimate
from rung.reports.explore.values import CurveRow, ExploreReport
from rung.reports.flat import FlatRow, json_value, spelled
from rung.stats.curve import Null


def json_text(report: ExploreReport) -> str:
    """All values as JSON; what is no finite number is null."""
    return json.dumps(json_value(report), indent=2, allow_nan=False) + "\n"


def csv_rows(report: ExploreReport) -> str:
    """`rows` as CSV: numbers in full, an empty cell where there is none."""
    out, found = io.StringIO(), rows(report)
    writer = csv.DictWriter(out, list(found[0]) if found else ["report"], lineterminator="\n")
    writer.writeheader()
    for row in found:
        writer.writerow({key: spelled(value) for key, value in row.items()})
    return out.getvalue()


def rows(report: ExploreReport) -> list[FlatRow]:
    """A row for each pathway and game: the curve, its words and nulls, judging and self-testing."""
    return [_row(report, row) for row in report.curves]


def _row(report: ExploreReport, row: CurveRow) -> FlatRow:
    about = next(arm for arm in report.arms if arm.name == row.arm)
    found = row.described
    flat: FlatRow = {
        "pathway": row.arm,
        "game": row.game,
        "model": about.model,
        "judge": about.judge,
        "unit": row.unit,
        "lineages": row.lineages,
        "word": row.verdict.word,
        "word_alone": row.alone.word,
        "scope": row.verdict.scope,
        "reasons": list(row.verdict.reasons),
        "p": row.p,
        "holm": row.holm,
        **_estimate("gain", row.gain),
        "lineage_gains": list(row.lineage_gains),
        **_estimate("slope", row.slope),
        "slope_word": row.slope_word,
        **_estimate("final", row.final),
        "baseline": row.baseline,
        "baseline_attempts": row.baseline_attempts,
        "average": None if found is None else found.average,
        **_null("maximum", None if found is None else found.maximum),
        **_null("auc_plus", None if found is None else found.auc_plus),
        "naba": None if found is None else found.naba,
        "naba_chance_95": None if found is None else found.naba_upper,
        "naba_rate": None if found is None else found.naba_rate,
        "post_mean": row.post_mean,
        "above": row.above,
        "checkpoints": row.points_n,
        "left_out": row.left_out,
        "x": [point.x for point in row.points],
        "y": [point.mean for point in row.points],
    }
    return flat | _judged(report, row) | _tested(report, row)


def _estimate(name: str, found: Estimate) -> FlatRow:
    ends = {"": found.value, "_lo": found.lo, "_hi": found.hi, "_method": found.method, "_flags": list(found.flags)}
    return {f"{name}{end}": value for end, value in ends.items()}


def _null(name: str, found: Null | None) -> FlatRow:
    if found is None:
        return dict.fromkeys((name, f"{name}_chance", f"{name}_chance_95", f"{name}_p"))
    return {name: found.value, f"{name}_chance": found.mean, f"{name}_chance_95": found.upper, f"{name}_p": found.p}


def _judged(report: ExploreReport, row: CurveRow) -> dict[str, Any]:
    """The agent's own judging on this curve's exploration."""
    keys = ("agreement", "over", "under", "kappa", "event_rate", "mae")
    own = next(
        (each for each in report.judging if (each.arm, each.game, each.whose) == (row.arm, row.game, "said")), None
    )
    if own is None:
        return dict.fromkeys((*keys, "nmae", "reward_scale", "unread", "steps"))
    values = {key: None if own.found is None else getattr(own.found, key) for key in keys}
    return {**values, "nmae": own.nmae, "reward_scale": own.scale, "unread": own.unread, "steps": own.steps}


def _tested(report: ExploreReport, row: CurveRow) -> dict[str, Any]:
    keys = ("states", "actions", "new", "failed", "repeated", "lives_given", "lives_used")
    own = next((each for each in report.testing if (each.arm, each.game) == (row.arm, row.game)), None)
    return {key: None if own is None else getattr(own, key) for key in keys}
