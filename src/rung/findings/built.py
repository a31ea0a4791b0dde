"""What an agent built in its working session, as values (see `rung.findings.inventory`)."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

What: TypeAlias = Literal["wrote", "revised", "appended", "removed", "ran", "tested", "spawned"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where something stands, as a path of the journal or of what was left, and what stands there."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """One thing that was done, `after` so many finished tasks; in the idle `tail` the stream was exhausted before."""

    number: int
    after: int
    tail: bool
    what: What
    path: str
    place: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A file that is new, otherwise than before, or gone. `writes` deeds wrote it: 0 where only running code did, None
    where no deed is on record. It was first and last written after so many finished tasks."""

    path: str
    kind: str
    how: Literal["written", "revised", "deleted"]
    bytes: int
    entry: bool  # the harness reads it by itself
    writes: int | None
    first: int | None
    last: int | None
    tail: bool

    @property
    def revisions(self) -> int | None:
        """How often deeds revised it after they had made it."""
        if self.writes is None:
            return None
        return max(0, self.writes - 1) if self.how == "written" else self.writes


@dataclass(frozen=True, slots=True)
class Script:
    """A file in home or working folder, or one that a deed wrote elsewhere, that commands executed."""

    path: str
    runs: int
    kept: bool
    place: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A function that was defined in a command so many times, and is in nothing that was kept."""

    name: str
    times: int
    place: str


@dataclass(frozen=True, slots=True)
class Element:
    """One element of the apparatus: there, not there, or None where the record cannot say."""

    name: str
    present: bool | None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Tail:
    """What was done after the stream was exhausted: seconds as the sandbox measured them, deeds, and files written."""

    seconds: float
    deeds: int | None
    written: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inventory:
    """All that one working session built. `seen` is whether its deeds are on record; `unread` why its files are not.

    `tasks` were finished in it. `order` are the files by the time of their last writing, as the program's own clock
    said, which is all the order there is where no deed was seen.
    """

    session: str
    arm: str
    lineage: int
    program: str
    seen: bool
    unread: str
    tasks: int
    pieces: tuple[Piece, ...]
    order: tuple[str, ...]
    timeline: tuple[Moment, ...]
    subagents: tuple[Evidence, ...]
    scripts: tuple[Script, ...]
    lost: tuple[Lost, ...]
    evaluations: tuple[Evidence, ...]
    telemetry: tuple[Evidence, ...]
    tail: Tail
    elements: tuple[Element, ...]

    @property
    def entries(self) -> tuple[Piece, ...]:
        """What it left in the harness's own state, and in files that the harness reads by itself."""
        return tuple(
            each for each in self.pieces if each.how != "deleted" and (each.entry or each.kind == "harness state")
        )

    @property
    def present(self) -> tuple[str, ...]:
        """The elements of the apparatus that are there, by name: how far from the conversation pole it is."""
        return tuple(each.name for each in self.elements if each.present)

    @property
    def unknown(self) -> tuple[str, ...]:
        """The elements of which the record cannot say."""
        return tuple(each.name for each in self.elements if each.present is None)
