r"""The journal of a run: one SQLite file in WAL mode. Plain SQL is enough to read it.

    fact         (path, kind, json)         primary key (path, kind). Inserted once, never changed, in the digest
    observation  (seq, path, name, value)   times, costs, versions: what may differ between identical runs
    blob         (hash, bytes)              by SHA-256; above 1 MiB the bytes are the file blobs/ab/cdef... instead
    migration    (name)                     the schema steps this file has been through

A path reads `L3/work/0007/step/2`. `json` and `value` are canonical JSON (sorted keys, no spaces):

    sqlite3 journal.sqlite "SELECT path, json ->> 'score' FROM fact WHERE kind = 'sealed' ORDER BY path"

**What survives.** `put` waits in memory. `flush(durable=False)` survives the death of the process,
`flush(durable=True)` the loss of power. What is put without waiting in between is committed together, and nothing is
committed before what was put earlier, so a crash leaves a beginning of the record and never a sieve.

**One writer.** A run has one writing process (`run_directory` sees to it). Others open it with `read_only=True` and
see the record as it was at that moment.
"""

import asyncio
import heapq
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar, cast

from rung.core.canonical import JSON, sha256
from rung.core.crashpoints import reach
from rung.core.errors import StoreFault, UsageError
from rung.core.ports import Fact
from rung.store.blobs import LARGEST_IN_TABLE, BlobFiles, is_digest
from rung.store.memory import MemoryJournal
from rung.store.migrations import migrate, missing
from rung.store.rows import Key, checked, digest_of, fact_of, ranges, read, settled, spell

__all__ = ["MemoryJournal", "SqliteJournal"]

PAGE_ROWS = 256
PAGE_CHARACTERS = 1 << 20
KNOWN_BLOBS = 4096
BUSY_SECONDS = 30.0

_RowKey = TypeVar("_RowKey", bound=tuple[str | int, ...])


@dataclass(slots=True)
class _Batch:
    """What was put and is not committed yet."""

    facts: dict[Key, str] = field(default_factory=dict)
    observations: list[tuple[int, str, str, str]] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.facts or self.observations or self.blobs)


@dataclass(slots=True)
class _Round:
    """The flushes that one commit will serve."""

    durable: bool = False
    task: "asyncio.Task[None] | None" = None

    def gathering(self) -> bool:
        """Whether a flush may still join; a task that ended without committing died with its event loop."""
        return self.task is not None and not self.task.done()


class SqliteJournal:
    """The record on disk. With `group`, flushes that wait at the same time share one commit in a thread.

    Grouping pays when many episodes run at once; a single one is served faster by a commit in place.
    """

    def __init__(self, path: Path, *, group: bool = False, read_only: bool = False) -> None:
        self._path = path
        self._group = group
        self._files = BlobFiles(path.parent / "blobs")
        self._buffer = threading.RLock()  # guards what waits and the reader: agents may keep blobs from threads
        self._commits = threading.Lock()  # guards the writer
        self._pending = _Batch()
        self._sealed: list[_Batch] = []
        self._unsynced: list[Path] = []
        self._power_safe = True  # whether all that was committed survives power loss
        self._synchronous = ""
        self._known_blobs: dict[str, None] = {}
        self._round: _Round | None = None
        self._last: asyncio.Task[None] | None = None
        self._broken: tuple[str, str] | None = None
        self._closed = False
        self._writer = None if read_only else _open_writer(path)
        try:
            self._reader = _open_archive(path) if read_only else _connect(path)
            self._sequence = count(self._next_sequence())
        except BaseException:
            self._release()
            raise

    def _next_sequence(self) -> int:
        ((last,),) = self._ask("SELECT max(seq) FROM observation", ())
        return 0 if last is None else int(last) + 1

    # ------------------------------------------------------------------------------------------ writing

    def put(self, path: str, kind: str, value: JSON) -> None:
        """Insert a fact. The same again is nothing; another value at the same key is a `StoreFault`."""
        key, text = checked(path, kind), spell(value)
        with self._buffer:
            self._check_writable()
            old = self._find(key)
            if old is None:
                self._pending.facts[key] = text
            else:
                settled(key, old, text)

    def observe(self, path: str, name: str, value: JSON) -> None:
        """Note something that may differ between identical runs. Noted twice, it stands there twice."""
        checked(path, name)
        text = spell(value)
        with self._buffer:
            self._check_writable()
            self._pending.observations.append((next(self._sequence), path, name, text))

    def blob(self, data: bytes) -> str:
        """Keep these bytes and give their SHA-256; the same bytes are kept once. Any thread may."""
        digest = sha256(data)
        with self._buffer:
            self._check_writable()
            if digest not in self._known_blobs:
                self._keep(digest, data)
                self._remember(digest)
        return digest

    def _keep(self, digest: str, data: bytes) -> None:
        if len(data) <= LARGEST_IN_TABLE:
            if self._find_small(digest) is None:
                self._pending.blobs[digest] = bytes(data)
            return
        try:
            self._unsynced.append(self._files.write(digest, data))
        except OSError as error:
            raise self._break(error) from error

    def _remember(self, digest: str) -> None:
        self._known_blobs[digest] = None
        if len(self._known_blobs) > KNOWN_BLOBS:
            del self._known_blobs[next(iter(self._known_blobs))]

    # ------------------------------------------------------------------------------------------ committing

    async def flush(self, *, durable: bool = False) -> None:
        """Return when all put so far survives process death, or, when durable, power loss."""
        self._check()
        if self._writer is None or self._settled(durable=durable):
            return
        if not self._group:
            self._seal()
            self._commit(durable=durable)
            return
        if self._round is None or not self._round.gathering():
            self._round = _Round()
            self._round.task = self._last = asyncio.create_task(self._commit_round(self._round, self._last))
        self._round.durable |= durable
        assert self._round.task is not None
        await asyncio.shield(self._round.task)  # one who stops waiting does not stop the others

    async def _commit_round(self, mine: _Round, previous: "asyncio.Task[None] | None") -> None:
        """Commit once for everybody who asked while the commit before this one ran."""
        if previous is not None and not previous.done():
            await asyncio.wait([previous])
        if self._round is mine:
            self._round = None
        self._seal()
        await asyncio.to_thread(self._commit, durable=mine.durable)

    def _settled(self, *, durable: bool) -> bool:
        """Whether everything put so far is written already, as safely as asked."""
        with self._buffer:
            loose = bool(self._unsynced) or not self._power_safe
            return not (self._pending or self._sealed or (durable and loose))

    def _seal(self) -> None:
        """Close the batch in hand, so that what is put from now on belongs to a later commit."""
        with self._buffer:
            if self._pending:
                self._sealed.append(self._pending)
                self._pending = _Batch()

    def _commit(self, *, durable: bool) -> None:
        with self._commits:
            self._check()
            with self._buffer:
                batches, files = list(self._sealed), list(self._unsynced) if durable else []
            if not batches and not files and (self._power_safe or not durable):
                return  # a commit that came before has served this one too
            try:
                self._write(batches, files, durable=durable)
            except (sqlite3.Error, OSError) as error:
                raise self._break(error) from error
            with self._buffer:
                del self._sealed[: len(batches)], self._unsynced[: len(files)]
            self._power_safe = durable

    def _write(self, batches: list[_Batch], files: list[Path], *, durable: bool) -> None:
        writer = self._writer
        assert writer is not None, "a read-only journal commits nothing"
        for file in files:
            self._files.sync(file)
        self._synchronize(writer, "FULL" if durable else "NORMAL")
        writer.execute("BEGIN IMMEDIATE")
        try:
            for batch in batches:
                _insert(writer, batch)
            if durable and not batches:  # a commit of nothing syncs nothing, so the header is written as it was
                writer.execute("PRAGMA user_version = 0")
            reach("journal.commit.before")
            writer.execute("COMMIT")
        except BaseException:
            if writer.in_transaction:
                writer.rollback()
            raise
        reach("journal.commit.after")

    def _synchronize(self, writer: sqlite3.Connection, level: str) -> None:
        if level != self._synchronous:
            writer.execute(f"PRAGMA synchronous = {level}")
            self._synchronous = level

    def _break(self, error: Exception) -> StoreFault:
        """Remember what broke, and refuse all further work: what waits can no longer be written in its order."""
        if isinstance(error, sqlite3.IntegrityError) or "locked" in str(error):
            self._broken = ("journal", f"another process writes to {self._path.name} ({error}); stop it and run again")
        else:
            kept = "all that was committed is kept; free some space, or mend the disk, and run again"
            self._broken = ("disk", f"{self._path.name} cannot be written ({error}): {kept}")
        return StoreFault(*self._broken)

    def _check(self) -> None:
        if self._broken is not None:
            raise StoreFault(*self._broken)
        if self._closed:
            raise UsageError(f"the journal {self._path.name} is closed; open it again to use it")

    def _check_writable(self) -> None:
        self._check()
        if self._writer is None:
            raise UsageError(f"the journal {self._path.name} was opened to be read only")

    # ------------------------------------------------------------------------------------------ reading

    def get(self, path: str, kind: str) -> JSON | None:
        """The fact at this key, committed or still waiting to be; None when there is none."""
        with self._buffer:
            self._check()
            text = self._find(checked(path, kind))
        return None if text is None else read(text)

    def read_blob(self, digest: str) -> bytes:
        """The bytes with this SHA-256; raises `StoreFault` when they are missing or damaged."""
        data = self._load(digest) if is_digest(digest) else None
        if data is None:
            raise StoreFault("store", f"the blob {digest!r} is missing from {self._path.name} and from blobs/")
        if sha256(data) != digest:
            raise StoreFault("store", f"the blob {digest!r} is damaged: its {len(data)} bytes have another hash")
        return data

    def _load(self, digest: str) -> bytes | None:
        with self._buffer:
            self._check()
            small = self._find_small(digest)
        try:
            return self._files.read(digest) if small is None else small
        except OSError as error:
            raise StoreFault("store", f"the blob {digest!r} cannot be read: {error}") from error

    def facts(self, *, under: str = "", kind: str | None = None) -> Iterator[Fact]:
        """Facts in key order, at or below a path and of a kind. Millions of them take no more memory than a page."""
        for key, text in self._facts(under, kind):
            yield fact_of(key, text)

    def observations(self, *, under: str = "", name: str | None = None) -> Iterator[Fact]:
        """Observations in key order, those of one key in the order in which they were made."""
        table = "SELECT path, name, seq, value FROM observation WHERE (path, name, seq) > (?, ?, ?)"
        said = "" if name is None else " AND name = ?"
        sql = f"{table} AND path >= ? AND path < ?{said} ORDER BY path, name, seq LIMIT {PAGE_ROWS}"
        for low, high in ranges(under):
            with self._buffer:
                batches = (*self._sealed, self._pending)
                rows = [((path, name, seq), text) for batch in batches for seq, path, name, text in batch.observations]
            stored = self._stored(sql, (low, "", -1), _bounds(low, high, name))
            for (path, noted, _), text in _merged(stored, [row for row in rows if _within(row[0], low, high, name)]):
                yield fact_of((path, noted), text)

    def digest(self) -> str:
        """SHA-256 over all facts in key order: what "identical" means."""
        return digest_of(self._facts("", None))

    def _facts(self, under: str, kind: str | None) -> Iterator[tuple[Key, str]]:
        table = "SELECT path, kind, json FROM fact WHERE (path, kind) > (?, ?)"
        of_kind = "" if kind is None else " AND kind = ?"
        sql = f"{table} AND path >= ? AND path < ?{of_kind} ORDER BY path, kind LIMIT {PAGE_ROWS}"
        for low, high in ranges(under):
            with self._buffer:
                rows = [row for batch in (*self._sealed, self._pending) for row in batch.facts.items()]
            stored = self._stored(sql, (low, ""), _bounds(low, high, kind))
            yield from _merged(stored, [row for row in rows if _within(row[0], low, high, kind)])

    def _stored(self, sql: str, after: _RowKey, bounds: list[str | bytes]) -> Iterator[tuple[_RowKey, str]]:
        """Rows of the file page by page, each page after the key that ended the last.

        No cursor stays open between pages, so a slow reader never holds up a checkpoint.
        """
        while True:
            page: list[tuple[_RowKey, str]] = self._page(sql, (*after, *bounds))
            yield from page
            if not page:
                return
            after = page[-1][0]

    def _page(self, sql: str, parameters: tuple[str | int | bytes, ...]) -> list[tuple[_RowKey, str]]:
        rows: list[tuple[_RowKey, str]] = []
        characters = 0
        with self._buffer:
            self._check()
            for row in self._ask(sql, parameters):
                rows.append((cast(_RowKey, row[:-1]), row[-1]))
                characters += len(row[-1])
                if characters > PAGE_CHARACTERS:
                    break
        return rows

    def _find(self, key: Key) -> str | None:
        for batch in (self._pending, *self._sealed):
            if key in batch.facts:
                return batch.facts[key]
        for (text,) in self._ask("SELECT json FROM fact WHERE path = ? AND kind = ?", key):
            return str(text)
        return None

    def _find_small(self, digest: str) -> bytes | None:
        for batch in (self._pending, *self._sealed):
            if digest in batch.blobs:
                return batch.blobs[digest]
        for (data,) in self._ask("SELECT bytes FROM blob WHERE hash = ?", (digest,)):
            return bytes(data)
        return None

    def _ask(self, sql: str, parameters: tuple[str | int | bytes, ...]) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._reader.execute(sql, parameters)
        except sqlite3.DatabaseError as error:
            raise StoreFault("store", f"{self._path.name} cannot be read ({error}); is the disk sound?") from error

    # ------------------------------------------------------------------------------------------ closing

    def close(self) -> None:
        """Write what waits, so that it survives power loss, and let go of the file."""
        if self._closed:
            return
        try:
            if self._writer is not None and self._broken is None:
                self._seal()
                self._commit(durable=True)
        finally:
            self._release()

    def _release(self) -> None:
        with self._commits, self._buffer:
            self._closed = True
            for connection in (getattr(self, "_reader", None), self._writer):
                if connection is not None:
                    connection.close()


def _insert(writer: sqlite3.Connection, batch: _Batch) -> None:
    writer.executemany("INSERT OR IGNORE INTO blob VALUES (?, ?)", batch.blobs.items())
    writer.executemany("INSERT INTO fact VALUES (?, ?, ?)", ((*key, text) for key, text in batch.facts.items()))
    writer.executemany("INSERT INTO observation VALUES (?, ?, ?, ?)", batch.observations)


def _bounds(low: str, high: str | None, name: str | None) -> list[str | bytes]:
    top = b"" if high is None else high  # SQLite sorts any bytes after all text
    return [low, top] if name is None else [low, top, name]


def _within(key: tuple[str | int, ...], low: str, high: str | None, name: str | None) -> bool:
    path = str(key[0])
    return low <= path and (high is None or path < high) and name in (None, key[1])


def _merged(
    stored: Iterator[tuple[_RowKey, str]], waiting: Iterable[tuple[_RowKey, str]]
) -> Iterator[tuple[_RowKey, str]]:
    """Rows of the file and rows that wait, in order. A row committed meanwhile is in both and comes once."""
    last: _RowKey | None = None
    for row in heapq.merge(stored, sorted(waiting), key=itemgetter(0)):
        if row[0] != last:
            yield row
        last = row[0]


# ---------------------------------------------------------------------------------------------- opening


def _connect(path: Path, query: str = "mode=rw") -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{query}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from somebody else
    return connection


def _open_writer(path: Path) -> sqlite3.Connection:
    try:
        connection = _connect(path, "mode=rwc")
    except sqlite3.OperationalError as error:
        raise UsageError(
            f"{path} cannot be opened ({error}); does its folder exist, and may you write there?"
        ) from error
    try:
        missing(connection, path)  # refuse a foreign file before anything in it is touched
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA fullfsync = ON")  # macOS: through the drive's cache
        migrate(connection, path)
    except sqlite3.OperationalError as error:
        connection.close()
        raise StoreFault("disk", f"{path} cannot be opened ({error}); nothing in it was changed") from error
    except BaseException:
        connection.close()
        raise
    return connection


def _open_archive(path: Path) -> sqlite3.Connection:
    """The record as it is at this moment, whatever its writer does next; an older schema is brought up in memory."""
    if not path.is_file():
        raise UsageError(f"there is no journal at {path}; is this the folder of a run?")
    connection = _connect_archive(path)
    try:
        if missing(connection, path):
            connection = _copy_in_memory(connection, path)
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM migration").fetchone()  # a transaction begins with its first read
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_archive(path: Path) -> sqlite3.Connection:
    """Open without writing. Only the last one out tidies the write-ahead log away, as SQLite always does.

    On a disk that cannot be written SQLite has to be told that nobody writes; then a log that is left would be ignored.
    """
    connection = _connect(path)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise UsageError(f"{path} was not closed and lies where nobody may write; copy its folder first") from error
        return _connect(path, "mode=ro&immutable=1")
    except sqlite3.DatabaseError:
        pass  # no database at all: `missing` says so
    return connection


def _copy_in_memory(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.backup(copy)
    connection.close()
    migrate(copy, path)
    return copy
