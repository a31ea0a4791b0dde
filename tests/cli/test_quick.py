import json
from pathlib import Path

import pytest

FULL = ("--set", "lineages=4", "--set", "exam.secret='for tests'")


def test_a_quick_look_has_a_folder_of_its_own_and_says_what_it_shrank(rung, study):
    said = rung("run", "study.toml", "--quick", *FULL)
    assert said.exit == 0
    assert said.out.startswith("Small study quick\n")
    assert said.err.splitlines()[:3] == [
        "a quick look, which measures nothing; changed for it:",
        "name: 'Small study' -> 'Small study quick'",
        "lineages: 4 -> 2",
    ]
    assert [path.name for path in Path("runs").iterdir()] == ["small-study-quick"]
    assert json.loads(Path("runs/small-study-quick/config.resolved.json").read_text())["quick"] is True


def test_its_report_says_that_it_is_one_and_carries_no_verdict(rung, study):
    rung("run", "study.toml", "--quick")
    report = json.loads(rung("report", "runs/small-study-quick", "--json").out)
    assert report["weaknesses"][0].startswith("A quick look: the study was shrunk (--quick)")
    assert report["config"]["quick"] is True
    words = {rung["verdict"]["word"] for arm in report["arms"] for rung in arm["rungs"]}
    assert words == {"not estimable"}
    page = Path("runs/small-study-quick/report.html").read_text()
    assert "A quick look: the study was shrunk" in page


def test_for_a_machine_it_is_stamped_too(rung, study):
    assert json.loads(rung("run", "study.toml", "--quick", "--json").out)["quick"] is True
    assert json.loads(rung("run", "study.toml", "--json").out)["quick"] is False


def test_a_quick_look_does_not_go_on_with_the_study_itself(rung, finished):
    said = rung("run", "study.toml", "--quick", "--out", finished)
    assert said.exit == 2
    assert "this run was begun under another config; changed: " in said.err
    assert "name (was 'Small study', now 'Small study quick')" in said.err


def test_a_quick_look_resumes_as_one(rung, study, monkeypatch):
    def broken(*arguments):
        raise ZeroDivisionError("a bug")

    with monkeypatch.context() as patched:
        patched.setattr("rung.protocols.launch._conduct", broken)
        stopped = rung("run", "study.toml", "--quick")
    assert stopped.last == "rung run study.toml --out runs/small-study-quick --quick"
    assert rung("run", "study.toml", "--out", "runs/small-study-quick", "--quick").exit == 0


EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "schedules").glob("*.toml"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_of_a_schedule_runs(rung, example):
    told = json.loads(rung("run", str(example), "--quick", "--json").out)
    assert told["name"] == f"schedule {example.stem} quick"
    assert told["faults"] == 0


def test_there_is_an_example_of_every_schedule():
    assert [path.stem for path in EXAMPLES] == ["fixed", "fresh", "increasing", "mixed"]


def test_the_examples_of_schedules_sit_one_exam(rung):
    exams = [json.loads(rung("tasks", "generate", str(example), "--json").out)["exam"] for example in EXAMPLES]
    assert all(exam == exams[0] for exam in exams)
