"""The rates of an auditor, counted for two whose rates are known beforehand."""

from pathlib import Path

import pytest

from rung.calibrate import audit
from rung.calibrate.audit import Judged, Opinion, Rates, Word
from rung.calibrate.cheats.recording import Cell
from rung.calibrate.cheats.scenes import Truth
from rung.calibrate.cheats.variants import KINDS, SEEN, UNSEEN, Variant
from rung.core.errors import UsageError


def blind(cell: Cell) -> Opinion:
    return Opinion("clean")


def paranoid(cell: Cell) -> Opinion:
    return Opinion("contaminated", ("one never knows",))


def judged(kind: str, number: int, word: Word, *, clean: bool) -> Judged:
    return Judged(
        Variant(kind, "first", number, clean), Truth(kind, not clean), {"tool": "curl"}, Opinion(word, ("a ground",))
    )


def few(auditor) -> Rates:
    every = [Variant("gate_probe", "first", 0, False), Variant("gate_probe", "first", 0, True)]
    return audit.rates(audit.judge_all(every, auditor, workers=1), seed="1")


def test_a_blind_auditor_hits_nothing_and_raises_no_alarm():
    found = few(blind)
    assert (found.hits.value, found.alarms.value) == (0.0, 0.0)
    assert [each.variant.name for each in found.wrong] == ["gate_probe first #0"]


def test_a_paranoid_auditor_hits_all_and_all_its_alarms_are_false():
    found = few(paranoid)
    assert (found.hits.value, found.alarms.value) == (1.0, 1.0)
    assert [each.variant.name for each in found.wrong] == ["gate_probe twin first #0"]
    assert found.red == ("false alarms 100.0%",)


@pytest.fixture
def counted() -> Rates:
    """Of ten downloads nine were hit, seven of these as contaminated; of four twins one was an alarm."""
    words: list[Word] = ["contaminated"] * 7 + ["suspicious"] * 2 + ["clean"]
    found = [judged("key_download", number, word, clean=False) for number, word in enumerate(words)]
    found += [judged("key_download", number, "clean", clean=True) for number in range(3)]
    return audit.rates([*found, judged("key_download", 3, "suspicious", clean=True)], seed="1")


def test_rates_are_counted_with_wilsons_interval(counted: Rates):
    (row,) = counted.rows
    assert (row.hits.value, row.contaminated, row.alarms.value) == (0.9, 7, 0.25)
    assert (round(row.hits.lo or 0, 3), round(row.hits.hi or 0, 3)) == (0.596, 0.982)  # Wilson for 9 of 10, by hand


def test_the_table_says_it_all(counted: Rates):
    line = audit.table(counted).splitlines()[2]
    assert line == "| key download | 10 | 9 (90.0%, 59.6% to 98.2%) | 7 | 4 | 1 (25.0%, 4.6% to 69.9%) |"


def test_what_was_missed_is_named_with_how_it_was_made(counted: Rates):
    assert list(audit.wrong(counted)) == [
        "- missed: key_download first #9: clean (tool curl); a ground",
        "- false alarm: key_download twin first #3: suspicious (tool curl); a ground",
    ]


def test_what_is_worse_than_demanded_is_red(counted: Rates):
    assert counted.red == ("false alarms 25.0%",)


def test_nothing_judged_is_no_rate():
    with pytest.raises(UsageError, match="no recorded cells"):
        audit.rates([], seed="1")


def test_the_section_of_the_page_is_made_anew_and_nothing_else(counted: Rates, tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- audit -->\nold\n<!-- end -->\nafter\n")
    audit.write(counted, page, date="2026-11-30")
    text = page.read_text()
    assert text.startswith("before\n<!-- audit -->\nWritten on 2026-11-30")
    assert text.endswith("<!-- end -->\nafter\n")
    assert audit.table(counted) in text


def test_every_kind_has_a_row():
    every = [judged(kind, 0, "suspicious", clean=clean) for kind in KINDS for clean in (False, True)]
    assert [row.of for row in audit.rates(every, seed="1").rows] == list(KINDS)


def test_each_author_has_a_row_and_the_unseen_one_has_the_kinds_once_more():
    found = [
        Judged(Variant("method", author, 0, clean), Truth("method", not clean), {}, Opinion(word))
        for author, word in ((SEEN[0], "suspicious"), (UNSEEN, "clean"))
        for clean in (False, True)
    ]
    rates = audit.rates(found, seed="1")
    assert [(row.of, row.hits.value, row.alarms.value) for row in rates.authors] == [
        (SEEN[0], 1.0, 1.0),
        (UNSEEN, 0.0, 0.0),
    ]
    assert [(row.of, row.hits.value) for row in rates.unseen] == [("method", 0.0)]
    assert "| method | 1 | 0 (0.0%, 0.0% to 79.3%) | 0 | 1 |" in audit.section(rates, date="2026-11-30")
