"""A program without a model, in a real sandbox: what of it files alone can tell, and what they cannot."""

from pathlib import Path

import pytest

from .programs import Run

pytestmark = pytest.mark.skipif(not Path("/proc/self/ns/user").exists(), reason="programs are confined on Linux")


def test_of_a_program_without_a_model_its_files_are_known_and_what_its_forks_read_is_not(tmp_path: Path):
    report = Run(tmp_path).run().report()
    (built,), (used,) = report.inventory, report.adoption
    assert (built.seen, built.tasks, built.order, built.unread) == (False, 4, ("home/notes.json",), "")
    assert [(each.path, each.how, each.writes) for each in built.pieces] == [("home/notes.json", "written", None)]
    assert (built.present, built.unknown) == (
        ("files kept",),
        ("subagents", "offline evaluation", "optimisation services"),
    )
    assert [(each.path, each.kind) for each in used.artifacts] == [("home/notes.json", "files")]
    assert [(attempt.seen, attempt.uses, attempt.conversation) for attempt in used.attempts] == [(False, (), False)] * 2
    assert used.splits == ()
