"""What a ladder report says, as plain values. Renderers print these and compute nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from rung.core.values import Ending, Estimate
from rung.findings.adoption import Adoption
from rung.findings.audit.evidence import Evidence
from rung.findings.audit.verdict import Word
from rung.findings.built import Inventory
from rung.findings.semantics.counts import Semantics
from rung.reports.over import Gate, Over
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


Stage: TypeAlias = Literal["improving", "examining"]
Sign: TypeAlias = Literal[-1, 0, 1]


@dataclass(frozen=True, slots=True)
class Quote:
    """What something said when it broke, and where the journal holds it."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Endings:
    """How the attempts of one stage ended, each in a session of its own: how many in which way.

    `queue_empty` is in order. `first` quotes the first of each other ending there was.
    """

    counts: Mapping[Ending, int]
    first: Mapping[Ending, Quote] = field(default_factory=dict)

    def of(self, ending: Ending) -> int:
        """How many ended so."""
        return self.counts.get(ending, 0)

    @property
    def total(self) -> int:
        """Attempts that ended."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Crashes:
    """Attempts behind one comparison that ended in one way out of order: of A_0 and of A_T (on G0: of the first plays
    and of the replays). As `Rung.crashes` by the agent's own code that raised, as `Rung.limits` by a limit."""

    before: int
    of_before: int
    after: int
    of_after: int

    @property
    def asymmetric(self) -> bool:
        """True where the shares differ by more than a twentieth, so that the gain may be such endings and not skill."""
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
    `per_usd`, `per_million_tokens`: the gain by what improving cost (see `rung.reports.economy`); None where no model
    was called in improving.
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
    limits: Crashes = Crashes(0, 0, 0, 0)
    per_usd: Estimate | None = None
    per_million_tokens: Estimate | None = None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Mean held-in score of one arm over positions `first` to `last` of its sequences; `n` attempts measured."""

    first: int
    last: int
    mean: float | None
    n: int


Failed: TypeAlias = Literal["EmptyReply", "ModelFault", "ContextOverflow", "LimitReached"]
"""Why a model call brought no answer (see `rung.core.errors`)."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Model calls that brought no answer for one reason, and what the first of them said."""

    error: Failed
    calls: int
    first: Quote


@dataclass(frozen=True, slots=True)
class Calls:
    """Model calls and what they took.

    Tokens are those of the answered calls as the provider counts them: read anew, read from its cache, written.
    `unmetered` calls were answered without such a count; then tokens and dollars are None, and never a partial sum.
    Dollars are of every try, also of those that failed or were tried again; they are None too where no price is known.
    `usd_at_most` counts as budgets do: a try whose end or count is not known cost the most that it could. `told` calls
    were made by other means, as the agent tells it; nothing is known of what they cost, and nothing of them is here.
    """

    answered: int
    unmetered: int
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    usd: float | None
    usd_at_most: float | None
    failures: tuple[Failure, ...] = ()
    told: int = 0

    @property
    def made(self) -> int:
        """Calls with and without an answer."""
        return self.answered + sum(failure.calls for failure in self.failures)

    @property
    def tokens(self) -> int | None:
        """Tokens of all kinds."""
        if self.input_tokens is None or self.cached_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.cached_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Cost:
    """What something took: attempts, actions in them, seconds on the wall, and model calls, None where none were."""

    attempts: int
    steps: int
    seconds: float
    calls: Calls | None = None


@dataclass(frozen=True, slots=True)
class Actions:
    """Actions of an agent that a model acted for.

    `parsed` of them were calls at all, and not text that nobody could read; `invalid` changed nothing in the game,
    because they were no calls or not allowed.
    """

    total: int
    parsed: int
    invalid: int

    @property
    def unread(self) -> int:
        """Actions that were no call at all."""
        return self.total - self.parsed


@dataclass(frozen=True, slots=True)
class ArmReport:
    """One arm: what it is, how far it climbed, what its method did, and what it cost.

    `improving` is `working` (acting in tasks and trials) and `refining` (what the method did) together. `limited`
    refinements were ended by a budget, and what came of `skipped` ones was of no use. `refused` counts edits and
    candidates that its surface does not allow. `actions` are None in a stage in
    which no model acted.
    """

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
    model: str | None = None  # what the agent acts with, as configured
    improver: str | None = None  # and what its method refines with
    working: Cost | None = None
    refining: Cost | None = None
    actions_improving: Actions | None = None
    actions_examining: Actions | None = None
    limited: int = 0
    skipped: int = 0
    first_skipped: Quote | None = None  # why, the first time
    refused: Mapping[str, int] = field(default_factory=dict)  # kind of what the surface does not allow -> how often
    first_refused: Quote | None = None
    control_of: str | None = None  # of a control, the arm whose control it is
    control_kind: str | None = None  # and which control
    unconfined: bool = False  # code that a model wrote was confined by nothing


@dataclass(frozen=True, slots=True)
class Shared:
    """What several arms stand on together: a static arm's work, or one exam of an A_0. It is paid once."""

    name: str
    stage: Stage
    arms: tuple[str, ...]
    cost: Cost
    ended: Endings
    actions: Actions | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """A lineage that had spent its budget: it ended before the attempt at position `before` of `planned`."""

    arm: str
    lineage: int
    before: int
    planned: int
    reason: str

    @property
    def lost(self) -> int:
        """Attempts of its sequence that are not there and never will be."""
        return self.planned - self.before + 1


@dataclass(frozen=True, slots=True)
class Drift:
    """The static arm against itself: (replay - first) of a frozen A_0. Away from zero, the instrument or the provider
    drifted."""

    control: str
    change: Estimate
    unit: str


@dataclass(frozen=True, slots=True)
class Worked:
    """One working session of a program, in a cell.

    `ending` is None while it has not ended. `worked` of the `planned` tasks were finished. It took `legs`, because
    something outside interrupted it in those ways. The `idle_seconds` of its `seconds` came after its stream was
    exhausted. `egress` says whom it reached or tried to, as far as the record can. `kept` files are in what it left;
    `odd` are those that could not be kept as they lay, or that no rule knows.
    """

    arm: str
    lineage: int
    ending: Ending | None
    detail: str
    worked: int
    planned: int
    legs: int
    interrupted: tuple[Ending, ...]
    seconds: float
    idle_seconds: float
    egress: str
    reached: tuple[str, ...]
    complete: bool
    kept: int
    odd: tuple[str, ...]
    program: str
    version: str | None
    pinned: str | None

    @property
    def truncated(self) -> bool:
        """Whether something other than the agent or its stream ended it."""
        return self.ending not in (None, "queue_empty", "agent_stopped")


@dataclass(frozen=True, slots=True)
class Programs:
    """What is known of all sessions of a cell's programs together.

    `sandboxes` confined them, and of `legs` the network record of `unseen` is incomplete. `sentinels` are A_0 among the
    after-exam against itself before it. `attested` is what the owner of an agent that was served vouches for, and
    nobody here saw.
    """

    sessions: tuple[Worked, ...]
    sandboxes: tuple[str, ...]
    legs: int
    unseen: int
    sentinels: tuple[Drift, ...]
    attested: str = ""


@dataclass(frozen=True, slots=True)
class Carried:
    """One row of the exam by forks of what was left with pieces taken out (see `rung.reports.ablation`).

    The `kept` classes and patterns went along, or with `out` all but those; `words` says so. `gained` is over A_0,
    `lost` what the full fork has more. `broke` sessions ended because the program did not run with so little.
    """

    arm: str
    level: str
    target: str
    carry: str
    words: str
    kept: tuple[str, ...]
    out: bool
    gained: Estimate
    lost: Estimate
    broke: int
    unit: str


@dataclass(frozen=True, slots=True)
class Attribution:
    """Which pieces carried a gain on one row, and of which that was asked and not shown; each with its p by Holm."""

    arm: str
    level: str
    target: str
    carriers: tuple[str, ...]
    others: tuple[str, ...]
    p_values: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Ablation:
    """Everything that `rung ablate` had examined."""

    rows: tuple[Carried, ...]
    attributions: tuple[Attribution, ...]


@dataclass(frozen=True, slots=True)
class Corrected:
    """What is left of one row of an arm that the audit found something of.

    `naive` is the gain as it came out, `without` the gain over the pairs (lineage, task) that nothing touched, `bounds`
    what the gain lies in whatever the `touched` of the `pairs` would have scored.
    """

    level: str
    target: str
    unit: str
    naive: Estimate
    without: Estimate
    bounds: Bounds
    touched: int
    pairs: int


@dataclass(frozen=True, slots=True)
class Honesty:
    """What the audit says of one arm: the word on it and on each of its lineages and A_0, the evidence in the order of
    time, and where there is any what is left of its gains."""

    arm: str
    word: Word
    words: Mapping[str, Word] = field(hash=False)
    evidence: tuple[Evidence, ...] = ()
    corrected: tuple[Corrected, ...] = ()


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens, and the day the price was read off."""

    input: float
    output: float
    cached: float | None
    date: str


@dataclass(frozen=True, slots=True)
class ModelUse:
    """A model of the study: its name as configured, who uses it for what, the ids it reported, and its price.

    `price` is None where none is known, and `priced` is False where it was not recorded whether one is.
    """

    name: str
    uses: tuple[str, ...]
    ids: tuple[str, ...]
    price: Price | None
    priced: bool


@dataclass(frozen=True, slots=True)
class Spending:
    """What the whole study may cost, where that is limited, and what it has cost as budgets count.

    A try whose end or count is not known cost the most that it could. `usd` is None where some price is not known.
    """

    usd: float | None
    tokens: int
    tries: int
    seconds: float | None  # measured where they are limited
    most_usd: float | None = None
    most_tokens: int | None = None
    most_tries: int | None = None
    most_seconds: float | None = None


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
class Pool:
    """How much of one pool of tasks was new content; `stale` instances had been met before."""

    pool: str
    cell: str
    count: int
    stale: int


@dataclass(frozen=True, slots=True)
class Kept:
    """One thing that was promised beforehand, beside what was done, and whether that is as promised."""

    what: str
    registered: str
    run: str
    kept: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """A row of a registered family: its p after Holm's correction over the family, its word, and whether it holds."""

    arm: str
    level: str
    target: str
    p: float
    word: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Registered:
    """The plan that was registered before the run, by its hash, and what became of it."""

    sha256: str
    kept: tuple[Kept, ...]
    claims: tuple[Claim, ...]


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
    cuts: tuple[Cut, ...] = ()
    models: tuple[ModelUse, ...] = ()
    spending: Spending | None = None  # None where no model was asked in this study
    totals: Mapping[str, Cost] = field(
        default_factory=dict
    )  # improving, examining, and the instrument (frozen controls)
    exam_shared: bool = False  # taken over from another run
    stocks: tuple[str, ...] = ()  # cells whose tasks are a fixed collection, which lineages share
    unconfined: int = 0  # attempts that a command judged outside any sandbox
    programs: Programs | None = None  # of a cell
    inventory: tuple[Inventory, ...] = ()  # what each working session of a cell built
    adoption: tuple[Adoption, ...] = ()  # and what the after-exam of each arm used of it
    ablation: Ablation | None = None  # of a cell whose pieces were examined
    honesty: tuple[Honesty, ...] = ()  # what the audit says of every arm; none where there was no audit
    unaudited: tuple[str, ...] = ()  # of what the audit could see nothing
    calibration: str = ""  # what is known of the estimators that made this report, in a sentence
    registered: Registered | None = None  # the plan that was registered beforehand, and how far it was kept
    margins: Mapping[str, float] = field(default_factory=dict)  # registered with it, by level
    over: tuple[Over, ...] = ()  # gains over controls
    gates: tuple[Gate, ...] = ()  # and what became of what these proposed
    changes: Semantics | None = None  # what the methods changed; None where nothing was proposed
