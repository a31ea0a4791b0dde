"""A small study that writes, and dies where it is told to. Run by the crash tests in a process of its own.

Each of four lineages does its steps: two facts, a blob and an observation put together, then a flush. What was
flushed is acknowledged on stdout. Run again after a crash it goes on, and ends as if nothing had happened.
"""

import asyncio
import os
import sys
from pathlib import Path

from rung.core.ports import Journal
from rung.core.values import State
from rung.store.journal import SqliteJournal
from rung.store.snapshots import JournalSnapshots
from rung.testing.crashes import die_at

LINEAGES = 4
STEPS = 12
LARGE = 1 << 20


def path_of(lineage: int, step: int) -> str:
    return f"L{lineage}/work/{step:04d}"


def put_step(journal: Journal, lineage: int, step: int) -> None:
    path = path_of(lineage, step)
    journal.put(path, "served", {"step": step})
    size = LARGE + 1 if step % 6 == 5 else 100
    journal.put(path, "sealed", {"blob": journal.blob(f"{path} ".encode() * (size // len(path) + 1))})
    journal.observe(path, "pid", os.getpid())


def put_snapshot(snapshots: JournalSnapshots, lineage: int, step: int, parent: str | None) -> str:
    files = {"agent/notes.md": f"L{lineage} learned {step}".encode(), "method/a/b": b"same"}
    return snapshots.put(State(files), parent=parent, message=f"L{lineage} step {step}")


async def work(journal: Journal, snapshots: JournalSnapshots, lineage: int) -> None:
    snapshot = None
    for step in range(STEPS):
        put_step(journal, lineage, step)
        snapshot = put_snapshot(snapshots, lineage, step, snapshot)
        await journal.flush(durable=step % 3 == 0)
        snapshots.point(f"study/L{lineage}", snapshot)
        os.write(1, f"{lineage} {step} {snapshot}\n".encode())


async def study(journal: Journal, snapshots: JournalSnapshots) -> None:
    await asyncio.gather(*(work(journal, snapshots, lineage) for lineage in range(LINEAGES)))


def main() -> None:
    folder, group, label, passes = Path(sys.argv[1]), sys.argv[2] == "group", sys.argv[3], int(sys.argv[4])
    if label:
        die_at(label, passes)
    journal = SqliteJournal(folder / "journal.sqlite", group=group)
    asyncio.run(study(journal, JournalSnapshots(journal, folder / "states.git")))
    journal.close()


if __name__ == "__main__":
    main()
