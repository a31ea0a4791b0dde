"""The journals and snapshot stores of this project against every promise of their suites."""

import sqlite3
from itertools import count

import pytest

from rung.store.journal import MemoryJournal, SqliteJournal
from rung.store.snapshots import JournalSnapshots
from rung.testing.contracts import SUITES, JournalCase, examine


def sqlite_case(folder, *, group):
    paths = [folder / "none"]

    def make():
        paths.append(folder / f"{len(paths)}" / "journal.sqlite")
        paths[-1].parent.mkdir()
        return SqliteJournal(paths[-1], group=group)

    def survivors():
        with sqlite3.connect(f"file:{paths[-1]}?mode=ro", uri=True) as connection:
            rows = connection.execute("SELECT path, kind FROM fact").fetchall()
        connection.close()
        return rows

    return JournalCase(make, survivors, lambda: SqliteJournal(paths[-1], group=group))


JOURNALS = {
    "in memory": lambda folder: JournalCase(MemoryJournal),
    "SQLite": lambda folder: sqlite_case(folder, group=False),
    "SQLite in groups": lambda folder: sqlite_case(folder, group=True),
}


@pytest.mark.parametrize("check", SUITES["journals"], ids=lambda check: check.__name__)
@pytest.mark.parametrize("journal", JOURNALS)
def test_a_journal_keeps_its_promises(journal, check, tmp_path):
    finding = examine(check, JOURNALS[journal](tmp_path))
    assert finding.passed, f"{finding.sentence} {finding.detail}"


def with_git(folder):
    number = count()
    return lambda: JournalSnapshots(MemoryJournal(), git=folder / f"{next(number)}.git")


SNAPSHOTS = {"of a journal": lambda folder: lambda: JournalSnapshots(MemoryJournal()), "in git too": with_git}


@pytest.mark.parametrize("check", SUITES["snapshots"], ids=lambda check: check.__name__)
@pytest.mark.parametrize("store", SNAPSHOTS)
def test_a_snapshot_store_keeps_its_promises(store, check, tmp_path):
    finding = examine(check, SNAPSHOTS[store](tmp_path))
    assert finding.passed, f"{finding.sentence} {finding.detail}"
