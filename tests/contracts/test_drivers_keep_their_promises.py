"""The drivers of this project against every promise of the driver suite."""

import pytest

from rung.protocols.asked import Asked
from rung.testing.contracts import SUITES, examine

DRIVERS = {"asked": Asked}


@pytest.mark.parametrize("check", SUITES["drivers"], ids=lambda check: check.__name__)
@pytest.mark.parametrize("driver", DRIVERS)
def test_a_driver_keeps_its_promises(driver, check):
    finding = examine(check, DRIVERS[driver])
    assert finding.passed, f"{finding.sentence} {finding.detail}"
