"""Small exploring studies in memory, of locks that show one of eight numbers each."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rung.core.config import Config, parse
from rung.core.ports import Provider, RefineContext
from rung.core.values import Action, Call, State, Trial, View
from rung.protocols import launch
from rung.protocols.judging import Judging
from rung.protocols.study import Arm
from rung.store.memory import MemoryJournal
from rung.store.snapshots import JournalSnapshots
from rung.testing.toys.toy_lock_v1.game import FAMILY

from .studies import Learns, Scripted, child, first

SECRET = "for tests"
TINY = {"family": "toy-lock-v1", "explore": "tiny", "evaluate": "tiny"}
ROAD = {"family": "toy-road-v1", "explore": "d1", "evaluate": "d2"}


def config(**changes: Any) -> Config:
    """Two lineages of four locks and four roads each, a checkpoint of two tasks after every second."""
    how = {
        "games": [TINY, ROAD],
        "episodes": 4,
        "checkpoint_every": 2,
        "checkpoint_episodes": 2,
        "baseline_episodes": 4,
        **changes.pop("explore", {}),
    }
    document = {
        "name": "exploring",
        "protocol": "explore",
        "lineages": 2,
        "seed": 5,
        "agent": {"kind": "phantom:noisy", "spread": 0.3},
        "method": {"name": "phantom"},
        "exam": {"secret": SECRET},
        "explore": how,
        **changes,
    }
    return parse(document)


STILL = Learns()


def shown(view: View) -> int:
    """The number that a lock or a signpost shows."""
    return int(view.text.rstrip(".").rsplit(" ", 1)[1])


def right(view: View) -> int:
    return FAMILY.answer_to(shown(view))


def says(value: int, judged: float | None) -> Action:
    return Action(Call("answer", {"value": value}), judged)


def idle(state: State, view: View, rng: random.Random) -> Action:
    """Wrong, and sure of it."""
    return says(0, 0.0)


def arm(method: Any = STILL, act: Any = idle, name: str = "main", **more: Any) -> Arm:
    return Arm(name, Scripted(act), method, **more)


def judged_by(by: Any, model: Provider | None = None) -> dict[str, Any]:
    return {"judging": Judging(by, model)}


@dataclass(frozen=True)
class Explored:
    """A study that ran."""

    journal: MemoryJournal

    def fact(self, path: str, kind: str) -> Any:
        return self.journal.get(path, kind)

    def paths(self, under: str = "", kind: str = "sealed") -> list[str]:
        return [fact.path for fact in self.journal.facts(under=under, kind=kind)]

    def scores(self, under: str) -> list[float]:
        return [float(fact.value["score"]) for fact in self.journal.facts(under=under, kind="sealed")]  # type: ignore[index,call-overload,arg-type]

    def files(self, snapshot: str) -> Mapping[str, bytes]:
        return JournalSnapshots(self.journal).get(snapshot).files


def ran(settings: Config, *arms: Arm, journal: MemoryJournal | None = None) -> Explored:
    return Explored(launch.simulate(settings, secret=SECRET, arms=arms or None, journal=journal))


@dataclass(frozen=True)
class Sees(Learns):
    """A method that keeps what it was told, and writes each time how often it was asked."""

    told: list[RefineContext] = field(default_factory=list)
    incumbents: list[Trial] = field(default_factory=list)

    async def refine(self, context: RefineContext) -> Any:
        self.told.append(context)
        return [child(context, asked=str(len(context.log)))]

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Any:
        self.incumbents.append(incumbent)
        return first(context, incumbent, trials)
