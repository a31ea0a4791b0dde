"""A session of an agent program: it takes its tasks itself, and is foreign from its first byte to its last.

It is held like any other (see `rung.protocols.session`), and differs in three ways. What interrupts it from outside
does not end it: a working session is gone on with in the home it left, by the same program. An exam attempt is not, for
half an attempt by a fresh fork measures nothing: what was cut off is a fault, and is sat again. And a program that
never takes its exam task has answered it: it is scored as it stands.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, Protocol, TypeAlias, cast

from rung.core.errors import InstrumentFault, ModelUnusable, Stopped, StoreFault
from rung.core.ports import Driver, Journal
from rung.core.values import Ending, Exit, Fault, Lens, Status
from rung.protocols import record
from rung.protocols.endings import FAULTY, PAUSES, Evidence, classify, outage
from rung.protocols.legs import Legs
from rung.protocols.lines import Lines
from rung.protocols.session import Desk, Seat
from rung.protocols.stream import Stream, Ticket

INTERRUPTED = "interrupted"
"""Where a fault is, by its name, that is nobody's: the run was cut off in an exam attempt."""

Phase = Literal["work", "exam"]


Keeps: TypeAlias = Callable[[str, str], bool]
"""Whether a file is kept, by its class and its path: `home/notes.md`, `workspace/x.py`."""


class Hand(Protocol):
    """Who runs the sessions of a program: what it starts from, and a driver for each session."""

    def beginning(self) -> str:
        """The snapshot of the program as shipped."""
        ...

    def driver(self, path: str, snapshot: str, phase: Phase) -> Driver:
        """A driver for the session at this path, which forks this snapshot."""
        ...

    def reduced(self, snapshot: str, keeps: Keeps, conversation: bool) -> str:
        """A snapshot with only the files that are kept, and with or without its conversation."""
        ...

    async def close(self) -> None:
        """Let go of the connections to its model."""
        ...


async def hold(
    journal: Journal, path: str, tickets: Sequence[Ticket], *, lens: Lens, seat: Seat, refusal: str = "score"
) -> Ending:
    """Hold a program's session and record how it ended, with the snapshot of what it left, if that was kept.

    Raises `Stopped`, or `ModelUnusable`, when something outside has interrupted it.
    """
    recorded = cast("dict[str, Any] | None", journal.get(path, "ended"))
    if recorded is not None:
        return cast(Ending, recorded["ending"])
    legs = Legs(journal, path)
    if lens == "none" and legs.over() is None:
        if _sealed(journal, tickets):
            return await _recorded(journal, path, "queue_empty", "the run was cut off when its task was done")
        if _begun(journal, tickets):
            return await _broken_off(journal, path, tickets, seat)
    earlier = legs.begun
    stream = _stream(journal, path, tickets, lens, seat)
    said, fault = await _driven(seat, stream)
    ending = classify(Evidence(fault, False, stream.unserved, len(stream.in_flight), said))
    if ending in PAUSES or (lens != "none" and _out(said)):
        detail = said.detail if said is not None else ""
        legs.interrupt({"ending": ending, "detail": detail})
        await journal.flush(durable=True)
        if earlier and legs.begun == earlier:  # an earlier process saw that, and died before it could say so
            return await hold(journal, path, tickets, lens=lens, seat=seat, refusal=refusal)
        raise _pause(path, ending, detail)
    if lens == "none" and fault is None and stream.unserved and ending not in FAULTY:
        await stream.get_task()  # so that an attempt at a task it never took is scored as it stands
    fault = fault or _without_score(ending, refusal)
    await stream.close(fault, status=_status(ending))
    if lens == "none" and fault is not None:
        _seal_unserved(journal, tickets, fault)
    detail = said.detail if said is not None else fault.detail if fault is not None else ""
    kept = said is not None and ending != "instrument_fault"  # what a session left that broke is not to be examined
    return await _recorded(journal, path, ending, detail, left=said.left if said is not None and kept else None)


async def _recorded(journal: Journal, path: str, ending: Ending, detail: str, *, left: str | None = None) -> Ending:
    journal.put(path, "ended", {"ending": ending, "detail": detail, **({"left": left} if left else {})})
    await journal.flush(durable=True)
    return ending


def _sealed(journal: Journal, tickets: Sequence[Ticket]) -> bool:
    return all(journal.get(ticket.path, "sealed") is not None for ticket in tickets)


def _begun(journal: Journal, tickets: Sequence[Ticket]) -> bool:
    return any(
        journal.get(ticket.path, "served") is not None and journal.get(ticket.path, "sealed") is None
        for ticket in tickets
    )


async def _broken_off(journal: Journal, path: str, tickets: Sequence[Ticket], seat: Seat) -> Ending:
    """An exam attempt in which the run was cut off: a fault that is nobody's, and a row all the same."""
    stream = _stream(journal, path, tickets, "none", seat)
    await stream.close(Fault(INTERRUPTED, "the run was cut off in this attempt"))
    return await _recorded(journal, path, "instrument_fault", "the run was cut off in this attempt")


def _stream(journal: Journal, path: str, tickets: Sequence[Ticket], lens: Lens, seat: Seat) -> Stream:
    lines = seat.lines or Lines(journal)
    return Stream(
        journal,
        tickets,
        terms=replace(seat.terms, lens=lens, steps=seat.limits.steps, judged=seat.judged, apart=True),
        salt=seat.seed.path,
        ports=seat.ground,
        line_for=lambda attempt: lines.line(attempt, "agent", None),
        session=path,
    )


async def _driven(seat: Seat, stream: Stream) -> tuple[Exit | None, Fault | None]:
    """Run the driver. Its time is the sandbox's to watch, and a store that fails ends the whole study."""
    try:
        return await seat.driver.run(Desk(stream, seat.home, seat.ports, seat.seed, seat.scripted)), None
    except StoreFault:
        raise
    except InstrumentFault as broken:
        return None, Fault(broken.where, broken.detail)


def _pause(path: str, ending: Ending, detail: str) -> Stopped:
    """What ends the study where something outside has interrupted a leg, which is gone on with later."""
    if ending == "operator":
        return Stopped("a stop was requested; what is recorded stays, and sessions go on where they were")
    why = {"credential": "its key was not taken", "provider_limit": "its provider has suspended it"}
    said = why.get(ending, "its provider does not answer")
    return ModelUnusable(f"{path}: {said} ({detail or 'see the gateway in the journal'}); mend it, and run again")


def _out(said: Exit | None) -> bool:
    return said is not None and said.departed is not None and outage(said.departed)


def _seal_unserved(journal: Journal, tickets: Sequence[Ticket], fault: Fault) -> None:
    """An exam task that broke before it was taken broke of the same."""
    for ticket in tickets:
        if journal.get(ticket.path, "sealed") is None:
            journal.put(ticket.path, "sealed", record.sealed_json(fault, 0))


def _without_score(ending: Ending, refusal: str) -> Fault | None:
    """Why what was not finished has no score, where it has none."""
    if ending in FAULTY:
        return Fault("program", FAULTY[ending])
    if ending == "provider_filter" and refusal == "fault":
        return Fault("provider", "the model or its provider refused to go on, which this study declares a fault")
    return None


def _status(ending: Ending) -> Status:
    """How an attempt ended that its session left unfinished."""
    if ending in ("wall_clock", "budget"):
        return "timeout"
    return "cancelled" if ending in ("queue_empty", "agent_stopped", "provider_filter") else "error"
