"""The counts over controlled studies, by hand on made-up rows, and one small batch of whole studies."""

from typing import Any

import pytest

from rung.calibrate import controls
from rung.calibrate.controls import Held
from rung.core.values import Estimate
from rung.reports.over import Over
from rung.stats.verdict import Verdict


def row(level: Any, word: Any, adjusted: float | None) -> Over:
    gain = Estimate(0.1, 0.0, 0.2, "t", 8, 5)
    return Over(
        "phantom", "phantom-no-op", "no-op", level, "cell", gain, Verdict(word, None), adjusted, adjusted, "success"
    )


NARROW = Held("narrow", (row("G0", "improved", None), row("G1", "improved", 0.01), row("G2", "improved", 0.04)), ())
"""A phantom that gains on G0 and G1 and nowhere else: only its G2 is a false word."""
NOISY = Held("noisy", (row("G0", "improved", None), row("G1", "improved", 0.2)), (("G1", 0.1), ("G1", 0.3)))


def test_only_rows_without_a_true_gain_are_counted_as_false():
    assert controls.false_words([NARROW, NOISY]) == controls.Counted(hits=3, of=3)
    assert controls.true_words([NARROW, NOISY], "G1") == controls.Counted(hits=1, of=1)


def test_a_false_claim_is_one_of_a_study_and_takes_holm_and_an_exam():
    assert controls.false_claims([NARROW, NOISY]) == controls.Counted(hits=1, of=2)


def test_what_controls_gain_themselves_is_one_number_a_study():
    other = Held("noisy", (), (("G1", 0.0), ("G1", 0.0), ("G2", 9.0)))
    found = controls.own_gain([NOISY, other], "G1")
    assert (found.mean, found.error, found.of) == (pytest.approx(0.1), pytest.approx(0.1), 2)


def test_a_batch_of_studies_is_the_same_again_and_has_a_row_for_each_control_and_rung():
    one, again = (controls.hold_all(("general",), studies=1, secret="batch") for _ in range(2))
    assert one == again
    assert [(each.kind, each.level) for each in one[0].over] == [
        (kind, level) for kind in controls.CONTROLS for level in ("G0", "G1", "G2", "G3", "G4")
    ]
