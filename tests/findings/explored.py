"""An exploring study's record, written by hand: what is found in it is worked out by hand too."""

from collections.abc import Mapping, Sequence
from typing import Any

from rung.core.canonical import canonical
from rung.store.memory import MemoryJournal

Written = Mapping[str, Any]


def step(
    view: str,
    action: str,
    *,
    said: float | None = None,
    earned: float | None = 0.0,
    invalid: bool = False,
    reply: str = "done",
) -> Written:
    """One step, as `explore` tests write it."""
    return {"view": view, "action": action, "said": said, "earned": earned, "invalid": invalid, "reply": reply}


def episode(
    journal: MemoryJournal,
    path: str,
    steps: Sequence[Written],
    *,
    told: Sequence[float | None] | None = None,
    fault: bool = False,
    payload: Mapping[str, Any] | None = None,
    metrics: Mapping[str, Any] | None = None,
) -> None:
    """Write an exploration episode as the protocol writes it."""
    journal.put(path, "served", {"payload": journal.blob(canonical(payload or {}).encode())})
    for number, each in enumerate(steps):
        value = {
            "view": journal.blob(each["view"].encode()),
            "answer": {"text": each["action"]},
            "self_score": each["said"],
            "score": each["earned"],
            "invalid": each["invalid"],
            "reply": each["reply"],
        }
        journal.put(f"{path}/step/{number:04d}", "step", value)
    if fault:
        journal.put(path, "sealed", {"fault": {"where": "family", "detail": "broke"}, "steps": len(steps)})
        return
    journal.put(path, "sealed", {"score": 0.0, "success": False, "steps": len(steps), "metrics": dict(metrics or {})})
    scores = [each["said"] for each in steps] if told is None else list(told)
    journal.put(path, "judged", {"by": "itself" if told is None else "verdict", "scores": scores, "unread": {}})


def plan(journal: MemoryJournal, *, reward: Sequence[float] | None = (0.0, 4.0), judge: str = "itself") -> None:
    """The parts of a plan that the findings read: what a step can earn, and who judges."""
    journal.put("plan", "families", {"game-v1": {"reward": None if reward is None else list(reward)}})
    journal.put("arm", "arm", {"judge": judge})
