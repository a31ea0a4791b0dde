"""What a user gets wrong: the key, the value seen and the mend, exit status 2, and nothing written."""

import json
from itertools import combinations
from pathlib import Path

import pytest

from rung.agents.phantom import RUNGS
from rung.core import registry
from rung.store.run_directory import RunDirectory

from .conftest import STUDY

EDITS = {
    "an unknown key": (
        ("lineages = 2", "lineage = 2"),
        "config: unknown key 'lineage' (seen: 2); did you mean 'lineages'?",
    ),
    "an unknown key in a section": (
        ("interval = 2,", "intervall = 2,"),
        "tasks.replay: unknown key 'intervall' (seen: 2); did you mean 'interval'?",
    ),
    "an unknown game": (
        ('"toy-lock-v1", difficulty = 1, count = 4', '"toy-lok-v1", difficulty = 1, count = 4'),
        "tasks.schedule: no game named 'toy-lok-v1'; did you mean 'toy-lock-v1'?",
    ),
    "an unknown held-out game": (
        ("toy-road-v1", "backgammon"),
        f"tasks.holdout: no game named 'backgammon'; there are: {', '.join(registry.names('families'))}",
    ),
    "a difficulty of zero": (
        ("difficulty = 1, count = 4", "difficulty = 0, count = 4"),
        "tasks.schedule[0].difficulty: is at least 1, seen 0; raise it",
    ),
    "an unknown setting": (
        ('"toy-road-v1", difficulty = 1', '"toy-road-v1", setting = "hard"'),
        "tasks.holdout: toy-road-v1 has no setting 'hard'; its settings are d1, d2 and so on",
    ),
    "an unknown agent": (
        ("phantom:narrow", "phantm:narrow"),
        "no agent kind named 'phantm'; did you mean 'phantom'?",
    ),
    "an unknown phantom": (
        ("phantom:narrow", "phantom:narow"),
        f"agent.kind = 'phantom:narow': no such phantom; there are: {', '.join(RUNGS)}",
    ),
    "an unknown method": (
        ('name = "phantom"', 'name = "phantm"'),
        "no method named 'phantm'; did you mean 'phantom'?",
    ),
    "a plug-in file that is not there": (
        ("phantom:narrow", "gone.py"),
        "no plug-in file 'gone.py'; give the path of a Python file",
    ),
    "a lag longer than the schedule": (
        ("lag = 2", "lag = 40"),
        "tasks: replay.lag = 40 needs more than 40 scheduled tasks, seen 4; lower the lag",
    ),
    "replays that nothing allows": (
        ("replay = true", "replay = false"),
        "tasks: replay.interval is set, but no schedule block has replay = true; set one, or drop replay",
    ),
    "a broken file": (
        ("seed = 3", "seed = "),
        "study.toml is not valid TOML: Invalid value (at line 4, column 8)",
    ),
}


def refused(said, message, *, left):
    assert (said.exit, said.out, said.err) == (2, "", f"error: {message}\n")
    assert sorted(path.name for path in Path().iterdir()) == sorted(left)


@pytest.mark.parametrize("edit", EDITS)
def test_a_mistake_in_a_config_is_named_and_nothing_is_written(rung, edit):
    (old, new), message = EDITS[edit]
    assert STUDY.count(old) >= 1
    Path("study.toml").write_text(STUDY.replace(old, new, 1))
    refused(rung("run", "study.toml"), message, left=["study.toml"])


def test_an_exam_on_no_rung_is_refused_before_anything_is_written(rung, study):
    easier = 'tasks.holdout=[{family="toy-lock-v1", difficulty=1, count=3}]'
    harder = 'tasks.schedule=[{family="toy-lock-v1", difficulty=2, count=4, replay=true}]'
    refused(
        rung("run", "study.toml", "--set", easier, "--set", harder),
        "compare: no holdout block is on a rung of the ladder for this schedule (all are easier settings of trained "
        "families); hold out the trained setting for G1, a harder one for G2, another family for G3, G4",
        left=["study.toml"],
    )


def test_several_mistakes_are_named_at_once(rung):
    Path("study.toml").write_text(STUDY.replace("lineages", "lineage").replace('protocol = "ladder"', ""))
    said = rung("run", "study.toml")
    assert said.err == (
        "error: protocol: is missing; add it\n"
        "       config: unknown key 'lineage' (seen: 2); did you mean 'lineages'?\n"
    )


def test_a_fixed_secret_is_refused_for_an_agent_that_is_no_phantom(rung):
    Path("mine.py").write_text("def act(view, files): return '0'\ndef refine(feedback, files): return None\n")
    Path("study.toml").write_text(
        STUDY.replace('"phantom:narrow"\nbase = 0.2\nrate = 0.4', '"mine.py"').replace(
            'name = "phantom"', 'name = "mine.py"'
        )
    )
    refused(
        rung("run", "study.toml"),
        "exam.secret is fixed to 'for tests', which is for phantoms and scripted models only; remove it, and a secret "
        "of 128 bits is drawn",
        left=["study.toml", "mine.py"],
    )


def test_a_method_that_cannot_go_with_its_agent_is_refused_before_anything_is_written(rung):
    Path("mine.py").write_text("def act(view, files): return '0'\n")
    Path("study.toml").write_text(
        STUDY.replace('"phantom:narrow"\nbase = 0.2\nrate = 0.4', '"mine.py"').replace('secret = "for tests"', "")
    )
    refused(
        rung("run", "study.toml"),
        "method.name = 'phantom' goes with agent.kind = 'phantom:<name>', seen agent 'function mine'; choose another "
        "method for this agent",
        left=["study.toml", "mine.py"],
    )


SETS = {
    "nonsense": "--set takes key=value, seen 'nonsense'; for example --set lineages=3",
    "=3": "--set takes key=value, seen '=3'; for example --set lineages=3",
    "lineages=many": "lineages: is a whole number, seen 'many'; write one, such as 3",
    "lineages.x=1": "--set lineages.x=1: 'lineages' is not a table; name a key inside a table",
    "exam.repeat=1": "exam: unknown key 'repeat' (seen: 1); did you mean 'repeats'?",
}


@pytest.mark.parametrize("override", SETS)
def test_nonsense_in_set_is_refused(rung, study, override):
    refused(rung("run", "study.toml", "--set", override), SETS[override], left=["study.toml"])


def test_a_config_that_is_not_there_is_refused(rung):
    refused(rung("run", "study.toml"), "no config file 'study.toml'; `rung init` writes one", left=[])


def test_a_folder_given_as_config_is_refused(rung):
    Path("folder").mkdir()
    refused(rung("run", "folder"), "'folder' is a folder; give the config file itself", left=["folder"])


def test_a_config_that_is_not_utf_8_is_refused(rung):
    Path("study.toml").write_bytes(b'name = "caf\xe9"\n')
    refused(
        rung("run", "study.toml"), "'study.toml' is not UTF-8 text (see byte 11); save it as UTF-8", left=["study.toml"]
    )


def test_a_network_file_system_is_refused(rung, study, monkeypatch, tmp_path):
    monkeypatch.setattr("rung.store.mounts.read_mounts", lambda: "box:/export / nfs4 rw 0 0\n")
    refused(
        rung("run", "study.toml", "--out", "run"),
        "run lies on a network file system (nfs4 at /), where a journal can be damaged; choose a folder on a local "
        "disk, and copy the finished run",
        left=["study.toml"],
    )


def test_a_folder_that_is_no_run_is_refused_and_left_alone(rung, study):
    Path("thesis").mkdir()
    Path("thesis/chapter.tex").write_text("x")
    refused(
        rung("run", "study.toml", "--out", "thesis"),
        "thesis is not a run directory: holds 'chapter.tex'; choose an empty or new folder",
        left=["study.toml", "thesis"],
    )
    assert [path.name for path in Path("thesis").iterdir()] == ["chapter.tex"]


@pytest.mark.parametrize("command", ["report", "digest", "stop"])
def test_a_run_that_is_not_there_is_refused(rung, command):
    refused(
        rung(command, "nowhere"),
        "nowhere cannot be read (No such file or directory); give the folder of a run",
        left=[],
    )


@pytest.mark.parametrize("command", ["report", "digest", "stop"])
def test_a_folder_of_something_else_is_no_run(rung, command):
    Path("thesis").mkdir()
    refused(
        rung(command, "thesis"),
        "thesis is not a run directory: holds nothing; give the folder of a run",
        left=["thesis"],
    )


@pytest.mark.parametrize("command", ["report", "digest"])
def test_a_journal_that_is_none_is_refused(rung, command):
    Path("run").mkdir()
    Path("run/journal.sqlite").write_text("these are not the tables you are looking for" * 40)
    refused(
        rung(command, "run"),
        "run/journal.sqlite is no journal (file is not a database); choose another folder, or move the file away",
        left=["run"],
    )


@pytest.mark.parametrize("command", ["report", "digest"])
def test_a_run_without_a_journal_is_refused(rung, command):
    Path("run").mkdir()
    Path("run/run.lock").touch()
    refused(
        rung(command, "run"), "there is no journal at run/journal.sqlite; is this the folder of a run?", left=["run"]
    )


def test_a_changed_config_on_an_old_run_is_refused_with_what_changed(rung, finished):
    before = rung("digest", finished).out
    said = rung("run", "study.toml", "--out", finished, "--set", "lineages=3")
    assert said.exit == 2
    assert said.err == (
        "error: this run was begun under another config; changed: lineages (was 2, now 3). Give it back as it was (see "
        "config.resolved.json), or choose another --out for the new study\n"
    )
    assert rung("digest", finished).out == before


def test_a_changed_engine_is_no_changed_config(rung, finished):
    assert rung("run", "study.toml", "--out", finished, "--set", "engine.concurrency=3").exit == 0


def test_a_second_process_on_a_run_is_refused(rung, finished):
    with RunDirectory(Path(finished)).lock():
        said = rung("run", "study.toml", "--out", finished)
    assert said.exit == 2
    assert said.err.startswith(f"error: {finished} is in use by process ")
    assert said.err.endswith(f"; wait for it, or stop it: rung stop {finished}\n")


def test_an_old_run_goes_on_under_another_version_only_when_told_to(rung, finished, monkeypatch):
    monkeypatch.setattr("rung.protocols.launch.VERSION", "99.0")
    refused_once = rung("run", "study.toml", "--out", finished)
    assert refused_once.exit == 2
    assert "pass --accept-upgrade" in refused_once.err
    accepted = rung("run", "study.toml", "--out", finished, "--accept-upgrade", "--json")
    assert accepted.exit == 0
    assert json.loads(accepted.out)["incomplete"] == []


FORMATS = ["--json", "--csv", "--markdown", "--open"]


@pytest.mark.parametrize("formats", list(combinations(FORMATS, 2)), ids=" ".join)
def test_two_formats_of_a_report_are_refused(rung, formats):
    said = rung("report", "run", *formats)
    assert said.exit == 2
    assert "give one of them" in said.err + said.out


def test_a_place_that_cannot_be_written_is_named(rung, finished):
    said = rung("report", finished, "--html", "nowhere/report.html")
    assert (said.exit, said.err) == (
        2,
        "error: nowhere/report.html cannot be written (No such file or directory); choose another place\n",
    )
