"""A whole ladder over a user's own tasks: every kind of check judged, nothing hidden written down, an edit refused."""

import json
import random
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rung.agents._function import FunctionAgent
from rung.core.config import Config, parse
from rung.core.errors import UsageError
from rung.core.ports import Journal, Ports
from rung.core.values import FeedbackResult, State, View
from rung.methods._function import FunctionMethod
from rung.protocols import launch, wiring
from rung.protocols.launch import Wishes
from rung.protocols.study import Arm
from rung.reports import ladder
from rung.store.journal import SqliteJournal

from . import small_study

EXAMPLES = Path(__file__).parents[2] / "examples"
ANSWERS = {
    row["prompt"]: row.get("answer") or row["check"].get("exact") or row["check"].get("regex") or row["check"]["number"]
    for row in map(json.loads, (EXAMPLES / "tickets.jsonl").read_text("utf-8").splitlines())
}


def config(**changes: Any) -> Config:
    """All that the example holds: five tasks to work, of two levels, and five to be examined on."""
    easy, hard = ({"family": "./tickets.jsonl", "difficulty": level} for level in (1, 2))
    tasks = {
        "schedule": [{**easy, "count": 4, "replay": True}, {**hard, "count": 1}],
        "replay": {"interval": 2, "lag": 1},
        "holdout": [{**easy, "count": 3}, {**hard, "count": 2}],
        **changes,
    }
    arm = {"agent": {"kind": "function"}, "method": {"name": "function"}}
    return parse({"name": "tickets", "protocol": "ladder", "lineages": 2, **arm, "tasks": tasks})


def knows(view: View, files: Mapping[str, str]) -> str:
    """Says nothing of use until it was told anything at all; from then on it knows every answer."""
    return f"As far as I know:\nAnswer: {ANSWERS[view.text]}" if files["notes.txt"] else "I do not know."


def told(feedback: FeedbackResult, files: Mapping[str, str]) -> Mapping[str, str]:
    assert feedback.evaluation is not None
    return {"notes.txt": str(feedback.evaluation.feedback)}


def arms(act: Any = knows) -> tuple[Arm, ...]:
    agent = FunctionAgent(act, name="act", files={"notes.txt": ""})
    return (Arm("function", agent, FunctionMethod(told, name="told", options={})),)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user's with the example's files in it."""
    for name in ("tickets.jsonl", "check_reply.py"):
        shutil.copy(EXAMPLES / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sealed(journal: Journal, under: str) -> list[Any]:
    return [fact.value for fact in journal.facts(under=under, kind="sealed")]


def test_a_gain_of_exactly_one_is_measured_over_all_kinds_of_check(here: Path):
    journal = launch.simulate(config(), secret="for tests", arms=arms())
    (arm,) = ladder.read(journal).arms
    gains = {(row.level, row.target): row.gain.value for row in arm.rungs if row.level == "G1"}
    assert gains == {("G1", "tickets d1"): 1.0, ("G1", "tickets d2"): 1.0}


def test_nothing_is_a_fault_where_every_check_can_run(here: Path):
    journal = launch.simulate(config(), secret="for tests", arms=arms())
    assert not [row for row in sealed(journal, "") if "fault" in row]


def test_no_agent_is_handed_what_its_grader_runs_in():
    seen = list[Ports]()

    class Looking(FunctionAgent):
        def actor(self, state: State, ports: Ports, rng: random.Random) -> Any:
            seen.append(ports)
            return super().actor(state, ports, rng)

    agent = Looking(knows, name="act", files={"notes.txt": ""})
    method = FunctionMethod(told, name="told", options={})
    launch.simulate(small_study.config(), secret="for tests", arms=(Arm("function", agent, method),))
    assert {ports.sandbox for ports in seen} == {None}


def test_attempts_that_a_command_judged_are_marked(here: Path):
    journal = launch.simulate(config(), secret="for tests", arms=arms())
    replies = [row for row in sealed(journal, "function/L1/work") if row["metrics"].get("sandbox") == "plain"]
    assert len(replies) == 1


def test_the_plan_says_what_there_was_to_deal_from(here: Path):
    journal = launch.simulate(config(), secret="for tests", arms=arms())
    assert journal.get("plan", "stocks") == [
        {"cell": "tickets d1", "worked": 4, "sealed": 3},
        {"cell": "tickets d2", "worked": 1, "sealed": 2},
    ]


def test_memory_and_disk_agree(here: Path):
    directory = launch.run(replace_secret(config()), here / "run", arms=scripted())
    journal = SqliteJournal(directory.journal, read_only=True)
    memory = launch.simulate(replace_secret(config()), secret="for tests", arms=scripted())
    assert memory.digest() == journal.digest()
    journal.close()


def replace_secret(made: Config) -> Config:
    return made.model_copy(update={"exam": made.exam.model_copy(update={"secret": "for tests"})})


def scripted() -> tuple[Arm, ...]:
    return tuple(replace(arm, scripted=True) for arm in arms())


HIDDEN = "xyzzy-plugh"


def test_no_check_and_no_answer_is_anywhere_in_a_run(here: Path):
    """Not in the journal, not in a state, not in the manifest: the file alone knows them."""
    rows = [json.loads(line) for line in Path("tickets.jsonl").read_text("utf-8").splitlines()]
    for row in rows:
        kind = next(iter(row["check"]))
        row["check"] = {"exact": HIDDEN} if kind != "command" else {"command": [*row["check"]["command"], HIDDEN]}
        row.pop("answer", None)
    Path("tickets.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    check = Path("check_reply.py")
    check.write_text(check.read_text().replace("main(*sys.argv[1:])", "main(*sys.argv[1:3])"))
    launch.run(config(), here / "run", arms=arms(act=lambda view, files: "no"))
    written = [file for file in (here / "run").rglob("*") if file.is_file()]
    assert len(written) > 5
    assert [file.name for file in written if HIDDEN.encode() in file.read_bytes()] == []
    journal = SqliteJournal(here / "run" / "journal.sqlite", read_only=True)
    facts = [json.dumps(fact.value) for fact in journal.facts()]
    blobs = [data for (data,) in journal_blobs(here / "run" / "journal.sqlite")]
    journal.close()
    assert not any(HIDDEN in fact for fact in facts)
    assert not any(HIDDEN.encode() in data for data in blobs)
    assert any(b"Which queue" in data for data in blobs)


def journal_blobs(path: Path) -> list[tuple[bytes]]:
    import sqlite3

    connection = sqlite3.connect(path)
    found = connection.execute("select bytes from blob").fetchall()
    connection.close()
    return [(bytes(data) if not isinstance(data, str) else data.encode(),) for (data,) in found]


@pytest.mark.parametrize(
    ("file", "named"),
    [("tickets.jsonl", "plugins.tickets.jsonl (was"), ("check_reply.py", "plugins.tickets.jsonl/check_reply.py (was")],
)
def test_a_run_does_not_go_on_with_an_edited_file(here: Path, file: str, named: str):
    launch.run(config(), here / "run", arms=arms())
    launch.run(config(), here / "run", arms=arms())
    (here / file).write_text((here / file).read_text("utf-8") + "\n", "utf-8")
    with pytest.raises(UsageError) as caught:
        launch.run(config(), here / "run", arms=arms())
    assert named in str(caught.value)


def test_a_file_in_another_place_is_the_same_study(here: Path):
    launch.run(config(), here / "run", arms=arms())
    (here / "elsewhere").mkdir()
    for name in ("tickets.jsonl", "check_reply.py"):
        shutil.move(name, here / "elsewhere" / name)
    launch.run(config(), here / "run", Wishes(base=here / "elsewhere"), arms=arms())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace('"level": 1', '"level": 0'), "tickets.jsonl, line 1: level: is a whole number"),
        (lambda text: text.replace('"train"', '"test"', 1), "4 tasks are wanted, there are 3"),
        (lambda text: "", "tickets.jsonl holds no tasks"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(here: Path, change: Any, said: str):
    file = here / "tickets.jsonl"
    file.write_text(change(file.read_text("utf-8")), "utf-8")
    with pytest.raises(UsageError, match=said):
        launch.run(config(), here / "run", arms=arms())
    assert not (here / "run").exists()


def test_a_level_that_no_task_has_is_refused(here: Path):
    hardest = {"family": "./tickets.jsonl", "difficulty": 3, "count": 1}
    with pytest.raises(
        UsageError, match=r"tasks\.holdout: tickets\.jsonl has no setting 'd3'; its settings, .* d1, d2"
    ):
        launch.run(config(holdout=[hardest]), here / "run", arms=arms())
    assert not (here / "run").exists()


@pytest.mark.parametrize("name", ["./tickets.jsonl", "tickets.jsonl"])
def test_a_file_may_be_named_with_or_without_a_dot(here: Path, name: str):
    block = {"family": name, "difficulty": 1, "count": 2}
    known = wiring.with_folders(config(schedule=[block], holdout=[block], replay={"interval": 0, "lag": 0}), base=here)
    assert {cell.family for cell in (*known.tasks.schedule, *known.tasks.holdout)} == {"tickets"}


def test_a_file_that_is_named_by_its_id_is_told_how(here: Path):
    block = {"family": "tickets", "difficulty": 1, "count": 2}
    with pytest.raises(
        UsageError, match=r"no game named 'tickets'; name its file by path: family = '\./tickets\.jsonl'"
    ):
        wiring.with_folders(config(holdout=[block]), base=here)


def test_two_files_of_one_name_are_refused(here: Path):
    (here / "other").mkdir()
    shutil.copy("tickets.jsonl", "other/tickets.jsonl")
    other = {"family": "./other/tickets.jsonl", "difficulty": 1, "count": 2}
    with pytest.raises(UsageError, match="two files of one name among"):
        wiring.with_folders(config(holdout=[other]), base=here)


def test_the_report_says_that_lineages_share_their_tasks_and_that_checks_ran_unconfined(here: Path):
    said = " ".join(ladder.read(launch.simulate(config(), secret="for tests", arms=arms())).weaknesses)
    assert "Lineages share the tasks of tickets d1, tickets d2, in another order" in said
    assert "attempts were judged by a command that ran as the user, in no sandbox" in said
