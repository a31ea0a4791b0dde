"""A real program in a sandbox, over a scripted model and a stream of toy tasks: one session from end to end.

Run as a program it is a test's unprivileged half: a session of each program, and one forked from it.
"""

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from backends.servers.gate import Till
from protocols import stage as toys
from rung.agents.command import PROGRAMS
from rung.agents.command import facts as known
from rung.agents.command.command import CLIENT
from rung.agents.command.facts import Began, Facts, Launch, Places, Said
from rung.agents.command.transcripts import split
from rung.backends import programs
from rung.backends.network.recorder import Recorder
from rung.backends.network.summary import Summary
from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.backends.servers.client import FILE, source
from rung.backends.servers.mcp import Doors
from rung.backends.servers.played import Played
from rung.backends.servers.proxy import Door, Proxy
from rung.backends.servers.serving import serving
from rung.core.confined import Bounds, Confined, Ended, Given, Program
from rung.core.ports import Spending
from rung.core.proxied import Answer, Brain, Exchange, Heard, ToolCall
from rung.core.proxied import Said as Answered
from rung.protocols.mcp import StreamDesk
from rung.protocols.toolbox import toolbox
from rung.store.blobs import BlobFiles
from rung.store.homes import Forked, Homes, Kept
from rung.store.memory import MemoryJournal
from rung.testing.toys._riddle import Riddle, RiddleKey

TOKEN = "k3Jd9sQ0vBn4TzXw"
SESSIONS = ("11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222")
STAND, EXAM = "Stand by the first text.", "Stand by the other text."
SECONDS = 60.0
"""When a session that hangs is ended; none decides anything by it."""


class Short(Riddle):
    """The box with answers of three digits: programs in JavaScript round numbers from 2^53 up."""

    def answer_to(self, number: int) -> int:
        return 1 + number % 999


CONFINER = Bubblewrap()
BOX = Short("box-v1", "reasoning", thing="box", turns=2)


@dataclass
class Worker:
    """A scripted model that works: it takes tasks and answers them rightly until there are none.

    What it does follows from the last result that it hears, so one program may be cut off and another go on.
    """

    heard: list[Heard] = field(default_factory=list)

    def __call__(self, heard: Heard) -> Answer:
        self.heard.append(heard)
        said = last_words(heard)
        if "no more tasks" in said:
            return Answered(("Done.",))
        shown = re.search(r"shows ([0-9]+)", said)
        if shown is None:
            return calls(heard, "get_task")
        tasks = [found for result in heard.results if (found := re.search(r"^task: (\S+)", result.text, re.MULTILINE))]
        return calls(heard, "answer", task=tasks[-1][1], value=BOX.answer_to(int(shown[1])))


def last_words(heard: Heard) -> str:
    """What the model was told since it spoke last."""
    mine = [place for place, turn in enumerate(heard.turns) if turn.author == "assistant"]
    return "\n".join(result.text for turn in heard.turns[mine[-1] if mine else 0 :] for result in turn.results)


def calls(heard: Heard, verb: str, **arguments: Any) -> Answer:
    """A call of a tool that is offered under this name, whatever stands before it."""
    offer = heard.named(verb)
    assert offer is not None, [tool.full for tool in heard.tools]
    return Answered((ToolCall(offer.name, arguments, namespace=offer.namespace),))


@dataclass(frozen=True)
class Home:
    """A home and a working folder that are kept, and are forked for each session."""

    folder: Path
    homes: Homes
    home: Kept
    work: Kept

    def forks(self, session: int) -> tuple[Forked, Forked]:
        """The home and the working folder for one session."""
        return self._fork(self.home, f"{session} home", known.HOME), self._fork(
            self.work, f"{session} work", known.WORK
        )

    def _fork(self, kept: Kept, name: str, inside: str) -> Forked:
        return self.homes.fork(kept.manifest, inside, name=name, times=kept.times)

    def files(self) -> list[str]:
        """What is in the home, by path."""
        return self.homes.manifest(self.home.manifest).leaves

    @property
    def untouched(self) -> bool:
        """Whether the folders that forks read are, byte for byte, what was kept."""
        return all(
            self.homes.keep(self.homes.lay_out(kept.manifest, times=kept.times)).manifest == kept.manifest
            for kept in (self.home, self.work)
        )


def new_home(folder: Path, files: Mapping[str, str] = MappingProxyType({})) -> Home:
    """A home with these files in it, and an empty working folder."""
    start = folder / "start"
    for path, text in {"home/": "", "work/": "", **{f"home/{path}": text for path, text in files.items()}}.items():
        place = start / path
        (place if path.endswith("/") else place.parent).mkdir(parents=True, exist_ok=True)
        if text:
            place.write_text(text)
    homes = Homes(folder / "homes", BlobFiles(folder / "blobs"))
    return Home(folder, homes, homes.keep(start / "home"), homes.keep(start / "work"))


@dataclass(frozen=True)
class Sitting:
    """How one session is sat."""

    tasks: int = 2
    after: str | None = None
    fork: bool = True
    session: int = 0
    system: str = STAND
    recorded: bool = True
    folder: Path | None = None
    linger: float = 10.0
    """Seconds that a program may live on when its session is over."""


@dataclass
class Sat:
    """What a session left."""

    ended: Ended
    lines: list[str]
    errors: str
    began: Began
    said: Said
    exchanges: list[Exchange]
    network: Summary | None
    journal: MemoryJournal
    left: Home

    @property
    def scores(self) -> list[object]:
        """Of the tasks that were ended and graded."""
        return [fact.value["score"] for fact in self.journal.facts(kind="sealed")]


async def sit(facts: Facts, home: Home, brain: Brain, sitting: Sitting = Sitting()) -> Sat:
    """One session, to its end."""
    forks = home.forks(sitting.session)
    made = program(facts, forks, sitting)
    journal, exchanges = MemoryJournal(), list[Exchange]()
    heard = {"out": bytearray(), "err": bytearray()}

    async with await CONFINER.start(made, hear=lambda kind, data: heard[kind].extend(data)) as confined:
        record = home.folder / f"{sitting.session}.jsonl"
        recorder = Recorder(confined.sockets, record, made.network, session=str(sitting.session))
        if sitting.recorded:
            await recorder.start()
        async with served(confined, brain, journal, exchanges, sitting):
            await confined.release()
            ended = await over(confined, facts, heard["out"], sitting.linger)
        network = await recorder.stop() if sitting.recorded else None
    lines = split(bytes(heard["out"]))
    errors = heard["err"].decode("utf-8", "replace")
    left = replace(home, home=home.homes.keep(forks[0]), work=home.homes.keep(forks[1]))
    began, said = facts.read_start(lines), facts.read_end(lines)
    return Sat(ended, lines, errors, began, said, exchanges, network, journal, left)


def program(facts: Facts, forks: Sequence[Forked], sitting: Sitting) -> Program:
    """The program of a session, as a protocol will make it."""
    launch = Launch(
        system=sitting.system,
        first="Begin.",
        tools_url=f"http://127.0.0.1:{known.TOOLS_PORT}/s/{TOKEN}/mcp",
        models_url=f"http://127.0.0.1:{known.MODELS_PORT}/{TOKEN}",
        model="scripted-1",
        session=SESSIONS[sitting.session],
        after=sitting.after,
        fork=sitting.fork,
    )
    modules = programs.modules(facts.name) if facts.package else None
    places = Places(modules, programs.node(), sitting.folder)
    client = Given(source().encode(), f"{CLIENT}/{FILE}")
    mounts = (*(fork.mount for fork in forks), client)
    return known.program(facts, launch, places, mounts=mounts, bounds=Bounds(seconds=SECONDS))


@asynccontextmanager
async def served(
    confined: Confined, brain: Brain, journal: MemoryJournal, exchanges: list[Exchange], sitting: Sitting
) -> AsyncIterator[None]:
    """The tools of a stream of toy tasks and a scripted model, on the sockets inside."""
    proxy, till, listening = Proxy(), Till(), confined.sockets.listening

    def spend(index: int) -> Spending:
        return till

    proxy.open(TOKEN, Door("session", Played(brain), spend, exchanges.append))
    tickets = [toys.ticket(f"a/L1/work/{number:04}", seed=str(number)) for number in range(sitting.tasks)]
    desk = StreamDesk(toys.stream(journal, *tickets, lens="full"), await toolbox([("box-v1", "d1")]))
    async with (
        Doors() as doors,
        serving(doors, listening[known.TOOLS_PORT], grace=0.1) as tools,
        serving(proxy.app, listening[known.MODELS_PORT], grace=0.1) as models,
    ):
        await doors.open(TOKEN, desk)
        yield
        tools.check()
        models.check()


async def over(confined: Confined, facts: Facts, out: bytearray, linger: float) -> Ended:
    """How a program ended; it is stopped when it lives on after its last line."""
    waiting = asyncio.ensure_future(confined.wait())
    patience = 0.2
    while not waiting.done():
        await asyncio.wait((waiting,), timeout=patience)
        said = facts.read_end(split(bytes(out)))
        if said.over and patience == linger and not waiting.done():
            await confined.stop("it lived on after its result")
            break
        patience = linger if said.over else 0.2
    return await waiting


def run(facts: Facts, home: Home, brain: Brain, sitting: Sitting = Sitting()) -> Sat:
    """One session, for a test that waits for nothing else."""
    with toys.installed(BOX, RiddleKey(BOX)):
        return asyncio.run(sit(facts, home, brain, sitting))


def main(folder: Path) -> None:
    """A session of each program, all at once, and one forked from each; prints what came of them."""
    with toys.installed(BOX, RiddleKey(BOX)):
        found = asyncio.run(_all_of_them(folder))
    print(json.dumps(found))  # noqa: T201


async def _all_of_them(folder: Path) -> Mapping[str, object]:
    return dict(zip(PROGRAMS, await asyncio.gather(*(_both(name, folder) for name in PROGRAMS)), strict=True))


async def _both(name: str, folder: Path) -> Mapping[str, object]:
    facts = PROGRAMS[name]
    sat = await sit(facts, new_home(folder / name), Worker())
    forked = await sit(facts, sat.left, Worker(), Sitting(tasks=1, after=sat.began.session, session=1, system=EXAM))
    return {
        "user": os.geteuid(),
        "scores": [sat.scores, forked.scores],
        "clean": [sat.said.clean, forked.said.clean],
        "untouched": sat.left.untouched,
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
