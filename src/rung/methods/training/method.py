"""The method: wait for enough episodes, make examples of them, train, and name the weights in the state."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import cast

from rung.core.canonical import JSON
from rung.core.errors import ContextOverflow, InstrumentFault, ModelFault, UsageError
from rung.core.options import Default, Unset, choice, share, take, whole
from rung.core.ports import Actor, Agent, Method, Model, Ports, RefineContext
from rung.core.training import Diverged, Example, Extent, TrainSpec, named_in, naming
from rung.core.values import Call, Candidate, FeedbackResult, Message, ModelRequest, Selection, Skipped, State, Trial
from rung.methods._selection import take_first
from rung.methods.training.lessons import (
    FILTERS,
    SHUFFLES,
    Filter,
    Lesson,
    Shuffle,
    answer_of,
    kept,
    played,
    shuffled,
)

EXTENTS: tuple[Extent, ...] = ("adapter", "full")
DEFAULTS: Mapping[str, Default] = {
    "every": 3,
    "filter": "task",
    "share": 0.25,
    "bar": 0.0,
    "correct": False,
    "shuffle": "none",
    "epochs": 1,
    "rate": Unset(float),
    "batch": 8,
    "extent": "adapter",
}
BETTER = "You have been here before, answered {answer}, and judged that this earns {judged:g}. Give a better answer."


@dataclass(frozen=True, slots=True)
class Training:
    """Trains the weights that the agent acts with, every so many episodes, on the episodes since the last time.

    It wraps nothing: an agent whose state names no weights acts as in any other method, so its A_0 is theirs.
    """

    every: int
    filter: Filter
    share: float
    bar: float
    correct: bool
    shuffle: Shuffle
    spec: TrainSpec
    id: str = "training"
    trials: int = 0
    wrapping: str = ""
    most_candidates: int = 1
    needs_model: bool = True
    trains: bool = True  # so the model has to be one that can be trained

    def initial_state(self, agent: Agent) -> State:
        """The agent's harness; no weights are named, and the model acts with its own."""
        return State(agent.harness())

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The agent as it is: it names the weights of its state itself."""
        return agent.actor(state, ports, rng)

    def fullest(self, state: State, feedback: FeedbackResult) -> State:
        """The state as it is: no prompt grows by what was learned (see `rung.protocols.rehearsal`)."""
        return state

    async def exhaust(self, context: RefineContext) -> None:
        """Ask for every step of as many episodes as are trained on at once, where low steps are answered anew."""
        if self.correct and context.ports.model is not None:
            asked = ModelRequest((Message("user", _longest(context.feedback)),), "improver")
            for _ in range(self.every * len(context.feedback.trajectory)):
                await context.ports.model.generate(asked)

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """One candidate that names new weights, or why there is none."""
        if len(context.log) % self.every:
            return ()
        episodes = [played(context.log[place]) for place in range(len(context.log) - self.every, len(context.log))]
        chosen = kept(shuffled(episodes, self.shuffle, context.rng), self.filter, share=self.share, bar=self.bar)
        better = await _corrected(chosen.low, context) if self.correct else []
        examples = [*chosen.examples, *better]
        if not examples:
            return Skipped(chosen.why_none)
        about = {**chosen.counts, "corrected": len(better), "examples": len(examples)}
        return await self._trained(context, examples, about)

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """The new weights, as they are: they are tried at the next checkpoint."""
        return take_first(trials)

    async def _trained(
        self, context: RefineContext, examples: Sequence[Example], about: Mapping[str, JSON]
    ) -> Sequence[Candidate]:
        if context.ports.trainer is None:
            raise InstrumentFault("training", "was started without a trainer; the agent's model cannot be trained")
        spec = replace(self.spec, seed=context.rng.getrandbits(32))
        base = named_in(context.state)
        try:
            weights = await context.ports.trainer.train(base, examples, spec)
        except Diverged as lost:
            return Skipped(f"the weights it had are kept: {lost.detail}")
        manifest = {**about, "format": weights.format, "weights": weights.sha256}
        return [Candidate(context.snapshot, naming(context.state, weights), manifest)]


async def _corrected(low: Sequence[Lesson], context: RefineContext) -> list[Example]:
    """The same requests with another answer, where the model had one when it was told its own judgement."""
    model = context.ports.model
    if model is None:
        raise InstrumentFault("training", "correct = true asks a model for better answers, and there is none")
    weights = named_in(context.state)
    found = []
    for lesson in low:
        request = replace(lesson.example.request, weights=weights.sha256 if weights is not None else None)
        better = await _better(model, _told_so(request, lesson, context.rng))
        if better is not None and better != lesson.example.answer:
            found.append(replace(lesson.example, answer=better))
    return found


def _told_so(request: ModelRequest, lesson: Lesson, rng: random.Random) -> ModelRequest:
    """The request with the agent's own judgement in front, and a draw of its own where it was a draw."""
    note = Message("system", BETTER.format(answer=str(lesson.example.answer)[:400], judged=lesson.judged or 0.0))
    seed = None if request.seed is None else rng.getrandbits(53)
    return replace(request, messages=(note, *request.messages), seed=seed)


async def _better(model: Model, request: ModelRequest) -> str | Call | None:
    """Another answer; None where the model gave none of use."""
    try:
        return answer_of(await model.generate(request))
    except (ModelFault, ContextOverflow):
        return None


def _longest(feedback: FeedbackResult) -> str:
    return (
        str(feedback.task["rules"]) + max((step.prompt for step in feedback.trajectory), key=len, default="") + BETTER
    )


def make(options: Mapping[str, JSON]) -> Method:
    """The training pathway. Its options are in docs/guide/training.md."""
    where = "method.name = 'training'"
    values = take(where, options, DEFAULTS)
    filtered = choice(where, "filter", values["filter"], FILTERS)
    correct = values["correct"] is True
    if correct and filtered != "step":
        raise UsageError(
            f"{where}: correct = true answers low steps anew, and filter = {filtered!r} has none; give 'step'"
        )
    rate = cast("float | None", values["rate"])
    if rate is not None and not (isfinite(rate) and rate > 0.0):
        raise UsageError(f"{where}: rate is a number above 0, seen {rate!r}; leave it out for the model's own")
    spec = TrainSpec(
        epochs=whole(where, "epochs", values["epochs"], least=1),
        rate=rate,
        batch=whole(where, "batch", values["batch"], least=1),
        extent=choice(where, "extent", values["extent"], EXTENTS),
    )
    return Training(
        every=whole(where, "every", values["every"], least=1),
        filter=filtered,
        share=share(where, "share", cast(float, values["share"])),
        bar=cast(float, values["bar"]),
        correct=correct,
        shuffle=choice(where, "shuffle", values["shuffle"], SHUFFLES),
        spec=spec,
    )


EXAMPLES: tuple[Mapping[str, JSON], ...] = ({}, {"every": 1, "filter": "step", "correct": True})
"""Options with which the contract suite tries this method."""
