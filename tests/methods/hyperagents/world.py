"""A lock, an agent that is a prompt, and improvers that follow a script."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rung.agents.chat import make as chat
from rung.core.ports import Ports, RefineContext, Sandbox
from rung.core.values import Candidate, Evaluation, FeedbackResult, State, Step
from rung.methods.hyperagents import make
from rung.testing.improvers import Says
from rung.testing.models import Scripted

AGENT = chat("", {})
RIGHT = "The right answer to 7 was 12345."


def told(score: float = 0.0, *, name: str = "h-1", setting: str = "d1", **changes: Any) -> FeedbackResult:
    """An attempt at a lock with this score."""
    step = Step(
        0, "The lock shows 7.", (), "0", "The answer was taken.", success=score > 0, score=score, feedback=RIGHT
    )
    about = {"family": "toy-lock-v1", "setting": setting, "rules": "Answer with one number.", "payload": {}}
    measured = Evaluation("completed", success=score > 0, score=score)
    return replace(FeedbackResult(name, about, (step,), measured), **changes)


def begun(**options: Any) -> State:
    return make(options).initial_state(AGENT)


def refined(
    says: Says | Scripted,
    *,
    state: State | None = None,
    log: Sequence[FeedbackResult] | None = None,
    sandbox: Sandbox | None = None,
    seed: int = 1,
    **options: Any,
) -> Sequence[Candidate]:
    """What is proposed after these attempts, of which the last is new."""
    method, attempts = make(options), log or [told()]
    ports = Ports(model=says if isinstance(says, Scripted) else Scripted(says), sandbox=sandbox)
    before = method.initial_state(AGENT) if state is None else state
    context = RefineContext("a" * 40, before, attempts[-1], attempts, AGENT, ports, random.Random(seed))
    return asyncio.run(method.refine(context))


def child(says: Says | Scripted, **how: Any) -> Candidate:
    """The one candidate."""
    (candidate,) = refined(says, **how)
    return candidate


def text(state: State, path: str) -> str:
    return state.files[path].decode()
