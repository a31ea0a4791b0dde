"""The inventory of a working session: what is planted in one is found, and placed between its tasks."""

import pytest

from rung.findings.built import Inventory
from rung.findings.inventory import inventories

from .planted import NONE_LEFT, Call, World, bash, edit, read, write

WORK = "claude/L1/work"
NOTE = "/home/agent/notes.md"
CHECKED = "import sys\n\ndef check(turns):\n    assert turns < 30\n    return turns\n"
PATCH = "*** Begin Patch\n*** Add File: notes/a.md\n+hi\n*** End Patch"
CREATE = {"command": "create", "path": "/workspace/notes/a.md", "file_text": "x"}
ELEMENTS = (
    "files kept",
    "subagents",
    "guardrails in code",
    "telemetry",
    "offline evaluation",
    "optimisation services",
)


def one(made: World) -> Inventory:
    (found,) = inventories(made.journal)
    return found


def worked(
    calls: list[Call],
    home: dict[str, str | bytes | None] | None = None,
    work: dict[str, str | bytes | None] | None = None,
    **more: object,
) -> Inventory:
    made = World()
    made.session(WORK, made.snapshot(), calls, left=made.snapshot(home, work), **more)  # type: ignore[arg-type]
    return one(made)


def element(found: Inventory, name: str) -> bool | None:
    return next(each.present for each in found.elements if each.name == name)


# --------------------------------------------------------------------------------------------- timeline


def test_a_note_that_is_made_at_one_task_and_revised_through_others_is_placed_between_them():
    made = World()
    calls: list[Call] = []
    for number in range(1, 6):
        calls += made.task(f"{WORK}/{number:04d}")
        if number == 2:
            calls += [write(NOTE, "one")]
        if number in (3, 5):
            calls += [edit(NOTE, "one", "two"), bash("echo three >> ~/notes.md")]
    calls += [NONE_LEFT, write("/workspace/tool.py", "x = 1"), bash("python3 tool.py")]
    left = made.snapshot({"notes.md": "two"}, {"tool.py": "x = 1"})
    made.session(WORK, made.snapshot(), calls, left=left, idle=7200.0)
    found = one(made)
    note, tool = found.pieces
    assert (note.path, note.how, note.first, note.last, note.writes, note.revisions) == (
        "home/notes.md",
        "written",
        2,
        5,
        5,
        4,
    )
    assert (tool.path, tool.first, tool.tail, note.tail) == ("workspace/tool.py", 5, True, False)
    assert [(each.after, each.what) for each in found.timeline] == [
        (2, "wrote"),
        (3, "revised"),
        (3, "appended"),
        (5, "revised"),
        (5, "appended"),
        (5, "wrote"),
        (5, "ran"),
    ]
    assert (found.tail.seconds, found.tail.deeds, found.tail.written) == (7200.0, 2, ("workspace/tool.py",))
    assert found.tasks == 5


def test_a_task_that_was_cut_off_is_not_finished_and_refused_calls_end_none():
    made = World()
    calls = made.task(f"{WORK}/0001", status="cancelled") + made.task(f"{WORK}/0002")
    calls += [("mcp__tasks__answer", {"task": "t-000000000000"}, "no task in flight")]
    made.session(WORK, made.snapshot(), calls, left=made.snapshot())
    assert one(made).tasks == 1


def test_a_stream_with_tasks_in_flight_is_not_exhausted():
    still = ("mcp__tasks__get_task", {}, "There are no more tasks. Still in flight: t-1")
    assert worked([still, write(NOTE, "x")], {"notes.md": "x"}).tail.deeds == 0


def test_files_are_written_revised_or_gone_and_what_only_code_wrote_has_no_deed():
    made = World()
    began = made.snapshot({"old.md": "1", "gone.md": "2", "same.md": "3"})
    left = made.snapshot({"old.md": "11", "same.md": "3"}, {"out.bin": b"\0\1"})
    made.session(WORK, began, [edit("/home/agent/old.md", "1", "11"), bash("rm ~/gone.md; ./make")], left=left)
    found = one(made)
    assert [(each.path, each.how, each.writes, each.revisions) for each in found.pieces] == [
        ("home/gone.md", "deleted", 0, 0),
        ("home/old.md", "revised", 1, 1),
        ("workspace/out.bin", "written", 0, 0),
    ]


@pytest.mark.parametrize(
    ("call", "path"),
    [
        (bash("cat > notes/a.md <<'EOF'\nhello\nEOF"), "workspace/notes/a.md"),
        (bash("cd ~/notes && printf x | tee -a b.md"), "home/notes/b.md"),
        (bash("cp /opt/x.py ~/bin/"), "home/bin/x.py"),
        (bash("sed -i 's/a/b/' ~/notes/b.md"), "home/notes/b.md"),
        (bash("python3 - <<'E'\nopen('/home/agent/notes/b.md', 'a').write('x')\nE"), "home/notes/b.md"),
        (bash("python3 -c \"from pathlib import Path; Path('notes/a.md').write_text('x')\""), "workspace/notes/a.md"),
        (("apply_patch", {"input": PATCH}, ""), "workspace/notes/a.md"),
        (("exec_command", {"cmd": "echo x > a.md", "workdir": "/workspace/notes"}, ""), "workspace/notes/a.md"),
        (("shell", {"command": ["bash", "-lc", "echo x > notes/a.md"]}, ""), "workspace/notes/a.md"),
        (("str_replace_based_edit_tool", CREATE, ""), "workspace/notes/a.md"),
    ],
)  # fmt: skip
def test_every_way_to_write_a_file_is_seen(call: Call, path: str):
    found = worked([call], {"notes/b.md": "x", "bin/x.py": "x"}, {"notes/a.md": "x"})
    assert {each.path for each in found.pieces if each.writes} == {path}


# --------------------------------------------------------------------------------------------- what it ran and lost


def test_subagents_are_counted_with_what_they_were_told():
    calls: list[Call] = [
        ("Task", {"description": "d", "prompt": "Look into boxes", "subagent_type": "general"}, "done"),
        ("wait_agent", {"id": "1"}, "done"),
    ]
    found = worked(calls)
    assert [(each.path, each.text) for each in found.subagents] == [
        (f"{WORK}/exchange/000000", "Task: Look into boxes")
    ]
    assert element(found, "subagents") is True


def test_scripts_that_ran_are_counted_whether_they_were_kept_or_not():
    calls = [
        write("/tmp/once.py", "x = 1"),
        bash("python3 /tmp/once.py"),
        bash("python3 tool.py && python3 tool.py"),
        bash("python3 -m tool"),
        bash("python3 missing.py", "python3: can't open file '/workspace/missing.py'"),
        bash("/usr/bin/python3 /usr/lib/x.py"),
    ]
    found = worked(calls, work={"tool.py": "x = 2"})
    assert [(each.path, each.runs, each.kept) for each in found.scripts] == [
        ("/tmp/once.py", 1, False),
        ("workspace/tool.py", 2, True),
    ]


def test_functions_that_were_defined_in_commands_and_kept_nowhere_are_lost():
    helper = "python3 - <<'E'\ndef send(mail):\n    return mail\ndef kept():\n    pass\nE"
    found = worked([bash(helper), bash(helper), bash(helper)], work={"tool.py": "def kept():\n    pass\n"})
    assert [(each.name, each.times) for each in found.lost] == [("send", 3)]


def test_files_that_a_harness_reads_by_itself_are_entries_and_so_is_its_state():
    home: dict[str, str | bytes | None] = {
        ".claude/CLAUDE.md": "c", ".claude/skills/x/SKILL.md": "s", ".claude.json": "{}", "notes.md": "n",
        ".claude/projects/-workspace/memory/MEMORY.md": "m", ".claude/projects/-workspace/1.jsonl": "{}",
    }  # fmt: skip
    found = worked([], home, {"AGENTS.md": "a"})
    assert [each.path for each in found.entries] == [
        "home/.claude.json", "home/.claude/CLAUDE.md", "home/.claude/projects/-workspace/memory/MEMORY.md",
        "home/.claude/skills/x/SKILL.md", "workspace/AGENTS.md",
    ]  # fmt: skip


# --------------------------------------------------------------------------------------------- the six elements


def test_an_agent_that_only_talks_is_at_the_conversation_pole():
    made = World()
    made.session(WORK, made.snapshot(), [*made.task(f"{WORK}/0001"), NONE_LEFT], left=made.snapshot())
    found = one(made)
    assert [(each.name, each.present) for each in found.elements] == [(name, False) for name in ELEMENTS]
    assert (found.present, found.unknown) == ((), ())


def test_an_agent_that_builds_all_of_it_is_at_the_apparatus_pole():
    made = World()
    first = made.task(f"{WORK}/0001", view="The box is red and shows 371 marks.")
    handle = first[1][1]["task"]
    replay = f"from guard import check\ncases = {{'{handle}': 4}}\nassert check(4) == 4\n"
    calls = [
        *first,
        write("/workspace/guard.py", CHECKED),
        write("/workspace/replay.py", replay),
        bash("python3 replay.py"),
        bash("echo 1,0.5 >> log.csv"),
        ("Task", {"prompt": "look"}, "ok"),
        bash("curl https://api.openai.com/v1/fine_tuning/jobs"),
    ]
    work: dict[str, str | bytes | None] = {
        "guard.py": CHECKED,
        "replay.py": replay,
        "log.csv": "a,b\n1,0.5\n2,0.6\n3,1\n",
    }
    made.session(WORK, made.snapshot(), calls, left=made.snapshot(work=work))
    found = one(made)
    assert found.present == ELEMENTS
    assert found.evaluations[0].text.startswith(f"Bash: holds {WORK}/0001")
    assert found.telemetry[0].text == "3 rows of one shape"
    guard = next(each for each in found.elements if each.name == "guardrails in code")
    assert [(each.path, each.text) for each in guard.evidence] == [
        ("workspace/guard.py", "assert turns < 30"),
        ("workspace/replay.py", "assert check(4) == 4"),
    ]


@pytest.mark.parametrize(
    ("calls", "work", "there"),
    [
        ([bash("python3 guard.py")], {"guard.py": CHECKED}, True),
        ([bash("python3 -c 'from guard import check'")], {"guard.py": CHECKED}, True),
        ([bash("python3 main.py")], {"guard.py": CHECKED, "main.py": "import guard\n"}, True),
        ([], {"guard.py": CHECKED}, False),
        ([bash("python3 guard.py")], {"guard.py": "print(1)"}, False),
        ([bash("python3 tests/test_guard.py")], {"tests/test_guard.py": CHECKED}, False),
        ([], {"rule.md": "Never go beyond 30 turns; raise your hand"}, False),
        ([], {".claude/hooks/pre.sh": "exit 2"}, True),
    ],
)
def test_a_guardrail_is_code_that_can_refuse_and_is_in_use(
    calls: list[Call], work: dict[str, str | bytes | None], there: bool
):
    assert element(worked(calls, work=work), "guardrails in code") is there


@pytest.mark.parametrize(
    ("calls", "text", "there"),
    [
        ([bash("echo '{\"t\": 1}' >> log")], '{"t": 1}\n{"t": 2}\n{"t": 3}\n', True),
        ([bash("python3 -c \"open('log', 'a').write('1,2')\"")], "1,2\n3,4\n5,6\n", True),
        ([write("/workspace/log", "1,2\n3,4\n5,6\n")], "1,2\n3,4\n5,6\n", False),
        ([bash("echo 1,2 >> log")], "1,2\n3,4\n", False),
        ([bash("echo hello, you >> log")], "hello, you\nand, you\nand, me\n", False),
        ([bash("echo x >> log")], "{" * 5000 + "\n" + "[" * 5000, False),
    ],
)
def test_telemetry_is_a_kept_table_that_grows_by_numbers(calls: list[Call], text: str, there: bool):
    assert element(worked(calls, work={"log": text}), "telemetry") is there


VIEW = "The box is red and shows 371 marks."


@pytest.mark.parametrize(
    ("after", "there"),
    [
        ([bash("python3 -m pytest -q")], True),
        ([bash("cd /workspace && npm test")], True),
        ([bash("python3 tests/test_all.py")], True),
        ([bash("pytest", "bash: pytest: command not found")], False),
        ([bash(f"python3 - <<'E'\nassert solve('{VIEW}') == 4\nE")], True),
        ([bash("python3 - <<'E'\nassert solve('Another box of no task at all here.') == 4\nE")], False),
        ([bash(f"python3 - <<'E'\nprint('{VIEW}')\nE")], False),
        ([bash("cat tests/test_all.py")], False),
    ],
)
def test_an_offline_evaluation_is_a_run_of_tests_or_of_code_that_holds_a_task_that_is_over(
    after: list[Call], there: bool
):
    made = World()
    calls = [*made.task(f"{WORK}/0001", view=VIEW), *after]
    made.session(WORK, made.snapshot(), calls, left=made.snapshot(work={"tests/test_all.py": "assert 1 == 1"}))
    assert element(one(made), "offline evaluation") is there


def test_code_about_the_task_in_hand_is_no_offline_evaluation():
    made = World()
    served, answered = made.task(f"{WORK}/0001", view=VIEW)
    made.session(WORK, made.snapshot(), [served, bash(f"python3 -c \"assert solve('{VIEW}') == 4\""), answered])
    assert element(one(made), "offline evaluation") is False


@pytest.mark.parametrize(
    ("calls", "reached", "there"),
    [
        ([bash("pip install dspy && python3 tune.py")], (), True),
        ([("WebFetch", {"url": "https://x.org/v1/fine_tuning/jobs"}, "")], (), True),
        ([], ("api.together.ai",), True),
        ([bash("curl https://pypi.org/simple/numpy")], ("pypi.org",), False),
        ([read("/workspace/fine_tuning.md", "")], (), False),
    ],
)
def test_an_optimisation_service_is_known_by_its_name(calls: list[Call], reached: tuple[str, ...], there: bool):
    assert element(worked(calls, reached=reached), "optimisation services") is there


# --------------------------------------------------------------------------------------------- without a model


def test_of_a_program_without_a_model_files_speak_and_the_rest_is_not_known():
    made = World(program="command")
    times = ({"b.md": 1, "a.md": 2}, {"log.csv": 3})
    left = made.snapshot({"a.md": "x", "b.md": "y"}, {"log.csv": "1,2\n3,4\n5,6\n"}, times=times)
    made.task(f"{WORK}/0001")
    made.session(WORK, made.snapshot(), left=left, seen=False, idle=3.0)
    found = one(made)
    assert (found.seen, found.tasks, found.timeline, found.tail.deeds, found.tail.seconds) == (False, 1, (), None, 3.0)
    assert found.order == ("home/b.md", "home/a.md", "workspace/log.csv")
    assert {each.writes for each in found.pieces} == {None}
    assert found.present == ("files kept",)
    assert found.unknown == ("subagents", "telemetry", "offline evaluation", "optimisation services")


def test_what_cannot_be_read_is_said():
    made = World()
    made.session(WORK, made.snapshot(), left=made.blob({"home": "0" * 64, "work": "0" * 64}))
    assert one(made).unread.startswith("what it left cannot be read")


def test_a_session_that_left_nothing_says_so():
    made = World()
    made.session(WORK, made.snapshot(), [bash("ls")])
    found = one(made)
    assert (found.unread, found.seen, found.pieces) == ("nothing that it left was kept", True, ())


# --------------------------------------------------------------------------------------------- foreign


def test_hostile_names_and_contents_are_names_and_contents():
    odd = {"a\\xff": b"\xff\0", "<script>.md": "x", "-rf": "y", "l": None, "x" * 200: "def (((", "t.csv": "1,\n" * 5}
    calls = [bash('python3 "<script>.md"; rm -- -rf'), ("Bash", {"command": 7}, ""), ("Write", {"file_path": []}, "")]
    found = worked(calls, odd)
    assert len(found.pieces) == 5  # a link is no file


def test_what_tools_make_beside_the_work_is_no_file_of_its_own():
    made = {"__pycache__/a.pyc": b"\0", "node_modules/x/index.js": "x", ".git/HEAD": "ref", "venv/bin/python": "#!"}
    found = worked([], work=made)
    assert {each.kind for each in found.pieces} == {"by-product"}
    assert element(found, "files kept") is False
