"""The ladder (SelfImprove-Bench, section 3): how far does a gain carry?

Every arm starts K lineages at its A_0. A lineage works its held-in sequence; after each task that is no replay its
method refines, candidates are tried on the same instance, and the method selects. Then A_0 and every A_T sit the same
sealed exam, shuffled together. A static arm, which is A_0 frozen, works the same sequences as a control.

    G0  replays: (replay - first) minus the same in the static arm
    G1  new instances of the trained setting      A_T against A_0
    G2  harder settings of the trained family     A_T against A_0
    G3  another family of the same capability     A_T against A_0
    G4  a family of another capability            A_T against A_0
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from rung.core.canonical import fingerprint
from rung.core.seeds import Seed
from rung.core.values import Fault
from rung.protocols.exam import Exam, Examinee, sit
from rung.protocols.stream import Ticket
from rung.protocols.study import Arm, Study
from rung.tasks.sequence import Entry


@dataclass(frozen=True, slots=True)
class Ladder:
    """A ladder study: its arms, one held-in sequence a lineage, and the exam."""

    arms: tuple[Arm, ...]
    sequences: tuple[tuple[Entry, ...], ...]
    exam: Exam
    seed: Seed


@dataclass(frozen=True, slots=True)
class Beginning:
    """One distinct A_0: its snapshot, that of it which acts, the name under which it sits the exam, and the static arm
    that holds it. Arms share one where the same acts, whatever their methods keep for themselves."""

    snapshot: str
    acting: str
    examinee: str
    control: Arm


async def run(study: Study, ladder: Ladder) -> None:
    """The whole protocol. Running it again on the same journal resumes it."""
    beginnings = {arm.name: await _begin(study, arm) for arm in ladder.arms}
    _share_controls(study, beginnings)
    controls = {start.control.name: start.control for start in beginnings.values()}
    snapshots = {start.control.name: start.acting for start in beginnings.values()}
    snapshots |= {name: start.snapshot for name, start in beginnings.items()}

    places = [(arm, k) for arm in (*controls.values(), *ladder.arms) for k in range(1, len(ladder.sequences) + 1)]
    finals = await study.crew(
        partial(lineage, study, arm, k, snapshots[arm.name], ladder.sequences[k - 1]) for arm, k in places
    )
    exam = ladder.exam
    first = {
        start.examinee: Examinee(start.examinee, start.control, start.acting, exam.baseline_repeats)
        for start in beginnings.values()
    }
    last = [
        Examinee(f"{arm.name}.L{k}", arm, final, exam.repeats) for (arm, k), final in zip(places, finals, strict=True)
    ]
    improved = [examinee for examinee in last if examinee.arm.name not in controls]
    await sit(study, exam, [*first.values(), *improved], order=ladder.seed.child("exam-order"))


async def lineage(study: Study, arm: Arm, number: int, start: str, sequence: Sequence[Entry]) -> str:
    """One whole run A_0 -> A_T over a held-in sequence; the snapshot of A_T."""
    home = f"{arm.name}/L{number}"
    snapshot, told = start, list[str]()
    met = Counter[str]()
    for entry in sequence:
        met[entry.task.id] += 1
        path = f"{home}/{entry.purpose}/{entry.position:04d}"
        if study.cut(home, entry.position, path):
            break
        ticket = Ticket(path, entry.task, entry.purpose, snapshot, met[entry.task.id])
        outcome = await study.attempt(arm, ticket)
        if arm.frozen or entry.purpose == "replay" or isinstance(outcome, Fault):
            continue
        told.append(path)
        snapshot = await study.improve(arm, ticket, outcome, told)
    study.arrive(home, snapshot)
    return snapshot


async def _begin(study: Study, arm: Arm) -> Beginning:
    snapshot = await study.begin(arm.name, arm)
    acting = study.acting(snapshot)
    name = fingerprint([arm.acting, arm.method.wrapping, acting])
    return Beginning(snapshot, acting, f"A0.{name[:6]}", replace(arm, name="static", frozen=True))


def _share_controls(study: Study, beginnings: dict[str, Beginning]) -> None:
    """Arms that begin alike share one A_0 exam and one static arm; what each arm is held against is recorded."""
    kinds = list(dict.fromkeys(start.examinee for start in beginnings.values()))
    loose = {name: start.control.loose for name, start in beginnings.items()}
    shared: dict[str, Arm] = {}
    for name, start in beginnings.items():
        number = kinds.index(start.examinee) + 1
        control = replace(start.control, name="static" if number == 1 else f"static-{number}")
        control = shared.setdefault(start.examinee, control)
        beginnings[name] = replace(start, control=control)
    for name, start in beginnings.items():
        about = {"control": start.control.name, "A_0": start.examinee, "snapshot": start.snapshot}
        study.note(name, "arm", {**about, **loose[name]})
