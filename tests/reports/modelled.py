"""A small study of chat agents over a scripted model with a price, whose every try is on a bill of its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rung.agents import chat
from rung.backends.models.gateway import Gateway
from rung.backends.models.scripted import Said, Scripted
from rung.core.config import ModelConfig, PriceConfig, parse
from rung.core.errors import ContextOverflow, ModelFault
from rung.core.values import ModelReply, ModelRequest, Usage
from rung.methods import reflexion, static
from rung.protocols import launch
from rung.protocols.study import Arm
from rung.reports import ladder
from rung.reports.values import LadderReport
from rung.store.journal import SqliteJournal
from rung.testing.toys.toy_lock_v1.game import FAMILY as LOCK

MODEL = "compatible/a-model"
PRICE = PriceConfig(input=2.0, output=10.0, cached=0.5, date="2026-11-30")
CELL = {"family": "toy-lock-v1", "difficulty": 1}
TASKS: Mapping[str, Any] = {
    "replay": {"interval": 2, "lag": 2},
    "schedule": [{**CELL, "count": 6, "replay": True}],
    "holdout": [{**CELL, "count": 6}],
}
CACHED = 7  # tokens of every request that come from the provider's cache

Script = Callable[[ModelRequest], Said]


def shown(request: ModelRequest) -> int:
    """The number on the lock that the agent looks at."""
    return int(request.messages[-1].text.rsplit("shows ", 1)[1].rstrip("."))


ADVICE = "look twice at the number before you answer"


def learns(request: ModelRequest) -> str:
    """Knows a third of the answers, and all of them once it has read its own advice."""
    if request.role == "improver":
        return ADVICE
    advised = any(ADVICE in message.text for message in request.messages)
    number = shown(request)
    return str(LOCK.answer_to(number) if advised or number % 3 == 0 else 0)


@dataclass
class Billed:
    """A script with the provider's own account: dollars and tries of everything that it was asked."""

    script: Script
    unmetered: Callable[[ModelRequest], bool] = lambda request: False
    usd: float = 0.0
    tries: int = 0

    def __call__(self, request: ModelRequest, number: int) -> Said:
        said = self.script(request)
        self.tries += 1
        if not isinstance(said, str):
            return said
        usage = Usage(sum(len(m.text.split()) for m in request.messages), len(said.split()), cached_tokens=CACHED)
        self.usd += ((usage.input_tokens or 0) * 2.0 + CACHED * 0.5 + (usage.output_tokens or 0) * 10.0) / 1e6
        return ModelReply(said, "a-model-2026", "stop", None if self.unmetered(request) else usage)


def config(**more: Any) -> Any:
    """Two lineages of an arm that reflects and of one that cannot, on the toy lock."""
    agent = {"kind": "chat", "model": MODEL, "max_tokens": 20}
    return parse(
        {
            "name": "modelled",
            "protocol": "ladder",
            "lineages": 2,
            "arms": [
                {"name": "mirror", "agent": agent, "method": {"name": "reflexion", "max_tokens": 20}},
                {"name": "still", "agent": agent, "method": {"name": "static"}},
            ],
            "tasks": TASKS,
            **more,
        }
    )


def arms(billed: Billed, price: PriceConfig | None = PRICE) -> tuple[Arm, ...]:
    """The arms of `config` over one gateway."""
    gateway = Gateway(MODEL, Scripted(billed), ModelConfig(), price=price, live=False)
    agent = chat.make("", {"max_tokens": 20})
    methods: Mapping[str, Any] = {"mirror": reflexion.make({"max_tokens": 20}), "still": static.make({})}
    return tuple(Arm(name, agent, method, model=gateway, improver=gateway) for name, method in methods.items())


def run(folder: Path, billed: Billed, *, price: PriceConfig | None = PRICE, **more: Any) -> Path:
    """The journal of the study in this folder."""
    launch.run(config(**more), folder, arms=arms(billed, price))
    return folder / "journal.sqlite"


def report(file: Path) -> LadderReport:
    """What the report says of it."""
    journal = SqliteJournal(file, read_only=True)
    try:
        return ladder.read(journal)
    finally:
        journal.close()


def troubled(request: ModelRequest) -> Said:
    """Right on some locks and wrong on others, and now and then empty, useless, or too long for the model."""
    if request.role == "improver":
        return ADVICE
    number = shown(request)
    if number % 11 == 0:
        return ""
    if number % 11 == 1:
        return ModelFault("model a-model", "answered 400: no")
    if number % 11 == 2:
        return ContextOverflow("a-model answered 400: context_length_exceeded")
    return str(LOCK.answer_to(number)) if number % 2 else "what was the question?"
