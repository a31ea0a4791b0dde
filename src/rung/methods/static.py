"""The frozen agent: nothing is refined. The control of every ladder."""

import random
from collections.abc import Mapping, Sequence

from rung.core.canonical import JSON
from rung.core.options import take
from rung.core.ports import Actor, Agent, Method, Ports, RefineContext
from rung.core.values import Candidate, FeedbackResult, Selection, State, Trial


class Static:
    """Proposes nothing, so that A_T is A_0."""

    id = "static"
    trials = 0
    wrapping = ""
    most_candidates = 0

    def initial_state(self, agent: Agent) -> State:
        """The agent's harness and nothing more."""
        return State(agent.harness())

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The agent as it is."""
        return agent.actor(state, ports, rng)

    def fullest(self, state: State, feedback: FeedbackResult) -> State:
        """The state as it is: nothing is ever added (see `rung.protocols.rehearsal`)."""
        return state

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """No candidates."""
        return ()

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """The incumbent."""
        return Selection(None, "static")


def make(options: Mapping[str, JSON]) -> Method:
    """The static method; it has no options."""
    take("method.name = 'static'", options, {})
    return Static()
