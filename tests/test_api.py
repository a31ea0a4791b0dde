"""`rung.measure`: what a user meets in Python."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import rung
from rung.api import Measured
from rung.core.errors import UsageError
from rung.core.values import FeedbackResult, View
from rung.reports import ladder, terminal
from rung.store.journal import SqliteJournal


def guess(view: View, files: Mapping[str, str]) -> str:
    known = dict(line.split("\t") for line in files["notes.txt"].splitlines())
    return known.get(str(hash_of(view.text)), "0")


def by_heart(feedback: FeedbackResult, files: Mapping[str, str]) -> Mapping[str, str] | None:
    step = feedback.trajectory[0]
    right = (step.feedback or "").rstrip(".").rsplit(" ", 1)[-1]
    return {"notes.txt": f"{files['notes.txt']}{hash_of(step.prompt)}\t{right}\n"} if right.isdigit() else None


def hash_of(text: str) -> int:
    return sum(ord(sign) * (place + 1) for place, sign in enumerate(text))


def test_a_function_that_learns_by_heart_keeps_what_it_met_and_nothing_more():
    found = rung.measure(
        guess, method=by_heart, games=["toy-lock-v1"], files={"notes.txt": ""}, lineages=3, tasks=12, replay=(1, 4)
    )
    rungs = {rung.level: rung for rung in found.report.arms[0].rungs}
    assert rungs["G0"].after == 1.0
    assert rungs["G1"].after == rungs["G1"].before == 0.0


def test_a_function_that_raises_scores_and_the_study_goes_on():
    def broken(view: View, files: Mapping[str, str]) -> str:
        raise KeyError("oops")

    report = rung.measure(broken, games=["toy-lock-v1"], lineages=1, tasks=6, replay=(1, 2)).report
    assert report.incomplete == ()
    assert not report.arms[0].faults
    assert report.arms[0].rungs[1].after == 0.0


def test_a_method_that_raises_is_counted_and_changes_nothing():
    def refine(feedback: FeedbackResult, files: Mapping[str, str]) -> None:
        raise RuntimeError("no idea")

    report = rung.measure(
        guess, method=refine, games=["toy-lock-v1"], files={"notes.txt": ""}, lineages=1, tasks=6, replay=(1, 2)
    ).report
    assert report.arms[0].method_faults == 6
    assert any("broke 6 times" in weakness for weakness in report.weaknesses)


def test_a_run_on_disk_is_the_same_folder_that_the_command_line_reads(tmp_path: Path):
    found = rung.measure(
        "phantom:general", method="phantom", games=["toy-lock-v1"], lineages=2, tasks=8, out=tmp_path / "r"
    )
    assert found.out == tmp_path / "r"
    assert (tmp_path / "r" / "journal.sqlite").exists()
    assert found.save(tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert {row["level"] for row in found.rows()} == {"G0", "G1", "G2"}


def test_what_came_of_it_is_shown_as_the_short_summary_and_not_as_a_dump():
    found = rung.measure("phantom:general", method="phantom", games=["toy-lock-v1"], lineages=3, tasks=8)
    shown = repr(found)
    assert shown.splitlines()[0] == "measure phantom general"
    assert "what weakens this most: " in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert len(shown.splitlines()) < 20
    assert "LadderReport(" not in shown


def test_rows_keep_lists_as_lists():
    row = rung.measure("phantom:general", method="phantom", games=["toy-lock-v1"], lineages=3, tasks=8).rows()[0]
    assert len(row["lineage_gains"]) == 3
    assert all(isinstance(gain, float) for gain in row["lineage_gains"])
    assert isinstance(row["gain_flags"], list)


def test_the_harder_exam_is_one_step_up_and_the_report_is_named_after_the_agent():
    report = rung.measure(guess, games=["toy-lock-v1"], files={"notes.txt": ""}, lineages=1, tasks=6).report
    assert {rung.level: rung.target for rung in report.arms[0].rungs}["G2"] == "toy-lock-v1 d2"
    assert report.name == "measure guess"
    assert report.config["tasks"]["replay"] == {"interval": 1, "lag": 5}


def test_an_interrupted_measurement_says_that_it_can_go_on_and_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    calls = 0

    def impatient(view: View, files: Mapping[str, str]) -> str:
        nonlocal calls
        calls += 1
        if calls == 9:
            raise KeyboardInterrupt
        return "0"

    def measured() -> Measured:
        return rung.measure(impatient, games=["toy-lock-v1"], lineages=1, tasks=6, replay=(1, 2), out=tmp_path / "r")

    with pytest.raises(KeyboardInterrupt) as caught:
        measured()
    assert caught.value.__notes__ == [f"what was worked is kept in {tmp_path / 'r'}; the same call resumes it"]
    assert capsys.readouterr() == ("", "")
    journal = SqliteJournal(tmp_path / "r" / "journal.sqlite", read_only=True)
    half = ladder.read(journal)
    journal.close()
    assert half.weaknesses[0].startswith("Unfinished: 8 of 100 planned attempts (8%)")
    assert {row.verdict.word for row in half.arms[0].rungs} == {"incomplete"}
    assert "◇ incomplete" in terminal.text(half)
    assert "not estimable" not in terminal.text(half)
    found = measured()
    assert found.report.attempts.done == found.report.attempts.planned == 100
    assert "measure impatient" in (tmp_path / "r" / "report.html").read_text()
    assert found.report.provenance["python"]


def test_games_are_a_list():
    with pytest.raises(UsageError, match="games takes a list of names"):
        rung.measure(guess, games="farm-v1")


def test_a_frozen_agent_of_uneven_scores_shows_nothing_at_all():
    """Means of equal scores differ in their last digit; that is no gain, however little it varies."""

    def first_crop(view: View, files: Mapping[str, str]) -> str:
        crop = view.text.splitlines()[2].split()[0]
        days = {"1": {"buy": {crop: 1}, "plant": {crop: 1}}, "8": {"harvest": "all", "sell": "all"}}
        return json.dumps({"plan": days})

    report = rung.measure(first_crop, games=["farm-v1"], lineages=5, tasks=6, exam_tasks=60, replay=(1, 2)).report
    assert {rung.gain.value for rung in report.arms[0].rungs} == {0.0}
    assert {rung.verdict.word for rung in report.arms[0].rungs} == {"not estimable"}


def test_another_function_of_the_same_name_is_another_study(tmp_path: Path):
    def ask(answer: str) -> rung.api.Measured:
        scope: dict[str, object] = {}
        exec(f"def act(view, files):\n    return {answer!r}\n", scope)
        return rung.measure(scope["act"], games=["toy-lock-v1"], lineages=1, tasks=6, replay=(1, 2), out=tmp_path)

    ask("0")
    with pytest.raises(UsageError, match=r"plugins\.arm measured"):
        ask("1")


def test_a_study_can_be_measured_where_a_loop_runs_already():
    async def notebook() -> rung.api.Measured:
        return rung.measure(guess, games=["toy-lock-v1"], files={"notes.txt": ""}, lineages=1, tasks=6, replay=(1, 2))

    assert asyncio.run(notebook()).report.arms


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"agent": None}, "agent takes"),
        ({"method": 3}, "method takes"),
        ({"files": {"a": b"x"}}, "files takes"),
        ({"replay": (1,)}, "replay takes"),
        ({"replay": None}, "replay takes"),
        ({"difficulty": "1"}, "difficulty takes"),
        ({"seed": 10**30}, "seed"),
        ({"lineages": 0}, "lineages"),
    ],
)
def test_a_wrong_argument_is_named(wrong: dict[str, Any], said: str):
    with pytest.raises(UsageError, match=said):
        rung.measure(**{"agent": guess, "games": ["toy-lock-v1"], **wrong})


def test_a_waiting_function_is_asked_many_at_once_in_memory_too():
    most, now = [0], [0]

    async def slow(view: View, files: Mapping[str, str]) -> str:
        now[0] += 1
        most[0] = max(most[0], now[0])
        await asyncio.sleep(0)
        now[0] -= 1
        return "0"

    rung.measure(slow, games=["toy-lock-v1"], lineages=4, tasks=6, replay=(1, 2), concurrency=4)
    assert most[0] > 1


def test_a_chat_agent_is_measured_over_a_model():
    games = ["toy-lock-v1", "toy-lamp-v1"]
    measured = rung.measure(
        "chat", method="reflexion", games=games, model="scripted/first", lineages=2, tasks=6, exam_tasks=2
    )
    assert measured.report.arms[0].agent == "chat"


def test_an_agent_that_needs_a_model_says_so():
    with pytest.raises(UsageError, match="agent 'chat' needs a model"):
        rung.measure("chat", games=["toy-lock-v1"])


def test_a_live_model_needs_a_budget(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-of-yours")
    with pytest.raises(UsageError, match=r"give \[budget\] usd"):
        rung.measure("chat", games=["toy-lock-v1"], model="openai/gpt-4.1")
