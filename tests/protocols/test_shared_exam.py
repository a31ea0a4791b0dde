"""Two runs on one exam: the second takes over the secret of the first, says so, and draws the very same tasks."""

from pathlib import Path

import pytest

from rung.core.config import Config
from rung.core.errors import UsageError
from rung.protocols import launch
from rung.protocols.launch import Wishes
from rung.reports import ladder
from rung.reports.compare.whole import compare
from rung.store.journal import SqliteJournal

from . import small_study


def config(seed: int = 3) -> Config:
    """The small study with a secret that is drawn."""
    study = small_study.config()
    return study.model_copy(update={"seed": seed, "exam": study.exam.model_copy(update={"secret": None})})


def exam(folder: Path) -> object:
    journal = SqliteJournal(folder / "journal.sqlite", read_only=True)
    try:
        return journal.get("plan", "exam"), [fact.value for fact in journal.facts(under="plan/exam", kind="task")]
    finally:
        journal.close()


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first")
    launch.run(config(), folder)
    return folder


def test_another_study_sits_the_same_exam_and_can_be_compared(tmp_path: Path, first: Path):
    launch.run(config(seed=4), tmp_path / "second", Wishes(exam_of=first))
    assert exam(tmp_path / "second") == exam(first)
    journal = SqliteJournal(tmp_path / "second" / "journal.sqlite", read_only=True)
    assert any(text.startswith("This exam was sat before") for text in ladder.read(journal).weaknesses)
    journals = {"first": SqliteJournal(first / "journal.sqlite", read_only=True), "second": journal}
    assert compare(journals).tasks == 2
    for each in journals.values():
        each.close()


def test_it_resumes_with_and_without_the_run_it_was_taken_from(tmp_path: Path, first: Path):
    launch.run(config(seed=4), tmp_path / "second", Wishes(exam_of=first))
    launch.run(config(seed=4), tmp_path / "second")
    launch.run(config(seed=4), tmp_path / "second", Wishes(exam_of=first))


def test_a_config_with_another_exam_is_refused_and_no_secret_is_left(tmp_path: Path, first: Path):
    tasks = config().tasks
    other = config().model_copy(update={"tasks": tasks.model_copy(update={"holdout_seed": 9})})
    with pytest.raises(UsageError, match="this config has another exam than that run"):
        launch.run(other, tmp_path / "second", Wishes(exam_of=first))
    assert not (tmp_path / "second" / "secret").exists()


def test_a_run_with_an_exam_of_its_own_cannot_change_to_another(tmp_path: Path, first: Path):
    launch.run(config(seed=4), tmp_path / "second")
    with pytest.raises(UsageError, match="another exam"):
        launch.run(config(seed=4), tmp_path / "second", Wishes(exam_of=first))


def test_a_fixed_secret_and_a_taken_one_are_not_both_given(tmp_path: Path, first: Path):
    with pytest.raises(UsageError, match="give one of them"):
        launch.run(small_study.config(), tmp_path / "second", Wishes(exam_of=first))
