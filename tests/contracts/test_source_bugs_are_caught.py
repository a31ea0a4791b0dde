"""What a file imports is looked at as it is written: whoever reaches for a key is told which line does."""

import pytest

from rung.testing.contracts import SUITES, SourceCase, run_suite

REACHES = {
    "import rung.tasks.keys": "rung.tasks.keys",
    "from rung.tasks import keys": "rung.tasks.keys",
    "from rung.tasks.keys import key": "rung.tasks.keys",
    "def act(view, files):\n    import rung.tasks.games.farm_v1.key as k": "rung.tasks.games.farm_v1.key",
    "from rung.tasks.games.farm_v1 import key": "rung.tasks.games.farm_v1.key",
    "from .key import KEY": "key",
    "from . import key": ".key",
    "import key": "key",
    "from my_game_v1 import key": "my_game_v1.key",
    "import importlib\nimportlib.import_module('rung.tasks.keys')": "rung.tasks.keys",
    "__import__('rung.tasks.keys')": "rung.tasks.keys",
}
INNOCENT = ["import json", "from operator import itemgetter as key", "from attrs import key", "key = 'rung.tasks.keys'"]


def findings(tmp_path, text, name="mine.py", *, is_game=False):
    file = tmp_path / name
    file.write_text(text)
    return {f.name: f.detail for f in run_suite("sources", SourceCase((file,), is_game=is_game)) if not f.passed}


@pytest.mark.parametrize(("text", "named"), REACHES.items())
def test_who_reaches_for_a_key_is_told_the_import_and_its_line(tmp_path, text, named):
    line = next(n for n, each in enumerate(text.splitlines(), 1) if "key" in each)
    assert f"mine.py, line {line}: {named}" in findings(tmp_path, text)["no_key_is_imported"]


@pytest.mark.parametrize("text", INNOCENT)
def test_who_does_not_is_left_alone(tmp_path, text):
    assert findings(tmp_path, text) == {}


def test_a_game_may_not_import_its_key_and_a_key_may_import_anything(tmp_path):
    assert "no_key_is_imported" in findings(tmp_path, "from .key import KEY", "game.py", is_game=True)
    assert findings(tmp_path, "from rung.tasks.keys import key", "key.py", is_game=True) == {}


def test_a_game_that_leans_on_a_toy_is_told_so(tmp_path):
    found = findings(tmp_path, "from rung.testing.toys._riddle import Riddle", "game.py", is_game=True)
    assert "game.py, line 1: rung.testing.toys._riddle" in found["nothing_is_borrowed_from_the_toys"]
    assert findings(tmp_path, "from rung.testing.toys._riddle import Riddle") == {}


def test_every_check_of_sources_has_caught_something():
    assert {check.__name__ for check in SUITES["sources"]} == {
        "no_key_is_imported",
        "nothing_is_borrowed_from_the_toys",
    }
