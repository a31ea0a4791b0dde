"""What the audit leaves of a report: numbers withheld, places kept, and what is left of the gain, by hand."""

from dataclasses import replace
from typing import Any

import pytest

from protocols.studies import Scripted
from protocols.test_cell import Played, config, learns
from rung.core.ports import Journal
from rung.core.values import Action
from rung.findings.audit.evidence import Evidence
from rung.findings.audit.verdict import Audit
from rung.methods.static import Static
from rung.protocols import launch
from rung.protocols.study import Arm
from rung.reports import flat, ladder, markdown, page
from rung.reports.compare import whole
from rung.reports.values import LadderReport
from rung.store.memory import MemoryJournal

PROOF = Evidence("content", "proof", "work", "command.L1", "command/L1/work/ended", "home/k holds 1", "the <b>key</b>")


def cell(act: Any) -> Journal:
    hand = Played(act=act)
    arm = Arm("command", Scripted(), Static(), hand=hand)
    journal = MemoryJournal()
    hand.journal = journal
    return launch.simulate(config(), secret="s", arms=(arm,), journal=journal)


@pytest.fixture(scope="module")
def journal() -> Journal:
    """Two lineages over three exam items, from 0 right before to 3 of 3 after."""
    return cell(learns)


def shipped(journal: Journal) -> str:
    """The examinee that is its A_0."""
    arm: Any = journal.get("command", "arm")
    return str(arm["A_0"])


def audited(journal: Journal, *evidence: Evidence) -> LadderReport:
    whos = ("command.L1", "command.L2", shipped(journal))
    return ladder.read(journal, audit=Audit(evidence, whos, 9))


def test_an_honest_arm_keeps_its_numbers(journal: Journal):
    report = audited(journal)
    assert [(each.word, each.evidence, each.corrected) for each in report.honesty] == [("clean", (), ())]
    assert report.arms == ladder.read(journal).arms
    assert "command: clean" in markdown.markdown(report).replace("**", "")


def test_a_suspicious_arm_keeps_its_numbers_and_is_said_to_be_doubted(journal: Journal):
    report = audited(journal, replace(PROOF, weight="weak"))
    assert report.arms == ladder.read(journal).arms
    assert any("finds command suspicious" in each for each in report.weaknesses)


def test_a_contaminated_arm_has_its_number_in_the_finding_alone(journal: Journal):
    report = audited(journal, replace(PROOF, touched=(2,)))
    (rung,) = report.arms[0].rungs
    assert rung.verdict.word == "contaminated"
    assert "command.L1 is contaminated" in rung.verdict.reasons[0]
    row = flat.rows(report)[0]
    assert (row["gain"], row["gain_lo"], row["before"], row["audit"], row["evidence"]) == (
        None,
        None,
        None,
        "contaminated",
        1,
    )
    (left,) = report.honesty[0].corrected
    assert (left.naive.value, left.touched, left.pairs) == (1.0, 1, 6)
    assert (left.bounds.lo, left.bounds.hi) == (pytest.approx(5 / 6), 1.0), "one of six pairs at 0 or at 1"
    assert left.without.value == 1.0
    assert "<b>key" not in page.html(report)


def test_what_touches_no_item_by_name_touches_all_of_its_lineage_and_no_other(journal: Journal):
    (left,) = audited(journal, PROOF).honesty[0].corrected
    assert (left.touched, left.pairs) == (3, 6)
    assert (left.bounds.lo, left.bounds.hi) == (0.5, 1.0)


def test_an_a_0_that_cheated_takes_the_gain_of_every_arm_that_is_held_against_it(journal: Journal):
    a_0 = shipped(journal)
    report = audited(journal, replace(PROOF, who=a_0, when="before"))
    (left,) = report.honesty[0].corrected
    assert (left.touched, left.pairs) == (6, 6)
    assert report.arms[0].rungs[0].verdict.word == "contaminated"


def test_a_contaminated_row_stays_in_the_family_of_a_comparison(journal: Journal):
    other = cell(lambda state, served: Action("0"))
    audit = Audit((PROOF,), ("command.L1",), 1)
    plain = whole.compare({"a": journal, "b": other})
    found = whole.compare({"a": journal, "b": other}, audits={"a": audit})
    assert [row.word for row in plain.rows] != ["contaminated"]
    assert [row.word for row in found.rows] == ["contaminated"]
    assert len(found.rows) == len(plain.rows)
