"""Methods measured where the truth is known: what a study says of each, beside what the lesson in its A_T is worth.

One ladder on the toys holds all methods as arms, with a scripted model that acts by what it is told and improves by its
script. Whether the lesson stands in what an arm's lineage ended with is read off its files, so its true gain is known
without any score: the lesson's gain times the share of lineages that are told it there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from types import MappingProxyType
from typing import Any, cast

from rung.core.canonical import JSON
from rung.core.config import Config, parse
from rung.core.errors import InstrumentFault
from rung.protocols import launch, wiring
from rung.reports import ladder
from rung.reports.values import ArmReport, Rung
from rung.store.memory import MemoryJournal
from rung.store.snapshots import JournalSnapshots
from rung.testing.improvers import Says, competent, roles
from rung.testing.lessons import Lesson
from rung.testing.models import Provided
from rung.testing.toys.toy_lamp_v1.game import FAMILY as LAMP
from rung.testing.toys.toy_lock_v1.game import FAMILY as LOCK
from rung.testing.toys.toy_road_v1.game import FAMILY as ROAD

SECRET = "a fixed secret"  # noqa: S105 (of a scripted study)
EXAMS = ("G1", "G2", "G3", "G4")
CONTROLS = ("no-op", "random-edit")
SURE = 1.5
"""Three standard errors in half-widths of a 95% interval, for which two are taken."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A method with its options, and the rungs whose tasks are told what it notes."""

    method: Mapping[str, JSON]
    told: tuple[str, ...] = EXAMS


def _hyper(**options: JSON) -> Subject:
    return Subject({"name": "hyperagents", **options})


SUBJECTS: Mapping[str, Subject] = MappingProxyType(
    {
        "ace": Subject({"name": "ace"}),
        "ace-faithful": Subject({"name": "ace", "variant": "faithful"}),
        "reflexion": Subject({"name": "reflexion"}, told=("G1", "G2")),
        "reflexion-instance": Subject({"name": "reflexion", "variant": "instance"}, told=()),
        "gepa": Subject({"name": "gepa"}),
        "ahe": Subject({"name": "ahe"}),
        "ahe-faithful": Subject({"name": "ahe", "variant": "faithful"}),
        "hyper": _hyper(),
        "hyper-faithful": _hyper(variant="faithful"),
        "hyper-direct": _hyper(variant="direct"),
        "hyper-frozen": _hyper(variant="direct", frozen_improver=True),
    }
)
"""Methods by the name of their arm."""


@dataclass(frozen=True, slots=True)
class Design:
    """How large a study is."""

    lineages: int = 5
    worked: int = 10
    exam: int = 40
    lag: int = 2
    controls: tuple[str, ...] = CONTROLS
    lesson: Lesson = field(default_factory=Lesson)


def config(names: Sequence[str], design: Design, *, seed: int = 1) -> Config:
    """The study of these methods."""
    lock, lamp, road = ({"family": family.id, "difficulty": 1} for family in (LOCK, LAMP, ROAD))
    document: Mapping[str, Any] = {
        "name": "methods on a known truth",
        "protocol": "ladder",
        "seed": seed,
        "lineages": design.lineages,
        "agent": {"kind": "chat", "model": "scripted/function"},
        "arms": [{"name": name, "method": dict(SUBJECTS[name].method)} for name in names],
        "controls": list(design.controls),
        "exam": {"secret": SECRET, "baseline_repeats": 1},
        "tasks": {
            "replay": {"interval": 1, "lag": design.lag},
            "schedule": [{**lock, "count": design.worked, "replay": True}],
            "holdout": [{**cell, "count": design.exam} for cell in (lock, {**lock, "difficulty": 5}, lamp, road)],
        },
    }
    return parse(document)


def run(names: Sequence[str], design: Design, *, improver: Says | None = None, seed: int = 1) -> MemoryJournal:
    """Run the study, with the competent improver unless another is given."""
    wanted = config(names, design, seed=seed)
    model = Provided(roles(improver or competent(design.lesson), design.lesson.acting))
    return launch.simulate(wanted, secret=SECRET, arms=wiring.arms(wanted, models={model.id: model}))


# --------------------------------------------------------------------------------------------- what is true


@dataclass(frozen=True, slots=True)
class Row:
    """One rung of one arm: the gain that is planted there, and the one that was measured with its interval."""

    arm: str
    level: str
    planted: float
    value: float
    lo: float
    hi: float

    @property
    def half(self) -> float:
        """Half of the interval's width."""
        return (self.hi - self.lo) / 2

    @property
    def right(self) -> bool:
        """Whether the error is within three standard errors."""
        return abs(self.value - self.planted) <= SURE * self.half + 1e-9

    @property
    def sharp(self) -> bool:
        """Whether the interval tells the planted gain from none at all: half of it is at most half of the gain."""
        return self.half <= abs(self.planted) / 2 + 1e-9


@dataclass(frozen=True, slots=True)
class Measured:
    """One arm as it was measured; `files` are those of each A_T."""

    report: ArmReport
    rows: tuple[Row, ...]
    files: tuple[Mapping[str, bytes], ...]


def measured(journal: MemoryJournal, design: Design) -> Mapping[str, Measured]:
    """Every arm of a study and every control, beside the truth; of a control the truth is that nothing was gained."""
    return {arm.name: _measured(journal, design, arm) for arm in ladder.read(journal).arms}


def _measured(journal: MemoryJournal, design: Design, arm: ArmReport) -> Measured:
    ends = tuple(_ends(journal, arm.name))
    subject = SUBJECTS.get(arm.name)
    knowing = fmean(design.lesson.known_from(_text(files)) for files in ends) if subject is not None else 0.0
    exams = subject.told if subject is not None else ()
    rows = [
        _row(arm, rung, design.lesson.gain * knowing * (rung.level in exams))
        for rung in arm.rungs
        if rung.level in EXAMS
    ]
    rows += [
        _row(arm, rung, _replayed(arm.name, design)) for rung in arm.rungs if rung.level == "G0" and _clean(arm.name)
    ]
    return Measured(arm, tuple(rows), ends)


def _row(arm: ArmReport, rung: Rung, planted: float) -> Row:
    gain = rung.gain
    if gain.value is None:
        raise InstrumentFault("known truth", f"{arm.name} {rung.level} has no gain: {gain.flags}")
    lo, hi = (gain.value if end is None else end for end in (gain.lo, gain.hi))  # there is none where nothing varies
    return Row(arm.name, rung.level, planted, gain.value, lo, hi)


def _clean(name: str) -> bool:
    """Whether the truth of a replay is known without its first play: where notes are told on the same task alone, and
    in controls, which are told nothing that helps. Elsewhere a first play may have come after the lesson."""
    return name not in SUBJECTS or not SUBJECTS[name].told


def _replayed(name: str, design: Design) -> float:
    return design.lesson.gain if name in SUBJECTS else 0.0


def _ends(journal: MemoryJournal, arm: str) -> Iterator[Mapping[str, bytes]]:
    snapshots = JournalSnapshots(journal)
    for path, _, final in journal.facts(under=arm, kind="final"):
        if path.startswith(f"{arm}/"):
            yield snapshots.get(str(cast("Mapping[str, Any]", final)["snapshot"])).files


def _text(files: Mapping[str, bytes]) -> str:
    return "\n".join(data.decode("utf-8", "replace") for path, data in files.items() if path.startswith("agent/"))


# --------------------------------------------------------------------------------------------- the table


def table(found: Mapping[str, Measured]) -> str:
    """What was measured, a line for each arm and rung that is no control's; controls stand in the same line."""
    lines = ["| arm | rung | planted | measured, 95% | no-op | random edit | of no use | refused |", "|" + "---|" * 8]
    for name, one in found.items():
        for row in one.rows if one.report.control_of is None else ():
            beside = [_beside(found.get(f"{name}-{control}"), row.level) for control in CONTROLS]
            counts = (str(one.report.skipped), str(sum(one.report.refused.values())))
            cells = (name, row.level, f"{row.planted:.2f}", _spelt(row), *beside, *counts)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _beside(control: Measured | None, level: str) -> str:
    row = next((each for each in control.rows if each.level == level), None) if control is not None else None
    return _spelt(row) if row is not None else ""


def _spelt(row: Row) -> str:
    return f"{row.value:+.2f} [{row.lo:+.2f}, {row.hi:+.2f}]"
