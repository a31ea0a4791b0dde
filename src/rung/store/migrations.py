"""The schema of a journal, as numbered steps. A new one goes to the end, with a test that opens an older file.

An applied step's name stands in the table `migration`, so a file says by itself how far it was brought.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from rung.core.errors import UsageError

APPLICATION = 0x52756E67  # "Rung", in the file's header: how `file` and we tell a journal from another database


def _0001_tables(database: sqlite3.Connection) -> None:
    database.execute("CREATE TABLE migration (name TEXT PRIMARY KEY) WITHOUT ROWID")
    database.execute(
        "CREATE TABLE fact (path TEXT NOT NULL, kind TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (path, kind))"
        " WITHOUT ROWID"
    )
    database.execute(
        "CREATE TABLE observation (seq INTEGER PRIMARY KEY, path TEXT NOT NULL, name TEXT NOT NULL,"
        " value TEXT NOT NULL)"
    )
    database.execute("CREATE TABLE blob (hash TEXT PRIMARY KEY, bytes BLOB NOT NULL)")
    database.execute(f"PRAGMA application_id = {APPLICATION}")


def _0002_order(database: sqlite3.Connection) -> None:
    # Reports ask for every fact of one kind, and for observations in key order; both were scans of the whole table.
    database.execute("CREATE INDEX fact_by_kind ON fact (kind, path)")
    database.execute("CREATE INDEX observation_by_path ON observation (path, name)")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_0001_tables, _0002_order)


def name_of(migration: Callable[[sqlite3.Connection], None]) -> str:
    """The name under which a step is recorded.

    >>> [name_of(step) for step in MIGRATIONS]
    ['0001_tables', '0002_order']
    """
    return migration.__name__.removeprefix("_")


def missing(database: sqlite3.Connection, file: Path) -> list[Callable[[sqlite3.Connection], None]]:
    """The steps this database still needs; raises `UsageError` when it is newer than we are or not a journal."""
    applied = _applied(database, file)
    known = [name_of(step) for step in MIGRATIONS]
    if applied != known[: len(applied)]:
        strange = sorted(set(applied) - set(known)) or applied
        raise UsageError(
            f"{file} was written by a newer rung (schema step {strange[-1]!r}); install that version or a later one"
        )
    return list(MIGRATIONS[len(applied) :])


def migrate(database: sqlite3.Connection, file: Path) -> None:
    """Bring a database to the newest schema in one transaction, so that a crash leaves the old one or the new one."""
    if not missing(database, file):
        return
    database.execute("BEGIN IMMEDIATE")
    try:
        for step in missing(database, file):  # asked again: now nobody else can be at it
            step(database)
            database.execute("INSERT INTO migration VALUES (?)", (name_of(step),))
        database.execute("COMMIT")
    except BaseException:
        database.rollback()
        raise


def _applied(database: sqlite3.Connection, file: Path) -> list[str]:
    try:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        (application,) = database.execute("PRAGMA application_id").fetchone()
    except sqlite3.OperationalError:  # a disk or a lock, and no verdict on the file
        raise
    except sqlite3.DatabaseError as error:
        raise UsageError(f"{file} is no journal ({error}); choose another folder, or move the file away") from error
    if not tables and application == 0:
        return []
    if application != APPLICATION or "migration" not in tables:
        raise UsageError(f"{file} is a database of another program; choose another folder, or move the file away")
    return [name for (name,) in database.execute("SELECT name FROM migration ORDER BY name")]
