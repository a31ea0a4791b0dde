"""What a program without MCP is given: the client file, and a text that says how to use it."""

import json
from collections.abc import Iterable
from importlib import resources

from rung.core.desk import ToolDesk
from rung.core.values import Tool

FILE = "rung_tasks.py"
SKILL = "SKILL.md"
VARIABLE = "RUNG_TASKS_URL"
"""The environment variable that holds the address of the stream."""

_HEAD = """---
name: tasks
description: Get tasks from the stream and work them with rung_tasks.py.
---

# Tasks

Tasks come from a stream. `rung_tasks.py` is the way to it: a command, and a Python module. It needs nothing but Python
3.8 or later, and the address of the stream in the environment variable RUNG_TASKS_URL.

    python rung_tasks.py get_task                      the next task: its handle, rules, view and tools
    python rung_tasks.py call TOOL task=TASK key=value ...
    python rung_tasks.py call TOOL '{"task": "TASK", "key": "value"}'
    python rung_tasks.py get_task TASK                 a task in flight once more
    python rung_tasks.py queue_info                    what is in flight

In Python: `from rung_tasks import get_task, call, queue_info`, then `call("TOOL", "TASK", key=value)`. An answer is a
dictionary; its `.text` says the same in words, and `.failed` that the call was no good.

Every call names its task by the handle that get_task gave. Several tasks may be in flight. When there are no more,
get_task says so.

## Tools
"""


def source() -> str:
    """The client file."""
    return resources.files(__package__).joinpath(FILE).read_text("utf-8")


def skill(desk: ToolDesk) -> str:
    """The skill text for the tools of a desk; the same tools, the same text."""
    words = desk.instructions()
    return "\n".join([_HEAD, *_sections(desk.tools()), *([words, ""] if words else [])])


def _sections(tools: Iterable[Tool]) -> Iterable[str]:
    for tool in tools:
        yield f"### {tool.name}\n\n{tool.description}\n\n    {json.dumps(tool.parameters)}\n"
