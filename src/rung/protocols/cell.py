"""The cell (shobench): an agent program works a stream, told to get better. Does what it left behind do better?

    before-exam   fresh sessions of the program as shipped attempt the sealed tasks, and are discarded
    working       one continuous session a lineage: it pulls tasks, is graded on each, and goes on until it stops
    after-exam    sessions forked from all that it left attempt the same sealed tasks

The order is the published one, and not shuffled, since the before-exam could not otherwise come before. So that a
provider's drift is not read as gain, some attempts of A_0, the sentinels, sit among the after-exam. Every lineage works
tasks of its own, in an order of its own. A lineage whose session broke has no after-exam, and is incomplete by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from rung.core.canonical import fingerprint
from rung.core.seeds import Seed
from rung.protocols.exam import Exam, Examinee, sit
from rung.protocols.stream import Ticket
from rung.protocols.study import Arm, Study
from rung.tasks.sequence import Entry

SENTINEL = "sentinel"
"""What an A_0 that sits among the after-exam is called after its name."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell study: its programs, one working sequence a lineage, the exam, and how A_0 sits it."""

    arms: tuple[Arm, ...]
    sequences: tuple[tuple[Entry, ...], ...]
    exam: Exam
    seed: Seed
    before: Literal["shared", "fresh"] = "shared"
    sentinels: int = 0


async def run(study: Study, cell: Cell) -> None:
    """The whole protocol. Running it again on the same journal resumes it."""
    starts = {arm.name: await study.begin(arm.name, arm) for arm in cell.arms}
    names = {arm.name: f"A0.{fingerprint([arm.acting, starts[arm.name]])[:6]}" for arm in cell.arms}
    for arm in cell.arms:
        about = {"control": None, "A_0": names[arm.name], "snapshot": starts[arm.name], "before": cell.before}
        study.note(arm.name, "arm", about)
    shipped = {names[arm.name]: (arm, starts[arm.name]) for arm in reversed(cell.arms)}

    before = [each for name in dict.fromkeys(names.values()) for each in _before(cell, name, *shipped[name])]
    await sit(study, cell.exam, before, order=cell.seed.child("before-order"))

    places = [(arm, number) for arm in cell.arms for number in range(1, len(cell.sequences) + 1)]
    finals = await study.crew(
        partial(lineage, study, arm, number, starts[arm.name], cell.sequences[number - 1]) for arm, number in places
    )

    after = [
        Examinee(f"{arm.name}.L{number}", arm, left, cell.exam.repeats)
        for (arm, number), left in zip(places, finals, strict=True)
        if left is not None
    ]
    await sit(study, cell.exam, [*after, *_sentinels(cell, shipped)], order=cell.seed.child("exam-order"))


async def lineage(study: Study, arm: Arm, number: int, start: str, sequence: Sequence[Entry]) -> str | None:
    """One working session; the snapshot of all that it left, None where it broke."""
    home = f"{arm.name}/L{number}"
    tickets = [Ticket(f"{home}/work/{entry.position:04d}", entry.task, "work", start, 1) for entry in sequence]
    left = await study.work(arm, f"{home}/work", tickets)
    if left is not None:
        study.note(home, "final", {"snapshot": left})
    return left


def _before(cell: Cell, name: str, arm: Arm, snapshot: str) -> list[Examinee]:
    """A_0 as it sits the before-exam: once for all lineages, or once for each."""
    repeats = cell.exam.baseline_repeats
    if cell.before == "shared":
        return [Examinee(name, arm, snapshot, repeats)]
    return [Examinee(f"{name}.L{number}", arm, snapshot, repeats) for number in range(1, len(cell.sequences) + 1)]


def _sentinels(cell: Cell, shipped: dict[str, tuple[Arm, str]]) -> list[Examinee]:
    """A_0 once more, on some of the tasks, among the after-exam."""
    every = range(1, len(cell.exam.tasks) + 1)
    chosen = sorted(cell.seed.child("sentinels").rng().sample(every, min(cell.sentinels, len(every))))
    if not chosen:
        return []
    return [
        Examinee(f"{name}.{SENTINEL}", arm, snapshot, 1, tuple(chosen))
        for name, (arm, snapshot) in sorted(shipped.items())
    ]
