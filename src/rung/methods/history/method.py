"""History as a method: the episodes are its memory, and the acting agent is shown them all."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rung.core.canonical import JSON
from rung.core.options import Default, choice, take, whole
from rung.core.ports import Actor, Agent, Method, Ports, RefineContext
from rung.core.values import Candidate, FeedbackResult, Selection, Skipped, State, Trial
from rung.methods import _episodes
from rung.methods._episodes import FILTERS, KEEPS, Filter, Keep
from rung.methods._hints import COMPOSITIONS, WRAPPING, Composition, hinted
from rung.methods._selection import take_first

WHERE = "method.name = 'history'"
FOLDER = "agent/memory/history"
DEFAULTS: Mapping[str, Default] = MappingProxyType(
    {"composition": "turns", "steps": "all", "keep": "newest", "input_tokens": 100_000, "reserve_tokens": 20_000}
)


@dataclass(frozen=True, slots=True)
class History:
    """Keeps what was seen, done and judged. A state without episodes acts as the plain agent does."""

    composition: Composition
    steps: Filter
    keep: Keep
    tokens: int

    trials = 0
    most_candidates = 1

    @property
    def id(self) -> str:
        """The name, and what is not usual about it."""
        unusual = (self.steps == "positive", "positive steps"), (self.keep == "oldest", "keeps the oldest")
        return " ".join(["history", *(words for holds, words in unusual if holds)])

    @property
    def wrapping(self) -> str:
        """The paper's prompt, where that is asked for."""
        return WRAPPING if self.composition == "paper" else ""

    def initial_state(self, agent: Agent) -> State:
        """The agent's harness and nothing more."""
        return State(agent.harness())

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The agent, told all steps of earlier episodes."""
        pieces = list(_episodes.shown(_episodes.read(state, FOLDER)))
        return hinted(lambda: agent.actor(state, ports, rng), pieces, self.composition)

    def fullest(self, state: State, feedback: FeedbackResult) -> State:
        """The state with as much history as there is ever room for (see `rung.protocols.rehearsal`)."""
        return _episodes.filled(state, FOLDER, self.tokens)

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """The history with the newest episode in it, and without what there is no more room for."""
        before = _episodes.read(context.state, FOLDER)
        grown = _episodes.grown(before, context.log, self.steps)
        kept, dropped = _episodes.fitting(grown, self.tokens, self.keep)
        if kept == before:
            return Skipped(_episodes.why_same(dropped))
        state = _episodes.written(context.state, FOLDER, before, kept)
        return [Candidate(context.snapshot, state, _episodes.manifest(context.feedback, FOLDER, kept, dropped))]

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """The candidate as it is."""
        return take_first(trials)


def make(options: Mapping[str, JSON]) -> Method:
    """History, with `composition`, `steps`, `keep`, `input_tokens` and `reserve_tokens` (docs/guide/explore.md)."""
    values = take(WHERE, options, DEFAULTS)
    return History(
        composition=choice(WHERE, "composition", values["composition"], COMPOSITIONS),
        steps=choice(WHERE, "steps", values["steps"], FILTERS),
        keep=choice(WHERE, "keep", values["keep"], KEEPS),
        tokens=_episodes.room(
            WHERE,
            whole(WHERE, "input_tokens", values["input_tokens"], least=1),
            whole(WHERE, "reserve_tokens", values["reserve_tokens"]),
        ),
    )


EXAMPLES: tuple[Mapping[str, JSON], ...] = (
    {},
    {"composition": "paper", "steps": "positive", "keep": "oldest", "input_tokens": 50, "reserve_tokens": 0},
)
"""Options with which the contract suite tries this method."""
