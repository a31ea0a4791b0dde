"""What the instrument tells an audit of an exam's tasks: how they are played, and fresh ones beside them."""

from rung.core import registry
from rung.core.seeds import Seed
from rung.findings.audit.likeness import FRESH
from rung.protocols import solved


def _drawn(family: str, number: int):
    found = registry.family(family)
    return [found.draw(found.settings()[0], Seed("solved").child(at)) for at in range(number)]


def test_exam_tasks_stand_beside_as_many_fresh_ones_of_their_kind():
    (kin,) = solved.kin(_drawn("hero-v1", 2))
    assert sorted(kin.items) == [1, 2]
    assert len(kin.fresh) == FRESH
    assert len({*kin.items.values(), *kin.fresh}) == FRESH + 2


def test_a_task_that_is_drawn_as_a_fresh_one_is_left_out_of_these():
    family = registry.family("hero-v1")
    setting = family.settings()[0]
    same = family.draw(setting, Seed("fresh items").child("hero-v1", setting.name, 0))
    (kin,) = solved.kin([same])
    assert len(kin.fresh) == FRESH - 1
    assert kin.items[1] not in kin.fresh


def test_the_same_tasks_have_the_same_kin():
    tasks = _drawn("nullify-v1", 1)
    assert solved.kin(tasks) == solved.kin(tasks)


def test_long_games_have_none():
    assert solved.kin(_drawn("astray-text-v1", 1)) == []


def test_a_course_begins_with_what_is_seen_and_ends_as_its_solver_plays():
    (task,) = _drawn("hero-v1", 1)
    ((seen, played),) = solved.kin([task])[0].items.values()
    assert seen.startswith("Quest 1")
    assert played.split("\n") == list(solved.answers([task])[task.id][0].split("\n"))
