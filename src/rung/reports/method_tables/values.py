"""What the tables of methods say, as plain values. Renderers print these and compute nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from rung.core.values import Estimate
from rung.findings.semantics.counts import Semantics
from rung.stats.verdict import Word

Level: TypeAlias = Literal["G0", "G1", "G2", "G3", "G4"]
Schedule: TypeAlias = Literal["fresh", "fixed", "mixed", "increasing", "several families"]
Key: TypeAlias = Literal["initial harness", "agent model", "improver model", "method"]

KEYS: tuple[Key, ...] = ("initial harness", "agent model", "improver model", "method")
"""The independent keys of an arm."""


@dataclass(frozen=True, slots=True)
class Made:
    """What an arm is made of, key by key: harness and method with their own options, models by name."""

    harness: str
    agent_model: str
    improver_model: str
    method: str

    def of(self, key: Key) -> str:
        """What it has under a key."""
        return {
            "initial harness": self.harness,
            "agent model": self.agent_model,
            "improver model": self.improver_model,
            "method": self.method,
        }[key]

    def apart(self, other: "Made") -> tuple[Key, ...]:
        """The keys in which two differ."""
        return tuple(key for key in KEYS if self.of(key) != other.of(key))


@dataclass(frozen=True, slots=True)
class Beside:
    """The gain over one control, and whether it clears it (see `rung.reports.over`)."""

    kind: str
    gain: Estimate
    clears: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """One arm of one study on one row of its ladder.

    `sources` are the families that it worked, `source` those and their settings in words. `end` is the mean score of
    A_T with an interval, None on G0. `withheld` numbers stand in no table. `best` has the highest HCI of its study's
    row. Scores and gain are in `unit`, HCI is a share of the headroom.
    """

    study: str
    arm: str
    made: Made
    source: str
    sources: tuple[str, ...]
    schedule: Schedule
    level: Level
    target: str
    unit: str
    before: float | None
    after: float | None
    reference: float | None
    gain: Estimate
    hci: Estimate
    end: Estimate | None
    word: Word
    beside: tuple[Beside, ...]
    withheld: bool
    best: bool = False

    @property
    def family(self) -> str:
        """The family of the target."""
        return self.target.split(" ")[0]


@dataclass(frozen=True, slots=True)
class Transfer:
    """What one arm carried from each source to each target: `entries[source][target]`, where it was asked.

    A `direct` entry is G1: refined on the target itself.
    """

    arm: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    entries: Mapping[str, Mapping[str, Cell]]

    def direct(self, target: str) -> Cell | None:
        """The arm that was refined on a target itself."""
        rows = (row.get(target) for row in self.entries.values())
        return next((cell for cell in rows if cell is not None and cell.level == "G1"), None)


@dataclass(frozen=True, slots=True)
class Scheduled:
    """One schedule of one family with one arm, and how A_T did in each cell of that family. `best` are the cells in
    which no other schedule with that arm ended higher."""

    family: str
    arm: str
    schedule: Schedule
    study: str
    cells: tuple[Cell, ...]
    best: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Apart:
    """Two arms of one study that differ in one key alone: how much more the later gained in one cell.

    `words` are `higher`, `lower` and so on, by Holm's p over all such rows of the study (see
    `rung.reports.compare.rows`).
    """

    study: str
    key: Key
    target: str
    levels: str
    earlier: str
    later: str
    values: tuple[str, str]
    gains: tuple[float | None, float | None]
    difference: Estimate
    adjusted: float | None
    word: str
    unit: str
    withheld: bool


@dataclass(frozen=True, slots=True)
class Ranked:
    """One agent on one exam cell: refined on that very cell, or general, which is an arm that is never refined.

    `score` is its mean with an interval, `places` the first and the last rank by score that is left open by the tests
    of all pairs of one study, 1 the highest; between studies nothing is tested. `over` is a refined agent's score less
    that of the best general agent, task by task, None where there is none.
    """

    target: str
    label: str
    made: Made
    refined: bool
    score: Estimate
    places: tuple[int, int]
    unit: str
    over: Estimate | None = None
    beside: tuple[Beside, ...] = ()


@dataclass(frozen=True, slots=True)
class Study:
    """One run that the tables stand on."""

    name: str
    digest: str
    exam_id: str
    lineages: int
    source: str
    schedule: Schedule
    faults: int
    unfinished: bool
    config: Mapping[str, Any]
    changes: Semantics | None = None  # what its methods changed; None where nothing was proposed


@dataclass(frozen=True, slots=True)
class Section:
    """A table as it is printed: text cells under heads, and a picture over it. `strong` are the places of the best,
    by row and column; `figure` is SVG of our own."""

    id: str
    title: str
    note: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    strong: frozenset[tuple[int, int]] = frozenset()
    figure: str = ""


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything that was read of the studies."""

    name: str
    studies: tuple[Study, ...]
    cells: tuple[Cell, ...]
    transfers: tuple[Transfer, ...]
    schedules: tuple[Scheduled, ...]
    apart: tuple[Apart, ...]
    ranks: tuple[Ranked, ...]
    missing: tuple[str, ...] = ()
