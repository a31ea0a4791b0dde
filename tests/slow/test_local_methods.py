"""Methods with the local model, held to their forms by a grammar: something is kept, and what is of no use is counted.

No gain is expected of it. What is measured is that a real model gets through every part. ACE has a file of its own.
"""

import asyncio
import random
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from rung.agents.chat import make as chat
from rung.backends.models.local import make as local
from rung.backends.models.local import weights
from rung.core import registry
from rung.core.ports import Method, Ports, RefineContext
from rung.core.seeds import Seed
from rung.core.values import Evaluation, FeedbackResult, ModelReply, ModelRequest, Skipped, State, Step
from rung.testing.toys.toy_lock_v1.game import FAMILY as LOCK

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(weights.missing()) or not weights.converted(), reason="needs the local model: rung doctor --install-model"
    ),
]
TASKS = 10
AGENT = chat("", {})
SMALL: Mapping[str, Any] = {"replies": "choices", "temperature": 1.0, "max_tokens": 160, "calls": 5, "shown": 12_000}
METHODS: Mapping[str, Mapping[str, Any]] = {
    "reflexion": {"name": "reflexion", "max_tokens": 96},
    "gepa": {"name": "gepa", "question": "general", "max_tokens": 160, "temperature": 1.0},
    "hyperagents": {"name": "hyperagents", **SMALL},
    "ahe": {"name": "ahe", "replies": "choices", "temperature": 1.0, "max_tokens": 160, "turns": 8},
    "hyperagents direct": {"name": "hyperagents", "variant": "direct", **SMALL},
}


class Local:
    """The local model as a method's port."""

    def __init__(self) -> None:
        self.within = local("smollm2")

    async def generate(self, request: ModelRequest) -> ModelReply:
        return await self.within.once(request)


def attempt(number: int) -> FeedbackResult:
    """An attempt at a lock that was answered wrongly."""
    task = LOCK.draw(LOCK.setting("d1"), Seed("local methods").child(number))
    (shown,) = task.payload["numbers"]
    said = f"The right answer to {shown} was {LOCK.answer_to(shown)}."
    step = Step(
        0, f"The lock shows {shown}.", (), "0", "The answer was taken.", success=False, score=0.0, feedback=said
    )
    about = {"family": LOCK.id, "setting": "d1", "rules": LOCK.rules(task), "payload": task.payload}
    return FeedbackResult(f"h-{number}", about, (step,), Evaluation("completed", success=False, score=0.0))


def made(options: Mapping[str, Any]) -> Method:
    module = registry.load("methods", str(options["name"]))
    method: Method = module.make({key: value for key, value in options.items() if key != "name"})
    return method


async def until_kept(method: Method) -> tuple[State | None, list[str]]:
    """The first state that was proposed, and why each attempt before it was of no use."""
    model, skipped, log = Local(), list[str](), list[FeedbackResult]()
    state = method.initial_state(AGENT)
    try:
        for number in range(TASKS):
            log.append(attempt(number))
            rng = random.Random(number)
            context = RefineContext("a" * 40, state, log[-1], log, AGENT, Ports(model=model), rng)
            found = await method.refine(context)
            if found:
                assert dict(found[0].state.files) != dict(state.files)
                return found[0].state, skipped
            skipped.append(found.reason if isinstance(found, Skipped) else "nothing was proposed")
        return None, skipped
    finally:
        await model.within.close()


@pytest.mark.parametrize("name", METHODS)
def test_within_ten_short_tasks_something_is_kept_and_what_is_of_no_use_is_counted(name: str):
    state, skipped = asyncio.run(until_kept(made(METHODS[name])))
    sys.stdout.write(f"{name}: {len(skipped)} updates of no use before the first that was kept\n")
    assert all(skipped)
    assert state is not None, f"{len(skipped)} of {TASKS} of no use: {skipped}"
