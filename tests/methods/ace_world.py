"""A lock, an agent that answers with what it was told, and improvers that follow a script."""

import asyncio
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rung.core.ports import Ports, RefineContext
from rung.core.values import Action, Call, Evaluation, FeedbackResult, ModelReply, ModelRequest, State, Step, View
from rung.methods.ace import make
from rung.testing.models import Scripted

HAPPENED = {
    "happened": "I said 3 and it was wrong.",
    "cause": "I guessed.",
    "better": "Work it out.",
    "lesson": "Work the answer out before you say it.",
}
NOTE = "Work the answer out from the number shown."
OTHER = "Count the turns that are left."
VIEW = View("The lock shows 7.", rules="Open the lock.", family="lock-v1", setting="d1")


def step(index=0, *, prompt="The lock shows 7.", action: str | Call = "I say 3.", **told):
    return Step(index, prompt, (), action, "wrong", **told)


def feedback(*steps, name="h-17", success=False, score=0.25, said=None, **changes):
    task = {"family": "lock-v1", "setting": "d1", "rules": "Open the lock.", "payload": {}}
    measured = Evaluation("completed", success=success, score=score, feedback=said, metrics={"right": 0})
    return replace(FeedbackResult(name, task, steps or (step(),), measured), **changes)


@dataclass(frozen=True)
class Agent:
    """An agent that answers with the rules it was told."""

    id: str = "agent"
    files: tuple[str, ...] = ("agent/system.md",)

    def harness(self):
        return dict.fromkeys(self.files, b"Be brief.")

    def actor(self, state, ports, rng):
        return Echo()


class Echo:
    async def act(self, view):
        return Action(view.rules)


AGENT = Agent()
START = State(AGENT.harness())


def reflected(*tags: tuple[str, str], **changes: str) -> str:
    return json.dumps({**HAPPENED, **changes, "tags": [{"id": name, "tag": tag} for name, tag in tags]})


def curated(*operations: Mapping[str, Any]) -> str:
    return json.dumps({"reason": "It was missing.", "operations": list(operations)})


def add(text: str = NOTE, section: str = "strategies") -> Mapping[str, str]:
    return {"op": "ADD", "section": section, "text": text}


def update(name: str, text: str) -> Mapping[str, str]:
    return {"op": "UPDATE", "id": name, "text": text}


def delete(name: str) -> Mapping[str, str]:
    return {"op": "DELETE", "id": name, "why": "It misled."}


def merge(text: str, *names: str) -> Mapping[str, Any]:
    return {"op": "MERGE", "ids": list(names), "text": text}


def says(*replies: str | ModelReply | Exception) -> Scripted:
    """An improver that gives these replies one after the other; errors are raised."""
    left = iter(replies)

    def answer(request: ModelRequest) -> str | ModelReply:
        reply = next(left)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return Scripted(answer)


def by_role(reflects: Callable[[ModelRequest], str], curates: Callable[[ModelRequest], str]) -> Scripted:
    """An improver with a script for each of its two questions."""

    def answer(request: ModelRequest) -> str:
        return curates(request) if "THE PLAYBOOK" in request.messages[1].text else reflects(request)

    return Scripted(answer)


def refined(model, told=None, *, state=START, **options):
    context = RefineContext("a" * 40, state, told or feedback(), (), AGENT, Ports(model=model), random.Random(1))
    return asyncio.run(make(options).refine(context))


def taught(*replies, state=START, told=None, **options):
    """The one candidate that comes of a reflection and a curation."""
    (candidate,) = refined(says(*replies), told, state=state, **options)
    return candidate


def after(*curations, **options):
    """The state after attempts that were curated so."""
    state = START
    for curation in curations:
        state = taught(reflected(), curation, state=state, **options).state
    return state


def bullets(state) -> list[str]:
    """The bullets as an agent is shown them."""
    records = map(json.loads, state.files["agent/memory/playbook.jsonl"].decode().splitlines())
    return [f"[{each['id']}] {each['text']}" for each in records]


def counts(state, variant="repaired") -> dict[str, tuple[int, int, int]]:
    path = {"repaired": "method/counters.jsonl", "faithful": "agent/memory/counters.jsonl"}[variant]
    records = map(json.loads, state.files[path].decode().splitlines())
    return {each["id"]: (each["helpful"], each["harmful"], each["used"]) for each in records}


def acted(state, *views, agent=AGENT, **options):
    actor = make(options).actor(state.acting(), agent, Ports(), random.Random(1))

    async def play():
        return [(await actor.act(view)).answer for view in views]

    return asyncio.run(play())
