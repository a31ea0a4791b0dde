import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from rung.core import registry
from rung.core.errors import UsageError


def test_a_plug_in_is_named_by_its_file():
    assert registry.names("families")["farm-v1"] == "rung.tasks.games.farm_v1"
    assert registry.names("methods")["static"] == "rung.methods.static"
    assert not any(name.startswith("-") for name in registry.names("methods"))


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UsageError, match="no game named 'farm'; did you mean 'farm-v1'"):
        registry.family("farm")


def test_a_plug_in_file_that_raises_is_the_callers_to_mend(tmp_path: Path):
    file = tmp_path / "broken.py"
    file.write_text("raise ValueError('not today')\n")
    with pytest.raises(UsageError, match=r"broken\.py' cannot be imported: ValueError: not today"):
        registry.load_file(file)


def test_looking_names_up_imports_no_plug_in():
    code = "import sys; from rung.core import registry; registry.names('families'); "
    code += "print([name for name in sys.modules if 'farm' in name or 'toys.' in name])"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "[]"


def test_importing_rung_prints_nothing_and_loads_nothing_heavy():
    code = "import sys, rung; heavy = {'numpy', 'scipy', 'pydantic', 'dulwich', 'jinja2', 'rich', 'click'}; "
    code += "sys.exit(len(heavy & set(sys.modules)))"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (seen.returncode, seen.stdout, seen.stderr) == (0, "", "")


# --------------------------------------------------------------------------------------------- families in folders

EXAMPLE = Path(__file__).parents[2] / "examples" / "peak_v1"


def copied(folder: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__")))


def test_a_folder_is_a_family_under_its_name_with_dashes(tmp_path: Path):
    assert registry.folder(copied(tmp_path / "peak_v1")) == "peak-v1"
    assert registry.family("peak-v1").capability == "reasoning"


def test_a_folder_that_was_given_is_not_listed(tmp_path: Path):
    registry.folder(copied(tmp_path / "peak_v1"))
    assert "peak-v1" not in registry.names("families")


def test_the_last_folder_of_a_name_is_meant(tmp_path: Path):
    for place, capability in (("one", "reasoning"), ("two", "planning")):
        game = copied(tmp_path / place / "peak_v1") / "game.py"
        game.write_text(game.read_text().replace('"reasoning"', f'"{capability}"'))
        registry.folder(game.parent)
        assert registry.family("peak-v1").capability == capability
        assert registry.sources("families", "peak-v1")[-1] == game.parent / "key.py"


def test_a_folder_needs_no_init(tmp_path: Path):
    folder = copied(tmp_path / "peak_v1")
    (folder / "__init__.py").unlink()
    assert registry.folder(folder) == "peak-v1"


def test_a_folder_that_raises_is_the_callers_to_mend(tmp_path: Path):
    folder = copied(tmp_path / "peak_v1")
    (folder / "key.py").write_text("1 / 0\n")
    with pytest.raises(UsageError, match=r"peak_v1 cannot be imported: ZeroDivisionError"):
        registry.folder(folder)
    with pytest.raises(UsageError, match="no game named 'peak-v1'"):
        registry.family("peak-v1")


def test_a_family_that_calls_itself_otherwise_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="FAMILY has the id 'peak-v1', but it is found as 'hill-v1'"):
        registry.folder(copied(tmp_path / "hill_v1"))


@pytest.mark.parametrize("name", ["peak", "Peak_v1", "peak-v1", "peak_v0", "json"])
def test_a_folder_is_named_like_a_game_with_its_version(tmp_path: Path, name: str):
    with pytest.raises(UsageError, match="for example my_game_v1"):
        registry.folder(copied(tmp_path / name))


def test_the_files_of_a_plug_in_are_found_without_litter(tmp_path: Path):
    folder = copied(tmp_path / "peak_v1")
    (folder / "__pycache__").mkdir()
    for name in ("__pycache__/game.pyc", ".hidden", "words.txt"):
        (folder / name).write_text("")
    assert [file.name for file in registry.files_in(folder)] == ["__init__.py", "game.py", "key.py", "words.txt"]


def test_the_files_of_ours_are_found():
    assert [file.name for file in registry.sources("methods", "static")] == ["static.py"]
    assert {"game.py", "key.py"} <= {file.name for file in registry.sources("families", "farm-v1")}


def test_the_entry_points_of_the_guide_are_found(tmp_path: Path):
    """What the guide's pyproject declares, installed as pip would, is listed, drawn and tried."""
    guide = (Path(__file__).parents[2] / "docs/guide/plugins.md").read_text("utf-8")
    project = tomllib.loads(re.search(r"```toml\n(\[build-system\].*?)```", guide, re.DOTALL)[1])["project"]
    package = tmp_path / "my_games"
    copied(package / "my_game_v1")
    game = package / "my_game_v1" / "game.py"
    game.write_text(game.read_text().replace('id = "peak-v1"', 'id = "my-game-v1"'))
    for name in ("__init__", "my_agent", "my_method"):
        (package / f"{name}.py").write_text("")
    installed = tmp_path / "my_games-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: my-games\nVersion: 1.0\n")
    points = project["entry-points"]
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in each.items()) for group, each in points.items()]
    (installed / "entry_points.txt").write_text("\n".join(lines))
    code = (
        "from rung.core import registry as r; import sys\n"
        "assert r.family('my-game-v1').id == 'my-game-v1' and r.load('agents', 'my-agent')\n"
        "assert r.load('methods', 'my-method') and len(r.sources('families', 'my-game-v1')) == 3\n"
        "from rung.cli import main; main(['check', 'my-game-v1'])"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    seen = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
    )
    assert (seen.returncode, seen.stderr) == (0, ""), seen.stdout
    assert "my-game-v1 (sources)" in seen.stdout
