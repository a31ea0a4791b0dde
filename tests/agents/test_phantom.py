"""A phantom does what its skill file says, decided once an attempt."""

from typing import Any

import pytest

from rung.agents.phantom import SKILL, Skill
from rung.core.config import parse
from rung.core.values import State
from rung.protocols import launch

ROAD = {"family": "toy-road-v1", "difficulty": 1}


def scores(kind: str, **options: float) -> set[float]:
    """Every score of a small study of one phantom."""
    document = {
        "name": "phantoms",
        "protocol": "ladder",
        "lineages": 1,
        "agent": {"kind": f"phantom:{kind}", **options},
        "method": {"name": "phantom"},
        "tasks": {"schedule": [{**ROAD, "count": 12}], "holdout": [{**ROAD, "count": 4}]},
    }
    journal = launch.simulate(parse(document), secret="for phantoms")
    values: list[Any] = [fact.value for fact in journal.facts(kind="sealed")]
    return {value["score"] for value in values}


@pytest.mark.parametrize(("base", "expected"), [(0.0, {0.0}), (1.0, {1.0}), (0.5, {0.0, 1.0})])
def test_skill_is_the_chance_of_solving_a_task_as_a_whole(base: float, expected: set[float]):
    assert scores("static", base=base) == expected


def test_the_most_specific_skill_counts():
    skill = Skill(0.1, {"toy d1": 0.5}, {"seen": 0.9})
    assert skill.chance(instance="seen", cell="toy d1") == 0.9
    assert skill.chance(instance="new", cell="toy d1") == 0.5
    assert skill.chance(instance="new", cell="toy d2") == 0.1


def test_a_skill_file_comes_back_as_it_was_written():
    skill = Skill(0.25, {"toy d1": 0.5}, {"seen": 1.0})
    state = skill.write(State({SKILL: b"old"}))
    assert Skill.read(state) == skill
