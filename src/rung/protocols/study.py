"""A study and its few verbs: begin, attempt, improve, exam, note. A protocol is a coroutine over them.

Every verb is keyed by an explicit path and asks the journal first whether that path is already settled. So running a
protocol again resumes it: what was recorded is read back, what was in flight is rebuilt, and only the rest is done.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, cast

from rung.core.canonical import JSON, canonical
from rung.core.errors import InstrumentFault, LimitReached, Stopped, StoreFault, UsageError
from rung.core.ports import Agent, Journal, Kit, Method, Ports, Provider, RefineContext, Snapshots
from rung.core.seeds import Seed
from rung.core.surface import Violation
from rung.core.values import Candidate, Fault, FeedbackResult, Lens, Outcome, Selection, Served, Skipped, State, Trial
from rung.core.waiting import settle
from rung.protocols import judging, record, sittings, surface
from rung.protocols.asked import Asked
from rung.protocols.crew import work_off
from rung.protocols.judging import BY_ITSELF, Judging
from rung.protocols.lens import through
from rung.protocols.lines import Line, Lines
from rung.protocols.session import Limits, Seat, hold
from rung.protocols.sittings import Hand, Phase
from rung.protocols.stream import Terms, Ticket
from rung.protocols.training import Coach, trainable

MAX_DETAIL = 2000
"""Characters kept of what a method says when it breaks."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Arm:
    """One agent with one method, under the name that reports use.

    A `scripted` agent is handed the policies port. A `frozen` arm acts as its method's A_0 for ever, never refined.
    Arms with equal `acting`, wrapping and beginning share one A_0 exam and one static arm, so `acting` must tell apart
    all that acts differently. `model` is what the agent acts with, `improver` what the method refines with.
    An agent that is a program has a `hand` that runs its sessions. A control says which arm it is a control `of`.
    `lens` is what the method is told of an attempt, and `judging` whose judgement of its steps.
    """

    name: str
    agent: Agent
    method: Method
    ports: Ports = field(default_factory=Ports)
    scripted: bool = False
    frozen: bool = False
    code: str = ""
    model: Provider | None = None
    improver: Provider | None = None
    hand: Hand | None = None
    of: str | None = None
    lens: Literal["full", "verdict_hidden"] = "full"
    judging: Judging = BY_ITSELF

    def drawn_at(self, path: str) -> str:
        """The path under which this arm's method draws at random: a control's draws as that of the arm it controls."""
        return path if self.of is None else f"{self.of}{path.removeprefix(self.name)}"

    @property
    def loose(self) -> dict[str, JSON]:
        """What is recorded of an arm in which code that a model wrote is confined by nothing; nothing of any other."""
        loose = self.ports.sandbox is not None and getattr(self.ports.sandbox, "name", "") == "unsafe"
        return {"confined": "unsafe"} if loose else {}

    @property
    def acting(self) -> str:
        """What acts: the agent's own word for it, the code and options of a plug-in, and the model it acts with."""
        return f"{self.agent.id} {self.code}{f' {self.model.id}' if self.model is not None else ''}"


@dataclass(frozen=True, slots=True)
class Bench:
    """What a study stands on: where it is recorded, its random streams, how much at once, and who watches.

    `ground` is what the episodes need of the world, such as a sandbox for checks; agents and methods are not handed it.
    `judged` asks agents for their own score of each action (see `rung.protocols.self_score`), of which an attempt has
    at most `steps`. `terms` and `refusal` hold for sessions of programs: what of the stream neither lens nor limits
    say, and whether a refusal is a score.
    """

    journal: Journal
    snapshots: Snapshots
    seed: Seed
    concurrency: int = 1
    stop_requested: Callable[[], bool] = lambda: False
    watch: Callable[[str, Outcome], None] = lambda path, outcome: None
    clock: Callable[[], float] = lambda: 0.0
    lines: Lines | None = None
    ground: Ports = field(default_factory=Ports)
    judged: bool = False
    steps: int | None = None
    terms: Terms = field(default_factory=lambda: Terms("none"))
    refusal: Literal["score", "fault"] = "score"


class Study:
    """The verbs of a protocol over one bench."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._journal = bench.journal
        self._snapshots = bench.snapshots
        self._acting = bench.seed.child("acting")
        self._lines = bench.lines or Lines(bench.journal)
        self._purse = self._lines.purse
        self._fresh: dict[str, FeedbackResult] = {}  # what is told of attempts that are being refined
        self._held_in: surface.Held | None = None

    # ----------------------------------------------------------------------------------------- verbs

    def note(self, path: str, kind: str, value: JSON) -> None:
        """Record a fact about the study itself."""
        self._journal.put(path, kind, value)

    def knows(self, path: str, kind: str) -> bool:
        """Whether a fact is on record."""
        return self._journal.get(path, kind) is not None

    async def begin(self, path: str, arm: Arm) -> str:
        """A_0 of an arm as a snapshot; equal beginnings give equal snapshots."""
        if arm.hand is not None:
            snapshot = arm.hand.beginning()
            self.note(path, "initial", {"snapshot": snapshot})
            return snapshot
        snapshot = self._snapshots.put(arm.method.initial_state(arm.agent), parent=None, message="A_0")
        self.note(path, "initial", {"snapshot": snapshot})
        self._snapshots.point(f"{path}/A0", snapshot)
        return snapshot

    def acting(self, snapshot: str) -> str:
        """The snapshot of what acts in another: the same one, where a method keeps nothing for itself in it."""
        state = self._snapshots.get(snapshot)
        acting = state.acting()
        same = len(acting.files) == len(state.files)
        return snapshot if same else self._snapshots.put(acting, parent=None, message="A_0")

    def arrive(self, path: str, snapshot: str) -> None:
        """A_T of a lineage. Its ref is moved here once more, for a crash may have come between a fact and its ref."""
        self.note(path, "final", {"snapshot": snapshot})
        self._snapshots.point(path, snapshot)

    def cut(self, home: str, position: int, path: str) -> bool:
        """Whether a lineage ends before the attempt at this position, because it has cost what it may.

        That is a fact of the study (`cut` under the lineage); an attempt that was begun is always gone on with.
        """
        recorded = cast("dict[str, Any] | None", self._journal.get(home, "cut"))
        if recorded is None and self._journal.get(path, "served") is None:
            recorded = self._cut_now(home, position)
            if recorded is not None:
                self.note(home, "cut", recorded)
        return recorded is not None and position >= int(recorded["before"])

    def _cut_now(self, home: str, position: int) -> dict[str, Any] | None:
        if self._lines.recording is None:
            why = self._purse.closed(home)
            return {"before": position, "reason": why} if why is not None else None
        told = cast("dict[str, Any] | None", self._lines.recording.get(home, "cut"))
        return told if told is not None and position >= int(told["before"]) else None

    async def attempt(self, arm: Arm, ticket: Ticket) -> Outcome:
        """One attempt in a session of its own, from the ticket's snapshot, without feedback to the acting agent."""
        if self._journal.get(ticket.path, "ended") is None:
            self._check_stop()
            began = self._bench.clock()
            await self._held(arm, ticket)
            self._took(ticket.path, "seconds", self._bench.clock() - began)
        sealed = self._journal.get(ticket.path, "sealed")
        if sealed is None:  # its session ended before it was served; a fault is a row all the same
            sealed = record.sealed_json(Fault("session", "the task was never served"), 0)
            self._journal.put(ticket.path, "sealed", sealed)
        seen = record.outcome(sealed)
        self._bench.watch(ticket.path, seen)
        return seen

    async def work(self, arm: Arm, path: str, tickets: Sequence[Ticket]) -> str | None:
        """One working session of a program, with full feedback; the snapshot of what it left, None without one."""
        assert arm.hand is not None
        if self._journal.get(path, "ended") is None:
            self._check_stop()
            began = self._bench.clock()
            try:
                await self._sat(arm, path, tickets, phase="work")
            finally:  # an interrupted one is gone on with, and takes more
                self._took(path, "seconds", self._bench.clock() - began)
        for ticket in tickets:
            sealed = self._journal.get(ticket.path, "sealed")
            if sealed is not None:
                self._bench.watch(ticket.path, record.outcome(sealed))
        ended = cast("dict[str, Any]", self._journal.get(path, "ended"))
        return cast("str | None", ended.get("left"))

    async def judge(self, arm: Arm, ticket: Ticket) -> None:
        """Let the steps of an attempt be judged by whom the arm says, as its method will be told."""
        if self._journal.get(ticket.path, "judged") is not None:
            return
        self._check_stop()
        seat = arm.judging
        line = self._lines.line(f"{ticket.path}/judge", "instrument", seat.model)
        feedback = self._feedback(ticket.path)
        rng = self._bench.seed.child("judging", arm.drawn_at(ticket.path)).rng()
        found = await judging.judged(seat.by, feedback, rng=rng, model=line)
        self._journal.put(ticket.path, "judged", found.row())

    async def improve(self, arm: Arm, ticket: Ticket, outcome: Outcome, log: Sequence[str]) -> str:
        """Let the method refine after an attempt, try its candidates on the same instance, and let it select.

        The snapshot to go on with. `log` holds the paths of all attempts this lineage was told of, this one last.
        """
        settled = cast("dict[str, Any] | None", self._journal.get(ticket.path, "selected"))
        if settled is not None:
            return str(settled["snapshot"])
        self._check_stop()
        self._fresh[ticket.path] = self._feedback(ticket.path)
        try:
            return await self._improved(arm, ticket, outcome, log)
        finally:
            del self._fresh[ticket.path]

    async def _improved(self, arm: Arm, ticket: Ticket, outcome: Outcome, log: Sequence[str]) -> str:
        candidates = await self._refined(arm, ticket, self._context(arm, ticket, log, "refine"))
        trials = [await self._tried(arm, ticket, number, each) for number, each in enumerate(candidates)]
        incumbent = Trial(-1, (outcome,) if arm.lens == "full" else ())  # an outcome is the verdict
        chosen, about = await self._selected(arm, ticket, log, incumbent, trials)
        snapshot = ticket.snapshot if chosen is None else candidates[chosen]
        self._journal.put(ticket.path, "selected", {"chosen": chosen, "snapshot": snapshot, **about})
        await self._journal.flush(durable=False)
        self._snapshots.point("/".join(ticket.path.split("/")[:2]), snapshot)
        return snapshot

    async def crew(self, jobs: Iterable[Callable[[], Awaitable[Result]]]) -> list[Result]:
        """Do the jobs, as many at once as the bench allows; results in the order of the jobs."""
        return await work_off(jobs, workers=self._bench.concurrency)

    # ----------------------------------------------------------------------------------------- inside

    def _check_stop(self) -> None:
        if self._bench.stop_requested():
            raise Stopped("a stop was requested; what is recorded stays")
        self._purse.check()

    def _took(self, path: str, what: str, seconds: float) -> None:
        self._journal.observe(path, what, seconds)
        self._purse.worked(path, seconds)

    async def _held(self, arm: Arm, ticket: Ticket) -> None:
        if arm.hand is not None:
            await self._sat(arm, ticket.path, [ticket], phase="exam")
        else:
            await hold(self._journal, ticket.path, [ticket], lens="none", seat=self._seat(arm, ticket.snapshot))

    async def _sat(self, arm: Arm, path: str, tickets: Sequence[Ticket], *, phase: Phase) -> None:
        """Hold a session of a program."""
        assert arm.hand is not None
        seat = Seat(
            arm.hand.driver(path, tickets[0].snapshot, phase),
            State(),
            arm.ports,
            self._acting,
            scripted=False,
            lines=self._lines,
            limits=Limits(steps=self._steps),
            ground=self._bench.ground,
            terms=self._bench.terms,
        )
        lens: Lens = "full" if phase == "work" else "none"
        await sittings.hold(self._journal, path, tickets, lens=lens, seat=seat, refusal=self._bench.refusal)

    def _seat(self, arm: Arm, snapshot: str) -> Seat:
        home = self._snapshots.get(snapshot).acting()

        def actor_for(served: Served, kit: Kit) -> Any:
            return arm.method.actor(home, arm.agent, kit.ports, kit.rng)

        budget = self._purse.budget
        seconds = [each.seconds for each in (budget.session, budget.task) if each.seconds is not None]
        limits = Limits(min(seconds, default=None), self._steps)
        driver = Asked(actor_for)
        return Seat(
            driver,
            home,
            arm.ports,
            self._acting,
            arm.scripted,
            model=arm.model,
            lines=self._lines,
            limits=limits,
            ground=self._bench.ground,
            judged=self._bench.judged,
        )

    @property
    def _steps(self) -> int | None:
        limits = [self._purse.budget.task.steps, self._bench.steps]
        return min((each for each in limits if each is not None), default=None)

    def _feedback(self, path: str) -> FeedbackResult:
        return self._fresh.get(path) or record.read_feedback(self._journal, path)

    def _told(self, arm: Arm, path: str) -> FeedbackResult:
        """What the method of an arm is told of an attempt."""
        full = self._feedback(path)
        told = through(arm.lens, full)
        assert told is not None
        found = self._journal.get(path, "judged")
        return told if found is None else judging.as_judged(told, found)

    def _context(self, arm: Arm, ticket: Ticket, log: Sequence[str], concern: str) -> RefineContext:
        state = self._snapshots.get(ticket.snapshot)
        feedback = self._told(arm, ticket.path)
        past = _Log(lambda path: self._told(arm, path), tuple(log))
        line = self._lines.line(f"{ticket.path}/{concern}", "improver", arm.improver)
        ports = replace(arm.ports, model=line if arm.improver is not None else None, trainer=self._coach(arm, ticket))
        rng = self._bench.seed.child("refining", arm.drawn_at(ticket.path), concern).rng()
        return RefineContext(ticket.snapshot, state, feedback, past, arm.agent, ports, rng)

    def _coach(self, arm: Arm, ticket: Ticket) -> Coach | None:
        pupil = trainable(arm.model)
        return Coach(self._journal, ticket.path, pupil, self._lines.recording) if pupil is not None else None

    async def _refined(self, arm: Arm, ticket: Ticket, context: RefineContext) -> Sequence[str]:
        """The candidates as snapshots. A method that raises is a fault, and the incumbent stays."""
        recorded = cast("dict[str, Any] | None", self._journal.get(ticket.path, "refined"))
        if recorded is None:
            began = self._bench.clock()
            recorded = await self._asked_to_refine(arm, ticket, context)
            self._journal.put(ticket.path, "refined", recorded)
            self._took(ticket.path, "refine_seconds", self._bench.clock() - began)
            await self._journal.flush(durable=False)
        return [str(candidate["snapshot"]) for candidate in recorded["candidates"]]

    async def _asked_to_refine(self, arm: Arm, ticket: Ticket, context: RefineContext) -> dict[str, Any]:
        async def proposed() -> dict[str, Any]:
            found = await settle(arm.method.refine, context)
            if isinstance(found, Skipped):
                about = {"manifest": dict(found.manifest)} if found.manifest else {}
                return _recordable({"candidates": [], "skipped": str(found.reason)[:MAX_DETAIL], **about})
            made = list(found)
            wrong = [self._violations(arm, ticket, context, each) for each in made]
            kept = [self._kept(ticket, n, each) for n, each in enumerate(made) if not wrong[n]]
            refused = [surface.to_json(n, each, wrong[n]) for n, each in enumerate(made) if wrong[n]]
            return _recordable({"candidates": kept, **({"refused": refused} if refused else {})})

        try:
            return await _guarded(arm, context, proposed)
        except StoreFault:
            raise
        except LimitReached as limit:
            return {"candidates": [], "limit": str(limit)}
        except InstrumentFault as broken:
            return {"candidates": [], "fault": {"where": broken.where, "detail": broken.detail}}

    def _violations(
        self, arm: Arm, ticket: Ticket, context: RefineContext, candidate: Candidate
    ) -> tuple[Violation, ...]:
        """What of a candidate is not allowed. The text of a control is our own, and names nothing."""
        control = arm.of is not None
        if self._held_in is None:
            self._held_in = surface.Held.planned(self._journal)
        home = "/".join(ticket.path.split("/")[:2])
        if not control:
            self._held_in.meet(ticket.task)
            self._held_in.hear(home, context.log)
        allowed = surface.surface_of(arm.method, control=control)
        return surface.violations(context.state, candidate, allowed, None if control else self._held_in, home)

    def _kept(self, ticket: Ticket, number: int, candidate: Candidate) -> dict[str, JSON]:
        if candidate.parent != ticket.snapshot:
            raise UsageError(f"candidate {number} names the parent {candidate.parent!r}, not the state it was given")
        message = f"{ticket.path} candidate {number}"
        snapshot = self._snapshots.put(candidate.state, parent=ticket.snapshot, message=message)
        return {"snapshot": snapshot, "manifest": dict(candidate.manifest)}

    async def _tried(self, arm: Arm, ticket: Ticket, number: int, snapshot: str) -> Trial:
        """One candidate's attempts at the instance just worked, each a session the working agent never sees."""
        outcomes = []
        for repeat in range(1, arm.method.trials + 1):
            path = f"{ticket.path}/trial/{number}/{repeat}"
            outcomes.append(await self.attempt(arm, Ticket(path, ticket.task, "trial", snapshot, repeat)))
        return Trial(number, tuple(outcomes))

    async def _selected(
        self, arm: Arm, ticket: Ticket, log: Sequence[str], incumbent: Trial, trials: Sequence[Trial]
    ) -> tuple[int | None, dict[str, JSON]]:
        """The index of the candidate taken over, and the reason as it is recorded."""
        if not trials:
            return None, {"reason": "nothing was proposed"}
        context = self._context(arm, ticket, log, "select")

        async def chosen() -> Selection:
            selection = await settle(arm.method.select, context, incumbent, trials)
            if selection.chosen is not None and not _is_index(selection.chosen, trials):
                raise UsageError(f"select chose candidate {selection.chosen!r} of {len(trials)}")
            return Selection(selection.chosen, str(selection.reason))

        try:
            selection = await _guarded(arm, context, chosen)
        except StoreFault:
            raise
        except LimitReached as limit:
            return None, {"reason": str(limit)}
        except InstrumentFault as broken:
            return None, {"reason": "the method broke", "fault": {"where": broken.where, "detail": broken.detail}}
        return selection.chosen, {"reason": selection.reason}


async def _guarded(arm: Arm, context: RefineContext, answer: Callable[[], Awaitable[Result]]) -> Result:
    """What a method answers. Whatever it raises is the instrument's fault and not the agent's score.

    What halted its model's line or its training is raised as it was, also when the method caught it; and so is a
    budget's limit.
    """
    line, coach = context.ports.model, context.ports.trainer
    try:
        result = await answer()
    except InstrumentFault:
        raise
    except Exception as error:
        if isinstance(coach, Coach):
            coach.check()
        if isinstance(line, Line):
            line.check()
            if line.limited and isinstance(error, LimitReached):
                raise
        detail = f"{type(error).__name__}: {error}"[:MAX_DETAIL]
        raise InstrumentFault(f"method {arm.method.id}", detail) from error
    if isinstance(coach, Coach):
        coach.check()
    if isinstance(line, Line):
        line.check()
    return result


def _recordable(refined: dict[str, Any]) -> dict[str, Any]:
    """What came of a refinement; a manifest that cannot be written down is the method's fault, and noticed here."""
    canonical(refined)
    return refined


def _is_index(chosen: object, among: Sequence[object]) -> bool:
    return isinstance(chosen, int) and not isinstance(chosen, bool) and 0 <= chosen < len(among)


class _Log:
    """A lineage's feedback so far, read from the record when asked for (see `rung.core.ports.FeedbackLog`).

    A method holds this, so it holds no journal: only a way to read its own lineage's attempts by number.
    """

    __slots__ = ("_length", "_read")

    def __init__(self, told: Callable[[str], FeedbackResult], paths: tuple[str, ...]) -> None:
        self._length = len(paths)
        self._read: Callable[[int], FeedbackResult] = lambda index: told(paths[index])

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> FeedbackResult:
        return self._read(index)
