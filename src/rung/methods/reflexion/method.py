"""Reflexion as a method: what it shows the acting agent, and what it makes of an attempt."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rung.core.canonical import JSON
from rung.core.errors import InstrumentFault, UsageError
from rung.core.options import Default, Unset, choice, take, temperature, whole
from rung.core.ports import Actor, Agent, Method, Ports, RefineContext
from rung.core.surface import Surface
from rung.core.values import Candidate, FeedbackResult, Selection, Skipped, State, Trial, View
from rung.methods._selection import keep_best, take_first
from rung.methods._telling import told
from rung.methods.reflexion import memory
from rung.methods.reflexion.memory import MAX_CHARACTERS, MEMORY, Reflection, Variant
from rung.methods.reflexion.writing import EARLIER, Decoding, Written, prompt, write

WHERE = "method.name = 'reflexion'"
VARIANTS: tuple[Variant, ...] = ("bucket", "instance")
WIDEST, WIDTH = "\U0001d535", 4
"""A character that takes as many bytes as any, and how many."""
DEFAULTS: Mapping[str, Default] = MappingProxyType(
    {"variant": "bucket", "window": 3, "keep": 200, "max_tokens": 512, "temperature": Unset(float), "trials": 0}
)


@dataclass(frozen=True, slots=True)
class Reflexion:
    """Reflects on failures.

    `wrapping` is empty because a state without reflections acts exactly as the plain agent: nothing at all is rendered,
    not even a header. A_0 is such a state, so a static arm and an arm of the other variant share its exam; that is why
    an agent that brings reflections of its own is refused.
    """

    variant: Variant
    window: int
    keep: int
    decoding: Decoding
    trials: int

    needs_model = True
    wrapping = ""
    most_candidates = 1
    surface = Surface(write=(MEMORY,))

    @property
    def id(self) -> str:
        """Name and variant."""
        return f"reflexion {self.variant}"

    def initial_state(self, agent: Agent) -> State:
        """The agent's harness and nothing more."""
        state = State(agent.harness())
        if MEMORY in state.files:
            raise UsageError(f"{WHERE} keeps its reflections in {MEMORY}, and agent {agent.id!r} has it; rename it")
        return state

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The agent, told the newest reflections that apply to its task."""
        inner = agent.actor(state, ports, rng)
        reflections = memory.read(state)

        def text_for(view: View) -> str:
            applying = memory.applying(reflections, memory.place_of_view(view), self.variant)
            lines = [f"- {each.text}" for each in memory.last(applying, self.window)]
            return "\n".join([prompt(f"heading_{self.variant}"), *lines]) if lines else ""

        return told(inner, text_for) if reflections else inner

    def fullest(self, state: State, feedback: FeedbackResult) -> State:
        """The state with as many and as long reflections as are shown at once, all made of this attempt.

        A byte counts as a token there (see `rung.protocols.rehearsal`): a reflection has as many as its reply may have
        tokens, or as the characters that are kept of it can take.
        """
        longest = WIDEST * min(-(-self.decoding.max_tokens // WIDTH), MAX_CHARACTERS)
        many = max(self.window, EARLIER)
        return memory.write(state, memory.split([memory.made(feedback, longest)] * many, self.keep)[1])

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """One more reflection after a failure; nothing after a success, or where the verdict is hidden."""
        feedback = context.feedback
        if not _failed(feedback):
            return ()
        if context.ports.model is None:
            raise InstrumentFault(f"method {self.id}", "has no model to reflect with; give method.model or agent.model")
        before = memory.read(context.state)
        earlier = memory.applying(before, memory.place_of_feedback(feedback), self.variant)
        written = await write(context.ports.model, feedback, earlier, self.decoding)
        if written.text is None:
            return Skipped(f"no reply was a reflection: {'; '.join(written.reasons)}")
        new = memory.made(feedback, written.text)
        dropped, kept = memory.split([*before, new], self.keep)
        return [
            Candidate(context.snapshot, memory.write(context.state, kept), _manifest(feedback, new, dropped, written))
        ]

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """The candidate as it is, or, with trials, only if it beat the incumbent."""
        return keep_best(incumbent, trials) if self.trials else take_first(trials)


def _failed(feedback: FeedbackResult) -> bool:
    """Whether there is something to reflect on: an attempt with steps that is known to have failed."""
    return feedback.evaluation is not None and not feedback.evaluation.success and bool(feedback.trajectory)


def _manifest(
    feedback: FeedbackResult, new: Reflection, dropped: Sequence[Reflection], written: Written
) -> Mapping[str, JSON]:
    opinions: list[JSON] = [{"op": "add", "id": new.id, "text": new.text}]
    opinions += [{"op": "retract", "id": each.id, "text": each.text} for each in dropped]
    return {
        "kind": "new",
        "surface": "memory",
        "files": [MEMORY],
        "evidence": [feedback.id],
        "opinions": opinions,
        "dropped": len(dropped),
        "sent_back": list(written.reasons),
    }


def make(options: Mapping[str, JSON]) -> Method:
    """Reflexion, with `variant`, `window`, `keep`, `max_tokens`, `temperature`, `trials` (docs/guide/reflexion.md)."""
    values = take(WHERE, options, DEFAULTS)
    return Reflexion(
        variant=choice(WHERE, "variant", values["variant"], VARIANTS),
        window=whole(WHERE, "window", values["window"]),
        keep=whole(WHERE, "keep", values["keep"], least=1),
        decoding=Decoding(
            max_tokens=whole(WHERE, "max_tokens", values["max_tokens"], least=1),
            temperature=temperature(WHERE, values["temperature"]),
        ),
        trials=whole(WHERE, "trials", values["trials"]),
    )


EXAMPLES: tuple[Mapping[str, JSON], ...] = ({}, {"variant": "instance", "trials": 1, "keep": 2})
"""Options with which the contract suite tries this method."""
