"""AHE as a method: what it keeps, when it works, and what it makes of the attempts."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from rung.core.canonical import JSON, canonical
from rung.core.errors import InstrumentFault, UsageError
from rung.core.options import Default, Unset, choice, take, temperature, whole
from rung.core.ports import Actor, Agent, Method, Model, Ports, RefineContext
from rung.core.surface import IMPORTS, Surface
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
    View,
)
from rung.methods._attempt import NONE
from rung.methods._kernel import Decoding, Desk, Finish, Given, Limits, Session, candidate, edit, exhaust
from rung.methods._selection import keep_best, mean_score, take_first
from rung.methods.ahe import attribution, evidence, harness
from rung.methods.ahe.acting import BOUNDS, harnessed, smoke
from rung.methods.ahe.attribution import HISTORY, Past, Verdict
from rung.methods.ahe.prompts import filled

Variant: TypeAlias = Literal["repaired", "faithful"]
Adopt: TypeAlias = Literal["not_worse", "better"]
WHERE = "method.name = 'ahe'"
VARIANTS: tuple[Variant, ...] = ("repaired", "faithful")
ADOPT: tuple[Adopt, ...] = ("not_worse", "better")
REPLIES: tuple[Literal["text", "tools", "choices"], ...] = ("text", "tools", "choices")
MOST_EVERY, MOST_TURNS, MOST_USES = 20, 500, 10
LEAST_SHOWN = 8_000
WIDEST, WIDTH = "\U0001d535", 4
"""A character that takes as many bytes as any, and how many."""

NEW = ("agent/prompt/notes.md", "agent/memory/notes.md", "agent/skills/task/SKILL.md")
"""Files that a model may make that is too small to name one."""

SHORT = 120
"""Characters of its last word; it announces nothing."""

COMPONENTS = ("prompt", "memory", "skill", "tool", "middleware")
DEFAULTS: Mapping[str, Default] = MappingProxyType(
    {
        "variant": "repaired",
        "every": 1,
        "turns": 30,
        "code": True,
        "uses": 3,
        "adopt": "not_worse",
        "replies": "text",
        "max_tokens": 4096,
        "shown": 200_000,
        "temperature": Unset(float),
        "trials": 0,
    }
)

_LIST: JSON = {"type": "array", "items": {"type": "string"}}
_CHANGE: JSON = {
    "type": "object",
    "properties": {
        "description": {"type": "string"},
        "files": _LIST,
        "component": {"type": "string", "enum": list(COMPONENTS)},
        "failure_pattern": {"type": "string"},
        "predicted_fixes": _LIST,
        "risk": _LIST,
    },
    "required": ["description", "files", "predicted_fixes"],
}


@dataclass(frozen=True, slots=True)
class Ahe:
    """Edits the harness around an agent.

    `wrapping` is empty because a state without texts and code acts exactly as the plain agent; that is why an agent
    that brings such files of its own is refused. With `runs_code` acting needs a sandbox.
    """

    variant: Variant
    every: int
    uses: int
    runs_code: bool
    adopt: Adopt
    choices: bool
    decoding: Decoding
    limits: Limits
    trials: int

    needs_model = True
    wrapping = ""
    most_candidates = 1

    @property
    def id(self) -> str:
        """Name and variant."""
        return f"ahe {self.variant}{'' if self.runs_code else ', no code'}"

    @property
    def needs_sandbox(self) -> bool:
        """Whether it cannot do without a sandbox."""
        return self.runs_code

    @property
    def surface(self) -> Surface:
        """The harness, and what the method keeps of its sessions."""
        own = harness.surface(code=self.runs_code)
        return replace(own, write=(*own.write, harness.OWN), file_bytes=1 << 20)

    def _editable(self) -> Surface:
        """What an improver may change; one with choices writes files anew, and so not the agent's own."""
        found = harness.surface(code=self.runs_code)
        return replace(found, write=harness.TEXTS) if self.choices else found

    def initial_state(self, agent: Agent) -> State:
        """The agent's harness and nothing more."""
        state = State(agent.harness())
        editable = replace(self.surface, write=tuple(glob for glob in self.surface.write if glob != harness.SYSTEM))
        taken = sorted(path for path in state.files if editable.allows(path))
        if taken:
            raise UsageError(f"{WHERE} keeps its harness in {taken[0]}, and agent {agent.id!r} has it; rename it")
        return state

    def actor(self, state: State, agent: Agent, ports: Ports, rng: random.Random) -> Actor:
        """The agent in the harness of this state."""
        inner = agent.actor(state, ports, rng)
        if not self.runs_code:
            state = State({path: data for path, data in state.files.items() if not _is_code(path)})
        seed = rng.getrandbits(32) if harness.has_code(state) else 0
        return harnessed(inner, state, ports.sandbox, uses=self.uses, seed=seed)

    # ----------------------------------------------------------------------------------------- refining

    async def refine(self, context: RefineContext) -> Sequence[Candidate]:
        """A session after every so many attempts with a step in them; nothing in between."""
        many = len(context.log)
        if not context.feedback.trajectory or many % self.every:
            return ()
        model = context.ports.model
        if model is None:
            raise InstrumentFault(f"method {self.id}", "has no model to refine with; give method.model or agent.model")
        sessions = attribution.read(context.state)
        desk = Desk(dict(context.state.files), self._editable(), most=256_000)
        found = attribution.verdicts(sessions[-1], context.log) if sessions else {}
        back = self._taken_back(desk, sessions, found)
        past = (context.log[index] for index in range(max(0, many - self.every), many))
        told = [each for each in past if each.trajectory] or [context.feedback]
        lent = {"evidence/history.md": evidence.history(sessions, found, back) + "\n"}
        shown = await evidence.gathered(model, told, self.decoding, lent=lent)
        desk.lent, kept = shown.lent, dict(desk.files)
        session = await self._edited(model, context, desk, self._opening(context, told, shown.overview))
        wrong = await self._wrong(context, desk, session)
        if wrong is not None:
            desk.files = kept  # what was taken back stays so, whatever the improver did
        work = _Work(context, desk, session, sessions, found, back, kept)
        return self._made(work, wrong)

    def _taken_back(self, desk: Desk, sessions: Sequence[Past], found: Mapping[str, Verdict]) -> list[str]:
        """What was judged harmful is put back as it was, file by file; in the published code that is the improver's."""
        if self.variant == "faithful" or not sessions:
            return []
        last, back = sessions[-1], []
        for change in last.changes:
            if found.get(change.id) == "harmful" and set(change.files) <= set(last.undo):
                desk.restore({path: last.undo[path] for path in change.files})
                back.append(change.id)
        return back

    def _opening(self, context: RefineContext, told: Sequence[FeedbackResult], overview: str) -> list[Message]:
        kinds = list(dict.fromkeys(map(attribution.bucket, told)))
        code = filled("component_code", imports=", ".join(sorted(IMPORTS)), seconds=f"{BOUNDS.seconds:g}")
        texts = filled("component_text", most=str(harness.MOST_TOLD))
        system = filled(
            "evolve_system",
            components="\n".join([texts, *([code] if self.runs_code else [])]),
            buckets=", ".join(repr(kind) for kind in kinds),
        )
        question = filled(
            "evolve",
            worked=str(len(told)),
            all=str(len(context.log)),
            scores=evidence.scores(context.log),
            overview=overview or NONE,
        )
        return [Message("system", system), Message("user", question)]

    async def _edited(self, model: Model, context: RefineContext, desk: Desk, opening: Sequence[Message]) -> Session:
        return await edit(
            model,
            opening,
            desk,
            given=self._given(context),
            finish=self._finish(desk),
            decoding=self.decoding,
            limits=self.limits,
        )

    def _given(self, context: RefineContext) -> Given:
        if self.choices:
            return Given(choices=True, new=NEW)
        return Given(context.ports.sandbox if self.runs_code else None)

    def _finish(self, desk: Desk | None = None) -> Finish:
        if self.choices:
            return Finish({"summary": {"type": "string", "maxLength": SHORT}})

        def refuse(said: Mapping[str, object]) -> str | None:
            if desk is None or not desk.changes() or attribution.announced(said, desk.changes(), 0):
                return None
            changed = ", ".join(sorted(desk.changes()))
            return f"changes lists none of the files that were changed: {changed}"

        properties: Mapping[str, JSON] = {"changes": {"type": "array", "items": _CHANGE}}
        return Finish(
            properties, description="End the work, and say what was changed and what it should do.", refuse=refuse
        )

    async def _wrong(self, context: RefineContext, desk: Desk, session: Session) -> str | None:
        """Why a harness cannot be taken: it was not finished, what the agent began with is gone, or its code fails."""
        if self.variant == "repaired":
            seed = _lines(context.agent.harness().get(harness.SYSTEM, b""))
            lost = seed - _lines(desk.files.get(harness.SYSTEM, b""))
            if lost:
                return f"{harness.SYSTEM}: {len(lost)} lines are gone that the agent was given at its beginning"
            if session.ended != "finished" and desk.changes() and not self.choices:
                return f"the session ended by {session.ended} before it was finished"
        sandbox = context.ports.sandbox
        if self.runs_code and sandbox is not None and any(_is_code(path) for path in desk.changes()):
            return await smoke(sandbox, State(desk.files), _view(context.feedback))
        return None

    def _made(self, work: "_Work", wrong: str | None) -> Sequence[Candidate]:
        """The candidate; with its history beside it, so that its predictions can be held against what comes."""
        desk, session = work.desk, work.session
        if wrong is not None:
            desk.refusals.append({"turn": 0, "tool": "finish", "path": "", "kind": "harness", "why": wrong[:300]})
        about = work.about()
        if wrong is not None and not desk.changes():
            refused: Mapping[str, JSON] = {
                "edits": desk.records,
                "refused": desk.refusals,
                "session": session.to_json(),
            }
            return Skipped(f"the edits were not taken: {wrong}", {**about, **refused})
        beside = {HISTORY: attribution.written([*work.sessions, work.past()])}
        return candidate(work.context, desk, session, about, beside=beside)

    # ----------------------------------------------------------------------------------------- selecting

    async def select(self, context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
        """The candidate as it is, or, with trials, unless it did worse than the incumbent."""
        if not self.trials:
            return take_first(trials)
        return keep_best(incumbent, trials) if self.adopt == "better" else unless_worse(incumbent, trials)

    # ----------------------------------------------------------------------------------------- being rehearsed

    def fullest(self, state: State, feedback: FeedbackResult) -> State:
        """The state with the longest texts there can be (see `rung.protocols.rehearsal`)."""
        texts = {"agent/memory/full.md": (WIDEST * (harness.MOST_TOLD // WIDTH)).encode()}
        return state.with_files({**texts, **(_most_helpers() if self.runs_code else {})})

    async def exhaust(self, context: RefineContext) -> None:
        """Ask all that a session can ask: a report on each attempt, what they have in common, and every turn."""
        model = context.ports.model
        if model is None or not context.feedback.trajectory:
            return
        report = WIDEST * min(evidence.MAX_REPORT + 100, -(-self.decoding.max_tokens // WIDTH))
        voluble = _Voluble(model, report)
        told = [context.feedback] * self.every
        shown = await evidence.gathered(voluble, told, self.decoding, lent={})
        opening = self._opening(context, told, shown.overview)
        await exhaust(
            model,
            opening,
            finish=self._finish(),
            decoding=self.decoding,
            limits=self.limits,
            given=self._given(context),
        )


@dataclass(frozen=True, slots=True)
class _Work:
    """One session with all that is known when it is over."""

    context: RefineContext
    desk: Desk
    session: Session
    sessions: Sequence[Past]
    found: Mapping[str, Verdict]
    back: Sequence[str]
    kept: Mapping[str, bytes]  # the files when the improver began

    def past(self) -> Past:
        """The session as the history holds it."""
        undo = attribution.undo(self.kept, self.desk.changes())
        return Past(len(self.context.log), self.changes()[0], undo)

    def changes(self) -> tuple[tuple[attribution.Change, ...], bool]:
        """The changes, and whether they had to be derived because none was announced."""
        made, number = self.desk.changes(), len(self.context.log)
        said = attribution.announced(self.session.said, made, number)
        kinds = [attribution.bucket(self.context.feedback)]
        return (said, False) if said or not made else (attribution.derived(made, kinds, number), True)

    def about(self) -> Mapping[str, JSON]:
        """What the manifest says of it."""
        changes, derived = self.changes()
        return {
            "kind": "rollback" if self.back else "improvement",
            "surface": ", ".join(sorted({_component(path) for path in self.desk.changes()})),
            "changes": [each.to_json() for each in changes],
            "derived": derived,
            "verdicts": dict(self.found),
            "taken_back": list(self.back),
        }


@dataclass(frozen=True, slots=True)
class _Voluble:
    """Asks a model and answers with a text of its own, which is the longest that is shown again."""

    inner: Model
    text: str

    async def generate(self, request: ModelRequest) -> ModelReply:
        reply = await self.inner.generate(request)
        return replace(reply, text=self.text, calls=())


def unless_worse(incumbent: Trial, trials: Sequence[Trial]) -> Selection:
    """The best candidate, if its mean is not below the incumbent's; one that was not measured is never taken."""
    bar = mean_score(incumbent.outcomes)
    if bar is None:
        return Selection(None, "the incumbent has no measurement to hold against")
    measured = [(mean, trial) for trial in trials if (mean := mean_score(trial.outcomes)) is not None and mean >= bar]
    if not measured:
        return Selection(None, "no candidate was as good as the incumbent")
    mean, best = max(measured, key=lambda each: each[0])
    return Selection(best.candidate, f"trial mean {mean!r}")


def _most_helpers() -> Mapping[str, bytes]:
    """As many helpers as are told, each with the longest words there can be of it."""
    about = canonical({"description": WIDEST * 500, "parameters": {"type": "object", "properties": {}}}).encode()
    names = [f"agent/tools/{'h' * 30}{number:02d}" for number in range(harness.MOST_HELPERS)]
    return {f"{name}.{kind}": data for name in names for kind, data in (("json", about), ("py", b""))}


def _is_code(path: str) -> bool:
    return path.startswith(("agent/tools/", "agent/middleware/"))


def _component(path: str) -> str:
    return {"skills": "skill", "tools": "tool", "system.md": "prompt"}.get(path.split("/")[1], path.split("/")[1])


def _lines(data: bytes) -> set[str]:
    return {line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()}


def _view(feedback: FeedbackResult) -> View:
    """The first view of an attempt, as far as it is told."""
    first = feedback.trajectory[0]
    return View(
        first.prompt,
        rules=str(feedback.task["rules"]),
        family=str(feedback.task["family"]),
        setting=str(feedback.task["setting"]),
    )


def make(options: Mapping[str, JSON]) -> Method:
    """AHE. Its options, and what each does: docs/guide/ahe.md."""
    values = take(WHERE, options, DEFAULTS)
    replies = choice(WHERE, "replies", values["replies"], REPLIES)
    return Ahe(
        variant=choice(WHERE, "variant", values["variant"], VARIANTS),
        every=_at_most("every", values["every"], 1, MOST_EVERY),
        uses=_at_most("uses", values["uses"], 0, MOST_USES),
        runs_code=values["code"] is True and replies != "choices",
        choices=replies == "choices",
        adopt=choice(WHERE, "adopt", values["adopt"], ADOPT),
        decoding=Decoding(
            replies="text" if replies == "text" else "tools",
            max_tokens=whole(WHERE, "max_tokens", values["max_tokens"], least=1),
            temperature=temperature(WHERE, values["temperature"]),
        ),
        limits=Limits(
            turns=_at_most("turns", values["turns"], 1, MOST_TURNS),
            shown=whole(WHERE, "shown", values["shown"], least=LEAST_SHOWN),
        ),
        trials=whole(WHERE, "trials", values["trials"]),
    )


def _at_most(key: str, value: JSON, least: int, most: int) -> int:
    found = whole(WHERE, key, value, least=least)
    if found > most:
        raise UsageError(f"{WHERE}: {key} is from {least} to {most}, seen {found}")
    return found


EXAMPLES: tuple[Mapping[str, JSON], ...] = (
    {},
    {"variant": "faithful", "every": 2, "replies": "tools"},
    {"code": False, "trials": 1, "adopt": "better"},
)
"""Options with which the contract suite tries this method."""
