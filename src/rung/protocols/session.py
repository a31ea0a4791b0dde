"""A session: a driver works a stream from a snapshot until an ending, and we classify how it ended."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from rung.core.errors import InstrumentFault, StoreFault
from rung.core.ports import Actor, Driver, Journal, Key, Kit, Ports
from rung.core.seeds import Seed
from rung.core.values import Action, Exit, Fault, Lens, State, Task, View
from rung.core.waiting import settle
from rung.protocols.endings import Ending, classify
from rung.protocols.stream import Stream, Ticket
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
        ports = self.ports
        if self.scripted:
            ports = replace(ports, policies=KeyPolicies(keys.key(ticket.task.family), ticket.task))
        return Kit(ports, self.seed.child(ticket.path).rng())


@dataclass(frozen=True, slots=True)
class Seat:
    """Who works a session: the driver, its home, its ports and random streams, and whether it may have the policies."""

    driver: Driver
    home: State
    ports: Ports
    seed: Seed
    scripted: bool


async def hold(journal: Journal, path: str, tickets: Sequence[Ticket], *, lens: Lens, seat: Seat) -> Ending:
    """Hold a session and record how it ended. What was sealed before an interruption is not worked again."""
    recorded = cast("dict[str, Any] | None", journal.get(path, "ended"))
    if recorded is not None:
        return cast(Ending, recorded["ending"])
    waiting = [ticket for ticket in tickets if journal.get(ticket.path, "sealed") is None]
    stream = Stream(journal, waiting, lens=lens, salt=seat.seed.path, ports=seat.ports)
    said, fault = await _driven(seat.driver, Desk(stream, seat.home, seat.ports, seat.seed, seat.scripted))
    crashed = said is not None and said.reason == "agent_crashed"
    unserved = (await stream.queue_info()).waiting or 0
    unfinished = await stream.close(fault, crashed=crashed)
    ending = classify(fault=fault, crashed=crashed, unserved=unserved, unfinished=unfinished, said=said)
    journal.put(path, "ended", {"ending": ending, "detail": said.detail if said else fault.detail if fault else ""})
    if unfinished:
        await journal.flush(durable=True)
    return ending


async def _driven(driver: Driver, desk: Desk) -> tuple[Exit | None, Fault | None]:
    """Run the driver: its exit, or the fault that ended it. A store that fails ends the whole study instead."""
    try:
        return await driver.run(desk), None
    except StoreFault:
        raise
    except InstrumentFault as broken:
        return None, Fault(broken.where, broken.detail)
