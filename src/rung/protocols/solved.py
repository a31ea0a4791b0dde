"""What the keys' solvers answer to tasks: known to the instrument alone, and looked for in what programs leave."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from rung.core import registry
from rung.core.ports import Ports
from rung.core.values import Call, Task
from rung.core.waiting import settle
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


async def _played(task: Task) -> list[str]:
    """The calls of a solver, as they are spelt."""
    family, key = registry.family(task.family), keys.key(task.family)
    if key.reference(task).certificate == "bound":
        return []
    episode, solver = await settle(family.start, task, Ports()), key.solver(task)
    said: list[str] = []
    for _ in range(task.calls):
        answer = (await settle(solver.act, episode.view())).answer
        said.append(_spelt(answer))
        if (await settle(episode.call, family.parse(answer) if isinstance(answer, str) else answer)).done:
            break
    return said


def _spelt(answer: Call | str) -> str:
    if isinstance(answer, str):
        return answer
    values = list(answer.arguments.values())
    return values[0] if len(values) == 1 and isinstance(values[0], str) else json.dumps(dict(answer.arguments))
