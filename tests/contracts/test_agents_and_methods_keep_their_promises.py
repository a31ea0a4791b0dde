"""Every registered agent and method against every promise of its suite."""

from functools import cache, partial

import pytest

from rung.core import registry
from rung.testing.contracts import SUITES, Subject, examine, subjects


@cache
def tried(group: registry.Group, name: str) -> tuple[Subject, ...]:
    module = registry.load(group, name)
    if group == "agents" and not hasattr(module, "EXAMPLES") and hasattr(module, "RUNGS"):  # the phantoms' own list
        return tuple(Subject("agents", kind, partial(module.make, kind, {})) for kind in module.RUNGS)
    return tuple(subjects(name, group))


@pytest.mark.parametrize("check", SUITES["agents"], ids=lambda check: check.__name__)
@pytest.mark.parametrize("agent", registry.names("agents"))
def test_an_agent_keeps_its_promises(agent, check):
    findings = [(subject.name, examine(check, subject.thing)) for subject in tried("agents", agent)]
    assert [(name, finding.detail) for name, finding in findings if not finding.passed] == []


@pytest.mark.parametrize("check", SUITES["methods"], ids=lambda check: check.__name__)
@pytest.mark.parametrize("method", registry.names("methods"))
def test_a_method_keeps_its_promises(method, check):
    findings = [(subject.name, examine(check, subject.thing)) for subject in tried("methods", method)]
    assert [(name, finding.detail) for name, finding in findings if not finding.passed] == []
