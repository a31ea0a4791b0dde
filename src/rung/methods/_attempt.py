"""An attempt as a method shows it to its improver: rules, steps and ending as text, each cut to what a prompt bears."""

from collections.abc import Iterator, Sequence

from rung.core.canonical import canonical
from rung.core.values import Call, FeedbackResult, Step

MAX_RULES = 6_000
MAX_ATTEMPT = 12_000
MAX_PIECE = 2_000
"""Characters shown of the rules, of the attempt as a whole, and of one text in it. The middle is cut out."""

NONE = "(none)"


def rules(feedback: FeedbackResult) -> str:
    """The rules of the task."""
    return cut(str(feedback.task["rules"]), MAX_RULES) or NONE


def attempt(feedback: FeedbackResult) -> str:
    """What was seen, done and answered, step by step."""
    return cut("\n".join(_told(feedback.trajectory)), MAX_ATTEMPT) or NONE


def cut(text: str, most: int) -> str:
    """A text of at most so many characters and a mark; what is too much is taken from the middle.

    >>> cut("abcdefghij", 4)
    'ab\\n[6 characters left out]\\nij'
    """
    text = text if text.isascii() else text.encode("utf-8", "replace").decode()
    if len(text) <= most:
        return text
    head, tail = most - most // 2, most // 2
    return f"{text[:head]}\n[{len(text) - most} characters left out]\n{text[len(text) - tail :]}"


def _told(trajectory: Sequence[Step]) -> Iterator[str]:
    for step in trajectory:
        yield f"Step {step.index + 1}"
        yield f"Seen: {cut(step.prompt, MAX_PIECE)}"
        yield f"Done: {cut(spelt(step.action), MAX_PIECE)}"
        if step.response:
            yield f"Answered: {cut(step.response, MAX_PIECE)}"
        if step.feedback:
            yield f"Said of it: {cut(step.feedback, MAX_PIECE)}"


def spelt(action: str | Call) -> str:
    """An action as text."""
    return action if isinstance(action, str) else f"{action.tool} {canonical(action.arguments)}"


def ending(feedback: FeedbackResult) -> str:
    """How it ended and what was measured."""
    measured = feedback.evaluation
    if measured is None:
        return NONE
    lines = [f"{measured.status}, {'solved' if measured.success else 'not solved'}, score {measured.score!r}"]
    if measured.metrics:
        lines.append(f"Measured: {cut(canonical(measured.metrics), MAX_PIECE)}")
    if measured.feedback:
        lines.append(f"Said of it: {cut(measured.feedback, MAX_PIECE)}")
    return "\n".join(lines)
