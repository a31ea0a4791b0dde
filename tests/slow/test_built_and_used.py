"""The real Claude Code over a scripted model: what it builds is found, and which of it each of its forks used.

Slow because every session is a real program in a real sandbox; skipped where Claude Code is not installed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from protocols.programs import MODEL, Run
from protocols.studies import LOCK
from rung.agents.command import PROGRAMS
from rung.backends import programs
from rung.core.config import Config, parse
from rung.core.proxied import Answer, Heard, Said, ToolCall
from rung.findings.adoption import Attempt
from rung.reports.markdown import markdown

FACTS = PROGRAMS["claude-code"]
NOTES = "/home/agent/.claude/CLAUDE.md"
GUARD = "def check(turns):\n    assert turns < 30, 'too many turns for one box'\n    return turns\n"
RUNNER = "import guard\nprint('checked', guard.check(3))\n"
UNUSED = "Something that no session ever looks at again."


def bash(command: str) -> ToolCall:
    return ToolCall("Bash", {"command": command, "description": "work"})


WORKS: Sequence[ToolCall] = (
    ToolCall("Write", {"file_path": NOTES, "content": "Every box is opened by its own number, and by no other.\n"}),
    ToolCall("Edit", {"file_path": NOTES, "old_string": "no other", "new_string": "nothing else"}),
    ToolCall("Write", {"file_path": "/workspace/guard.py", "content": GUARD}),
    ToolCall("Write", {"file_path": "/workspace/runner.py", "content": RUNNER}),
    ToolCall("Write", {"file_path": "/workspace/unused.md", "content": UNUSED}),
    bash("cd /workspace && python3 runner.py"),
    bash("python3 - <<'E'\ndef gone():\n    return 1\nprint(gone())\nE"),
)
USES: Sequence[Sequence[ToolCall]] = (
    (bash("python3 runner.py"), bash("cat /opt/unused.md")),
    (bash("cd /workspace && python3 -c 'from guard import check; print(check(2))'"), bash("ls -la")),
)


def spawn(heard: Heard) -> ToolCall:
    """Work for an agent of its own, by the name that this version has for that."""
    name = "Agent" if heard.offer("Agent") is not None else "Task"
    told = {"description": "look", "prompt": "Look at the lid.", "subagent_type": "general-purpose"}
    return ToolCall(name, told)


@dataclass
class Brain:
    """Works its tasks, then builds; in an exam it uses what the number of its task says, and answers."""

    exams: list[str] = field(default_factory=list)

    def __call__(self, heard: Heard) -> Answer:
        begun = [at for at, turn in enumerate(heard.turns) if turn.author == "user" and "Begin." in turn.text]
        if not begun:
            return Said(("Looked.",))
        mine = heard.turns[begun[-1] :]
        made = sum(len(turn.calls) for turn in mine)
        said = [result.text for turn in mine for result in turn.results]
        handles = [found[1] for text in said if (found := re.search(r"^task: (\S+)", text, re.MULTILINE))]
        if not said:
            return self._tasks(heard, "get_task")
        whole = heard.system + "".join(turn.text for turn in heard.turns)
        if "There is one task for you" in whole:
            return self._exam(heard, said, handles, made)
        return self._work(heard, said, handles, made)

    def _tasks(self, heard: Heard, verb: str, **arguments: Any) -> Answer:
        offer = heard.named(verb)
        assert offer is not None
        return Said((ToolCall(offer.name, arguments, namespace=offer.namespace),))

    def _work(self, heard: Heard, said: list[str], handles: list[str], made: int) -> Answer:
        ended = sum("has ended" in text for text in said)
        if any("no more tasks" in text for text in said):
            dry = next(at for at, text in enumerate(said) if "no more tasks" in text)
            works = (spawn(heard), *WORKS)
            at = made - dry - 1
            return Said((works[at],)) if at < len(works) else Said(("Done.",))
        if ended < len(handles):
            return self._tasks(heard, "answer", task=handles[-1], value=1)
        return self._tasks(heard, "get_task")

    def _exam(self, heard: Heard, said: list[str], handles: list[str], made: int) -> Answer:
        if handles[0] not in self.exams:
            self.exams.append(handles[0])
        uses = USES[self.exams.index(handles[0]) % 2] if "guard" in str(heard.turns[:-1]) else ()
        if made <= len(uses):
            return Said((uses[made - 1],))
        return self._tasks(heard, "answer", task=handles[0], value=1) if made == len(uses) + 1 else Said(("Done.",))


def config() -> Config:
    return parse(
        {
            "name": "built and used",
            "protocol": "cell",
            "lineages": 1,
            "agent": {"kind": "command:claude-code", "model": MODEL},
            "cell": {"sentinels": 0},
            "exam": {"repeats": 1, "reruns": 0},
            "budget": {"tokens": 10**9},
            "tasks": {"schedule": [{**LOCK, "count": 2}], "holdout": [{**LOCK, "count": 2}]},
        }
    )


def uses(attempt: Attempt) -> set[tuple[str, str]]:
    return {(use.artifact, use.manner) for use in attempt.uses}


@pytest.mark.slow
def test_what_claude_code_built_and_what_its_forks_used_is_found(tmp_path: Path):
    assert FACTS.package is not None
    if programs.version("claude-code", FACTS.package.name) is None:
        pytest.skip("claude-code is not installed; `rung doctor --install-agent claude-code` installs it")
    report = Run(tmp_path, config(), Brain()).run().report()
    (built,) = report.inventory
    pieces = {each.path: each for each in built.pieces if each.kind == "files"}
    assert set(pieces) >= {"home/.claude/CLAUDE.md", "workspace/guard.py", "workspace/runner.py", "workspace/unused.md"}
    note = pieces["home/.claude/CLAUDE.md"]
    assert (note.how, note.writes, note.first, note.tail, note.entry) == ("written", 2, 2, True, True)
    assert built.tasks == 2
    assert [(each.path, each.runs) for each in built.scripts] == [("workspace/runner.py", 1)]
    assert [each.name for each in built.lost] == ["gone"]
    assert [each.text.partition(": ")[2] for each in built.subagents] == ["Look at the lid."]
    assert built.present == ("files kept", "subagents", "guardrails in code")
    (used,) = report.adoption
    assert [attempt.conversation for attempt in used.attempts] == [True, True]
    loaded = ("home/.claude/CLAUDE.md", "loaded")
    planted = [{("workspace/runner.py", "run"), loaded}, {("workspace/guard.py", "imported"), loaded}]
    found = [uses(attempt) for attempt in used.attempts]
    assert found in (planted, planted[::-1])
    assert "What its forks used" in markdown(report)
