"""The chat agent: options, the actor of one attempt, and what of a reply is the answer."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from rung.agents.chat.conversation import Turn, messages, spelt
from rung.core.canonical import JSON
from rung.core.errors import EmptyReply, InstrumentFault, ModelFault, UsageError
from rung.core.options import Default, Unset, choice, take, temperature, whole
from rung.core.ports import Actor, Agent, Model, Ports
from rung.core.training import named_in
from rung.core.values import Action, Call, ModelReply, ModelRequest, State, View

SYSTEM = "agent/system.md"
"""The file of its state with the system message of every conversation. Beside it the agent reads `agent/weights.json`,
which names the weights that its model acts with (see `rung.core.training`)."""

Answers: TypeAlias = Literal["text", "tools"]
Refusals: TypeAlias = Literal["score", "fault"]

ANSWERS: tuple[Answers, ...] = ("text", "tools")
REFUSALS: tuple[Refusals, ...] = ("score", "fault")
ALL = -1
SEED_BITS = 53
"""Any JSON reader keeps a whole number of so many bits."""
REFUSED = ("content_filter", "refusal")
"""Why a reply stopped that was taken away or withheld, and is no accident."""

DEFAULTS: Mapping[str, Default] = MappingProxyType(
    {
        "answers": "text",
        "history": ALL,
        "temperature": Unset(float),
        "max_tokens": 2048,
        "refusals": "score",
        "seeded": False,
    }
)


@dataclass(frozen=True, slots=True)
class Manner:
    """How it asks its model, and how it reads the reply.

    `history` is how many earlier steps of the attempt it shows again, ALL for every one. `refusals` says what a reply
    is that a content filter has left empty: an answer that is invalid, or a fault. `seeded` gives each request a seed
    of its own, for models that draw by one: else they answer the same with the same in every attempt.
    """

    answers: Answers
    history: int
    temperature: float | None
    max_tokens: int
    refusals: Refusals
    seeded: bool = False

    def request(self, system: str, turns: list[Turn], view: View) -> ModelRequest:
        """What the model is asked."""
        kept = turns if self.history == ALL else turns[max(0, len(turns) - self.history) :]
        return ModelRequest(
            messages(system, kept, view),
            "agent",
            tools=view.tools if self.answers == "tools" else (),
            max_tokens=self.max_tokens,
            temperature=self.temperature,
        )

    def answer(self, reply: ModelReply) -> Call | str:
        """The first call, else the text.

        Raises `EmptyReply` where there is neither, and `ModelFault` where a filter took them and that is a fault.
        """
        if self.answers == "tools" and reply.calls:
            return reply.calls[0]
        if reply.text.strip():
            return reply.text
        if reply.stop_reason not in REFUSED:
            raise EmptyReply("chat", f"the model's reply was empty (stop reason {reply.stop_reason!r:.80})")
        if self.refusals == "fault":
            raise ModelFault("chat", f"the model's reply is empty ({reply.stop_reason}), and refusals = 'fault'")
        return ""


class ChatActor:
    """One attempt: a conversation of its own."""

    def __init__(self, manner: Manner, model: Model, state: State, rng: random.Random) -> None:
        self._manner = manner
        self._model = model
        self._system = state.files.get(SYSTEM, b"").decode("utf-8", "replace").strip()
        weights = named_in(state)
        self._weights = weights.sha256 if weights is not None else None
        self._rng = rng
        self._turns: list[Turn] = []

    async def act(self, view: View) -> Action:
        """The model's answer to the view. Its faults pass through; `ContextOverflow` ends the attempt as a score."""
        request = self._manner.request(self._system, self._turns, view)
        seed = self._rng.getrandbits(SEED_BITS) if self._manner.seeded else None
        reply = await self._model.generate(replace(request, weights=self._weights, seed=seed))
        answer = self._manner.answer(reply)
        self._turns.append(Turn(view, spelt(reply)))
        return Action(answer)


class Chat:
    """The configured agent. It is named by every option that is not the default, since each changes how it acts."""

    needs_model = True
    foreseeable = True  # it asks most when every reply is as long as it may be (see `rung.protocols.rehearsal`)

    def __init__(self, manner: Manner, *, unusual: str = "") -> None:
        self.id = f"chat{unusual}"
        self.answers = manner.answers
        self.seeded = manner.seeded
        self._manner = manner

    def harness(self) -> Mapping[str, bytes]:
        """The system prompt."""
        return {SYSTEM: (Path(__file__).parent / f"{self._manner.answers}.md").read_bytes()}

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        """An actor for one attempt; needs the `model` port."""
        if ports.model is None:
            raise InstrumentFault("chat", "was started without a model; give agent.model = 'provider/name'")
        return ChatActor(self._manner, ports.model, state, rng)


def make(variant: str, options: Mapping[str, JSON]) -> Agent:
    """The chat agent. Its options are in docs/guide/chat.md."""
    where = "agent.kind = 'chat'"
    if variant:
        raise UsageError(f"{where}: there are no variants, seen {variant!r}; give its options as keys of [agent]")
    values = take(where, options, DEFAULTS)
    manner = Manner(
        answers=choice(where, "answers", values["answers"], ANSWERS),
        history=whole(where, "history", values["history"], least=ALL),
        temperature=temperature(where, values["temperature"]),
        max_tokens=whole(where, "max_tokens", values["max_tokens"], least=1),
        refusals=choice(where, "refusals", values["refusals"], REFUSALS),
        seeded=values["seeded"] is True,
    )
    return Chat(manner, unusual="".join(f" {key}={value}" for key, value in values.items() if _unusual(key, value)))


def _unusual(key: str, value: JSON) -> bool:
    default = DEFAULTS[key]
    return value is not None if isinstance(default, Unset) else value != default


EXAMPLES: tuple[tuple[str, Mapping[str, JSON]], ...] = (
    ("", {}),
    ("", {"answers": "tools", "history": 0, "temperature": 0.0}),
)
"""Variants and options with which the contract suite tries this agent."""
