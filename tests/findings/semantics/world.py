"""A ladder of one lineage, written straight into a journal: what each refinement proposed, and what was taken over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rung.core.values import State
from rung.findings.semantics.values import Earlier, Proposal
from rung.store.memory import MemoryJournal
from rung.store.snapshots import JournalSnapshots

NOTES = "agent/memory/notes.md"


def proposal(text: str, *earlier: str, path: str | None = None, before: str | None = None, **more: Any) -> Proposal:
    """A proposal of Sweepmine, held against texts whose ids are e1, e2 ..."""
    held = tuple(Earlier(f"e{number}", each) for number, each in enumerate(earlier, 1))
    about = {"game": "sweepmine-v1", "category": "reasoning", "method": "ace", **more}
    operation = "add" if before is None else "revise"
    return Proposal(id="p", path=path, operation=operation, text=text, before=before, earlier=held, **about)


@dataclass
class World:
    """A study of the arm `main`, whose method is `mine`, on farm-v1."""

    journal: MemoryJournal = field(default_factory=MemoryJournal)
    arm: str = "main"
    game: str = "farm-v1"
    place: int = 0

    def __post_init__(self) -> None:
        self.snapshots = JournalSnapshots(self.journal)
        self.journal.put(
            "plan", "config", {"protocol": "ladder", "arms": [{"name": "main", "method": {"name": "mine"}}]}
        )
        families = {"farm-v1": {"capability": "planning"}, "mc-text-v1": {"capability": "exploring"}}
        self.journal.put("plan", "families", families)
        self.at = self.snapshots.put(State({}), parent=None, message="A_0")

    def start(self, files: Mapping[str, str]) -> None:
        """Another A_0."""
        self.at = self.snapshots.put(_state(files), parent=None, message="A_0")

    def refine(
        self,
        *candidates: Mapping[str, str] | tuple[Mapping[str, str], Mapping[str, Any]],
        chosen: int | None = 0,
        steps: Sequence[Mapping[str, Any]] = (),
        success: bool = False,
        status: str = "completed",
    ) -> str:
        """One attempt and the refinement after it: candidates as files, or as files and a manifest. Its path."""
        self.place += 1
        path = f"{self.arm}/L1/work/{self.place:04d}"
        rules = self.journal.blob(b"Rules of the farm.")
        self.journal.put(path, "served", {"family": self.game, "snapshot": self.at, "rules": rules})
        for number, step in enumerate(steps):
            self.journal.put(f"{path}/step/{number:04d}", "step", {"invalid": False, "reply": "ok", **step})
        self.journal.put(path, "sealed", {"success": success, "score": 0.0, "status": status, "steps": len(steps)})
        kept = []
        for each in candidates:
            files, manifest = each if isinstance(each, tuple) else (each, {})
            snapshot = self.snapshots.put(_state(files), parent=self.at, message="c")
            kept.append({"snapshot": snapshot, "manifest": dict(manifest)})
        self.journal.put(path, "refined", {"candidates": kept})
        taken = chosen if kept else None
        self.at = self.at if taken is None else str(kept[taken]["snapshot"])
        self.journal.put(path, "selected", {"chosen": taken, "snapshot": self.at, "reason": ""})
        return path


def _state(files: Mapping[str, str]) -> State:
    return State({path: text.encode() for path, text in files.items()})
