"""What attempts used of what they inherited: planted uses are recovered exactly, and nothing else is taken for one."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from rung.core.seeds import Seed
from rung.findings.adoption import ANY, CHOSEN, Adoption, Attempt, adoptions
from rung.stats import flags

from .planted import INSTRUCTION, Call, World, bash, edit, read, write

NOTES = "# Boxes\nBoxes of odd number like the answer seven.\nNever spend the last call on a guess.\n"
SOLVER = "def solve_box(shown):\n    return shown % 7 + 1\n\n\ndef parse_view(text):\n    return int(text)\n"
HELPERS = 'look_up() {\n  grep "$1" table-of-boxes\n}\n'
RUNNER = "#!/bin/bash\necho running the whole checklist for boxes\n"
DATA = '{"box": 12, "answer": 7, "seen": "twice in work"}\n'
CLAUDE = "Always read the checklist of boxes before you answer.\n"
SKILL = "---\nname: boxes\ndescription: How to open a box at the first call\n---\nLook at the lid before the lock.\n"
HOME = {"notes/strategy.md": NOTES, ".claude/CLAUDE.md": CLAUDE, ".claude/skills/boxes/SKILL.md": SKILL}
WORK = {
    "lib/solver.py": SOLVER,
    "lib/helpers.sh": HELPERS,
    "check.sh": RUNNER,
    "boxes.json": DATA,
    "README.md": "Read me.",
}

WAYS: Mapping[tuple[str, str], list[list[Call]]] = {
    ("home/notes/strategy.md", "read"): [
        [read("/home/agent/notes/strategy.md", NOTES)],
        [bash("cat ~/notes/strategy.md", NOTES)],
        [bash("cd /home/agent/notes && head -50 strategy.md", NOTES)],
        [bash("N=$HOME/notes; sed -n 1,20p $N/strategy.md")],
        [bash("python3 -c \"print(open('/home/agent/notes/strategy.md').read())\"")],
        [bash("find ~ -name '*.md' -exec cat {} +", f"hello\n{NOTES}")],
        [("Grep", {"pattern": "seven", "path": "/home/agent/notes"}, "/home/agent/notes/strategy.md:2:like seven")],
        [bash("cat ~/notes/*.md")],
    ],
    ("workspace/lib/solver.py", "imported"): [
        [bash("(cd lib && python3 -c 'from solver import solve_box; print(solve_box(12))')", "6")],
        [
            bash(
                "python3 - <<'EOF'\nimport sys\nsys.path.insert(0, 'lib')\nimport solver\nsolver.solve_box(12)\nEOF",
                "6",
            )
        ],
        [write("/tmp/x.py", "from lib.solver import solve_box\nprint(solve_box(3))\n"), bash("python3 /tmp/x.py", "4")],
        [bash("PYTHONPATH=/workspace timeout 60 python3 -c 'from lib import solver as s; print(s.solve_box(1))'")],
    ],
    ("workspace/lib/helpers.sh", "imported"): [
        [bash("source lib/helpers.sh && look_up 12")],
        [bash(". /workspace/lib/helpers.sh; look_up 12")],
    ],
    ("workspace/check.sh", "run"): [
        [bash("./check.sh", "running the whole")],
        [bash("bash /workspace/check.sh 2>&1 | tail -3")],
        [("Bash", {"command": ["bash", "-lc", "cd /workspace && sh check.sh"]}, "")],
    ],
    ("workspace/boxes.json", "read"): [
        [bash("jq .answer boxes.json", "7")],
        [bash("python3 <<'E'\nimport json\nprint(json.load(open('boxes.json'))['answer'])\nE", "7")],
        [bash("cat < /workspace/boxes.json")],
    ],
    ("home/.claude/skills/boxes/SKILL.md", "run"): [[("Skill", {"skill": "boxes"}, "Launching skill: boxes")]],
}

DECOYS: list[list[Call]] = [
    [bash("ls -la ~/notes lib", "strategy.md\nsolver.py\nhelpers.sh")],
    [bash("cat /opt/other/README.md", "Another program.")],
    [bash("cat /workspace/lib/solver.py.bak", "ERROR: No such file or directory")],
    [bash("cat /usr/share/notes/strategy.md", "Nothing to do with it.")],
    [bash("cd /opt/rung && cat boxes.json", "other")],
    [write("/workspace/mine.py", "def solve_chess():\n    return 1\n"), bash("python3 mine.py")],
    [bash("echo strategy.md solver.py boxes.json", "strategy.md solver.py boxes.json")],
    [bash("python3 -c 'import json, solvers; print(json)'")],
    [read("/home/agent/notes/strategy.md", "ERROR: permission denied")],
    [bash("rm -f /workspace/old/check.sh; git add -A")],
    [edit("/home/agent/notes/strategy.md", "seven", "eight")],
    [
        (
            "mcp__tasks__answer",
            {"task": "t-1", "value": 7},
            "Boxes of odd number like the answer seven.\nmore of it here",
        )
    ],
]


def world(tasks: int = 1, *, conversation: bool = False) -> tuple[World, str]:
    made = World()
    shipped = made.exam(tasks)
    left = made.snapshot(HOME, WORK, "c1" if conversation else None)
    made.session("claude/L1/work", shipped, [write("/home/agent/notes/strategy.md", NOTES)], left=left)
    return made, left


def found(made: World) -> Adoption:
    (one,) = adoptions(made.journal)
    return one


def uses(attempt: Attempt) -> set[tuple[str, str]]:
    return {(use.artifact, use.manner) for use in attempt.uses}


# --------------------------------------------------------------------------------------------- planted uses


@pytest.mark.parametrize("seed", range(20))
def test_planted_uses_are_recovered_exactly_whichever_they_are(seed: int):
    rng: random.Random = Seed("planted").child(seed).rng()
    made, left = world(tasks=10)
    planted: dict[str, set[tuple[str, str]]] = {}
    for task in range(1, 11):
        path = made.sat(1, task, rng.random())
        chosen = [way for way in WAYS if rng.random() < 0.4]
        acts = [rng.choice(WAYS[way]) for way in chosen] + rng.sample(DECOYS, 4)
        rng.shuffle(acts)
        loaded = rng.random() < 0.5
        told = [f"<system-reminder>\nContents of the user's own file:\n{CLAUDE}</system-reminder>"] if loaded else []
        made.session(path, left, [call for calls in acts for call in calls], first=[*told, "Begin."])
        planted[path] = {*chosen, *({("home/.claude/CLAUDE.md", "loaded")} if loaded else set())}
    recovered = {attempt.path: uses(attempt) for attempt in found(made).attempts}
    assert recovered == planted


@pytest.mark.parametrize(("way", "calls"), [(way, calls) for way, many in WAYS.items() for calls in many])
def test_every_way_to_use_one_is_that_use_and_no_other(way: tuple[str, str], calls: list[Call]):
    made, left = world()
    made.session(made.sat(1, 1, 1.0), left, calls)
    assert uses(found(made).attempts[0]) == {way}


@pytest.mark.parametrize("calls", DECOYS)
def test_what_is_no_use_is_taken_for_none(calls: list[Call]):
    made, left = world()
    made.session(made.sat(1, 1, 1.0), left, calls)
    assert uses(found(made).attempts[0]) == set()


def test_the_functions_that_were_called_are_named_and_no_others():
    made, left = world()
    made.session(made.sat(1, 1, 1.0), left, WAYS["workspace/lib/solver.py", "imported"][1])
    (use,) = found(made).attempts[0].uses
    assert (use.names, use.times) == (("solve_box",), 1)
    assert use.first.path == "exam/claude.L1/0001/1/exchange/000000"


def test_what_a_session_has_overwritten_is_its_own():
    made, left = world()
    calls = [write("/workspace/boxes.json", "{}"), bash("cat boxes.json", "{}"), bash("cat ~/notes/strategy.md", NOTES)]
    made.session(made.sat(1, 1, 1.0), left, calls)
    assert uses(found(made).attempts[0]) == {("home/notes/strategy.md", "read")}


def test_a_use_is_counted_once_a_call_and_quotes_the_first():
    made, left = world()
    made.session(made.sat(1, 1, 1.0), left, [bash("cat boxes.json", DATA), bash("cat boxes.json", DATA)])
    (use,) = found(made).attempts[0].uses
    assert (use.times, use.first.text) == (2, "Bash: cat boxes.json")


def test_a_shell_that_stays_in_a_folder_is_followed_there_and_one_that_is_taken_back_is_not():
    made, left = world(tasks=2)
    made.session(made.sat(1, 1, 1.0), left, [bash("cd lib"), bash("cat boxes.json"), bash("head solver.py")])
    made.session(made.sat(1, 2, 1.0), left, [bash("cd /home/agent/notes"), bash("cat boxes.json strategy.md")])
    one, other = found(made).attempts
    assert (uses(one), uses(other)) == ({("workspace/lib/solver.py", "read")}, {("workspace/boxes.json", "read")})


# --------------------------------------------------------------------------------------------- what the harness loads


def test_a_skill_that_is_listed_is_loaded_and_one_that_is_called_is_run():
    made, left = world()
    listed = "- boxes: How to open a box at the first call"
    made.session(made.sat(1, 1, 1.0), left, [("Skill", {"skill": "boxes"}, "Launching")], first=[listed, "Begin."])
    skill = "home/.claude/skills/boxes/SKILL.md"
    assert uses(found(made).attempts[0]) == {(skill, "loaded"), (skill, "run")}


def test_a_whole_path_before_the_model_is_loaded_and_the_beginning_of_another_is_not():
    made, left = world()
    made.session(made.sat(1, 1, 1.0), left, system="See /home/agent/notes/strategy.md.")
    made.exam(2)
    made.session(made.sat(1, 2, 1.0), left, system="See /home/agent/notes/strategy.md.old and /workspace/check.shx")
    one, other = found(made).attempts
    assert (uses(one), uses(other)) == ({("home/notes/strategy.md", "loaded")}, set())


def test_what_came_with_the_conversation_was_not_loaded_from_a_file():
    made = World()
    shipped = made.exam(1)
    left = made.snapshot(HOME, WORK, "c1")
    calls = [write("/home/agent/notes/strategy.md", NOTES), bash("cat ~/notes/strategy.md", NOTES)]
    said = made.session("claude/L1/work", shipped, calls, left=left, first=[f"A reminder.\n{NOTES}", "Begin."])
    made.session(made.sat(1, 1, 1.0), left, before=said)
    (attempt,) = found(made).attempts
    assert (attempt.conversation, attempt.uses) == (True, ())


def test_the_instruction_is_no_file_though_a_file_repeats_it():
    made = World()
    shipped = made.exam(1)
    left = made.snapshot({"copy.md": f"{INSTRUCTION}\n"})
    made.session("claude/L1/work", shipped, left=left)
    made.session(made.sat(1, 1, 1.0), left)
    assert found(made).attempts[0].uses == ()


# --------------------------------------------------------------------------------------------- what is inherited


def test_what_a_0_had_and_what_the_harness_keeps_for_itself_is_no_artifact():
    made = World()
    shipped = made.snapshot({"old.md": "as shipped"})
    made.exam(1, shipped=shipped)
    home = {
        "old.md": "as shipped",
        "new.md": "n",
        ".claude.json": "{}",
        ".claude/projects/x/1.jsonl": "{}",
        "link": None,
    }
    left = made.snapshot(home, {"x.py": "x = 1"})
    made.session("claude/L1/work", shipped, left=left)
    made.session(made.sat(1, 1, 1.0), left)
    assert [file.path for file in found(made).artifacts] == ["home/new.md", "workspace/x.py"]


def test_state_of_the_harness_that_the_agent_wrote_is_an_artifact():
    made = World()
    shipped = made.exam(1)
    left = made.snapshot({".claude.json": "{}"})
    made.session("claude/L1/work", shipped, [write("/home/agent/.claude.json", "{}")], left=left)
    made.session(made.sat(1, 1, 1.0), left)
    assert [(file.path, file.kind) for file in found(made).artifacts] == [("home/.claude.json", "harness state")]


def test_two_modules_of_one_name_are_told_apart_by_their_folder_or_not_at_all():
    made = World()
    shipped = made.exam(3)
    left = made.snapshot({}, {"a/tool.py": "def f():\n    pass\n", "b/tool.py": "def f():\n    return 1\n"})
    made.session("claude/L1/work", shipped, left=left)
    codes = ["import sys; sys.path.append('/workspace/a'); import tool", "import tool", "import json"]
    for task, code in enumerate(codes, 1):
        made.session(made.sat(1, task, 1.0), left, [bash(f'python3 -c "{code}"')])
    assert [uses(each) for each in found(made).attempts] == [{("workspace/a/tool.py", "imported")}, set(), set()]


def test_a_file_named_as_a_module_of_pythons_own_is_not_imported_with_it():
    made = World()
    shipped = made.exam(1)
    left = made.snapshot({}, {"old/json.py": "def loads(text):\n    return text\n"})
    made.session("claude/L1/work", shipped, left=left)
    made.session(made.sat(1, 1, 1.0), left, [bash('python3 -c "import json; json.loads(1)"')])
    assert found(made).attempts[0].uses == ()


# --------------------------------------------------------------------------------------------- gains by use


def test_gains_are_split_by_use_and_the_split_is_said_to_be_no_effect():
    made, left = world(tasks=6)
    for task, score in enumerate((0.8, 1.0, 0.6, 0.2, 0.4, 0.0), 1):
        calls = [bash("cat boxes.json")] if task <= 3 else []
        made.session(made.sat(1, task, score), left, calls)
    adoption = found(made)
    split = next(each for each in adoption.splits if each.what == "workspace/boxes.json")
    assert (split.n_used, split.n_unused, split.unit) == (3, 3, "share")
    assert (split.used.value, split.unused.value) == (pytest.approx(0.8), pytest.approx(0.2))
    assert split.difference.value == pytest.approx(0.6)
    assert split.difference.lo == pytest.approx(0.6 - 2.7764451 * (0.04 / 3 * 2) ** 0.5)
    assert "use is chosen, so this is no effect of it" in split.difference.flags
    assert "no effect" in adoption.caveat
    assert (adoption.using(ANY), adoption.using(CHOSEN), adoption.seen) == (3, 3, 6)


def test_where_all_attempts_used_it_a_difference_is_not_estimable():
    made, left = world(tasks=2)
    for task in (1, 2):
        made.session(made.sat(1, task, 1.0), left, [bash("cat boxes.json")])
    split = found(made).splits[0]
    assert (split.difference.value, split.difference.lo) == (None, None)
    assert any("not estimable" in flag for flag in split.difference.flags)


def test_one_attempt_of_a_kind_gives_a_difference_without_an_interval():
    made, left = world(tasks=3)
    for task in (1, 2, 3):
        made.session(made.sat(1, task, float(task == 1)), left, [bash("cat boxes.json")] if task == 1 else [])
    difference = found(made).splits[0].difference
    assert (difference.value, difference.lo) == (1.0, None)
    assert flags.ONE_TASK in difference.flags


def test_a_fault_is_no_gain_and_its_rerun_counts():
    made, left = world(tasks=2)
    for path in (made.sat(1, 1, None), made.sat(1, 2, None), made.sat(1, 2, 0.5, again=1)):
        made.session(path, left, [bash("cat boxes.json")])
    adoption = found(made)
    assert [attempt.gain for attempt in adoption.attempts] == [None, 0.5]
    assert adoption.splits[0].n_used == 1


def test_attempts_whose_calls_nobody_saw_are_no_attempts_without_use():
    made, left = world(tasks=2)
    made.session(made.sat(1, 1, 1.0), left, [bash("cat boxes.json")])
    made.session(made.sat(1, 2, 1.0), left, seen=False)
    adoption = found(made)
    assert [attempt.seen for attempt in adoption.attempts] == [True, False]
    assert (adoption.splits[0].n_used, adoption.splits[0].n_unused) == (1, 0)


def test_reduced_forks_and_a_0_are_no_attempts_of_the_after_exam():
    made, left = world()
    made.session(made.sat(1, 1, 1.0), left)
    for who in ("claude.L1+only-files", "A0.abc123", "A0.abc123.sentinel"):
        made.session(f"exam/{who}/0001/9", left)
    assert [attempt.path for attempt in found(made).attempts] == ["exam/claude.L1/0001/1"]


# --------------------------------------------------------------------------------------------- foreign


@pytest.mark.parametrize(
    "command",
    [
        "\0" * 100,
        '"' * 9999,
        "cat '" + "x" * 9999,
        "python3 -c 'import " + "a." * 5000 + "'",
        "A=$A$A; " * 500,
        "<<A\n" * 2000,
        "cat [!" + "*?" * 999,
        "cat \udcff\ud800",
        "cd " + "../" * 3000 + "etc; cat passwd",
        "<<A" * 66_000,
        "<<" + "A" * 199_000,
        "python3 <<'E'\n" + "from a import (\n" * 12_000,
        "python3 <<'E'\nimport" + " " * 190_000 + "(\nE",
        "python3 <<'E'\n" + "open('" * 30_000,
        "python3 <<'E'\nimport solver\n" + "a" * 190_000 + "\nE",
    ],
)
def test_hostile_commands_are_read_and_are_no_use(command: str):
    made, left = world()
    escaped = command.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    made.session(made.sat(1, 1, 1.0), left, [bash(escaped, "x" * 9999)])
    assert uses(found(made).attempts[0]) <= {("workspace/lib/solver.py", "imported")}


def test_a_snapshot_that_cannot_be_read_is_said():
    made, left = world()
    missing = made.blob({"home": "0" * 64, "work": "0" * 64})
    made.session(made.sat(1, 1, 1.0), missing)
    adoption = found(made)
    assert adoption.attempts == ()
    assert "L1: what it left cannot be read" in adoption.unread[0]
    assert left


@pytest.mark.parametrize(
    "turns",
    [
        ["hello", 7, None],
        [{"role": "user", "content": 7}],
        [{"role": ["user"], "content": [{"text": {"text": 1}}]}],
        [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": [], "content": {"content": [7]}}]}],
    ],
)
def test_requests_of_any_shape_are_read(turns: list[Any]):
    made, left = world()
    path = made.sat(1, 1, 1.0)
    made.session(path, left)
    made.exchange(path, 7, turns, "s", [{"type": "tool_use", "id": 7, "name": {}, "input": []}, 7])
    assert uses(found(made).attempts[0]) == set()
