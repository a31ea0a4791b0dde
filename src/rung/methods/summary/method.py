"""Summary as a method: the episodes are its own memory, and the acting agent is shown what a model made of them."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from types import MappingProxyType

from rung.core.canonical import JSON
from rung.core.errors import ContextOverflow, InstrumentFault
from rung.core.options import Default, Unset, choice, take, temperature, whole
from rung.core.ports import Actor, Agent, Method, Model, Ports, RefineContext
from rung.core.values import (
    Candidate,
    FeedbackResult,
    Message,
    ModelReply,
    ModelRequest,
    Selection,
    Skipped,
    State,
    Trial,
)
from rung.methods import _episodes
from rung.methods._attempt import rules
from rung.methods._episodes import FILTERS, KEEPS, Episodes, Filter, Keep
from rung.methods._hints import COMPOSITIONS, WRAPPING, Composition, hinted
from rung.methods._plain import plain
from rung.methods._selection import take_first

WHERE = "method.name = 'summary'"
FOLDER = "method/history"
TIPS = "agent/memory/tips.md"
MAX_TIPS = 16_000
"""Characters of all tips together."""
DEFAULTS: Mapping[str, Default] = MappingProxyType(
    {
        "composition": "turns",
        "steps": "all",
        "keep": "newest",
        "input_tokens": 100_000,
        "reserve_tokens": 20_000,
        "max_tokens": 2048,
        "temperature": Unset(float),
    }
)


@dataclass(frozen=True, slots=True)
class Summary:
    """Has a model summarize all episodes after each. A state without tips acts as the plain agent does."""

    composition: Composition
    steps: Filter
    keep: Keep
    tokens: int
    max_tokens: int
    temperature: float | None

    needs_model = True
    trials = 0
    most_candidates = 1

    @property
    def id(self) -> str:
        """The name, and what is not usual about it."""
        unusual = (self.steps == "positive", "positive steps"), (self.keep == "oldest", "keeps the oldest")
        return " ".join(["summary", *(words for holds, words in unusual if holds)])

    @property
    def wrapping(self) -> str:
        """The paper's prompt, where that is asked for."""
        return WRAPPING if self.composition == "paper" else ""

    def initial_state(self, agent: Agent) -> State:
        """The agent's harness and nothing more."""
        return State(agent.harness())

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The agent, told the tips."""
        tips = state.files.get(TIPS, b"").decode("utf-8", "replace").strip()
        return hinted(lambda: agent.actor(state, ports, rng), [tips] if tips else [], self.composition, twice=True)

    def fullest(self, state: State, feedback: FeedbackResult) -> State:
        """The state with as much history and as long tips as there are ever (see `rung.protocols.rehearsal`)."""
        widest = "\U0001d535" * min(-(-self.max_tokens // 4), MAX_TIPS)
        return _episodes.filled(state, FOLDER, self.tokens).with_files({TIPS: widest.encode()})

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """Tips anew, of all episodes that there is room for, the newest among them."""
        before = _episodes.read(context.state, FOLDER)
        grown = _episodes.grown(before, context.log, self.steps)
        kept, dropped = _episodes.fitting(grown, self.tokens, self.keep)
        if kept == before:
            return Skipped(_episodes.why_same(dropped))
        if context.ports.model is None:
            raise InstrumentFault(f"method {self.id}", "has no model to summarize with; give method.model")
        read, dropped, reply = await self._summarized(context.ports.model, context.feedback, grown)
        tips = _tips(reply.text)
        if not tips:
            return Skipped("the reply holds no text")
        state = _episodes.written(context.state, FOLDER, before, read)
        about = {**_episodes.manifest(context.feedback, FOLDER, read, dropped), "files": [TIPS]}
        about |= {"characters": len(tips), "cut_off": reply.stop_reason == "length" or len(tips) == MAX_TIPS}
        return [Candidate(context.snapshot, state.with_files({TIPS: f"{tips}\n".encode()}), about)]

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """The candidate as it is."""
        return take_first(trials)

    async def _summarized(
        self, model: Model, feedback: FeedbackResult, grown: Episodes
    ) -> tuple[Episodes, int, ModelReply]:
        """The episodes that the model could read, how many steps are left out, and what it says of them.

        Where they are too long for it all the same, it is asked again with half as much.
        """
        tokens = self.tokens
        while True:
            kept, dropped = _episodes.fitting(grown, tokens, self.keep)
            try:
                return kept, dropped, await model.generate(self._asked(feedback, kept))
            except ContextOverflow:
                if not kept:
                    raise
                tokens = _episodes.tokens(kept) // 2

    def _asked(self, feedback: FeedbackResult, kept: Episodes) -> ModelRequest:
        history = "\n".join(_episodes.shown(kept))
        asked = Template(_prompt("ask")).substitute(rules=rules(feedback), history=history)
        messages = (Message("system", _prompt("system")), Message("user", asked))
        return ModelRequest(messages, "improver", max_tokens=self.max_tokens, temperature=self.temperature)


@cache
def _prompt(name: str) -> str:
    return (Path(__file__).parent / f"{name}.md").read_text("utf-8").strip()


def _tips(said: str) -> str:
    """A reply as tips: its lines made plain."""
    lines = (plain(line) for line in said.splitlines())
    return "\n".join(line for line in lines if line)[:MAX_TIPS]


def make(options: Mapping[str, JSON]) -> Method:
    """Summary, with the options of `history`, `max_tokens` and `temperature` (docs/guide/explore.md)."""
    values = take(WHERE, options, DEFAULTS)
    return Summary(
        composition=choice(WHERE, "composition", values["composition"], COMPOSITIONS),
        steps=choice(WHERE, "steps", values["steps"], FILTERS),
        keep=choice(WHERE, "keep", values["keep"], KEEPS),
        tokens=_episodes.room(
            WHERE,
            whole(WHERE, "input_tokens", values["input_tokens"], least=1),
            whole(WHERE, "reserve_tokens", values["reserve_tokens"]),
        ),
        max_tokens=whole(WHERE, "max_tokens", values["max_tokens"], least=1),
        temperature=temperature(WHERE, values["temperature"]),
    )


EXAMPLES: tuple[Mapping[str, JSON], ...] = (
    {},
    {"composition": "paper", "steps": "positive", "keep": "oldest", "input_tokens": 50, "reserve_tokens": 0},
)
"""Options with which the contract suite tries this method."""
