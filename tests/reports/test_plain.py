import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from rung.reports import plain

from .samples import SAMPLES

EVERY = pytest.mark.parametrize("name", SAMPLES)


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(plain.csv_rows(SAMPLES[name]))))


def printed(name: str, width: int = 80) -> list[str]:
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    console.print(plain.terminal(SAMPLES[name]))
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


# --------------------------------------------------------------------------------------------- the answer


def test_a_held_rung_is_claimed_with_its_place_gain_and_interval():
    narrow = SAMPLES["full"].arms[2]
    assert plain.answer(narrow) == (
        "the agent improves itself on new instances of sweepmine-v1 d1 by +0.312 [0.221, 0.403] "
        "(share of spare actions left); nothing was shown further up (G2, G3 and G4 inconclusive); "
        "on tasks it met before (G0): improved."
    )


def test_an_arm_that_holds_every_rung_says_so():
    general = SAMPLES["full"].arms[3]
    assert "every rung that was asked is held" in plain.answer(general)


def test_an_improvement_above_a_rung_that_is_not_held_is_named_and_not_claimed():
    chooser = SAMPLES["full"].arms[4]
    assert "G4 improved by +0.302 [0.170, 0.434] (profit / greedy profit), not held because" in plain.answer(chooser)


def test_a_loss_is_said_with_its_number_on_every_rung():
    said = plain.answer(SAMPLES["full"].arms[6])
    assert said.startswith("regressed on new instances of sweepmine-v1 d1 by −0.241 [−0.332, −0.150]")
    assert "G2 regressed by −0.183" in said


def test_one_lineage_speaks_of_this_end_state_only():
    said = plain.answer(SAMPLES["one_lineage"].arms[0])
    assert said.startswith("this end state only: improved on new instances")
    assert "agent improves itself" not in said


def test_two_lineages_carry_no_verdict():
    said = plain.answer(SAMPLES["two_lineages"].arms[0])
    assert said.startswith("not estimable on new instances of sweepmine-v1 d1 (two lineages: no verdict)")


def test_a_contaminated_number_is_in_no_sentence():
    assert "0.777" not in plain.answer(SAMPLES["faulted"].arms[2])


def test_a_unit_is_named_once_in_a_sentence():
    assert plain.answer(SAMPLES["full"].arms[3]).count("share of spare actions left") == 1


def test_a_rung_that_was_not_asked_is_said_to_be_so():
    assert "G3 not asked" in plain.answer(SAMPLES["faulted"].arms[0])


# --------------------------------------------------------------------------------------------- JSON


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, float):
        yield value


@EVERY
def test_json_reads_back_with_every_arm_and_rung(name: str):
    report = SAMPLES[name]
    read = json.loads(plain.json_text(report))
    assert [[rung["gain"]["value"] for rung in arm["rungs"]] for arm in read["arms"]] == [
        [rung.gain.value for rung in arm.rungs] for arm in report.arms
    ]
    assert read["weaknesses"] == list(report.weaknesses)
    assert read["digest"] == report.digest


def test_json_holds_every_field_of_a_report():
    report = SAMPLES["full"]
    assert set(json.loads(plain.json_text(report))) == set(type(report).__dataclass_fields__)


def test_what_is_not_finite_is_null_in_json():
    report = replace(SAMPLES["no_arms"], config={"a": float("nan"), "b": [float("inf"), 1.5]})
    text = plain.json_text(report)
    assert json.loads(text)["config"] == {"a": None, "b": [None, 1.5]}
    assert not re.search(r"\b(NaN|Infinity)\b", text)


def test_json_is_ascii_so_that_nothing_acts_on_it():
    assert plain.json_text(SAMPLES["hostile"]).isascii()


# --------------------------------------------------------------------------------------------- CSV


@EVERY
def test_csv_has_one_full_row_per_arm_and_comparison(name: str):
    found = rows(name)
    assert len(found) == sum(len(arm.rungs) for arm in SAMPLES[name].arms)
    assert all(None not in row and None not in row.values() for row in found)


def test_a_csv_row_carries_interval_n_method_flags_and_verdict():
    row = rows("one_lineage")[1]
    assert float(row["gain"]) == 0.301
    assert (float(row["gain_lo"]), float(row["gain_hi"])) == pytest.approx((0.101, 0.501))
    assert (row["gain_n_tasks"], row["gain_n_lineages"], row["gain_method"]) == ("20", "1", "t over tasks")
    assert row["gain_flags"] == "this end state only; few informative tasks"
    assert (row["verdict"], row["scope"], row["held"]) == ("improved", "this end state only", "yes")


def test_an_undefined_index_is_an_empty_cell_with_its_reason():
    row = rows("undefined_hci")[1]
    assert (row["hci"], row["hci_lo"]) == ("", "")
    assert row["hci_flags"] == "undefined: no headroom, the baseline is at or above the reference"


def test_csv_leaves_a_contaminated_gain_out():
    row = next(row for row in rows("faulted") if row["verdict"] == "contaminated")
    assert [row[key] for key in ("gain", "gain_lo", "before", "after", "lineage_gains", "hci")] == [""] * 6


def test_rows_are_the_values_that_csv_spells():
    found = plain.rows(SAMPLES["faulted"])
    assert [row["gain"] for row in found[4:7]] == [0.02, 0.21, 0.19]
    assert found[6]["lineage_gains"] == "0.2; 0.11; ; 0.24; 0.18; 0.3; 0.12; 0.19"
    assert rows("full")[6 * 5]["lineage_gains"].startswith("-0.3")  # a loss is no formula


def test_no_spreadsheet_runs_a_name():
    assert not [cell for row in rows("hostile") for cell in row.values() if cell.startswith(("=", "+", "@"))]


# --------------------------------------------------------------------------------------------- Markdown


@EVERY
def test_markdown_says_every_weakness_hole_verdict_and_flag(name: str):
    report, text = SAMPLES[name], plain.markdown(SAMPLES[name])
    owed = [*report.weaknesses, *report.incomplete]
    owed += [flag for arm in report.arms for rung in arm.rungs for flag in (*rung.gain.flags, *rung.hci.flags)]
    owed += [word for arm in report.arms for rung in arm.rungs for word in (*rung.verdict.reasons, rung.verdict.word)]
    assert [word for word in owed if plain.markdown_text(word) not in text] == []


def test_markdown_holds_no_markup_of_foreign_text():
    text = plain.markdown(SAMPLES["hostile"])
    assert not re.search(r"<(script|img|svg|/style)", text)


def test_every_row_of_a_markdown_table_has_as_many_cells_as_its_head():
    for block in plain.markdown(SAMPLES["hostile"]).split("\n\n"):
        if block.startswith("|"):
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1


# --------------------------------------------------------------------------------------------- terminal


@EVERY
def test_the_terminal_summary_fits_a_terminal(name: str):
    found = printed(name)
    assert len(found) <= 26
    assert max(map(len, found)) <= 80


def test_the_terminal_shows_each_arm_with_gain_interval_and_mark():
    text = "\n".join(printed("full"))
    assert "▲ +0.31" in text
    assert "[0.22,0.40]" in text
    assert "3 things weaken this" in text


def test_the_terminal_names_what_is_missing():
    assert any(line.startswith("incomplete: arm broken: 640 of 640") for line in printed("faulted", 140))


def test_nothing_foreign_steers_the_terminal():
    assert not re.search("[\x00-\x08\x1b\u202e]", "\n".join(printed("hostile")))


# --------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("value", "beside", "expected"),
    [
        (0.0, (), "0.000"),
        (-0.0, (), "0.000"),
        (0.00312, (), "0.00312"),
        (-4.2, (), "−4.200"),
        (42.11, (), "42.1"),
        (0.5, (1234.0,), "0"),
        (-0.00000012, (), "−1.20e−07"),
        (float("nan"), (), "not a number"),
        (None, (1.0,), "–"),
    ],
)
def test_a_number_has_as_many_digits_as_its_group_deserves(
    value: float | None, beside: tuple[float, ...], expected: str
):
    assert plain.number(value, *beside) == expected
