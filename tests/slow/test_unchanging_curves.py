"""An agent that never changes is called "gained on the curve" hardly ever, and has an AUC+ above 0 nearly always.

4,000 studies in memory for each row, and 50 whole ones whose report says of each what is said of its scores in memory.
"""

import sys
import time
from pathlib import Path

import pytest

from reports.explored import LAMP, TINY, study
from reports.unchanging import BINARY, WORLDS, World, rates, words
from rung.calibrate.pages import filled
from rung.reports.explore import read
from rung.reports.explore.record import record

pytestmark = pytest.mark.slow
DOC = Path(__file__).parents[2] / "docs" / "guide" / "curves.md"
STUDIES, WHOLE, LINEAGES = 4000, 50, (1, 3, 5)
MOST_GAINED = 0.045

TEXT = """Written by `make slow` on {date}: {studies:,} studies in memory a row, of ten checkpoints of three episodes
and a baseline of thirty; per cent of them.

| scores | lineages | gained | lost | still rising | AUC+ above 0 |
|---|---|---|---|---|---|
{rows}

Of {whole} whole studies, half with one lineage and half with five, the report said of each curve what is said of its
scores in memory: {gained} of {curves} curves gained, {above} had an AUC+ above 0.
"""


def test_nothing_is_gained_by_never_changing_and_auc_plus_is_above_0(request, repetitions):
    studies, whole = repetitions(STUDIES), repetitions(WHOLE)
    rows, gained, above = [], [], []
    for world in WORLDS:
        for lineages in LINEAGES:
            found = rates(world, lineages, studies)
            rows.append(f"| {world.name} | {lineages} | {found.row()} |")
            gained.append(found.gained)
            above.append(found.auc_plus)
    said = [each for number in range(whole) for each in _whole(number)]
    text = TEXT.format(
        date=time.strftime("%Y-%m-%d"),
        studies=studies,
        rows="\n".join(rows),
        whole=whole,
        gained=sum(word == "improved" for word, _ in said),
        curves=len(said),
        above=sum(positive for _, positive in said),
    )
    sys.stdout.write(text)
    if request.config.getoption("--write-tables") and studies == STUDIES:
        DOC.write_text(filled(DOC.read_text("utf-8"), "unchanging", text), "utf-8")
    slack = 0.0 if studies == STUDIES else 3 * (MOST_GAINED / studies) ** 0.5
    assert max(gained) <= MOST_GAINED + slack
    assert min(above) > 0.5
    assert sum(word == "improved" for word, _ in said) <= 0.1 * len(said) + 1
    assert sum(positive for _, positive in said) > 0.5 * len(said)


def _whole(number: int) -> list[tuple[str, bool]]:
    """The words of one whole study, each that of its scores in memory, and whether AUC+ is above 0."""
    lineages = 1 if number % 2 else 5
    journal = study(lineages, by={"still": 0.0}, seed=number, games=(TINY, LAMP))
    report, scores = read.read(journal), record(journal).scores
    plain = World("as recorded", lambda generator: None, lambda generator, levels: None, BINARY)
    for row in report.curves:
        word, slope, positive = words(scores[row.arm, row.game], plain)
        assert (row.alone.word, row.slope_word) == (word, slope)
        assert row.described is not None
        assert (row.described.auc_plus.value > 0) is positive
    return [(row.alone.word, row.described.auc_plus.value > 0) for row in report.curves if row.described is not None]
