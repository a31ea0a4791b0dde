"""Whole small runs of agents and methods that break: every attempt is counted, once, and nothing is passed over."""

from collections.abc import Mapping
from typing import Any

from rung.agents._function import FunctionAgent
from rung.core.config import parse
from rung.core.errors import InstrumentFault
from rung.core.ports import Journal
from rung.core.values import FeedbackResult, View
from rung.methods._function import FunctionMethod
from rung.protocols import launch
from rung.protocols.study import Arm
from rung.reports import accounts, flat, ladder, markdown, page, terminal
from rung.reports.values import Crashes, LadderReport

Files = Mapping[str, str]


def run(act: Any, refine: Any, *, lineages: int = 1, files: Files | None = None, **more: Any) -> Journal:
    """The journal of a function on the toy lock: 6 tasks and 4 replays a lineage, an exam of 8."""
    cell = {"family": "toy-lock-v1", "difficulty": 1}
    config = {
        "name": "small",
        "protocol": "ladder",
        "lineages": lineages,
        "arms": [{"name": "main", "agent": {"kind": "function act"}, "method": {"name": "function refine"}}],
        "tasks": {
            "replay": {"interval": 1, "lag": 2},
            "schedule": [{**cell, "count": 6, "replay": True}],
            "holdout": [{**cell, "count": 8}],
        },
        **more,
    }
    agent = FunctionAgent(act, name="act", files=files or {"notes.txt": ""})
    arm = Arm("main", agent, FunctionMethod(refine, name="refine", options={}))
    return launch.simulate(parse(config), secret="small", arms=(arm,))


def idle(view: View, files: Files) -> str:
    return "0"


def keep(feedback: FeedbackResult, files: Files) -> None:
    return None


def broken(view: View, files: Files) -> str:
    raise KeyError("oops")


def total(report: LadderReport) -> int:
    return sum(cost.attempts for _, _, cost in accounts.spent(report))


def test_an_agent_that_crashes_on_every_attempt_is_the_first_thing_said():
    report = ladder.read(run(broken, keep))
    arm = report.arms[0]
    assert (arm.ended_improving.of("agent_crashed"), arm.ended_improving.total) == (10, 10)
    assert (arm.ended_examining.of("agent_crashed"), arm.ended_examining.total) == (8, 8)
    assert report.weaknesses[0] == (
        "18 of 18 (100%) attempts of main ended because its own code raised; they were scored as they stood. "
        "The first: “KeyError: 'oops'”, main/L1/work/0001."
    )
    assert any(text.startswith("8 of 8 (100%) attempts of A0.") for text in report.weaknesses)
    assert any(text.startswith("10 of 10 (100%) attempts of static (the frozen control)") for text in report.weaknesses)


def test_crashes_stand_in_every_form_of_the_report():
    report = ladder.read(run(broken, keep))
    assert "main: improving 10 crashed of 10; examining 8 crashed of 8" in terminal.text(report)
    assert "| main | improving | 0 | 0 | 10 | 0 | 0 |" in markdown.markdown(report)
    assert "crashed: 8 of 8 attempts of A_0, 8 of 8 of A_T" in page.html(report)
    assert '"agent_crashed": 10' in flat.json_text(report)
    assert {row["examining_agent_crashed"] for row in flat.rows(report)} == {8}


def test_crashes_on_one_side_are_named_in_the_rung():
    def trips(view: View, files: Files) -> str:
        if files["notes.txt"]:
            raise ValueError("never read a note")
        return "0"

    def writes(feedback: FeedbackResult, files: Files) -> Files:
        return {"notes.txt": "x"}

    report = ladder.read(run(trips, writes))
    (rung,) = (rung for rung in report.arms[0].rungs if rung.level == "G1")
    assert rung.crashes == Crashes(0, 8, 8, 8)
    assert "Crashes differ between the two sides of G0, G1 of main: the gain there may be crashes and not skill." in (
        report.weaknesses
    )
    assert "0 of 8 attempts of A_0, 8 of 8 of A_T; the gain may be crashes and not skill" in page.html(report)


def test_faults_of_what_arms_share_are_not_passed_over():
    def unplugged(view: View, files: Files) -> str:
        raise InstrumentFault("model", "overloaded")

    report = ladder.read(run(unplugged, keep, exam={"reruns": 1}))
    assert any(
        text.startswith("16 of 16 (100%) attempts of A0.")
        and "“overloaded”" in text
        and "they are missing, not zero" in text
        for text in report.weaknesses
    )
    assert (report.attempts.reruns, report.attempts.done, report.attempts.planned) == (16, 36, 36)
    assert total(report) == report.attempts.total == 52
    assert report.weaknesses[0].startswith("Incomplete: ")


def test_a_method_that_raises_is_counted_and_quoted_with_its_place():
    def refine(feedback: FeedbackResult, files: Files) -> None:
        raise RuntimeError("no\nidea")

    report = ladder.read(run(idle, refine))
    assert report.weaknesses[0] == (
        "The method of main broke 6 times; its incumbent was kept there. The first: “RuntimeError: no idea”, "
        "main/L1/work/0001."
    )
    assert "RuntimeError: no idea" in page.html(report)


def test_own_code_is_said_to_have_run_unsandboxed():
    report = ladder.read(run(idle, keep, lineages=3))
    assert report.weaknesses[1] == (
        "The code of main (agent function act and method function refine) ran unsandboxed in the instrument's own "
        "process, so it could have read the run's folder, the exam's secret and the keys: believe this arm as far as "
        "you trust that code."
    )
    assert accounts.agents(report) == "functions of yours"


def phantoms(*kinds: str, trials: int = 0, exam: int = 20) -> LadderReport:
    cell = {"family": "toy-lock-v1", "difficulty": 1}
    config = {
        "name": "small",
        "protocol": "ladder",
        "lineages": 3,
        "method": {"name": "phantom", "trials": trials},
        "arms": [{"name": kind, "agent": {"kind": f"phantom:{kind}"}} for kind in kinds],
        "tasks": {
            "replay": {"interval": 1, "lag": 2},
            "schedule": [{**cell, "count": 6, "replay": True}],
            "holdout": [{**cell, "count": exam}],
        },
    }
    return ladder.read(launch.simulate(parse(config), secret="small"))


def test_the_rows_of_the_costs_add_up_to_every_attempt_there_is():
    report = phantoms("chooser", "general", trials=1)
    assert report.attempts.trials > 0
    assert report.attempts.done == report.attempts.planned == (1 + 2) * 3 * 10 + 20 * (3 + 2 * 3)
    assert total(report) == report.attempts.total
    assert [(one.stage, one.arms) for one in report.shared] == [
        ("improving", ("chooser", "general")),
        ("examining", ("chooser", "general")),
    ]
    assert accounts.sittings(report).startswith("1 A_0 examinee (shared by all lineages and by all arms that begin")


def test_phantoms_ran_no_code_of_the_users_and_rows_are_many():
    weak = phantoms("general", "noisy").weaknesses
    assert not any("unsandboxed" in text for text in weak)
    (many,) = (text for text in weak if "rows at 95%" in text)
    assert "among the 2 rows without a true effect" in many
    assert many.endswith("G0 and different arms are not corrected for one another.")


def test_weaknesses_run_from_the_grave_to_the_generic():
    weak = phantoms("general", "noisy", exam=10).weaknesses
    order = ["3 lineages: the interval is a hull", "Fewer than 20 tasks", "rows at 95%", "No equivalence margin"]
    places = [next(at for at, text in enumerate(weak) if start in text) for start in order]
    assert places == sorted(places)
    assert weak[-1].startswith("No equivalence margin")
