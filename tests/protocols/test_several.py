"""Which run of a file of studies draws an exam, and which sit it after."""

from pathlib import Path

from rung.core import studies
from rung.protocols import several

LOCK = {"family": "toy-lock-v1", "difficulty": 1, "count": 3}


def jobs(*own, **exam):
    document = {
        "name": "all",
        "protocol": "ladder",
        "agent": {"kind": "phantom:general"},
        "method": {"name": "phantom"},
        "exam": exam,
        "tasks": {"schedule": [LOCK], "holdout": [LOCK]},
        "studies": list(own),
    }
    return {job.name: job for job in several.jobs(studies.parse(document), Path("out"))}


def test_the_first_study_of_an_exam_draws_it_and_the_others_sit_the_same():
    found = jobs(
        {"name": "a"},
        {"name": "b", "lineages": 2},
        {"name": "c", "tasks": {"holdout_seed": 9}},
        {"name": "d", "tasks": {"holdout_seed": 9}},
        {"name": "e", "exam": {"repeats": 2}},
    )
    exams = {name: job.exam_of for name, job in found.items()}
    assert exams == {"a": None, "b": Path("out/a"), "c": None, "d": Path("out/c"), "e": None}
    assert found["b"].out == Path("out/b")


def test_a_fixed_secret_is_taken_over_by_nobody():
    assert {job.exam_of for job in jobs({"name": "a"}, {"name": "b"}, secret="open").values()} == {None}
