"""An improver as files: what it is told, what it is asked, its notes, its settings and its functions.

    method/improver/instructions.md    the system text of its session
    method/improver/task.md            what it is asked, with places: $attempts, $nodes, $node, $digest, $notes
    method/improver/notes.md           shown in the place $notes
    method/improver/settings.json      {"attempts": how many of the latest attempts it is lent}
    method/improver/hooks.py           functions, where there are any (see `rung.methods.hyperagents.hooks`)

All of it is foreign once a model has written to it: texts are shown and no more, settings are numbers within bounds,
and functions run in a sandbox.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Literal, TypeAlias

from rung.core.canonical import JSON
from rung.core.values import Message
from rung.methods._attempt import NONE, cut
from rung.methods.hyperagents.archive import IMPROVER

MetaPrompt: TypeAlias = Literal["bare", "informed", "improver_named"]

INSTRUCTIONS, TASK, NOTES = (f"{IMPROVER}{name}" for name in ("instructions.md", "task.md", "notes.md"))
SETTINGS, HOOKS = f"{IMPROVER}settings.json", f"{IMPROVER}hooks.py"
LENT, MOST_LENT = 3, 20
"""Attempts that an improver is lent, unless it says otherwise, and at most."""

MAX_TEXT = 12_000
"""Characters that are shown of each of an improver's texts."""


@cache
def prompt(name: str) -> str:
    """A prompt file of this folder, without white space around it."""
    return (Path(__file__).parent / f"{name}.md").read_text("utf-8").strip()


def task_agent() -> bytes:
    """The program with which an agent begins that is one: it shows its model what there is to see, and says what that
    says."""
    return (Path(__file__).parent / "task_agent.txt").read_bytes()


def first(meta: MetaPrompt, *, harness: bool) -> Mapping[str, bytes]:
    """The improver that a study begins with; `harness` says that the agent is one that somebody else has built."""
    parts = ["instructions"]
    parts += ["about_harness"] if harness else []
    parts += ["about_evaluations"] if meta != "bare" else []
    parts += ["about_improver"] if meta == "improver_named" else []
    texts = {
        INSTRUCTIONS: "\n\n".join(map(prompt, parts)),
        TASK: prompt("task_bare" if meta == "bare" else "task_informed"),
        NOTES: "Notes of those who improved the agent before you:",
        SETTINGS: json.dumps({"attempts": LENT}),
    }
    return {path: f"{text}\n".encode() for path, text in texts.items()}


@dataclass(frozen=True, slots=True)
class Program:
    """An improver as it is run."""

    instructions: str
    task: str
    notes: str
    attempts: int
    hooks: bytes | None

    def opening(self, places: Mapping[str, str]) -> tuple[Message, Message]:
        """How its session begins. A place of the task that is not known stays as it is written."""
        asked = Template(self.task).safe_substitute({**places, "notes": self.notes})
        lines = "\n".join(line.rstrip() for line in cut(asked, MAX_TEXT).split("\n"))
        return Message("system", self.instructions or NONE), Message("user", lines.strip() or NONE)


def read(files: Mapping[str, bytes]) -> Program:
    """The improver in the files of a node."""
    return Program(
        instructions=_text(files, INSTRUCTIONS),
        task=_text(files, TASK),
        notes=_text(files, NOTES),
        attempts=_attempts(files),
        hooks=files.get(HOOKS),
    )


def gone(files: Mapping[str, bytes]) -> str:
    """Why nobody can work by these files, as far as that can be seen without running anything; empty where one can."""
    program = read(files)
    missing = [path for path, text in ((INSTRUCTIONS, program.instructions), (TASK, program.task)) if not text]
    return f"{' and '.join(missing)} holds nothing" if missing else ""


def _text(files: Mapping[str, bytes], path: str) -> str:
    return cut(files.get(path, b"").decode("utf-8", "replace").strip(), MAX_TEXT)


def _attempts(files: Mapping[str, bytes]) -> int:
    try:
        found = json.loads(files.get(SETTINGS, b""))
    except (ValueError, RecursionError):
        return LENT
    value: JSON = found.get("attempts") if isinstance(found, dict) else None
    return max(0, min(value, MOST_LENT)) if isinstance(value, int) and not isinstance(value, bool) else LENT
