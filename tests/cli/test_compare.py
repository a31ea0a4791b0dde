import json
import shutil
import sqlite3
from pathlib import Path
from statistics import fmean

import pytest

from rung.store.journal import SqliteJournal

SIX = (
    "tasks.holdout=[{family='toy-lock-v1', difficulty=1, count=8}, {family='toy-road-v1', difficulty=1, count=8}]",
    "lineages=3",
)


@pytest.fixture
def run(rung, study):
    def ran(out: str, *overrides: str) -> str:
        words = [word for override in (*SIX, f"name='{out}'", *overrides) for word in ("--set", override)]
        assert rung("run", "study.toml", "--out", out, *words).exit == 0
        return out

    return ran


@pytest.fixture
def two(run) -> tuple[str, str]:
    """A null agent, and one that learns everything in four tasks; they begin alike."""
    return run("null", "agent.kind='phantom:static'"), run("good", "agent.kind='phantom:general'", "agent.rate=0.8")


def exam_mean(run: str, cell: str, lineages: int = 3) -> float:
    """The mean A_T score in a cell, from the journal's own rows."""
    journal = SqliteJournal(Path(run) / "journal.sqlite", read_only=True)
    places = [fact.path[-4:] for fact in journal.facts(under="plan/exam", kind="task") if fact.value["cell"] == cell]
    scores = [
        journal.get(f"exam/phantom.L{number}/{place}/1", "sealed")["score"]
        for number in range(1, lineages + 1)
        for place in places
    ]
    journal.close()
    return fmean(scores)


def on_exam(told) -> list[dict]:
    return [row for row in told["rows"] if row["levels"] != ["G0", "G0"]]


def test_arms_of_two_runs_are_held_against_each_other_on_every_level(rung, two):
    told = json.loads(rung("compare", *two, "--json").out)
    assert [(row["cell"], row["levels"]) for row in told["rows"]] == [
        ("replays of toy-lock-v1 d1", ["G0", "G0"]),
        ("toy-lock-v1 d1", ["G1", "G1"]),
        ("toy-road-v1 d1", ["G4", "G4"]),
    ]
    for row in on_exam(told):
        assert (row["earlier"], row["later"]) == ("null/phantom", "good/phantom")
        expected = exam_mean("good", row["cell"]) - exam_mean("null", row["cell"])
        assert row["ends"][1] - row["ends"][0] == pytest.approx(expected)
        assert row["word"] == "higher"
    assert [matrix["level"] for matrix in told["matrices"]] == ["G0", "G1", "G4"]


def test_holm_is_over_all_planned_rows_and_one_without_a_p_counts(rung, two):
    told = json.loads(rung("compare", *two, "--json").out)
    ps = [1.0 if row["p"] is None else row["p"] for row in told["rows"]]
    assert told["planned_rows"] == 3
    smallest = min(range(3), key=ps.__getitem__)
    assert told["rows"][smallest]["adjusted"] == pytest.approx(3 * ps[smallest])


def test_arms_that_begin_apart_are_compared_by_difference_of_differences(rung, run):
    low, high = run("low", "agent.base=0.0"), run("high", "agent.base=1.0")
    told = json.loads(rung("compare", low, high, "--json").out)
    assert any("begin apart" in warning for warning in told["warnings"])
    gain = next(row for row in told["rows"] if row["cell"] == "toy-lock-v1 d1")
    # one begins at 0 and the other at 1 for certain, so their gains are A_T and A_T - 1
    assert gain["difference"]["value"] == pytest.approx(
        exam_mean("high", "toy-lock-v1 d1") - 1 - exam_mean("low", "toy-lock-v1 d1")
    )


def test_what_differs_between_the_runs_is_listed(rung, two):
    told = json.loads(rung("compare", *two, "--json").out)
    assert told["differs"]["agent.kind"] == {"null": "phantom:static", "good": "phantom:general"}
    assert "tasks.schedule[0].count" not in told["differs"]


def test_runs_with_no_row_in_common_are_refused_with_what_differs(rung, two, run):
    other = run("other", "exam.secret='another'", "exam.repeats=2")
    said = rung("compare", two[0], other)
    assert said.exit == 2
    assert "null and other sat different exams, and have no row in common: " in said.err
    assert "0 tasks of toy-lock-v1 d1 are in both, of 8 and 8" in said.err
    assert "repeats are 1 and 2" in said.err
    assert "To sit the exam of another run: rung run CONFIG --exam-of RUN" in said.err


def test_a_quick_look_unequal_work_and_a_fixed_secret_stand_beside(rung, two, run):
    longer = run("longer", "tasks.schedule=[{family='toy-lock-v1', difficulty=1, count=6, replay=true}]")
    told = json.loads(rung("compare", two[0], longer, "--json").out)
    assert (
        "Unmatched budgets: attempts a lineage while improving are null/phantom 5, longer/phantom 8."
        in told["warnings"]
    )
    assert any("exam secret is fixed" in warning for warning in told["warnings"])


def test_two_lineages_carry_no_word(rung, run):
    pair = run("one", "lineages=2"), run("two", "lineages=2", "agent.rate=0.9")
    rows = json.loads(rung("compare", *pair, "--json").out)["rows"]
    assert {(row["word"], row["p"]) for row in rows} == {("not estimable", None)}


def test_all_may_be_held_against_one_arm_and_then_nobody_is_ranked(rung, two, run):
    third = run("third", "agent.rate=0.1")
    told = json.loads(rung("compare", *two, third, "--against", "third/phantom", "--json").out)
    assert {row["earlier"] for row in told["rows"]} == {"third/phantom"}
    assert told["standings"] == []
    said = rung("compare", *two, "--against", "null")
    assert said.err == ("error: --against 'null' is none of the arms; there are: null/phantom, good/phantom\n")


def test_gains_over_an_arm_that_is_named_a_control_are_shown(rung, two):
    told = json.loads(rung("compare", *two, "--control", "null/phantom", "--json").out)
    over = {(each["label"], each["control"]) for each in told["controls"] if each["level"] == "G1"}
    assert over == {("null/phantom", "null/static"), ("good/phantom", "good/static"), ("good/phantom", "null/phantom")}
    assert "good/phantom over null/phantom: +" in rung("compare", *two, "--control", "null/phantom").out
    assert "--control 'null' is none of the arms" in rung("compare", *two, "--control", "null").err


# --------------------------------------------------------------------------------------------- what is refused


def test_one_arm_alone_and_a_run_named_twice_are_refused(rung, two):
    assert "needs two arms, seen 'null/phantom' alone" in rung("compare", "null").err
    assert rung("compare", "null", "./null").err == "error: the run null is named twice; name each once\n"


def test_a_copy_of_a_run_is_the_same_run(rung, two):
    shutil.copytree("null", "copy")
    said = rung("compare", "null", "copy")
    assert (said.exit, "null and copy are the same run, fact for fact (digest " in said.err) == (2, True)


def test_what_is_no_run_is_refused_by_name(rung, two):
    Path("empty").mkdir()
    assert "empty is not a run directory" in rung("compare", "null", "empty").err
    assert "nowhere cannot be read" in rung("compare", "null", "nowhere").err


def test_a_run_that_was_only_planned_is_refused_with_the_command_that_goes_on(rung, two):
    shutil.copytree("good", "begun")
    base = sqlite3.connect("begun/journal.sqlite")
    base.execute("DELETE FROM fact WHERE path LIKE 'exam/%'")
    base.commit()
    base.close()
    said = rung("compare", "null", "begun")
    assert said.exit == 2
    assert "begun is unfinished" in said.err
    assert "`rung run CONFIG --out begun` goes on with it" in said.err


def test_a_run_of_a_newer_version_is_refused_and_one_of_another_flagged(rung, two):
    for name, sql in (
        ("newer", "INSERT INTO migration VALUES ('9999_from_the_future')"),
        ("older", "UPDATE observation SET value = '\"0.0.9\"' WHERE name = 'version'"),
    ):
        shutil.copytree("good", name)
        base = sqlite3.connect(f"{name}/journal.sqlite")
        base.execute(sql)
        base.commit()
        base.close()
    assert "was written by a newer rung (schema step '9999_from_the_future')" in rung("compare", "null", "newer").err
    assert "null and older: made by different versions, " in rung("compare", "null", "older").out


@pytest.fixture
def drifted(run) -> tuple[str, str]:
    """Two runs of one agent, of which the second was served something better: its A_0 was given twice the score."""
    pair = run("monday", "agent.kind='phantom:static'", "agent.base=0.1"), run("friday", "agent.base=0.1")
    base = sqlite3.connect("friday/journal.sqlite")
    base.execute("DROP TRIGGER IF EXISTS fact_is_final")
    base.execute(
        "UPDATE fact SET json = json_set(json, '$.score', 1.0) WHERE kind = 'sealed' AND path LIKE 'exam/A0.%'"
    )
    base.commit()
    base.close()
    return pair


def test_a_drifted_a_0_is_refused_in_a_sentence_and_shown_stamped_on_demand(rung, drifted):
    said = rung("compare", *drifted)
    assert said.exit == 2
    assert said.out == ""
    assert "monday and friday declare the same A_0" in said.err
    assert "--despite-drift prints the comparison all the same, stamped" in said.err
    shown = rung("compare", *drifted, "--despite-drift")
    assert shown.exit == 0
    assert "*** DESPITE DRIFT: monday and friday declare the same A_0" in shown.out
    assert "> **DESPITE DRIFT: " in rung("compare", *drifted, "--despite-drift", "--markdown").out
    assert json.loads(rung("compare", *drifted, "--despite-drift", "--json").out)["stamps"]


# --------------------------------------------------------------------------------------------- what is printed


def test_a_reader_gets_lines_and_a_page_gets_tables(rung, two):
    said = rung("compare", *two).out
    assert said.startswith("2 arms of 2 runs on one exam (")
    head = "G1, new instances: toy-lock-v1 d1 (success)\n  a change on fewer than 37.5% of such tasks can be missed"
    assert f"{head} entirely (3/N)\n  good/phantom less null/phantom: +" in said
    assert "  rank of good/phantom: 1 of 2, by a gain of +" in said
    page = rung("compare", *two, "--markdown").out
    assert "| good/phantom | null/phantom | G1 | +" in page
    assert "## G4, another capability: toy-road-v1 d1 (success)" in page


def test_three_arms_are_a_matrix(rung, two, run):
    said = rung("compare", *two, run("third", "agent.rate=0.1")).out
    assert "  row less column:\n    [1] null/phantom\n    [2] good/phantom\n    [3] third/phantom\n" in said


def test_json_and_markdown_are_one_or_the_other(rung, two):
    assert "one or the other" in rung("compare", *two, "--json", "--markdown").out


def test_every_function_that_is_said_to_make_a_number_exists():
    import importlib

    from rung.reports.compare.whole import HOW

    for name in HOW.values():
        module, _, function = name.rpartition(".")
        assert getattr(importlib.import_module(module), function).__doc__
