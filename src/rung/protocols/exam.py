"""The exam: the same sealed tasks, attempted from snapshots, without feedback, each attempt in a fresh fork.

Attempts of all examinees are shuffled together, so that a provider's drift is not read as gain. A faulted attempt is
run again a fixed number of times, each time as a new visible row; the last row counts. One in which the run itself was
cut off is run again besides.

Where the attempts of programs break one after the other, and all of the same, the next will too: the run stops with a
sentence, and when it goes on they are run again besides.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Literal

from rung.core.errors import InstrumentFault
from rung.core.seeds import Seed
from rung.core.values import Fault, Outcome, Task
from rung.protocols.sittings import INTERRUPTED
from rung.protocols.stream import Ticket
from rung.protocols.study import Arm, Study

MOST_BROKEN = 6
"""So many attempts of programs that break on end, at more than one task, stop the run: each costs a sandbox at least,
and may cost hours."""
NOT_THE_INSTRUMENT = (INTERRUPTED, "family", "provider")
"""Where faults are, by their first word, that no mending of this machine would end: the run was cut off, a game is
broken, a model refuses."""


@dataclass(frozen=True, slots=True)
class Examinee:
    """A snapshot sitting the exam under a name (`A0.1f2e3d`, `narrow.L3`), each task so many times; only those at
    certain `places` where they are given."""

    name: str
    arm: Arm
    snapshot: str
    repeats: int
    places: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Exam:
    """The sealed tasks and how they are attempted: `repeats` by every A_T, `baseline_repeats` by every A_0.

    `terms` is what else must be equal for two exams to be the same, such as the instruction of a program.
    """

    tasks: tuple[Task, ...]
    repeats: int
    baseline_repeats: int
    reruns: int
    order: Literal["interleaved", "fixed"]
    terms: tuple[str, ...] = ()


def attempt_path(examinee: str, number: int, repeat: int, rerun: int = 0) -> str:
    """Where one exam attempt is recorded; tasks and repeats count from 1, reruns of a fault from 1."""
    path = f"exam/{examinee}/{number:04d}/{repeat}"
    return f"{path}/again/{rerun}" if rerun else path


async def sit(study: Study, exam: Exam, examinees: Sequence[Examinee], *, order: Seed) -> None:
    """Let every examinee attempt every task."""
    places = list(_places(exam, examinees))
    if exam.order == "interleaved":
        order.rng().shuffle(places)
    streak = _Streak(study)
    await study.crew(partial(_attempt, study, exam, streak, *place) for place in places)


def _places(exam: Exam, examinees: Sequence[Examinee]) -> Iterator[tuple[Examinee, int, int]]:
    for examinee in examinees:
        for number in examinee.places or range(1, len(exam.tasks) + 1):
            for repeat in range(1, examinee.repeats + 1):
                yield examinee, number, repeat


@dataclass(slots=True)
class _Streak:
    """Attempts of programs that broke in this process on end, all in the same place of the instrument."""

    study: Study
    where: str = ""
    detail: str = ""
    paths: dict[str, int] = field(default_factory=dict)

    def add(self, path: str, number: int, outcome: Outcome) -> None:
        """Take note of one more; raises `InstrumentFault` when it is the last."""
        if not isinstance(outcome, Fault) or outcome.where != self.where:
            self.paths = {}
        if not isinstance(outcome, Fault) or outcome.where.startswith(NOT_THE_INSTRUMENT):
            return
        self.where, self.detail = outcome.where, outcome.detail
        self.paths[path] = number
        if len(self.paths) >= MOST_BROKEN and len(set(self.paths.values())) > 1:
            for each in (path for path in self.paths if not self.study.knows(path, "excused")):
                self.study.note(each, "excused", {"where": self.where})
            raise InstrumentFault(
                self.where,
                f"{len(self.paths)} attempts at the exam broke on end: {self.detail}; see to it, and run again: "
                "these are sat again, and the rest goes on",
            )


async def _attempt(study: Study, exam: Exam, streak: _Streak, examinee: Examinee, number: int, repeat: int) -> None:
    broken = 0
    for rerun in count():
        path = attempt_path(examinee.name, number, repeat, rerun)
        ticket = Ticket(path, exam.tasks[number - 1], "exam", examinee.snapshot, repeat)
        known = study.knows(path, "ended")
        outcome: Outcome = await study.attempt(examinee.arm, ticket)
        if examinee.arm.hand is not None and not known:
            streak.add(path, number, outcome)
        counts = isinstance(outcome, Fault) and outcome.where != INTERRUPTED and not study.knows(path, "excused")
        broken += counts
        if not isinstance(outcome, Fault) or broken > exam.reruns:
            return
