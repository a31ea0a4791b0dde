"""Training on a game with controls: what is run, and what it gained, sampled and greedy.

Four arms over the same tasks: told the agent's own judgement, told the verdict, and told the verdict with rewards or
labels dealt anew. The exam at the end is sat twice: as the agent plays, drawing, and once more by the best call alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from rung.core.config import Config, parse
from rung.core.values import Estimate
from rung.protocols import launch, providers, wiring
from rung.protocols.exam import Examinee, sit
from rung.protocols.plan import Plan
from rung.protocols.study import Arm, Bench, Study
from rung.stats.lineages import gain
from rung.store.memory import MemoryJournal

PLAYS = 8
SHARE = 0.25
ARMS = {
    "verdict": "train-verdict",
    "shuffled rewards": "rewards-verdict",
    "shuffled labels": "labels-verdict",
    "itself": "train",
}
"""What the pathway is told, and the arm of the config."""


@dataclass(frozen=True)
class Design:
    """`trainings` of each `lineage` of a game, on `episodes` each, and an exam of so many `tasks`."""

    game: str
    explore: str
    lineages: int = 5
    trainings: int = 12
    episodes: int = 160
    tasks: int = 100
    arms: Sequence[str] = tuple(ARMS)


@dataclass(frozen=True)
class Row:
    """What an arm gained from A_0 to its last checkpoint, on the same sealed tasks."""

    told: str
    decoding: str
    before: float
    after: float
    gain: Estimate
    lineages: tuple[float, ...]


def config(design: Design) -> Config:
    """The study. It is examined once, after the last training."""
    methods = {"train": "none", "rewards": "rewards", "labels": "labels"}
    total = design.trainings * design.episodes
    return parse(
        {
            "name": f"training on {design.game}",
            "protocol": "explore",
            "lineages": design.lineages,
            "agent": {**AGENT, "temperature": 1.0, "seeded": True},
            "explore": {
                "games": [{"family": design.game, "explore": design.explore, "evaluate": "evaluate"}],
                "episodes": total,
                "plays": PLAYS,
                "checkpoint_every": total,
                "checkpoint_episodes": design.tasks,
                "baseline_episodes": design.tasks,
                "judges": ["verdict"],
            },
            "arms": [
                {
                    "name": name,
                    "method": {"name": "training", "every": design.episodes, "share": SHARE, "shuffle": shuffle},
                }
                for name, shuffle in methods.items()
            ],
            "exam": {"secret": SECRET},
        }
    )


AGENT: Mapping[str, Any] = {"kind": "chat", "model": "local/policy", "answers": "tools", "history": 0}
SECRET = "11b791ebf667cd17"
"""Drawn for the confirmation of 2026-11-30 (docs/training-measured.md), so that it can be done again."""


def run(design: Design) -> MemoryJournal:
    """The study in memory, and after it the same exam by the best call alone."""
    how = config(design)
    arms = _arms(how, design)
    journal = launch.simulate(how, secret=SECRET, arms=arms)
    greedy = parse({**config(design).model_dump(mode="json", exclude_none=True), "agent": dict(AGENT)}).agent
    assert greedy is not None
    best = tuple(replace(arm, agent=wiring.agent(greedy)) for arm in _arms(how, design))
    return launch.simulate(how, secret=SECRET, arms=best, journal=journal, protocol=_greedy)


def _arms(how: Config, design: Design) -> tuple[Arm, ...]:
    wanted = {ARMS[told] for told in design.arms}
    return tuple(arm for arm in wiring.arms(how, models=providers.made(how)) if arm.name in wanted)


async def _greedy(plan: Plan, arms: tuple[Arm, ...], bench: Bench) -> None:
    study, sitting = Study(bench), []
    for arm in arms:
        begun: Any = bench.journal.get(arm.name, "initial")
        sitting.append(Examinee("greedy.A0", arm, begun["snapshot"], 1))
        for path, end in _ends(bench.journal, arm.name):
            sitting.append(Examinee(f"greedy.{path.replace('/', '.')}", arm, end, 1))
    once = {each.name: each for each in sitting}
    await sit(study, plan.exam, list(once.values()), order=plan.seed.child("greedy"))


def _ends(journal: Any, arm: str) -> Iterator[tuple[str, str]]:
    for fact in journal.facts(kind="final"):
        if fact.path.startswith(f"{arm}."):
            yield fact.path, fact.value["snapshot"]


def rows(journal: MemoryJournal, design: Design) -> list[Row]:
    """What each arm gained, as it plays and by the best call."""
    scores = _scores(journal)
    (drawn,) = (name for name in scores if name.startswith("A0."))
    found = []
    for told in design.arms:
        course = f"{ARMS[told]}.{design.game}"
        for decoding, base, after in (
            ("sampled", drawn, [name for name in scores if name.startswith(f"{course}.L")]),
            ("greedy", "greedy.A0", [name for name in scores if name.startswith(f"greedy.{course}.L")]),
        ):
            found.append(_row(told, decoding, scores[base], [scores[name] for name in sorted(after)]))
    return found


def _row(told: str, decoding: str, before: Mapping[str, float], after: Sequence[Mapping[str, float]]) -> Row:
    places = sorted(before)
    table = [[lineage[place] - before[place] for place in places] for lineage in after]
    return Row(
        told,
        decoding,
        fmean(before.values()),
        fmean(fmean(lineage[place] for place in places) for lineage in after),
        gain(table, binary=False, shared_before=True),
        tuple(fmean(line) for line in table),
    )


def _scores(journal: MemoryJournal) -> dict[str, dict[str, float]]:
    """The mean score of each examinee on each place."""
    found: dict[str, dict[str, list[float]]] = {}
    for fact in journal.facts(under="exam", kind="sealed"):
        _, who, place, _ = fact.path.split("/")
        found.setdefault(who, {}).setdefault(place, []).append(fact.value["score"])  # type: ignore[index]
    return {who: {place: fmean(each) for place, each in by.items()} for who, by in found.items()}


# --------------------------------------------------------------------------------------------- as a table

HEAD = "| told | decoding | A_0 | after | gain | 95% interval | gain of L1, L2, ... |\n|---|---|---|---|---|---|---|"


def table(found: Sequence[Row]) -> str:
    """The rows in Markdown."""
    return "\n".join([HEAD, *(_line(row) for row in found)])


def _line(row: Row) -> str:
    each = ", ".join(f"{value:+.2f}" for value in row.lineages)
    known = row.gain.value is not None and row.gain.lo is not None
    middle = f"{row.gain.value:+.2f} | [{row.gain.lo:.2f}, {row.gain.hi:.2f}]" if known else "not estimable | "
    return f"| {row.told} | {row.decoding} | {row.before:.2f} | {row.after:.2f} | {middle} | {each} |"
