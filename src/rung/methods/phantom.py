"""The method of the scripted agents: the phantom itself says what it learns (see `agents/phantom.py`).

One candidate is taken over as it is. Where a phantom proposes several, each is tried on the instance just worked and
the best is kept, so that trials and selection are exercised by an agent whose right choice is known.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from rung.core.canonical import JSON
from rung.core.errors import UsageError
from rung.core.options import take
from rung.core.ports import Actor, Agent, Method, Ports, RefineContext
from rung.core.values import Candidate, FeedbackResult, Selection, State, Trial
from rung.methods._selection import keep_best


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
    trials = 1
    wrapping = ""

    def initial_state(self, agent: Agent) -> State:
        """The phantom's own beginning."""
        _teachable(agent)
        return State(agent.harness())

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The phantom as it is."""
        return agent.actor(state, ports, rng)

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """What the phantom proposes."""
        phantom = _teachable(context.agent)
        states = phantom.learn(context.state, context.feedback, context.rng)
        return [Candidate(context.snapshot, state, {"learned_by": phantom.kind}) for state in states]

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """The only candidate, or the best of several."""
        if len(trials) == 1:
            return Selection(trials[0].candidate, "the only candidate")
        return keep_best(incumbent, trials)


def make(options: Mapping[str, JSON]) -> Method:
    """The phantoms' method; it has no options."""
    take("method.name = 'phantom'", options, {})
    return PhantomMethod()
