"""A study of an agent that cannot be launched here: it works, and its forks sit the exam, at addresses.

    work    one address a lineage: the whole sequence, several tasks in flight, each ended with its feedback
    exam    one address an attempt, of A_0 and of every A_T: one task, for a fork of its own, and no feedback

Work is served first. What we cannot see is said: that each exam address was given to a fork of the agent as it was
before its work, or as it came out of it, is attested by the owner, and the record is stamped with that.

An address is made from the run's secret, so it is the same after an interruption, and a program goes on with it.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, Protocol, TypeAlias, cast

from rung.core.canonical import fingerprint, sha256
from rung.core.config import Config
from rung.core.desk import ToolDesk
from rung.core.errors import InstrumentFault, Stopped, UsageError
from rung.core.ports import Actor, Ports, Post
from rung.core.values import Exit, Fault, Lens, Outcome, State
from rung.methods.static import Static
from rung.protocols import record, session
from rung.protocols.crew import work_off
from rung.protocols.exam import attempt_path
from rung.protocols.mcp import StreamDesk
from rung.protocols.plan import Plan
from rung.protocols.session import Limits, Seat
from rung.protocols.stream import Stream, Terms, Ticket
from rung.protocols.study import Arm, Bench, Study
from rung.protocols.toolbox import Toolbox, toolbox
from rung.tasks.sequence import Entry

ATTESTED = "forks attested by the user"
"""What the record is stamped with."""

POLL_SECONDS = 0.2
"""How often a request to stop is looked for while no call comes. It decides nothing but how soon one is noticed."""

Phase: TypeAlias = Literal["work", "exam"]


class Opened(Protocol):
    """A desk that is served."""

    ended: "asyncio.Future[BaseException]"
    """Done once a call has ended the session."""


class Doors(Protocol):
    """Where desks are served (see `rung.backends.servers.mcp.Doors`)."""

    async def open(self, token: str, desk: ToolDesk) -> Opened:
        """Serve a desk to whoever knows the token."""
        ...


@dataclass(frozen=True, slots=True)
class Address:
    """Where one session is served: in which phase, to whom, and the token that opens it."""

    phase: Phase
    who: str
    path: str
    token: str


@dataclass(frozen=True, slots=True)
class Front:
    """What a served study turns to the agent's owner: doors, the secret that tokens are made with, who is told of an
    address, and the phases to be ended as they stand."""

    doors: Doors
    secret: str
    tell: Callable[[Address], None]
    finish: Sequence[str] = ()

    def token(self, path: str) -> str:
        """The token of a session: 128 bits that nobody makes without the secret, and that tell nothing of it."""
        return sha256(f"{self.secret}/address/{path}")[:32]


class Elsewhere:
    """An agent that is not here: no files are known of it, and nobody can ask it."""

    id = "served"

    def harness(self) -> Mapping[str, bytes]:
        """None that are known."""
        return {}

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        """There is none."""
        raise InstrumentFault("served", "the agent is not here: it is served, and not asked")


def arms(config: Config) -> tuple[Arm, ...]:
    """The config's arms, by name. Whatever agent one names is met at its address, and refines itself."""
    if config.protocol == "explore":
        raise UsageError(
            'protocol = "explore" asks an agent step by step and lets a method refine it, and who comes to an address '
            'does both itself; serve protocol = "cell", or run this with `rung run`'
        )
    if config.exam.secret is not None:
        raise UsageError(
            f"exam.secret is fixed to {config.exam.secret!r}, which is for phantoms and scripted models only; "
            "remove it, and a secret of 128 bits is drawn"
        )
    return tuple(Arm(arm.name, Elsewhere(), Static()) for arm in config.every_arm())


async def conduct(drawn: Plan, made: Sequence[Arm], bench: Bench, *, front: Front) -> None:
    """The whole protocol. Running it again on the same journal resumes it."""
    study = Study(bench)
    served = _Served(drawn, bench, front, await toolbox(_cells(drawn), judged=bench.judged))
    study.note("served", "attested", {"forks": ATTESTED})
    control = None if drawn.config.protocol == "cell" else "static"
    beginnings = {arm.name: await _begin(study, arm, control) for arm in made}
    lineages = range(1, len(drawn.held.lineages) + 1)
    await _at_once(
        partial(served.work, f"{arm.name}/L{number}", beginnings[arm.name], number)
        for arm in made
        for number in lineages
    )
    examinees = [(_first(arm, beginnings[arm.name]), beginnings[arm.name], drawn.exam.baseline_repeats) for arm in made]
    for arm in made:
        for number in lineages:
            final = _arrive(study, bench, f"{arm.name}/L{number}", beginnings[arm.name])
            examinees.append((f"{arm.name}.L{number}", final, drawn.exam.repeats))
    await _at_once(
        partial(served.sit, name, snapshot, task, repeat)
        for name, snapshot, repeats in examinees
        for task in range(1, len(drawn.exam.tasks) + 1)
        for repeat in range(1, repeats + 1)
    )


async def _at_once(jobs: Iterator[Callable[[], Awaitable[None]]]) -> None:
    """All of them, since each waits for an agent that comes when it likes."""
    waiting = list(jobs)
    await work_off(waiting, workers=max(2, len(waiting)))


def _cells(drawn: Plan) -> Iterator[tuple[str, str]]:
    worked = (entry.task for entries in drawn.held.lineages for entry in entries)
    for task in (*drawn.exam.tasks, *worked):
        yield task.family, task.setting.name


def _first(arm: Arm, snapshot: str) -> str:
    """The name under which an arm's A_0 sits the exam. No two arms share one: nobody knows that they begin alike."""
    return f"A0.{fingerprint([arm.name, arm.acting, snapshot])[:6]}"


async def _begin(study: Study, arm: Arm, control: str | None) -> str:
    snapshot = await study.begin(arm.name, arm)
    study.note(arm.name, "arm", {"control": control, "A_0": _first(arm, snapshot), "snapshot": snapshot})
    return snapshot


def _arrive(study: Study, bench: Bench, home: str, start: str) -> str:
    """A_T of a lineage: a snapshot that holds no more than the owner's word that it is what came out of the work."""
    attested = State({"agent/attested.txt": f"what came out of the work of {home}; {ATTESTED}\n".encode()})
    snapshot = bench.snapshots.put(attested, parent=start, message=home)
    study.arrive(home, snapshot)
    return snapshot


@dataclass(frozen=True, slots=True)
class _Served:
    """The sessions of a study, each at its address until it is over."""

    drawn: Plan
    bench: Bench
    front: Front
    box: Toolbox

    async def work(self, home: str, start: str, number: int) -> None:
        """The working session of a lineage."""
        tickets = list(_tickets(home, start, self.drawn.held.lineages[number - 1]))
        await self._hold(Address("work", home, f"{home}/session", ""), tickets, lens="full")

    async def sit(self, examinee: str, snapshot: str, task: int, repeat: int) -> None:
        """One exam attempt; when it faults, again at another address, as often as the exam says."""
        for rerun in range(self.drawn.exam.reruns + 1):
            path = attempt_path(examinee, task, repeat, rerun)
            ticket = Ticket(path, self.drawn.exam.tasks[task - 1], "exam", snapshot, repeat)
            await self._hold(Address("exam", examinee, path, ""), [ticket], lens="none")
            if not isinstance(self._outcome(path), Fault) or "exam" in self.front.finish:
                return

    def _hides_its_queue(self, lens: Lens) -> bool:
        """Whether an agent is not told how many tasks wait. A cell says so of its working sessions."""
        config = self.drawn.config
        return config.protocol != "cell" or lens == "none" or config.cell.queue == "hidden"

    def _outcome(self, path: str) -> Outcome:
        journal = self.bench.journal
        sealed = journal.get(path, "sealed")
        if sealed is None:
            sealed = record.sealed_json(Fault("session", "the task was never served"), 0)
            journal.put(path, "sealed", sealed)
        seen = record.outcome(sealed)
        self.bench.watch(path, seen)
        return seen

    async def _hold(self, address: Address, tickets: Sequence[Ticket], *, lens: Lens) -> None:
        driver = _AtItsAddress(self, Address(address.phase, address.who, address.path, self.front.token(address.path)))
        budget = self.drawn.config.budget
        seat = Seat(
            driver,
            State(),
            Ports(),
            self.bench.seed.child("acting"),
            scripted=False,
            limits=Limits(None, budget.task.steps),
            ground=self.bench.ground,
            judged=self.bench.judged,
            terms=Terms(lens, apart=True, queue_hidden=self._hides_its_queue(lens)),
        )
        await session.hold(self.bench.journal, address.path, tickets, lens=lens, seat=seat)


def _tickets(home: str, start: str, entries: Sequence[Entry]) -> Iterator[Ticket]:
    met = Counter[str]()
    for entry in entries:
        met[entry.task.id] += 1
        path = f"{home}/{entry.purpose}/{entry.position:04d}"
        yield Ticket(path, entry.task, entry.purpose, start, met[entry.task.id])


@dataclass(slots=True)
class _AtItsAddress:
    """The driver of an agent that comes by itself: it waits until the session's tasks are done."""

    served: _Served
    address: Address
    heard: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, post: Post) -> Exit:
        """Serve the session until it is over, or is ended as it stands."""
        stream = cast(Stream, post.stream)
        desk = StreamDesk(stream, self.served.box, heard=self.heard.set)
        front = self.served.front
        if self.address.phase in front.finish:
            return Exit("agent_stopped", "ended as it stood")
        door = await front.doors.open(self.address.token, desk)
        front.tell(self.address)
        try:
            while stream.unserved or stream.in_flight:
                await self._wait(door)
        finally:
            await desk.close()
        return Exit("queue_empty")

    async def _wait(self, door: Opened) -> None:
        """Until something was heard, or it is time to look whether a stop was requested."""
        if self.served.bench.stop_requested():
            raise Stopped("a stop was requested; what is recorded stays")
        if door.ended.done():
            raise door.ended.result()
        self.heard.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.heard.wait(), POLL_SECONDS)
