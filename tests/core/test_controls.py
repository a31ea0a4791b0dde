"""`controls` adds arms with one key, and is refused where it would control nothing."""

import json
from typing import Any

import pytest

from rung.core.config import ControlArm, parse
from rung.core.errors import UsageError

LOCK = {"family": "toy-lock-v1", "difficulty": 1, "count": 4}
PLAIN: dict[str, Any] = {
    "name": "study",
    "protocol": "ladder",
    "agent": {"kind": "chat", "model": "local/smollm2"},
    "method": {"name": "reflexion"},
    "tasks": {"schedule": [LOCK], "holdout": [LOCK]},
}
PHANTOM = {"agent": {"kind": "phantom:general"}, "method": {"name": "phantom"}}
ALL = ["discard", "no-op", "random-edit", "shuffled"]


def names(**changes: Any) -> list[str]:
    return [arm.name for arm in parse({**PLAIN, **changes}).every_arm()]


def refusal(**changes: Any) -> str:
    with pytest.raises(UsageError) as refused:
        parse({**PLAIN, **changes})
    return str(refused.value)


def test_one_key_adds_an_arm_for_each_control_named_after_the_arm_it_controls():
    assert names(controls=ALL) == ["reflexion", *(f"reflexion-{name}" for name in ALL)]


def test_each_of_several_arms_gets_its_own_and_one_that_proposes_nothing_gets_none():
    arms = [{"name": "a"}, {"name": "b", "method": {"name": "static"}}, {"name": "c"}]
    assert names(arms=arms, controls=["no-op"]) == ["a", "a-no-op", "b", "c", "c-no-op"]


def test_a_control_has_the_agent_and_the_method_of_its_arm():
    arm, control = parse({**PLAIN, "controls": ["discard"]}).every_arm()
    assert isinstance(control, ControlArm)
    assert (control.of, control.control) == ("reflexion", "discard")
    assert (control.agent, control.method) == (arm.agent, arm.method)


def test_controls_are_identity_and_without_them_the_identity_is_as_it_was():
    plain, controlled = (parse({**PLAIN, **more}).identity() for more in ({}, {"controls": ["no-op"]}))
    assert "controls" not in plain
    assert all("control" not in arm for arm in plain["arms"])
    assert controlled["controls"] == ["no-op"]
    assert [(arm["name"], arm.get("of"), arm.get("control")) for arm in controlled["arms"]] == [
        ("reflexion", None, None),
        ("reflexion-no-op", "reflexion", "no-op"),
    ]
    assert json.loads(json.dumps(controlled)) == controlled


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"controls": ["static"]}, "controls: 'static' is no arm to add: every ladder has a static arm already"),
        ({"controls": ["best-of-n"]}, "controls: 'best-of-n' is no arm to add: an exam tells an agent nothing"),
        ({"controls": ["no-op", "no-op"]}, "controls: 'no-op' stands twice; name each control once"),
        (
            {"controls": ["noop"]},
            "controls[0]: is 'discard', 'no-op', 'random-edit' or 'shuffled', seen 'noop'; did you mean 'no-op'?",
        ),
        (
            {"controls": ["no-op"], "method": {"name": "static"}},
            "controls = ['no-op'] with method.name = 'static', which proposes nothing to control; remove controls",
        ),
        (
            {"controls": ["shuffled"], **PHANTOM},
            "arm 'phantom' has agent.kind = 'phantom:general', which writes numbers alone; take 'discard' and 'no-op'",
        ),
        ({"controls": ["random-edit"], **PHANTOM}, "controls names 'random-edit'"),
        (
            {"controls": ["no-op"], "arms": [{"name": "a"}, {"name": "a-no-op"}]},
            "controls = ['no-op'] adds an arm 'a-no-op', and there is one of that name already; rename that one",
        ),
        (
            {"controls": ["random-edit"], "arms": [{"name": "a" * 21}]},
            f"controls adds an arm '{'a' * 21}-random-edit', and a name has at most 32 signs",
        ),
        (
            {
                "protocol": "cell",
                "agent": {"kind": "command:claude-code"},
                "method": None,
                "controls": ["no-op"],
            },
            'protocol = "cell" has no method; remove it: a cell has its before-exam, its sentinels',
        ),
        ({"arms": [{"name": "a", "of": "b", "control": "no-op"}]}, "unknown key 'of'"),
    ],
)
def test_what_would_control_nothing_is_refused_with_key_value_and_mend(changes: dict[str, Any], told: str):
    assert told in refusal(**changes)
