"""Which rows of Table 4 of S3Gym cannot have begun from one baseline.

A flag is a proof, so it is checked by curves: of every pair that is not flagged here are two curves with one start that
print as both of its rows, and of random curves with one start none is ever flagged.
"""

import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from rung.cli.reanalyse import command
from rung.core.errors import UsageError
from rung.reanalysis.baselines import PLACES, Printed, compare
from rung.reanalysis.baselines_text import lines
from rung.reanalysis.readers import s3gym
from rung.stats.curve import auc_plus, average, maximum

FILES = Path(__file__).parent / "files" / "s3gym"
TABLE = FILES / "table4.md"
COMMON = json.loads((FILES / "common.json").read_text())["curves"]

FLAGGED = {
    "Chess": {"GPT-4o", "o3-mini", "Gemini-3.5-Flash"},
    "Minesweeper": {"GPT-4o", "GPT-4.1", "o3-mini", "Gemini-2.5-Flash"},
    "Nullify": {"GPT-5.5", "Gemini-3.5-Flash"},
    "Tetris": {"o3-mini", "Gemini-2.5-Pro", "Gemini-3.5-Flash"},
    "Snake": {"GPT-4o", "GPT-4.1", "Gemini-2.5-Flash", "Gemini-2.5-Pro", "GPT-5.5", "Gemini-3.5-Flash"},
    "PvZ": {"Gemini-2.5-Flash", "Gemini-2.5-Pro", "GPT-5.5"},
    "TrustEvo": {"GPT-4o"},
}
BY_SEARCH = {("Tetris", "Gemini-3.5-Flash"), ("Snake", "GPT-4o"), ("Snake", "Gemini-3.5-Flash")}


@pytest.fixture(scope="module")
def pairs():
    return compare(s3gym.read(TABLE))


def test_the_table_is_read_whole():
    curves = s3gym.read(TABLE)
    assert len(curves) == 7 * 2 * 7
    assert Printed("GPT-5.5", "Summary", "PvZ", 33.5, 41.333, 33.219) in curves
    assert Printed("GPT-4o", "History", "TrustEvo", 8.242, 11.5, 3.443) in curves


def test_exactly_the_pairs_are_flagged_that_no_start_fits(pairs):
    flagged = {(pair.game, pair.model) for pair in pairs if pair.flagged}
    assert flagged == {(game, model) for game, models in FLAGGED.items() for model in models}
    assert {(pair.game, pair.model) for pair in pairs if pair.basis == "search"} == BY_SEARCH
    assert {f"{pair.game}|{pair.model}" for pair in pairs if not pair.flagged} == set(COMMON)


def test_all_but_two_stand_if_one_checkpoint_of_each_was_not_valid(pairs):
    frail = {(pair.game, pair.model) for pair in pairs if pair.flagged and not pair.sturdy}
    assert frail == {("Minesweeper", "GPT-4o"), ("Minesweeper", "GPT-4.1")}


@pytest.mark.parametrize("name", COMMON)
def test_of_every_other_pair_two_curves_with_one_start_print_as_both_rows(pairs, name):
    pair = next(pair for pair in pairs if f"{pair.game}|{pair.model}" == name)
    drawn = COMMON[name]
    starts = {drawn[row.pathway][0] for row in pair.curves}
    assert len(starts) == 1
    for row in pair.curves:
        y = [value / 3 if drawn["thirds"] else value for value in drawn[row.pathway]]
        printed = [round(found, 3) for found in (average(y), maximum(y), auc_plus(PLACES, y))]
        assert printed == [row.average, row.maximum, row.area]


@pytest.mark.parametrize("game", ["Chess", "Nullify", "Snake", "TrustEvo"])
def test_random_curves_from_one_start_are_never_flagged(game):
    rng = Random(game)
    for _ in range(25 if game in ("Nullify", "Snake") else 6):
        top = {"Chess": 1.0, "Nullify": 1.0, "Snake": 3.0, "TrustEvo": 30.0}[game]
        start = round(3 * rng.random() * top) / 3
        rows = [_printed(pathway, game, start, top, rng) for pathway in ("History", "Summary")]
        (pair,) = compare(rows)
        assert not pair.flagged, (rows, pair.arithmetic)


def _printed(pathway: str, game: str, start: float, top: float, rng: Random) -> Printed:
    low = -10.0 if game == "TrustEvo" else 0.0
    level = low + rng.random() * (top - low)
    y = [start, *(round(3 * min(top, max(low, rng.gauss(level, top / 4)))) / 3 for _ in PLACES[1:])]
    return Printed("m", pathway, game, *(round(found, 3) for found in (average(y), maximum(y), auc_plus(PLACES, y))))


def test_a_curve_that_never_rises_begins_at_its_maximum():
    rows = [Printed("m", "History", "Tetris", 1.273, 2.667, 0.0), Printed("m", "Summary", "Tetris", 1.788, 4.0, 28.598)]
    (pair,) = compare(rows)
    assert pair.starts[0] == pytest.approx((8 / 3, 8 / 3))
    # From 8/3 ten checkpoints sum to 59/3 - 8/3 = 17: four at the maximum of 4 and one at 1, so 3 x 4 x 4/3 = 16.
    assert pair.arithmetic[-1] == (
        "Summary from 2.667: its 10 later checkpoints sum to 11 × 1.788 − 2.667 = 17.001, which means an AUC+ of at "
        "most 16.000, and 28.598 is printed"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("| (a) Average |\n| Model | Chess |\n| Summary | |\n| m | 0.1 |\n", "has no maximum"),
        ("| (a) Average |\n| Model | Chess |\n| Summary | |\n| m | high |\n", "is no number"),
    ],
)
def test_a_table_with_holes_is_refused_by_name(tmp_path, text, said):
    (tmp_path / "t.md").write_text(text)
    with pytest.raises(UsageError, match=said):
        s3gym.read(tmp_path / "t.md")


def test_games_without_a_rule_and_third_pathways_are_refused():
    one = Printed("m", "History", "Go", 0.0, 0.0, 0.0)
    with pytest.raises(UsageError, match="no rule"):
        compare([one, Printed("m", "Summary", "Go", 0.0, 0.0, 0.0)])
    with pytest.raises(UsageError, match="more than two"):
        compare([one, one, one])


def test_the_text_shows_the_arithmetic_and_what_was_assumed(pairs):
    said = list(lines(pairs))
    assert said[0].endswith("22 of 49 pairs not common")
    at = said.index("✗ Snake, Gemini-2.5-Pro: no common baseline, by its bounds")
    assert said[at + 1].endswith("nothing lies above the start, so it is the maximum, 4.333")
    assert "assumed: every printed number is exact to its last digit" in said


def test_the_command_knows_the_table(tmp_path):
    (tmp_path / "two.md").write_text(
        "\n".join("|".join(line.split("|")[:4]) for line in TABLE.read_text().splitlines())
    )
    said = CliRunner().invoke(command, [str(tmp_path / "two.md")], catch_exceptions=False)
    assert said.output.startswith("Baselines of two pathways, out of Avg., Max. and AUC+: 7 of 14 pairs not common")
    told = CliRunner().invoke(command, [str(tmp_path / "two.md"), "--json"], catch_exceptions=False)
    assert sum(pair["basis"] != "" for pair in json.loads(told.output)) == 7
