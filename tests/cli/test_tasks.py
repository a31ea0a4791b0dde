import json
from pathlib import Path

import pytest

from rung.core import registry


def test_tasks_list_names_every_family_with_capability_settings_and_scale(rung):
    out = rung("tasks", "list").out
    assert all(name in out for name in registry.names("families"))
    farm = next(row for row in json.loads(rung("tasks", "list", "--json").out) if row["family"] == "farm-v1")
    assert farm == {
        "family": "farm-v1",
        "capability": "planning",
        "settings": ["d1", "d2", "d3", "d4", "d5"],
        "scale": {"unit": "profit / greedy profit", "low": 0.0, "high": None, "floor": 0.0},
    }


def test_tasks_show_prints_rules_and_first_view(rung):
    said = rung("tasks", "show", "toy-lock-v1", "--difficulty", "2")
    assert said.out.startswith("--- toy-lock-v1 d2: rules\nThere is a lock. ")
    assert "\n--- first view\nThe lock shows " in said.out
    assert "\n--- tool answer: Answer with one whole number.\n" in said.out


def test_tasks_show_takes_a_difficulty_or_a_setting(rung):
    by_number = rung("tasks", "show", "farm-v1", "--difficulty", "3")
    assert by_number == rung("tasks", "show", "farm-v1", "--setting", "d3")
    neither = rung("tasks", "show", "farm-v1")
    both = rung("tasks", "show", "farm-v1", "--difficulty", "3", "--setting", "d3")
    assert neither == both
    assert neither.err == (
        "error: tasks show takes either --difficulty N or --setting NAME; `rung tasks list` names them\n"
    )


def test_tasks_show_shows_another_example_for_another_seed(rung):
    first, again, other = (rung("tasks", "show", "farm-v1", "--difficulty", "1", "--seed", x).out for x in "aab")
    assert first == again
    assert first != other


def test_tasks_show_tells_no_seed(rung):
    told = json.loads(rung("tasks", "show", "sweepmine-v1", "--difficulty", "1", "--json").out)
    assert set(told) == {"family", "setting", "rules", "view", "images", "tools"}
    assert "seed" not in json.dumps(told)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("farm", "--difficulty", "1"), "no game named 'farm'; did you mean 'farm-v1'?"),
        (("farm-v1", "--setting", "hard"), "farm-v1 has no setting 'hard'; its settings are d1, d2 and so on"),
    ],
)
def test_tasks_show_refuses_what_is_unknown(rung, arguments, message):
    said = rung("tasks", "show", *arguments)
    assert (said.exit, said.err) == (2, f"error: {message}\n")


def test_tasks_generate_prints_the_sequence_that_the_run_works(rung, finished):
    drawn = json.loads(rung("tasks", "generate", "study.toml", "--json").out)
    manifest = json.loads(Path("done/task_manifest.json").read_text())
    for lineage, entries in manifest["lineages"].items():
        assert [entry["task"] for entry in drawn["lineages"][lineage]] == [entry["task"] for entry in entries]
    assert [task["task"] for task in drawn["exam"]["tasks"]] == [task["task"] for task in manifest["exam"]]


def test_tasks_generate_names_the_exam_by_id_alone(rung, study):
    drawn = json.loads(rung("tasks", "generate", "study.toml", "--json").out)
    assert all(set(task) == {"place", "task", "cell"} for task in drawn["exam"]["tasks"])


def test_tasks_generate_draws_with_a_secret_of_no_run_where_none_is_fixed(rung, study):
    study.write_text(study.read_text().replace('secret = "for tests"', ""))
    rung("run", "study.toml", "--out", "run")
    drawn = json.loads(rung("tasks", "generate", "study.toml", "--json").out)
    manifest = json.loads(Path("run/task_manifest.json").read_text())
    assert drawn["exam"]["drawn_with"] == "a secret thrown away"
    assert not {task["task"] for task in drawn["exam"]["tasks"]} & {task["task"] for task in manifest["exam"]}


def test_tasks_generate_says_how_fresh_the_pools_are(rung, study):
    tiny = '{family="toy-lock-v1", setting="tiny", count=10}'  # it holds 8 instances
    trained = '{family="toy-lock-v1", difficulty=1, count=2}'
    said = rung("tasks", "generate", "study.toml", "--set", f"tasks.holdout=[{tiny}, {trained}]")
    assert "  holdout  toy-lock-v1 tiny: 10 tasks, 2 met before\n" in said.out
    assert "  holdout  toy-lock-v1 d1: 2 tasks, all new\n" in said.out


def test_tasks_generate_writes_nothing(rung, study):
    rung("tasks", "generate", "study.toml")
    assert [path.name for path in Path().iterdir()] == ["study.toml"]
