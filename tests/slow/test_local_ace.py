"""ACE with the local model, held to its forms by a grammar: something is kept, or counted as skipped with the reason.

No gain is expected of it. What is measured is that a real model gets through every part.
"""

import asyncio
import random

import pytest

from rung.agents.chat import make as chat
from rung.backends.models.local import make as local
from rung.backends.models.local import weights
from rung.core.ports import Ports, RefineContext
from rung.core.seeds import Seed
from rung.core.values import Evaluation, FeedbackResult, ModelReply, ModelRequest, Skipped, State, Step
from rung.methods.ace import make
from rung.testing.toys.toy_lock_v1.game import FAMILY as LOCK

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(weights.missing()) or not weights.converted(), reason="needs the local model: rung doctor --install-model"
    ),
]
TASKS = 10
AGENT = chat("", {})


class Local:
    """The local model as a method's port."""

    def __init__(self) -> None:
        self.within = local("smollm2")

    async def generate(self, request: ModelRequest) -> ModelReply:
        return await self.within.once(request)


def attempt(number: int) -> FeedbackResult:
    """An attempt at a lock that was answered wrongly."""
    task = LOCK.draw(LOCK.setting("d1"), Seed("local ace").child(number))
    (shown,) = task.payload["numbers"]
    step = Step(0, f"The lock shows {shown}.", (), "0", "The answer was taken.", success=False, score=0.0)
    about = {"family": LOCK.id, "setting": "d1", "rules": LOCK.rules(task), "payload": task.payload}
    return FeedbackResult(f"h-{number}", about, (step,), Evaluation("completed", success=False, score=0.0))


async def until_kept(variant: str) -> tuple[State | None, list[str]]:
    """The first state that holds a bullet, and why each attempt before it was skipped."""
    method, model, skipped = make({"variant": variant, "replies": "tools", "max_tokens": 256}), Local(), list[str]()
    ports, state = Ports(model=model), method.initial_state(AGENT)
    try:
        for number in range(TASKS):
            context = RefineContext("a" * 40, state, attempt(number), (), AGENT, ports, random.Random(1))
            found = await method.refine(context)
            if isinstance(found, Skipped):
                skipped.append(found.reason)
                continue
            state = found[0].state
            if state.files["agent/memory/playbook.jsonl"]:
                return state, skipped
        return None, skipped
    finally:
        await model.within.close()


@pytest.mark.parametrize("variant", ["repaired", "faithful"])
def test_within_ten_short_tasks_something_is_kept_and_what_is_skipped_says_why(variant: str):
    state, skipped = asyncio.run(until_kept(variant))
    assert all(reason.startswith("no reply was a") for reason in skipped)
    assert state is not None, f"{len(skipped)} of {TASKS} skipped: {skipped}"
