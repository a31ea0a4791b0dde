"""A run as a recording: its model calls answer another run of the same config, which then comes to the same facts."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from rung.core.config import Config
from rung.core.errors import UsageError
from rung.core.ports import Journal
from rung.protocols import plan
from rung.store.journal import SqliteJournal
from rung.store.run_directory import RunDirectory, existing


@dataclass(frozen=True, slots=True)
class Recording:
    """The journal of a run, for reading, and the secret its exam hangs under."""

    journal: Journal
    secret: str


@contextmanager
def opened(config: Config, place: Path | None, plugins: Mapping[str, str]) -> Iterator[Recording | None]:
    """The recording in a run's folder, checked to be one of this config; None when no place is given."""
    if place is None:
        yield None
        return
    directory = existing(place)
    journal = SqliteJournal(directory.journal, read_only=True)
    try:
        yield Recording(journal, _secret(config, directory, journal, plugins))
    finally:
        journal.close()


def _secret(config: Config, directory: RunDirectory, journal: Journal, plugins: Mapping[str, str]) -> str:
    begun = cast("Mapping[str, str] | None", journal.get("plan", "config"))
    secret = directory.read_secret()
    if begun is None or secret is None:
        raise UsageError(f"{directory.path} cannot be replayed: it holds no plan, or not its secret")
    try:
        plan.refuse_another(config, journal, secret_hash=begun["secret_sha256"], plugins=plugins)
    except UsageError as error:
        raise UsageError(f"{directory.path} cannot be replayed: {error}") from None
    return secret
