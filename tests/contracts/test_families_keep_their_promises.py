"""Every registered family, toys included, against every promise of the family suite."""

from functools import cache

import pytest

from rung.core import registry
from rung.tasks import keys
from rung.testing.contracts import SUITES, FamilyCase, examine


@cache
def case_of(family: str) -> FamilyCase:
    return FamilyCase(registry.family(family), keys.key(family))


@pytest.mark.parametrize("check", SUITES["families"], ids=lambda check: check.__name__)
@pytest.mark.parametrize("family", registry.names("families"))
def test_a_family_keeps_its_promises(family, check):
    finding = examine(check, case_of(family))
    assert finding.passed, f"{finding.sentence} {finding.detail}"
