"""The method of the scripted agents: the phantom itself says what it learns (see `agents/phantom.py`).

Without trials its first candidate is taken over as it is. With `trials = n` each candidate is tried n times on the
instance just worked and the best is kept, so that trials and selection are exercised by an agent whose right choice is
known: the `chooser`, which needs them.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from rung.core.canonical import JSON
from rung.core.errors import UsageError
from rung.core.options import take, whole
from rung.core.ports import Actor, Agent, Method, Ports, RefineContext
from rung.core.values import Candidate, FeedbackResult, Selection, State, Trial
from rung.methods._selection import keep_best, take_first


@runtime_checkable
class Teachable(Protocol):
    """An agent that says itself what it learns."""

    kind: str

    def learn(self, state: State, feedback: FeedbackResult, rng: random.Random) -> Sequence[State]:
        """The states it proposes after one attempt."""
        ...


def _teachable(agent: Agent) -> Teachable:
    if not isinstance(agent, Teachable):
        raise UsageError(
            f"method.name = 'phantom' goes with agent.kind = 'phantom:<name>', seen agent {agent.id!r}; "
            "choose another method for this agent"
        )
    return agent


class PhantomMethod:
    """Lets the phantom learn."""

    id = "phantom"
    wrapping = ""
    most_candidates = 2

    def __init__(self, *, trials: int) -> None:
        self.trials = trials

    def initial_state(self, agent: Agent) -> State:
        """The phantom's own beginning."""
        if _teachable(agent).kind == "chooser" and self.trials == 0:
            raise UsageError("agent.kind = 'phantom:chooser' chooses by trial; give method.trials = 1, seen 0")
        return State(agent.harness())

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The phantom as it is."""
        return agent.actor(state, ports, rng)

    def fullest(self, state: State, feedback: FeedbackResult) -> State:
        """The state as it is: a phantom asks no model, whatever it has learned (see `rung.protocols.rehearsal`)."""
        return state

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """What the phantom proposes."""
        phantom = _teachable(context.agent)
        states = phantom.learn(context.state, context.feedback, context.rng)
        return [Candidate(context.snapshot, state, {"learned_by": phantom.kind}) for state in states]

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """The first candidate, or with trials the best."""
        if self.trials == 0:
            return take_first(trials)
        return keep_best(incumbent, trials)


def make(options: Mapping[str, JSON]) -> Method:
    """The phantoms' method. Option: `trials`, attempts per candidate before one is kept (0: taken without)."""
    where = "method.name = 'phantom'"
    return PhantomMethod(trials=whole(where, "trials", take(where, options, {"trials": 0})["trials"]))


EXAMPLES: tuple[Mapping[str, JSON], ...] = ({}, {"trials": 1})
"""Options with which the contract suite tries this method."""
