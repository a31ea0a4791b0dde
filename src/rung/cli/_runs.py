"""Open a run to read it. A run that is being worked may be read as it stands."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from rung.cli._audits import of_cell
from rung.core.ports import Journal
from rung.reports import ladder
from rung.reports.explore import read as explored
from rung.reports.explore.values import ExploreReport
from rung.reports.values import LadderReport
from rung.store.journal import SqliteJournal
from rung.store.run_directory import RunDirectory, existing


@contextmanager
def opened(run: Path) -> Iterator[tuple[RunDirectory, SqliteJournal]]:
    """The folder and the record of a run, to be read only."""
    directory = existing(run)
    journal = SqliteJournal(directory.journal, read_only=True)
    try:
        yield directory, journal
    finally:
        journal.close()


def report_of(directory: RunDirectory, journal: Journal) -> LadderReport | ExploreReport:
    """The report of a run, with what it was last made with, and with the audit of a cell."""
    made = [note.value for note in journal.observations(under="run", name="made_with")]
    provenance = cast(dict[str, Any], made[-1]) if made else None
    if _protocol(journal) == "explore":
        return explored.read(journal, provenance=provenance)
    return ladder.read(journal, provenance=provenance, audit=of_cell(directory, journal))


def _protocol(journal: Journal) -> object:
    config = journal.get("plan", "config")
    return config.get("protocol") if isinstance(config, dict) else None
