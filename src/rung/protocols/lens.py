"""What feedback lets through. A study's lens is declared, and applied in this one place."""

from dataclasses import replace

from rung.core.values import FeedbackResult, Lens, Step


def through(lens: Lens, feedback: FeedbackResult) -> FeedbackResult | None:
    """The feedback as the lens shows it: nothing, all of it, or everything but the verdict."""
    if lens == "none":
        return None
    if lens == "full":
        return feedback
    return replace(feedback, trajectory=tuple(map(_without_verdict, feedback.trajectory)), evaluation=None)


def _without_verdict(step: Step) -> Step:
    return replace(step, success=None, score=None, feedback=None)
