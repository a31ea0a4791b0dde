"""Several studies in one file: what is shared, what is laid over it, and what is refused."""

from pathlib import Path

import pytest

from rung.core import config, studies
from rung.core.errors import UsageError

LOCK = {"family": "toy-lock-v1", "difficulty": 1, "count": 3}
SHARED = {
    "name": "all",
    "protocol": "ladder",
    "lineages": 2,
    "agent": {"kind": "phantom:general", "base": 0.5},
    "method": {"name": "phantom"},
    "tasks": {"schedule": [LOCK], "holdout": [LOCK], "holdout_seed": 4},
}


def parsed(*own, **changes):
    return studies.parse({**SHARED, **changes, "studies": list(own)}).configs


def test_what_a_study_says_is_laid_over_what_is_shared_key_by_key():
    lamp = {**LOCK, "family": "toy-lamp-v1"}
    found = parsed({"name": "lock"}, {"name": "lamp", "lineages": 3, "tasks": {"schedule": [lamp]}})
    assert list(found) == ["lock", "lamp"]
    assert found["lock"].name == "all - lock"
    assert [block.label for block in found["lamp"].tasks.schedule] == ["toy-lamp-v1 d1"]
    assert (found["lamp"].lineages, found["lamp"].tasks.holdout_seed) == (3, 4)
    assert found["lamp"].tasks.holdout == found["lock"].tasks.holdout


def test_a_list_takes_the_place_of_a_list():
    arms = [{"name": "one"}, {"name": "two"}]
    found = parsed({"name": "lock", "arms": [{"name": "alone"}]}, arms=arms)
    assert [arm.name for arm in found["lock"].arms] == ["alone"]


@pytest.mark.parametrize("own", [[], [{}], [{"name": "Lock"}], [{"name": "a"}, {"name": "a"}], [{"name": "../a"}]])
def test_each_study_has_a_name_of_its_own_that_can_be_a_folder(own):
    with pytest.raises(UsageError, match="studies"):
        studies.parse({**SHARED, "studies": own})


def test_a_fault_is_told_with_the_study_it_is_in():
    with pytest.raises(UsageError, match=r"study 'lock': lineages: .* seen 0"):
        parsed({"name": "lock", "lineages": 0})


def test_a_file_is_read_with_overrides_on_what_is_shared(tmp_path: Path):
    file = tmp_path / "all.toml"
    file.write_text(
        'name = "all"\nprotocol = "ladder"\n[agent]\nkind = "phantom:static"\n[method]\nname = "phantom"\n[tasks]\n'
        'schedule = [{ family = "toy-lock-v1", difficulty = 1, count = 2 }]\n'
        'holdout = [{ family = "toy-lock-v1", difficulty = 1, count = 2 }]\n[[studies]]\nname = "a"\n'
    )
    assert studies.read(file, overrides=["lineages=7"]).configs["a"].lineages == 7


def test_what_takes_one_study_says_what_runs_several():
    with pytest.raises(UsageError, match="studies: several studies in one file are run by `rung tables`"):
        config.parse({**SHARED, "studies": [{"name": "a"}]})
