import subprocess
import sys
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
