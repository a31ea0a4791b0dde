"""One refinement: a parent is drawn, its improver works on it, and what comes of that goes into the archive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rung.core.canonical import JSON
from rung.core.ports import Model, RefineContext, Sandbox
from rung.core.surface import Surface
from rung.core.values import Candidate, Skipped
from rung.methods._attempt import cut
from rung.methods._kernel import Decoding, Desk, Finish, Given, Limits, Session, candidate, edit, exhaust
from rung.methods._plain import plain
from rung.methods.hyperagents import acting, hooks, lending, parents, program
from rung.methods.hyperagents import archive as kept
from rung.methods.hyperagents.archive import IMPROVER, Archive, Node
from rung.methods.hyperagents.parents import Deploy, Parents
from rung.methods.hyperagents.program import MAX_TEXT, MetaPrompt, Program

AGENT, OWN = "agent/**", f"{IMPROVER}**"
LABELS = ("refinement mechanism", "execution harness", "contextual artifact")
"""Surfaces by the words of docs/guide/annotating.md, the rarest first."""

_CODE = (".py", ".sh", ".toml", ".json", ".yaml", ".yml")
MAX_SAID = 1_000
"""Characters kept of what is said at the end of a session."""

SHORT = 120
"""Characters of the last word of a small model."""

MAX_FILE = 32_000
"""Bytes of a file that an improver may write. So it is known how long an agent's prompt can become."""

SPARE = 10
"""Replies that a session may have beyond its calls, for those that ask for nothing."""


@dataclass(frozen=True, slots=True)
class Search:
    """How a parent is drawn and who acts. With `plain_means` nodes are worth the mean of their scores as they are."""

    plain_means: bool
    parents: Parents
    deploy: Deploy
    keep: int

    def values(self, archive: Archive) -> Mapping[str, float]:
        """What each node is worth."""
        return parents.plain_means(archive) if self.plain_means else parents.shrunken_means(archive)

    def deployed(self, archive: Archive, values: Mapping[str, float], parent: str) -> Archive:
        """The archive in which the node acts that should."""
        return replace(archive, acting=parents.deployed(archive, values, self.deploy, parent=parent))


@dataclass(frozen=True, slots=True)
class Manner:
    """How improvers work. A `frozen` one neither sees nor changes an improver's files; with `twins` a child is
    proposed twice, once acting and once only kept; `choices` are for small models (see `rung.methods._kernel`).
    What acts is the agent, or a `program` of the state.
    """

    meta: MetaPrompt
    frozen: bool
    search: Search
    calls: int
    commands: int
    shown: int
    decoding: Decoding
    twins: bool
    choices: bool = False
    program: bool = False

    @property
    def editable(self) -> Surface:
        """What an improver may change of a node."""
        return Surface(write=(AGENT,) if self.frozen else (AGENT, OWN), file_bytes=MAX_FILE)

    @property
    def limits(self) -> Limits:
        """How long a session may be."""
        return Limits(turns=self.calls + SPARE, calls=self.calls, shown=self.shown)

    @property
    def finish(self) -> Finish:
        """The last word of a session."""
        return Finish({"summary": {"type": "string", "maxLength": SHORT}}) if self.choices else Finish()

    def given(self, sandbox: Sandbox | None) -> Given:
        """What its tools work with."""
        return Given(sandbox, commands=self.commands, choices=self.choices)


async def exhausted(manner: Manner, sandbox: Sandbox | None, model: Model) -> None:
    """Ask all that one refinement can ask, each question at its longest (see `rung.protocols.rehearsal`)."""
    opening = Program(
        instructions=acting.WIDEST * MAX_TEXT, task=acting.WIDEST * MAX_TEXT, notes="", attempts=0, hooks=None
    ).opening({})
    await exhaust(
        model,
        opening,
        given=manner.given(sandbox),
        finish=manner.finish,
        decoding=manner.decoding,
        limits=manner.limits,
    )


async def refined(manner: Manner, context: RefineContext, model: Model) -> Sequence[Candidate]:
    """The child of one node, as a candidate or two; none where nothing was changed."""
    work = _begun(manner, context)
    await work.draw()
    session, desk = await work.session(model)
    said = cut(plain(str(session.said.get("summary", ""))), MAX_SAID)
    made = candidate(context, desk, session, {"kind": "improvement", "mechanism": said})
    return made if isinstance(made, Skipped) else await work.checked(made[0])


def _begun(manner: Manner, context: RefineContext) -> "_Work":
    """The archive once it counts the attempts made since it was written, all of which were the acting node's."""
    known, log = kept.read(context.state), context.log
    new = [lending.measured(log[index]) for index in range(min(known.counted, len(log)), len(log))]
    archive = known.with_attempts(new, len(log))
    return _Work(manner, context, archive, manner.search.values(archive))


@dataclass(slots=True)
class _Work:
    """A refinement under way. `failed` has why functions of an improver gave nothing."""

    manner: Manner
    context: RefineContext
    archive: Archive
    values: Mapping[str, float]
    parent: Node = field(init=False)
    failed: dict[str, JSON] = field(default_factory=dict)

    @property
    def sandbox(self) -> Sandbox | None:
        """Where functions run."""
        return self.context.ports.sandbox

    async def draw(self) -> None:
        """Choose the parent: by the rule, unless a function of the acting node's improver names another."""
        weights = parents.weights(self.archive, self.values, self.manner.search.parents)
        drawn = self.context.rng.choices(list(weights), weights=list(weights.values()))[0]
        mine = self.improver(self.archive.node(self.archive.acting))
        fit = parents.fit_parents(self.archive)
        named, why = await hooks.parent(self.sandbox, mine.hooks, self.view(mine), fit)
        self.note("parent", why)
        self.parent = self.archive.node(named or drawn)

    async def session(self, model: Model) -> tuple[Session, Desk]:
        """Let the parent's improver work on the parent."""
        improver = self.improver(self.parent)
        digest, why = await hooks.digest(self.sandbox, improver.hooks, self.view(improver))
        self.note("digest", why)
        places = {"attempts": str(self.archive.counted), "nodes": str(len(self.archive.nodes)), "digest": digest}
        desk = Desk(
            dict(kept.files_of(self.context.state, self.parent)),
            self.manner.editable,
            lent=lending.lent(self.context.log, self.archive, self.values, improver.attempts),
            shown=self.manner.editable.write,
        )
        opening = improver.opening({**places, "node": self.parent.id})
        manner, given = self.manner, self.manner.given(self.sandbox)
        session = await edit(
            model,
            opening,
            desk,
            given=given,
            finish=manner.finish,
            decoding=manner.decoding,
            limits=manner.limits,
        )
        return session, desk

    async def checked(self, made: Candidate) -> Sequence[Candidate]:
        """The child, unless it is a program that does not get through a step: then nothing is kept of it."""
        if not self.manner.program:
            return await self.candidates(made)
        why = await acting.fails(self.sandbox, made.state.files, self.context.feedback)
        if not why:
            return await self.candidates(made)
        refused = made.manifest["refused"]
        assert isinstance(refused, Sequence)
        return Skipped(why, {**made.manifest, "refused": [*refused, {"kind": "program", "why": why}]})

    async def candidates(self, made: Candidate) -> Sequence[Candidate]:
        """The state in which the child is kept and whoever should acts; with `twins` one in which the child acts, and
        one in which it does not."""
        files = made.state.files
        unfit = program.gone(files) or await self.broken(program.read(files))
        archive, child = self.archive.with_child(files, self.parent.id, unfit=unfit)
        about = {**made.manifest, **self.about(made, child)}
        search, values, parent = self.manner.search, self.values, self.parent.id
        versions = [search.deployed(archive, values, parent)]
        if self.manner.twins:
            stays = search.deployed(self.archive, values, parent).acting
            versions = [replace(archive, acting=child.id), replace(archive, acting=stays)]
        return [self.candidate(each, files, about) for each in versions]

    def candidate(self, archive: Archive, files: Mapping[str, bytes], about: Mapping[str, JSON]) -> Candidate:
        """A state in which this archive's acting node acts."""
        state = kept.write(self.context.state, archive, files, self.values, self.manner.search.keep)
        return Candidate(self.context.snapshot, state, {**about, "acting": archive.acting})

    async def broken(self, child: Program) -> str:
        """Why a child's functions do not run; empty where they do, where it has none, or where nobody can say."""
        view = self.view(child)
        _, digest = await hooks.digest(self.sandbox, child.hooks, view)
        _, parent = await hooks.parent(self.sandbox, child.hooks, view, parents.fit_parents(self.archive))
        found = [("digest", digest), ("parent", parent)]
        return "; ".join(f"{name}: {why}" for name, why in found if why not in ("", hooks.NO_SANDBOX))

    def about(self, made: Candidate, child: Node) -> Mapping[str, JSON]:
        """What the manifest says beside the edits."""
        changed, refused = made.manifest["files"], made.manifest["refused"]
        assert isinstance(changed, Sequence)
        assert isinstance(refused, Sequence)
        labels = {_label(str(path)) for path in changed}
        found: list[JSON] = [label for label in LABELS if label in labels]
        return {
            "surface": found[0],
            "surfaces": found,
            "node": child.id,
            "parent": self.parent.id,
            "unfit": child.unfit,
            "refused": [*refused, *([{"kind": "function", "why": child.unfit}] if child.unfit else [])],
            "functions": dict(self.failed),
            "meta_prompt": self.manner.meta,
            "frozen_improver": self.manner.frozen,
        }

    def improver(self, node: Node) -> Program:
        """A node's improver."""
        return program.read(kept.files_of(self.context.state, node))

    def view(self, improver: Program) -> Mapping[str, JSON]:
        """What its functions are given."""
        return lending.view(self.context.log, self.archive, self.values, improver.attempts)

    def note(self, function: str, why: str) -> None:
        """Keep why a function gave nothing."""
        if why:
            self.failed[function] = why


def _label(path: str) -> str:
    if path.startswith(IMPROVER):
        return LABELS[0]
    return LABELS[1] if path.endswith(_CODE) else LABELS[2]
