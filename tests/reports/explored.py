"""An exploring study of scripted agents in memory, whose pathways are known: one learns, one does not, one forgets."""

import random
from functools import cache
from typing import Any

from protocols.explored import TINY, config, ran, says, shown
from protocols.studies import Learns, Scripted, child
from rung.core import registry
from rung.core.ports import RefineContext
from rung.core.values import Action, State, View
from rung.protocols.judging import BY_ITSELF, Judging
from rung.protocols.study import Arm
from rung.reports.explore import read
from rung.reports.explore.values import ExploreReport
from rung.store.memory import MemoryJournal

START, STEP = 0.3, 0.05
"""How often the agent is right at first, and by how much it changes with each exploration episode."""


LAMP = {"family": "toy-lamp-v1", "explore": "tiny", "evaluate": "tiny"}


def right(view: View) -> int:
    """The right answer to what a lock or a lamp shows."""
    answer: int = registry.family(view.family).answer_to(shown(view))  # type: ignore[attr-defined]
    return answer


def skill(state: State) -> float:
    """How often an agent in this state is right."""
    return min(1.0, max(0.0, float(state.files["agent/skill"])))


def plays(state: State, view: View, rng: random.Random) -> Action:
    """Right as often as its skill says, and sure of it: of an error it says the same in three of four cases."""
    hit = rng.random() < skill(state)
    judged = 1.0 if hit or rng.random() < 0.75 else 0.0
    return says(right(view) if hit else -1, judged)


def learning(by: float) -> Learns:
    """A pathway whose skill changes by so much with each episode."""

    def refine(context: RefineContext) -> Any:
        return [child(context, skill=f"{skill(context.state) + by:.6f}")]

    return Learns(refine)


def study(
    lineages: int = 5,
    *,
    by: dict[str, float] | None = None,
    seed: int = 5,
    games: Any = (TINY, LAMP),
    episodes: int = 30,
    journal: MemoryJournal | None = None,
    judging: Judging = BY_ITSELF,
    **how: Any,
) -> MemoryJournal:
    """A study of pathways by name, each with how it changes."""
    changes = {"history": STEP, "still": 0.0, "wrong": -0.02} if by is None else by
    section = {
        "games": list(games),
        "episodes": episodes,
        "checkpoint_every": 3,
        "checkpoint_episodes": 3,
        "baseline_episodes": 30,
        **how,
    }
    named = [{"name": name, "method": {"name": "phantom"}} for name in changes]
    settings = config(lineages=lineages, seed=seed, explore=section, arms=named, name="three pathways")
    arms = [
        Arm(name, Scripted(plays, files={"agent/skill": str(START).encode()}), learning(change), judging=judging)
        for name, change in changes.items()
    ]
    return ran(settings, *arms, journal=journal).journal


@cache
def journal() -> MemoryJournal:
    """The study as it comes."""
    return study()


@cache
def report() -> ExploreReport:
    """Its report."""
    return read.read(journal())
