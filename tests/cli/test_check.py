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
    assert all(entry["kind"] in ("agents", "sources") and entry["promise"] and entry["check"] for entry in found)


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
        "A file of yours ends in .py, or in .jsonl if it holds tasks; a game of yours is named by its folder.\n"
    )


@pytest.mark.parametrize("name", ["peak_v1", "./peak_v1", "peak-v1"])
@pytest.mark.parametrize("command", [("tasks", "check"), ("check",)])
def test_a_folder_of_a_third_party_is_a_family(rung, command, name):
    copied(Path("peak_v1"))
    said = rung(*command, name)
    lines = said.out.splitlines()
    assert [line for line in lines if "FAIL" in line] == []
    assert [line for line in lines if not line.startswith("  ")][:2] == ["peak-v1 (families)", "peak-v1 (sources)"]
    assert said.exit == 0


def test_an_edited_game_is_the_game_that_is_tried(rung):
    copied(Path("peak_v1"))
    assert rung("check", "peak_v1").exit == 0
    edit("peak_v1/game.py", "low=0.0, high=1.0, floor=0.0", "low=0.0, high=0.5, floor=0.0")
    assert "[scores_lie_on_the_declared_scale]" in rung("check", "peak_v1").out


def test_a_copy_that_kept_the_id_is_told_so(rung):
    copied(Path("my_game_v1"))
    said = rung("check", "my_game_v1")
    assert (said.exit, said.err) == (
        2,
        (
            "error: my_game_v1.game: FAMILY has the id 'peak-v1', but it is found as 'my-game-v1'; "
            "a game's id is its folder's name with dashes, so give it the id 'my-game-v1'\n"
        ),
    )


def test_a_copy_under_its_own_name_is_a_game_of_its_own(rung):
    copied(Path("my_game_v1"))
    edit("my_game_v1/game.py", 'id = "peak-v1"', 'id = "my-game-v1"')
    assert rung("check", "my_game_v1").exit == 0


def test_a_copy_of_a_toy_is_told_that_it_leans_on_ours(rung):
    theirs(Path("my_lock_v1"))
    assert "FAMILY has the id 'toy-lock-v1'" in rung("check", "my_lock_v1").err
    edit("my_lock_v1/game.py", '"toy-lock-v1"', '"my-lock-v1"')
    said = rung("check", "my_lock_v1")
    assert said.exit == 1
    assert "game.py, line 6: rung.testing.toys._riddle" in said.out
    assert "begin from examples/peak_v1" in said.out


def test_a_folder_with_the_name_of_one_of_ours_is_refused(rung):
    theirs(Path("toy_lock_v1"))
    assert "toy_lock_v1 has the name of rung.testing.toys.toy_lock_v1; rename your copy" in (
        rung("check", "./toy_lock_v1").err
    )


def test_a_folder_without_a_key_is_no_family(rung):
    copied(Path("peak_v1"))
    Path("peak_v1/key.py").unlink()
    said = rung("tasks", "check", "peak_v1")
    assert said.err == "error: peak_v1 holds no key.py; a family is a folder with game.py and key.py\n"


def test_a_folder_that_python_cannot_name_is_refused(rung):
    copied(Path("my game"))
    assert "name the folder like a Python package, for example my_game_v1" in rung("tasks", "check", "my game").err


def test_tasks_check_knows_families_alone(rung):
    assert rung("tasks", "check", "static").exit == 2
    assert rung("tasks", "check", "toy-lamp-v1").exit == 0


@pytest.mark.parametrize("function", ["def act(view, files): return '0'\n", "def make(options): ...\n"])
def test_a_file_that_reaches_for_the_grader_is_told_so(rung, function):
    Path("mine.py").write_text(f"from rung.tasks import keys\n\n\n{function}")
    said = rung("check", "mine.py")
    assert said.exit == 1
    assert "seen: mine.py, line 1: rung.tasks.keys; " in said.out


# --------------------------------------------------------------------------------------------- the files of a function

REFINE = "def refine(feedback, files):\n    return {**files, 'notes.txt': files['notes.txt'] + 'x'}\n"


def test_the_agent_of_the_readme_keeps_every_promise(rung):
    said = rung("check", str(EXAMPLES / "notes_agent.py"))
    assert [line for line in said.out.splitlines() if "FAIL" in line] == []
    assert said.exit == 0


def test_a_refine_alone_is_tried_on_the_files_that_it_declares(rung):
    Path("mine.py").write_text(f"FILES = {{'notes.txt': ''}}\n\n\n{REFINE}")
    assert rung("check", "mine.py").exit == 0


def test_a_finding_says_what_the_files_were(rung):
    Path("mine.py").write_text(REFINE)
    assert "its files were the suite's own, 'prompt.md'; declare FILES = {name: text}" in rung("check", "mine.py").out
    Path("mine.py").write_text(f"FILES = {{'b.txt': '', 'a.txt': ''}}\n\n\n{REFINE}")
    assert "its files were 'a.txt', 'b.txt' [" in rung("check", "mine.py").out


def test_an_agent_that_can_read_one_game_alone_keeps_every_promise(rung):
    Path("mine.py").write_text("def act(view, files):\n    return str(int(view.text.split('Cash ')[1][:3]))\n")
    said = rung("check", "mine.py")
    assert [line for line in said.out.splitlines() if "FAIL" in line] == []


EXAMPLES = Path(__file__).parents[2] / "examples"


def copied(folder):
    """The game that authors are told to copy."""
    shutil.copytree(EXAMPLES / "peak_v1", folder, ignore=shutil.ignore_patterns("__pycache__"))


def theirs(folder):
    """A third party's family: a copy of one of our toys."""
    shutil.copytree(Path(toy.__file__).parent, folder, ignore=shutil.ignore_patterns("__pycache__"))


def edit(file, old, new):
    """Change a file, and see that it changed."""
    text = Path(file).read_text()
    assert old in text
    Path(file).write_text(text.replace(old, new))


@pytest.mark.parametrize("name", ["command", "command:pi"])
def test_a_program_is_not_examined_step_by_step(rung, name):
    said = rung("check", name)
    assert said.exit == 2
    assert f"{name!r} is a program, which takes part in whole sessions and has no steps to examine" in said.err
