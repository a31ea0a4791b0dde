"""Studies whose attempts are of varying length, to hold plans against: phantoms, dawdlers, and chat over a model that
says as much as chance wills, on toy and real games. Each is planned from a pilot of another seed, and then run."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rung.backends.models import scripted
from rung.backends.models.gateway import Gateway
from rung.core.canonical import sha256
from rung.core.config import Config, ModelConfig, PriceConfig, parse
from rung.core.ports import Actor, Ports
from rung.core.seeds import Seed
from rung.core.values import Action, Call, ModelReply, ModelRequest, State, View
from rung.planning import pilot, study
from rung.planning.pilot import Pilot
from rung.planning.study import StudyPlan
from rung.protocols import launch, quick, wiring
from rung.protocols.study import Arm
from rung.reports import ladder
from rung.reports.values import LadderReport

MODEL = "scripted/chance"
PRICE = PriceConfig(input=2.0, output=10.0, date="2026-11-30")
STUDIES = (
    ("general", "minesweeper-v1", 1),
    ("chat", "nullify-v1", 1),
    ("dawdler", "snake-v1", 1),
    ("noisy", "sweepmine-v1", 1),
    ("reflexion", "chess-v1", 1),
    ("narrow", "pvz-v1", 1),
    ("chat", "toy-road-v1", 2),
    ("dawdler", "minesweeper-v1", 2),
    ("reflexion", "toy-lock-v1", 1),
    ("chooser", "nullify-v1", 2),
)
"""Who works what, and from which difficulty on: nothing here has attempts of one length, or replies of one."""

MAIN = ("attempts", "actions", "calls", "tokens")
"""What a trial has to hold, all at once."""

PILOTS = ("quick", "short", "two lineages")


# --------------------------------------------------------------------------------------------- agents of chance


def some(schema: Any, rng: random.Random) -> Any:
    """A value that a simple schema takes."""
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if schema.get("type") == "object":
        return {name: some(inner, rng) for name, inner in schema.get("properties", {}).items()}
    if schema.get("type") == "integer":
        return rng.randint(schema.get("minimum", 0), schema.get("maximum", 5))
    return scripted.plainest(schema)


@dataclass
class Chance:
    """A backend that thinks aloud for a number of words with a long tail, and then calls some tool with some arguments.

    Every reply is a function of its request.
    """

    async def once(self, request: ModelRequest) -> ModelReply:
        rng = Seed("chance").child(sha256("\n".join(message.text for message in request.messages))).rng()
        thought = " ".join(["well"] * max(1, round(rng.lognormvariate(3.0, 0.9))))
        said = scripted.reply(request, thought, model=MODEL)
        tool = rng.choice(request.tools) if request.tools else None
        calls = (Call(tool.name, some(tool.parameters, rng)),) if tool is not None else ()
        return ModelReply(said.text, MODEL, "tool_calls" if calls else "stop", said.usage, calls)

    async def close(self) -> None:
        pass


@dataclass(frozen=True)
class Dawdler:
    """Says something unreadable before each action, as often as chance wills, and then acts like somebody who does
    not know the game."""

    id: str = "dawdler"
    foreseeable: bool = True

    def harness(self) -> Mapping[str, bytes]:
        return {"agent/pace": b"0.3"}

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        return _Dawdles(rng)


@dataclass
class _Dawdles:
    rng: random.Random

    async def act(self, view: View) -> Action:
        if not view.tools or self.rng.random() < 0.3:
            return Action("well, let me see")
        tool = self.rng.choice(view.tools)
        return Action(Call(tool.name, some(tool.parameters, self.rng)))


# --------------------------------------------------------------------------------------------- studies


@dataclass(frozen=True)
class Trial:
    """One study and its pilot."""

    number: int

    @property
    def kind(self) -> str:
        return STUDIES[self.number % len(STUDIES)][0]

    @property
    def shape(self) -> str:
        return PILOTS[self.number % len(PILOTS)]

    def config(self, seed: str) -> Config:
        rng = Seed("trials").child(self.number, "size").rng()
        _, name, difficulty = STUDIES[self.number % len(STUDIES)]
        cell, harder = ({"family": name, "difficulty": level} for level in (difficulty, difficulty + 1))
        worked, sat = rng.randint(6, 12), rng.randint(6, 12)
        return parse(
            {
                "name": f"trial {self.number}",
                "protocol": "ladder",
                "seed": int(sha256(seed)[:8], 16),
                "lineages": rng.randint(3, 5),
                **self._agent(),
                "exam": {"baseline_repeats": rng.randint(1, 3)},
                "tasks": {
                    "replay": {"interval": 3, "lag": 2},
                    "schedule": [{**cell, "count": worked, "replay": True}],
                    "holdout": [{**cell, "count": sat}, {**harder, "count": sat}],
                },
            }
        )

    def _agent(self) -> dict[str, Any]:
        chat = {"kind": "chat", "model": MODEL, "answers": "tools", "max_tokens": 200}
        of: dict[str, dict[str, Any]] = {
            "dawdler": {"agent": {"kind": "phantom:static"}, "method": {"name": "static"}},
            "chat": {"agent": chat, "method": {"name": "static"}},
            "reflexion": {"agent": chat, "method": {"name": "reflexion", "max_tokens": 150}},
            "chooser": {"agent": {"kind": "phantom:chooser"}, "method": {"name": "phantom", "trials": 1}},
            "noisy": {"agent": {"kind": "phantom:noisy", "spread": 0.3}, "method": {"name": "phantom"}},
        }
        learns = {"agent": {"kind": f"phantom:{self.kind}", "rate": 0.03}, "method": {"name": "phantom"}}
        return of.get(self.kind, learns)

    def arms(self, config: Config) -> tuple[Arm, ...]:
        gateway = Gateway(MODEL, Chance(), ModelConfig(), price=PRICE, live=False)
        made = wiring.arms(config, models={MODEL: gateway} if config.models_used() else {})
        if self.kind != "dawdler":
            return made
        return (Arm("main", Dawdler(), wiring.method(config.every_arm()[0].method)),)

    def run(self, config: Config, seed: str) -> Any:
        return launch.simulate(config, secret=sha256(f"secret {seed}"), arms=self.arms(config))

    def pilot(self) -> Pilot:
        seed = f"pilot {self.number}"
        config = self.config(seed)
        if self.shape == "quick":
            config, _ = quick.shrink(config)
        elif self.shape == "two lineages":
            config = config.model_copy(update={"lineages": 2})
        else:
            config = config.model_copy(update={"lineages": 3})
        return pilot.read(self.run(config, seed))

    def plan(self) -> StudyPlan:
        config = self.config(f"study {self.number}")
        return study.foresee(config, self.arms(config), pilots=[self.pilot()])

    def report(self) -> LadderReport:
        seed = f"study {self.number}"
        return ladder.read(self.run(self.config(seed), seed))


def used(report: LadderReport) -> Mapping[str, float]:
    """What a study used in truth."""
    costs = list(report.totals.values())
    found = {"attempts": float(report.attempts.total), "actions": float(sum(cost.steps for cost in costs))}
    calls = [cost.calls for cost in costs if cost.calls is not None]
    if calls:
        found["calls"] = float(sum(each.made for each in calls))
        found["tokens"] = float(sum(each.tokens or 0 for each in calls))
        found["input_tokens"] = float(sum((each.input_tokens or 0) + (each.cached_tokens or 0) for each in calls))
        found["output_tokens"] = float(sum(each.output_tokens or 0 for each in calls))
    return found


def held(trial: Trial) -> Iterator[tuple[str, float, float, float, float, bool]]:
    """Of one trial each quantity: low, expected, high, what was used, and whether that is inside."""
    plan, truth = trial.plan(), used(trial.report())
    for quantity, value in truth.items():
        amount = plan.amount(quantity)
        assert amount is not None
        assert amount.range is not None, amount.unknown
        found = amount.range
        yield quantity, found.low, found.expected, found.high, value, value in found
