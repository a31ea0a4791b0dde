"""`rung init --tasks`: whatever a file has to work and to examine, the config written for it can be drawn."""

import json
import shutil
from pathlib import Path

import pytest

from rung.core import config as configs
from rung.protocols import plan, wiring


def lines(**counts: int) -> str:
    """`train1=2` is two tasks of level 1 and split train."""
    rows = [
        {
            "id": f"{name} {n}",
            "prompt": f"{name} {n}?",
            "check": {"exact": "yes"},
            "split": name[:-1],
            "level": name[-1],
        }
        for name, count in counts.items()
        for n in range(count)
    ]
    return "".join(json.dumps({**row, "level": int(row["level"]), "split": row["split"]}) + "\n" for row in rows)


def written(rung, **counts: int) -> configs.Config:
    Path("my_tasks.jsonl").write_text(lines(**counts))
    said = rung("init", "--tasks", "my_tasks.jsonl", "study")
    assert (said.exit, said.err) == (0, "")
    made = configs.read(Path("study/rung.toml"))
    known = wiring.with_folders(made, base=Path("study"))
    plan.refuse_impossible(known)
    plan.make(known, secret="for tests")
    return made


def blocks(found) -> list[tuple[str, int, int]]:
    return [(block.family, block.difficulty, block.count) for block in found]


FILE = "../my_tasks.jsonl"


def test_the_config_names_the_file_and_takes_all_there_is_of_a_level(rung):
    made = written(rung, train1=4, test1=3)
    assert blocks(made.tasks.schedule) == [(FILE, 1, 4)]
    assert blocks(made.tasks.holdout) == [(FILE, 1, 3)]
    assert made.name == "my-tasks ladder"


def test_the_hardest_level_is_examined_and_not_worked(rung):
    made = written(rung, train1=4, train2=4, test1=2, test2=3, train3=1)
    assert blocks(made.tasks.schedule) == [(FILE, 1, 4)]
    assert blocks(made.tasks.holdout) == [(FILE, 1, 2), (FILE, 2, 3)]


def test_a_level_that_is_on_no_rung_is_left_out_of_the_exam(rung):
    made = written(rung, test1=2, train2=3, test2=1)
    assert blocks(made.tasks.holdout) == [(FILE, 2, 1)]


@pytest.mark.parametrize(
    ("count", "replay"), [(1, (0, 0)), (2, (1, 1)), (3, (1, 1)), (4, (2, 1)), (9, (2, 3)), (24, (2, 8)), (60, (2, 8))]
)
def test_tasks_are_met_again_where_there_are_enough(rung, count: int, replay: tuple[int, int]):
    made = written(rung, train1=count, test1=1)
    assert (made.tasks.replay.interval, made.tasks.replay.lag) == replay
    drawn = plan.make(wiring.with_folders(made, base=Path("study")), secret="for tests")
    assert any(entry.purpose == "replay" for entry in drawn.held.lineages[0]) == (count > 1)


def test_beside_its_file_a_config_names_it_from_its_own_folder(rung):
    Path("my_tasks.jsonl").write_text(lines(train1=1, test1=1))
    assert rung("init", "--tasks", "my_tasks.jsonl").exit == 0
    assert configs.read(Path("rung.toml")).tasks.schedule[0].family == "./my_tasks.jsonl"


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"train1": 2}, 'no task of split "test"'),
        ({"test1": 2}, 'no task of split "train"'),
        ({"test1": 1, "train2": 1}, 'every task of split "test" is easier than those of split "train"'),
    ],
)
def test_a_file_that_no_study_can_be_made_of_is_refused(rung, counts: dict[str, int], message: str):
    Path("my_tasks.jsonl").write_text(lines(**counts))
    said = rung("init", "--tasks", "my_tasks.jsonl", "study")
    assert said.exit == 2
    assert message in said.err
    assert not Path("study").exists()


def test_what_is_written_for_the_example_runs_as_it_stands(rung, pytestconfig):
    for name in ("tickets.jsonl", "check_reply.py"):
        shutil.copy(pytestconfig.rootpath / "examples" / name, name)
    rung("init", "--tasks", "tickets.jsonl")
    ran = rung("run", "rung.toml", "--out", "done", "--json")
    assert ran.exit == 0, ran.err
    manifest = json.loads(Path("done/task_manifest.json").read_text())
    assert {entry["cell"] for entry in manifest["lineages"]["L1"]} == {"tickets d1"}


def test_the_agent_for_tasks_keeps_the_promises_of_agents_and_methods(rung):
    Path("my_tasks.jsonl").write_text(lines(train1=1, test1=1))
    rung("init", "--tasks", "my_tasks.jsonl")
    said = rung("check", "my_agent.py")
    assert [line for line in said.out.splitlines() if "FAIL" in line] == []
    assert said.exit == 0
