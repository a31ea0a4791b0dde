import io
import json
import os
import pty
import select
import shutil
import subprocess
from pathlib import Path

import pytest

from rung.core import registry
from rung.core.values import Task

from .conftest import command


@pytest.fixture
def play(rung, monkeypatch):
    def played(*arguments: str, answers: str = ""):
        monkeypatch.setattr("sys.stdin", io.StringIO(answers))
        return rung("play", *arguments)

    return played


def test_a_game_is_played_to_its_end_and_measured(play):
    said = play("toy-lock-v1", "--difficulty", "1", "--seed", "a", answers="7\n")
    assert said.exit == 0
    rules, rest = said.out.split("--- step 1 of at most 1\n")
    assert rules.startswith("--- toy-lock-v1 d1: rules\nThere is a lock. ")
    assert "Ctrl-D ends." in rules
    assert rest.startswith("The lock shows ")
    assert rest.splitlines()[1:3] == ["> 7", "  < The answer was taken."]
    assert rest.splitlines()[-5:] == [
        "--- completed: no success",
        "score      0.000 (success)",
        "reference  1.000 (proven best; riddle-1)",
        "newcomer   0.000 (knows the rules alone)",
        "this task again: rung play toy-lock-v1 --setting d1 --seed a",
    ]


def test_rules_are_shown_once_and_each_view_as_it_comes(play):
    said = play("toy-road-v1", "--difficulty", "1", answers="1\n2\n")
    assert said.out.count("There is a signpost.") == 1
    assert [line for line in said.out.splitlines() if line.startswith("--- step")] == [
        "--- step 1 of at most 2",
        "--- step 2 of at most 2",
    ]


def test_an_invalid_answer_is_told_why(play):
    said = play("toy-lock-v1", "--difficulty", "1", answers="seven\n")
    assert "  < no whole number found in the answer\nreply: invalid, done" in said.out


def test_an_answer_of_several_lines_is_one(play):
    mine = '{"action":\n "open",\n "row": 0, "col": 0}\n'
    said = play("sweepmine-v1", "--difficulty", "1", answers=mine)
    assert '> {"action":\n...  "open",\n...  "row": 0, "col": 0}\n' in said.out
    assert "no JSON object" not in said.out


def test_the_end_of_the_input_scores_the_game_as_it_stands(play):
    told = json.loads(play("toy-road-v1", "--difficulty", "1", "--seed", "b", "--json", answers=right(1)).out)
    assert (told["status"], told["success"], told["score"]) == ("cancelled", False, 0.5)
    said = play("toy-road-v1", "--difficulty", "1", answers="")
    assert "ended here; it is scored as it stands\n--- cancelled: no success\n" in said.out


def right(count: int) -> str:
    """The first answers to the task of seed b, by the closed form of the toy."""
    family = registry.family("toy-road-v1")
    task = drawn_task()
    return "".join(f"{family.answer_to(number)}\n" for number in task.payload["numbers"][:count])


def drawn_task() -> Task:
    from rung.cli.tasks.show import drawn

    return drawn("toy-road-v1", "d1", "b")


def test_who_answers_rightly_reaches_the_reference(play):
    told = json.loads(play("toy-road-v1", "--difficulty", "1", "--seed", "b", "--json", answers=right(2)).out)
    assert told == {
        "family": "toy-road-v1",
        "setting": "d1",
        "task": drawn_task().id,
        "player": "person",
        "status": "completed",
        "success": True,
        "score": 1.0,
        "feedback": None,
        "metrics": {"right": 2, "invalid_actions": 0},
        "unit": "success",
        "reference": {"score": 1.0, "certificate": "optimal", "solver": "riddle-1", "gap": 0.0},
        "newcomer": 0.0,
        "again": "rung play toy-road-v1 --setting d1 --seed b",
    }


def test_for_a_machine_the_game_is_on_stderr_and_the_result_alone_on_stdout(play):
    said = play("toy-lock-v1", "--difficulty", "1", "--json", answers="7\n")
    assert json.loads(said.out)["score"] == 0.0
    assert "The lock shows " in said.err


def test_the_task_is_that_which_tasks_show_shows(play, rung):
    played = play("sweepmine-v1", "--difficulty", "2", "--seed", "x").out
    shown = rung("tasks", "show", "sweepmine-v1", "--difficulty", "2", "--seed", "x", "--json").out
    assert json.loads(shown)["view"] in played


def test_without_a_seed_each_game_is_a_new_one_and_can_be_had_again(play):
    first, second = (play("toy-lock-v1", "--difficulty", "1", "--json", answers="7\n").out for _ in "ab")
    assert json.loads(first)["task"] != json.loads(second)["task"]
    *_, seed = json.loads(first)["again"].split()
    again = play("toy-lock-v1", "--difficulty", "1", "--seed", seed, "--json", answers="7\n").out
    assert json.loads(again)["task"] == json.loads(first)["task"]


@pytest.mark.parametrize(("policy", "score"), [("solver", 1.0), ("naive", 0.0)])
def test_a_policy_plays_and_is_watched(play, policy: str, score: float):
    said = play("toy-lock-v1", "--difficulty", "1", f"--{policy}")
    assert "step 1\n  The lock shows " in said.out
    assert "evaluation: completed" in said.out
    told = json.loads(play("toy-lock-v1", "--difficulty", "1", f"--{policy}", "--json").out)
    assert (told["player"], told["score"]) == (policy, score)


def test_a_game_in_a_folder_is_played(play, pytestconfig):
    shutil.copytree(pytestconfig.rootpath / "examples" / "peak_v1", "peak_v1")
    said = play("./peak_v1", "--difficulty", "1", answers="50\n")
    assert said.exit == 0
    assert "feedback: The top was at " in said.out
    assert "this task again: rung play ./peak_v1 --setting d1 --seed " in said.out


def test_a_picture_is_written_to_a_file_whose_path_is_said(play, pytestconfig):
    shutil.copytree(pytestconfig.rootpath / "examples" / "peak_v1", "painted_v1")
    for file in Path("painted_v1").glob("*.py"):  # another id, because a game is loaded once a process
        text = file.read_text().replace("peak_v1", "painted_v1").replace("peak-v1", "painted-v1")
        text = text.replace(", tools=(tool,))", ', (Image("image/png", b"a picture"),), (tool,))')
        file.write_text(text.replace("import Call, Evaluation, ", "import Call, Evaluation, Image, "))
    said = play("./painted_v1", "--difficulty", "1", answers="50\n")
    (path,) = (Path(line.removeprefix("picture: ")) for line in said.out.splitlines() if line.startswith("picture: "))
    assert (path.name, path.read_bytes()) == ("1.png", b"a picture")
    shutil.rmtree(path.parent)


def test_nothing_is_recorded(play):
    play("toy-lock-v1", "--difficulty", "1", answers="7\n")
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("toy-lok-v1",), "no game named 'toy-lok-v1'; did you mean 'toy-lock-v1'?"),
        (("farm-v1", "--setting", "hard"), "farm-v1 has no setting 'hard'"),
    ],
)
def test_what_is_unknown_is_refused(play, arguments: tuple[str, ...], message: str):
    said = play(*arguments)
    assert said.exit == 2
    assert message in said.err


class Terminal:
    """A game in a real terminal."""

    def __init__(self, *arguments: str) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [command(), "play", "toy-road-v1", "--difficulty", "1", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_control_terminal,
            env={**os.environ, "TERM": "dumb"},
        )
        os.close(slave)
        self.seen = b""

    def until(self, text: bytes) -> None:
        """Read until this was printed."""
        while text not in self.seen:
            self.seen += os.read(self.master, 10_000)
        self.seen = self.seen.partition(text)[2]

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def interrupt(self) -> None:
        """Press Ctrl-C, and again while nothing comes of it: one that falls between prompt and wait is not noticed."""
        self.type(b"\x03")
        while not select.select([self.master], [], [], 1.0)[0]:
            self.type(b"\x03")

    def close(self) -> tuple[int, str]:
        """Exit status, and what else was printed."""
        try:
            while more := os.read(self.master, 10_000):
                self.seen += more
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(self.master)
        return self.process.wait(timeout=60), self.seen.decode().replace("\r\n", "\n")


def _control_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_in_a_terminal_each_enter_answers():
    game = Terminal("--seed", "a")
    game.until(b"\n> ")
    game.type(b"7\n")
    game.until(b"--- step 2 of at most 2")
    game.until(b"\n> ")
    game.type(b"8\n")
    status, rest = game.close()
    assert status == 0
    assert "--- completed: no success\nscore      0.000 (success)\n" in rest


def test_in_a_terminal_ctrl_d_ends_and_scores():
    game = Terminal()
    game.until(b"\n> ")
    game.type(b"\x04")
    status, rest = game.close()
    assert status == 0
    assert "ended here; it is scored as it stands\n--- cancelled: no success\n" in rest


def test_in_a_terminal_ctrl_c_leaves():
    game = Terminal()
    game.until(b"\n> ")
    game.interrupt()
    status, rest = game.close()
    assert status == 130
    assert rest.endswith("left the game; nothing was recorded\n")
