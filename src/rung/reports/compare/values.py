"""What a comparison of runs says, as plain values. Renderers print these and compute nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from rung.core.values import Estimate
from rung.stats.missing import Bounds

Word: TypeAlias = Literal["higher", "lower", "inconclusive", "not estimable", "incomplete", "contaminated"]
Policy: TypeAlias = Literal["failed", "dropped", "retried"]
DriftWord: TypeAlias = Literal["drifted", "no drift seen", "cannot be told"]

POLICIES: tuple[Policy, ...] = ("failed", "dropped", "retried")
"""How an attempt that broke at the first try counts: as the family's floor, not at all, or by its last rerun."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """One arm of one run. `beginning` is equal where A_0 is declared to be the same agent in the same state.

    Costs are of improving, per lineage: attempts (work, replays and trials), dollars, tokens; None where unknown, and
    `called` False where no model was called in improving.
    """

    label: str
    agent: Mapping[str, Any]
    method: Mapping[str, Any]
    beginning: str
    control: str  # the frozen arm of its run that it is held against
    lineages: int
    improving_attempts: float
    called: bool
    improving_usd: float | None
    improving_tokens: float | None


@dataclass(frozen=True, slots=True)
class Counted:
    """A row under one way of counting what was not scored."""

    difference: Estimate
    p: float | None
    adjusted: float | None
    word: Word


@dataclass(frozen=True, slots=True)
class Row:
    """One cell and one pair: the gain of the later arm less that of the earlier, in the units of the cell's family.

    Later and earlier are places on the command line, and not in time. `levels` are the rungs on which the two ask about
    the cell. `difference` is a difference of differences with its own 95% interval; where both stand on one measured
    A_0 that cancels, and it is the difference of A_T. `ends` are the mean A_T (on G0: replay) scores, `end` their
    difference where A_0 was measured apart. `adjusted` is Holm's p over all planned rows; the word rests on it.
    `unscored` is empty where every attempt was scored at the first try. `bounds` hold the difference whatever was
    missing. `flags` say what weakens the row, `reasons` why it carries no claim. `tau_star` and `unseen_share` as in
    `rung.reports.values.Rung`.
    """

    cell: str
    levels: tuple[str, str]
    earlier: str
    later: str
    gains: tuple[float | None, float | None]
    ends: tuple[float | None, float | None]
    difference: Estimate
    end: Estimate | None
    p: float | None
    adjusted: float | None
    word: Word
    unscored: Mapping[Policy, Counted]
    bounds: Bounds | None
    planned_tasks: int
    reasons: tuple[str, ...]
    flags: tuple[str, ...]
    unit: str
    tau_star: float | None = None
    unseen_share: float | None = None

    @property
    def withheld(self) -> bool:
        """True where the number may stand inside the finding only, and in no table."""
        return self.word == "contaminated"


@dataclass(frozen=True, slots=True)
class Entry:
    """One place of a matrix: the gain of its row's arm less that of its column's, and on how much that rests."""

    value: float | None
    lo: float | None
    hi: float | None
    n_lineages: int
    n_tasks: int
    adjusted: float | None
    word: Word


@dataclass(frozen=True, slots=True)
class Matrix:
    """All differences of gains in one cell: `entries[i][j]` is `labels[i]` less `labels[j]`, None on the diagonal and
    where a pair was not held against each other."""

    level: str
    cell: str
    unit: str
    labels: tuple[str, ...]
    entries: tuple[tuple[Entry | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """The ranks an arm's gain can have in one cell: from `best` to `worst`, of `of`; 1 gained most."""

    level: str
    cell: str
    label: str
    gain: float | None
    best: int
    worst: int
    of: int


@dataclass(frozen=True, slots=True)
class Over:
    """The gain of an arm over a control, and by what improving the arm cost; ratios None where no model was called."""

    level: str
    cell: str
    label: str
    control: str
    gain: Estimate
    word: str
    per_usd: Estimate | None
    per_million_tokens: Estimate | None
    flags: tuple[str, ...]
    unit: str
    tau_star: float | None = None


@dataclass(frozen=True, slots=True)
class Drift:
    """The same declared A_0 in two runs: its exam scores of the later less those of the earlier, paired by task.

    `adjusted` is Holm's p over all such pairs and cells; None where too few tasks can tell.
    """

    beginning: str
    cell: str
    earlier: str
    later: str
    difference: Estimate
    p: float | None
    adjusted: float | None
    word: DriftWord
    unit: str


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of holding runs against each other."""

    exams: Mapping[str, str]  # run -> exam id
    tasks: int  # exam tasks that all runs share
    runs: Mapping[str, str]  # run -> digest
    entrants: tuple[Entrant, ...]
    stamps: tuple[str, ...]  # what the caller was told and went past
    warnings: tuple[str, ...]
    drift: tuple[Drift, ...]
    planned_rows: int
    rows: tuple[Row, ...]
    matrices: tuple[Matrix, ...]
    standings: tuple[Standing, ...]
    controls: tuple[Over, ...]
    differs: Mapping[str, Mapping[str, str]]  # key of the config -> run -> value
    how: Mapping[str, str]
