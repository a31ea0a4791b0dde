"""When a program that runs is to be ended, from signs that are looked at now and then. Pure, but for the clock it is
told.

An exhausted stream ends no session: what an agent does then, its idle tail, is a phase of its own, until it stops or
its time is over. One from which nothing comes from any source has stalled. One that makes the same call on and on
loops, which no stall would show. One that lives on after its own last words is ended, and that says nothing of it.
"""

from dataclasses import dataclass, field

from rung.core.confined import Activity, Asked

LAST_WORDS_SECONDS = 15.0
"""How long a program may live on after its last words while nothing more comes of it."""

BUSY = 0.02
"""Share of one core from which a program counts as computing. One that waits takes less."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited: after the stream is exhausted, with no sign from any source, and for how many equal calls."""

    idle_seconds: float
    stall_seconds: float
    same_calls: int


@dataclass(frozen=True, slots=True)
class Signs:
    """What is seen of a program at one time.

    `stop`: the operator asks for one. `spent`: a budget over the session is. `drained`: nothing waits and nothing is in
    flight. `over`: it has said its last words. `same` equal calls were made on end. `pulse` is what passed: calls of
    tools, requests, packets; it changes with each. `busy` requests are in flight.
    """

    stop: bool = False
    spent: bool = False
    drained: bool = False
    over: bool = False
    same: int = 0
    pulse: tuple[int, ...] = ()
    busy: int = 0
    activity: Activity | None = None


@dataclass(slots=True)
class Vigil:
    """Remembers what was seen, and since when nothing new came. `idle` are the seconds of the idle tail so far."""

    patience: Patience
    began: float
    drained_at: float | None = None
    idle: float = 0.0
    _passed: tuple[int, ...] = ()
    _done: tuple[int, ...] = ()
    _cpu: float = 0.0
    _at: float = field(init=False)

    def __post_init__(self) -> None:
        self._at = self.began

    def look(self, now: float, signs: Signs) -> Asked | None:
        """Why it is to be ended now; None while it may go on."""
        self._note(now, signs)
        if signs.stop:
            return "operator"
        if signs.spent:
            return "budget"
        if signs.same >= self.patience.same_calls:
            return "looping"
        if self.drained_at is not None and self.idle >= self.patience.idle_seconds:
            return "idle"
        if signs.over and now - self._at >= LAST_WORDS_SECONDS:
            return "forced"
        return "stalled" if now - self._at >= self.patience.stall_seconds else None

    def quiet(self, now: float) -> float:
        """Seconds since the last sign of any kind."""
        return now - self._at

    def _note(self, now: float, signs: Signs) -> None:
        if signs.drained and self.drained_at is None:
            self.drained_at = now
        if self.drained_at is not None:
            self.idle = now - self.drained_at
        found, passed = signs.activity, (*signs.pulse, signs.busy)
        done = self._done if found is None else (found.printed, found.written_bytes, found.written_files)
        if passed != self._passed or done != self._done or self._computed(now, found):
            self._passed, self._done, self._at = passed, done, now
            self._cpu = found.cpu_seconds if found is not None else self._cpu

    def _computed(self, now: float, found: Activity | None) -> bool:
        """Whether it has used more of the processor since the last sign than a program does that waits."""
        if found is None:
            return False
        return found.cpu_seconds - self._cpu > max(BUSY * (now - self._at), 0.05)
