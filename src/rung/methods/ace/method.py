"""ACE as a method: what it shows the acting agent, and what it makes of an attempt."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from rung.core.canonical import JSON
from rung.core.errors import InstrumentFault, UsageError
from rung.core.options import Default, Unset, choice, share, take, temperature, whole
from rung.core.ports import Actor, Agent, Method, Model, Ports, RefineContext
from rung.core.surface import Surface
from rung.core.values import Candidate, FeedbackResult, ModelReply, ModelRequest, Selection, Skipped, State, Trial
from rung.methods._attempt import MAX_PIECE
from rung.methods._selection import keep_best, take_first
from rung.methods._telling import told
from rung.methods.ace import answers, playbook
from rung.methods.ace.answers import FIELDS, MAX_REASON, Curation, Reflection, Unusable
from rung.methods.ace.asking import Answer, Decoding, Read, Replies, ask, curating, prompt, reflecting
from rung.methods.ace.operations import Change, tagged
from rung.methods.ace.playbook import BYTES_A_TOKEN, COUNTERS, MAX_CHARACTERS, META, OTHERS, PLAYBOOK, Playbook, Variant
from rung.methods.ace.uses import used

WHERE = "method.name = 'ace'"
VARIANTS: tuple[Variant, ...] = ("repaired", "faithful")
REPLIES: tuple[Replies, ...] = ("text", "tools")
BUDGETS: Mapping[Variant, int] = MappingProxyType({"repaired": 8_000, "faithful": 80_000})
LIKENESS: Mapping[Variant, float | None] = MappingProxyType({"repaired": 0.55, "faithful": None})
BEYOND = 2
"""The faithful variant keeps to no budget. At so many times its budget it takes no more, for a state has to end."""

LARGEST_BUDGET = 120_000
"""Twice as much is just below the size that a file of a state may have."""

MOST_ROUNDS = 3
WIDEST, WIDTH = "\U0001d535", 4
"""A character that takes as many bytes as any, and how many."""

DEFAULTS: Mapping[str, Default] = MappingProxyType(
    {
        "variant": "repaired",
        "budget": Unset(int),
        "likeness": Unset(float),
        "rounds": 1,
        "replies": "text",
        "max_tokens": 4096,
        "temperature": Unset(float),
        "trials": 0,
    }
)


@dataclass(frozen=True, slots=True)
class Ace:
    """Keeps a playbook.

    `wrapping` is empty because a state without bullets acts exactly as the plain agent: nothing is rendered, not even
    headings. So A_0 shares its exam with the static arm, and an agent that brings a playbook of its own is refused.
    """

    variant: Variant
    budget: int
    likeness: float | None
    rounds: int
    decoding: Decoding
    trials: int

    needs_model = True
    wrapping = ""
    most_candidates = 1
    surface = Surface(write=(PLAYBOOK, *COUNTERS.values(), META))

    @property
    def id(self) -> str:
        """Name and variant."""
        return f"ace {self.variant}"

    def initial_state(self, agent: Agent) -> State:
        """The agent's harness and nothing more."""
        state = State(agent.harness())
        for path in {PLAYBOOK, COUNTERS[self.variant]} & set(state.files):
            raise UsageError(f"{WHERE} keeps its playbook in {path}, and agent {agent.id!r} has it; rename it")
        return state

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The agent, told the whole playbook."""
        inner = agent.actor(state, ports, rng)
        known = playbook.read(state, self.variant)
        notes = playbook.shown(known, counts=self.variant == "faithful")
        return told(inner, lambda view: f"{prompt('heading')}\n\n{notes}") if known.bullets else inner

    # ----------------------------------------------------------------------------------------- refining

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """Reflect, then curate. After every attempt with a step in it, solved or not, with a verdict or without."""
        feedback, model = context.feedback, context.ports.model
        if not feedback.trajectory:
            return ()
        if model is None:
            raise InstrumentFault(f"method {self.id}", "has no model to refine with; give method.model or agent.model")
        before = playbook.read(context.state, self.variant)
        names = used(feedback, list(before.by_id()))
        reflected = await self._reflect(model, feedback, before, names)
        if reflected.value is None:
            return Skipped(f"no reply was a reflection: {'; '.join(reflected.reasons)}")
        counted = tagged(before, reflected.value.tags, names or ())
        opening = curating(feedback, counted, reflected.value.spelt(), self.variant, self.budget)
        form = answers.curate_form(self.variant, len(before.bullets))
        curated = await ask(model, opening, form, self._curation(before), self.decoding)
        if curated.value is None:
            return Skipped(f"no reply was a list of operations: {'; '.join(curated.reasons)}")
        change = self._changed(counted, curated.value)
        state = playbook.write(context.state, change.playbook, self.variant)
        reasons = [*reflected.reasons, *curated.reasons]
        manifest = self._manifest(feedback, reflected.value, curated.value, change, reasons)
        return [Candidate(context.snapshot, state, {**manifest, "used": list(names) if names is not None else None})]

    async def _reflect(
        self, model: Model, feedback: FeedbackResult, before: Playbook, names: Sequence[str] | None
    ) -> Answer[Reflection]:
        """One reflection on what was solved; on what was not, as many rounds as there are, each over the one before."""
        notes = self._notes(before, names)
        form = answers.reflect_form(len(notes.bullets))
        solved = feedback.evaluation is not None and feedback.evaluation.success
        answer: Answer[Reflection] = Answer(None)
        reasons: list[str] = []
        for _ in range(1 if solved else self.rounds):
            earlier = answer.value.spelt() if answer.value is not None else ""
            opening = reflecting(feedback, playbook.shown(notes, counts=False), earlier)
            found = await ask(model, opening, form, _reflection(notes), self.decoding)
            reasons += found.reasons
            if found.value is None:
                break
            answer = found
        return Answer(answer.value, tuple(reasons))

    def _notes(self, before: Playbook, names: Sequence[str] | None) -> Playbook:
        """The bullets that are shown with an attempt: those it used; where nobody knows, all of them if repaired."""
        if names is None and self.variant == "repaired":
            return before
        return replace(before, bullets=tuple(each for each in before.bullets if each.id in (names or ())))

    def _curation(self, before: Playbook) -> Read[Curation]:
        known = list(before.by_id())
        return lambda reply, said: answers.curation(reply, known, said, self.variant)

    def _changed(self, counted: Playbook, curated: Curation) -> Change:
        """The playbook after these operations and within its bounds."""
        change = Change(replace(counted, tasks=counted.tasks + 1))
        for operation in curated.operations:
            change.do(operation, self.likeness)
        if self.variant == "repaired":
            change.keep_within(self.budget)
        else:
            change.stop_at(BEYOND * self.budget, counted)
        return change

    def _manifest(
        self,
        feedback: FeedbackResult,
        reflected: Reflection,
        curated: Curation,
        change: Change,
        reasons: Sequence[str],
    ) -> Mapping[str, JSON]:
        kinds = {str(opinion["op"]) for opinion in change.opinions if isinstance(opinion, Mapping)}
        return {
            "kind": "improvement" if kinds - {"add"} else "new" if kinds else "counts",
            "surface": "memory",
            "files": sorted([PLAYBOOK, COUNTERS[self.variant], META]),
            "evidence": [feedback.id],
            "root_cause": reflected.cause,
            "mechanism": reflected.better,
            "opinions": change.opinions,
            "duplicates": change.duplicates,
            "full": change.full,
            "dropped": change.dropped,
            "ignored": curated.ignored,
            "tags": dict(reflected.tags),
            "tokens": playbook.tokens(change.playbook),
            "sent_back": list(reasons),
        }

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """The candidate as it is, or, with trials, only if it beat the incumbent."""
        return keep_best(incumbent, trials) if self.trials else take_first(trials)

    # ----------------------------------------------------------------------------------------- being rehearsed

    def fullest(self, state: State, feedback: FeedbackResult) -> State:
        """The state with the largest playbook there can be (see `rung.protocols.rehearsal`)."""
        return playbook.write(state, _full(self._bound()), self.variant)

    def _bound(self) -> int:
        return self.budget if self.variant == "repaired" else BEYOND * self.budget + self.budget // 10

    async def exhaust(self, context: RefineContext) -> None:
        """Ask all that refining can ask, whatever is answered: every round and repair, each as long as it can be."""
        model, feedback = context.ports.model, context.feedback
        if model is None or not feedback.trajectory:
            return
        everything = playbook.read(context.state, self.variant)
        solved = feedback.evaluation is not None and feedback.evaluation.success
        most = -(-self.decoding.max_tokens // WIDTH)
        reflected = WIDEST * min(most, len(FIELDS) * (answers.MAX_FIELD + 20))
        voluble = _Voluble(model, WIDEST * min(most, MAX_PIECE))
        notes = playbook.shown(everything, counts=False)
        for number in range(1 if solved else self.rounds):
            opening = reflecting(feedback, notes, reflected if number else "")
            await ask(voluble, opening, answers.reflect_form(), _never, self.decoding)
        slack = " " * (SLACK + self.budget // 10)  # for digits of numbers, that of tags counted just now included
        opening = curating(feedback, everything, reflected + slack, self.variant, self.budget)
        await ask(voluble, opening, answers.curate_form(self.variant), _never, self.decoding)


SLACK = 64


@dataclass(frozen=True, slots=True)
class _Voluble:
    """Asks a model and answers with a text of its own, which is the longest that is shown again."""

    inner: Model
    text: str

    async def generate(self, request: ModelRequest) -> ModelReply:
        reply = await self.inner.generate(request)
        return replace(reply, text=self.text, calls=())


def _never(reply: ModelReply, said: Sequence[str]) -> Unusable:
    """Nothing can be used, for the longest of reasons."""
    return Unusable("x" * MAX_REASON)


def _full(bound: int) -> Playbook:
    """A playbook of so many tokens, or hardly more, in as few bullets as can be."""
    full = Playbook()
    while (left := BYTES_A_TOKEN * (bound - playbook.tokens(full))) > 0:
        full = full.added(OTHERS, WIDEST * min(-(-left // WIDTH), MAX_CHARACTERS))
    return full


def _reflection(notes: Playbook) -> Read[Reflection]:
    known = list(notes.by_id())
    return lambda reply, said: answers.reflection(reply, known, said)


def make(options: Mapping[str, JSON]) -> Method:
    """ACE, with `variant`, `budget`, `likeness`, `rounds`, `replies`, `max_tokens`, `temperature`, `trials`.

    What each does: docs/guide/ace.md.
    """
    values = take(WHERE, options, DEFAULTS)
    variant = choice(WHERE, "variant", values["variant"], VARIANTS)
    return Ace(
        variant=variant,
        budget=_budget(values["budget"], BUDGETS[variant]),
        likeness=_likeness(values["likeness"], LIKENESS[variant]),
        rounds=_rounds(values["rounds"]),
        decoding=Decoding(
            replies=choice(WHERE, "replies", values["replies"], REPLIES),
            max_tokens=whole(WHERE, "max_tokens", values["max_tokens"], least=1),
            temperature=temperature(WHERE, values["temperature"]),
        ),
        trials=whole(WHERE, "trials", values["trials"]),
    )


def _budget(value: JSON, usual: int) -> int:
    budget = whole(WHERE, "budget", usual if value is None else value, least=1)
    if budget > LARGEST_BUDGET:
        raise UsageError(f"{WHERE}: budget is at most {LARGEST_BUDGET} tokens, seen {budget}")
    return budget


def _rounds(value: JSON) -> int:
    rounds = whole(WHERE, "rounds", value, least=1)
    if rounds > MOST_ROUNDS:
        raise UsageError(f"{WHERE}: rounds is from 1 to {MOST_ROUNDS}, seen {rounds}")
    return rounds


def _likeness(value: JSON, usual: float | None) -> float | None:
    return share(WHERE, "likeness", value) if isinstance(value, float) else usual


EXAMPLES: tuple[Mapping[str, JSON], ...] = (
    {},
    {"variant": "faithful", "rounds": 3, "replies": "tools"},
    {"budget": 60, "trials": 1},
)
"""Options with which the contract suite tries this method."""
