import json
import re
import tomllib
from pathlib import Path

import pytest

from rung.core.config import BudgetConfig

LIVE = """
name = "Small chat"
protocol = "ladder"
lineages = 2

[agent]
kind = "chat"
model = "openai/gpt-4.1"
max_tokens = 1000

[method]
name = "reflexion"

[exam]
baseline_repeats = 1

[tasks]
replay = { interval = 2, lag = 2 }
schedule = [{ family = "toy-lock-v1", setting = "tiny", count = 4, replay = true }]
holdout = [{ family = "toy-lock-v1", setting = "tiny", count = 3 }]
"""
MINE = LIVE.replace('"chat"\nmodel = "openai/gpt-4.1"\nmax_tokens = 1000', '"mine.py"').replace("reflexion", "static")
SCREEN = (24, 80)
"""Lines and columns of the smallest terminal."""


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study of a model whose key nobody has here."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "live.toml").write_text(LIVE)
    return tmp_path


def test_a_dry_run_writes_nothing_and_needs_no_key(rung, live):
    before = sorted(live.rglob("*"))
    said = rung("run", "live.toml", "--dry-run", "--set", "budget.usd=1.0")
    assert (said.exit, said.err) == (0, "")
    assert sorted(live.rglob("*")) == before


def test_it_says_working_refining_and_examining_by_arm_and_together_on_one_screen(rung, live):
    lines = rung("run", "live.toml", "--dry-run", "--set", "budget.usd=1.0").out.splitlines()
    assert len(lines) < SCREEN[0]
    assert max(map(len, lines)) <= SCREEN[1]
    assert lines[0] == "Small chat: what it costs at most; nothing was started"
    assert lines[2].split() == ["attempts", "calls", "tokens", "in", "tokens", "out", "dollars"]
    rows = [line.split()[:4] for line in lines[3:12]]
    assert rows[0] == ["static", "working", "10", "10"]
    assert rows[1][:3] == ["examining", "3", "3"]
    assert rows[2] == ["reflexion", "working", "10", "10"]
    assert rows[3][:3] == ["refining", "0", "24"]
    assert rows[4][:3] == ["examining", "6", "6"]
    assert lines[8].startswith("all arms   working ")
    assert lines[11].split()[:4] == ["in", "total", "29", "53"]


def test_the_budget_that_is_spent_first_is_named_and_what_the_study_lacks(rung, live):
    said = rung("run", "live.toml", "--dry-run", "--set", "budget.usd=0.1", "--set", "budget.calls=50").out
    assert "[budget] calls = 50 covers 94% of it.\n" in said
    assert " of it and is spent first, if it comes to that.\n" in said
    assert "As it is, rung run would refuse it: model 'openai/gpt-4.1' needs a key" in said


def test_without_a_budget_a_live_study_is_foreseen_and_said_to_be_refused(rung, live):
    told = json.loads(rung("run", "live.toml", "--dry-run", "--json").out)
    key, budget = told["refused"]
    assert key.startswith("model 'openai/gpt-4.1' needs a key in the variable OPENAI_API_KEY, which is not set")
    assert budget.startswith("budget: openai/gpt-4.1 costs money, and nothing says how much it may cost")


def test_for_a_machine_it_is_all_its_numbers(rung, live):
    told = json.loads(rung("run", "live.toml", "--dry-run", "--json", "--set", "budget.tokens=1000").out)
    static, reflexion = told["arms"]
    assert (static["name"], static["working"]["calls"], static["examining"]["calls"]) == ("static", 10, 3)
    assert reflexion["refining"]["calls"] == 2 * 4 * 3
    for key in ("calls", "input_tokens", "output_tokens", "tokens", "usd"):
        whole = sum(phase[key] for phase in told["phases"].values())
        assert whole == pytest.approx(told["total"][key])
        assert whole == pytest.approx(static["total"][key] + reflexion["total"][key])
    assert told["total"]["output_tokens"] == 29 * 1000 + 24 * 512
    assert told["binds_first"] == "tokens"
    assert told["budget"]["tokens"]["limit"] == 1000
    assert told["budget"]["tokens"]["worst"] == told["total"]["tokens"]
    assert told["prices"]["openai/gpt-4.1"]["output"] == 8.0


def test_what_is_not_known_is_no_zero(rung, live):
    Path("mine.py").write_text("def act(view, files): return '0'\n")
    Path("mine.toml").write_text(MINE)
    said = rung("run", "mine.toml", "--dry-run").out
    assert said.splitlines()[3].split() == ["static", "working", "10", "?", "?", "?", "?"]
    assert "Unknown: agent 'function mine' does not say what it asks" in said
    assert "nothing is spent" not in said
    told = json.loads(rung("run", "mine.toml", "--dry-run", "--json").out)
    assert told["unknown"] == [told["arms"][0]["working"]["unknown"]]


def test_a_budget_is_not_said_to_cover_what_is_not_known(rung, live):
    Path("mine.py").write_text("def refine(feedback, files): return None\n")
    Path("half.toml").write_text(LIVE.replace('"reflexion"', '"mine.py"'))
    said = rung("run", "half.toml", "--dry-run", "--set", "budget.usd=100").out
    assert "[budget] usd = 100 covers what is known of it." in said
    assert next(line for line in said.splitlines() if line.startswith("in total")).endswith(" + ?")


def test_phantoms_cost_nothing(rung, study):
    said = rung("run", "study.toml", "--dry-run")
    assert said.exit == 0
    assert "\nNo model is called, so nothing is spent.\n" in said.out


def test_many_arms_have_a_line_each(rung, live):
    arms = "".join(f'[[arms]]\nname = "arm-{number}"\n' for number in range(5))
    Path("many.toml").write_text(LIVE + arms)
    lines = rung("run", "many.toml", "--dry-run", "--set", "budget.usd=1.0").out.splitlines()
    assert len(lines) <= SCREEN[0]
    assert sum(line.startswith("arm-") for line in lines) == 5


def test_a_study_that_wants_more_tasks_than_there_are_is_told_so_before_it_runs(rung, live):
    warned = [
        "toy-lock-v1 tiny has 8 different tasks and this study wants 11: the exam will not be fresh",
        "toy-lock-v1 tiny has 3 sealed tasks, and fewer than 6 give no verdict",
    ]
    Path("wide.toml").write_text(LIVE.replace("count = 4", "count = 8"))
    said = " ".join(rung("run", "wide.toml", "--dry-run").out.split())
    assert all(f"Warning: {each}." in said for each in warned)
    assert json.loads(rung("run", "wide.toml", "--dry-run", "--json").out)["warnings"] == warned
    assert json.loads(rung("run", "wide.toml", "--dry-run", "--quick", "--json").out)["warnings"] == []
    assert rung("tasks", "generate", "wide.toml").out.splitlines()[-2:] == [f"warning: {each}" for each in warned]
    assert json.loads(rung("tasks", "generate", "wide.toml", "--json").out)["warnings"] == warned


def test_it_is_said_again_when_it_begins_and_not_when_it_is_resumed(rung, study):
    warned = "warning: toy-lock-v1 d1 has 3, toy-road-v1 d1 has 2 sealed tasks, and fewer than 6 give no verdict\n"
    assert rung("run", "study.toml").err.count(warned) == 1
    assert warned not in rung("run", "study.toml").err


def test_a_folder_in_which_another_study_was_begun_is_refused_as_the_run_would_be(rung, finished):
    again = ("run", "study.toml", "--out", finished)
    assert rung(*again, "--dry-run").exit == 0
    foreseen, run = (rung(*again, "--set", "seed=4", *dry) for dry in (["--dry-run"], []))
    assert (foreseen.exit, foreseen.err) == (2, run.err)
    assert "this run was begun under another config; changed: seed (was 3, now 4)" in run.err


def test_a_plan_or_an_exam_that_is_not_there_is_refused_as_the_run_would_be(rung, study):
    for option in ("--plan", "--exam-of"):
        foreseen, run = (rung("run", "study.toml", option, "nowhere", *dry) for dry in (["--dry-run"], []))
        assert (foreseen.exit, foreseen.err) == (2, run.err)


def test_the_exam_of_a_run_is_foreseen_where_the_config_has_it_and_refused_where_it_has_another(rung, finished):
    no_secret = Path("study.toml").read_text().replace('secret = "for tests"', "")
    Path("other.toml").write_text(no_secret)
    asked = ("run", "other.toml", "--dry-run", "--exam-of", finished)
    assert rung(*asked).exit == 0
    assert "--exam-of: this config has another exam than that run" in rung(*asked, "--set", "exam.repeats=2").err


def test_a_quick_look_can_be_foreseen_too(rung, live):
    told = json.loads(rung("run", "live.toml", "--dry-run", "--quick", "--json", "--set", "lineages=4").out)
    assert (told["name"], told["lineages"]) == ("Small chat quick", 2)


def test_a_replay_costs_nothing_and_is_not_foreseen(rung, live):
    said = rung("run", "live.toml", "--dry-run", "--replay", "there")
    assert said.exit == 2
    assert "a replay calls no model and costs nothing; leave one of them out" in said.err


@pytest.mark.parametrize("override", ["tasks.holdout_seed=true", "agent.model='nobody/x'"])
def test_a_config_that_cannot_be_run_is_refused(rung, live, override):
    assert rung("run", "live.toml", "--dry-run", "--set", override).exit == 2


def test_the_forecast_in_the_guide_is_the_one_that_is_printed(rung, live, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-that-is-never-sent")
    page = (Path(__file__).parents[2] / "docs" / "guide" / "budgets.md").read_text()
    shown = re.search(r"Of this study\n\n```toml\n(.*?)```\n\nit says\n\n```text\n(.*?)```", page, re.DOTALL)
    assert shown is not None
    Path("guide.toml").write_text(shown[1])
    assert rung("run", "guide.toml", "--dry-run").out == shown[2]


def test_the_budgets_in_the_guide_are_those_that_a_config_takes():
    page = (Path(__file__).parents[2] / "docs" / "guide" / "budgets.md").read_text()
    first = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert first is not None
    given = BudgetConfig.model_validate(tomllib.loads(first[1])["budget"])
    assert (given.usd, given.lineage.usd, given.session.seconds, given.task.steps) == (20, 2, 600, 40)
