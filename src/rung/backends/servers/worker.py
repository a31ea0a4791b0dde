"""`scripted/worker`: a scripted model that works a stream of tasks through whatever program asks it.

It takes tasks until there are no more, and answers each with the plainest arguments its tools take, which is no way to
play. So a whole cell can be tried with a real program, without a key and without a cent; it measures nothing.
"""

import re
from collections.abc import Mapping
from typing import cast

from rung.backends.models.scripted import plainest
from rung.core.canonical import JSON
from rung.core.proxied import Answer, Heard, Said, ToolCall, ToolOffer

NAME = "scripted/worker"

_TASK = re.compile(r"^task: (\S+)$", re.MULTILINE)
_TOOLS = re.compile(r"^tools: (.+)$", re.MULTILINE)
_OVER = re.compile(r"There are no more tasks|^The session is over", re.MULTILINE)
_ENDED = re.compile(r"has ended\.$|^recorded$|is withdrawn and counts for nothing|get a task first", re.MULTILINE)


def brain(heard: Heard) -> Answer:
    """What it says to a conversation (see `rung.core.proxied.Brain`); a function of that alone."""
    begin = heard.named("get_task")
    if begin is None:
        return Said(("There are no tools for tasks here.",))
    last = _last(heard)
    if _OVER.search(last):
        return Said(("There are no more tasks. I am done.",))
    task, tool = _task(heard)
    if not last or task is None or tool is None or _ENDED.search(last):  # nothing was told it yet in this session
        return Said((_call(begin),))
    return Said((_call(tool, task=task, **_arguments(tool)),))


def _last(heard: Heard) -> str:
    """What it was told since it spoke last."""
    mine = [place for place, turn in enumerate(heard.turns) if turn.author == "assistant"]
    since = heard.turns[mine[-1] + 1 :] if mine else ()
    return "\n".join(result.text for turn in since for result in turn.results)


def _task(heard: Heard) -> tuple[str | None, ToolOffer | None]:
    """The task that it took last, and the first of that task's tools."""
    for result in reversed(heard.results):
        task, tools = _TASK.search(result.text), _TOOLS.search(result.text)
        if task and tools:
            return task[1], heard.named(tools[1].split(", ")[0])
    return None, None


def _call(tool: ToolOffer, **arguments: JSON) -> ToolCall:
    return ToolCall(tool.name, arguments, namespace=tool.namespace)


def _arguments(tool: ToolOffer) -> dict[str, JSON]:
    """The plainest arguments, but for the task's handle."""
    schema = {**tool.parameters}
    properties = {
        name: about
        for name, about in cast("Mapping[str, JSON]", schema.get("properties", {})).items()
        if name != "task"
    }
    needed = [name for name in cast("list[str]", schema.get("required", [])) if name != "task"]
    found = plainest({**schema, "properties": properties, "required": needed})
    return cast("dict[str, JSON]", found) if isinstance(found, dict) else {}
