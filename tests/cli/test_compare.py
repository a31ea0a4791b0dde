import json
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


def test_arms_of_two_runs_are_held_against_each_other_on_every_cell(rung, two):
    told = json.loads(rung("compare", *two, "--json").out)
    assert [(row["cell"], row["measure"], row["levels"]) for row in told["rows"]] == [
        ("toy-lock-v1 d1", "A_T", ["G1", "G1"]),
        ("toy-road-v1 d1", "A_T", ["G4", "G4"]),
    ]
    for row in told["rows"]:
        assert (row["earlier"], row["later"]) == ("null/phantom", "good/phantom")
        expected = exam_mean("good", row["cell"]) - exam_mean("null", row["cell"])
        assert row["difference"]["value"] == pytest.approx(expected)
        assert row["word"] == "higher"


def test_holm_is_over_the_rows_that_are_printed(rung, two):
    one, other = json.loads(rung("compare", *two, "--json").out)["rows"]
    small, large = sorted([one, other], key=lambda row: row["p"])
    assert small["adjusted"] == pytest.approx(2 * small["p"])
    assert large["adjusted"] == pytest.approx(max(small["adjusted"], large["p"]))


def test_arms_that_begin_apart_are_compared_by_difference_of_differences(rung, run):
    low, high = run("low", "agent.base=0.0"), run("high", "agent.base=1.0")
    told = json.loads(rung("compare", low, high, "--json").out)
    assert [row["measure"] for row in told["rows"]] == ["A_T", "gain", "A_T", "gain"]
    assert any("begin apart" in warning for warning in told["warnings"])
    gain = next(row for row in told["rows"] if row["measure"] == "gain" and row["cell"] == "toy-lock-v1 d1")
    # one begins at 0 and the other at 1 for certain, so their gains are A_T and A_T - 1
    assert gain["difference"]["value"] == pytest.approx(
        exam_mean("high", "toy-lock-v1 d1") - 1 - exam_mean("low", "toy-lock-v1 d1")
    )


def test_what_differs_between_the_runs_is_listed(rung, two):
    told = json.loads(rung("compare", *two, "--json").out)
    assert told["differs"]["agent.kind"] == {"null": "phantom:static", "good": "phantom:general"}
    assert "tasks.schedule[0].count" not in told["differs"]


def test_runs_of_different_exams_are_refused_with_what_differs(rung, two, run):
    other = run("other", "exam.secret='another'", "exam.repeats=2")
    said = rung("compare", two[0], other)
    assert said.exit == 2
    assert "null and other sat different exams: 0 tasks of toy-lock-v1 d1 are in both, of 8 and 8" in said.err
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


def test_all_may_be_held_against_one_arm(rung, two, run):
    third = run("third", "agent.rate=0.1")
    told = json.loads(rung("compare", *two, third, "--against", "third/phantom", "--json").out)
    assert {row["earlier"] for row in told["rows"]} == {"third/phantom"}
    said = rung("compare", *two, "--against", "null")
    assert said.err == ("error: --against 'null' is none of the arms; there are: null/phantom, good/phantom\n")


def test_one_arm_alone_and_a_run_named_twice_are_refused(rung, two):
    assert "needs two arms, seen 'null/phantom' alone" in rung("compare", "null").err
    assert "a run is named twice" in rung("compare", "null", "./null").err


def test_a_reader_gets_lines_and_a_page_gets_tables(rung, two):
    said = rung("compare", *two).out
    assert said.startswith("2 arms of 2 runs on one exam of 16 tasks (")
    assert "  good/phantom less null/phantom (A_T, G1): +" in said
    assert "| good/phantom | null/phantom | G1 | A\\_T |" in rung("compare", *two, "--markdown").out


def test_every_function_that_is_said_to_make_a_number_exists():
    import importlib

    from rung.reports.compare import HOW

    for name in HOW.values():
        module, _, function = name.rpartition(".")
        assert getattr(importlib.import_module(module), function).__doc__
