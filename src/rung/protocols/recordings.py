"""What a run takes over from another: its model calls, which then come to the same facts; or its exam."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from rung.core.canonical import sha256
from rung.core.config import Config
from rung.core.errors import UsageError
from rung.core.ports import Journal
from rung.protocols import plan
from rung.protocols.plan import Plan
from rung.store.journal import SqliteJournal
from rung.store.run_directory import RunDirectory, existing


@dataclass(frozen=True, slots=True)
class Recording:
    """The journal of a run, for reading, and the secret its exam hangs under."""

    journal: Journal
    secret: str


@contextmanager
def opened(config: Config, place: Path | None, plugins: Mapping[str, str], *, out: Path) -> Iterator[Recording | None]:
    """The recording in a run's folder, checked to be of this config and not the run in `out`; None without a place."""
    if place is None:
        yield None
        return
    directory = existing(place)
    if directory.path.resolve() == out.resolve():
        raise UsageError(f"--replay {place} would replay the run into itself; give --out another folder")
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


# --------------------------------------------------------------------------------------------- one exam, several runs


@dataclass(frozen=True, slots=True)
class SharedExam:
    """The exam of a run, for another run to sit: its id, and the secret it hangs under."""

    exam_id: str
    secret: str


def exam_of(config: Config, place: Path | None) -> SharedExam | None:
    """The exam of the run in a folder; None when no place is given.

    Its tasks lie in that run's journal, so whoever sits it again may have seen them; the report says so.
    """
    if place is None:
        return None
    if config.exam.secret is not None:
        raise UsageError("--exam-of takes over a run's secret, and exam.secret fixes another; give one of them")
    directory = existing(place)
    journal = SqliteJournal(directory.journal, read_only=True)
    try:
        about = cast("Mapping[str, str] | None", journal.get("plan", "exam"))
        begun = cast("Mapping[str, str] | None", journal.get("plan", "config"))
    finally:
        journal.close()
    secret = directory.read_secret()
    if about is None or begun is None or secret is None or sha256(secret) != begun["secret_sha256"]:
        raise UsageError(f"the exam of {place} cannot be sat again: it holds no plan, or not the secret of its plan")
    return SharedExam(about["id"], secret)


def refuse_another_exam(drawn: Plan, shared: SharedExam | None) -> None:
    """Refuse a config that makes another exam of the same secret."""
    if shared is not None and plan.exam_id(drawn.exam) != shared.exam_id:
        raise UsageError(
            "--exam-of: this config has another exam than that run; give [exam], tasks.holdout and tasks.holdout_seed "
            "as they stand in its config.resolved.json"
        )
