"""What the journal on disk promises beyond its interface: schema, sharing, reading, and bad disks."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import disk_full_writer
import pytest

from rung.core import crashpoints
from rung.core.canonical import JSON
from rung.core.errors import InstrumentFault, UsageError
from rung.store import blobs
from rung.store.journal import SqliteJournal

Opened = Callable[..., SqliteJournal]


def test_plain_sql_reads_a_run(opened: Opened, file: Path):
    journal = opened()
    journal.put("L3/work/0007/step/2", "step", {"score": 0.5})
    journal.observe("L3/work/0007", "seconds", 1.25)
    digest = journal.blob(b"bytes")
    journal.close()
    with plain(file) as database:
        assert database.execute("SELECT path, kind, json ->> 'score' FROM fact").fetchall() == [
            ("L3/work/0007/step/2", "step", 0.5)
        ]
        assert database.execute("SELECT path, name, value FROM observation").fetchall() == [
            ("L3/work/0007", "seconds", "1.25")
        ]
        assert database.execute("SELECT hash, bytes FROM blob").fetchall() == [(digest, b"bytes")]


def test_strange_text_is_still_valid_json_for_plain_sql(opened: Opened, file: Path):
    journal = opened()
    journal.put("a", "k", ["\ud800", "\0", "ä😀"])
    journal.close()
    with plain(file) as database:
        assert database.execute("SELECT json_valid(json), json FROM fact").fetchall() == [
            (1, '["\\ud800","\\u0000","ä😀"]')
        ]


def test_a_finished_run_leaves_one_file(opened: Opened, tmp_path: Path):
    journal = opened(group=True)
    journal.put("a", "k", 1)
    journal.close()
    opened(read_only=True).close()
    assert [each.name for each in tmp_path.iterdir()] == ["journal.sqlite"]


def test_closing_writes_what_waits_and_closing_twice_is_nothing(opened: Opened):
    journal = opened()
    journal.put("a", "k", 1)
    journal.close()
    journal.close()
    assert opened().get("a", "k") == 1


def test_a_closed_journal_says_so(opened: Opened):
    journal = opened()
    journal.close()
    for act in (lambda: journal.put("a", "k", 1), lambda: journal.get("a", "k"), lambda: list(journal.facts())):
        with pytest.raises(UsageError, match="closed"):
            act()


def test_without_a_folder_there_is_no_journal(tmp_path: Path):
    with pytest.raises(UsageError, match="folder"):
        SqliteJournal(tmp_path / "nowhere" / "journal.sqlite")


# ---------------------------------------------------------------------------------------------- flushing


def test_flushes_that_wait_together_share_commits(opened: Opened, file: Path, passed: list[str]):
    journal = opened(group=True)

    async def put_and_flush(number: int) -> None:
        journal.put(f"{number}", "k", number)
        await journal.flush(durable=number == 7)
        assert number in committed(file)

    asyncio.run(gathered(put_and_flush(number) for number in range(50)))
    assert passed.count("journal.commit.before") == passed.count("journal.commit.after") == 1


def test_the_loop_goes_on_while_a_commit_waits_for_the_disk(
    opened: Opened, file: Path, monkeypatch: pytest.MonkeyPatch
):
    journal, arrived, go_on = opened(group=True), threading.Event(), threading.Event()

    def hook(label: str) -> None:
        if label == "journal.commit.before":
            arrived.set()
            assert go_on.wait(30)

    async def story() -> list[object]:
        journal.put("a", "k", 1)
        first = asyncio.create_task(journal.flush(durable=True))
        await asyncio.to_thread(arrived.wait, 30)
        journal.put("b", "k", 2)  # the loop is free, and what is put meanwhile is seen at once
        seen = [fact.value for fact in journal.facts()] + [journal.get("a", "k"), journal.get("b", "k")]
        second = asyncio.create_task(journal.flush(durable=False))
        await asyncio.sleep(0)
        unfinished = [first.done(), second.done(), len(committed(file))]
        go_on.set()
        await asyncio.gather(first, second)
        return [seen, unfinished, len(committed(file))]

    monkeypatch.setattr(crashpoints, "hook", hook)
    assert asyncio.run(story()) == [[1, 2, 1, 2], [False, False, 0], 2]


def test_all_who_come_during_a_commit_are_served_by_the_next(opened: Opened, monkeypatch: pytest.MonkeyPatch):
    journal, arrived, go_on, commits = opened(group=True), threading.Event(), threading.Event(), []

    def hook(label: str) -> None:
        if label == "journal.commit.before":
            commits.append(label)
            arrived.set()
            assert go_on.wait(30)

    async def story() -> int:
        waiting = []
        for number in range(20):
            journal.put(f"{number}", "k", number)
            waiting.append(asyncio.create_task(journal.flush(durable=False)))
            await (asyncio.to_thread(arrived.wait, 30) if number == 0 else asyncio.sleep(0))
        threads = threading.active_count()
        go_on.set()
        await asyncio.gather(*waiting)
        return threads

    monkeypatch.setattr(crashpoints, "hook", hook)
    before = threading.active_count()
    assert asyncio.run(story()) - before <= 2  # those who wait hold no thread: the pool is for agents too
    assert len(commits) == 2


def test_one_who_stops_waiting_does_not_stop_the_others(opened: Opened, file: Path):
    journal = opened(group=True)

    async def story() -> None:
        journal.put("a", "k", 1)
        impatient, patient = (asyncio.create_task(journal.flush(durable=True)) for _ in range(2))
        await asyncio.sleep(0)
        impatient.cancel()
        await patient

    asyncio.run(story())
    assert len(committed(file)) == 1


def test_a_loop_that_goes_down_leaves_the_journal_usable(opened: Opened, file: Path):
    journal = opened(group=True)

    async def cut_short(*, begun: bool) -> None:
        journal.put(f"{begun}", "k", f"{begun}")
        waiting = asyncio.create_task(journal.flush(durable=False))
        await asyncio.sleep(0)
        if begun:
            await asyncio.sleep(0)
        waiting.cancel()

    for begun in (False, True, False):
        asyncio.run(cut_short(begun=begun))
    journal.put("z", "k", "z")
    asyncio.run(journal.flush(durable=False))
    assert committed(file) == ["False", "True", "z"]


def test_a_durable_flush_reaches_the_log_even_when_all_is_written_already(
    opened: Opened, file: Path, passed: list[str]
):
    journal = opened()
    journal.put("a", "k", 1)
    asyncio.run(journal.flush(durable=False))
    asyncio.run(journal.flush(durable=False))
    assert len(passed) == 2  # nothing waited, so the second did nothing
    size = file.with_name("journal.sqlite-wal").stat().st_size
    asyncio.run(journal.flush(durable=True))
    assert file.with_name("journal.sqlite-wal").stat().st_size > size  # SQLite syncs only a commit that wrote
    asyncio.run(journal.flush(durable=True))
    assert len(passed) == 4


@pytest.mark.parametrize("group", [False, True])
def test_a_commit_that_anybody_wants_durable_syncs_the_log_and_the_large_blobs_it_may_name(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, group: bool
):
    journal, story = opened(group=group), []

    def hook(label: str) -> None:
        if label == "journal.commit.before":
            assert journal._writer is not None
            story.append(journal._writer.execute("PRAGMA synchronous").fetchone()[0])

    monkeypatch.setattr(crashpoints, "hook", hook)
    monkeypatch.setattr(blobs, "_sync", lambda handle: story.append("sync"))
    normal, full, file_and_three_folders = 1, 2, ["sync"] * 4
    for number, durable in enumerate((False, True, False, True)):
        journal.put("a", f"{number}", journal.blob(b"x" * (1 << 20) + b"y" * (2 - number // 2)))
        asyncio.run(gathered(journal.flush(durable=wish) for wish in ((durable, False) if group else (durable,))))
    assert story == [normal, *file_and_three_folders, full, normal, *file_and_three_folders, full]


def test_agents_may_keep_blobs_from_threads_while_the_loop_commits(opened: Opened):
    journal = opened(group=True)

    def keep(number: int) -> list[str]:
        return [journal.blob(f"{number} {each}".encode()) for each in range(50)]

    async def story() -> list[list[str]]:
        async def flush_on() -> None:
            for number in range(50):
                journal.put(f"{number}", "k", 1)
                await journal.flush(durable=False)

        kept = asyncio.gather(*(asyncio.to_thread(keep, number) for number in range(4)))
        await flush_on()
        return await kept

    for number, digests in enumerate(asyncio.run(story())):
        assert [journal.read_blob(digest) for digest in digests] == [f"{number} {i}".encode() for i in range(50)]


def test_a_second_writer_is_noticed(opened: Opened):
    one, two = opened(), opened()
    one.put("a", "k", 1)
    two.put("a", "k", 2)
    asyncio.run(one.flush(durable=False))
    with pytest.raises(InstrumentFault, match="another process") as caught:
        asyncio.run(two.flush(durable=False))
    assert caught.value.where == "journal"


# ---------------------------------------------------------------------------------------------- reading


def test_a_reader_sees_the_record_as_it_was_when_it_opened(opened: Opened):
    writer = opened()
    writer.put("a", "k", 1)
    large = writer.blob(b"x" * (2 << 20))
    asyncio.run(writer.flush(durable=False))
    reader = opened(read_only=True)
    writer.put("b", "k", 2)
    asyncio.run(writer.flush(durable=False))
    assert [fact.path for fact in reader.facts()] == ["a"]
    assert reader.get("b", "k") is None
    assert len(reader.read_blob(large)) == 2 << 20
    assert [fact.path for fact in opened(read_only=True).facts()] == ["a", "b"]


def test_a_reader_writes_nothing(opened: Opened):
    opened().close()
    reader = opened(read_only=True)
    for act in (lambda: reader.put("a", "k", 1), lambda: reader.observe("a", "n", 1), lambda: reader.blob(b"")):
        with pytest.raises(UsageError, match="read only"):
            act()
    asyncio.run(reader.flush(durable=True))


def test_a_reader_of_nothing_is_told_so(file: Path, opened: Opened):
    with pytest.raises(UsageError, match="no journal"):
        opened(read_only=True)
    assert not file.exists()


def test_a_finished_run_can_be_read_where_nobody_may_write():
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "journal.sqlite"
        journal = SqliteJournal(file)
        journal.put("a", "k", 1)
        journal.close()
        with only_reading(file):
            reader = SqliteJournal(file, read_only=True)
            assert reader.get("a", "k") == 1
            reader.close()


def test_an_unfinished_run_where_nobody_may_write_is_refused_rather_than_half_read():
    with tempfile.TemporaryDirectory() as name:
        file, log = Path(name) / "journal.sqlite", Path(name) / "journal.sqlite-wal"
        journal = SqliteJournal(file)
        journal.put("a", "k", 1)
        asyncio.run(journal.flush(durable=False))
        before = file.read_bytes(), log.read_bytes()
        journal.close()
        file.write_bytes(before[0])
        log.write_bytes(before[1])
        with only_reading(file), pytest.raises(UsageError, match="copy its folder"):
            SqliteJournal(file, read_only=True)


@pytest.mark.parametrize(("count", "size", "most"), [(8_000, 2_000, 3_000_000), (24, 1_000_000, 12_000_000)])
def test_reading_on_takes_no_more_memory_than_a_page(opened: Opened, count: int, size: int, most: int):
    journal = opened()
    for number in range(count):
        journal.put(f"{number:06d}", "k", "x" * size)
    asyncio.run(journal.flush(durable=False))
    tracemalloc.start()
    read = sum(1 for _ in journal.facts())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read == count
    assert peak < most  # of 16 and 24 million bytes


# ---------------------------------------------------------------------------------------------- bad disks


@pytest.mark.parametrize("how", ["inline", "group"])
@pytest.mark.parametrize("what", ["facts", "large blob"])
def test_a_full_disk_keeps_all_that_was_committed_and_says_what_to_do(tmp_path: Path, what: str, how: str):
    command = [sys.executable, disk_full_writer.__file__, str(tmp_path), what, how]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    count, *said = ended.stdout.splitlines()
    assert said[0].startswith("disk: ")
    assert "all that was committed is kept" in said[0]
    assert "run again" in said[0]
    assert said[1:4] == [said[0]] * 3  # put, flush and get refuse in the same words
    assert said[4] == "nothing"  # and closing is quiet
    journal = SqliteJournal(tmp_path / "journal.sqlite")
    assert [fact.path for fact in journal.facts()] == [f"{number:06d}" for number in range(int(count))]
    journal.put("after", "k", journal.blob(b"x" * (disk_full_writer.ROOM + 1)))
    journal.close()
    assert int(count) >= 3
    left = sorted(each.name for each in tmp_path.rglob("*") if each.is_file())
    assert len(left) == 2, left  # the journal and one blob, and no temporary file


def test_a_torn_blob_is_noticed_and_mended_when_it_is_kept_again(opened: Opened, tmp_path: Path):
    journal, data = opened(), b"x" * (2 << 20)
    digest = journal.blob(data)
    journal.close()
    torn = tmp_path / "blobs" / digest[:2] / digest[2:]
    torn.write_bytes(data[:1000])
    again = opened()
    with pytest.raises(InstrumentFault, match="damaged"):
        again.read_blob(digest)
    assert again.read_blob(again.blob(data)) == data


def test_a_row_with_other_bytes_than_its_hash_is_damaged(opened: Opened, file: Path):
    journal = opened()
    digest = journal.blob(b"right")
    journal.close()
    with plain(file) as database:
        database.execute("UPDATE blob SET bytes = x'00'")
        database.commit()
    with pytest.raises(InstrumentFault, match="damaged"):
        opened().read_blob(digest)


def test_a_damaged_file_is_a_fault_and_no_riddle(opened: Opened, file: Path):
    journal = opened()
    for number in range(2_000):
        journal.put(f"{number:06d}", "k", "x" * 500)
    journal.close()
    with file.open("r+b") as stream:
        stream.seek(40_960)
        stream.write(b"\xff" * 400_000)
    with pytest.raises(InstrumentFault, match="cannot be read"):
        list(opened(read_only=True).facts())


# ---------------------------------------------------------------------------------------------- helpers


@contextmanager
def plain(file: Path) -> Iterator[sqlite3.Connection]:
    database = sqlite3.connect(file)
    try:
        yield database
    finally:
        database.close()


@contextmanager
def only_reading(file: Path) -> Iterator[None]:
    """Be somebody who may read this file and not write beside it, also when the tests run as root."""
    file.chmod(0o444)
    file.parent.chmod(0o555)
    if os.geteuid() == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(os.getuid())
        file.parent.chmod(0o755)


def committed(file: Path) -> list[JSON]:
    """The facts that another process would find at this moment."""
    other = SqliteJournal(file, read_only=True)
    try:
        return [fact.value for fact in other.facts()]
    finally:
        other.close()


async def gathered(coroutines: Iterator) -> None:
    await asyncio.gather(*coroutines)
