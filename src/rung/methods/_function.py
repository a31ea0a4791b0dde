"""A user's own function as a method: `refine(feedback, files)` gives the agent's new texts, or None for no change."""

import random
from collections.abc import Callable, Mapping, Sequence

from rung.core.canonical import JSON
from rung.core.errors import UsageError
from rung.core.options import take, whole
from rung.core.ports import Actor, Agent, Ports, RefineContext
from rung.core.values import Candidate, Selection, State, Trial
from rung.core.waiting import settle
from rung.methods._selection import keep_best, take_first


class FunctionMethod:
    """A method made of one function, plain or async. With `trials` above 0 a change must beat the incumbent."""

    wrapping = ""

    def __init__(self, function: Callable[..., object], *, name: str, options: Mapping[str, JSON]) -> None:
        self.id = f"function {name}"
        where = f"method.name = {name!r}"
        self.trials = whole(where, "trials", take(where, options, {"trials": 0})["trials"])
        self.function = function

    def initial_state(self, agent: Agent) -> State:
        """The agent's harness and nothing more."""
        return State(agent.harness())

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The agent as it is."""
        return agent.actor(state, ports, rng)

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """At most one candidate: the texts the function gives back replace all files under `agent/`."""
        own = context.state.part("agent").files
        files = {path.removeprefix("agent/"): data.decode("utf-8", "replace") for path, data in own.items()}
        changed = await settle(self.function, context.feedback, files)
        if changed is None:
            return ()
        state = State({**_others(context.state), **_encoded(changed)})
        return [Candidate(context.snapshot, state, {"refined_by": self.id})]

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """The candidate as it is, or, with trials, only if it beat the incumbent."""
        if self.trials == 0:
            return take_first(trials)
        return keep_best(incumbent, trials)


def _others(state: State) -> Mapping[str, bytes]:
    return {path: data for path, data in state.files.items() if not path.startswith("agent/")}


def _encoded(changed: object) -> Mapping[str, bytes]:
    if not isinstance(changed, Mapping) or not all(isinstance(text, str) for text in changed.values()):
        raise UsageError(f"refine(feedback, files) must return texts by name or None, returned {changed!r:.80}")
    return {f"agent/{name}": text.encode() for name, text in changed.items()}
