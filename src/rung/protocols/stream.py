"""The stream: it hands out attempts, routes calls to episodes, and ends and scores them outside the agent's reach.

The served-mark is durable before a task's text leaves, and the seal before its score does; the steps between survive
process death. After an interruption an episode in flight is rebuilt by replaying its recorded calls.

Several tasks may be in flight. An agent names each by its handle, and by nothing else: so it may be cut off and come
back, over another connection or to another process, and go on. Calls on one task are taken one after the other.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import TypeVar

from rung.core import crashpoints, registry
from rung.core.canonical import JSON, canonical
from rung.core.errors import AgentCrash, InstrumentFault, LimitReached, RungError, Stopped, StoreFault, UsageError
from rung.core.ports import Episode, Family, Journal, Ports
from rung.core.values import (
    Action,
    Call,
    Evaluation,
    Fault,
    FeedbackResult,
    Invalid,
    Lens,
    Purpose,
    QueueInfo,
    Reply,
    Scale,
    Served,
    Status,
    StreamReply,
    Task,
    View,
)
from rung.core.waiting import contained, settle
from rung.protocols import record, self_score
from rung.protocols.answers import tidy
from rung.protocols.lens import through
from rung.protocols.lines import Line
from rung.protocols.watch import Watch
from rung.store.calls import record_told

PASSING = (InstrumentFault, AgentCrash, LimitReached, Stopped)
"""What a family may let through: a dead sandbox, the agent's own code, a budget, the operator. All else is its own
fault."""

MAX_DETAIL = 2000
"""Characters kept of what a family says when it breaks."""

MAX_STRAYS = 1000
"""Calls that named no task in flight, kept of one session. An agent that makes more of them is told and not noted."""

ENDING = (InstrumentFault, AgentCrash, LimitReached)
"""What ends a task, and where tasks are not apart its session."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Ticket:
    """One attempt to hand out: where it is recorded, the task, why, how often the lineage met the task before, and the
    snapshot that works it."""

    path: str
    task: Task
    purpose: Purpose
    snapshot: str
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for every task of a session: what feedback lets through, the most actions in a task, and whether an
    agent is asked for its own score of each action (see `rung.protocols.self_score`).

    Where tasks are `apart`, one that breaks is sealed as a fault by itself and the session goes on; else it ends the
    session. With `queue_hidden` an agent is not told how many tasks wait.
    """

    lens: Lens
    steps: int | None = None
    judged: bool = False
    apart: bool = False
    queue_hidden: bool = False


class NotInFlight(UsageError):
    """A call names no task in flight: none has this handle, or its task has `ended`."""

    def __init__(self, handle: str, *, ended: bool) -> None:
        why = f"task {handle!r:.80} has ended" if ended else f"no task in flight with handle {handle!r:.80}"
        super().__init__(f"{why}; get a task first")
        self.ended = ended


@dataclass(slots=True)
class _Attempt:
    ticket: Ticket
    family: Family
    rules: str
    episode: Episode
    view: View
    index: int = 0
    calls: int = 0
    rebuilding: bool = False
    played: list[tuple[View, Action]] = field(default_factory=list)


class Stream:
    """The tasks of one session, as a driver meets them (see `rung.core.ports.StreamClient`)."""

    def __init__(
        self,
        journal: Journal,
        tickets: Sequence[Ticket],
        *,
        terms: Terms,
        salt: str,
        ports: Ports,
        line_for: Callable[[str], Line],
        session: str = "",
    ) -> None:
        """`tickets` are all of the session's, also those that an earlier process sealed; `session` is where calls that
        name no task are noted."""
        self._journal = journal
        self._tickets = {record.handle(salt, ticket.path): ticket for ticket in tickets}
        self._over = {handle for handle in self._tickets if self._has(handle, "sealed")}
        self._waiting = deque(handle for handle in self._tickets if handle not in self._over)
        self._interrupted = {handle: None for handle in self._waiting if self._has(handle, "served")}
        self._terms = terms
        self._salt = salt
        self._ports = ports
        self._line_for = line_for
        self._session = session
        self._strays: int | None = None
        self._lines: dict[str, Line] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self.watch = Watch()
        self._served: dict[str, Ticket] = {}
        self._open: dict[str, _Attempt] = {}

    def ticket(self, handle: str) -> Ticket:
        """The ticket of a task in flight."""
        return self._served[handle]

    def cell(self, handle: str) -> tuple[str, str]:
        """Family and setting of the task with this handle. Raises `NotInFlight` where none ever had it."""
        if handle not in self._tickets:
            raise NotInFlight(handle, ended=False)
        task = self._tickets[handle].task
        return task.family, task.setting.name

    @property
    def told(self) -> bool:
        """Whether the call that ends a task answers with feedback."""
        return self._terms.lens != "none"

    @property
    def judged(self) -> bool:
        """Whether an agent is asked for its own score of each action."""
        return self._terms.judged

    @property
    def unserved(self) -> int:
        """How many tasks wait, whatever an agent is told of it."""
        return len(self._waiting) - len(self._interrupted)

    @property
    def in_flight(self) -> Sequence[str]:
        """The handles of the tasks in flight, also of those that an earlier process served and nobody has met since."""
        return (*self._interrupted, *self._served)

    def line(self, handle: str) -> Line:
        """The line over which the agent calls its model for the task with this handle."""
        if handle not in self._lines:
            self._lines[handle] = self._line_for(self.ticket(handle).path)
            self._lines[handle].watch = self.watch
        return self._lines[handle]

    @property
    def limited(self) -> bool:
        """Whether a budget has refused a model call of this session."""
        return any(line.limited for line in self._lines.values())

    async def get_task(self) -> Served | None:
        """Hand out the next task, or None. Its served-mark is durable before this returns."""
        while self._waiting:
            handle = self._waiting[0]
            async with self._turn(handle):
                served = await self._next(handle)
            if served is not None:
                return served
        return None

    async def _next(self, handle: str) -> Served | None:
        """Serve a task that waits; None for one that nobody can work any more, and where another call was faster."""
        if handle not in self._waiting:
            return None
        try:
            attempt = await self._serve(handle)
        except ENDING as broken:
            await self._withdraw(handle, broken)
            return None
        return self._shown(handle, attempt) if attempt is not None else None

    async def _serve(self, handle: str) -> _Attempt | None:
        resumed = handle in self._interrupted
        self._waiting.remove(handle)
        self._interrupted.pop(handle, None)
        ticket = self._served[handle] = self._tickets[handle]
        family = registry.family(ticket.task.family)
        rules = _guard(family, partial(self._rules, family, ticket.task))
        _guard(family, partial(self._mark, ticket, handle, rules))
        crashpoints.reach("served.before")
        await self._journal.flush(durable=True)
        crashpoints.reach("served.after")
        episode = await _guarded(family, family.start, ticket.task, self._ports)
        attempt = _Attempt(ticket, family, rules, episode, self._seen(ticket, family, episode, rules=rules))
        self._open[handle] = attempt
        if resumed and await self._rebuild(attempt):
            await self._finish(handle, attempt, Reply(""))
            return None
        return attempt

    async def show(self, handle: str) -> Served:
        """A task in flight as it stands, once more. Raises `NotInFlight`."""
        async with self._turn(handle):
            return self._shown(handle, await self._live(handle))

    def feedback(self, handle: str) -> FeedbackResult | None:
        """What the call that ended this task was answered, for whoever lost that answer; None while it goes on."""
        return self._feedback(self._tickets[handle].path) if handle in self._over else None

    def _shown(self, handle: str, attempt: _Attempt) -> Served:
        task = attempt.ticket.task
        return Served(handle, task.family, task.setting.name, attempt.view, tuple(attempt.played), attempt.index)

    async def answer(self, handle: str, action: Action) -> StreamReply:
        """Route one action to its episode; the step is committed before the reply leaves. Raises `NotInFlight`."""
        async with self._turn(handle):
            try:
                return await self._answered(handle, action)
            except ENDING as broken:
                fault = await self._withdraw(handle, broken)
                return StreamReply("", None, self._feedback(self._tickets[handle].path), fault=fault)

    async def _answered(self, handle: str, action: Action) -> StreamReply:
        attempt = await self._live(handle)
        self.line(handle).check()
        reply, done = await self._step(attempt, action)
        if done:
            return await self._finish(handle, attempt, reply)
        await self._journal.flush(durable=False)
        crashpoints.reach("reply.before")
        return StreamReply(reply.text, attempt.view, invalid=reply.invalid)

    async def _live(self, handle: str) -> _Attempt:
        """The attempt with this handle, rebuilt first where an earlier process served it."""
        if handle in self._interrupted:
            await self._serve(handle)
        attempt = self._open.get(handle)
        if attempt is None:
            raise NotInFlight(handle, ended=handle in self._over)
        return attempt

    async def queue_info(self) -> QueueInfo:
        """What waits, as far as the study tells, and what is in flight."""
        return QueueInfo(None if self._terms.queue_hidden else self.unserved, len(self.in_flight))

    async def stray(self, call: Call, reason: str) -> None:
        """Note a call that named no task in flight, and what was answered. It costs no task a step."""
        if self._strays is None:
            self._strays = sum(1 for _ in self._journal.facts(under=f"{self._session}/stray", kind="stray"))
        number, self._strays = self._strays, self._strays + 1
        if number >= MAX_STRAYS:
            return
        self._journal.put(f"{self._session}/stray/{number:04d}", "stray", record.stray_json(call, reason))
        await self._journal.flush(durable=False)

    async def close(self, fault: Fault | None, *, status: Status = "cancelled") -> int:
        """Seal what is still in flight: as the fault given, or scored as it stands with this status. How many were.

        The caller records the ending and commits both together.
        """
        closed = 0
        for handle in self.in_flight:
            async with self._turn(handle):
                closed += await self._close(handle, fault, status)
        return closed

    # ----------------------------------------------------------------------------------------- inside

    def _has(self, handle: str, kind: str) -> bool:
        return self._journal.get(self._tickets[handle].path, kind) is not None

    def _turn(self, handle: str) -> asyncio.Lock:
        """Who holds it may work the task: calls on one are taken one after the other, in the order they came."""
        if handle not in self._tickets:
            raise NotInFlight(handle, ended=False)
        return self._turns.setdefault(handle, asyncio.Lock())

    async def _close(self, handle: str, fault: Fault | None, status: Status) -> bool:
        """Seal one task; False when a call that was under way has ended it."""
        if fault is None and handle in self._interrupted:
            fault = await self._rebuilt(handle)
        if handle in self._over:
            return False
        attempt = self._open.get(handle)
        ticket = self._tickets[handle]
        steps = attempt.index if attempt else len(record.read_steps(self._journal, ticket.path))
        self._seal(ticket, fault or await _as_it_stands(attempt, status), steps=steps)
        self._forget(handle)
        return True

    async def _rebuilt(self, handle: str) -> Fault | None:
        """Bring back a task that an earlier process served, to be scored as it stands; a fault where it cannot be."""
        try:
            await self._serve(handle)
        except StoreFault:
            raise
        except InstrumentFault as broken:
            return Fault(broken.where, broken.detail)
        return None

    async def _withdraw(self, handle: str, broken: RungError) -> Fault | None:
        """End a task alone that cannot go on; the fault, if that is what it was. Where tasks are not apart, raise."""
        if not self._terms.apart or isinstance(broken, StoreFault):
            raise broken
        fault = Fault(broken.where, broken.detail) if isinstance(broken, InstrumentFault) else None
        await self._close(handle, fault, "timeout" if isinstance(broken, LimitReached) else "error")
        await self._journal.flush(durable=True)
        return fault

    def _forget(self, handle: str) -> None:
        self._open.pop(handle, None)
        self._served.pop(handle, None)
        if self._interrupted.pop(handle, self) is None:
            self._waiting.remove(handle)
        self._over.add(handle)

    def _feedback(self, path: str) -> FeedbackResult | None:
        return through(self._terms.lens, record.read_feedback(self._journal, path)) if self.told else None

    def _call(self, family: Family, answer: Call | str) -> Call | Invalid:
        if isinstance(answer, str):
            return _guard(family, partial(family.parse, answer))
        return self_score.without(answer) if self._terms.judged else answer

    def _rules(self, family: Family, task: Task) -> str:
        rules = family.rules(task)
        return self_score.with_words(rules) if self._terms.judged else rules

    def _seen(self, ticket: Ticket, family: Family, episode: Episode, *, rules: str, reply: str = "") -> View:
        def seen() -> View:
            now = episode.view()
            tools = tuple(map(self_score.with_argument, now.tools)) if self._terms.judged else now.tools
            return View(now.text, now.images, tools, rules, reply, family.id, ticket.task.setting.name)

        return _guard(family, seen)

    def _mark(self, ticket: Ticket, handle: str, rules: str) -> None:
        served: dict[str, JSON] = {
            "task": ticket.task.id,
            "family": ticket.task.family,
            "setting": ticket.task.setting.name,
            "payload": self._journal.blob(canonical(ticket.task.payload).encode()),
            "purpose": ticket.purpose,
            "ordinal": ticket.ordinal,
            "snapshot": ticket.snapshot,
            "handle": handle,
            "rules": self._journal.blob(rules.encode()),
        }
        self._journal.put(ticket.path, "served", served)

    async def _step(self, attempt: _Attempt, action: Action) -> tuple[Reply, bool]:
        family = attempt.family
        action, invalid = tidy(action)
        action = self_score.heard(action) if self._terms.judged else action
        call = invalid or self._call(family, action.answer)
        reply = await _guarded(family, attempt.episode.call, call)
        _guard(family, partial(self._record, attempt, action, reply, parsed=isinstance(call, Call)))
        attempt.index += 1
        most = min(attempt.ticket.task.calls, self._terms.steps or attempt.ticket.task.calls)
        done = reply.done or attempt.index >= most
        if not done:
            attempt.view = self._seen(attempt.ticket, family, attempt.episode, rules=attempt.rules, reply=reply.text)
        return reply, done

    def _record(self, attempt: _Attempt, action: Action, reply: Reply, *, parsed: bool) -> None:
        path, line = attempt.ticket.path, self.line(record.handle(self._salt, attempt.ticket.path))
        if action.model_call is not None and not attempt.rebuilding:
            record_told(self._journal, path, attempt.index, action.model_call)
        if not attempt.rebuilding:
            attempt.calls = line.made
        step = record.step_json(self._journal, attempt.view, action, reply, parsed=parsed, calls=attempt.calls)
        self._journal.put(record.step_path(path, attempt.index), "step", step)

    async def _finish(self, handle: str, attempt: _Attempt, reply: Reply) -> StreamReply:
        self._seal(attempt.ticket, await _evaluated(attempt), steps=attempt.index)
        self._forget(handle)  # before any wait: whoever is cut off in it is sealed all the same
        await self._journal.flush(durable=True)
        crashpoints.reach("reply.before")
        return StreamReply(reply.text, None, self._feedback(attempt.ticket.path), invalid=reply.invalid)

    def _seal(self, ticket: Ticket, sealed: Evaluation | Fault, *, steps: int) -> None:
        self._journal.put(ticket.path, "sealed", record.sealed_json(sealed, steps))

    async def _rebuild(self, attempt: _Attempt) -> bool:
        """Replay the recorded calls of an episode that was in flight; True when they had already ended it."""
        path = attempt.ticket.path
        first = record.read_step(self._journal, path, 0)
        if first is not None and not attempt.family.replayable:
            raise InstrumentFault(
                f"family {attempt.family.id}", "was in flight when the run stopped, and cannot be rebuilt"
            )
        attempt.rebuilding = True
        while (step := record.read_step(self._journal, path, attempt.index)) is not None:
            action = Action(step.action, step.self_score, step.agent_call)
            attempt.played.append((attempt.view, action))
            attempt.calls = record.calls_by(self._journal, path, attempt.index)
            _, done = await self._step(attempt, action)
            if done:
                return True
        attempt.rebuilding = False
        return False


async def _evaluated(attempt: _Attempt) -> Evaluation:
    async def measured() -> Evaluation:
        found = await settle(attempt.episode.evaluate)
        _check_scale(attempt.family.scale, found.score)
        canonical(record.sealed_json(found, attempt.index))  # a measurement that cannot be written down is none
        return found

    return await _guarded(attempt.family, measured)


def _check_scale(scale: Scale, score: float) -> None:
    """A score off its declared scale is no measurement: bounds and floors are taken from the scale."""
    top = inf if scale.high is None else scale.high
    if not scale.low <= score <= top:
        raise ValueError(f"the score {score!r} is off the declared scale [{scale.low!r}, {top!r}]")


async def _as_it_stands(attempt: _Attempt | None, status: Status) -> Evaluation | Fault:
    if attempt is None:
        return Fault("stream", "the task was served and its episode never started")
    try:
        sealed = await _evaluated(attempt)
    except InstrumentFault as broken:
        return Fault(broken.where, broken.detail)
    return replace(sealed, status=status)


def _guard(family: Family, function: Callable[[], Result]) -> Result:
    """What a family answers. One that raises, or answers what cannot be recorded, has broken the instrument."""
    try:
        return contained(function)
    except PASSING:
        raise
    except Exception as error:
        raise _broken(family, error) from error


async def _guarded(family: Family, function: Callable[..., Awaitable[Result]], *arguments: object) -> Result:
    try:
        return await settle(function, *arguments)
    except PASSING:
        raise
    except Exception as error:
        raise _broken(family, error) from error


def _broken(family: Family, error: Exception) -> InstrumentFault:
    return InstrumentFault(f"family {family.id}", f"{type(error).__name__}: {error}"[:MAX_DETAIL])
