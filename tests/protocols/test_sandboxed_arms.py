"""Arms whose methods have a model write code are handed a sandbox that confines it, or are refused beforehand."""

from dataclasses import dataclass
from typing import Any

import pytest

from rung.core.config import parse
from rung.core.confined import Isolation
from rung.core.errors import UsageError
from rung.core.ports import Sandbox
from rung.protocols import wiring
from rung.testing.models import Provided

LOCK = {"family": "toy-lock-v1", "difficulty": 1, "count": 2}


def sandbox(method: dict[str, Any], **more: Any) -> Sandbox | None:
    """What the one arm of a study is handed."""
    document = {
        "name": "study",
        "protocol": "ladder",
        "agent": {"kind": "chat", "model": "scripted/function"},
        "method": method,
        "tasks": {"schedule": [LOCK], "holdout": [LOCK]},
        **more,
    }
    model = Provided(lambda request: "x")
    (arm,) = wiring.arms(parse(document), models={model.id: model})
    return arm.ports.sandbox


@dataclass
class Lacking:
    """A confiner that this machine has not."""

    name: str = "bubblewrap"

    def probe(self) -> Isolation:
        return Isolation(self.name, missing=("there is no bwrap",))


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "_confiner", lambda kind: Lacking(kind))


def test_a_method_that_has_code_written_is_handed_a_sandbox_that_confines():
    found = sandbox({"name": "ahe"})
    assert found is not None
    assert found.name == "bubblewrap"


def test_the_config_says_which():
    found = sandbox({"name": "ahe"}, sandbox={"kind": "unsafe"})
    assert found is not None
    assert found.name == "unsafe"


@pytest.mark.parametrize("method", [{"name": "ace"}, {"name": "static"}, {"name": "ahe", "code": False}])
def test_others_are_handed_none(method: dict[str, Any], lacking: None):
    assert sandbox(method) is None


def test_one_that_cannot_do_without_is_refused_with_the_mend(lacking: None):
    with pytest.raises(UsageError) as refused:
        sandbox({"name": "ahe"})
    said = str(refused.value)
    assert "arm 'ahe': 'ahe repaired' runs code that a model wrote, and sandbox.kind = 'bubblewrap'" in said
    assert "there is no bwrap" in said
    assert "code = false" in said


def test_one_that_can_does_without(lacking: None):
    assert sandbox({"name": "hyperagents"}) is None


def test_its_other_bounds_are_for_agent_programs():
    with pytest.raises(UsageError, match=r"\[sandbox\] says how an agent program is measured"):
        sandbox({"name": "ahe"}, sandbox={"memory_mb": 64})
