"""The hand that runs the sessions of an agent program: sandbox, tools, model gateway and network record around it.

One leg of a session, in order: fork what the snapshot holds; make the sandbox, in which the program lies still; start
the record of its network; open its tools and its model at the addresses it will look for them; let it run, and look at
it now and then; end it or see it end; close everything; keep what it left.

A snapshot is a blob of JSON: the manifests of home and working folder (`rung.store.homes`), and the id of the
conversation to fork.
"""

import asyncio
import json
import secrets
import uuid
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from rung.agents.command import CommandAgent
from rung.agents.command import command as own
from rung.agents.command.facts import HOME, MODELS_PORT, TOOLS_PORT, WORK, Began, Launch, Places, program
from rung.backends.network.recorder import Recorder
from rung.backends.network.relay import Reach
from rung.backends.network.summary import Summary
from rung.backends.network.watchers import Watchers
from rung.backends.sandbox.places import Places as Room
from rung.backends.servers import client
from rung.backends.servers.mcp import Door as ToolDoor
from rung.backends.servers.mcp import Doors
from rung.backends.servers.proxy import Door, Proxy
from rung.backends.servers.serving import Serving, serving
from rung.backends.servers.upstream import Upstream
from rung.core import crashpoints
from rung.core.canonical import JSON, canonical, sha256
from rung.core.config import Config
from rung.core.confined import (
    Activity,
    Asked,
    Bounds,
    Confined,
    Confiner,
    Departed,
    Ended,
    Given,
    Mount,
    Network,
    Program,
)
from rung.core.errors import InstrumentFault, RungError
from rung.core.ports import Journal, Post
from rung.core.proxied import Exchange, ProxyPolicy
from rung.core.values import Exit
from rung.protocols import departure, exchanges
from rung.protocols.ears import Ears
from rung.protocols.instructions import Instructions
from rung.protocols.legs import Legs
from rung.protocols.lines import Lines
from rung.protocols.mcp import StreamDesk
from rung.protocols.session import Desk
from rung.protocols.sittings import Keeps, Phase
from rung.protocols.stream import Stream
from rung.protocols.toolbox import Toolbox
from rung.protocols.vigil import Patience, Signs, Vigil
from rung.protocols.watched import Watched
from rung.store.homes import Forked, Homes
from rung.store.manifests import EMPTY, without

LOOK_SECONDS = 0.5
"""How often a running program is looked at."""
CLOSE_LOOK_SECONDS = 5.0
"""After so long without a sign it is asked of the sandbox what the program does."""
RECORDER_SECONDS = 5.0
"""How long the recorder may take to say how many packets it has seen."""
STATUSES = 5
"""Answers of its model that are kept as evidence of how a program ended."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What the sessions of a study's programs stand on.

    `folder` holds the network records and what programs printed; `room` says how many sandboxes may run at once;
    `reach` is how allowed names are connected to, where not as this machine knows them.
    """

    journal: Journal
    homes: Homes
    folder: Path
    confiner: Confiner
    room: Room
    lines: Lines
    box: Toolbox
    texts: Instructions
    config: Config
    clock: Callable[[], float]
    stop_requested: Callable[[], bool]
    watchers: Watchers
    reach: Reach | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a program left, or began with: manifests of home and working folder, and the conversation, if any."""

    home: str
    work: str
    conversation: str | None = None

    @property
    def text(self) -> str:
        """As it is kept."""
        return canonical({name: getattr(self, name) for name in self.__dataclass_fields__})


@dataclass(frozen=True, slots=True)
class ProgramHand:
    """Runs one program (see `rung.protocols.sittings.Hand`). `version` is the installed one, where that is known."""

    ground: Ground
    agent: CommandAgent
    places: Places
    upstream: Upstream
    model: str
    version: str | None = None

    def beginning(self) -> str:
        """Nothing in its home and nothing in its working folder."""
        empty = self.ground.homes.put(EMPTY)
        return self.keep(Snapshot(empty, empty))

    def driver(self, path: str, snapshot: str, phase: Phase) -> "Sitting":
        """A driver for one session."""
        return Sitting(self, path, snapshot, phase)

    def reduced(self, snapshot: str, keeps: Keeps, conversation: bool) -> str:
        """The snapshot with pieces taken out; a class that no rule knows counts as `unclassified`."""
        found, homes, rules = self.read(snapshot), self.ground.homes, self.agent.facts.rules
        home = without(homes.manifest(found.home), lambda at: not keeps(rules.find(at) or "unclassified", f"home/{at}"))
        work = without(homes.manifest(found.work), lambda at: not keeps("files", f"workspace/{at}"))
        return self.keep(Snapshot(homes.put(home), homes.put(work), found.conversation if conversation else None))

    async def close(self) -> None:
        """Let go of the connections to its model."""
        await self.upstream.close()

    def keep(self, snapshot: Snapshot) -> str:
        """A snapshot's id."""
        return self.ground.journal.blob(snapshot.text.encode())

    def read(self, snapshot: str) -> Snapshot:
        """The snapshot with this id."""
        return Snapshot(**json.loads(self.ground.journal.read_blob(snapshot)))


@dataclass(slots=True)
class Sitting:
    """One session of a program (see `rung.core.ports.Driver`)."""

    hand: ProgramHand
    path: str
    snapshot: str
    phase: Phase

    async def run(self, post: Post) -> Exit:
        """Run its next leg, or say how the last one came to its end where that is on record already."""
        legs = Legs(self.hand.ground.journal, self.path)
        over = legs.over()
        if over is not None:
            return over
        async with self.hand.ground.room.place(self.hand.ground.config.sandbox.memory_mb):
            return await Leg(self, legs, cast(Desk, post).stream).run()


@dataclass(slots=True)
class Leg:
    """One leg of a session, from fork to what is kept of it."""

    sitting: Sitting
    legs: Legs
    stream: Stream
    number: int = 0
    session: str = ""
    after: str | None = None
    fork: bool = True
    asked: Asked | None = None
    statuses: list[int] = field(default_factory=list)
    last: Exchange | None = None
    said: str = ""
    same: int = 0
    halted: RungError | None = None
    seen: Activity | None = None

    # ----------------------------------------------------------------------------------------- what it stands on

    @property
    def hand(self) -> ProgramHand:
        """Whose program it is."""
        return self.sitting.hand

    @property
    def ground(self) -> Ground:
        """What it stands on."""
        return self.sitting.hand.ground

    @property
    def place(self) -> Path:
        """The folder of what is written beside the journal; its name tells nothing."""
        return self.ground.folder / sha256(self.sitting.path)[:16]

    async def run(self) -> Exit:
        """The whole leg."""
        snapshot = self.hand.read(self.sitting.snapshot)
        self._begin(snapshot)
        await self.ground.journal.flush(durable=True)
        crashpoints.reach("leg.began")
        try:
            forks = await asyncio.to_thread(self._forks, snapshot)
            self.place.mkdir(parents=True, exist_ok=True)
            with Ears(self.place, self.number, self.hand.agent.facts) as ears:
                found, summary, vigil = await self._confined(forks, ears)
                return await self._departed(found, summary, vigil, ears, forks)
        finally:
            if self.sitting.phase == "exam":
                await asyncio.to_thread(self._discard)

    def _begin(self, snapshot: Snapshot) -> None:
        """Choose the conversation, and record that the leg begins.

        The first leg forks the snapshot's; a later one goes on with the session's own, once it had an answer in it.
        """
        facts, ground = self.hand.agent.facts, self.ground
        earlier = self._earlier() if self.sitting.phase == "work" else None
        self.after, self.fork = (snapshot.conversation, True) if earlier is None else (earlier, False)
        named = sha256(f"{self.sitting.path}/{self.legs.begun + 1}")
        self.session = str(uuid.UUID(named[:32], version=4))
        text = ground.texts.work if self.sitting.phase == "work" else ground.texts.exam
        self.number = self.legs.begin(
            {
                "program": self.hand.agent.id,
                "version": self.hand.version,
                "pinned": facts.package.version if facts.package is not None else None,
                "sandbox": ground.confiner.name,
                "network": ground.config.network.mode,
                "session": self.session,
                "after": self.after,
                "fork": self.fork and self.after is not None,
                "instruction": ground.journal.blob(text.encode()),
                "slot": facts.slot,
                "snapshot": self.sitting.snapshot,
            }
        )

    def _earlier(self) -> str | None:
        """The conversation that an earlier leg of this session began and had an answer in, if it came to be written."""
        if not self.legs.begun or not exchanges.answered(self.ground.journal, self.sitting.path):
            return None
        facts, forked = self.hand.agent.facts, self.ground.homes.forked(f"{self.sitting.path}:{HOME}")
        told = (facts.read_start(Ears.printed(self.place, number)) for number in range(self.legs.begun, 0, -1))
        begun = [began.session for began in told if began.session is not None]
        if not begun or forked is None:
            return None
        there = self.ground.homes.manifest(self.ground.homes.keep(forked).manifest).leaves
        return next((each for each in begun if facts.rules.hold(there, each)), None)

    # ----------------------------------------------------------------------------------------- forks

    def _forks(self, snapshot: Snapshot) -> tuple[Forked, Forked]:
        """Home and working folder; a later leg goes on in those of the earlier ones."""
        how = self.ground.confiner.probe().forks
        found = []
        times = self._times()
        for inside, manifest, which in ((HOME, snapshot.home, "home"), (WORK, snapshot.work, "work")):
            name = f"{self.sitting.path}:{inside}"
            old = self.ground.homes.forked(name) if self.sitting.phase == "work" and self.number > 1 else None
            made = self.ground.homes.fork
            found.append(old or made(manifest, inside, name=name, times=times.get(which), how=how))
        return found[0], found[1]

    def _times(self) -> Mapping[str, str]:
        """When the files of the snapshot were written, where that is known; it differs from one run to the next."""
        noted = self.ground.journal.observations(under=f"snapshot/{self.sitting.snapshot}", name="times")
        found: Mapping[str, str] = {}
        for note in noted:
            found = cast("Mapping[str, str]", note.value)
        return found

    def _discard(self) -> None:
        for inside in (HOME, WORK):
            self.ground.homes.discard(f"{self.sitting.path}:{inside}")

    # ----------------------------------------------------------------------------------------- the program

    def _program(self, forks: tuple[Forked, Forked], desk: StreamDesk, tools: str, models: str) -> Program:
        ground, facts = self.ground, self.hand.agent.facts
        texts = ground.texts
        launch = Launch(
            system=texts.work if self.sitting.phase == "work" else texts.exam,
            first=texts.first,
            tools_url=f"http://127.0.0.1:{TOOLS_PORT}/s/{tools}/mcp",
            models_url=f"http://127.0.0.1:{MODELS_PORT}/{models}",
            model=self.hand.model,
            session=self.session,
            after=self.after,
            fork=self.fork,
        )
        mounts: list[Mount] = [forks[0].mount, forks[1].mount]
        if facts.package is None:
            mounts += _client(desk)
        return program(
            facts, launch, self.hand.places, mounts=mounts, bounds=self._bounds(), network=_network(ground.config)
        )

    def _bounds(self) -> Bounds:
        """What it may use. An exam session is an attempt, so what an attempt may last holds for it too."""
        config = self.ground.config
        limits = [config.budget.session.seconds]
        limits += [config.budget.task.seconds] if self.sitting.phase == "exam" else []
        seconds = min((each for each in limits if each is not None), default=None)
        used = config.sandbox
        return Bounds(
            seconds=seconds,
            memory_mb=used.memory_mb,
            processes=used.processes,
            file_mb=used.file_mb,
            written_mb=used.written_mb,
            written_files=used.written_files,
            output_mb=used.output_mb,
        )

    async def _confined(self, forks: tuple[Forked, Forked], ears: Ears) -> tuple[Ended, Summary, Vigil]:
        """Run it with everything around it."""
        ground, (tools, models) = self.ground, (secrets.token_urlsafe(24), secrets.token_urlsafe(24))
        desk = StreamDesk(self.stream, ground.box)
        made = self._program(forks, desk, tools, models)
        network = _network(ground.config)
        async with await ground.confiner.start(made, hear=ears.hear) as confined:
            record = self.place / f"network-{self.number:04d}.jsonl"
            recorder = Recorder(
                confined.sockets, record, network, session=self.place.name, watchers=ground.watchers, reach=ground.reach
            )
            await recorder.start()
            try:
                ended, vigil = await self._served(confined, recorder, ears, desk, (tools, models))
            finally:
                summary = await recorder.stop()
        return ended, summary, vigil

    async def _served(
        self, confined: Confined, recorder: Recorder, ears: Ears, desk: StreamDesk, tokens: tuple[str, str]
    ) -> tuple[Ended, Vigil]:
        door = self._door()
        watched = Watched(desk)
        async with AsyncExitStack() as stack:
            doors = await stack.enter_async_context(Doors())
            tool_door = await doors.open(tokens[0], watched)
            listening = confined.sockets.listening
            up = [await stack.enter_async_context(serving(doors, listening[TOOLS_PORT]))]
            proxy = Proxy()
            proxy.open(tokens[1], door)
            up.append(await stack.enter_async_context(serving(proxy.app, listening[MODELS_PORT])))
            await confined.release()
            crashpoints.reach("leg.released")
            vigil = Vigil(_patience(self.ground.config), self.ground.clock())
            look = Look(self, confined, recorder, ears, door, watched, vigil)
            ended = await look.until_ended(tool_door, up)
            crashpoints.reach("leg.ended")
            await desk.close()
        self._check(desk, door, up)
        return ended, vigil

    def _check(self, desk: StreamDesk, door: Door, up: list[Serving]) -> None:
        """Raise what broke while it ran. What halted its gateway ends the run, and the leg is gone on with."""
        if desk.broken is not None:
            raise desk.broken
        for each in up:
            each.check()
        self.halted = self.halted or door.halt
        if self.halted is not None:
            self.legs.interrupt({"ending": "operator", "detail": str(self.halted)})
            raise self.halted

    def _door(self) -> Door:
        ground, path = self.ground, self.sitting.path
        settings = ground.config.network
        door = Door(
            session=path,
            upstream=self.hand.upstream,
            spend=lambda index: ground.lines.purse.at(path, index, "agent"),
            hear=self._hear,
            policy=ProxyPolicy(settings.provider_tools, settings.output_tokens),
        )
        door.count = exchanges.count(ground.journal, path)
        return door

    def _hear(self, found: Exchange) -> None:
        """Record an exchange, and remember what it says of how the session ends."""
        exchanges.put(self.ground.journal, self.sitting.path, found)
        if not found.wire or found.came == "stray":
            return
        self.last = found
        if found.status is not None:
            self.statuses = [*self.statuses, found.status][-STATUSES:]
        gist = exchanges.gist(found)
        self.same = self.same + 1 if gist and gist == self.said else 1
        self.said = gist
        if found.answer.model:
            try:
                self.ground.lines.report(self.hand.upstream.model, found.answer.model)
            except RungError as other:
                self.halted = self.halted or other

    # ----------------------------------------------------------------------------------------- what is left of it

    async def _departed(
        self, ended: Ended, summary: Summary, vigil: Vigil, ears: Ears, forks: tuple[Forked, Forked]
    ) -> Exit:
        facts = self.hand.agent.facts
        lines = ears.lines()
        began, said = facts.read_start(lines), facts.read_end(lines)
        clean = said.clean if facts.speaks else ended.reason == "exited" and ended.status == 0
        words = said.text[:2000]
        refused = self.last is not None and exchanges.refusal(self.last)
        answered = self.last.answer.error[:2000] if self.last is not None else ""
        gone = Departed(ended, self.asked, tuple(self.statuses), answered, refused, clean, said.over, words)
        left, kept = None, None
        if self.sitting.phase == "work":
            left, kept = await asyncio.to_thread(self._kept, forks, began)
        found = Exit("departed", departure.detail(gone), gone, left)
        self.legs.depart(self.number, found, self._about(began, summary, ears, kept))
        self.ground.journal.observe(self.legs.place(self.number), "leg", departure.measured(ended, summary, vigil))
        await self.ground.journal.flush(durable=True)
        crashpoints.reach("leg.departed")
        return found

    def _kept(self, forks: tuple[Forked, Forked], began: Began) -> tuple[str, Mapping[str, JSON]]:
        homes = self.ground.homes
        home, work = homes.keep(forks[0]), homes.keep(forks[1])
        rules, there = self.hand.agent.facts.rules, homes.manifest(home.manifest).leaves
        known = [each for each in (began.session, self.after) if each is not None]
        conversation = next((each for each in known if rules.hold(there, each)), None)  # it may have deleted its own
        left = self.hand.keep(Snapshot(home.manifest, work.manifest, conversation))
        self.ground.journal.observe(f"snapshot/{left}", "times", {"home": home.times, "work": work.times})
        unknown = rules.unknown(there)
        about: dict[str, JSON] = {
            "home": departure.kept(home),
            "work": departure.kept(work),
            "unclassified": list(unknown[:100]),
        }
        return left, about

    def _about(self, began: Began, summary: Summary, ears: Ears, kept: Mapping[str, JSON] | None) -> dict[str, JSON]:
        journal = self.ground.journal
        return {
            "says_version": began.version,
            "reached_tools": began.tools,
            "conversation": began.session,
            "drained": not self.stream.unserved and not self.stream.in_flight,
            "printed": {name: journal.blob(data) for name, data in ears.kept().items()},
            "network": departure.reached(summary),
            **({"kept": dict(kept)} if kept is not None else {}),
        }


@dataclass(slots=True)
class Look:
    """Looks at a running program until it has ended, and ends it when it is time."""

    leg: Leg
    confined: Confined
    recorder: Recorder
    ears: Ears
    door: Door
    desk: Watched
    vigil: Vigil
    packets: int = 0

    async def until_ended(self, tools: ToolDoor, up: list[Serving]) -> Ended:
        """How it ended."""
        waiting = asyncio.ensure_future(self.confined.wait())
        try:
            while not waiting.done():
                await asyncio.wait((waiting, tools.ended), timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                if waiting.done() or self.leg.asked is not None:
                    continue
                if tools.ended.done() or any(each.failure for each in up) or self._halted:
                    await self.confined.stop("the instrument cannot go on")
                    return await waiting
                why = self.vigil.look(self.leg.ground.clock(), await self._signs())
                if why is not None:
                    self.leg.asked = why
                    await self.confined.stop(why)
            if self.door.spent is not None and self.leg.asked is None:
                self.leg.asked = "budget"  # it was told so, and ended by itself
            return waiting.result()
        finally:
            waiting.cancel()

    @property
    def _halted(self) -> bool:
        return self.door.halt is not None or self.leg.halted is not None

    async def _signs(self) -> Signs:
        ground, stream = self.leg.ground, self.leg.stream
        with suppress(TimeoutError):  # one that hangs is a record that is incomplete, and no reason to look no more
            async with asyncio.timeout(RECORDER_SECONDS):
                self.packets = await self.recorder.packets()
        close = self.vigil.quiet(ground.clock()) >= CLOSE_LOOK_SECONDS
        return Signs(
            stop=ground.stop_requested(),
            spent=self.door.spent is not None,
            drained=not stream.unserved and not stream.in_flight,
            over=self.ears.over,
            same=max(self.desk.same, self.leg.same),
            pulse=(self.desk.calls, self.door.pulse, self.packets),
            busy=self.door.busy + self.desk.busy,
            activity=await self._activity() if close else None,
        )

    async def _activity(self) -> Activity | None:
        try:
            return await self.confined.activity()
        except InstrumentFault:  # it has just ended
            return None


def _client(desk: StreamDesk) -> list[Mount]:
    """The client of the tools that needs no MCP, with its text."""
    return [
        Given(client.source().encode(), f"{own.CLIENT}/{client.FILE}"),
        Given(client.skill(desk).encode(), f"{own.CLIENT}/{client.SKILL}"),
    ]


def _network(config: Config) -> Network:
    settings = config.network
    return Network(settings.mode, ports=(TOOLS_PORT, MODELS_PORT), allow=settings.allow)


def _patience(config: Config) -> Patience:
    cell = config.cell
    return Patience(cell.idle_seconds, cell.stall_seconds, cell.same_calls)
