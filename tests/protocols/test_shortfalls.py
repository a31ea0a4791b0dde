"""What a study is told beforehand of tasks that it will lack, from its config alone."""

import pytest

from rung.core.config import MethodConfig, parse
from rung.methods import ahe, training
from rung.protocols.shortfalls import GATHERING, gathered, shortfalls
from rung.tasks.sequence import Crowded, crowded

TINY = {"family": "toy-lock-v1", "setting": "tiny"}
"""Eight different tasks."""
LOCK = {"family": "toy-lock-v1", "difficulty": 1}
FEW = "toy-lock-v1 tiny has {} different tasks and this study wants {}: {}"


def study(schedule, holdout, **tasks):
    blocks = {"schedule": [{**cell, "count": count} for cell, count in schedule], "holdout": []}
    blocks["holdout"] = [{**cell, "count": count} for cell, count in holdout]
    static = {"agent": {"kind": "phantom:static"}, "method": {"name": "phantom"}}
    return parse({"name": "s", "protocol": "ladder", "lineages": 3, **static, "tasks": {**blocks, **tasks}})


@pytest.mark.parametrize(("worked", "sealed"), [(2, 6), (1, 7), (8 - 6, 6)])
def test_a_study_that_uses_all_there_are_is_told_nothing(worked, sealed):
    assert shortfalls(study([(TINY, worked)], [(TINY, sealed)])) == ()


def test_one_more_than_there_are_and_the_exam_will_not_be_fresh():
    assert shortfalls(study([(TINY, 3)], [(TINY, 6)])) == (FEW.format(8, 9, "the exam will not be fresh"),)
    assert shortfalls(study([(LOCK, 3)], [(TINY, 40), (LOCK, 6)])) == (FEW.format(8, 40, "the exam will not be fresh"),)


def test_lineages_may_share_what_they_work_and_blocks_of_one_cell_count_together():
    wanted = study([(TINY, 2), (LOCK, 1), (TINY, 3)], [(TINY, 6)]).tasks
    assert crowded(wanted) == (Crowded("toy-lock-v1 tiny", there=8, sealed=6, worked=5),)


def test_work_alone_that_comes_twice_is_called_that():
    config = study([(TINY, 9)], [({"family": "toy-lamp-v1", "difficulty": 1}, 6)])
    assert shortfalls(config) == (FEW.format(8, 9, "some will be worked more than once"),)


def test_one_task_that_is_repeated_is_one_and_a_pool_is_as_large_as_it_is_drawn():
    assert crowded(study([(TINY, 50)], [(TINY, 7)], repeat=True).tasks) == ()
    drawn = study([(TINY, 2)], [(TINY, 3)], holdout_tasks_per_difficulty=7).tasks
    assert crowded(drawn) == (Crowded("toy-lock-v1 tiny", there=8, sealed=7, worked=2),)


def test_what_nobody_has_counted_is_never_too_few():
    assert shortfalls(study([({"family": "farm-v1", "difficulty": 1}, 500)], [(LOCK, 500)])) == ()


def test_cells_with_too_few_sealed_tasks_are_named_together():
    holdout = [
        (LOCK, 5),
        ({"family": "toy-lamp-v1", "difficulty": 1}, 6),
        ({"family": "toy-road-v1", "difficulty": 2}, 1),
    ]
    said = "toy-lock-v1 d1 has 5, toy-road-v1 d2 has 1 sealed tasks, and fewer than 6 give no verdict"
    assert shortfalls(study([(LOCK, 3)], holdout)) == (said,)


def explored(every: int, episodes: int):
    return parse(
        {
            "name": "s",
            "protocol": "explore",
            "lineages": 1,
            "agent": {"kind": "chat", "model": "local/policy"},
            "method": {"name": "training", "every": every},
            "explore": {"games": ["snake-v1"], "episodes": episodes, "judges": ["verdict"]},
        }
    )


def test_a_method_that_waits_for_more_attempts_than_there_are_is_named_once_also_in_a_quick_look():
    said = (
        "arm 'training': method 'training' changes something after every = 7 attempts, and a lineage makes 6, so "
        "nothing ever changes; lower every, or give more explore.episodes"
    )
    assert shortfalls(explored(7, 6)) == (said,)
    assert shortfalls(explored(7, 6).model_copy(update={"quick": True})) == (said,)
    assert shortfalls(explored(6, 6)) == ()


def test_a_method_that_waits_for_more_tasks_than_there_are_is_told_so():
    waits = {"agent": {"kind": "chat", "model": "local/smollm2"}, "method": {"name": "ahe", "every": 4}}
    blocks = {"schedule": [{**LOCK, "count": 3}], "holdout": [{**LOCK, "count": 6}]}
    (said,) = shortfalls(parse({"name": "s", "protocol": "ladder", "lineages": 1, **waits, "tasks": blocks}))
    assert said.endswith("a lineage makes 3, so nothing ever changes; lower every, or give more tasks")


def test_a_quick_look_says_already_that_it_measures_nothing():
    config = study([(TINY, 3)], [(TINY, 4)])
    assert shortfalls(config.model_copy(update={"quick": True})) == ()


@pytest.mark.parametrize("name", GATHERING)
def test_what_a_method_gathers_unless_told_is_what_its_own_code_says(name):
    makes = {"ahe": ahe.make, "training": training.make}
    assert GATHERING[name] == gathered(MethodConfig(name=name)) == makes[name]({}).every
