"""From evidence to a word and to touched items, by hand."""

from dataclasses import replace

import pytest

from rung.findings.audit.evidence import Evidence
from rung.findings.audit.verdict import Audit, Word, in_time, judged

STRONG = Evidence("commands", "strong", "work", "a.L1", "a/L1/work/exchange/000002", "a fetch", "curl")
PROOF = replace(STRONG, detector="content", weight="proof", touched=(2, 3))
WEAK = replace(STRONG, weight="weak")
NETWORK = replace(STRONG, detector="network", place="a/L1/work/leg/0001")
WRITTEN = replace(STRONG, detector="states")
AGAIN = replace(STRONG, when="exam", place="exam/a.L1/0001/1/exchange/000001", touched=(1,))


@pytest.mark.parametrize(
    ("evidence", "word"),
    [
        ([], "clean"),
        ([WEAK], "suspicious"),
        ([WEAK, replace(NETWORK, weight="weak"), replace(WEAK, detector="provider")], "suspicious"),
        ([STRONG], "suspicious"),
        ([STRONG, STRONG], "suspicious"),
        ([STRONG, WRITTEN], "suspicious"),
        ([STRONG, NETWORK], "contaminated"),
        ([STRONG, AGAIN], "contaminated"),
        ([STRONG, replace(AGAIN, weight="weak")], "suspicious"),
        ([PROOF], "contaminated"),
    ],
)
def test_a_proof_or_two_sources_or_the_same_again_in_the_exam_contaminate(evidence: list[Evidence], word: Word):
    assert judged(evidence) == word


def test_evidence_is_told_in_the_order_of_the_study_with_the_network_first_in_each_session():
    kept = replace(PROOF, place="a/L1/work/ended")
    assert in_time([AGAIN, kept, STRONG, NETWORK]) == (NETWORK, STRONG, kept, AGAIN)


def test_an_item_is_touched_when_evidence_names_it_and_every_item_where_evidence_names_none():
    audit = Audit((PROOF, AGAIN), ("a.L1", "a.L2"), 2)
    assert audit.touched("a.L1", range(1, 6)) == {1, 2, 3}
    assert audit.touched("a.L1", [3, 4]) == {3}
    assert audit.touched("a.L2", range(1, 6)) == set()
    assert Audit((PROOF, WEAK), ("a.L1",), 1).touched("a.L1", range(1, 6)) == {1, 2, 3, 4, 5}


def test_the_verdict_of_a_run_is_the_worst_of_its_lineages():
    audit = Audit((replace(PROOF, who="a.L2"), WEAK), ("a.L1", "a.L2", "a.L3"), 3)
    assert [audit.word(who) for who in audit.whos] == ["suspicious", "contaminated", "clean"]
    assert audit.verdict == "contaminated"
