"""Attempts at a small task as a method is told of them, a scripted agent, and an improver that follows a list."""

import asyncio
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.backends.sandbox.commands import Commands
from rung.core.canonical import JSON
from rung.core.ports import Actor, Method, Ports, RefineContext, Sandbox
from rung.core.seeds import Seed
from rung.core.values import (
    Action,
    Candidate,
    Evaluation,
    FeedbackResult,
    ModelReply,
    ModelRequest,
    State,
    Step,
    View,
)
from rung.methods.ahe import make
from rung.testing.models import Scripted

BOX = Commands(Bubblewrap(grace=0.2))
SYSTEM = b"You are given tasks.\nAnswer with one number.\n"
PARENT = "a" * 40
COUNT = "def run(arguments):\n    return len(arguments['text'])\n"
COUNT_ABOUT = json.dumps(
    {"description": "Count letters.", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}
)


def feedback(number: int = 1, *, score: float = 0.0, setting: str = "d1", hidden: bool = False) -> FeedbackResult:
    task: Mapping[str, JSON] = {
        "family": "lock-v1",
        "setting": setting,
        "rules": "Answer with one number.",
        "payload": {},
    }
    steps = (Step(0, f"The lock shows {number}.", (), "3", "wrong", success=False),)
    evaluation = None if hidden else Evaluation("completed", success=score >= 1.0, score=score)
    return FeedbackResult(f"h-{number}", task, steps, evaluation)


@dataclass
class Agent:
    """Answers with what a function makes of the view; remembers the views."""

    says: Callable[[View], Action] = lambda view: Action("7")
    views: list[View] = field(default_factory=list)
    id: str = "scripted"

    def harness(self) -> Mapping[str, bytes]:
        return {"agent/system.md": SYSTEM}

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        return _Acts(self)


@dataclass
class _Acts:
    agent: Agent

    async def act(self, view: View) -> Action:
        self.agent.views.append(view)
        return self.agent.says(view)


def improver(*calls: Mapping[str, object]) -> Scripted:
    """Writes a report for each attempt, and makes these calls in turn in a session; then it finishes."""
    left = [dict(each) for each in calls]

    def answer(request: ModelRequest) -> str | ModelReply:
        if "evidence/" not in request.messages[-1].text and "You work with tools" not in request.messages[0].text:
            return "It guessed. A rule in the prompt would help."
        return json.dumps(left.pop(0) if left else {"tool": "finish", "changes": []})

    return Scripted(answer)


def write(path: str, text: str) -> Mapping[str, object]:
    return {"tool": "write", "path": path, "text": text}


def finish(
    *files: str, fixes: Sequence[str] = ("lock-v1 d1",), risk: Sequence[str] = (), why: str = "It guessed."
) -> dict[str, object]:
    change = {"description": why, "files": list(files), "predicted_fixes": list(fixes), "risk": list(risk)}
    return {"tool": "finish", "changes": [change]}


@dataclass
class World:
    """A method, its agent, and all that it was told so far."""

    method: Method
    agent: Agent = field(default_factory=Agent)
    told: list[FeedbackResult] = field(default_factory=list)
    sandbox: Sandbox | None = BOX
    state: State = field(init=False)

    def __post_init__(self) -> None:
        self.state = self.method.initial_state(self.agent)

    def refine(self, model: Scripted, *told: FeedbackResult) -> Sequence[Candidate]:
        """What it proposes after these attempts; a candidate becomes the state."""
        self.told += told or [feedback(len(self.told) + 1)]
        context = RefineContext(
            PARENT, self.state, self.told[-1], self.told, self.agent, Ports(model, self.sandbox), Seed("w").rng()
        )
        found: Sequence[Candidate] = asyncio.run(self.method.refine(context))
        self.state = found[0].state if found else self.state
        return found

    def act(self, view: View, *, many: int = 1) -> list[Action]:
        """What the agent does in this state, in one attempt."""
        actor = self.method.actor(self.state.acting(), self.agent, Ports(sandbox=self.sandbox), random.Random(1))

        async def attempt() -> list[Action]:
            return [await actor.act(view) for _ in range(many)]

        return asyncio.run(attempt())


def world(agent: Agent | None = None, **options: JSON) -> World:
    return World(make(options), agent or Agent())
