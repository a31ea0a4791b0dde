"""Budgets: what a study, a lineage, a session and a task may cost, and that they never cost more.

Before each try at a model call the most that it can cost is set aside, on record, in every budget over its place. So a
budget is exceeded by no more than a provider's own error, and a killed run knows what it may owe for tries whose end it
never saw. The records are observations under the path of the attempt:

    reserved   {"n", "call", "usd", "tokens"}   set aside, before the try
    settled    {"n", "usd", "tokens"}           what it cost; one that is missing cost all that was set aside
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from rung.core import crashpoints
from rung.core.canonical import JSON
from rung.core.config import BudgetConfig, LimitConfig
from rung.core.errors import BudgetSpent, LimitReached
from rung.core.ports import Amount, Journal, Reservation, Spending
from rung.core.values import Role

UNLIMITED = BudgetConfig()

SLACK = 1e-9
"""Dollars by which sums of floats may be off."""


WORK = "work"
"""What the path of a working session ends in that has many attempts; their own paths go on below."""


class Place(NamedTuple):
    """What has a budget of its own: the study, or a lineage, a session or a task by its path."""

    scope: str
    path: str

    def __str__(self) -> str:
        return f"{self.scope} {self.path}".strip()

    @property
    def section(self) -> str:
        """The section of the config that limits it."""
        return "[budget]" if self.scope == "study" else f"[budget.{self.scope}]"


def places(path: str, role: Role) -> Iterator[Place]:
    """The places over a call: refining and judging belong to the study and its lineage, an exam to no lineage.

    >>> [str(place) for place in places("narrow/L3/work/0007", "agent")]
    ['study', 'lineage narrow/L3', 'session narrow/L3/work/0007', 'task narrow/L3/work/0007']
    >>> [str(place) for place in places("codex/L3/work", "agent")]
    ['study', 'lineage codex/L3', 'session codex/L3/work']
    >>> [str(place) for place in places("narrow/L3/work/0007/refine", "improver")]
    ['study', 'lineage narrow/L3']
    >>> [str(place) for place in places("history.trust-v1/L3/work/0007/judge", "instrument")]
    ['study', 'lineage history.trust-v1/L3']
    """
    yield Place("study", "")
    pieces = path.split("/")
    if pieces[0] != "exam":
        yield Place("lineage", "/".join(pieces[:2]))
    if role == "agent":
        yield Place("session", path)
        if pieces[-1] != WORK:  # else every attempt has a session of its own
            yield Place("task", path)


@dataclass(slots=True)
class Account:
    """What one place has cost, and what is set aside there."""

    usd: float = 0.0
    tokens: int = 0
    calls: int = 0
    seconds: float = 0.0
    held: dict[int, Amount] = field(default_factory=dict)

    def lacks(self, limits: LimitConfig, worst: Amount) -> str | None:
        """The name of what is too little left for one more try; None when there is enough."""
        usd = self.usd + sum(each.usd or 0.0 for each in self.held.values()) + (worst.usd or 0.0)
        tokens = self.tokens + sum(each.tokens for each in self.held.values()) + worst.tokens
        if limits.usd is not None and usd > limits.usd + SLACK:
            return "usd"
        if limits.tokens is not None and tokens > limits.tokens:
            return "tokens"
        if limits.calls is not None and self.calls + len(self.held) + 1 > limits.calls:
            return "calls"
        return "seconds" if self.late(limits) else None

    def late(self, limits: LimitConfig) -> bool:
        """Whether its time is over."""
        return limits.seconds is not None and self.seconds >= limits.seconds

    def spend(self, amount: Amount) -> None:
        """Add what one try has cost."""
        self.usd += amount.usd or 0.0
        self.tokens += amount.tokens
        self.calls += 1


class Purse:
    """Keeps a study within its budgets. What earlier runs of the study spent is read from its journal.

    `warn` is told once a place when `warn_at` of its budget is spent; `clock` gives seconds, for the study's own time.
    """

    def __init__(
        self,
        journal: Journal,
        budget: BudgetConfig = UNLIMITED,
        *,
        warn: Callable[[str], None] = lambda text: None,
        clock: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._journal = journal
        self.budget = budget
        self._limits: Mapping[str, LimitConfig] = {
            "study": budget,
            "lineage": budget.lineage,
            "session": budget.session,
            "task": budget.task,
        }
        self._accounts: dict[Place, Account] = {}
        self._closed: dict[Place, str] = {}
        self._warned: set[Place] = set()
        self._warn, self._clock, self._began = warn, clock, clock()
        self._changed = asyncio.Event()
        self._earlier, self._starts = self._load_seconds()
        self._n = self._load()

    # ----------------------------------------------------------------------------------------- asking

    def at(self, path: str, call: int, role: Role) -> Spending:
        """The budgets over one call."""
        return _Spending(self, path, call, tuple(places(path, role)))

    def account(self, place: Place) -> Account:
        """What a place has cost so far."""
        return self._accounts.setdefault(place, Account())

    def check(self) -> None:
        """Raise `BudgetSpent` when the study has nothing left for anything."""
        self._tell_time()
        study = Place("study", "")
        if self.account(study).late(self.budget):
            raise BudgetSpent(f"{self._spent(study, 'seconds')}; raise it and run again to go on")

    def closed(self, lineage: str) -> str | None:
        """Why a lineage may cost no more; None while it may."""
        place = Place("lineage", lineage)
        if self.account(place).late(self.budget.lineage):
            return self._spent(place, "seconds")
        return self._closed.get(place)

    def worked(self, path: str, seconds: float) -> None:
        """Count the seconds of an attempt or a refinement to its lineage."""
        pieces = path.split("/")
        if pieces[0] != "exam":
            self.account(Place("lineage", "/".join(pieces[:2]))).seconds += seconds
        self._tell_time()
        if self.budget.seconds is not None:
            elapsed = self._clock() - self._began
            self._journal.observe("run", "elapsed", {"start": self._starts, "seconds": elapsed})

    # ----------------------------------------------------------------------------------------- spending

    async def reserve(self, path: str, call: int, over: tuple[Place, ...], worst: Amount) -> "_Held":
        """Set aside in all places, or raise. It waits while others may yet give back what is missing here."""
        while (short := self._short(over, worst)) is not None:
            place, what = short
            if not self.account(place).held or what == "seconds":
                self._refuse(place, what, worst)
            changed = self._changed
            await changed.wait()
        self._n += 1
        held = _Held(self, path, self._n, over, worst)
        for place in over:
            self.account(place).held[held.n] = worst
        about: dict[str, JSON] = {"n": held.n, "call": call, "usd": worst.usd, "tokens": worst.tokens}
        self._journal.observe(path, "reserved", about)
        try:
            await self._journal.flush(durable=False)
        except BaseException:
            self.settle(held, Amount(0.0, 0))  # it was never sent
            raise
        crashpoints.reach("call.reserved")
        return held

    def settle(self, held: "_Held", actual: Amount | None) -> None:
        """Give back what was set aside and count what it cost; settling again changes nothing."""
        if held.n not in self.account(held.over[0]).held:
            return
        cost = actual if actual is not None else held.worst
        for place in held.over:
            account = self.account(place)
            del account.held[held.n]
            account.spend(cost)
            self._warn_of(place, account)
        self._journal.observe(held.path, "settled", {"n": held.n, "usd": cost.usd, "tokens": cost.tokens})
        self._changed.set()
        self._changed = asyncio.Event()

    def _short(self, over: tuple[Place, ...], worst: Amount) -> tuple[Place, str] | None:
        self._tell_time()
        for place in over:
            what = self.account(place).lacks(self._limits[place.scope], worst)
            if what is not None:
                return place, what
        return None

    def _refuse(self, place: Place, what: str, worst: Amount) -> None:
        limits = self._limits[place.scope]
        why = f"{self._spent(place, what)}{_one_call(limits, what, worst)}"
        if place.scope == "study":
            raise BudgetSpent(f"{why}; {_mend(limits, what, worst)} and run again to go on")
        if place.scope == "lineage":
            self._closed[place] = why
        raise LimitReached(why)

    def _spent(self, place: Place, what: str) -> str:
        used, limit = getattr(self.account(place), what), getattr(self._limits[place.scope], what)
        return f"{place}: {_number(used)} of {place.section} {what} = {_number(limit)} is spent"

    def _warn_of(self, place: Place, account: Account) -> None:
        limits = self._limits[place.scope]
        if place in self._warned or place.scope not in ("study", "lineage"):
            return
        for what in ("usd", "tokens", "calls", "seconds"):
            limit = getattr(limits, what)
            if limit is not None and getattr(account, what) >= self.budget.warn_at * limit:
                self._warned.add(place)
                self._warn(self._spent(place, what))
                return

    def _tell_time(self) -> None:
        self.account(Place("study", "")).seconds = self._earlier + self._clock() - self._began

    # ----------------------------------------------------------------------------------------- earlier runs

    def _load(self) -> int:
        """Count what is on record; the number of the last reservation."""
        settled = {note.value["n"]: note.value for note in self._notes("settled")}
        last = 0
        for note in self._notes("reserved"):
            value = settled.get(note.value["n"], note.value)
            role: Role = "improver" if note.path.endswith(("/refine", "/select", "/judge")) else "agent"
            for place in places(note.path, role):
                self.account(place).spend(Amount(value["usd"], value["tokens"]))
            last = max(last, note.value["n"])
        for name in ("seconds", "refine_seconds"):
            for note in self._notes(name):
                if not note.path.startswith("exam/"):
                    lineage = Place("lineage", "/".join(note.path.split("/")[:2]))
                    self.account(lineage).seconds += float(note.value)
        return last

    def _load_seconds(self) -> tuple[float, int]:
        """Seconds that earlier runs took, and the number of this one."""
        by_start: dict[int, float] = {}
        for note in self._journal.observations(under="run", name="elapsed"):
            value = cast(Mapping[str, Any], note.value)
            by_start[value["start"]] = max(value["seconds"], by_start.get(value["start"], 0.0))
        return sum(by_start.values()), max(by_start, default=0) + 1

    def _notes(self, name: str) -> Iterator[Any]:
        return self._journal.observations(name=name)


@dataclass(frozen=True, slots=True)
class _Spending:
    """See `rung.core.ports.Spending`."""

    purse: Purse
    path: str
    call: int
    over: tuple[Place, ...]

    async def reserve(self, worst: Amount) -> Reservation:
        """Set aside the most that one try can cost."""
        return await self.purse.reserve(self.path, self.call, self.over, worst)


@dataclass(frozen=True, slots=True)
class _Held:
    """See `rung.core.ports.Reservation`."""

    purse: Purse
    path: str
    n: int
    over: tuple[Place, ...]
    worst: Amount

    def settle(self, actual: Amount | None) -> None:
        """Say what it cost in truth."""
        self.purse.settle(self, actual)


def _one_call(limits: LimitConfig, what: str, worst: Amount) -> str:
    """What one call may cost, where that is what does not fit."""
    if what not in ("usd", "tokens"):
        return ""
    more = f", and one more call may cost {_number(getattr(worst, what) or 0)}"
    return f"{more}: the budget is smaller than one call" if _too_small(limits, what, worst) else more


def _too_small(limits: LimitConfig, what: str, worst: Amount) -> bool:
    return what in ("usd", "tokens") and (getattr(worst, what) or 0) > getattr(limits, what)


def _mend(limits: LimitConfig, what: str, worst: Amount) -> str:
    return "lower max_tokens, or raise it" if _too_small(limits, what, worst) else "raise it"


def _number(value: float) -> str:
    """A number as a person reads it.

    >>> _number(0.1 + 0.2), _number(1200000)
    ('0.3', '1,200,000')
    """
    return f"{value:,.6g}" if isinstance(value, float) else f"{value:,}"
