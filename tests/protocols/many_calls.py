"""Five hundred model calls at once within a budget, in a process of its own that dies in the midst of them.

    python many_calls.py FOLDER LOG USD [LABEL PASSES]

Every try that is answered is a line of LOG with its dollars; a word costs one. Run again it goes on with what is left.
"""

import asyncio
import os
import sys
from pathlib import Path

from rung.backends.models.gateway import Gateway
from rung.backends.models.scripted import Scripted
from rung.core.config import BudgetConfig, ModelConfig, PriceConfig
from rung.core.errors import BudgetSpent
from rung.core.values import Message, ModelRequest
from rung.protocols.budget import Purse
from rung.protocols.lines import Lines
from rung.store.journal import SqliteJournal
from rung.testing.crashes import die_at

CALLS = 500
MOST = 10
"""Words, and so dollars, of the longest answer."""


async def work(journal: SqliteJournal, log: int, usd: float) -> int:
    """Make every call; how many were refused."""

    def said(request: ModelRequest, number: int) -> str:
        words = 1 + number % MOST
        os.write(log, f"{words}\n".encode())
        return " ".join(["word"] * words)

    async def turn(seconds: float) -> None:
        await asyncio.sleep(0)

    price = PriceConfig(input=0.0, output=1e6, date="2026-11-30")
    backend = Scripted(said, delay=1.0, sleep=turn)
    gateway = Gateway("scripted/words", backend, ModelConfig(concurrency=CALLS), price=price, live=False)
    lines = Lines(journal, Purse(journal, BudgetConfig(usd=usd)))
    request = ModelRequest((Message("user", "say some words"),), "agent", max_tokens=MOST)
    asked = [lines.line(f"a/L{n}/work/0001", "agent", gateway).generate(request) for n in range(CALLS)]
    results = await asyncio.gather(*asked, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, BudgetSpent):
            raise result
    return sum(isinstance(result, BudgetSpent) for result in results)


def main(folder: str, log: str, usd: str, label: str = "", passes: str = "0") -> None:
    if label:
        die_at(label, int(passes))
    journal = SqliteJournal(Path(folder) / "journal.sqlite", group=True)
    try:
        refused = asyncio.run(work(journal, os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), float(usd)))
    finally:
        journal.close()
    sys.exit(4 if refused else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
