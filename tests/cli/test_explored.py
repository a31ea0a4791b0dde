"""A study of exploring on the command line: it ends with its report, in every form, and other commands refuse it."""

import csv
import io
import json
from pathlib import Path

import pytest

STUDY = """
name = "Small curves"
protocol = "explore"
seed = 3
lineages = 2

[agent]
kind = "phantom:noisy"
base = 0.4
spread = 0.2

[method]
name = "phantom"

[exam]
secret = "for tests"

[explore]
games = [{ family = "toy-lock-v1", explore = "d1", evaluate = "d2" }]
episodes = 4
checkpoint_every = 2
checkpoint_episodes = 2
baseline_episodes = 4
"""


@pytest.fixture
def explored(rung):
    Path("rung.toml").write_text(STUDY)
    return rung("run", "rung.toml", "--out", "done")


def test_a_run_ends_with_its_summary_and_page(explored):
    assert explored.exit == 0, explored.err
    assert "Small curves" in explored.out
    assert "Gained on the curve?" in explored.out
    assert explored.out.endswith("report: done/report.html\n")
    assert "an exploring report" in Path("done/report.html").read_text()


def test_the_report_comes_in_every_form(rung, explored):
    told = json.loads(rung("report", "done", "--json").out)
    assert [curve["game"] for curve in told["curves"]] == ["toy-lock-v1"]
    assert told["provenance"]["packages"]["rung"]
    rows = list(csv.DictReader(io.StringIO(rung("report", "done", "--csv").out)))
    assert [row["word"] for row in rows] == ["not estimable"]
    assert rung("report", "done", "--markdown").out.startswith("# Small curves\n")


def test_its_schema_names_the_fields_of_its_json(rung, explored):
    schema = json.loads(rung("schema", "explore").out)
    told = json.loads(rung("report", "done", "--json").out)
    assert set(schema["properties"]) == set(told)
    assert set(schema["$defs"]["CurveRow"]["properties"]) == set(told["curves"][0])


def test_the_report_says_what_was_changed(rung):
    written = STUDY[STUDY.index("[exam]") :].replace('secret = "for tests"', "")
    head = 'name = "words"\nprotocol = "explore"\nlineages = 1\n[agent]\nkind = "chat"\nmodel = "scripted/echo"\n'
    Path("words.toml").write_text(f'{head}[method]\nname = "summary"\n{written}')
    assert rung("run", "words.toml", "--out", "words").exit == 0
    (arm,) = json.loads(rung("report", "words", "--json").out)["changes"]["arms"]
    assert arm["all"]["recorded"] > 0
    page = Path("words/report.html").read_text()
    assert f"<td><bdi>{arm['all']['recorded']}</bdi></td>" in page
    assert '<a href="#changed">' in page
    assert "## What the methods changed" in rung("report", "words", "--markdown").out


def test_a_machine_is_told_the_word_of_each_curve(rung):
    Path("rung.toml").write_text(STUDY)
    told = json.loads(rung("run", "rung.toml", "--out", "again", "--json").out)
    assert told["words"] == {"phantom on toy-lock-v1": "not estimable"}
    assert told["incomplete"] == []


def test_an_audit_says_that_there_are_no_rungs(rung, explored):
    said = rung("audit", "done")
    assert said.exit != 0
    assert "which has curves and no rungs; `rung report` reads it" in said.err
