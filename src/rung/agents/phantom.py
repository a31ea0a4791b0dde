"""Scripted agents of known true gain. They show what the instrument reports when the truth is known.

A phantom's skill is a file, `agent/skill.json`. For each attempt it draws once: with the probability that the file
names it plays the solver policy of the family's key, else the naive one. Its expected score on a task is therefore
naive + q * (solver - naive), and its true gain is the change of q, in units of (solver - naive). The file holds

    {"general": q, "cells": {"farm-v1 d3": q}, "instances": {"<hash of the first view>": q}}

and the most specific entry counts. `learn` is what a method named `phantom` does with it:

    static      nothing                                         no gain on any rung
    memoriser   knows each instance it has worked               G0
    narrow      better at the family and setting it worked      G0, G1
    general     better at everything                            G0 to G4
    chooser     proposes a better and a ruined self, picks by trial   G0 to G4
    forgetter   worse at each instance it has worked            loss on G0
    regressor   worse at everything                             loss on G0 to G4
    noisy       skill redrawn around its base                   no gain in expectation, much variance between lineages
"""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias, cast

from rung.core.canonical import JSON, canonical, sha256
from rung.core.errors import InstrumentFault, UsageError
from rung.core.options import share, take
from rung.core.ports import Actor, Agent, Policies, Ports
from rung.core.values import Action, FeedbackResult, State, View

SKILL = "agent/skill.json"

Kind: TypeAlias = Literal["static", "memoriser", "narrow", "general", "chooser", "forgetter", "regressor", "noisy"]
Sign: TypeAlias = Literal[-1, 0, 1]

RUNGS: Mapping[Kind, tuple[Sign, Sign, Sign, Sign, Sign]] = MappingProxyType(
    {
        "static": (0, 0, 0, 0, 0),
        "memoriser": (1, 0, 0, 0, 0),
        "narrow": (1, 1, 0, 0, 0),
        "general": (1, 1, 1, 1, 1),
        "chooser": (1, 1, 1, 1, 1),
        "forgetter": (-1, 0, 0, 0, 0),
        "regressor": (-1, -1, -1, -1, -1),
        "noisy": (0, 0, 0, 0, 0),
    }
)
"""The sign of each phantom's true gain on G0, G1, G2, G3, G4."""


@dataclass(frozen=True, slots=True)
class Skill:
    """The probabilities of playing the solver policy, from general to specific."""

    general: float
    cells: Mapping[str, float]
    instances: Mapping[str, float]

    @classmethod
    def read(cls, state: State) -> "Skill":
        """The skill in a state; raises `InstrumentFault` when the file is not one this module wrote."""
        try:
            values = json.loads(state.files[SKILL])
            return cls(float(values["general"]), dict(values["cells"]), dict(values["instances"]))
        except (KeyError, ValueError, TypeError, RecursionError) as error:
            raise InstrumentFault("phantom", f"{SKILL} is missing or not a skill file: {error!r}") from error

    def write(self, state: State) -> State:
        """The state with this skill in it."""
        values: JSON = {"general": self.general, "cells": dict(self.cells), "instances": dict(self.instances)}
        return state.with_files({SKILL: canonical(values).encode()})

    def chance(self, *, instance: str, cell: str) -> float:
        """The probability of playing the solver policy on this instance."""
        return self.instances.get(instance, self.cells.get(cell, self.general))


def instance_name(rules: str, first_sight: str) -> str:
    """What a phantom remembers an instance by: a hash of all that it sees first."""
    return sha256(f"{rules}\x00{first_sight}")[:16]


class PhantomActor:
    """Plays one attempt with the policy that its skill draws on the first view."""

    def __init__(self, skill: Skill, policies: Policies, rng: random.Random) -> None:
        self._skill = skill
        self._policies = policies
        self._draw = rng.random()
        self._policy: Actor | None = None

    async def act(self, view: View) -> Action:
        """The chosen policy's action."""
        if self._policy is None:
            chance = self._skill.chance(instance=instance_name(view.rules, view.text), cell=self._policies.cell)
            self._policy = self._policies.solver() if self._draw < chance else self._policies.naive()
        return await self._policy.act(view)


class Phantom:
    """The configured agent. Acting depends on the skill file alone, so all phantoms act alike on equal states."""

    id = "phantom"
    foreseeable = True  # it asks no model

    def __init__(self, kind: Kind, *, base: float, rate: float, spread: float) -> None:
        self.kind = kind
        self._base = base
        self._rate = rate
        self._spread = spread

    def harness(self) -> Mapping[str, bytes]:
        """The skill file of A_0."""
        return Skill(self._base, {}, {}).write(State()).files

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        """An actor for one attempt; needs the `policies` port, which only the session hands out."""
        if ports.policies is None:
            raise InstrumentFault("phantom", "a phantom was started without the policies port")
        return PhantomActor(Skill.read(state), ports.policies, rng)

    def learn(self, state: State, feedback: FeedbackResult, rng: random.Random) -> Sequence[State]:
        """The states this phantom proposes after one attempt."""
        if not feedback.trajectory:
            return ()
        before = Skill.read(state)
        cell = f"{feedback.task['family']} {feedback.task['setting']}"
        instance = instance_name(str(feedback.task["rules"]), feedback.trajectory[0].prompt)
        up, down = min(1.0, before.general + self._rate), max(0.0, before.general - self._rate)
        here = min(1.0, before.cells.get(cell, before.general) + self._rate)
        after: Mapping[Kind, Sequence[Skill]] = {
            "static": (),
            "memoriser": (Skill(before.general, before.cells, {**before.instances, instance: 1.0}),),
            "narrow": (Skill(before.general, {**before.cells, cell: here}, before.instances),),
            "general": (Skill(up, before.cells, before.instances),),
            "chooser": (
                Skill(up, before.cells, {**before.instances, instance: 1.0}),
                Skill(0.0, {}, {instance: 0.0}),
            ),
            "forgetter": (Skill(before.general, before.cells, {**before.instances, instance: 0.0}),),
            "regressor": (Skill(down, before.cells, before.instances),),
            "noisy": (Skill(self._base + self._spread * (2.0 * rng.random() - 1.0), before.cells, before.instances),),
        }
        return [skill.write(state) for skill in after[self.kind]]

    def true_gain(self, level: Literal["G0", "G1", "G2", "G3", "G4"], *, refinements: int) -> float:
        """The expected change of the solver probability at this level after so many refinements.

        For G0 it is the change between an instance's first play and a replay that many refinements later, taken at
        the start of a lineage (before a limit of 0 or 1 is met; for `chooser` it leaves out what it remembers of the
        instance, so it is a lower bound). For G1 to G4 it is exact when all refinements happened on the trained cell.
        `noisy` is 0 because its redraws are symmetric around its base.
        """
        sign = RUNGS[self.kind][int(level[1])]
        if sign == 0 or refinements == 0:
            return 0.0
        room = 1.0 - self._base if sign > 0 else self._base
        if self.kind in ("memoriser", "forgetter"):
            return sign * room
        if self.kind == "chooser":  # it learns only from what it failed, so its room shrinks geometrically
            return room * (1.0 - (1.0 - self._rate) ** refinements)
        return sign * min(room, self._rate * refinements)


def make(variant: str, options: Mapping[str, JSON]) -> Agent:
    """The phantom of this name. Options: `base` (skill of A_0), `rate` (change per refinement), `spread` (noisy)."""
    where = f"agent.kind = 'phantom:{variant}'"
    kind = next((kind for kind in RUNGS if kind == variant), None)
    if kind is None:
        raise UsageError(f"{where}: no such phantom; there are: {', '.join(RUNGS)}")
    values = take(where, options, {"base": 0.5, "rate": 0.05, "spread": 0.25})
    base, rate, spread = (share(where, key, float(cast(float, values[key]))) for key in ("base", "rate", "spread"))
    if kind == "noisy" and spread > min(base, 1.0 - base):
        raise UsageError(f"{where}: spread = {spread} leaves [0, 1] around base = {base}; lower the spread")
    return Phantom(kind, base=base, rate=rate, spread=spread)


EXAMPLES: tuple[tuple[str, Mapping[str, JSON]], ...] = tuple((kind, {}) for kind in RUNGS)
"""Variants and options with which the contract suite tries this agent."""
