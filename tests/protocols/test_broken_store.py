"""A record that cannot be kept stops the study: it is no fault of an attempt, and no score."""

import asyncio

import pytest

from rung.calibrate.phantoms import Design, config
from rung.core.canonical import JSON
from rung.core.errors import StoreFault
from rung.protocols import ladder, plan, wiring
from rung.protocols.study import Bench, Study
from rung.store.memory import MemoryJournal
from rung.store.snapshots import JournalSnapshots


class FullDisk(MemoryJournal):
    """Breaks at the third step of anything."""

    steps = 0

    def put(self, path: str, kind: str, value: JSON) -> None:
        self.steps += kind == "step"
        if self.steps == 3:
            raise StoreFault("disk", "full")
        super().put(path, kind, value)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_full_disk_stops_the_study_with_no_attempt_blamed(concurrency: int):
    journal, study = FullDisk(), config("general", Design(lineages=2, worked=4, lag=2, exam_tasks=3), seed=1)
    drawn = plan.make(study, secret="s")
    bench = Bench(journal, JournalSnapshots(journal), drawn.seed, concurrency=concurrency)
    arms = wiring.arms(study)
    with pytest.raises(StoreFault, match="disk: full"):
        asyncio.run(ladder.run(Study(bench), ladder.Ladder(arms, drawn.held.lineages, drawn.exam, drawn.seed)))
    assert all("fault" not in str(fact.value) for fact in journal.facts(kind="sealed"))
