"""Small ladder studies in memory, with agents and methods made of functions."""

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rung.core.config import Config, parse
from rung.core.ports import Actor, Agent, Ports, RefineContext
from rung.core.values import Action, Call, Candidate, Outcome, Selection, State, Trial, View
from rung.protocols import ladder, plan
from rung.protocols.study import Arm, Bench, Study
from rung.store.memory import MemoryJournal
from rung.store.snapshots import JournalSnapshots
from rung.testing.toys.toy_lock_v1.game import FAMILY

SECRET = "a secret that nobody may see"
ARCHIVE = "method/archive"
LOCK = {"family": "toy-lock-v1", "difficulty": 1}
Act = Callable[[State, View, random.Random], Any]


def solve(state: State, view: View, rng: random.Random) -> Action:
    shown = int(view.text.rstrip(".").rsplit(" ", 1)[1])
    return Action(Call("answer", {"value": FAMILY.answer_to(shown)}))


def fail(state: State, view: View, rng: random.Random) -> Action:
    return Action("0")


def obey(state: State, view: View, rng: random.Random) -> Action:
    """Solve or fail, as the agent's own file says."""
    return (solve if state.files.get("agent/skill") == b"good" else fail)(state, view, rng)


@dataclass(frozen=True)
class Scripted:
    """An agent made of one function of its state, its view and its random stream."""

    act: Act = obey
    id: str = "scripted"
    files: Mapping[str, bytes] = field(default_factory=lambda: {"agent/skill": b"bad"})

    def harness(self) -> Mapping[str, bytes]:
        return self.files

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        return _Acts(self.act, state, rng)


@dataclass(frozen=True)
class _Acts:
    function: Act
    state: State
    rng: random.Random

    async def act(self, view: View) -> Any:
        return self.function(self.state, view, self.rng)


def nothing(context: RefineContext) -> Any:
    return []


def child(context: RefineContext, **files: str) -> Candidate:
    """A candidate with these files changed under `agent/`."""
    changed = {f"agent/{name}": text.encode() for name, text in files.items()}
    return Candidate(context.snapshot, context.state.with_files(changed))


def first(context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Any:
    return Selection(0)


@dataclass(frozen=True)
class Learns:
    """A method made of two functions."""

    refiner: Callable[[RefineContext], Any] = nothing
    selector: Callable[[RefineContext, Trial, Sequence[Trial]], Any] = first
    trials: int = 0
    id: str = "learns"
    wrapping: str = ""

    def initial_state(self, agent: Agent) -> State:
        return State({**agent.harness(), ARCHIVE: b"what no actor may see"})

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        return agent.actor(state, ports, rng)

    async def refine(self, context: RefineContext) -> Any:
        return self.refiner(context)

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Any:
        return self.selector(context, incumbent, trials)


def arm(method: Any = Learns(), agent: Any = Scripted(), name: str = "main") -> Arm:
    return Arm(name, agent, method)


def config(**changes: Any) -> Config:
    """Four locks with a replay of the second after the fourth, and two locks held out."""
    tasks = {
        "replay": {"interval": 4, "lag": 2},
        "schedule": [{**LOCK, "count": 4, "replay": True}],
        "holdout": [{**LOCK, "count": 2}],
        **changes.pop("tasks", {}),
    }
    document = {
        "name": "study",
        "protocol": "ladder",
        "lineages": 1,
        "agent": {"kind": "phantom:static"},
        "method": {"name": "phantom"},
        "tasks": tasks,
        **changes,
    }
    return parse(document)


@dataclass
class Ran:
    """A study that ran, and in which order its attempts were finished."""

    journal: MemoryJournal
    order: list[str] = field(default_factory=list)
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    def fact(self, path: str, kind: str) -> Any:
        return self.journal.get(path, kind)

    def paths(self, under: str, kind: str = "sealed") -> list[str]:
        return [fact.path for fact in self.journal.facts(under=under, kind=kind)]

    def files(self, snapshot: str) -> Mapping[str, bytes]:
        return JournalSnapshots(self.journal).get(snapshot).files


def ran(
    settings: Config,
    *arms: Arm,
    journal: MemoryJournal | None = None,
    concurrency: int = 1,
    stop_requested: Callable[[], bool] = lambda: False,
) -> Ran:
    """Run a study as `launch` does, seeing every attempt."""
    found = Ran(journal or MemoryJournal())

    def watch(path: str, outcome: Outcome) -> None:
        found.order.append(path)
        found.outcomes[path] = outcome

    drawn = plan.make(settings, secret=SECRET)
    plan.write(drawn, found.journal, plugins={})
    bench = Bench(
        found.journal,
        JournalSnapshots(found.journal),
        drawn.seed,
        concurrency=concurrency,
        stop_requested=stop_requested,
        watch=watch,
    )
    climbing = ladder.Ladder(arms or (arm(),), drawn.held.lineages, drawn.exam, drawn.seed)
    asyncio.run(ladder.run(Study(bench), climbing))
    return found
