"""Sessions of a program, written straight into a journal: what it began with, called, was answered, and left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rung.core.canonical import canonical, sha256
from rung.store.manifests import File, Folder, Link, Manifest, named_once
from rung.store.memory import MemoryJournal

Call = tuple[str, Mapping[str, Any], str]
"""A tool, its arguments, and what came back."""

INSTRUCTION = "Get Better. An MCP server provides a stream of tasks."
NONE_LEFT: Call = ("mcp__tasks__get_task", {}, "There are no more tasks.")


def bash(command: str, result: str = "") -> Call:
    return "Bash", {"command": command}, result


def write(path: str, content: str) -> Call:
    return "Write", {"file_path": path, "content": content}, "File created successfully"


def edit(path: str, old: str, new: str) -> Call:
    return "Edit", {"file_path": path, "old_string": old, "new_string": new}, "The file has been updated"


def read(path: str, result: str = "") -> Call:
    return "Read", {"file_path": path}, result


@dataclass
class World:
    """A journal of a cell of one arm, `claude`, and its exam."""

    journal: MemoryJournal = field(default_factory=MemoryJournal)
    program: str = "command:claude-code"

    def blob(self, value: Any) -> str:
        return self.journal.blob((value if isinstance(value, str) else canonical(value)).encode())

    def manifest(self, files: Mapping[str, str | bytes | None]) -> str:
        """A kept tree; None for a link that leads out of it."""
        entries: dict[str, Any] = {".": Folder(0o755)}
        for path, text in files.items():
            parts = path.split("/")
            for end in range(1, len(parts)):
                entries["/".join(parts[:end])] = Folder(0o755)
            data = text.encode() if isinstance(text, str) else text
            entries[path] = Link("/etc/passwd") if data is None else File(0o644, len(data), self.journal.blob(data))
        return self.blob(Manifest(named_once(entries)).text)

    def snapshot(
        self,
        home: Mapping[str, str | bytes | None] | None = None,
        work: Mapping[str, str | bytes | None] | None = None,
        conversation: str | None = None,
        times: Sequence[Mapping[str, int]] = (),
    ) -> str:
        left = {"home": self.manifest(home or {}), "work": self.manifest(work or {}), "conversation": conversation}
        digest = self.blob(left)
        if times:
            kept = {name: self.blob(each) for name, each in zip(("home", "work"), times, strict=True)}
            self.journal.observe(f"snapshot/{digest}", "times", kept)
        return digest

    def session(
        self,
        path: str,
        began: str,
        calls: Sequence[Call] = (),
        *,
        left: str | None = None,
        system: str = "You are an agent.",
        first: Sequence[str] = ("Begin.",),
        before: Sequence[Mapping[str, Any]] = (),
        seen: bool = True,
        idle: float = 0.0,
        reached: Sequence[str] = (),
    ) -> list[Mapping[str, Any]]:
        """A session with these calls, one a request; its conversation, to be forked. Without `seen` it has no model."""
        journal, leg = self.journal, f"{path}/leg/0001"
        about = {
            "program": self.program,
            "after": "c1" if before else None,
            "instruction": self.blob(INSTRUCTION),
            "snapshot": began,
        }
        journal.put(leg, "began", about)
        network = {"names": list(reached), "bare": [], "asked": [], "incomplete": []}
        journal.put(leg, "departed", {"network": network})
        journal.observe(leg, "leg", {"seconds": 10.0, "idle_seconds": idle})
        journal.put(path, "ended", {"ending": "queue_empty", "detail": "", **({"left": left} if left else {})})
        turns = [*before, {"role": "user", "content": [{"type": "text", "text": text} for text in first]}]
        for number, (tool, arguments, result) in enumerate(calls if seen else ()):
            call = {"type": "tool_use", "id": f"{path}-{number}", "name": tool, "input": dict(arguments)}
            self.exchange(path, number, turns, system, [call])
            failed = result.startswith("ERROR")
            answer = {"type": "tool_result", "tool_use_id": call["id"], "content": result, "is_error": failed}
            turns = [*turns, {"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]
        if seen:
            self.exchange(path, len(calls), turns, system, [{"type": "text", "text": "Done."}])
        return turns

    def exchange(self, path: str, number: int, turns: Sequence[Any], system: str, content: Sequence[Any]) -> None:
        request = {
            "head": {},
            "system": self.blob(canonical([{"type": "text", "text": f"{system}\n{INSTRUCTION}"}])),
            "tools": self.blob("[]"),
            "messages": [self.blob(canonical(turn)) for turn in turns],
        }
        answer = {"body": self.blob({"content": list(content)}), "model": "m", "stop": "", "error": ""}
        value = {"wire": "anthropic-messages", "came": "answered", "request": request, "answer": answer}
        self.journal.put(f"{path}/exchange/{number:06d}", "exchange", value)

    # ------------------------------------------------------------------------------------------ tasks

    def task(self, path: str, *, view: str = "A box.", score: float = 1.0, status: str = "completed") -> list[Call]:
        """A task on record that one call ends, and the calls that worked it."""
        handle = f"t-{sha256(path)[:12]}"
        self.journal.put(path, "served", {"handle": handle})
        self.journal.put(f"{path}/step/0000", "step", {"view": self.blob(view)})
        self.journal.put(path, "sealed", {"status": status, "score": score, "steps": 1})
        return [
            ("mcp__tasks__get_task", {}, f"task: {handle}\n\n{view}"),
            ("mcp__tasks__answer", {"task": handle, "value": 1}, f"Task {handle} has ended.\nscore: {score:g}"),
        ]

    def exam(self, tasks: int, *, unit: str = "share", shipped: str | None = None) -> str:
        """The exam on record, with an A_0 that scores 0 on each of its tasks; the snapshot of A_0."""
        empty = shipped or self.snapshot()
        self.journal.put("claude", "arm", {"control": None, "A_0": "A0.abc123", "snapshot": empty})
        self.journal.put("plan", "families", {"box-v1": {"scale": {"unit": unit, "low": 0, "high": 1, "floor": 0}}})
        for number in range(1, tasks + 1):
            self.journal.put(f"plan/exam/{number:04d}", "task", {"family": "box-v1"})
            self.journal.put(f"exam/A0.abc123/{number:04d}/1", "sealed", {"score": 0.0, "steps": 1})
        return empty

    def sat(self, lineage: int, task: int, score: float | None, *, again: int = 0) -> str:
        """An after-exam attempt's outcome, and where it is."""
        path = f"exam/claude.L{lineage}/{task:04d}/1" + (f"/again/{again}" if again else "")
        fault = {"fault": {"where": "model", "detail": "gone"}, "steps": 0}
        self.journal.put(path, "sealed", fault if score is None else {"score": score, "steps": 1})
        return path
