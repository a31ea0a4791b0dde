"""A cell prices itself before it starts, and `--dry-run` says what it may cost at most."""

import json
from pathlib import Path

import pytest

CELL = """
name = "Small cell"
protocol = "cell"
lineages = 1

[agent]
kind = "command:claude-code"
model = "anthropic/claude-opus-5"

[models."anthropic/claude-opus-5"]
price = { input = 5.0, output = 25.0, cached = 0.5, date = "2026-11-30" }

[tasks]
schedule = [{ family = "toy-lock-v1", setting = "tiny", count = 8 }]
holdout = [{ family = "toy-lock-v1", setting = "tiny", count = 3 }]
"""


@pytest.fixture
def cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    (tmp_path / "cell.toml").write_text(CELL)
    return tmp_path


def test_a_dry_run_of_a_cell_writes_nothing_and_fits_a_screen(rung, cell):
    before = sorted(cell.rglob("*"))
    said = rung("run", "cell.toml", "--dry-run", "--set", "budget.usd=4.0", "--set", "budget.session.usd=0.5")
    assert (said.exit, said.err) == (0, "")
    assert sorted(cell.rglob("*")) == before
    lines = said.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[:4] for line in lines[3:8]] == [
        ["claude-code", "before-exam", "3", "3"],
        ["working", "1", "8", "$0.50"],
        ["after-exam", "3", "3", "$1.50"],
        ["sentinels", "3", "3", "$1.50"],
        ["in", "total", "10", "17"],
    ]
    assert "At most: $4.00, by [budget] usd, which ends the run before its sessions' own (5) are spent." in " ".join(
        said.out.split()
    )


def test_its_numbers_are_told_to_a_machine(rung, cell):
    told = json.loads(rung("run", "cell.toml", "--dry-run", "--json", "--set", "budget.tokens=900_000").out)
    assert told["protocol"] == "cell"
    assert (told["at_most"]["tokens"], told["binds_first"]) == (900_000, ["[budget] tokens"])
    assert told["estimate"]["calls"] == 3 * 3 + (8 * 2 + 1) + 3 * 3 + 3 * 3
    assert "static" not in json.dumps(told)


def test_a_run_says_its_price_before_it_is_refused_for_want_of_a_key(rung, cell):
    before = sorted(cell.rglob("*"))
    said = rung("run", "cell.toml", "--quick", "--set", "budget.usd=4.0", "--set", "budget.session.usd=0.5")
    assert said.exit == 2
    assert sorted(cell.rglob("*")) == before
    lines = said.err.splitlines()
    price = lines.index("8 sessions, 13 attempts")
    assert lines[price + 1] == "At most: $4.00, by the budgets of its sessions."
    assert lines[price + 2].startswith("Estimated: ")
    assert "cell.sentinels: 4 -> 1" in lines[:price]
    assert any(line.startswith("error: ") for line in lines[price:])


def test_a_live_model_of_a_program_without_a_budget_is_refused(rung, cell, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not one")
    monkeypatch.setattr("rung.protocols.equipment.refuse_unequipped", lambda *given: None)
    said = rung("run", "cell.toml")
    assert said.exit == 2
    assert "budget: anthropic/claude-opus-5 costs money, and nothing says how much it may cost" in said.err
    assert "At most: nothing bounds it." in said.err
    assert not Path("runs").exists()


def test_a_budget_too_small_for_one_call_is_said_before_it_starts(rung, cell):
    said = rung("run", "cell.toml", "--set", "budget.usd=4.0", "--set", "budget.task.usd=0.5")
    assert "TOO LITTLE: [budget.task] usd = 0.5 is less than what is set aside for the first call" in said.err


@pytest.mark.skipif(not Path("/proc/self/ns/user").exists(), reason="programs are confined on Linux")
def test_the_example_of_a_program_of_ones_own_runs_as_it_stands(rung, pytestconfig):
    example = str(pytestconfig.rootpath / "examples" / "own-program.toml")
    small = ("--set", "lineages=1", "--set", "cell.sentinels=1", "--set", "exam.baseline_repeats=1")
    held = "[{family='farm-v1', difficulty=1, count=3}]"
    said = rung(
        "run", example, "--out", "run", *small, "--set", f"tasks.schedule={held}", "--set", f"tasks.holdout={held}"
    )
    assert said.exit == 0, said.err
    assert "No program has a model, so no call is paid for." in said.err
    (session,) = json.loads(rung("report", "run", "--json").out)["programs"]["sessions"]
    assert (session["ending"], session["worked"], session["kept"]) == ("queue_empty", 3, 1)
