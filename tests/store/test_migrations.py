import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from rung.core.errors import UsageError
from rung.core.ports import Fact
from rung.store import migrations
from rung.store.journal import SqliteJournal

OLDEST = Path(__file__).parent / "data" / "schema_0001.sql"
Opened = Callable[..., SqliteJournal]


def make(file: Path, *statements: str) -> None:
    database = sqlite3.connect(file)
    for statement in statements:
        database.executescript(statement)
    database.close()


def schema(file: Path) -> list[tuple[str, ...]]:
    database = sqlite3.connect(file)
    rows = database.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()
    names = database.execute("SELECT name FROM migration ORDER BY name").fetchall()
    database.close()
    return rows + names


def what_the_oldest_holds(journal: SqliteJournal) -> None:
    assert list(journal.facts()) == [
        Fact("L0/work/0001", "sealed", {"score": 0.5}),
        Fact("L0/work/0001", "served", {"task": "täglich \ud800"}),
    ]
    assert list(journal.observations()) == [Fact("L0/work/0001", "seconds", 1.5)]
    assert journal.read_blob(journal.blob(b"abc") if journal._writer else sha_of_abc()) == b"abc"


def sha_of_abc() -> str:
    return "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_the_oldest_file_is_brought_to_the_schema_of_a_new_one(file: Path, tmp_path: Path, opened: Opened):
    make(file, OLDEST.read_text("utf-8"))
    journal = opened()
    what_the_oldest_holds(journal)
    journal.put("L0/work/0002", "sealed", 1)
    journal.close()
    new = tmp_path / "new.sqlite"
    SqliteJournal(new).close()
    assert schema(file) == schema(new)


def test_an_old_file_is_read_without_being_changed(file: Path, opened: Opened):
    make(file, OLDEST.read_text("utf-8"))
    before = file.read_bytes()
    reader = opened(read_only=True)
    what_the_oldest_holds(reader)
    reader.close()
    assert file.read_bytes() == before


def test_a_migration_that_fails_leaves_the_old_file(file: Path, monkeypatch: pytest.MonkeyPatch):
    def _0003_broken(database: sqlite3.Connection) -> None:
        database.execute("CREATE TABLE half (x)")
        raise ArithmeticError

    make(file, OLDEST.read_text("utf-8"))
    before = schema(file)
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, _0003_broken))
    with pytest.raises(ArithmeticError):
        SqliteJournal(file)
    assert schema(file) == before


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_of_a_newer_schema_is_refused_by_name_and_left_alone(file: Path, opened: Opened, read_only: bool):
    opened().close()
    make(file, "INSERT INTO migration VALUES ('0099_from_the_future')")
    before = file.read_bytes()
    with pytest.raises(UsageError, match="newer rung") as caught:
        opened(read_only=read_only)
    assert str(file) in str(caught.value)
    assert "0099_from_the_future" in str(caught.value)
    assert "install" in str(caught.value)
    assert file.read_bytes() == before


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    "statement", ["CREATE TABLE fact (path, kind, json)", "PRAGMA application_id = 7", "CREATE TABLE migration (name)"]
)
def test_the_database_of_another_program_is_refused_and_left_alone(
    file: Path, opened: Opened, statement: str, read_only: bool
):
    make(file, statement)
    before = file.read_bytes()
    with pytest.raises(UsageError, match="another program") as caught:
        opened(read_only=read_only)
    assert str(file) in str(caught.value)
    assert file.read_bytes() == before


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_that_is_no_database_is_refused_and_left_alone(file: Path, opened: Opened, read_only: bool):
    file.write_bytes(b"my shopping list, which is long enough to have no header" * 100)
    with pytest.raises(UsageError, match="no journal"):
        opened(read_only=read_only)
    assert file.read_bytes().startswith(b"my shopping list")


def test_a_file_whose_making_was_cut_short_is_made_anew(file: Path, opened: Opened):
    file.write_bytes(b"")
    journal = opened()
    journal.put("a", "k", 1)
    assert journal.get("a", "k") == 1


def test_the_names_of_steps_are_numbered_in_order():
    numbers = [int(migrations.name_of(step)[:4]) for step in migrations.MIGRATIONS]
    assert numbers == list(range(1, len(numbers) + 1))
