import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from rung.cli._files import create
from rung.core.cell_config import CellConfig, NetworkConfig, SandboxConfig
from rung.core.config import Config, ExamConfig, TasksConfig
from rung.core.errors import UsageError


def test_init_writes_a_config_and_an_agent_and_says_what_is_next(rung):
    said = rung("init")
    assert said.out == "written: rung.toml\nwritten: my_agent.py\nnext: rung run rung.toml\n"
    assert sorted(path.name for path in Path().iterdir()) == ["my_agent.py", "rung.toml"]


def test_init_makes_the_folder_it_is_given(rung):
    said = rung("init", "a new/folder")
    assert said.out.endswith("next: rung run 'a new/folder/rung.toml'\n")
    assert Path("a new/folder/my_agent.py").exists()


@pytest.mark.parametrize("name", ["rung.toml", "my_agent.py"])
def test_init_never_overwrites(rung, name):
    Path(name).write_text("mine")
    said = rung("init")
    assert (said.exit, said.err) == (
        2,
        f"error: already there: {name}; nothing is overwritten, so choose another folder\n",
    )
    assert [path.name for path in Path().iterdir()] == [name]
    assert Path(name).read_text() == "mine"


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path):
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(UsageError, match="mine is there already and is left as it is; choose another place"):
        create(tmp_path / "mine", "new")
    assert (tmp_path / "mine").read_text() == "mine"


def test_init_does_not_follow_a_dangling_link(rung):
    Path("rung.toml").symlink_to("elsewhere.toml")
    assert rung("init").exit == 2
    assert not Path("elsewhere.toml").exists()


def test_init_names_its_files_to_machines(rung):
    assert json.loads(rung("init", "--json").out) == {"written": ["rung.toml", "my_agent.py"]}


def test_the_config_of_init_explains_every_key(rung):
    rung("init")
    text = Path("rung.toml").read_text()
    keys = {*Config.model_fields, *ExamConfig.model_fields, *TasksConfig.model_fields, "concurrency"}
    unexplained = {key for key in keys if key not in text} - {"holdout_tasks_per_difficulty"}
    assert unexplained == set()


def test_a_key_that_is_commented_out_shows_its_default(rung):
    rung("init")
    text = Path("rung.toml").read_text()
    assert f"# random = {str(TasksConfig.model_fields['random'].default).lower()}" in text
    assert f"# reruns = {ExamConfig.model_fields['reruns'].default} " in text
    assert f'# order = "{ExamConfig.model_fields["order"].default}"' in text
    assert f"# holdout_seed = {TasksConfig.model_fields['holdout_seed'].default} " in text


def test_the_keys_that_are_commented_out_are_legal(rung):
    rung("init")
    whole = re.sub(r"^# (?=[a-z_]+ = |\[)", "", Path("rung.toml").read_text(), flags=re.MULTILINE)
    Path("whole.toml").write_text(whole)
    assert {"exam", "compare", "arms", "engine"} <= set(tomllib.loads(whole))
    assert rung("tasks", "generate", "whole.toml").exit == 0


def test_the_agent_of_init_keeps_the_promises_of_agents_and_methods(rung):
    rung("init")
    said = rung("check", "my_agent.py")
    assert [line for line in said.out.splitlines() if "FAIL" in line] == []
    assert said.exit == 0


def test_a_cell_is_a_config_and_a_program_of_ones_own(rung, pytestconfig):
    said = rung("init", "--cell")
    assert said.out == "written: rung.toml\nwritten: my_program/agent.py\nnext: rung run rung.toml\n"
    priced = rung("run", "rung.toml", "--dry-run")
    assert priced.exit == 0
    assert "rung run would refuse" not in priced.out or sys.platform != "linux"
    example = pytestconfig.rootpath / "examples" / "own_program" / "agent.py"
    assert Path("my_program/agent.py").read_text() == example.read_text()


def test_a_cell_over_tasks_of_ones_own_is_told_where_they_go(rung):
    said = rung("init", "--cell", "--tasks", "mine.jsonl")
    assert (said.exit, "leave one out" in said.err) == (2, True)


def test_what_the_cell_config_says_of_its_defaults_is_true(rung):
    """Every key that is commented out with a plain default is that default."""
    rung("init", "--cell")
    text = Path("rung.toml").read_text()
    section, said = "", {}
    for line in text.splitlines():
        heading = re.match(r"(?:# )?\[([a-z]+)\]", line)
        section = heading[1] if heading else section
        if found := re.match(r"# ([a-z_]+) = (\S.*?) +# ", line):
            said[section, found[1]] = tomllib.loads(f"v = {found[2]}")["v"]
    for key in ("before", "sentinels", "idle_seconds", "stall_seconds"):
        assert said["cell", key] == CellConfig.model_fields[key].default
    assert said["sandbox", "kind"] == SandboxConfig.model_fields["kind"].default
    assert said["network", "mode"] == NetworkConfig.model_fields["mode"].default
