"""What a ladder report says, as plain values. Renderers print these and compute nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rung.core.values import Estimate
from rung.stats.missing import Bounds
from rung.stats.verdict import Verdict

MIXED_UNITS = "mixed units"
"""The flag of a mean over scores in different units."""


@dataclass(frozen=True, slots=True)
class Holes:
    """What is missing from one comparison, and what it could hide. Pairs are (lineage, task)."""

    planned_pairs: int
    measured_pairs: int
    failed: Estimate | None  # the gain with unscored = failed (the family's floor)
    dropped: Estimate | None  # the gain with unscored = dropped
    bounds: Bounds | None  # whatever the missing scores were


@dataclass(frozen=True, slots=True)
class Rung:
    """One row of the ladder: one arm on one comparison.

    G0: `before` and `after` are mean first and replay scores of the arm, `gain` is the change less that of the static
    arm. G1-G4: mean exam scores of A_0 and A_T in the target cell, `gain` their mean paired difference.
    `tau_star`: with one lineage and an interval that excludes 0, the sd between whole runs that would erase the claim.
    `unseen_share`: a change on fewer than this share of such tasks can be missed entirely; None where nothing was
    measured.
    """

    arm: str
    level: Literal["G0", "G1", "G2", "G3", "G4"]
    target: str
    sources: tuple[str, ...]
    before: float | None
    after: float | None
    reference: float | None
    certificate: str
    gain: Estimate
    hci: Estimate
    verdict: Verdict
    lineage_gains: tuple[float | None, ...]
    holes: Holes
    unit: str
    tau_star: float | None
    unseen_share: float | None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Mean held-in score of one arm over positions `first` to `last` of its sequences; `n` attempts measured."""

    first: int
    last: int
    mean: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What one stage of one arm took. Model figures are None where no model was called."""

    attempts: int
    steps: int
    seconds: float
    model_calls: int | None = None
    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class ArmReport:
    """One arm: what it is, how far it climbed, what its method did, and what it cost."""

    name: str
    agent: str
    method: str
    control: str
    climbed: tuple[str, ...]  # rungs G1.. held by fixed sequence
    retention: str  # the word of the G0 verdict, or "not measured"
    rungs: tuple[Rung, ...]
    curve: tuple[CurvePoint, ...]
    proposed: int
    accepted: int
    method_faults: int
    faults: Mapping[str, int]  # what broke -> attempts lost
    improving: Cost
    examining: Cost


@dataclass(frozen=True, slots=True)
class Drift:
    """The static arm against itself: (replay - first) of a frozen A_0. Away from zero, the instrument or the provider
    drifted."""

    control: str
    change: Estimate
    unit: str


@dataclass(frozen=True, slots=True)
class Pool:
    """How much of one pool of tasks was new content; `stale` instances had been met before."""

    pool: str
    cell: str
    count: int
    stale: int


@dataclass(frozen=True, slots=True)
class LadderReport:
    """A whole ladder report."""

    name: str
    incomplete: tuple[str, ...]  # by name, empty when nothing is missing
    weaknesses: tuple[str, ...]  # what a hostile reader would say first
    lineages: int
    exam_tasks: int
    baseline_repeats: int  # attempts per exam task of every A_0
    repeats: int  # and of every A_T
    exam_id: str
    digest: str
    secret_fixed: bool
    scripted: bool
    arms: tuple[ArmReport, ...]
    controls: Mapping[str, tuple[CurvePoint, ...]]
    curve_units: tuple[str, ...]  # of the tasks worked while learning; with several there is no curve
    drift: tuple[Drift, ...]
    pools: tuple[Pool, ...]
    how: Mapping[str, str]  # each printed number -> dotted name of the function that makes it
    config: Mapping[str, Any]
    provenance: Mapping[str, Any]
