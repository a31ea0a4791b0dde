from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rung.core import crashpoints
from rung.core.ports import Journal
from rung.store.journal import MemoryJournal, SqliteJournal


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.fixture(params=["memory", "sqlite", "sqlite grouped"])
def journal(request: pytest.FixtureRequest, file: Path) -> Iterator[Journal]:
    """Every journal there is: what is promised here is promised by all."""
    if request.param == "memory":
        yield MemoryJournal()
        return
    opened = SqliteJournal(file, group=request.param == "sqlite grouped")
    yield opened
    opened.close()


@pytest.fixture
def opened(file: Path) -> Iterator[Callable[..., SqliteJournal]]:
    """Opens the journal of this test, as often as wanted, and closes what the test left open."""
    journals: list[SqliteJournal] = []

    def open_it(**options: bool) -> SqliteJournal:
        journals.append(SqliteJournal(file, **options))
        return journals[-1]

    yield open_it
    for each in journals:
        each.close()


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The labels of the crash points that were passed, in order."""
    labels: list[str] = []
    monkeypatch.setattr(crashpoints, "hook", labels.append)
    return labels
