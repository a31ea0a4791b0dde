"""What a comparison says, and what it must not say."""

import re
from dataclasses import replace

import pytest

from rung.core.values import Estimate
from rung.reports.compare import text
from rung.reports.compare.rows import matrices
from rung.reports.compare.values import POLICIES, Compared, Counted, Over, Standing, Word
from rung.stats.missing import Bounds

from . import samples
from .compared import compared, played, row, study

UNKNOWN = Estimate(None, None, None, "t", 20, 5, ("unknown: the cost of a lineage is unknown",))


@pytest.fixture(scope="module")
def plain() -> Compared:
    """Two small runs of one lineage, in order."""
    agents = {
        "null": {"kind": "phantom:static", "base": 0.2},
        "good": {"kind": "phantom:general", "rate": 0.9, "base": 0.2},
    }
    return compared({name: played(study(name, tasks=24, lineages=1, agent=agent)) for name, agent in agents.items()})


def with_rows(found: Compared, *rows, **more) -> Compared:
    return replace(
        found, rows=rows, matrices=matrices(rows, ["a", "b", "c"]), **{"standings": (), "controls": (), **more}
    )


def both(found: Compared) -> str:
    return "\n".join([*text.lines(found), text.markdown(found)])


def test_one_lineage_covers_variation_between_tasks_only_and_has_its_tau(plain):
    told = [line for line in text.lines(plain) if "covers variation between tasks" in line]
    assert told
    assert any(re.search(r"tau\* [0-9.]+: if whole runs differ", line) for line in told)
    assert "a change on fewer than 12.5% of such tasks can be missed entirely (3/N)" in both(plain)


def test_a_contaminated_number_stands_nowhere(plain):
    hidden = row(
        "a", "b", 0.4321, 0.001, word="contaminated", reasons=("a: not fresh: 3 of 20",), gains=(0.1234, 0.5678)
    )
    over = Over("G1", "toy-lock-v1 d1", "b", "a", hidden.difference, "contaminated", UNKNOWN, None, (), "success")
    said = both(with_rows(plain, hidden, controls=(over,)))
    assert not re.search(r"0\.432|0\.123|0\.568|0\.332|0\.532", said)
    assert "withheld: contaminated (a: not fresh: 3 of 20)" in said
    assert UNKNOWN.flags[0] not in said


def test_a_rank_never_stands_without_how_many_there_are(plain):
    said = both(plain)
    assert re.findall(r"rank of \S+: (.*), by", said)
    assert all(re.fullmatch(r"\d+( to \d+)? of \d+", rank) for rank in re.findall(r"rank of \S+: (.*), by", said))
    assert text.rank_text(Standing("G1", "c", "a", 0.1, 2, 2, 5)) == "2 of 5"
    assert text.rank_text(Standing("G1", "c", "a", 0.1, 1, 4, 5)) == "1 to 4 of 5"


def test_why_there_is_no_word_stands_in_the_row_with_all_three_ways_to_count(plain):
    ways = {"failed": 0.1, "dropped": 0.3, "retried": 0.4}
    words: dict[str, Word] = {"failed": "inconclusive", "dropped": "higher", "retried": "higher"}
    counted = {
        policy: Counted(
            Estimate(ways[policy], ways[policy] - 0.05, ways[policy] + 0.05, "t", 20, 5), 0.01, 0.01, words[policy]
        )
        for policy in POLICIES
    }
    turned = replace(
        row(
            "a",
            "b",
            0.4,
            0.01,
            word="incomplete",
            reasons=("the word turns on how the unscored count: failed → inconclusive",),
        ),
        unscored=counted,
        bounds=Bounds(-0.1, None),
    )
    lines = list(text.lines(with_rows(plain, turned)))
    at = next(place for place, line in enumerate(lines) if line.startswith("  b less a: "))
    assert lines[at].endswith(": incomplete")
    assert lines[at + 1].strip() == "the word turns on how the unscored count: failed → inconclusive"
    assert lines[at + 2].strip() == (
        "unscored = failed +0.100 [0.050, 0.150]; = dropped +0.300 [0.250, 0.350]; = retried +0.400 [0.350, 0.450]; "
        "worst cases −0.100 to no upper bound"
    )


def test_a_scale_without_an_end_has_no_worst_case(plain):
    open_ended = replace(
        row("a", "b", 0.4, 0.01),
        bounds=Bounds(None, None),
        unscored={policy: Counted(row("a", "b", 0.4, 0.01).difference, 0.01, 0.01, "higher") for policy in POLICIES},
    )
    assert "worst cases have no bound" in both(with_rows(plain, open_ended))


def test_an_unknown_price_reads_unknown_and_never_nothing(plain):
    over = Over(
        "G1", "toy-lock-v1 d1", "b", "a", row("a", "b", 0.4, 0.01).difference, "higher", UNKNOWN, UNKNOWN, (), "success"
    )
    said = both(with_rows(plain, row("a", "b", 0.4, 0.01), controls=(over,)))
    assert "per US dollar of improving: unknown: the cost of a lineage is unknown" in said
    assert "| unknown: the cost of a lineage is unknown | unknown: the cost of a lineage is unknown |" in said


def test_rungs_that_differ_on_a_cell_are_named(plain):
    assert "rungs: G2 less G1" in both(with_rows(plain, row("a", "b", 0.4, 0.01, levels=("G1", "G2"))))


def test_replays_are_counted_in_all_and_not_by_lineage(plain):
    shown = text.said(row("a", "b", 0.4, 0.01, levels=("G0", "G0")))
    assert shown == "+0.400 [0.300, 0.500], 20 replays in all, 5 lineages, p 0.01: inconclusive"


@pytest.mark.parametrize("foreign", samples.HOSTILE)
def test_foreign_names_do_nothing_to_a_terminal_or_a_page(plain, foreign: str):
    rows = (row(foreign, "b", 0.4, 0.01, cell=foreign, reasons=(foreign,)), row("b", foreign, 0.4, 0.01, cell=foreign))
    standing = Standing("G1", foreign, foreign, 0.1, 1, 2, 2)
    over = Over("G1", foreign, foreign, foreign, rows[0].difference, "higher", None, None, (foreign,), foreign)
    made = with_rows(plain, *rows, standings=(standing,), controls=(over,), stamps=(foreign,), warnings=(foreign,))
    made = replace(made, differs={foreign: {foreign: foreign}}, matrices=matrices(rows, [foreign, "b"]))
    told = list(text.lines(made))
    assert not any("\n" in line for line in told)
    assert not re.search("[\x00-\x09\x1b\u202e]", "".join(told))
    page = text.markdown(made)
    assert "<script" not in page
    assert not re.search("[\x00-\x08\x1b\u202e]", page)


def test_no_number_is_nothing_infinite_or_none(plain):
    assert not re.search(r"\b(nan|inf|None)\b", both(plain).replace("not given", ""), re.IGNORECASE)
