"""Exploring from the command line: written, foreseen, looked at, run again, reported; and what does not go with it."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def explored(rung) -> str:
    """The folder of a quick look at what `rung init --explore` writes."""
    assert rung("init", "--explore").exit == 0
    assert rung("run", "rung.toml", "--quick", "--out", "done").exit == 0
    return "done"


def test_init_explore_writes_a_study_that_runs(rung):
    assert rung("init", "--explore").out.startswith("written: rung.toml\nwritten: my_agent.py\n")
    said = json.loads(rung("run", "rung.toml", "--quick", "--out", "done", "--json").out)
    assert (said["attempts"], said["faults"]) == (2 * 2 * (4 + 4) + 4, 0)


def test_init_explore_goes_with_no_other_kind(rung):
    assert (
        rung("init", "--explore", "--cell").err
        == "error: --explore goes with neither --cell nor --tasks; leave one out\n"
    )


def test_a_dry_run_says_what_is_asked_at_most(rung):
    rung("init", "--explore")
    said = json.loads(rung("run", "rung.toml", "--dry-run", "--json").out)
    assert [arm["name"] for arm in said["arms"]] == ["baseline", "history", "history-verdict"]
    assert said["total"]["attempts"] == 2 * 5 * (30 + 30) + 30
    assert said["unknown"] != []  # a function of yours may call what it likes


def test_a_quick_look_is_finished_by_running_it_again(rung, explored):
    digest = rung("digest", explored).out
    assert rung("run", "rung.toml", "--quick", "--out", explored).exit == 0
    assert rung("digest", explored).out == digest


def test_its_report_is_a_page(rung, explored):
    assert rung("report", explored, "--quiet").out == f"report: {explored}/report.html\n"
    assert "history-verdict" in Path(explored, "report.html").read_text()


def test_runs_of_it_are_not_compared_rung_by_rung(rung, explored):
    said = rung("compare", explored)
    assert said.exit == 2
    assert 'protocol = "explore", which has curves and no rungs; `rung report` reads it' in said.err


def test_it_is_not_served(rung):
    rung("init", "--explore")
    said = rung("serve", "rung.toml")
    assert said.exit == 2
    assert 'serve protocol = "cell", or run this with `rung run`' in said.err
