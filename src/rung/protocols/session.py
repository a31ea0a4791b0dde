"""A session: a driver works a stream from a snapshot until an ending, and we classify how it ended."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from rung.core.errors import InstrumentFault, StoreFault
from rung.core.ports import Actor, Driver, Journal, Key, Kit, Ports, Provider
from rung.core.seeds import Seed
from rung.core.values import Action, Ending, Exit, Fault, Lens, State, Task, View
from rung.core.waiting import settle
from rung.protocols.endings import Evidence, classify
from rung.protocols.lines import Lines
from rung.protocols.stream import Stream, Terms, Ticket
from rung.tasks import keys


@dataclass(frozen=True, slots=True)
class KeyPolicies:
    """The naive and the solver policy of one task, for phantoms (see `rung.core.ports.Policies`)."""

    key: Key
    task: Task

    @property
    def cell(self) -> str:
        """Family and setting in one word."""
        return self.task.cell

    def naive(self) -> Actor:
        """The newcomer's policy."""
        return _Policy(self.task, self.key.naive)

    def solver(self) -> Actor:
        """The policy that reaches the reference."""
        return _Policy(self.task, self.key.solver)


class _Policy:
    """A policy of the key. If it raises, the key is broken and not the phantom that plays it."""

    def __init__(self, task: Task, make: Callable[[Task], Actor]) -> None:
        self._task = task
        self._make = make
        self._actor: Actor | None = None

    async def act(self, view: View) -> Action:
        """The policy's action."""
        try:
            self._actor = self._actor or self._make(self._task)
            return await settle(self._actor.act, view)
        except InstrumentFault:
            raise
        except Exception as error:
            raise InstrumentFault(f"key of {self._task.family}", f"{type(error).__name__}: {error}") from error


@dataclass(frozen=True, slots=True)
class Limits:
    """What one session may take beside money: seconds on the wall, and actions in each task. None: no limit."""

    seconds: float | None = None
    steps: int | None = None


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a driver works (see `rung.core.ports.Post`). `scripted` agents alone are handed the policies port."""

    stream: Stream
    home: State
    ports: Ports
    seed: Seed
    scripted: bool

    def kit(self, handle: str) -> Kit:
        """The ports and the random stream of one attempt; the stream hangs under the attempt's own path."""
        ticket = self.stream.ticket(handle)
        line = self.stream.line(handle)
        ports = replace(self.ports, model=line if line.provider is not None else None)
        if self.scripted:
            ports = replace(ports, policies=KeyPolicies(keys.key(ticket.task.family), ticket.task))
        return Kit(ports, self.seed.child(ticket.path).rng())


@dataclass(frozen=True, slots=True)
class Seat:
    """Who works a session: the driver, its home, its ports and random streams, and whether it may have the policies.

    `model` is what it acts with, over `lines`; without lines, its calls are recorded and not limited. `ground` is what
    the episodes stand on, which no agent is handed. `judged` asks for the agent's own score with each action. `terms`
    says of the stream what neither the lens nor the limits do.
    """

    driver: Driver
    home: State
    ports: Ports
    seed: Seed
    scripted: bool
    model: Provider | None = None
    lines: Lines | None = None
    limits: Limits = Limits()
    ground: Ports = field(default_factory=Ports)
    judged: bool = False
    terms: Terms = field(default_factory=lambda: Terms("none"))


async def hold(journal: Journal, path: str, tickets: Sequence[Ticket], *, lens: Lens, seat: Seat) -> Ending:
    """Hold a session and record how it ended. What was sealed before an interruption is not worked again."""
    recorded = cast("dict[str, Any] | None", journal.get(path, "ended"))
    if recorded is not None:
        return cast(Ending, recorded["ending"])
    lines = seat.lines or Lines(journal)
    stream = Stream(
        journal,
        tickets,
        terms=replace(seat.terms, lens=lens, steps=seat.limits.steps, judged=seat.judged),
        salt=seat.seed.path,
        ports=seat.ground,
        line_for=lambda path: lines.line(path, "agent", seat.model),
        session=path,
    )
    end = await _driven(seat, Desk(stream, seat.home, seat.ports, seat.seed, seat.scripted))
    limited = end.late or stream.limited
    unserved = stream.unserved
    crashed = end.said is not None and end.said.reason == "agent_crashed"
    unfinished = await stream.close(end.fault, status="error" if crashed else "timeout" if end.late else "cancelled")
    ending = classify(Evidence(end.fault, limited, unserved, unfinished, end.said))
    journal.put(path, "ended", {"ending": ending, "detail": end.detail})
    if unfinished:
        await journal.flush(durable=True)
    return ending


@dataclass(frozen=True, slots=True)
class _End:
    """How the driver came to its end: what it says, the fault that ended it, or that its time was up."""

    said: Exit | None
    fault: Fault | None
    late: bool = False
    detail: str = ""


async def _driven(seat: Seat, desk: Desk) -> _End:
    """Run the driver for as long as it may. A store that fails ends the whole study instead."""
    try:
        async with asyncio.timeout(seat.limits.seconds) as clock:
            desk.stream.watch.timeout = clock
            said = await seat.driver.run(desk)
    except StoreFault:
        raise
    except InstrumentFault as broken:
        return _End(None, Fault(broken.where, broken.detail), detail=broken.detail)
    except TimeoutError:
        if not clock.expired():
            raise
        return _End(None, None, late=True, detail=f"its {seat.limits.seconds:g} seconds were over")
    return _End(said, None, detail=said.detail)
