"""Works many episodes in a process of its own, and says how much memory it took on the way, in KiB.

python many_episodes.py FOLDER EPISODES REPORTS
"""

import asyncio
import random
import resource
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rung.core import registry
from rung.core.ports import Actor, Ports
from rung.core.seeds import Seed
from rung.core.values import Action, State, View
from rung.methods.static import Static
from rung.protocols.stream import Ticket
from rung.protocols.study import Arm, Bench, Study
from rung.store.journal import SqliteJournal
from rung.store.snapshots import JournalSnapshots


class Unsynced(SqliteJournal):
    """The journal on disk, without waiting for the disk."""

    async def flush(self, *, durable: bool = False) -> None:
        await super().flush(durable=False)


class Scripted:
    id = "scripted"

    def harness(self) -> Mapping[str, bytes]:
        return {"agent/notes.md": b"nothing"}

    def actor(self, state: State, ports: Ports, rng: random.Random) -> Actor:
        return _Guesses(rng)


@dataclass(frozen=True)
class _Guesses:
    rng: random.Random

    async def act(self, view: View) -> Action:
        return Action(f"perhaps {self.rng.randrange(1 << 30)}")


async def work(folder: Path, episodes: int, reports: int) -> None:
    journal = Unsynced(folder / "journal.sqlite")
    study, arm = Study(Bench(journal, JournalSnapshots(journal), Seed("many"))), Arm("m", Scripted(), Static())
    family, snapshot = registry.family("toy-road-v1"), await study.begin("m", arm)
    for number in range(1, episodes + 1):
        task = family.draw(family.setting("d1"), Seed("many").child(number))
        await study.attempt(arm, Ticket(f"m/L1/work/{number:07d}", task, "work", snapshot, 1))
        if number % (episodes // reports) == 0:
            sys.stdout.write(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}\n")
    journal.close()


if __name__ == "__main__":
    asyncio.run(work(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
