"""Adoption: which of what a working session left the after-exam's attempts used, and how gains split by that.

An artifact is a file of the fork that A_0 did not have and that is no conversation, cache, by-product of a tool or
untouched state of the harness. How each use is known stands in `rung.findings.uses`. A use is the agent's own choice: a
split by it describes two groups of attempts, and is no effect of the artifact. That is what `rung ablate` measures.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any, cast

from rung.core.errors import StoreFault, UsageError
from rung.core.ports import Journal
from rung.core.values import Estimate
from rung.findings.artifacts import UNCLASSED, Artifact, artifacts
from rung.findings.by_use import by_use
from rung.findings.deeds import asked, deeds
from rung.findings.inventory import watched
from rung.findings.sessions import Left, Session, sessions, snapshot
from rung.findings.traces import traces
from rung.findings.uses import Known, Reader, Use, known, strings
from rung.stats.lineages import nested_gain

CAVEAT = (
    "Whether to use something was the agent's own choice, attempt by attempt, so a difference between attempts that "
    "used it and attempts that did not is no effect of it; `rung ablate` measures what carried the gain."
)
ANY, CHOSEN = "any use", "read, run or imported"
"""What is split beside single artifacts; what a harness loads by itself is no choice of the attempt's."""


@dataclass(frozen=True, slots=True)
class Inherited:
    """An artifact that the attempts of one lineage found."""

    lineage: int
    path: str
    kind: str
    bytes: int


@dataclass(frozen=True)
class Attempt:
    """One after-exam attempt. `seen` is whether its deeds are on record: where not, nothing is said of what it used.
    `conversation` is whether it forked the working session's. `gain` is its score less A_0's mean on the same task,
    None where one is missing."""

    path: str
    arm: str
    lineage: int
    task: int
    repeat: int
    unit: str
    gain: float | None
    seen: bool
    conversation: bool
    uses: tuple[Use, ...] = ()

    @cached_property
    def _used(self) -> frozenset[str]:
        chosen = {CHOSEN for use in self.uses if use.manner != "loaded"}
        return frozenset({*(use.artifact for use in self.uses), *chosen, *([ANY] if self.uses else [])})

    def used(self, what: str) -> bool:
        """Whether it used an artifact by its path, or any at all."""
        return what in self._used


@dataclass(frozen=True, slots=True)
class Split:
    """Gains of the attempts that used `what`, and of those that did not, in one unit. It is no effect: see `CAVEAT`."""

    what: str
    unit: str
    n_used: int
    n_unused: int
    used: Estimate
    unused: Estimate
    difference: Estimate


@dataclass(frozen=True, slots=True)
class Adoption:
    """What the after-exam of one arm used of what its lineages left. `unread` says what could not be read."""

    arm: str
    artifacts: tuple[Inherited, ...]
    attempts: tuple[Attempt, ...]
    splits: tuple[Split, ...]
    unread: tuple[str, ...] = ()
    caveat: str = CAVEAT

    @property
    def seen(self) -> int:
        """Attempts whose deeds are on record."""
        return sum(attempt.seen for attempt in self.attempts)

    def using(self, what: str) -> int:
        """How many of those used something."""
        return sum(attempt.seen and attempt.used(what) for attempt in self.attempts)


def adoptions(journal: Journal) -> tuple[Adoption, ...]:
    """The adoption of every arm whose after-exam has begun, in key order."""
    arms: dict[str, dict[int, list[Session]]] = defaultdict(lambda: defaultdict(list))
    for session in _last(sessions(journal)):
        found = re.fullmatch(r"(.+)\.L(\d+)", session.who)
        if session.exam and found and journal.get(found[1], "arm") is not None:
            arms[found[1]][int(found[2])].append(session)
    return tuple(_adoption(journal, arm, by_lineage) for arm, by_lineage in arms.items())


def _last(found: Iterator[Session]) -> list[Session]:
    """Of an attempt that was run again the last alone."""
    kept: dict[str, Session] = {}
    for session in sorted(found, key=lambda each: rerun(each.path)):
        kept[session.path.partition("/again/")[0]] = session
    return [kept[path] for path in sorted(kept)]


def rerun(path: str) -> int:
    """Which rerun of a fault an exam attempt is, by its path; 0 for the first try.

    >>> rerun("exam/a.L1/0001/1"), rerun("exam/a.L1/0001/1/again/12")
    (0, 12)
    """
    return int(path.partition("/again/")[2] or 0) if path.startswith("exam/") else 0


def _adoption(journal: Journal, arm: str, by_lineage: Mapping[int, Sequence[Session]]) -> Adoption:
    about = cast("Mapping[str, Any]", journal.get(arm, "arm"))
    shipped = snapshot(journal, str(about["snapshot"]))
    exam = Exam.of(journal, str(about["A_0"]))
    left: list[Inherited] = []
    attempts: list[Attempt] = []
    unread: list[str] = []
    for lineage, mine in sorted(by_lineage.items()):
        try:
            files = inherited(journal, mine[0].began, shipped, f"{arm}/L{lineage}/work", mine[0].program)
            found = _known(journal, files, shipped, f"{arm}/L{lineage}/work", mine[0].program)
        except (StoreFault, UsageError) as broken:
            unread.append(f"L{lineage}: what it left cannot be read: {broken}")
            continue
        left += [Inherited(lineage, each.path, each.kind, each.bytes) for each in files.values()]
        attempts += [_attempt(journal, each, arm, lineage, found, exam) for each in mine]
    splits = tuple(_splits(left, attempts))
    return Adoption(arm, tuple(left), tuple(attempts), splits, tuple(unread))


# --------------------------------------------------------------------------------------------- what is inherited


def inherited(journal: Journal, began: Left, shipped: Left, work: str, program: str) -> Mapping[str, Artifact]:
    """The artifacts of a fork: what A_0 did not have, in the same words. State of the harness counts where a deed of
    the working session wrote it."""
    before, after = (artifacts(journal, each, program) for each in (shipped, began))
    written = {each.path for trace in traces(deeds(journal, work)) for each in trace.wrote}
    return {
        inside: file
        for inside, file in after.items()
        if (inside not in before or before[inside].digest != file.digest)
        and (file.kind in ("files", UNCLASSED) or (file.kind == "harness state" and inside in written))
    }


def _known(journal: Journal, files: Mapping[str, Artifact], shipped: Left, work: str, program: str) -> Known:
    old = [file.text(journal) for file in artifacts(journal, shipped, program).values()]
    return known(journal, files, ours=[*old, *_instructions(journal, work)], said=_said(journal, work))


def _instructions(journal: Journal, session: str) -> list[str]:
    """What the instrument told a session."""
    began = (cast("Mapping[str, Any]", fact.value) for fact in journal.facts(under=f"{session}/leg", kind="began"))
    return list(
        dict.fromkeys(journal.read_blob(each["instruction"]).decode() for each in began if "instruction" in each)
    )


def _said(journal: Journal, work: str) -> frozenset[str]:
    """Every string of the conversation of a working session, by which what its forks bring is told from what is new."""
    found: set[str] = set()
    turns: set[int] = set()
    kept: list[Any] = []
    for each in asked(journal, work):
        for turn in each.turns:
            if id(turn) not in turns:  # a turn is loaded once, and is kept here, so that its id stays its own
                turns.add(id(turn))
                kept.append(turn)
                found.update(strings(turn))
        found.update(strings(each.answer))
    return frozenset(found)


# --------------------------------------------------------------------------------------------- one attempt


@dataclass(frozen=True, slots=True)
class Exam:
    """The exam's tasks by place: their units, and what A_0 scored on them: by lineage where each had its own."""

    units: Mapping[int, str]
    before: Mapping[tuple[int | None, int], float]

    @classmethod
    def of(cls, journal: Journal, shipped: str) -> "Exam":
        """The exam of a study, with what this A_0 scored."""
        families = cast("Mapping[str, Any]", journal.get("plan", "families") or {})
        units = {}
        for fact in journal.facts(under="plan/exam", kind="task"):
            family = str(cast("Mapping[str, Any]", fact.value)["family"])
            units[int(fact.path.rsplit("/", 1)[1])] = (
                str(families[family]["scale"]["unit"]) if family in families else ""
            )
        scores: dict[tuple[int | None, int], dict[str, float | None]] = defaultdict(dict)
        for fact in sorted(journal.facts(under="exam", kind="sealed"), key=lambda each: rerun(each.path)):
            parts = fact.path.split("/")
            whose = re.fullmatch(rf"{re.escape(shipped)}(?:\.L(\d+))?", parts[1])
            if whose:
                lineage = int(whose[1]) if whose[1] else None
                scores[lineage, int(parts[2])][parts[3]] = score(journal, fact.path)
        means = {key: [each for each in row.values() if each is not None] for key, row in scores.items()}
        return cls(units, {key: fmean(row) for key, row in means.items() if row})

    def gain(self, found: float | None, lineage: int, task: int) -> float | None:
        """A score less A_0's on the same task."""
        before = self.before.get((lineage, task), self.before.get((None, task)))
        return None if found is None or before is None else found - before


def score(journal: Journal, path: str) -> float | None:
    """The score of an attempt; None for a fault and while there is none."""
    sealed = cast("Mapping[str, Any]", journal.get(path, "sealed") or {})
    return float(sealed["score"]) if "score" in sealed else None


def _attempt(journal: Journal, session: Session, arm: str, lineage: int, found: Known, exam: Exam) -> Attempt:
    parts = session.path.split("/")
    task, repeat = int(parts[2]), int(parts[3])
    began = cast("Mapping[str, Any]", next(journal.facts(under=f"{session.path}/leg", kind="began")).value)
    gain = exam.gain(score(journal, session.path), lineage, task)
    done = deeds(journal, session.path)
    seen = bool(done) or watched(journal, session.path)
    reader = Reader(found)
    if seen:
        reader.load(asked(journal, session.path), done, _instructions(journal, session.path))
        for trace in traces(done):
            reader.read(trace)
    uses = tuple(reader.found[key] for key in sorted(reader.found))
    forked = began.get("after") is not None
    return Attempt(session.path, arm, lineage, task, repeat, exam.units.get(task, ""), gain, seen, forked, uses)


# --------------------------------------------------------------------------------------------- gains by use


def _splits(files: Sequence[Inherited], attempts: Sequence[Attempt]) -> Iterator[Split]:
    seen = [each for each in attempts if each.seen and each.gain is not None]
    paths = [path for path in dict.fromkeys(file.path for file in files) if any(each.used(path) for each in seen)]
    for unit in dict.fromkeys(each.unit for each in seen):
        mine = [each for each in seen if each.unit == unit]
        yield from (_split(what, unit, mine) for what in (ANY, CHOSEN, *paths) if files)


def _split(what: str, unit: str, attempts: Sequence[Attempt]) -> Split:
    used = [each for each in attempts if each.used(what)]
    unused = [each for each in attempts if not each.used(what)]
    lineages = sorted({each.lineage for each in attempts})
    one, other = _rows(used, lineages), _rows(unused, lineages)
    return Split(what, unit, len(used), len(unused), nested_gain(one), nested_gain(other), by_use(one, other))


def _rows(attempts: Sequence[Attempt], lineages: Sequence[int]) -> list[list[float]]:
    """Mean gains by task, a row a lineage: attempts at one task are one; nan where there is none at all."""
    cells: dict[int, dict[int, list[float]]] = {lineage: defaultdict(list) for lineage in lineages}
    for each in attempts:
        assert each.gain is not None
        cells[each.lineage][each.task].append(each.gain)
    return [[fmean(cell) for cell in row.values()] or [float("nan")] for row in cells.values()]
