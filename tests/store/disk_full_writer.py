"""Writes until no file may grow any more, and says what it met. Run in a process of its own, by its disk's limit."""

import asyncio
import resource
import sys
from pathlib import Path

from rung.core.errors import InstrumentFault
from rung.store.journal import SqliteJournal

ROOM = 2 << 20


def refused(act: object) -> str:
    try:
        act()
    except InstrumentFault as fault:
        return f"{fault.where}: {fault.detail}"
    return "nothing"


def main() -> None:
    folder, what, group = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "group"
    journal = SqliteJournal(folder / "journal.sqlite", group=group)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))
    committed = 0

    def write_on() -> None:
        nonlocal committed
        while True:
            if what == "large blob" and committed == 3:
                journal.blob(b"x" * (ROOM + 1))
            journal.put(f"{committed:06d}", "k", "x" * 20_000)
            asyncio.run(journal.flush(durable=committed % 2 == 0))
            committed += 1

    first = refused(write_on)
    said = [
        str(committed),
        first,
        refused(lambda: journal.put("more", "k", 1)),
        refused(lambda: asyncio.run(journal.flush(durable=True))),
        refused(lambda: journal.get("000000", "k")),
        refused(journal.close),
    ]
    sys.stdout.write("\n".join(said) + "\n")


if __name__ == "__main__":
    main()
