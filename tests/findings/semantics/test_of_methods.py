"""Proposals of the methods there are, over the toys with scripted improvers that write what is known."""

from typing import Any

import pytest

from rung.core.config import parse
from rung.findings.semantics.counts import Row, annotated, row
from rung.protocols import launch, wiring
from rung.testing import improvers
from rung.testing.lessons import SENTENCE, Lesson
from rung.testing.models import Provided

TASKS = 3


def proposals(says: improvers.Says, **method: Any) -> list[Row]:
    """What a method proposed in one lineage of three tasks."""
    cell = {"family": "toy-lock-v1", "difficulty": 1}
    config = parse(
        {
            "name": "changes",
            "protocol": "ladder",
            "lineages": 1,
            "seed": 5,
            "agent": {"kind": "chat", "model": "scripted/function"},
            "method": method,
            "exam": {"secret": "for tests", "baseline_repeats": 1},
            "tasks": {"schedule": [{**cell, "count": TASKS}], "holdout": [{**cell, "count": 1}]},
        }
    )
    model = Provided(improvers.roles(says, Lesson(untaught=0.0).acting))
    journal = launch.simulate(config, secret="for tests", arms=wiring.arms(config, models={model.id: model}))
    return [row(each) for _, some in annotated(journal) for each in some]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("ace", "agent/memory/playbook.jsonl"),
        ("gepa", "agent/prompt/instructions.md"),
        ("ahe", "agent/system.md"),
        ("hyperagents", "agent/system.md"),
    ],
)
def test_a_lesson_that_is_written_is_one_proposal_where_it_lies(name, path):
    first = next(
        each for each in proposals(improvers.competent(Lesson(untaught=0.0)), name=name) if each.text == SENTENCE
    )
    assert (first.path, first.operation, first.relation, first.surface) == (path, "add", "new", "contextual artifact")


def test_a_reflection_is_its_story_with_what_was_learned():
    (first, *_) = proposals(improvers.competent(Lesson(untaught=0.0)), name="reflexion")
    assert first.text == f"{improvers.BEFORE} {SENTENCE}"


def test_an_answer_that_was_copied_is_of_its_task_alone():
    copied = [each for each in proposals(improvers.copying(), name="ace") if each.fate == "adopted"]
    assert len(copied) == TASKS
    assert {each.scope for each in copied} == {"task"}


def test_copies_that_a_method_leaves_out_are_recorded_as_duplicates():
    left = [each for each in proposals(improvers.copying(), name="ace") if each.fate == "copy"]
    assert left
    assert {(each.relation, each.retained, each.lifetime) for each in left} == {("duplicate", False, None)}


def test_an_edit_of_its_own_improver_is_of_the_refinement_mechanism():
    found = proposals(improvers.meddling(), name="hyperagents", meta_prompt="improver_named")
    assert {(each.path, each.surface) for each in found} == {("method/improver/notes.md", "refinement mechanism")}


def test_code_is_of_the_harness_and_works_on_execution():
    files = {"agent/tools/twice.py": "def twice(x):\n    return 2 * x\n"}
    found = proposals(improvers.writing(files), name="hyperagents")
    assert [(each.text, each.surface, "execution" in each.function) for each in found] == [
        ("def twice(x):\n    return 2 * x", "execution harness", True)
    ]
