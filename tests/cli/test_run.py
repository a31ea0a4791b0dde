import json
import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import pytest

from rung.cli._progress import Meter
from rung.core.values import Fault, Score

from .conftest import ATTEMPTS, STUDY, command

LIVE = STUDY.replace('"phantom:narrow"\nbase = 0.2\nrate = 0.4', '"mine.py"').replace('secret = "for tests"', "")
FROZEN = LIVE.replace('name = "phantom"', 'name = "static"')

INTERRUPTED = """
import os, signal
acted = 0

def act(view, files):
    global acted
    acted += 1
    if acted == 7:
        for _ in range(int(os.environ.get("PRESS", "0"))):
            os.kill(os.getpid(), signal.SIGINT)
    return "0"
"""


STUBBORN = """
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except BaseException:
                pass
"""


def test_a_run_ends_with_a_summary_and_the_path_of_its_report(rung, study):
    said = rung("run", "study.toml")
    assert said.exit == 0
    assert said.out.startswith("Small study\n1 arm, 2 lineages, 5 exam tasks")
    assert said.out.endswith("report: runs/small-study/report.html\n")
    assert Path("runs/small-study/report.html").read_text().startswith("<!doctype html>")


def test_progress_goes_to_stderr_in_few_plain_lines(rung, study):
    said = rung("run", "study.toml")
    assert said.err.splitlines()[-1] == f"{ATTEMPTS} of {ATTEMPTS} attempts, 0 faults"
    assert f"of {ATTEMPTS} attempts" not in said.out


def test_for_a_machine_a_run_ends_with_json_alone(rung, study):
    told = json.loads(rung("run", "study.toml", "--out", "here", "--json").out)
    assert told["run"] == "here"
    assert told["report"] == "here/report.html"
    assert told["attempts"] == ATTEMPTS
    assert (told["faults"], told["incomplete"]) == (0, [])
    assert told["digest"] == rung("digest", "here").out.strip()


def test_running_again_changes_nothing(rung, finished):
    digest = rung("digest", finished).out
    again = rung("run", "study.toml", "--out", finished)
    assert again.exit == 0
    assert rung("digest", finished).out == digest


def test_an_override_is_part_of_the_study(rung, study):
    rung("run", "study.toml", "--out", "other", "--set", "seed=4", "--set", 'name="Renamed"')
    assert json.loads(Path("other/config.resolved.json").read_text())["seed"] == 4
    assert rung("report", "other").out.startswith("Renamed\n")


def test_the_folder_is_named_after_the_study(rung, study):
    rung("run", "study.toml", "--set", 'name = "A b.C_d-2"')
    assert Path("runs/a-b-c-d-2/journal.sqlite").exists()


def test_plug_in_files_lie_relative_to_the_config(rung):
    Path("deep").mkdir()
    Path("deep/study.toml").write_text(FROZEN)
    Path("deep/mine.py").write_text("def act(view, files): return '0'\n")
    assert rung("run", "deep/study.toml", "--out", "run").exit == 0


def test_a_changed_plug_in_is_a_changed_study(rung):
    Path("study.toml").write_text(FROZEN)
    Path("mine.py").write_text("def act(view, files): return '0'\n")
    rung("run", "study.toml", "--out", "run")
    Path("mine.py").write_text("def act(view, files): return '1'\n")
    said = rung("run", "study.toml", "--out", "run")
    assert said.exit == 2
    assert "changed: plugins.mine.py (was " in said.err
    assert said.err.endswith(
        "A file that a config names by path is part of the study; --accept-upgrade is for installed code\n"
    )


def test_ctrl_c_stops_after_what_is_in_flight_and_the_last_line_resumes(shell, tmp_path):
    (tmp_path / "my study.toml").write_text(FROZEN)
    (tmp_path / "mine.py").write_text(INTERRUPTED)
    said = shell("run", "my study.toml", "--out", "run", "--set", "seed=9", PRESS="1")
    assert said.exit == 130
    assert said.err.splitlines()[-3:] == [
        "a stop was requested; what is recorded stays",
        "to resume:",
        "rung run 'my study.toml' --out run --set seed=9",
    ]
    assert "stopping after what is in flight; press Ctrl-C again to stop at once" in said.err
    assert "7 of " in said.err
    assert shell("report", "run").exit == 0
    assert shell("run", "my study.toml", "--out", "run", "--set", "seed=9").exit == 0


def test_ctrl_c_twice_stops_at_once_and_the_run_resumes(shell, tmp_path):
    (tmp_path / "study.toml").write_text(FROZEN)
    (tmp_path / "mine.py").write_text(INTERRUPTED)
    said = shell("run", "study.toml", "--out", "run", PRESS="2")
    assert said.exit == 130
    assert said.err.splitlines()[-3:] == [
        "stopped at once; what was committed is kept",
        "to resume:",
        "rung run study.toml --out run",
    ]
    assert "6 of " in said.err
    assert shell("run", "study.toml", "--out", "run").exit == 0


def test_ctrl_c_twice_amid_an_agent_s_own_code_shows_no_traceback_of_ours(shell, tmp_path):
    (tmp_path / "study.toml").write_text(FROZEN)
    (tmp_path / "mine.py").write_text(INTERRUPTED)
    said = shell("run", "study.toml", "--out", "run", "--set", "engine.concurrency=4", PRESS="2")
    assert said.exit == 130
    assert "Traceback" not in said.err
    assert said.last == "rung run study.toml --out run --set engine.concurrency=4"


def test_sigterm_stops_after_what_is_in_flight_too(shell, tmp_path):
    (tmp_path / "study.toml").write_text(FROZEN)
    (tmp_path / "mine.py").write_text(INTERRUPTED.replace("SIGINT", "SIGTERM"))
    said = shell("run", "study.toml", "--out", "run", PRESS="1")
    assert (said.exit, said.last) == (130, "rung run study.toml --out run")
    assert "stopping after what is in flight; send SIGTERM again to stop at once" in said.err


@pytest.mark.parametrize("where", ["Progress", "write"])
def test_sigterm_before_a_study_has_begun_and_after_it_has_ended_leaves_the_command_that_resumes(
    rung, study, monkeypatch, where: str
):
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(f"rung.cli.run.{where}", lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    said = rung("run", "study.toml")
    assert said.exit == 130
    assert said.err.endswith(
        "stopped at once; what was committed is kept\nto resume:\nrung run study.toml --out runs/small-study\n"
    )
    assert signal.getsignal(signal.SIGTERM) is before


def test_ctrl_c_three_times_leaves_whatever_holds_the_process(shell, tmp_path):
    (tmp_path / "study.toml").write_text(FROZEN)
    (tmp_path / "mine.py").write_text(INTERRUPTED.replace("            os.kill(os.getpid(), signal.SIGINT)", STUBBORN))
    said = shell("run", "study.toml", "--out", "run", PRESS="3")
    assert said.exit == 130
    assert said.err.splitlines()[-3:] == [
        "left at once; what was committed is kept",
        "to resume:",
        "rung run study.toml --out run",
    ]
    assert shell("run", "study.toml", "--out", "run").exit == 0


def test_an_interrupted_run_tells_a_machine_how_to_resume(shell, tmp_path):
    (tmp_path / "study.toml").write_text(FROZEN)
    (tmp_path / "mine.py").write_text(INTERRUPTED)
    told = json.loads(shell("run", "study.toml", "--out", "run", "--json", PRESS="1").out)
    assert told == {
        "error": "a stop was requested; what is recorded stays",
        "kind": "stopped",
        "exit": 130,
        "resume": "rung run study.toml --out run",
    }


def test_the_keyboard_belongs_to_python_again_after_a_run(rung, study):
    before = signal.getsignal(signal.SIGINT)
    rung("run", "study.toml")
    assert signal.getsignal(signal.SIGINT) is before


def test_a_bug_shows_its_traceback_and_how_to_resume(rung, study, monkeypatch):
    def broken(*arguments):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("rung.protocols.launch._conduct", broken)
    said = rung("run", "study.toml", "--out", "run")
    assert said.exit == 70
    assert "Traceback (most recent call last):" in said.err
    assert "ZeroDivisionError: a bug" in said.err
    assert "What was recorded is kept." in said.err
    assert said.last == "rung run study.toml --out run"


def test_an_agent_that_raises_is_scored_and_no_failure_of_the_run(rung):
    Path("study.toml").write_text(FROZEN)
    Path("mine.py").write_text("def act(view, files): return 1 / 0\n")
    assert rung("run", "study.toml").exit == 0


def test_control_characters_in_a_message_are_made_visible(rung):
    said = rung("digest", "no\x1b[31mwhere")
    assert said.err.startswith("error: no\ufffd[31mwhere cannot be read ")


@pytest.mark.parametrize(
    ("path", "counts"),
    [("main/L1/work/0001", True), ("main/L1/work/0001/trial/0/1", False), ("exam/A0/0001/1/again/1", False)],
)
def test_trials_and_reruns_come_on_top_of_the_plan(path, counts):
    meter = Meter()
    meter.saw(path, Score(1.0))
    meter.saw(path, Fault("model", "reset"))
    assert (meter.done, meter.faults) == (2 * counts, 1)


def test_on_a_terminal_progress_is_a_bar(study, tmp_path):
    master, slave = pty.openpty()
    done = subprocess.run(
        [command(), "run", "study.toml", "--json"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=slave, check=True
    )
    os.close(slave)
    drawn = os.read(master, 100_000).decode()
    os.close(master)
    assert re.search(rf"━.*{ATTEMPTS} of {ATTEMPTS} attempts, 0 faults", drawn)
    assert json.loads(done.stdout)["attempts"] == ATTEMPTS
