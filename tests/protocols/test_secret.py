"""The exam's secret: drawn for every run, taken over from nowhere, and missed when it is gone."""

from pathlib import Path
from typing import Any

import pytest

from rung.calibrate.phantoms import Design, config
from rung.core.config import Config, parse
from rung.core.errors import UsageError
from rung.protocols import launch
from rung.store.journal import SqliteJournal

STUDY = config("general", Design(lineages=1, worked=4, lag=2, exam_tasks=2), seed=1)


def exam(folder: Path) -> list[Any]:
    journal = SqliteJournal(folder / "journal.sqlite", read_only=True)
    try:
        return [fact.value for fact in journal.facts(under="plan/exam", kind="task")]
    finally:
        journal.close()


def test_each_run_draws_its_own_and_its_owner_alone_may_read_it(tmp_path: Path):
    one, other = (launch.run(STUDY, tmp_path / name) for name in ("one", "other"))
    assert one.read_secret() != other.read_secret()
    assert exam(one.path) != exam(other.path)
    assert one.secret.stat().st_mode & 0o777 == 0o600


def test_a_secret_that_lay_there_is_not_taken_over(tmp_path: Path):
    (tmp_path / "run.lock").touch()
    (tmp_path / "secret").write_text("known to somebody")
    assert launch.run(STUDY, tmp_path).read_secret() != "known to somebody"


def test_an_exam_cannot_be_rehearsed_by_losing_the_journal(tmp_path: Path):
    launch.run(STUDY, tmp_path)
    for file in tmp_path.glob("journal.sqlite*"):
        file.unlink()
    with pytest.raises(UsageError, match="not a run directory"):
        launch.run(STUDY, tmp_path)


def test_nor_by_keeping_nothing_but_the_secret(tmp_path: Path):
    secret = launch.run(STUDY, tmp_path / "one").read_secret() or ""
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "run.lock").touch()
    (tmp_path / "two" / "secret").write_text(secret)
    launch.run(STUDY, tmp_path / "two")
    assert exam(tmp_path / "one") != exam(tmp_path / "two")


@pytest.mark.parametrize(
    ("lose", "said"), [("unlink", "is missing"), ("another", "is another than"), ("bytes", "no text")]
)
def test_a_lost_secret_is_asked_for_and_nothing_is_written(tmp_path: Path, lose: str, said: str):
    secret = launch.run(STUDY, tmp_path).secret
    kept = secret.read_text()
    secret.unlink()
    if lose != "unlink":
        secret.write_bytes(b"\xff\xfe" if lose == "bytes" else b"something else")
    with pytest.raises(UsageError, match=said):
        launch.run(STUDY, tmp_path)
    secret.write_text(kept)
    assert launch.run(STUDY, tmp_path).read_secret() == kept


@pytest.mark.parametrize("secret", ["", "\ud800", "a\nb", "x" * 201])
def test_a_fixed_secret_is_plain_text(secret: str):
    with pytest.raises(UsageError, match="secret"):
        parse({**STUDY.model_dump(mode="json"), "exam": {"secret": secret}})


def test_the_secret_stands_in_its_file_and_nowhere_else(tmp_path: Path):
    directory = launch.run(STUDY, tmp_path)
    secret = (directory.read_secret() or "").encode()
    holding = [file.name for file in tmp_path.rglob("*") if file.is_file() and secret in file.read_bytes()]
    assert holding == ["secret"]


AGENT = """
def act(view, files):
    return {answer}
"""


def two_arms(tmp_path: Path) -> Config:
    """Two agents in files of one name, that act apart."""
    for name, answer in (("a", "'0'"), ("b", "view.text.rstrip('.').rsplit(' ', 1)[1]")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "agent.py").write_text(AGENT.format(answer=answer))
    arms = [{"name": name, "agent": {"kind": f"{name}/agent.py"}, "method": {"name": "static"}} for name in ("a", "b")]
    return parse({**STUDY.model_dump(mode="json"), "agent": None, "method": None, "arms": arms})


def test_agents_in_files_of_one_name_are_not_the_same_a_0(tmp_path: Path):
    directory = launch.run(two_arms(tmp_path), tmp_path / "run", launch.Wishes(base=tmp_path))
    journal = SqliteJournal(directory.journal, read_only=True)
    arms = [journal.get(name, "arm") for name in ("a", "b")]
    journal.close()
    assert arms[0]["A_0"] != arms[1]["A_0"]
    assert arms[0]["control"] != arms[1]["control"]


def test_what_a_plug_in_imports_from_beside_it_is_part_of_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "sums_beside.py").write_text("ANSWER = '0'\n")
    (tmp_path / "agent.py").write_text("import sums_beside\n\ndef act(view, files):\n    return sums_beside.ANSWER\n")
    method = {"agent": {"kind": "agent.py"}, "method": {"name": "static"}}
    study = parse({**STUDY.model_dump(mode="json"), **method})
    wishes = launch.Wishes(base=tmp_path)
    launch.run(study, tmp_path / "run", wishes)
    (tmp_path / "sums_beside.py").write_text("ANSWER = '1'\n")
    with pytest.raises(UsageError, match=r"plugins\.sums_beside\.py"):
        launch.run(study, tmp_path / "run", wishes)
