import json
import shutil
from pathlib import Path

import pytest

import rung.testing.toys.toy_lock_v1 as toy

STATEFUL = "calls = 0\n\ndef act(view, files):\n    global calls\n    calls += 1\n    return str(calls)\n"


def test_check_prints_one_line_for_each_promise(rung):
    said = rung("check", "toy-lock-v1")
    lines = said.out.splitlines()
    assert said.exit == 0
    assert lines[0] == "toy-lock-v1 (families)"
    assert all(line.startswith("  pass  ") and line.endswith(".") for line in lines[1:-1])
    assert lines[-1] == f"{len(lines) - 2} checks, 0 failed"


def test_a_broken_promise_is_a_line_that_says_what_was_seen_and_exit_status_1(rung):
    Path("mine.py").write_text(STATEFUL)
    said = rung("check", "mine.py")
    broken = [line for line in said.out.splitlines() if line.startswith("  FAIL  ")]
    assert said.exit == 1
    assert broken
    assert all("seen: " in line for line in broken)
    assert said.out.splitlines()[-1].endswith(f"checks, {len(broken)} failed")


def test_check_for_machines_has_an_entry_for_each_promise(rung):
    Path("mine.py").write_text(STATEFUL)
    said = rung("check", "mine.py", "--json")
    found = json.loads(said.out)
    assert said.exit == 1
    assert {entry["passed"] for entry in found} == {True, False}
    assert all(entry["kind"] == "agents" and entry["promise"] and entry["check"] for entry in found)


@pytest.mark.parametrize("name", ["static", "phantom:narrow"])
def test_check_knows_methods_and_agents_by_name(rung, name):
    assert rung("check", name).exit == 0


def test_check_of_a_file_tries_act_and_refine_alike(rung):
    Path("mine.py").write_text("def act(view, files): return '0'\n\ndef refine(feedback, files): return None\n")
    out = rung("check", "mine.py").out
    assert "mine.py act (agents)\n" in out
    assert "mine.py refine (methods)\n" in out


def test_check_refuses_a_file_that_is_no_plug_in(rung):
    Path("mine.py").write_text("x = 1\n")
    said = rung("check", "mine.py")
    assert (said.exit, said.err) == (
        2,
        "error: mine.py defines none of act, refine, make, or FAMILY and KEY; `rung init` writes a file that does\n",
    )


def test_check_refuses_a_file_that_cannot_be_imported(rung):
    Path("mine.py").write_text("1 / 0\n")
    said = rung("check", "mine.py")
    assert (said.exit, said.err) == (2, "error: 'mine.py' cannot be imported: ZeroDivisionError: division by zero\n")


def test_check_suggests_the_nearest_name(rung):
    said = rung("check", "toy-lok-v1")
    assert said.exit == 2
    assert said.err == (
        "error: no family, agent or method named 'toy-lok-v1'; did you mean 'toy-lock-v1'? "
        "A file of yours ends in .py\n"
    )


@pytest.mark.parametrize("command", [("tasks", "check"), ("check",)])
def test_a_folder_of_a_third_party_is_a_family(rung, command):
    theirs(Path("toy_lock_v1"))
    said = rung(*command, "toy_lock_v1")
    assert said.out.splitlines()[0] == "toy-lock-v1 (families)"
    assert said.exit == 0


def test_a_folder_without_a_key_is_no_family(rung):
    theirs(Path("toy_lock_v1"))
    Path("toy_lock_v1/key.py").unlink()
    said = rung("tasks", "check", "toy_lock_v1")
    assert said.err == "error: toy_lock_v1 holds no key.py; a family is a folder with game.py and key.py\n"


def test_a_folder_that_python_cannot_name_is_refused(rung):
    theirs(Path("my game"))
    assert "name the folder like a Python package, for example my_game_v1" in rung("tasks", "check", "my game").err


def test_tasks_check_knows_families_alone(rung):
    assert rung("tasks", "check", "static").exit == 2
    assert rung("tasks", "check", "toy-lamp-v1").exit == 0


def theirs(folder):
    """A third party's family: a copy of ours."""
    shutil.copytree(Path(toy.__file__).parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
