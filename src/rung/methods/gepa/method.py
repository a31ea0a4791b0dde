"""GEPA as a method: what it shows the acting agent, and what it makes of an attempt."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rung.core.canonical import JSON, fingerprint
from rung.core.errors import InstrumentFault, UsageError
from rung.core.options import Default, Unset, choice, take, temperature, whole
from rung.core.ports import Actor, Agent, FeedbackLog, Method, Model, Ports, RefineContext
from rung.core.values import Candidate, FeedbackResult, ModelReply, ModelRequest, Selection, Skipped, State, Trial
from rung.methods._attempt import MAX_PIECE
from rung.methods._selection import keep_best
from rung.methods._telling import told
from rung.methods.gepa import package, pool
from rung.methods.gepa.pool import INSTRUCTIONS, NEWEST, POOL, Pool
from rung.methods.gepa.writing import MAX_REASON, Manner, Question, Written, prompt, write

WHERE = "method.name = 'gepa'"
COMPONENTS = ("instructions", "prompts", "all")
QUESTIONS: tuple[Question, ...] = ("published", "general")
ENDINGS = (".md", ".txt")
"""How the name of a file ends that holds a prompt."""

LARGEST = 20_000
"""Characters that a prompt may have at most, whatever is configured: so that a pool stays small enough for a state."""

MOST_POOL = 200
WIDEST, WIDTH = "\U0001d535", 4
"""A character that takes as many bytes as any, and how many."""

DEFAULTS: Mapping[str, Default] = MappingProxyType(
    {
        "components": "instructions",
        "question": "published",
        "minibatch": 3,
        "pool": 30,
        "overlap": 60,
        "characters": 6_000,
        "max_tokens": 4096,
        "temperature": Unset(float),
        "trials": 1,
    }
)


@dataclass(frozen=True, slots=True)
class Gepa:
    """Rewrites prompts.

    `wrapping` is empty because a state without instructions acts exactly as the plain agent, so A_0 shares its exam
    with the static arm; an agent that brings such a file of its own is refused.
    """

    components: str
    minibatch: int
    pool: int
    manner: Manner
    trials: int

    needs_model = True
    wrapping = ""
    most_candidates = 2

    @property
    def id(self) -> str:
        """Name and what it rewrites."""
        return f"gepa {self.components}"

    def initial_state(self, agent: Agent) -> State:
        """The agent's harness and nothing more."""
        state = State(agent.harness())
        if INSTRUCTIONS in state.files:
            raise UsageError(
                f"{WHERE} keeps its instructions in {INSTRUCTIONS}, and agent {agent.id!r} has it; rename it"
            )
        if not self._paths(state.files):
            raise UsageError(
                f"{WHERE}: components = 'prompts' rewrites files that end in {', '.join(ENDINGS)}, and agent "
                f"{agent.id!r} brings none; give components = 'instructions'"
            )
        return state

    def _paths(self, harness: Iterable[str]) -> list[str]:
        """The files that are rewritten: those of a harness in the order of their names, and the method's own last."""
        brought = sorted(path for path in harness if path.endswith(ENDINGS) and path != INSTRUCTIONS)
        return [
            *(brought if self.components != "instructions" else ()),
            *([INSTRUCTIONS] if self.components != "prompts" else ()),
        ]

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The agent, told the instructions where there are any. A prompt that it brought it reads itself."""
        inner = agent.actor(state, ports, rng)
        text = state.files.get(INSTRUCTIONS, b"").decode("utf-8", "replace").strip()
        return told(inner, lambda view: f"{prompt('heading')}\n\n{text}") if text else inner

    # ----------------------------------------------------------------------------------------- refining

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """After a failure a rewritten version, and the one that did best so far where another is at work.

        Nothing where all is well, and nothing without a verdict, for then nobody can say what is better.
        """
        if not _failed(context.feedback):
            return ()
        if context.ports.model is None:
            raise InstrumentFault(f"method {self.id}", "has no model to rewrite with; give method.model or agent.model")
        paths = self._paths(context.agent.harness())
        known = pool.tallied(pool.read(context.state, paths), context.log)
        parent, path = _parent(known, context.rng), paths[len(context.log) % len(paths)]
        batch = _batch(context.feedback, context.log, self.minibatch)
        before = known.of(parent).texts[path]
        written = await write(context.ports.model, before, batch, self.manner)
        back = self._back(context, known)
        if written.text is None:
            return back or Skipped(f"no reply was a prompt: {'; '.join(written.reasons)}")
        texts = {**known.of(parent).texts, path: written.text}
        after, gone = pool.grown(known, parent, texts, most=self.pool)
        manifest = _manifest(batch, path, before, written) | {"parent": parent, "number": after.at_work, "gone": gone}
        return [Candidate(context.snapshot, pool.write(context.state, after), manifest), *back]

    def _back(self, context: RefineContext, known: Pool) -> list[Candidate]:
        """The version that is estimated highest, to be at work again; none where it is at work."""
        best = known.best()
        if best == known.at_work:
            return []
        again = Pool(known.versions, best, known.counted, known.next)
        manifest: dict[str, JSON] = {
            "kind": "rollback",
            "surface": "prompt",
            "files": [*known.of(best).texts, POOL],
            "evidence": [context.feedback.id],
            "opinions": [],
            "number": best,
        }
        return [Candidate(context.snapshot, pool.write(context.state, again), manifest)]

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """The best of those that beat the incumbent on the instance just worked."""
        return keep_best(incumbent, trials)

    # ----------------------------------------------------------------------------------------- being rehearsed

    def fullest(self, state: State, feedback: FeedbackResult) -> State:
        """The state with the longest instructions there can be (see `rung.protocols.rehearsal`)."""
        harness = (path for path in state.files if path.startswith("agent/"))
        return state.with_files(dict.fromkeys(self._paths(harness), self._longest().encode()))

    def _longest(self) -> str:
        return WIDEST * min(-(-self.manner.max_tokens // WIDTH), self.manner.characters)

    async def exhaust(self, context: RefineContext) -> None:
        """Ask all that refining can ask: over a whole batch of attempts like this one, with every repair."""
        model, feedback = context.ports.model, context.feedback
        if model is None or not _failed(feedback):
            return
        batch = [feedback] * self.minibatch
        await write(_Voluble(model), self._longest(), batch, self.manner, refusing="x" * MAX_REASON)


@dataclass(frozen=True, slots=True)
class _Voluble:
    """Asks a model and answers with a text of its own, which is the longest that is shown again."""

    inner: Model

    async def generate(self, request: ModelRequest) -> ModelReply:
        reply = await self.inner.generate(request)
        return ModelReply(WIDEST * MAX_PIECE, reply.model, "stop")


def _failed(feedback: FeedbackResult) -> bool:
    """Whether there is something to reflect on: an attempt with steps that is known to have failed."""
    return feedback.evaluation is not None and not feedback.evaluation.success and bool(feedback.trajectory)


def _parent(known: Pool, rng: random.Random) -> int:
    """Whose prompts are rewritten: by the package's choice, or the version at work where nothing was measured."""
    fronts = known.fronts()
    return known.versions[package.parent(fronts, known.estimates(), rng)].number if fronts else known.at_work


def _batch(feedback: FeedbackResult, log: FeedbackLog, many: int) -> list[FeedbackResult]:
    """The attempt, and the newest before it that failed too."""
    found = [feedback]
    for number in range(len(log) - 2, max(-1, len(log) - 2 - NEWEST), -1):
        if len(found) == many:
            break
        earlier = log[number]
        found += [earlier] if _failed(earlier) else []
    return found


def _manifest(batch: Sequence[FeedbackResult], path: str, before: str, written: Written) -> dict[str, JSON]:
    assert written.text is not None
    old, new = ([line.strip() for line in text.splitlines() if line.strip()] for text in (before, written.text))
    opinions: list[JSON] = [_opinion("add", line) for line in new if line not in old]
    opinions += [_opinion("retract", line) for line in old if line not in new]
    return {
        "kind": "improvement" if before else "new",
        "surface": "prompt",
        "files": [path, POOL],
        "evidence": [each.id for each in batch],
        "opinions": opinions,
        "sent_back": list(written.reasons),
    }


def _opinion(operation: str, line: str) -> JSON:
    return {"op": operation, "id": f"g-{fingerprint(line)[:12]}", "text": line}


# --------------------------------------------------------------------------------------------- options


def make(options: Mapping[str, JSON]) -> Method:
    """GEPA, with `components`, `question`, `minibatch`, `pool`, `overlap`, `characters`, `max_tokens`, `temperature`,
    `trials`.

    What each does: docs/guide/gepa.md. Raises `UsageError` where the package `gepa` is not installed.
    """
    values = take(WHERE, options, DEFAULTS)
    package.check(WHERE)
    return Gepa(
        components=choice(WHERE, "components", values["components"], COMPONENTS),
        minibatch=_within("minibatch", values["minibatch"], 1, NEWEST),
        pool=_within("pool", values["pool"], 3, MOST_POOL),
        manner=Manner(
            question=choice(WHERE, "question", values["question"], QUESTIONS),
            overlap=whole(WHERE, "overlap", values["overlap"]),
            characters=_within("characters", values["characters"], 1, LARGEST),
            max_tokens=whole(WHERE, "max_tokens", values["max_tokens"], least=1),
            temperature=temperature(WHERE, values["temperature"]),
        ),
        trials=whole(WHERE, "trials", values["trials"], least=1),
    )


def _within(key: str, value: JSON, least: int, most: int) -> int:
    number = whole(WHERE, key, value, least=least)
    if number > most:
        raise UsageError(f"{WHERE}: {key} is from {least} to {most}, seen {number}")
    return number


EXAMPLES: tuple[Mapping[str, JSON], ...] = ({}, {"components": "all", "question": "general", "minibatch": 1})
"""Options with which the contract suite tries this method."""
