"""What the keys' solvers answer to tasks: known to the instrument alone, and looked for in what programs leave.

`answers` are those to the exam's own tasks; `kin` are these as they are first shown and best played, with fresh
tasks of the same kind beside them, which say how near a text comes to any by chance (see `findings.audit.likeness`).
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from rung.core import registry
from rung.core.ports import Family, Key, Pooled, Ports
from rung.core.seeds import Seed
from rung.core.values import Call, Task
from rung.core.waiting import settle
from rung.findings.audit.likeness import FRESH, Kin
from rung.tasks import keys

MOST_CALLS = 12
"""Calls of a task whose course of play is taken for an answer; a longer game has none that could be looked up."""


def answers(tasks: Sequence[Task]) -> Mapping[str, Sequence[str]]:
    """A solver's answer to each task, its calls one a line, by task id.

    Left out are long games, tasks of which the key knows a bound alone, and families or keys that break here: such an
    answer is not looked for, and scores nothing.
    """
    with ThreadPoolExecutor(1) as pool:  # a loop of its own: who asks may be in one
        return pool.submit(asyncio.run, _answers(tasks)).result()


async def _answers(tasks: Sequence[Task]) -> Mapping[str, Sequence[str]]:
    found: dict[str, Sequence[str]] = {}
    for task in tasks:
        try:
            said = await _played(task) if task.calls <= MOST_CALLS else []
        except Exception:  # noqa: BLE001, S112 (a stranger's family or key)
            continue
        if said:
            found[task.id] = ("\n".join(said),)
    return found


LONGEST_GAME = 64
"""Calls of a task that is played to be held against fresh ones: its first moves tell it as well as all of them."""


def kin(tasks: Sequence[Task]) -> Sequence[Kin]:
    """Exam tasks by family and setting, each with its place in the exam, beside fresh ones.

    Left out are long games, pools in which nothing is fresh, and families or keys that break here.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, _kin(tasks)).result()


async def _kin(tasks: Sequence[Task]) -> Sequence[Kin]:
    by_kind: dict[tuple[str, str], dict[int, Task]] = defaultdict(dict)
    for place, task in enumerate(tasks, 1):
        by_kind[task.family, task.setting.name][place] = task
    found: list[Kin] = []
    for some in by_kind.values():
        first = next(iter(some.values()))
        if first.calls > LONGEST_GAME:
            continue
        try:
            items = {place: await _told(task) for place, task in some.items()}
            fresh = [await _told(task) for task in _fresh(list(some.values()))]
        except Exception:  # noqa: BLE001, S112 (a stranger's family or key)
            continue
        found.append(Kin(items, fresh))
    return found


def _fresh(tasks: Sequence[Task]) -> Iterator[Task]:
    """Other tasks of the same family and setting, from seeds of their own; none that is one of the exam's."""
    first = tasks[0]
    family, key = registry.family(first.family), keys.key(first.family)
    if isinstance(family, Pooled):
        return
    taken = {key.fingerprint(task) for task in tasks}
    seed = Seed("fresh items").child(first.family, first.setting.name)
    for number in range(FRESH):
        task = family.draw(first.setting, seed.child(number))
        if (state := key.fingerprint(task)) not in taken:
            taken.add(state)
            yield task


async def _told(task: Task) -> tuple[str, str]:
    """What is first seen of a task, and how its solver plays it."""
    seen, said = await _course(task, registry.family(task.family), keys.key(task.family))
    return seen, "\n".join(said)


async def _played(task: Task) -> list[str]:
    """The calls of a solver, as they are spelt; none where it is no more than a bound that is known."""
    family, key = registry.family(task.family), keys.key(task.family)
    return [] if key.reference(task).certificate == "bound" else (await _course(task, family, key))[1]


async def _course(task: Task, family: Family, key: Key) -> tuple[str, list[str]]:
    """What is first seen of a task, and the calls of its solver."""
    episode, solver = await settle(family.start, task, Ports()), key.solver(task)
    seen, said = episode.view().text, list[str]()
    for _ in range(task.calls):
        answer = (await settle(solver.act, episode.view())).answer
        said.append(_spelt(answer))
        if (await settle(episode.call, family.parse(answer) if isinstance(answer, str) else answer)).done:
            break
    return seen, said


def _spelt(answer: Call | str) -> str:
    if isinstance(answer, str):
        return answer
    values = list(answer.arguments.values())
    return values[0] if len(values) == 1 and isinstance(values[0], str) else json.dumps(dict(answer.arguments))
