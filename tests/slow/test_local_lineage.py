"""The example of the local model, played for real: it can be read, its calls are on record, and it replays."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rung.core import config
from rung.protocols import launch
from rung.protocols.launch import Wishes
from rung.reports import ladder, markdown
from rung.reports.values import Actions, LadderReport
from rung.store.journal import SqliteJournal

pytestmark = pytest.mark.slow
EXAMPLE = Path(__file__).parents[2] / "examples" / "local_model.toml"
STEPS = 6  # of every task, as in the example


def opened(folder: Path) -> SqliteJournal:
    return SqliteJournal(folder / "journal.sqlite", read_only=True)


def parsed(report: LadderReport, name: str) -> Actions:
    found = next(arm.actions_improving for arm in report.arms if arm.name == name)
    assert found is not None
    return found


def test_a_lineage_of_the_local_model_is_read_recorded_and_replayed(tmp_path: Path, repetitions: Callable[[int], int]):
    steps = repetitions(STEPS)
    less = [] if steps == STEPS else ["method={ name = 'static' }"]  # reading whole trajectories takes minutes
    study = config.read(EXAMPLE, overrides=[f"budget.task.steps={steps}", *less])
    launch.run(study, tmp_path / "run")
    launch.run(study, tmp_path / "again", Wishes(replay=tmp_path / "run"))
    journal, again = opened(tmp_path / "run"), opened(tmp_path / "again")
    try:
        report = ladder.read(journal)
        constrained, free = parsed(report, "constrained"), parsed(report, "free")
        assert constrained.total == 3 * steps + 3 * min(steps, 5)  # of Hero's five quests each is answered once
        assert free.total == constrained.total
        assert constrained.parsed >= 0.8 * constrained.total
        assert f"{free.parsed:,} of {free.total:,} (" in markdown.markdown(report)
        calls = [fact for fact in journal.facts() if fact.kind.startswith("call/")]
        costs = {(note.path, note.kind): note.value for note in journal.observations() if note.kind.startswith("call/")}
        assert {(fact.path, fact.kind) for fact in calls} == set(costs)
        assert all(fact.value["usage"]["input_tokens"] > 100 for fact in calls)
        assert all(cost["usd"] == 0.0 and cost["tokens"] > 100 for cost in costs.values())
        assert again.digest() == journal.digest()
    finally:
        journal.close()
        again.close()
