import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rung.core.canonical import canonical, fingerprint
from rung.core.errors import UsageError
from rung.core.values import Evaluation, Score, Setting, State, Task


def task(**changes: object) -> Task:
    given = {
        "family": "f-v1",
        "setting": Setting("d3"),
        "seed": "a",
        "payload": {"n": 1},
        "constants": "c",
        "calls": 1,
    }
    return Task(**{**given, **changes})


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_score_is_a_finite_number(value: float):
    with pytest.raises(UsageError, match="finite"):
        Score(value)
    with pytest.raises(UsageError, match="finite"):
        Evaluation("completed", success=False, score=value)


def test_a_task_is_named_by_family_setting_seed_and_constants_and_by_nothing_else():
    same = task(payload={"n": 2}, calls=9)
    others = [task(family="g-v1"), task(setting=Setting("d4")), task(seed="b"), task(constants="d")]
    assert same.id == task().id
    assert len({task().id, *(other.id for other in others)}) == 5
    assert task(setting=Setting("d3", {"rows": 4})).id != task().id


def test_a_setting_dn_is_a_difficulty_and_a_named_one_is_not():
    assert [Setting(name).difficulty for name in ("d1", "d12", "explore", "d0", "d01")] == [1, 12, None, None, None]


@pytest.mark.parametrize(
    "path",
    [
        "agent",
        "notes.txt",
        "other/x",
        "/agent/x",
        "agent/../x",
        "agent//x",
        "agent/./x",
        "agent/\x00",
        "agent/a\nb",
        "agent/.git/config",
    ],
)
def test_a_state_holds_plain_paths_under_its_three_parts_only(path: str):
    with pytest.raises(UsageError, match="plain path"):
        State({path: b""})


def test_the_acting_part_of_a_state_leaves_out_the_method():
    state = State({"agent/a": b"1", "conversation/c": b"2", "method/m": b"3"})
    assert set(state.acting().files) == {"agent/a", "conversation/c"}
    assert set(state.part("agent").files) == {"agent/a"}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), json_values, max_size=5))
def test_the_order_of_keys_never_changes_how_a_value_is_spelt(value: dict[str, object]):
    shuffled = dict(reversed(list(value.items())))
    assert canonical(shuffled) == canonical(value)
    assert fingerprint(shuffled) == fingerprint(value)


def test_a_number_that_is_not_finite_is_never_recorded():
    with pytest.raises(UsageError, match="finite"):
        canonical({"x": math.nan})
