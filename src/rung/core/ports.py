"""The shapes of everything that can be plugged in or handed in.

What may wait is `async def`; all else is sync and pure. An author may write a plain `def` where a port says
`async def`: it runs inline, or in a thread when marked `blocking` (see `rung.core.waiting`).
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from rung.core.canonical import JSON
from rung.core.config import PriceConfig
from rung.core.seeds import Seed
from rung.core.training import Trainer
from rung.core.values import (
    Action,
    Call,
    Candidate,
    Evaluation,
    Exit,
    FeedbackResult,
    Invalid,
    ModelCall,
    ModelReply,
    ModelRequest,
    QueueInfo,
    Reference,
    Reply,
    Scale,
    Selection,
    Served,
    Setting,
    State,
    StreamReply,
    Task,
    Tool,
    Trial,
    View,
)

# --------------------------------------------------------------------------------------------- the outside world


class Model(Protocol):
    """A language model. Live, scripted, replayed and local ones are equals."""

    async def generate(self, request: ModelRequest) -> ModelReply:
        """Answer one request.

        Raises `ModelFault` when this request cannot be answered, `ContextOverflow` when it is too long, and
        `ModelUnusable` when none can be answered before the operator mends something.
        """
        ...


@dataclass(frozen=True, slots=True)
class Amount:
    """What model calls cost: dollars, and tokens of all kinds together. `usd` is None where no price is known."""

    usd: float | None
    tokens: int

    def __add__(self, other: "Amount") -> "Amount":
        known = self.usd is not None and other.usd is not None
        return Amount((self.usd or 0.0) + (other.usd or 0.0) if known else None, self.tokens + other.tokens)


class Reservation(Protocol):
    """Money and tokens set aside for one try at a model call."""

    def settle(self, actual: Amount | None) -> None:
        """Say what it cost in truth. None where that cannot be known, as of a call that hung: then it cost it all."""
        ...


class Spending(Protocol):
    """The budgets over one place in a study."""

    async def reserve(self, worst: Amount) -> Reservation:
        """Set aside the most that one try can cost, and have that on record before this returns.

        Raises `BudgetSpent` or `LimitReached` when a budget has not so much left.
        """
        ...


class Provider(Protocol):
    """A configured model behind the gateway: it knows its price, tries again, and stays within the budgets."""

    @property
    def id(self) -> str:
        """Provider and name as configured: `openai/gpt-5`, `local/smollm2`."""
        ...

    @property
    def live(self) -> bool:
        """Whether it costs something, or may answer otherwise next time: then a study needs a budget."""
        ...

    @property
    def price(self) -> PriceConfig | None:
        """What its calls are paid by; None where no price is known."""
        ...

    @property
    def images(self) -> bool:
        """Whether it reads pictures. One that does not is given no task that shows some."""
        ...

    def worst(self, request: ModelRequest) -> Amount:
        """The most that one try at this request can cost."""
        ...

    async def ask(self, request: ModelRequest, spending: Spending) -> "Answered":
        """Answer one request, each try within the budgets. Raises what `Model.generate` and `Spending.reserve` do."""
        ...

    async def close(self) -> None:
        """Let go of connections and memory."""
        ...


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply, what it cost with all tries together, how many tries it took, and the seconds of the last one.

    `cost` is None for a reply that was read from a recording.
    """

    reply: ModelReply
    cost: Amount | None
    tries: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command in a sandbox ended, and the last of what it printed.

    `status` is the exit status of one that ended by itself, and else None: then a signal ended it, or, where it is
    `late`, its seconds were up.
    """

    status: int | None
    out: bytes = b""
    err: bytes = b""
    late: bool = False


class Sandbox(Protocol):
    """A place where foreign code runs."""

    @property
    def name(self) -> str:
        """What confines the code, as records print it; `plain` confines nothing."""
        ...

    async def run(self, argv: Sequence[str], *, files: Mapping[str, bytes], seconds: float, stdin: bytes = b"") -> Ran:
        """Run one command in a fresh folder that holds these files, and end all that it started.

        However a command ends is a fact about it. `InstrumentFault` is raised for one that could not be started.
        """
        ...


class Artifacts(Protocol):
    """Content-addressed bytes."""

    def blob(self, data: bytes) -> str:
        """Keep these bytes and give their SHA-256; the same bytes are kept once."""
        ...

    def read_blob(self, digest: str) -> bytes:
        """The bytes with this SHA-256; raises `StoreFault` when they are missing or damaged."""
        ...


class Actor(Protocol):
    """Who acts, for one attempt."""

    async def act(self, view: View) -> Action:
        """Choose the next action. `AgentCrash` ends the episode as a score, `InstrumentFault` as a fault."""
        ...


class Policies(Protocol):
    """The naive and the solver policy for the attempt in hand, from the family's key. For phantoms alone."""

    @property
    def cell(self) -> str:
        """Family and setting in one word: `farm-v1 d3`."""
        ...

    def naive(self) -> Actor:
        """A newcomer that knows the rules and nothing more."""
        ...

    def solver(self) -> Actor:
        """The policy that reaches the reference."""
        ...


@dataclass(frozen=True, slots=True)
class Ports:
    """What the instrument hands to agents and methods: the only doors to the outside."""

    model: Model | None = None
    sandbox: Sandbox | None = None
    artifacts: Artifacts | None = None
    policies: Policies | None = None
    trainer: Trainer | None = None


# --------------------------------------------------------------------------------------------- tasks


class Episode(Protocol):
    """A task being worked: a deterministic function of (task, calls)."""

    def view(self) -> View:
        """What there is to see now: text, images and legal tools."""
        ...

    async def call(self, call: Call | Invalid) -> Reply:
        """Take one call. Invalid input gives a one-line reason, never an exception."""
        ...

    async def evaluate(self) -> Evaluation:
        """Measure the episode as it stands, finished or not."""
        ...


class Family(Protocol):
    """A kind of task: what an agent may meet. Lives in `game.py` of its folder as `FAMILY`."""

    @property
    def id(self) -> str:
        """`farm-v1`: the folder's name with dashes. If behaviour changes it becomes `-v2`."""
        ...

    @property
    def capability(self) -> str:
        """exploring | planning | reasoning, or a domain's own word."""
        ...

    @property
    def scale(self) -> Scale:
        """Unit, bounds and floor of its scores."""
        ...

    @property
    def replayable(self) -> bool:
        """Whether an episode can be rebuilt by repeating its calls."""
        ...

    def settings(self) -> Sequence[Setting]:
        """The settings with published numbers."""
        ...

    def setting(self, name: str) -> Setting:
        """The setting of this name, also beyond the published ones; raises `UsageError` for an unknown name."""
        ...

    def draw(self, setting: Setting, seed: Seed) -> Task:
        """One task: pure, fast, and never rejecting."""
        ...

    def rules(self, task: Task) -> str:
        """The rules as an agent reads them; every number in them comes from the task."""
        ...

    def parse(self, text: str) -> Call | Invalid:
        """The one door for text answers."""
        ...

    async def start(self, task: Task, ports: Ports) -> Episode:
        """A fresh episode of this task."""
        ...


@runtime_checkable
class Pooled(Family, Protocol):
    """A family whose tasks are a fixed collection, such as the lines of a file.

    Some of its tasks may be worked and the others are sealed: an exam is drawn from these alone, and nothing else is.
    A lineage is given each of them once at most, and the lineages of a study share them.
    """

    def pool(self, setting: Setting, *, sealed: bool) -> Sequence[Task]:
        """Every task of a setting that may be worked, or every sealed one; none is both."""
        ...

    def whence(self, setting: Setting, *, sealed: bool) -> str:
        """Where they lie, for whoever asked for more than there are: `tickets.jsonl, level 1, split "test"`."""
        ...


@runtime_checkable
class Tooled(Family, Protocol):
    """A family whose views do not show all its tools at once. A program is told of every one before its first task."""

    def tools(self, setting: Setting) -> Sequence[Tool]:
        """Every tool that an episode of this setting may show, in an order that stays the same."""
        ...


@runtime_checkable
class Pictured(Family, Protocol):
    """A family whose views hold pictures that cannot be done without, so that a model has to read them."""

    @property
    def text_track(self) -> str | None:
        """The family that puts the same tasks in words, a track of its own; None where there is none."""
        ...


class Key(Protocol):
    """What only the instrument knows of a family. Lives in `key.py` of its folder as `KEY`."""

    def admit(self, task: Task) -> bool:
        """The generator's slow checks; False makes the sequence draw again."""
        ...

    def fingerprint(self, task: Task) -> str:
        """Equal underlying state gives an equal value, whatever the seed."""
        ...

    def reference(self, task: Task) -> Reference:
        """The score to hold an agent's against, with its certificate."""
        ...

    def naive(self, task: Task) -> Actor:
        """A newcomer's policy for this task."""
        ...

    def solver(self, task: Task) -> Actor:
        """The policy whose score is the reference."""
        ...


@runtime_checkable
class Counted(Key, Protocol):
    """A key that knows how many different tasks there are, so that a study can say beforehand what will not be new."""

    def space(self, setting: Setting) -> int:
        """How many fingerprints the tasks of a setting can have: all of them, or at least so many where that is above
        a million."""
        ...


# --------------------------------------------------------------------------------------------- agents and methods


class Agent(Protocol):
    """Harness and model of the agent under test, as configured."""

    @property
    def id(self) -> str:
        """What acts, in words that are equal when acting is equal."""
        ...

    def harness(self) -> Mapping[str, bytes]:
        """The initial files under `agent/`."""
        ...

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        """An actor for one attempt, from the acting part of a state."""
        ...


class FeedbackLog(Protocol):
    """Everything this lineage was told so far, oldest first. Read-only, and loaded when asked for."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> FeedbackResult: ...


@dataclass(frozen=True, slots=True)
class RefineContext:
    """What a method has in hand when it refines or selects."""

    snapshot: str
    state: State
    feedback: FeedbackResult
    log: FeedbackLog
    agent: Agent
    ports: Ports
    rng: random.Random


class Method(Protocol):
    """How a state is refined between sessions. `trials` says how often each candidate is tried on the same instance."""

    @property
    def id(self) -> str:
        """Name and variant, as reports print it."""
        ...

    @property
    def trials(self) -> int:
        """Trial attempts per candidate before `select`; 0 hands `select` no outcomes."""
        ...

    @property
    def wrapping(self) -> str:
        """What the method adds around the acting agent, in words equal when it is equal; empty for nothing."""
        ...

    def initial_state(self, agent: Agent) -> State:
        """A_0: the agent's harness and the method's own beginnings."""
        ...

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The configured agent, wrapped as this method wraps it, for one attempt."""
        ...

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """Propose candidates; none keeps the incumbent."""
        ...

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """Choose among the candidates tried."""
        ...


# --------------------------------------------------------------------------------------------- sessions


class StreamClient(Protocol):
    """A stream as a driver meets it."""

    async def get_task(self) -> Served | None:
        """The next task, or None when the queue is empty."""
        ...

    async def answer(self, handle: str, action: Action) -> StreamReply:
        """Route one action to the task's episode."""
        ...

    async def queue_info(self) -> QueueInfo:
        """What waits and what is in flight."""
        ...


@dataclass(frozen=True, slots=True)
class Kit:
    """What belongs to one attempt: its ports and its own random stream."""

    ports: Ports
    rng: random.Random


class Post(Protocol):
    """Where a driver works: the stream, the home it was forked from, and a kit for each attempt."""

    @property
    def stream(self) -> StreamClient:
        """The stream to work."""
        ...

    @property
    def home(self) -> State:
        """The acting part of the snapshot this session was forked from."""
        ...

    def kit(self, handle: str) -> Kit:
        """The ports and the random stream of the attempt with this handle."""
        ...


class Driver(Protocol):
    """Runs an agent through a session."""

    async def run(self, post: Post) -> Exit:
        """Work the stream until it is empty or the agent stops. The answer is evidence, not a verdict."""
        ...


# --------------------------------------------------------------------------------------------- stores


class Fact(NamedTuple):
    """One row of the journal's first stratum."""

    path: str
    kind: str
    value: JSON


class Journal(Artifacts, Protocol):
    """The record. Facts are inserted once and hashed into the digest; observations are not."""

    def get(self, path: str, kind: str) -> JSON | None:
        """The fact at this key, written or still waiting to be; None when there is none."""
        ...

    def put(self, path: str, kind: str, value: JSON) -> None:
        """Insert a fact. The same again is nothing; another value at the same key is a `StoreFault`."""
        ...

    def observe(self, path: str, name: str, value: JSON) -> None:
        """Note something that may differ between identical runs: times, costs, versions."""
        ...

    async def flush(self, *, durable: bool) -> None:
        """Return when all put so far survives process death, or, when durable, power loss."""
        ...

    def facts(self, *, under: str = "", kind: str | None = None) -> Iterator[Fact]:
        """Facts in key order, below a path and of a kind."""
        ...

    def observations(self, *, under: str = "", name: str | None = None) -> Iterator[Fact]:
        """Observations in key order; `kind` holds the name."""
        ...

    def digest(self) -> str:
        """SHA-256 over all facts in key order: what "identical" means."""
        ...

    def close(self) -> None:
        """Write what waits and let go."""
        ...


class Snapshots(Protocol):
    """Immutable states. The id is a git commit id, so equal history gives equal ids on every machine."""

    def put(self, state: State, *, parent: str | None, message: str) -> str:
        """Keep a state as a child of another; its id."""
        ...

    def get(self, snapshot: str) -> State:
        """The state with this id."""
        ...

    def point(self, name: str, snapshot: str) -> None:
        """Move the readable ref of a lineage (`narrow/L3`) to a snapshot."""
        ...


class CallStore(Protocol):
    """Model calls as lists of message hashes over blobs."""

    def record(self, path: str, index: int, call: ModelCall) -> None:
        """Keep one call under an attempt's path."""
        ...
