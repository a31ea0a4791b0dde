"""The real tasks that recorded cells are made of, and what an exam item says and has for an answer.

What an agent that cheats holds of an item is what it would be shown of it (`question`) and how a solver plays it
(`answer`). Only the instrument knows either before an agent is served the item.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from rung.core import registry
from rung.core.canonical import JSON
from rung.core.config import Config, parse
from rung.core.ports import Ports
from rung.core.values import Call, Task
from rung.protocols import plan
from rung.protocols.plan import Plan
from rung.protocols.toolbox import Toolbox, toolbox
from rung.store.memory import MemoryJournal
from rung.tasks import keys

WORKED, EXAMINED = 4, 6
"""Tasks of the working session, and items of the exam."""

SECRET = "5ec7e70fc4ea7500" * 2
"""Fixed, since nobody is examined on these."""

CELLS: Mapping[str, Sequence[tuple[str, int]]] = {
    "farm": (("farm-v1", 2),),
    "chess": (("chess-v1", 1),),
    "combat": (("combat-v1", 1),),
    "hero": (("hero-v1", 1),),
    "nullify": (("nullify-v1", 3),),
    "combat and nullify": (("combat-v1", 2), ("nullify-v1", 3)),
    "farm and nullify": (("farm-v1", 2), ("nullify-v1", 2)),
}
"""The families and difficulties of each world. All have items that say something at first sight,
and answers of which no two are the same: who holds one of a task of its own holds none of the exam."""


@dataclass(frozen=True, slots=True)
class Item:
    """A task with its number in the exam (or in the sequence), what is seen of it first, and how a solver plays it."""

    number: int
    task: Task
    question: str
    answer: str

    @property
    def row(self) -> Mapping[str, str]:
        """As an answer key has it."""
        return {"id": f"{self.task.family}-{self.number:04d}", "question": self.question, "answer": self.answer}


@dataclass(frozen=True, slots=True)
class World:
    """One study's tasks, drawn for real. `facts` are those of its plan that hold whatever the rest of the config is."""

    name: str
    plan: Plan
    box: Toolbox
    exam: tuple[Item, ...]
    worked: tuple[Item, ...]
    facts: tuple[tuple[str, str, JSON], ...] = field(hash=False, repr=False)

    @property
    def config(self) -> Config:
        """With which it was drawn."""
        return self.plan.config

    @property
    def families(self) -> str:
        """Its families in words."""
        return ", ".join(dict.fromkeys(item.task.family for item in self.exam))


def document(name: str, **changes: Any) -> dict[str, Any]:
    """The config of a cell in this world."""
    blocks = [{"family": family, "difficulty": difficulty} for family, difficulty in CELLS[name]]
    share = len(blocks)
    return {
        "name": "audited",
        "protocol": "cell",
        "lineages": 1,
        "agent": {"kind": "command:codex", "model": "scripted/played"},
        "cell": {"sentinels": 0},
        "exam": {"repeats": 1, "reruns": 0, "secret": SECRET},
        "budget": {"tokens": 10**9},
        "tasks": {
            "schedule": [{**block, "count": WORKED // share} for block in blocks],
            "holdout": [{**block, "count": EXAMINED // share} for block in blocks],
        },
        **changes,
    }


@cache
def world(name: str) -> World:
    """Draw the tasks of a world; the same ones each time."""
    drawn = plan.make(parse(document(name)), secret=SECRET)
    journal = MemoryJournal()
    plan.write(drawn, journal, plugins={})
    kept = tuple((fact.path, fact.kind, fact.value) for fact in journal.facts() if fact.kind in ("task", "entry"))
    box = asyncio.run(toolbox((each.family, each.setting.name) for each in drawn.exam.tasks))
    exam = tuple(_item(number, task) for number, task in enumerate(drawn.exam.tasks, 1))
    worked = tuple(_item(entry.position, entry.task) for entry in drawn.held.lineages[0])
    return World(name, drawn, box, exam, worked, kept)


def _item(number: int, task: Task) -> Item:
    question, answer = asyncio.run(_played(task))
    return Item(number, task, question, answer)


async def _played(task: Task) -> tuple[str, str]:
    """What is seen of a task first, and every call of its solver, one a line."""
    family, solver = registry.family(task.family), keys.key(task.family).solver(task)
    episode = await family.start(task, Ports())
    question = episode.view().text
    said: list[str] = []
    for _ in range(task.calls):
        answer = (await solver.act(episode.view())).answer
        said.append(spelt(answer))
        reply = await episode.call(family.parse(answer) if isinstance(answer, str) else answer)
        if reply.done:
            break
    return question.strip(), "\n".join(said)


def spelt(answer: Call | str) -> str:
    """An answer in one line."""
    return answer if isinstance(answer, str) else json.dumps(answer.arguments, separators=(", ", ": "))
