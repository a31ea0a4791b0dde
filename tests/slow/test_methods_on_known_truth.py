"""All methods on toys whose true gain is known: each gain is measured as it is, and controls gain nothing."""

import sys
import time
from pathlib import Path

import pytest

from rung.calibrate.pages import filled
from rung.testing.editing import INSIGHT
from rung.testing.known_truth import SUBJECTS, Design, measured, run, table

pytestmark = pytest.mark.slow
DOC = Path(__file__).parents[2] / "docs" / "methods-measured.md"
DESIGN = Design(lineages=6, worked=12, exam=40)
NAMES = tuple(SUBJECTS)
NOTES = "method/improver/notes.md"


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest):
    began = time.monotonic()
    made = measured(run(NAMES, DESIGN), DESIGN)
    text = PAGE.format(
        date=time.strftime("%Y-%m-%d"), seconds=time.monotonic() - began, design=DESIGN, table=table(made)
    )
    sys.stdout.write(text)
    if request.config.getoption("--write-tables"):
        DOC.write_text(filled(DOC.read_text("utf-8"), "known truth", text.rstrip("\n")), "utf-8")
    return made


PAGE = """Written by `make slow` on {date}, {seconds:.0f} s. One ladder, K = {design.lineages} lineages of
{design.worked} tasks, each with a replay two tasks later, an exam of N = {design.exam} tasks a level. The lesson takes
the chance of a right answer from {design.lesson.untaught} to {design.lesson.taught}.

{table}
"""


def test_every_gain_is_measured_within_three_standard_errors(found):
    assert [row for one in found.values() for row in one.rows if not row.right] == []


@pytest.mark.parametrize("name", NAMES)
def test_half_of_an_interval_is_at_most_half_of_the_planted_gain(found, name):
    rows = [row for row in found[name].rows if row.planted]
    assert rows
    assert [row for row in rows if not row.sharp] == []


def test_reflections_on_instances_raise_the_replay_of_these_and_nothing_else(found):
    rows = {row.level: row for row in found["reflexion-instance"].rows}
    assert rows.pop("G0").lo > 0.0
    assert {level: row.value for level, row in rows.items()} == dict.fromkeys(("G1", "G2", "G3", "G4"), 0.0)


def test_controls_gain_nothing(found):
    rows = [row for one in found.values() if one.report.control_of for row in one.rows]
    assert len(rows) == 2 * len(NAMES) * 5
    assert [row for row in rows if row.planted or not row.right] == []


def test_an_improver_is_edited_when_it_is_named_and_never_when_it_is_frozen(found):
    edited = {
        name: [INSIGHT in files[NOTES].decode() for files in found[name].files] for name in NAMES if "hyper" in name
    }
    assert edited.pop("hyper-direct") == [True] * DESIGN.lineages
    assert set(edited) == {"hyper", "hyper-faithful", "hyper-frozen"}
    assert all(found == [False] * DESIGN.lineages for found in edited.values())
