"""The example of several studies in full: every table of the paper that scripted agents can fill is filled.

Slow because it is 20,000 attempts at real games, in eight runs on disk.
"""

from pathlib import Path

import pytest
from click.testing import CliRunner

from rung.cli import cli
from rung.cli._border import Invocation

ROOT = Path(__file__).parents[2]
TITLES = (
    "The studies",
    "Methods by game and level (Table 2)",
    "What narrow carried over (Figure 4)",
    "What general carried over (Figure 4)",
    "What chooser carried over (Figure 4)",
    "Schedules of combat-v1 (Table 4)",
    "Harnesses and models (Table 5)",
    "The gain by each key",
    "farm-v1 d1: beside general agents (Figure 5)",
    "hero-v1 d1: beside general agents (Figure 5)",
    "What was changed (Tables 3 and 6)",
    "Failures, and what answers them (Table 9)",
)

pytestmark = pytest.mark.slow


def test_the_example_fills_every_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    arguments = ["tables", "examples/tables.toml", "--out", str(tmp_path / "out"), "--markdown"]
    told = CliRunner().invoke(cli, arguments, obj=Invocation(), catch_exceptions=False)
    assert told.exit_code == 0
    assert [title for title in TITLES if f"## {title}\n" not in told.output] == []
    general = (tmp_path / "out" / "tables.csv").read_text().split("\n")
    transfer = [line for line in general if line.startswith("hero,general,") and ",G4,farm-v1 d3," in line]
    assert len(transfer) == 1
    assert ",improved," in transfer[0]  # it gets better at everything
