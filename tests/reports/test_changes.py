"""What a report says of what the methods changed, in every form, from one hand-made record."""

from dataclasses import replace

import pytest

from findings.semantics.world import NOTES, World
from reports import samples
from rung.findings.semantics.checks import Labeler, keep
from rung.findings.semantics.counts import semantics
from rung.findings.semantics.values import Labels
from rung.reports import changes, flat, markdown, page, terminal


@pytest.fixture(scope="module")
def report():
    world = World()
    world.refine({NOTES: "- Sell all corn late.\n- Never wait.\n"}, steps=[{"reply": "You lost <b>7</b> coins."}])
    world.refine({NOTES: "- Sell all corn late.\n", "agent/a.py": "RETRIES = 3\n"})
    said = Labels("new", None, "task", frozenset({"planning"}), "contextual artifact")
    keep(world.journal, Labeler("a/model", "model", 2, 1, 3, 900, 0.5), {"main/L1/0001.0.1": said})
    return replace(samples.report(), changes=semantics(world.journal))


def test_counts_and_rates_stand_arm_by_arm(report):
    assert changes.arm_rows(report.changes) == [
        ("main", "farm-v1", "3", "3", "2", "0", "0 of 3", "0 of 3", "0 of 3", "never half")
    ]


def test_labels_stand_with_what_was_recorded_and_retained(report):
    rows = {row[3]: row[4:] for row in changes.label_rows(report.changes)}
    assert rows["contextual artifact"] == ("2", "1", "1 of 2 (50%)")
    assert rows["execution harness"] == ("1", "1", "1 of 2 (50%)")
    assert rows["refinement mechanism"] == ("0", "0", "0 of 2")


def test_an_arm_that_proposed_nothing_has_no_rows_of_labels(report):
    (main,) = report.changes.arms
    still = replace(main, arm="still", games={}, all=replace(main.all, recorded=0))
    rows = changes.label_rows(replace(report.changes, arms=(still, main)))
    assert rows == changes.label_rows(report.changes)


def test_who_labelled_stands_with_what_that_cost_the_instrument(report):
    assert changes.labeler_rows(report.changes) == [("a/model (model)", "1", "1", "3", "900", "0.500")]
    assert changes.check_rows(report.changes)[0][:5] == ("rules", "a/model", "relation", "1", "1.00 [no interval]")


def test_failures_stand_with_the_first_proposal_that_answers_them(report):
    rows = changes.pattern_rows(report.changes)
    assert rows[0][-1] == "main, 1 proposal: RETRIES = 3 [execution harness]" or "Sell all corn late." in rows[0][-1]
    assert {row[4] for row in rows} == {"You lost <b>#</b> coins.", "·"}


def test_the_page_and_the_markdown_have_all_of_it_and_run_none_of_it(report):
    html, text = page.html(report), markdown.markdown(report)
    for said in (
        "What the methods changed",
        "Sell all corn late.",
        "How far labels agree",
        "relation 0.35 [0.25, 0.46]",
    ):
        assert said in html.replace("\u00a0", " ")
        assert said in text
    assert "<b>#</b>" not in html
    assert '<a href="#changed">' in html


def test_the_terminal_has_a_line_of_each_arm(report):
    assert "main changed: 3 proposals, 2 retained; 0 of 3 revised" in terminal.text(report, width=120)


def test_a_study_in_which_nothing_was_proposed_says_nothing_of_it():
    plain = samples.report()
    assert "What the methods changed" not in page.html(plain) + markdown.markdown(plain)
    assert "changed" not in terminal.text(plain)


def test_json_has_no_proposal_twice(report):
    assert flat.json_text(report).count("Never wait.") == 0  # it answers nothing first, and rows are for rung annotate
