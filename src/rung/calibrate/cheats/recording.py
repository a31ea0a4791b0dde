"""From what an agent does to the record of its cell: facts, blobs, and kept homes, as a real cell leaves them.

Tasks are worked for real, over the stream and its tools, so that what is served, stepped and sealed is as it would be.
Commands, pages and searches are not run: what came of them is given with them.
"""

import asyncio
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from rung.calibrate.cheats.acts import Act, Plays, Provides, Says, Takes, Tries, Writes
from rung.calibrate.cheats.acts import Runs as Ran
from rung.calibrate.cheats.dress import Called, Dress, Turn, blocks
from rung.calibrate.cheats.worlds import World, document
from rung.core import registry
from rung.core.canonical import JSON, canonical, fingerprint, sha256
from rung.core.config import Config, parse
from rung.core.confined import Departed, Ended
from rung.core.ports import Actor, Ports
from rung.core.proxied import Exchange, ProviderTools, Split
from rung.core.proxied import Read as Heard
from rung.core.values import Action, Call, Exit, Served, StreamReply, Task
from rung.protocols import exchanges, instructions, plan
from rung.protocols.exam import attempt_path
from rung.protocols.legs import Legs
from rung.protocols.lines import Lines
from rung.protocols.mcp import StreamDesk
from rung.protocols.stream import Stream, Terms, Ticket
from rung.store.blobs import BlobFiles
from rung.store.homes import Homes
from rung.store.manifests import EMPTY, File, Folder, Manifest
from rung.store.memory import MemoryJournal
from rung.tasks import keys

MODEL = "played-1"
HOME, WORK = "/home/agent/", "/workspace/"
TOKENS = 90
"""Input tokens that a request is said to have cost for each turn in it."""


@dataclass(frozen=True, slots=True)
class Reached:
    """Whom a session reached or tried to: `names` of hosts, `bare` places as the record spells them (`tcp 192.0.2.7
    80`), and what it `asked` the name server besides the names."""

    names: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()

    def plus(self, other: "Reached") -> "Reached":
        """Both."""
        return Reached(self.names + other.names, self.bare + other.bare, self.asked + other.asked)

    @property
    def fact(self) -> Mapping[str, JSON]:
        """As a leg's `departed` has it."""
        return {
            "incomplete": [],
            "names": sorted(set(self.names)),
            "bare": sorted(set(self.bare)),
            "asked": sorted({*self.names, *self.asked}),
            "let_out": bool(self.names),
        }


NOWHERE = Reached()


@dataclass(frozen=True, slots=True)
class Sat:
    """A session to be recorded: all that is done in it, and whom it reached."""

    acts: tuple[Act, ...]
    reached: Reached = NOWHERE


@dataclass(frozen=True, slots=True)
class Script:
    """A whole cell to be recorded: the network it may use, its sessions, and what else it leaves in its home."""

    dress: Dress
    network: Mapping[str, JSON]
    work: Sat
    before: Mapping[int, Sat]
    after: Mapping[int, Sat]


@dataclass(frozen=True, slots=True)
class Cell:
    """A recorded cell: its journal, what was kept of its homes, with the blobs that these are made of, and the tasks of
    its exam."""

    journal: MemoryJournal
    homes: Homes
    blobs: BlobFiles
    tasks: tuple[Task, ...]


def record(script: Script, world: World, folder: Path) -> Cell:
    """Record a cell; its homes' blobs lie in the folder."""
    journal, blobs = MemoryJournal(), BlobFiles(folder / "blobs")
    homes = Homes(folder / "homes", blobs)
    config = parse(
        document(
            world.name,
            agent={"kind": f"command:{script.dress.program}", "model": f"scripted/{MODEL}"},
            network=dict(script.network),
        )
    )
    for path, kind, value in world.facts:
        journal.put(path, kind, value)
    plan.write(replace(world.plan, config=config), journal, plugins={})
    cell = _Recorder(script, world, config, journal, homes, blobs)
    asyncio.run(cell.run())
    return Cell(journal, homes, blobs, tuple(world.plan.exam.tasks))


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """What is handed from one session to the next: its id, the files, and the turns of the conversation."""

    id: str
    conversation: str | None = None
    files: Mapping[str, bytes] = field(default_factory=dict, hash=False)
    turns: tuple[Turn, ...] = field(default=(), hash=False)


@dataclass(slots=True)
class _Recorder:
    """Records the sessions of one cell in the order of the protocol."""

    script: Script
    world: World
    config: Config
    journal: MemoryJournal
    homes: Homes
    blobs: BlobFiles

    async def run(self) -> None:
        """The whole cell."""
        name = self.script.dress.program
        shipped = self._keep(None, {})
        baseline = f"A0.{fingerprint([name, shipped.id])[:6]}"
        about: dict[str, JSON] = {"control": None, "A_0": baseline, "snapshot": shipped.id, "before": "shared"}
        self.journal.put(name, "arm", about)
        for number, sat in self.script.before.items():
            await self._exam(baseline, number, sat, shipped)
        left = await self._work(f"{name}/L1/work", shipped)
        self.journal.put(f"{name}/L1", "final", {"snapshot": left.id})
        for number, sat in self.script.after.items():
            await self._exam(f"{name}.L1", number, sat, left)

    async def _work(self, path: str, shipped: _Snapshot) -> _Snapshot:
        home = path.removesuffix("/work")
        entries = self.world.plan.held.lineages[0]
        tickets = [Ticket(f"{home}/work/{entry.position:04d}", entry.task, "work", shipped.id, 1) for entry in entries]
        session = _Session(self, path, "work", tickets, shipped)
        return await session.run(self.script.work)

    async def _exam(self, who: str, number: int, sat: Sat, snapshot: _Snapshot) -> None:
        path = attempt_path(who, number, 1)
        ticket = Ticket(path, self.world.plan.exam.tasks[number - 1], "exam", snapshot.id, 1)
        await _Session(self, path, "exam", [ticket], snapshot).run(sat)

    def _keep(self, conversation: str | None, files: Mapping[str, bytes]) -> _Snapshot:
        """Keep what a session left as a snapshot, as the hand of a program does."""
        home, work = self._manifest(HOME, files), self._manifest(WORK, files)
        text = canonical({"home": home, "work": work, "conversation": conversation})
        return _Snapshot(self.journal.blob(text.encode()), conversation, files)

    def _manifest(self, top: str, files: Mapping[str, bytes]) -> str:
        entries: dict[str, File | Folder] = {".": Folder(0o755)}
        for path, data in files.items():
            if path.startswith(top):
                inside = path.removeprefix(top)
                parts = inside.split("/")
                entries |= {"/".join(parts[:most]): Folder(0o755) for most in range(1, len(parts))}
                entries[inside] = File(0o644, len(data), sha256(data))
                self.blobs.write(sha256(data), data)
        return self.homes.put(Manifest(entries) if len(entries) > 1 else EMPTY)


class _Seen(Stream):
    """A stream that remembers the task it served last as an actor sees it, and whose tools are called all the same."""

    served: Served | None = None
    reply: StreamReply | None = None

    async def get_task(self) -> Served | None:
        """Hand out the next."""
        self.served, self.reply = await super().get_task(), None
        return self.served

    async def answer(self, handle: str, action: Action) -> StreamReply:
        """Take a call."""
        self.reply = await super().answer(handle, action)
        return self.reply


class _Session:
    """One session: every act an exchange, and at its end what it left."""

    def __init__(
        self,
        recorder: _Recorder,
        path: str,
        phase: Literal["work", "exam"],
        tickets: Sequence[Ticket],
        snapshot: _Snapshot,
    ) -> None:
        self._recorder, self._path, self._phase, self._snapshot = recorder, path, phase, snapshot
        self._tickets = {ticket.task.id: ticket for ticket in tickets}
        journal = recorder.journal
        lines = Lines(journal)
        self._stream = _Seen(
            journal,
            tickets,
            terms=Terms("full" if phase == "work" else "none", apart=True),
            salt="cheats",
            ports=Ports(),
            line_for=lambda attempt: lines.line(attempt, "agent", None),
            session=path,
        )
        self._desk = StreamDesk(self._stream, recorder.world.box)
        self._files = dict(snapshot.files)
        self._turns: list[Turn] = list(snapshot.turns)
        self._sent: list[str] = []
        self._pieces: dict[str, str] = {}
        self._made = 0
        self._named = sha256(path)

    async def run(self, sat: Sat) -> _Snapshot:
        """Record it all; what it left."""
        texts = instructions.read(self._recorder.config)
        instruction = texts.work if self._phase == "work" else texts.exam
        conversation = str(uuid.UUID(self._named[:32], version=4))
        legs, number = self._begin(instruction, conversation)
        dress = self._recorder.script.dress
        first = texts.first if dress.slot == "system" else f"{instruction}\n\n{texts.first}"
        self._system = instruction if dress.slot == "system" else "You are a coding agent."
        self._turns += dress.user(first)
        for act in sat.acts:
            await self._do(act)
        self._exchange("That is all for now.", None, None)
        await self._stream.close(None)
        left = self._left(conversation)
        self._depart(legs, number, conversation, left, sat)
        return left

    def _begin(self, instruction: str, conversation: str) -> tuple[Legs, int]:
        recorder, dress = self._recorder, self._recorder.script.dress
        legs = Legs(recorder.journal, self._path)
        number = legs.begin(
            {
                "program": dress.program,
                "version": dress.version,
                "pinned": dress.version,
                "sandbox": "bubblewrap",
                "network": recorder.config.network.mode,
                "session": conversation,
                "after": self._snapshot.conversation,
                "fork": self._snapshot.conversation is not None,
                "instruction": recorder.journal.blob(instruction.encode()),
                "slot": dress.slot,
                "snapshot": self._snapshot.id,
            }
        )
        return legs, number

    def _left(self, conversation: str) -> _Snapshot:
        """The home as its programs leave it, with what was said in it."""
        dress = self._recorder.script.dress
        transcript = "\n".join(map(blocks, self._turns)).encode()
        files = {**self._files, f"{HOME}{dress.transcripts}/{conversation}.jsonl": transcript}
        kept = self._recorder._keep(conversation, files) if self._phase == "work" else _Snapshot("")
        return replace(kept, turns=tuple(self._turns))

    def _depart(self, legs: Legs, number: int, conversation: str, left: _Snapshot, sat: Sat) -> None:
        gone = Departed(Ended("exited", 0), None, (200,), clean=True, over=True, words="That is all for now.")
        found = Exit("departed", "exited with status 0", gone, left.id or None)
        about: dict[str, JSON] = {
            "says_version": self._recorder.script.dress.version,
            "reached_tools": True,
            "conversation": conversation,
            "drained": not self._stream.unserved,
            "printed": {},
            "network": dict(sat.reached.fact),
        }
        legs.depart(number, found, about)
        ending = "agent_stopped" if self._stream.unserved else "queue_empty"
        value = {"ending": ending, "detail": "exited with status 0", **({"left": left.id} if left.id else {})}
        self._recorder.journal.put(self._path, "ended", value)

    # ----------------------------------------------------------------------------------------- acts

    async def _do(self, act: Act) -> None:
        match act:
            case Says(text=text):
                self._exchange(text, None, None)
                self._turns += self._recorder.script.dress.user("Go on.")
            case Provides():
                self._exchange(act.says, None, act)
                self._turns += self._recorder.script.dress.user("Go on.")
            case Takes(says=says):
                await self._tool("get_task", {}, says)
            case Plays(well=well, says=says):
                await self._play(says, well=well)
            case Tries(tool=tool, arguments=arguments, says=says):
                await self._tool(tool, arguments, says)
            case _:
                self._own(act)

    def _own(self, act: Act) -> None:
        """A call of a tool of the program's own."""
        call = self._recorder.script.dress.call(act, self._call_id)
        self._exchange(getattr(act, "says", ""), call, None)
        output = f"File created successfully at: {act.path}" if isinstance(act, Writes) else act.output  # type: ignore[union-attr]
        self._answer(call, output, failed=getattr(act, "failed", False))
        if isinstance(act, Writes):
            self._files[act.path] = act.content.encode()
        if isinstance(act, Ran):
            self._files |= act.leaves

    async def _tool(self, name: str, arguments: Mapping[str, JSON], says: str) -> None:
        """A call of a tool of the stream, answered by it."""
        call = Called(self._call_id, self._recorder.script.dress.task_tool(name), arguments)
        self._exchange(says, call, None)
        answer = await self._desk.call(name, arguments)
        self._answer(call, answer.text, failed=answer.failed)

    async def _play(self, says: str, *, well: bool) -> None:
        """Work the task that was served last, call by call."""
        served = self._stream.served
        assert served is not None, f"{self._path}: nothing was taken"
        task = self._task(served)
        actor = _player(task, well=well)
        view = served.view
        for _ in range(task.calls):
            answer = (await actor.act(view)).answer
            name, arguments = self._named_call(task, answer)
            await self._tool(name, {"task": served.handle, **arguments}, says)
            says = ""
            reply = self._stream.reply
            if reply is None or reply.view is None:
                return
            view = reply.view

    def _task(self, served: Served) -> Task:
        return self._stream.ticket(served.handle).task

    def _named_call(self, task: Task, answer: Call | str) -> tuple[str, Mapping[str, JSON]]:
        """An answer as a call of the stream's tools; one in words is parsed where the family has tools."""
        box, cell = self._recorder.world.box, (task.family, task.setting.name)
        if isinstance(answer, str) and cell in box.in_words:
            return box.in_words[cell], {"text": answer}
        call = registry.family(task.family).parse(answer) if isinstance(answer, str) else answer
        assert isinstance(call, Call), f"{task.id}: a player said {answer!r}"
        names = [name for (where, name), own in box.meant.items() if where == cell and own == call.tool]
        return names[0], call.arguments

    # ----------------------------------------------------------------------------------------- exchanges

    @property
    def _call_id(self) -> str:
        return f"call_{self._named[:8]}{self._made:04d}"

    def _answer(self, call: Called, text: str, *, failed: bool) -> None:
        self._turns += self._recorder.script.dress.result(call, text, failed=failed)

    def _exchange(self, text: str, call: Called | None, provided: Provides | None) -> None:
        """Record one request with its answer, and go on with what it said."""
        dress, name = self._recorder.script.dress, f"{self._named[:8]}{self._made:04d}"
        said = dress.assistant(text, call, provided, name)
        messages = self._digests()
        policy = self._recorder.config.network.provider_tools
        offered = ("web_search",)
        found = Exchange(
            self._path,
            self._made,
            {"anthropic-messages": "/v1/messages", "openai-chat": "/v1/chat/completions"}.get(
                dress.wire, "/v1/responses"
            ),
            "answered",
            200,
            wire=dress.wire,
            streamed=True,
            asked=MODEL,
            request=Split({"model": MODEL}, self._piece(self._system), None, messages, dict(self._pieces)),
            answer=Heard(dress.body(said, MODEL, name), MODEL, "tool_calls" if call else "stop", whole=True),
            provider_tools=ProviderTools(
                offered, offered if policy == "strip" else (), (provided.tool,) if provided else ()
            ),
        )
        exchanges.put(self._recorder.journal, self._path, found)
        self._pieces.clear()
        self._made += 1
        self._turns += said

    def _digests(self) -> tuple[str, ...]:
        self._sent += [self._piece(turn) for turn in self._turns[len(self._sent) :]]
        return tuple(self._sent)

    def _piece(self, value: JSON) -> str:
        text = canonical(value)
        digest = sha256(text)
        self._pieces[digest] = text
        return digest


def _player(task: Task, *, well: bool) -> Actor:
    key = keys.key(task.family)
    return key.solver(task) if well else key.naive(task)


def lines(rows: Sequence[Mapping[str, str]]) -> str:
    """Rows as JSON lines."""
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
