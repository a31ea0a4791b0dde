"""ACE with the local model, held to its forms by a grammar: something is kept, or counted as skipped with the reason.

No gain is expected of it. What is measured is that a real model gets through every part.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from rung.backends.models.local import weights
from rung.core import config
from rung.protocols import launch
from rung.reports import ladder
from rung.store.journal import SqliteJournal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(weights.missing()) or not weights.converted(), reason="needs the local model: rung doctor --install-model"
    ),
]
EXAMPLE = Path(__file__).parents[2] / "examples" / "ace.toml"
TASKS = 10


def test_in_ten_short_tasks_each_variant_keeps_a_bullet_or_says_why_not(
    tmp_path: Path, repetitions: Callable[[int], int]
):
    tasks = repetitions(TASKS)
    lock = "{ family = 'toy-lock-v1', difficulty = 1, count = %d }"
    study = config.read(EXAMPLE, overrides=[f"tasks.schedule=[{lock % tasks}]"])
    launch.run(study, tmp_path / "run")
    journal = SqliteJournal(tmp_path / "run" / "journal.sqlite", read_only=True)
    try:
        report = ladder.read(journal)
        assert {arm.name for arm in report.arms} >= {"repaired", "faithful"}
        for arm in report.arms:
            if arm.name in ("repaired", "faithful"):
                refined = [fact.value for fact in journal.facts(under=f"{arm.name}/L1", kind="refined")]
                kept = [each for each in refined if each["candidates"]]
                skipped = [each["skipped"] for each in refined if "skipped" in each]
                assert len(kept) + len(skipped) == len(refined) == tasks
                assert (arm.proposed, arm.skipped, arm.method_faults) == (len(kept), len(skipped), 0)
                assert all(reason.startswith("no reply was a") for reason in skipped)
                if tasks == TASKS:
                    assert kept, skipped
    finally:
        journal.close()
