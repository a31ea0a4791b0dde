"""What is promised of a study before it starts: the content of a registered plan."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rung.core.version import VERSION
from rung.planning.predict import Range
from rung.planning.study import StudyPlan
from rung.protocols.registered import Registered, spell

__all__ = ["LEVELS", "make", "spell"]

LEVELS = ("G0", "G1", "G2", "G3", "G4")


def make(found: StudyPlan, *, margins: Mapping[str, float] | None = None) -> Registered:
    """The promise that a plan makes: claims, margins, size, stopping, what it detects and what it will use.

    `margins` are by level: the largest gain that is as good as none, in the units of the scores.
    """
    settings = found.config
    family = [{"arm": arm, "level": row.level, "target": row.target} for arm in found.arms for row in found.rows]
    content: dict[str, Any] = {
        "rung": VERSION,
        "name": found.name,
        "config": found.identity,
        "lineages": settings.lineages,
        "exam": {
            "tasks": {block.label: block.count for block in settings.tasks.holdout},
            "repeats": settings.exam.repeats,
            "baseline_repeats": settings.baseline_repeats,
        },
        "family": family,
        "margins": dict(margins or {}),
        "correction": {
            "within an arm": "fixed sequence G1, G2, G3, G4 at 5%, to the first that fails",
            "over all arms": {"method": "holm", "level": 0.05, "rows": sum(row["level"] != "G0" for row in family)},
        },
        "stopping": "all lineages to their end, and none added after looking",
        "power": found.power,
        "detectable": [
            {"level": row.level, "target": row.target, "unit": row.unit, "gain": _rounded(row.best.gain)}
            for row in found.rows
        ],
        "forecast": {each.quantity: _range(each.range) for each in found.amounts},
        "range": found.level,
        "pilots": [{"name": name, "digest": digest} for name, digest in found.pilots],
        "basis": list(found.basis),
    }
    return Registered(content)


def _range(found: Range | None) -> dict[str, float] | None:
    return None if found is None else {end: float(f"{value:.9g}") for end, value in asdict(found).items()}


def _rounded(value: float | None) -> float | None:
    """Nine digits: what lies beyond may differ between machines."""
    return None if value is None else float(f"{value:.9g}")
