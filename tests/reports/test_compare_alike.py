"""What forbids a comparison, and what stands beside one."""

from dataclasses import replace
from typing import Any

import pytest

from rung.core.errors import UsageError
from rung.protocols import launch
from rung.reports.compare import alike
from rung.reports.compare.values import Entrant
from rung.store.memory import MemoryJournal

from . import modelled
from .compared import LOCK, compared, played, study

TASKS = {**modelled.TASKS, "holdout": [{**modelled.CELL, "count": 6}]}


def models(name: str, **more: Any) -> MemoryJournal:
    config = modelled.config(name=name, tasks=TASKS, **more)
    return launch.simulate(config, secret="one exam", arms=modelled.arms(modelled.Billed(modelled.learns)))


def entrant(label: str, *, usd: float | None, tokens: float | None = 5.0, called: bool = True) -> Entrant:
    return Entrant(label, {}, {}, "A0.1", "static", 3, 4.0, called, usd, tokens)


# --------------------------------------------------------------------------------------------- exams


def test_runs_with_no_row_in_common_are_refused_with_what_differs_and_the_mend():
    other = study("other", tasks=10)
    with pytest.raises(UsageError) as refused:
        compared({"one": played(study("one")), "other": played(other, secret="another exam")})
    said = str(refused.value)
    assert said.startswith(
        "one and other sat different exams, and have no row in common: "
        "0 tasks of toy-lock-v1 d1 are in both, of 8 and 10"
    )
    assert said.endswith("rung run CONFIG --exam-of RUN, with the same [exam] and tasks.holdout")


def test_the_third_run_is_named_where_it_alone_sat_another_exam():
    runs = {"one": played(study("one")), "two": played(study("two"))}
    with pytest.raises(UsageError, match="one and three sat different exams"):
        compared({**runs, "three": played(study("three"), secret="another exam")})


def test_exams_that_share_a_cell_are_compared_there_alone_and_flagged():
    wider = study("wider")
    holdout = [{**LOCK, "count": 8}, {"family": "toy-lamp-v1", "difficulty": 1, "count": 6}]
    wider = {**wider, "tasks": {**wider["tasks"], "holdout": holdout}}
    found = compared({"one": played(study("one")), "wider": played(wider)})
    assert [row.cell for row in found.rows] == ["replays of toy-lock-v1 d1", "toy-lock-v1 d1"]
    assert found.tasks == 8
    assert any("one alone examines toy-lamp-v1 d1, toy-road-v1 d1" in warning for warning in found.warnings)
    assert all("exams differ" in row.flags for row in found.rows)


def test_repeats_that_differ_are_flagged():
    runs = {"one": played(study("one")), "two": played(study("two", exam={"repeats": 2}))}
    assert any("repeats are 1 and 2" in warning for warning in compared(runs).warnings)


# --------------------------------------------------------------------------------------------- what is flagged


def test_limits_that_differ_stand_beside_every_row_between_the_runs():
    runs = {"free": played(study("free")), "held": played(study("held", budget={"task": {"steps": 9}}))}
    found = compared(runs)
    assert "free and held: limits differ: budget.task.steps None and 9." in found.warnings
    assert all("limits differ" in row.flags for row in found.rows)


def test_decoding_that_differs_is_named_with_both_values():
    hot = {"name": "mirror", "agent": {"kind": "chat", "model": modelled.MODEL, "max_tokens": 20, "temperature": 0.9}}
    arms = [{**hot, "method": {"name": "reflexion", "max_tokens": 20}}]
    still = [{**arms[0], "agent": {"kind": "chat", "model": modelled.MODEL, "max_tokens": 20}}]

    def run(name: str, given: Any) -> MemoryJournal:
        config = modelled.config(name=name, tasks=TASKS, arms=given)
        return launch.simulate(config, secret="one exam", arms=modelled.arms(modelled.Billed(modelled.learns))[:1])

    found = compared({"hot": run("hot", arms), "cold": run("cold", still)})
    said = next(warning for warning in found.warnings if "options of agents" in warning)
    assert "max_tokens = 20, temperature = 0.9 and max_tokens = 20" in said
    assert all("decoding differs" in row.flags for row in found.rows)


def test_other_code_of_a_family_and_another_version_stand_beside():
    runs = {name: played(study(name)) for name in ("old", "new")}
    for name, version in (("old", "0.1.9"), ("new", "0.2.0")):
        runs[name].observe("run", "version", version)
        runs[name].observe("run", "code", {"families toy-lock-v1": name})
    found = compared(runs)
    assert "old and new: made by different versions, 0.1.9 and 0.2.0." in found.warnings
    assert any("the code of toy-lock-v1 differs" in warning for warning in found.warnings)
    assert all({"versions differ", "code differs"} <= {*row.flags} for row in found.rows)


def test_references_that_differ_are_flagged_and_change_no_difference():
    runs = {name: played(study(name)) for name in ("old", "new")}
    better = _with_better_references(runs["new"])
    plain, found = compared(runs), compared({"old": runs["old"], "new": better})
    assert any("references of toy-lock-v1 d1, toy-road-v1 d1 differ" in warning for warning in found.warnings)
    assert [row.difference for row in found.rows if row.levels != ("G0", "G0")] == [
        row.difference for row in plain.rows if row.levels != ("G0", "G0")
    ]


def _with_better_references(journal: MemoryJournal) -> MemoryJournal:
    """The same record, in which every reference of the exam was found by another solver."""
    copy = MemoryJournal()
    for fact in journal.facts():
        value: Any = fact.value
        if fact.path.startswith("plan/exam/"):
            value = {**value, "reference": {**value["reference"], "solver": "another v2"}}
        copy.put(fact.path, fact.kind, value)
    return copy


def test_what_judges_in_other_sandboxes_stands_beside():
    runs = {name: played(study(name)) for name in ("plain", "walled")}
    walled = MemoryJournal()
    for fact in runs["walled"].facts():
        value: Any = fact.value
        if fact.kind == "sealed" and "metrics" in value:
            value = {**value, "metrics": {**value["metrics"], "sandbox": "bubblewrap"}}
        walled.put(fact.path, fact.kind, value)
    found = compared({"plain": runs["plain"], "walled": walled})
    assert "plain and walled: commands that judge ran under nothing and bubblewrap." in found.warnings
    assert all("isolation differs" in row.flags for row in found.rows)


def test_runs_alike_in_everything_have_nothing_beside():
    found = compared({name: played(study(name)) for name in ("one", "two")})
    assert all(row.flags == () for row in found.rows)
    assert not any("differ" in warning for warning in found.warnings)


# --------------------------------------------------------------------------------------------- budgets


def test_a_quarter_more_is_matched_and_above_it_stands_beside():
    assert alike.unmatched([entrant("a", usd=1.0), entrant("b", usd=1.25)]) is None
    found = alike.unmatched([entrant("a", usd=1.0), entrant("b", usd=1.26)])
    assert found is not None
    assert found.flag("b") == "unmatched budgets: spent 1.26 times what a did on improving (US dollars)"


def test_where_a_dollar_is_unknown_tokens_are_matched_and_an_arm_without_calls_spent_nothing():
    found = alike.unmatched([entrant("a", usd=None, tokens=100.0), entrant("b", usd=2.0, tokens=300.0)])
    assert found is not None
    assert (found.resource, found.more) == ("tokens", ("b",))
    still = replace(entrant("still", usd=None, tokens=None), called=False)
    nothing = alike.unmatched([still, entrant("b", usd=2.0)])
    assert nothing is not None
    assert nothing.more == ("b",)
    assert alike.unmatched([entrant("a", usd=None, tokens=None), entrant("b", usd=2.0)]) is None


def test_budgets_are_told_in_sentences():
    told = list(alike.budgets([entrant("a", usd=1.0), replace(entrant("b", usd=3.0), improving_attempts=9.0)]))
    assert told == [
        "Unmatched budgets: attempts a lineage while improving are a 4, b 9.",
        "Unmatched budgets: a lineage spent on improving, in US dollars: a $1.00, b $3.00.",
    ]
    assert list(alike.budgets([entrant("a", usd=None), entrant("b", usd=None)])) == [
        "What improving cost in dollars is unknown of a, b."
    ]


def test_a_dearer_arm_is_flagged_in_its_rows():
    # in one run the arm that reflects pays for reflecting, and the other does not
    found = compared({"run": models("run")})
    assert any("run/mirror: unmatched budgets: spent" in flag for row in found.rows for flag in row.flags)


# --------------------------------------------------------------------------------------------- one run twice


def test_a_copy_of_a_run_is_the_same_run():
    journal = played(study("one"))
    with pytest.raises(UsageError, match="here and there are the same run, fact for fact"):
        compared({"here": journal, "there": journal})


def test_a_run_that_has_not_begun_its_exam_is_refused_with_the_mend():
    whole, begun = played(study("one")), MemoryJournal()
    for fact in whole.facts():
        if not fact.path.startswith("exam/"):
            begun.put(fact.path, fact.kind, fact.value)
    with pytest.raises(
        UsageError, match=r"begun is unfinished, .* has not begun its exam: .* `rung run CONFIG --out begun`"
    ):
        compared({"whole": played(study("two")), "begun": begun})


def test_a_run_that_is_not_over_carries_no_word():
    whole, cut = played(study("one")), MemoryJournal()
    for fact in whole.facts():
        if not fact.path.startswith("exam/phantom.L3/0016"):
            cut.put(fact.path, fact.kind, fact.value)
    found = compared({"whole": played(study("two", agent={"kind": "phantom:static"})), "cut": cut})
    assert {row.word for row in found.rows} == {"incomplete"}
    assert any("cut is unfinished: " in reason for row in found.rows for reason in row.reasons)
    assert any("`rung run CONFIG --out cut` goes on with it" in warning for warning in found.warnings)
