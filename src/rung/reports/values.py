"""What a ladder report says, as plain values. Renderers print these and compute nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

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


Ending: TypeAlias = Literal["queue_empty", "agent_stopped", "agent_crashed", "instrument_fault"]
Stage: TypeAlias = Literal["improving", "examining"]
Sign: TypeAlias = Literal[-1, 0, 1]


@dataclass(frozen=True, slots=True)
class Quote:
    """What something said when it broke, and where the journal holds it."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Endings:
    """How the attempts of one stage ended, each in a session of its own.

    `queue_empty` is in order. `first` quotes the first of each other ending there was.
    """

    queue_empty: int
    agent_stopped: int
    agent_crashed: int
    instrument_fault: int
    first: Mapping[Ending, Quote]

    @property
    def total(self) -> int:
        """Attempts that ended."""
        return self.queue_empty + self.agent_stopped + self.agent_crashed + self.instrument_fault


@dataclass(frozen=True, slots=True)
class Crashes:
    """Attempts behind one comparison that ended because the agent's own code raised: of A_0 and of A_T (on G0: of the
    first plays and of the replays)."""

    before: int
    of_before: int
    after: int
    of_after: int

    @property
    def asymmetric(self) -> bool:
        """True where the shares differ by more than a twentieth, so that the gain may be crashes and not skill."""
        if not self.of_before or not self.of_after:
            return False
        return abs(self.before / self.of_before - self.after / self.of_after) > 0.05


@dataclass(frozen=True, slots=True)
class Rung:
    """One row of the ladder: one arm on one comparison.

    G0: `before` and `after` are mean first and replay scores of the arm, `gain` is the change less that of the static
    arm. G1-G4: mean exam scores of A_0 and A_T in the target cell, `gain` their mean paired difference.
    `tau_star`: with one lineage and an interval that excludes 0, the sd between whole runs that would erase the claim.
    `unseen_share`: a change on fewer than this share of such tasks can be missed entirely; None where nothing was
    measured. `truth` is the sign of the true gain, where the agent is a phantom, a scripted agent of known gain.
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
    crashes: Crashes
    truth: Sign | None


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
    method_fault: Quote | None  # the first of them
    faults: Mapping[str, int]  # what broke -> attempts lost
    improving: Cost
    examining: Cost
    ended_improving: Endings
    ended_examining: Endings


@dataclass(frozen=True, slots=True)
class Shared:
    """What several arms stand on together: a static arm's work, or one exam of an A_0. It is paid once."""

    name: str
    stage: Stage
    arms: tuple[str, ...]
    cost: Cost
    ended: Endings


@dataclass(frozen=True, slots=True)
class Attempts:
    """Attempts recorded. `done` of `planned` are the plan's own; trials of candidates and reruns of faults come on top.

    All that is printed as a number of attempts adds up to `total`.
    """

    planned: int
    done: int
    trials: int
    reruns: int

    @property
    def total(self) -> int:
        """Everything that was worked."""
        return self.done + self.trials + self.reruns


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
    attempts: Attempts
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
    shared: tuple[Shared, ...]
    controls: Mapping[str, tuple[CurvePoint, ...]]
    curve_units: tuple[str, ...]  # of the tasks worked while learning; with several there is no curve
    drift: tuple[Drift, ...]
    pools: tuple[Pool, ...]
    how: Mapping[str, str]  # each printed number -> dotted name of the function that makes it
    config: Mapping[str, Any]
    provenance: Mapping[str, Any]
