"""Some methods on the known truth, at a size that is done in seconds; all of them in tests/slow."""

import pytest

from rung.testing.editing import INSIGHT
from rung.testing.improvers import SLOPPY, copying
from rung.testing.known_truth import Design, Row, measured, run, table

SMALL = Design(lineages=3, worked=4, exam=20)
NAMES = ("reflexion-instance", "hyper-direct", "hyper-frozen")
NOTES = "method/improver/notes.md"


@pytest.fixture(scope="module")
def found():
    return measured(run(NAMES, SMALL), SMALL)


def test_every_gain_is_measured_within_three_standard_errors_and_the_exams_tell_it_from_nothing(found):
    for name in NAMES:
        for row in found[name].rows:
            assert row.right, row
            assert row.sharp or row.planted == 0.0 or row.level == "G0", row


def test_controls_gain_nothing(found):
    rows = [row for one in found.values() if one.report.control_of for row in one.rows]
    assert len(rows) == 2 * len(NAMES) * 5
    assert [row for row in rows if not row.right or row.planted] == []


def test_what_a_method_notes_is_worth_something_on_the_rungs_that_are_told_it(found):
    planted = {name: {row.level for row in found[name].rows if row.planted} for name in NAMES}
    assert planted == {
        "reflexion-instance": {"G0"},
        "hyper-direct": {"G1", "G2", "G3", "G4"},
        "hyper-frozen": {"G1", "G2", "G3", "G4"},
    }


def test_an_improver_is_edited_when_it_is_named_and_never_when_it_is_frozen(found):
    assert [INSIGHT in files[NOTES].decode() for files in found["hyper-direct"].files] == [True] * 3
    assert [INSIGHT in files[NOTES].decode() for files in found["hyper-frozen"].files] == [False] * 3


def test_the_table_has_a_line_for_each_row_with_its_controls_beside_it(found):
    lines = table(found).splitlines()
    assert len(lines) == 2 + 3 * 4 + 1
    direct = next(line for line in lines if line.startswith("| hyper-direct | G1 | 0.60 | +0."))
    assert direct.count("+0.00 [+0.00, +0.00]") == 2


@pytest.mark.parametrize("improver", [SLOPPY["nothing"], SLOPPY["off the surface"], copying()])
def test_where_no_lesson_is_written_none_is_planted_and_none_is_measured(improver):
    design = Design(lineages=2, worked=3, exam=6, controls=())
    names = ("ace", "hyper-direct")
    for one in measured(run(names, design, improver=improver), design).values():
        assert [(row.planted, row.value) for row in one.rows] == [(0.0, 0.0)] * 4


def test_a_row_is_right_within_three_standard_errors_and_sharp_where_it_tells_the_gain_from_nothing():
    assert Row("a", "G1", planted=0.6, value=0.4, lo=0.2, hi=0.6).right
    assert not Row("a", "G1", planted=0.71, value=0.4, lo=0.2, hi=0.6).right
    assert Row("a", "G1", planted=0.4, value=0.4, lo=0.2, hi=0.6).sharp
    assert not Row("a", "G1", planted=0.39, value=0.4, lo=0.2, hi=0.6).sharp
