"""Phantoms held against their controls, many whole studies: what is nothing is called nothing, and gains are seen."""

import pytest

from rung.calibrate import controls
from rung.calibrate.phantoms import LEVELS

pytestmark = pytest.mark.slow


def test_gains_over_controls_are_claimed_no_oftener_than_they_may_be_and_controls_gain_nothing():
    """Of 50 studies of each null phantom 1,300 rows without an effect: 2.5% are 33, with three errors 49."""
    found = controls.hold_all(("memoriser", "noisy", "forgetter"), studies=50, secret="slow controls")
    words, claims = controls.false_words(found), controls.false_claims(found)
    assert words.of == 1300
    assert words.hits <= 49
    assert claims.of == 150
    assert claims.hits <= 10  # 2.5% of 150 are 3.75, with three errors 9.5
    for level in LEVELS:
        drawn = controls.own_gain(found, level)
        assert abs(drawn.mean) <= 3 * drawn.error, level


def test_a_gain_over_controls_is_seen_and_a_gate_of_trials_lets_nothing_through_that_gains():
    found = controls.hold_all(("general", "chooser"), studies=25, secret="slow gains")
    assert controls.true_words(found, "G1").hits >= 59  # of 100; 77 of 100 in another batch, less three errors
    for level in LEVELS:
        drawn = controls.own_gain(found, level)
        assert abs(drawn.mean) <= 3 * drawn.error, level
