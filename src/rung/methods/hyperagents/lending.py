"""What an improver is lent of the past: the latest attempts as texts, and a line for every node.

The scores of a node are those of the attempts that it made itself. Exams are no part of it, and neither is any other
lineage: there is nothing here but what the method was told.
"""

from collections.abc import Mapping, Sequence

from rung.core.canonical import JSON
from rung.core.ports import FeedbackLog
from rung.core.values import FeedbackResult
from rung.methods._attempt import attempt, cut, ending, rules
from rung.methods.hyperagents.archive import Archive, Measured

FOLDER = "evaluations/"
OVERVIEW = f"{FOLDER}overview.md"
MAX_ATTEMPT = 30_000
"""Characters of one attempt."""


def measured(feedback: FeedbackResult) -> Measured | None:
    """What an attempt scored, and where; None where the lens hides it, or nothing was measured."""
    told = feedback.evaluation
    return None if told is None else Measured(bucket(feedback), told.score)


def bucket(feedback: FeedbackResult) -> str:
    """Family and setting."""
    return f"{feedback.task.get('family')} {feedback.task.get('setting')}"


def lent(log: FeedbackLog, archive: Archive, values: Mapping[str, float], many: int) -> Mapping[str, str]:
    """The files under `evaluations/`, by path."""
    numbers = range(max(0, len(log) - many), len(log))
    texts = {f"{FOLDER}attempt_{number + 1:04d}.md": cut(_told(log[number]), MAX_ATTEMPT) for number in numbers}
    return {OVERVIEW: _overview(archive, values), **texts}


def _told(feedback: FeedbackResult) -> str:
    parts = (bucket(feedback), rules(feedback), attempt(feedback), ending(feedback))
    heads = ("Task", "Rules", "What was seen and done", "How it ended")
    return "\n\n".join(f"# {head}\n\n{text}" for head, text in zip(heads, parts, strict=True)) + "\n"


def _overview(archive: Archive, values: Mapping[str, float]) -> str:
    lines = ["node, made from, attempts, scores of the latest ten, value, what it is"]
    for node in archive.nodes:
        scores = [f"{each.score:.4g}" for each in archive.measured(node.id)]
        value = f"{values[node.id]:.3f}" if node.id in values else "none yet"
        about = [
            *(["acts now"] if node.id == archive.acting else []),
            *([f"no parent: {node.unfit}"] if node.unfit else []),
        ]
        columns = (node.id, node.parent or "nobody", str(len(scores)), " ".join(scores[-10:]) or "none", value)
        lines.append(", ".join((*columns, "; ".join(about) or "kept")))
    return "\n".join(lines) + "\n"


def view(log: FeedbackLog, archive: Archive, values: Mapping[str, float], many: int) -> Mapping[str, JSON]:
    """The same as values, for an improver's functions."""
    told: Sequence[FeedbackResult] = [log[number] for number in range(max(0, len(log) - many), len(log))]
    attempts: list[JSON] = [
        {
            "task": bucket(each),
            "attempt": attempt(each),
            "ending": ending(each),
            "score": each.evaluation.score if each.evaluation is not None else None,
        }
        for each in told
    ]
    nodes: list[JSON] = [
        {
            "id": node.id,
            "parent": node.parent,
            "scores": [each.score for each in archive.measured(node.id)],
            "value": values.get(node.id),
            "children": archive.children(node.id),
            "unfit": node.unfit,
        }
        for node in archive.nodes
    ]
    return {"attempts": attempts, "nodes": nodes}
