"""`rung.measure`: what a user meets in Python."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import rung
from rung.core.errors import UsageError
from rung.core.values import FeedbackResult, View


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


def test_games_are_a_list():
    with pytest.raises(UsageError, match="games takes a list of names"):
        rung.measure(guess, games="farm-v1")  # type: ignore[arg-type]


def test_a_frozen_agent_of_uneven_scores_shows_nothing_at_all():
    """Means of equal scores differ in their last digit; that is no gain, however little it varies."""

    def first_crop(view: View, files: Mapping[str, str]) -> str:
        crop = view.text.splitlines()[2].split()[0]
        days = {"1": {"buy": {crop: 1}, "plant": {crop: 1}}, "8": {"harvest": "all", "sell": "all"}}
        return json.dumps({"plan": days})

    report = rung.measure(first_crop, games=["farm-v1"], lineages=5, tasks=6, exam_tasks=60, replay=(1, 2)).report
    assert {rung.gain.value for rung in report.arms[0].rungs} == {0.0}
    assert {rung.verdict.word for rung in report.arms[0].rungs} == {"not estimable"}
