"""Cells of a program in a real sandbox: every ending produced on purpose, and interruptions that are gone on with."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from rung.backends import programs
from rung.core.config import AgentConfig
from rung.core.errors import BudgetSpent, ModelUnusable, Stopped, UsageError
from rung.core.proxied import Said

from .programs import Run, config, fine, refusing

pytestmark = pytest.mark.skipif(not Path("/proc/self/ns/user").exists(), reason="programs are confined on Linux")


def run(folder: Path, brain: Any = fine, **changes: Any) -> Run:
    return Run(folder, config(**changes), brain).run()


# ---------------------------------------------------------------------------------------------- what it measures


def test_a_program_works_its_stream_and_its_fork_sits_the_exam_with_what_it_left(tmp_path: Path):
    found = run(tmp_path)
    assert (found.ending, found.worked) == ("queue_empty", 4)
    assert [value["score"] for value in found.facts("sealed", "exam").values()] == [0.0] * 4
    report = found.report()
    assert report.incomplete == ()
    assert report.programs is not None
    session = report.programs.sessions[0]
    assert (session.worked, session.kept, session.complete) == (4, 1, True)
    assert session.egress == "nothing outside was reached or tried"


def test_nothing_that_is_told_inside_tells_an_exam_from_work(tmp_path: Path):
    found = run(tmp_path)
    assert {value["sandbox"] for value in found.facts("began").values()} == {"bubblewrap"}
    inside = [path.relative_to(tmp_path / "run") for path in (tmp_path / "run").rglob("*")]
    names = {part for path in inside if path.parts[0] in ("homes", "sessions") for part in path.parts}
    assert names
    assert not [name for name in names if "exam" in name or name in ("work", "L1", "command")]


def test_what_is_odd_in_what_it_left_is_recorded_and_never_followed(tmp_path: Path):
    found = run(tmp_path, WORK="links")
    report = found.report()
    assert report.programs is not None
    assert any("fifo" in odd for odd in report.programs.sessions[0].odd)
    assert found.ending == "queue_empty"
    assert not any(b"root:x:0" in file.read_bytes() for file in (tmp_path / "run/blobs").rglob("*") if file.is_file())


# ---------------------------------------------------------------------------------------------- endings


@pytest.mark.parametrize(
    ("ending", "worked", "changes"),
    [
        ("agent_stopped", 1, {"WORK": "one"}),
        ("agent_stopped", 0, {"WORK": "none"}),
        ("queue_empty", 4, {"WORK": "idle", "cell": {"idle_seconds": 1.0}}),
        ("harness_failure", 1, {"WORK": "raises"}),
        ("wall_clock", 1, {"WORK": "spin", "budget": {"session": {"seconds": 2.0}}}),
        ("stalled", 1, {"WORK": "sleep", "cell": {"stall_seconds": 7.0}}),
        ("looping", 1, {"WORK": "loop", "cell": {"same_calls": 30}}),
        ("resource_kill", 1, {"WORK": "memory", "sandbox": {"memory_mb": 200}}),
        ("resource_kill", 1, {"WORK": "disk", "sandbox": {"written_mb": 20}}),
        ("budget", 1, {"WORK": "spends", "budget": {"session": {"calls": 3}}}),
    ],
)
def test_an_ending_that_the_agent_or_a_bound_of_ours_brings(
    tmp_path: Path, ending: str, worked: int, changes: dict[str, Any]
):
    found = run(tmp_path, **changes)
    assert (found.ending, found.worked) == (ending, worked)
    assert len(found.facts("sealed", "exam/command.L1")) == 2, "it is examined as it is"


@pytest.mark.parametrize(
    ("ending", "mode", "brain"),
    [
        ("provider_filter", "refused", lambda heard: Said(("I will not.",), stop="refusal")),
        ("unknown", "shrugs", refusing(401)),
    ],
)
def test_an_ending_that_its_provider_brings(tmp_path: Path, ending: str, mode: str, brain: Any):
    assert run(tmp_path, brain, WORK=mode).ending == ending


@pytest.mark.parametrize(
    ("ending", "brain"),
    [
        ("credential", refusing(401)),
        ("provider_limit", refusing(429)),
        ("instrument_fault", refusing(503)),
        ("provider_limit", refusing(400, "Your credit balance is too low")),
    ],
)
def test_a_provider_that_suspends_it_pauses_the_study_and_it_goes_on_where_it_was(
    tmp_path: Path, ending: str, brain: Any
):
    found = Run(tmp_path, config(WORK="asks"), brain)
    with pytest.raises(ModelUnusable):
        found.run()
    assert next(iter(found.facts("interrupted").values()))["ending"] == ending
    found.brain = fine
    found.run()
    assert (found.ending, found.worked) == ("queue_empty", 4)
    assert len(found.facts("began", "command/L1/work")) == 2
    report = found.report()
    assert any("interrupted from outside" in weakness for weakness in report.weaknesses)


def test_a_study_whose_budget_is_spent_stops_and_goes_on_with_more(tmp_path: Path):
    found = Run(tmp_path, config(WORK="spends", EXAM="one", budget={"calls": 5}, cell={"same_calls": 1000}))
    with pytest.raises(BudgetSpent):
        found.run()
    found.settings = config(WORK="spends", EXAM="one", budget={"calls": 500}, cell={"same_calls": 1000})
    found.run()
    assert found.ending == "agent_stopped"
    assert len(found.facts("exchange", "command/L1/work")) >= 100


def test_an_operator_stops_a_session_and_it_is_gone_on_with(tmp_path: Path):
    found = Run(tmp_path, config(WORK="sleep"))

    def stop() -> None:
        while not found.directory.journal.exists() or not found.facts("served", "command/L1"):
            time.sleep(0.1)
        found.directory.request_stop()

    other = threading.Thread(target=stop)
    other.start()
    with pytest.raises(Stopped):
        found.run()
    other.join()
    assert "command/L1/work" not in found.facts("ended")
    assert next(iter(found.facts("interrupted").values()))["ending"] == "operator"


# ---------------------------------------------------------------------------------------------- exams


@pytest.mark.parametrize(
    ("mode", "ending", "status", "changes"),
    [
        ("none", "agent_stopped", "cancelled", {}),
        ("takes_and_spins", "wall_clock", "timeout", {"budget": {"task": {"seconds": 1.0}}}),
        ("takes", "agent_stopped", "cancelled", {}),
        ("takes_and_asks", "provider_filter", "cancelled", {}),
    ],
)
def test_an_exam_attempt_that_comes_to_nothing_is_scored_as_it_stands(
    tmp_path: Path, mode: str, ending: str, status: str, changes: dict[str, Any]
):
    found = run(tmp_path, refuses, EXAM=mode, WORK="one", **changes)
    exam = found.facts("sealed", "exam")
    assert [(value["score"], value["status"]) for value in exam.values()] == [(0.0, status)] * 4
    assert {value["ending"] for value in found.facts("ended", "exam").values()} == {ending}


def refuses(heard: Any) -> Said:
    return Said(("I will not.",), stop="refusal")


def test_a_refusal_in_an_exam_is_a_fault_where_the_study_says_so(tmp_path: Path):
    found = run(tmp_path, refuses, EXAM="takes_and_asks", WORK="one", cell={"refusal": "fault"})
    faults = [value["fault"] for value in found.facts("sealed", "exam").values()]
    assert [fault["where"] for fault in faults] == ["provider"] * 4
    assert len(found.report().incomplete) > 0


def test_what_a_program_said_last_that_hung_up_before_the_answer_counts(tmp_path: Path):
    found = run(tmp_path, EXAM="hangs_up", WORK="one")
    assert [value["status"] for value in found.facts("sealed", "exam").values()] == ["completed"] * 4


def test_of_ending_calls_that_come_at_once_one_ends_the_task(tmp_path: Path):
    found = run(tmp_path, WORK="at_once", EXAM="at_once")
    assert (found.ending, found.worked) == ("queue_empty", 4)
    assert [value["steps"] for value in found.facts("sealed").values()] == [1] * 8
    assert len(found.facts("stray", "command/L1/work")) == 4 * 3


@pytest.mark.slow
def test_of_sixty_four_sessions_at_once_no_event_is_lost(tmp_path: Path):
    exam = {"repeats": 1, "baseline_repeats": 32, "reruns": 0}
    found = run(tmp_path, EXAM="asks", engine={"concurrency": 64}, exam=exam, sandbox={"memory_mb": 256})
    sat = found.facts("sealed", "exam")
    assert [(value["steps"], value["status"]) for value in sat.values()] == [(1, "completed")] * (64 + 2)
    asked = [path.partition("/exchange/")[0] for path in found.facts("exchange", "exam")]
    assert sorted(asked) == sorted(sat)
    departed = found.facts("departed")
    assert len(departed) == 64 + 2 + 1
    assert not any(value["network"]["incomplete"] for value in departed.values())
    assert found.report().incomplete == ()


# ---------------------------------------------------------------------------------------------- arms and budgets


def arms(**others: dict[str, Any]) -> dict[str, Any]:
    """Two arms: the program of the config, and what is different about the other."""
    agent = config().agent
    assert agent is not None
    given = {"kind": "command", **agent.options, "model": agent.model}
    return {"arms": [{"name": name, "agent": {**given, **changes}} for name, changes in others.items()]}


def test_two_arms_of_one_program_share_the_exam_of_it_as_shipped(tmp_path: Path):
    found = run(tmp_path, cell={"sentinels": 1}, **arms(one={}, two={}))
    who = {path.split("/")[1] for path in found.facts("sealed", "exam")}
    shipped = {value["A_0"] for value in found.facts("arm").values()}
    assert len(shipped) == 1
    assert who == {*shipped, f"{min(shipped)}.sentinel", "one.L1", "two.L1"}


def test_two_programs_of_ones_own_share_no_exam(tmp_path: Path):
    found = run(tmp_path, **arms(one={}, two={"env": {"EXAM": "none"}}))
    shipped = [value["A_0"] for value in found.facts("arm").values()]
    assert len(set(shipped)) == 2
    assert len(found.facts("sealed", "exam")) == 4 * 2


def test_a_lineage_that_has_cost_what_it_may_is_ended_and_examined(tmp_path: Path):
    found = run(tmp_path, WORK="spends", budget={"lineage": {"calls": 4}})
    assert (found.ending, found.worked) == ("budget", 1)
    assert sum(value["came"] == "answered" for value in found.facts("exchange", "command/L1/work").values()) == 4
    assert len(found.facts("sealed", "exam/command.L1")) == 2


# ---------------------------------------------------------------------------------------------- bad input


def test_a_program_that_is_not_installed_is_said_before_anything_is_written(tmp_path: Path, monkeypatch: Any):
    monkeypatch.setenv("RUNG_AGENTS", str(tmp_path / "nowhere"))
    settings = config().model_copy(update={})
    agent = settings.agent
    assert agent is not None
    found = Run(
        tmp_path, settings.model_copy(update={"agent": type(agent)(kind="command:codex", model="scripted/played")})
    )
    with pytest.raises(UsageError, match="rung doctor --install-agent codex"):
        found.run()
    assert not (tmp_path / "run").exists()


def codex(folder: Path, monkeypatch: Any) -> Run:
    """A cell of an old Codex, which has no Node to run on."""
    package = folder / "agents" / "codex" / "node_modules" / "@openai" / "codex"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"version": "0.0.1"}')
    monkeypatch.setenv("RUNG_AGENTS", str(folder / "agents"))
    agent = AgentConfig(kind="command:codex", model="scripted/played")
    return Run(folder, config().model_copy(update={"agent": agent, "arms": ()}))


def test_a_program_without_what_it_runs_on_is_said_before_anything_is_written(tmp_path: Path, monkeypatch: Any):
    with pytest.raises(UsageError, match=r"Node, which codex runs on, is not installed here; run: rung doctor"):
        codex(tmp_path, monkeypatch).run()
    assert not (tmp_path / "run").exists()


def test_another_version_than_was_measured_is_warned_of_once_and_recorded(tmp_path: Path, monkeypatch: Any):
    found = codex(tmp_path, monkeypatch)
    node = tmp_path / "agents" / "node" / programs.NODE_VERSION / "bin" / "node"
    node.parent.mkdir(parents=True)
    node.write_text("#!/bin/sh\nexit 3\n")
    node.chmod(0o755)
    found.run()
    (warning,) = [text for text in found.warned if "codex" in text]
    assert warning.startswith("codex 0.0.1 is installed and 0.171.0 was measured: what is known of it may not hold")
    assert {(each["version"], each["pinned"]) for each in found.facts("began").values()} == {("0.0.1", "0.171.0")}
    assert found.facts("ended")["codex/L1/work"]["ending"] == "harness_failure"
    assert "exited with status 3" in found.facts("ended")["codex/L1/work"]["detail"]
    assert {value["status"] for value in found.facts("sealed", "exam").values()} == {"error"}


def test_a_missing_instruction_file_is_named(tmp_path: Path):
    with pytest.raises(UsageError, match=r"cell\.instruction: 'missing\.md'"):
        run(tmp_path, cell={"instruction": "missing.md"})


def test_an_instruction_of_ones_own_makes_another_exam(tmp_path: Path):
    (tmp_path / "exam.md").write_text("Do it well.")
    ours, own = run(tmp_path), Run(tmp_path / "own", config(cell={"exam_instruction": "../exam.md"}))
    own.folder.mkdir()
    own.run()
    assert ours.report().exam_id != own.report().exam_id
