"""An agent that is a program of the state: `agent/task_agent.py` answers every step, in the sandbox.

It may ask the acting agent's model, and nothing else. What it does wrong is the agent's own doing and ends its episode,
which is scored as it stands; what could not be started is a fault of the instrument.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from rung.core.canonical import JSON
from rung.core.errors import AgentCrash, InstrumentFault
from rung.core.ports import Model, Ports, Sandbox
from rung.core.values import Action, FeedbackResult, Message, ModelRequest, State, View
from rung.methods._coded import Answer, Bounds, Code, Failed, Returned, action, call, from_model, shown
from rung.methods._coded.acting import MAX_ASKED
from rung.methods._kernel import UNCONFINED

PROGRAM = "agent/task_agent.py"
BOUNDS = Bounds(seconds=10.0, megabytes=512, asks=8)
WIDEST = "\U0001d535"
"""A character that takes as many bytes as any."""

MAX_TOKENS = 2048
"""Of one reply that a program is given."""


@dataclass(slots=True)
class Programmed:
    """One attempt of a program. `memory` is what it gave at its last step."""

    files: Mapping[str, bytes]
    sandbox: Sandbox
    model: Model
    seed: int
    memory: JSON = field(default=None)

    async def act(self, view: View) -> Action:
        """What the program answers. Raises `AgentCrash` where it gives no answer."""
        if getattr(self.sandbox, "rehearsing", False):
            return await self._at_most()
        answers = {"model": from_model(self.model, "agent", max_tokens=MAX_TOKENS)}
        said = await _run(self.sandbox, self.files, {"view": shown(view), "memory": self.memory}, answers, self.seed)
        if isinstance(said, Failed):
            raise AgentCrash(f"{PROGRAM} {said.told()}")
        value = said.value
        if isinstance(value, Mapping) and "answer" in value:
            self.memory = value.get("memory")
            return action(value["answer"])
        return action(value)

    async def _at_most(self) -> Action:
        """All that can be asked in one step, each at its longest. No code runs (see `rung.protocols.rehearsal`)."""
        longest = ModelRequest((Message("user", WIDEST * MAX_ASKED),), "agent", (), MAX_TOKENS)
        for _ in range(BOUNDS.asks - 1):
            await self.model.generate(longest)
        return Action((await self.model.generate(longest)).text)


def actor(state: State, ports: Ports, rng: random.Random) -> Programmed:
    """A program for one attempt."""
    if ports.model is None or ports.sandbox is None or ports.sandbox.name in UNCONFINED:
        raise InstrumentFault("hyperagents", f"{PROGRAM} needs a sandbox that confines it and a model (agent.model)")
    return Programmed(state.part("agent").files, ports.sandbox, ports.model, rng.getrandbits(32))


async def fails(sandbox: Sandbox | None, files: Mapping[str, bytes], feedback: FeedbackResult) -> str:
    """Why a program does not get through a first step like that of an attempt; empty where it does.

    Nobody is asked: whatever it asks its model is answered with what was answered then.
    """
    if PROGRAM not in files:
        return f"{PROGRAM} is gone"
    if sandbox is None or sandbox.name in UNCONFINED:
        return ""
    first = feedback.trajectory[0]

    async def answer(request: JSON) -> JSON:
        return first.action if isinstance(first.action, str) else "1"

    view = View(first.prompt, rules=str(feedback.task.get("rules", "")), family=str(feedback.task.get("family", "")))
    agent = {path: data for path, data in files.items() if path.startswith("agent/")}
    said = await _run(sandbox, agent, {"view": shown(view), "memory": None}, {"model": answer}, 0)
    return f"{PROGRAM} {said.told()}" if isinstance(said, Failed) else ""


async def _run(
    sandbox: Sandbox, files: Mapping[str, bytes], argument: JSON, answers: Mapping[str, Answer], seed: int
) -> Returned | Failed:
    return await call(sandbox, Code(files, PROGRAM, "act"), argument, answers=answers, bounds=BOUNDS, seed=seed)
