"""AHE: sessions over the evidence, harness files and their code, predictions held against what came, refusals."""

import asyncio
import json
import random

import pytest

from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Ports, Ran, RefineContext
from rung.core.seeds import Seed
from rung.core.values import Action, Call, Fault, ModelReply, Score, Skipped, State, Tool, Trial, View
from rung.methods.ahe import attribution, harness, make
from rung.methods.ahe.acting import used
from rung.methods.ahe.attribution import Change, judged
from rung.methods.ahe.method import unless_worse
from rung.testing.models import Scripted

from .ahe_world import COUNT, COUNT_ABOUT, SYSTEM, Agent, feedback, finish, improver, world, write

VIEW = View("The lock shows 7.", rules="Answer with one number.", family="lock-v1", setting="d1")
NOTE = "agent/prompt/look.md"


# --------------------------------------------------------------------------------------------- a session


def test_a_session_reads_the_evidence_edits_and_leaves_one_candidate_with_its_history():
    its = world()
    model = improver({"tool": "read", "path": "evidence/reports.md"}, write(NOTE, "Look first.\n"), finish(NOTE))
    (made,) = its.refine(model)
    assert made.state.files[NOTE] == b"Look first.\n"
    assert made.state.files["agent/system.md"] == SYSTEM
    manifest = made.manifest
    assert (manifest["kind"], manifest["surface"], manifest["files"]) == ("improvement", "prompt", [NOTE])
    assert manifest["evidence"] == ["h-1"]
    assert manifest["opinions"] == [{"op": "add", "id": NOTE, "text": "Look first."}]
    assert [edit["tool"] for edit in manifest["edits"]] == ["write"]
    assert manifest["changes"] == [
        {"id": "c1-1", "files": [NOTE], "fixes": ["lock-v1 d1"], "risk": [], "text": "It guessed."}
    ]
    assert manifest["derived"] is False
    report, session = model.asked[0], model.asked[-1]
    assert "The lock shows 1." in report.messages[-1].text
    assert "Attempt 1, lock-v1 d1, not solved\nIt guessed." in "\n".join(m.text for m in session.messages)
    (past,) = attribution.read(made.state)
    assert (past.at, past.undo) == (1, {NOTE: None})


def test_nothing_is_asked_between_sessions_and_then_each_attempt_has_a_report_and_all_an_overview():
    its = world(every=3)
    model = improver(write(NOTE, "Look first.\n"), finish(NOTE))
    assert [len(its.refine(model)) for _ in range(2)] == [0, 0]
    assert model.asked == []
    assert len(its.refine(model)) == 1
    opened = [request.messages[0].text.split(".")[0] for request in model.asked]
    assert opened[:3] == ["An agent works on tasks"] * 3
    assert opened[3].startswith("You are given reports")
    assert opened[4].startswith("You improve the harness")


def test_an_attempt_without_a_step_teaches_nothing():
    from dataclasses import replace

    model = improver()
    assert its_nothing(world().refine(model, replace(feedback(), trajectory=())))
    assert model.asked == []


def its_nothing(found: object) -> bool:
    return found == ()


def test_a_hidden_verdict_is_no_obstacle():
    (made,) = world().refine(improver(write(NOTE, "Look first.\n"), finish(NOTE)), feedback(hidden=True))
    assert made.state.files[NOTE] == b"Look first.\n"


def test_a_session_that_edits_nothing_is_skipped_with_its_reason():
    found = world().refine(improver({"tool": "list"}))
    assert isinstance(found, Skipped)
    assert found.reason.startswith("nothing was edited: the session ended by finished after 2 turns")


@pytest.mark.parametrize("text", ["", "I am sorry, but I cannot help with that.", '{"tool": "write", "path"', "[]"])
def test_a_model_of_no_use_changes_nothing(text: str):
    found = world().refine(Scripted(lambda request: text))
    assert isinstance(found, Skipped)
    assert "useless after 3 turns" in found.reason


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("agent/skill.json", "{}", "path"),
        ("method/ahe/history.jsonl", "x", "path"),
        ("agent/prompt/sub/a.md", "x", "path"),
        ("evidence/reports.md", "x", "path"),
        ("agent/tools/a.py", "import socket\n", "import"),
        ("agent/tools/a.py", "def run(:\n", "syntax"),
        ("agent/prompt/a.md", "x" * 32_001, "size"),
        ("agent/prompt/../../a.md", "x", "name"),
    ],
)
def test_an_edit_off_the_surface_is_refused_and_said_in_the_manifest(path: str, text: str, kind: str):
    found = world().refine(improver(write(path, text)))
    assert isinstance(found, Skipped)
    assert [(each["kind"], each["tool"]) for each in found.manifest["refused"]] == [(kind, "write")]


def test_changes_that_are_not_announced_are_asked_for_and_then_derived():
    model = improver(write(NOTE, "Look first.\n"), *[{"tool": "finish", "changes": []}] * 3)
    (made,) = world().refine(model)
    assert made.manifest["derived"] is True
    assert made.manifest["changes"][0]["files"] == [NOTE]
    assert f"changes lists none of the files that were changed: {NOTE}" in model.asked[-1].messages[-1].text


def test_an_unfinished_session_is_thrown_away_when_repaired_and_kept_when_faithful():
    calls = [write(NOTE, "Look first.\n"), *[{"tool": "list"}] * 5]
    found = world(turns=3).refine(improver(*calls))
    assert isinstance(found, Skipped)
    assert "ended by turns before it was finished" in found.reason
    (made,) = world(turns=3, variant="faithful").refine(improver(*calls))
    assert made.manifest["session"]["ended"] == "turns"


def test_what_the_agent_began_with_stays_when_repaired():
    cut = write("agent/system.md", "Answer with one number.\n")
    found = world().refine(improver(cut, finish("agent/system.md")))
    assert isinstance(found, Skipped)
    assert "agent/system.md: 1 lines are gone" in found.reason
    assert [each["kind"] for each in found.manifest["refused"]] == ["harness"]
    more = write("agent/system.md", SYSTEM.decode() + "Look first.\n")
    assert len(world().refine(improver(more, finish("agent/system.md")))) == 1
    assert len(world(variant="faithful").refine(improver(cut, finish("agent/system.md")))) == 1


def test_a_small_improver_chooses_among_files_and_needs_no_sandbox():
    its = world(replies="choices", turns=1)
    said = ModelReply(
        "", "scripted", "tool_calls", None, (Call("write", {"path": NOTE.replace("look", "notes"), "text": "Look."}),)
    )
    model = Scripted(lambda request: said if request.tools[-1].name == "finish" else "It guessed.")
    (made,) = its.refine(model)
    assert made.state.files["agent/prompt/notes.md"] == b"Look."
    read, written, _ = model.asked[-1].tools
    assert "evidence/reports.md" in read.parameters["properties"]["path"]["enum"]
    assert written.parameters["properties"]["path"]["enum"] == [
        "agent/memory/notes.md",
        "agent/prompt/notes.md",
        "agent/skills/task/SKILL.md",
    ]
    assert (its.method.runs_code, len(model.asked)) == (False, 2)


def test_a_model_that_is_down_and_one_that_is_missing_are_faults():
    def down(request: object) -> str:
        raise InstrumentFault("model", "connection reset")

    with pytest.raises(InstrumentFault):
        world().refine(Scripted(down))
    its = world()
    context = RefineContext("a" * 40, its.state, feedback(), [feedback()], its.agent, Ports(), Seed("w").rng())
    with pytest.raises(InstrumentFault, match=r"give method\.model"):
        asyncio.run(its.method.refine(context))


# --------------------------------------------------------------------------------------------- predictions


def test_a_change_is_judged_by_its_own_predictions():
    def verdict(after: dict[str, float]) -> str:
        change = Change("c", (NOTE,), ("f d1", "f d2"), ("g d1",), "")
        return judged(change, {"f d1": 0.5, "f d2": 0.5, "g d1": 0.5}, after)

    assert verdict({"f d1": 0.6, "f d2": 0.7, "g d1": 0.5}) == "effective"
    assert verdict({"f d1": 0.6, "f d2": 0.5, "g d1": 0.9}) == "partially effective"
    assert verdict({"f d1": 0.5, "f d2": 0.4, "g d1": 0.9}) == "ineffective"
    assert verdict({"f d1": 0.6, "f d2": 0.7, "g d1": 0.4}) == "mixed"
    assert verdict({"f d1": 0.5, "f d2": 0.5, "g d1": 0.4}) == "harmful"
    assert verdict({"h d9": 0.5}) == "unknown"


def test_a_harmful_change_is_taken_back_file_by_file_and_the_history_says_so():
    its = world()
    its.refine(
        improver(write(NOTE, "Guess.\n"), write("agent/memory/a.md", "Keep.\n"), harmful()), feedback(1, score=0.5)
    )
    model = improver(write("agent/memory/b.md", "More.\n"), finish("agent/memory/b.md"))
    (made,) = its.refine(model, feedback(2, score=0.1))
    assert NOTE not in made.state.files
    assert made.state.files["agent/memory/a.md"] == b"Keep.\n"
    assert made.manifest["verdicts"] == {"c1-1": "harmful", "c1-2": "unknown"}
    assert (made.manifest["kind"], made.manifest["taken_back"]) == ("rollback", ["c1-1"])
    assert [(edit["tool"], edit["path"]) for edit in made.manifest["edits"]] == [
        ("restore", NOTE),
        ("write", "agent/memory/b.md"),
    ]


def harmful() -> dict[str, object]:
    risky = finish(NOTE, fixes=["lock-v1 d9"], risk=["lock-v1 d1"])["changes"]
    other = finish("agent/memory/a.md", fixes=["lock-v1 d9"])["changes"]
    return {"tool": "finish", "changes": [*risky, *other]}


def test_what_is_taken_back_stays_so_whatever_the_improver_does_then():
    its = world()
    its.refine(improver(write(NOTE, "Guess.\n"), harmful()), feedback(1, score=0.5))
    (made,) = its.refine(Scripted(lambda request: "no"), feedback(2, score=0.1))
    assert NOTE not in made.state.files
    assert made.manifest["kind"] == "rollback"


def test_a_faithful_improver_is_told_of_the_harm_and_left_to_it():
    its = world(variant="faithful")
    its.refine(improver(write(NOTE, "Guess.\n"), harmful()), feedback(1, score=0.5))
    model = improver({"tool": "read", "path": "evidence/history.md"}, write("agent/memory/b.md", "More.\n"))
    (made,) = its.refine(model, feedback(2, score=0.1))
    assert made.state.files[NOTE] == b"Guess.\n"
    heard = model.heard()
    assert f"- c1-1 in {NOTE}: It guessed. Should help: lock-v1 d9. At risk: lock-v1 d1. It was harmful." in heard


def test_scores_are_shown_by_kind_with_what_comes_and_goes():
    its = world()
    its.told += [feedback(n, score=score) for n, score in enumerate([0.0, 1.0, 0.0])]
    model = improver()
    its.refine(model, feedback(4, score=0.5, setting="d2"))
    assert "lock-v1 d1: 0, 1, 0 (best 1, it comes and goes)" in model.heard()
    assert "lock-v1 d2: 0.5 (best 0.5)" in model.heard()


def test_a_history_that_grows_too_long_forgets_its_oldest_sessions():
    change = Change("c", (NOTE,), ("f" * 120,) * 20, ("r" * 120,) * 20, "t" * 400)
    sessions = [attribution.Past(at, (change,) * 12, {NOTE: "x"}) for at in range(10)]
    kept = attribution.read(State({attribution.HISTORY: attribution.written(sessions)}))
    assert [past.at for past in kept] == list(range(10 - len(kept), 10))
    assert 1 < len(kept) < 10
    assert (kept[0].undo, kept[-1].undo) == ({}, {NOTE: "x"})


def test_a_history_that_was_ruined_is_read_as_far_as_it_holds_sessions():
    line = attribution.Past(3, (Change("c", (NOTE,), ("f",), (), "t"),), {NOTE: None}).line()
    for garbage in ("", "[" * 9_000, '{"at": 1}', '{"at": "x", "changes": [], "undo": {}}', '{"changes": 7}', "\x00"):
        state = State({attribution.HISTORY: f"{garbage}\n{line}\n".encode()})
        assert [past.at for past in attribution.read(state)] == [3]


# --------------------------------------------------------------------------------------------- acting


def told(files: dict[str, str], agent: Agent | None = None, **options: object):
    its = world(agent, **options)
    its.state = its.state.with_files({path: text.encode() for path, text in files.items()})
    return its


def test_a_state_without_texts_and_code_acts_as_the_plain_agent():
    its = world()
    assert type(its.method.actor(its.state, its.agent, Ports(), random.Random(1))).__name__ == "_Acts"
    assert its.method.wrapping == ""


def test_an_agent_that_brings_such_files_is_refused():
    class Brings(Agent):
        def harness(self):
            return {"agent/prompt/mine.md": b"x"}

    with pytest.raises(UsageError, match=r"agent/prompt/mine\.md, and agent 'scripted' has it; rename it"):
        make({}).initial_state(Brings())


def test_prompt_memory_and_skills_are_told_behind_the_rules_in_this_order():
    its = told(
        {"agent/skills/b/SKILL.md": "S", "agent/memory/a.md": "M", "agent/prompt/z.md": "P", "agent/notes.md": "no"}
    )
    its.act(VIEW)
    rules = its.agent.views[0].rules
    assert rules.startswith("Answer with one number.\n\n")
    assert rules.endswith("[prompt z]\nP\n\n[memory a]\nM\n\n[skill b]\nS")
    assert "no\n" not in rules


def test_texts_beyond_their_bound_are_told_their_beginning():
    its = told({"agent/memory/a.md": "é" * 20_000})
    assert harness.told(its.state) == "[memory a]\n" + "é" * ((24_000 - 11) // 2)


TOOL = {"agent/tools/count.py": COUNT, "agent/tools/count.json": COUNT_ABOUT}


def answers(*said: str | Call) -> Agent:
    left = list(said)
    return Agent(lambda view: Action(left.pop(0) if len(left) > 1 else left[0]))


def test_a_helper_is_described_used_and_its_value_told_and_the_answer_comes_after_it():
    its = told(TOOL, answers('{"use": "count", "arguments": {"text": "four"}}', "4"))
    assert [acted.answer for acted in its.act(VIEW)] == ["4"]
    first, second = its.agent.views
    assert "- count: Count letters. (arguments: text)" in first.rules
    assert second.reply == "count gave: 4"


def test_a_helper_is_a_tool_where_the_agent_is_given_tools():
    its = told(TOOL, answers(Call("count", {"text": "four"}), Call("say", {"n": 4})))
    say = Tool("say", "Say it.", {"type": "object"})
    acted = its.act(View("x", tools=(say,), rules="r"))
    assert [each.answer for each in acted] == [Call("say", {"n": 4})]
    assert [tool.name for tool in its.agent.views[0].tools] == ["say", "count"]


def test_a_tool_of_the_task_is_the_tasks_whatever_helper_has_its_name():
    its = told(TOOL, answers(Call("count", {"n": 4})))
    count = Tool("count", "Say how many.", {"type": "object"})
    assert its.act(View("x", tools=(count,), rules="r"))[0].answer == Call("count", {"n": 4})
    assert its.agent.views[0].tools == (count,)
    assert len(its.agent.views) == 1


def test_arguments_that_cannot_be_written_down_are_no_fault():
    its = told(TOOL, answers('{"use": "count", "arguments": {"text": NaN}}', "4"))
    assert its.act(VIEW)[0].answer == "4"
    assert its.agent.views[1].reply.startswith("count failed: garbled")


def test_helpers_are_used_no_more_often_than_they_may():
    its = told(TOOL, answers('{"use": "count", "arguments": {"text": "x"}}'), uses=2)
    assert its.act(VIEW)[0].answer == '{"use": "count", "arguments": {"text": "x"}}'
    assert len(its.agent.views) == 3


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("def run(arguments):\n    return 1 / 0\n", "count failed: raised: ZeroDivisionError"),
        ("def run(arguments):\n    return open('/etc/shadow').read()\n", "count failed: raised: FileNotFoundError"),
        ("def run(arguments):\n    while True: pass\n", "count failed: late"),
        ("import socket\ndef run(a):\n    socket.create_connection(('192.0.2.1', 80), 2)\n", "count failed: raised"),
    ],
)
def test_a_helper_that_fails_says_so_and_the_attempt_goes_on(code: str, why: str, monkeypatch: pytest.MonkeyPatch):
    from rung.methods._coded import Bounds

    monkeypatch.setattr("rung.methods.ahe.acting.BOUNDS", Bounds(seconds=1.0, asks=0))
    its = told({**TOOL, "agent/tools/count.py": code}, answers('{"use": "count"}', "4"))
    assert its.act(VIEW)[0].answer == "4"
    assert its.agent.views[1].reply.startswith(why)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ('I count: {"use": "count", "arguments": {"text": "a"}}', Call("count", {"text": "a"})),
        ('{"use": "count"}', Call("count", {})),
        ('{"use": "other"}', None),
        ('{"use": "count", "x": 1}', None),
        ('{"use": "count", "arguments": 7}', None),
        ('{"use": 7}', None),
        ("7", None),
        ('"use" {{{', None),
    ],
)
def test_a_use_is_one_object_that_names_a_helper(answer: str, wanted: Call | None):
    assert used(answer, {"count": None}) == wanted


@pytest.mark.parametrize(
    "about", ["", "[]", '{"description": 7}', '{"description": "x", "parameters": []}', "[" * 9_000]
)
def test_a_helper_whose_description_is_none_is_no_helper(about: str):
    assert harness.helpers(State({"agent/tools/count.py": b"", "agent/tools/count.json": about.encode()})) == {}


WATCH = """
def on_view(argument):
    memory = argument["memory"]
    seen = memory.get("seen", 0) + 1
    return {"note": "Seen %d." % seen, "memory": {"seen": seen}}


def on_answer(argument):
    if argument["answer"] == "bad" and "again" not in argument["memory"]:
        return {"again": "bad is no number", "memory": {**argument["memory"], "again": 1}}
    if argument["answer"] == "five":
        return {"answer": "5"}
"""


def test_middleware_notes_remembers_has_an_answer_given_again_and_changes_one():
    its = told({"agent/middleware/watch.py": WATCH}, answers("bad", "five"))
    acted = its.act(VIEW, many=2)
    assert [each.answer for each in acted] == ["5", "5"]
    first, again, later = its.agent.views
    assert first.text == "The lock shows 7.\n\nSeen 1."
    assert again.reply == "bad is no number"
    assert later.text == "The lock shows 7.\n\nSeen 2."


@pytest.mark.parametrize(
    "code",
    [
        "def on_view(argument):\n    return 1 / 0\n\ndef on_answer(argument):\n    return {'answer': [7]}\n",
        "def on_view(argument):\n    while True: pass\n",
        "import os\nos._exit(0)\n",
        "def on_answer(argument):\n    return {'answer': {'no': 'call'}}\n",
        "def on_answer(argument):\n    return 'again'\n",
    ],
)
def test_middleware_that_fails_is_passed_over_and_costs_an_attempt_at_most_one_late_call(
    code: str, monkeypatch: pytest.MonkeyPatch
):
    from rung.methods._coded import Bounds

    monkeypatch.setattr("rung.methods.ahe.acting.BOUNDS", Bounds(seconds=1.0, asks=0))
    its = told({"agent/middleware/bad.py": code}, answers("7"))
    assert [each.answer for each in its.act(VIEW, many=3)] == ["7"] * 3


def test_middleware_that_is_late_is_asked_once():
    ran: list[str] = []

    class Slow:
        name = "bubblewrap"

        async def run(self, argv: object, **how: object) -> Ran:
            ran.append("late")
            return Ran(None, late=True)

    its = told({"agent/middleware/watch.py": WATCH}, answers("7"))
    its.sandbox = Slow()
    assert [each.answer for each in its.act(VIEW, many=3)] == ["7"] * 3
    assert ran == ["late"]


def test_one_middleware_that_fails_takes_no_other_with_it():
    its = told({"agent/middleware/a.py": "1 / 0\n", "agent/middleware/watch.py": WATCH}, answers("7"))
    its.act(VIEW)
    assert its.agent.views[0].text.endswith("Seen 1.")


def test_code_without_a_sandbox_is_a_fault_and_no_score():
    its = told({"agent/middleware/watch.py": WATCH})
    its.sandbox = None
    with pytest.raises(InstrumentFault, match="no sandbox to run it in"):
        its.act(VIEW)


def test_without_code_none_is_written_offered_or_run():
    its = told({**TOOL, "agent/middleware/watch.py": WATCH}, code=False)
    its.sandbox = None
    assert its.act(VIEW)[0].answer == "7"
    model = improver(write("agent/tools/a.py", "def run(a): return 1\n"))
    found = its.refine(model)
    assert [each["kind"] for each in found.manifest["refused"]] == ["path"]
    assert "middleware" not in model.asked[-1].messages[0].text


@pytest.mark.parametrize(
    ("path", "code", "why"),
    [
        ("agent/tools/count.py", "def other(a):\n    return 1\n", "there is no function run"),
        ("agent/tools/count.py", "1 / 0\n", "ZeroDivisionError"),
        ("agent/middleware/a.py", "def on_view(argument):\n    return argument['nothing']\n", "KeyError"),
        ("agent/middleware/a.py", "while True:\n    pass\n", "late"),
    ],
)
def test_code_that_does_not_run_is_not_taken(path: str, code: str, why: str, monkeypatch: pytest.MonkeyPatch):
    from rung.methods._coded import Bounds

    monkeypatch.setattr("rung.methods.ahe.acting.BOUNDS", Bounds(seconds=1.0, asks=0))
    calls = [write("agent/tools/count.json", COUNT_ABOUT)] if path.startswith("agent/tools") else []
    found = world().refine(improver(*calls, write(path, code), finish(path)))
    assert isinstance(found, Skipped)
    assert why in found.reason


def test_code_that_runs_is_taken_and_then_used():
    its = world(answers('{"use": "count", "arguments": {"text": "seven"}}', "5"))
    model = improver(
        write("agent/tools/count.py", COUNT),
        write("agent/tools/count.json", COUNT_ABOUT),
        finish("agent/tools/count.py"),
    )
    (made,) = its.refine(model)
    assert made.manifest["surface"] == "tool"
    assert its.act(VIEW)[0].answer == "5"
    assert its.agent.views[1].reply == "count gave: 5"


# --------------------------------------------------------------------------------------------- choosing, options


def trial(number: int, *outcomes: float | None) -> Trial:
    return Trial(number, tuple(Fault("model", "down") if each is None else Score(each) for each in outcomes))


def test_with_trials_a_candidate_is_taken_unless_it_was_worse():
    assert unless_worse(trial(-1, 0.5), [trial(0, 0.5)]).chosen == 0
    assert unless_worse(trial(-1, 0.5), [trial(0, 0.4)]).chosen is None
    assert unless_worse(trial(-1, 0.5), [trial(0, 0.6), trial(1, 0.9)]).chosen == 1
    assert unless_worse(trial(-1, 0.5), [trial(0, None)]).chosen is None
    assert unless_worse(trial(-1, None), [trial(0, 0.9)]).chosen is None


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"variant": "other"}, "variant is one of repaired, faithful, seen 'other'"),
        ({"every": 0}, "every is a whole number from 1 up, seen 0"),
        ({"every": 21}, "every is from 1 to 20, seen 21"),
        ({"turns": 501}, "turns is from 1 to 500, seen 501"),
        ({"uses": 11}, "uses is from 0 to 10, seen 11"),
        ({"code": "yes"}, "code takes a bool, seen 'yes'"),
        ({"adopt": "always"}, "adopt is one of not_worse, better"),
        ({"temperature": 3.0}, "temperature is a number from 0 to 2"),
        ({"turn": 3}, "unknown key 'turn' (seen: 3); did you mean 'turns'?"),
    ],
)
def test_an_option_that_cannot_be_is_refused_by_name_value_and_mend(options: dict[str, object], why: str):
    with pytest.raises(UsageError) as refused:
        make(options)
    assert why in str(refused.value)


def test_the_fullest_state_is_told_as_much_as_can_be():
    method = make({})
    full = method.fullest(State({}), feedback())
    assert harness.MOST_TOLD - 4 < len(harness.told(full).encode()) <= harness.MOST_TOLD
    assert len(harness.helpers(full)) == harness.MOST_HELPERS
    assert all(
        len(json.loads(data)["description"]) == 500 for path, data in full.files.items() if path.endswith(".json")
    )
