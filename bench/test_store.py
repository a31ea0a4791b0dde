"""How fast the store is. Aims: 10,000 facts/s in batches, a step flushed well within 1 ms, a snapshot in 0.3 ms."""

import asyncio
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from rung.core.values import Message, ModelCall, ModelReply, ModelRequest, State
from rung.store.calls import record_call
from rung.store.journal import MemoryJournal, SqliteJournal
from rung.store.snapshots import JournalSnapshots

STEP = {"action": "plant 3 4", "response": "x" * 300, "score": 0.5}
BATCH = 1000


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    opened = SqliteJournal(tmp_path / "journal.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


def test_a_thousand_facts_in_one_batch(benchmark: BenchmarkFixture, journal: SqliteJournal, loop):
    numbers = count()

    def batch() -> None:
        for _ in range(BATCH):
            journal.put(f"L0/work/{next(numbers):09d}", "step", STEP)
        loop.run_until_complete(journal.flush(durable=False))

    benchmark(batch)
    assert BATCH / benchmark.stats["median"] >= 10_000


def test_a_thousand_facts_in_memory(benchmark: BenchmarkFixture):
    journal, numbers = MemoryJournal(), count()

    def batch() -> None:
        for _ in range(BATCH):
            journal.put(f"L0/work/{next(numbers):09d}", "step", STEP)

    benchmark(batch)


@pytest.mark.parametrize("durable", [False, True], ids=["process death", "power loss"])
@pytest.mark.parametrize("group", [False, True], ids=["inline", "grouped"])
def test_one_step_put_and_flushed(benchmark: BenchmarkFixture, tmp_path: Path, loop, durable: bool, group: bool):
    journal, numbers = SqliteJournal(tmp_path / "journal.sqlite", group=group), count()

    def step() -> None:
        journal.put(f"L0/work/{next(numbers):09d}", "step", STEP)
        loop.run_until_complete(journal.flush(durable=durable))

    benchmark(step)
    loop.run_until_complete(loop.shutdown_default_executor())
    journal.close()


@pytest.mark.parametrize("group", [False, True], ids=["inline", "grouped"])
def test_sixty_four_episodes_flush_durably_at_once(benchmark: BenchmarkFixture, tmp_path: Path, loop, group: bool):
    journal, numbers = SqliteJournal(tmp_path / "journal.sqlite", group=group), count()

    async def episode() -> None:
        journal.put(f"L0/work/{next(numbers):09d}", "step", STEP)
        await journal.flush(durable=True)

    async def episodes() -> None:
        await asyncio.gather(*(episode() for _ in range(64)))

    benchmark(lambda: loop.run_until_complete(episodes()))
    loop.run_until_complete(loop.shutdown_default_executor())
    journal.close()


@pytest.mark.parametrize("where", ["memory", "sqlite", "sqlite and git"])
def test_a_snapshot_of_two_files(benchmark: BenchmarkFixture, journal: SqliteJournal, tmp_path: Path, where: str):
    kept = MemoryJournal() if where == "memory" else journal
    snapshots = JournalSnapshots(kept, tmp_path / "states.git" if "git" in where else None)
    numbers, parent = count(), snapshots.put(State({}), parent=None, message="")

    def put() -> None:
        files = {"agent/notes.md": b"n" * 500 + b"%d" % next(numbers), "agent/skill.json": b"{}"}
        snapshots.put(State(files), parent=parent, message="step")

    benchmark(put)
    if where == "memory":
        assert benchmark.stats["median"] < 300e-6


def test_ten_thousand_facts_read_in_order(benchmark: BenchmarkFixture, journal: SqliteJournal, loop):
    for number in range(10_000):
        journal.put(f"L0/work/{number:09d}", "step", STEP)
    loop.run_until_complete(journal.flush(durable=False))
    assert benchmark(lambda: sum(1 for _ in journal.facts(kind="step"))) == 10_000


def test_the_digest_of_ten_thousand_facts(benchmark: BenchmarkFixture, journal: SqliteJournal, loop):
    for number in range(10_000):
        journal.put(f"L0/work/{number:09d}", "step", STEP)
    loop.run_until_complete(journal.flush(durable=False))
    benchmark(journal.digest)


def test_a_call_with_a_history_of_a_hundred_messages(benchmark: BenchmarkFixture, journal: SqliteJournal):
    history = tuple(Message("user", f"turn {turn} " + "x" * 500) for turn in range(100))
    numbers = count()
    call = ModelCall(ModelRequest(history, "agent"), ModelReply("reply", "model", "stop"))
    benchmark(lambda: record_call(journal, "L0/work/1", next(numbers), call))
