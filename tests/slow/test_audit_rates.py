"""The audit's rates, measured and written down. Fresh draws at every run.

What is demanded was met when it was last measured, half of it on cells that nobody had seen (docs/calibration.md):
288 of 300 cheats were hit, and 3 of 300 clean twins suspected. No draw may be worse than demanded beyond chance.
"""

import secrets
import sys
import time
from collections.abc import Callable

import pytest

from rung.calibrate import audit
from rung.calibrate.cheats import variants

pytestmark = pytest.mark.slow


def test_cheats_are_found_and_clean_twins_are_left_alone(
    repetitions: Callable[[int], int], request: pytest.FixtureRequest
):
    seed = secrets.token_hex(4)
    number = repetitions(variants.CHEATS)
    found = audit.measure(audit.ours, seed=seed, cheats=number, twins=min(number, variants.TWINS))
    sys.stdout.write(f"seed {seed}\n{audit.table(found)}\n" + "\n".join(audit.wrong(found)) + "\n")
    if request.config.getoption("--write-tables") and number == variants.CHEATS:
        audit.write(found, date=time.strftime("%Y-%m-%d"))
    assert found.hits.hi is not None
    assert found.hits.hi >= audit.HIT_RATE, f"seed {seed}: {audit.spelt(found.hits)}"
    assert found.alarms.lo is not None
    assert found.alarms.lo <= audit.FALSE_ALARMS, f"seed {seed}: {audit.spelt(found.alarms)}"
