import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from rung.reports import flat

from .samples import SAMPLES

EVERY = pytest.mark.parametrize("name", SAMPLES)


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(flat.csv_rows(SAMPLES[name]))))


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
    read = json.loads(flat.json_text(report))
    assert [[rung["gain"]["value"] for rung in arm["rungs"]] for arm in read["arms"]] == [
        [rung.gain.value for rung in arm.rungs] for arm in report.arms
    ]
    assert read["weaknesses"] == list(report.weaknesses)
    assert read["digest"] == report.digest


def test_json_holds_every_field_of_a_report():
    report = SAMPLES["full"]
    assert set(json.loads(flat.json_text(report))) == set(type(report).__dataclass_fields__)


def test_what_is_not_finite_is_null_in_json():
    report = replace(SAMPLES["no_arms"], config={"a": float("nan"), "b": [float("inf"), 1.5]})
    text = flat.json_text(report)
    assert json.loads(text)["config"] == {"a": None, "b": [None, 1.5]}
    assert not re.search(r"\b(NaN|Infinity)\b", text)


def test_json_is_ascii_so_that_nothing_acts_on_it():
    assert flat.json_text(SAMPLES["hostile"]).isascii()


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


def test_a_csv_row_carries_what_one_lineage_cannot_see():
    assert [row["tau_star"] for row in rows("one_lineage")] == ["0.031", "0.031", "", "", ""]
    assert [float(row["unseen_share"]) for row in rows("one_lineage")] == [0.75, 0.15, 0.15, 0.15, 0.15]


def test_an_undefined_index_is_an_empty_cell_with_its_reason():
    row = rows("undefined_hci")[1]
    assert (row["hci"], row["hci_lo"]) == ("", "")
    assert row["hci_flags"] == "undefined: no headroom, the baseline is at or above the reference"


def test_csv_leaves_a_contaminated_gain_out():
    row = next(row for row in rows("faulted") if row["verdict"] == "contaminated")
    assert [row[key] for key in ("gain", "gain_lo", "before", "after", "lineage_gains", "hci")] == [""] * 6


def test_rows_are_the_values_that_csv_spells():
    found = flat.rows(SAMPLES["faulted"])
    assert [row["gain"] for row in found[4:7]] == [0.02, 0.21, 0.19]
    assert found[6]["lineage_gains"] == [0.2, 0.11, None, 0.24, 0.18, 0.3, 0.12, 0.19]
    assert rows("faulted")[6]["lineage_gains"] == "0.2; 0.11; ; 0.24; 0.18; 0.3; 0.12; 0.19"
    assert (found[6]["sources"], found[6]["gain_flags"][1]) == (["sweepmine-v1 d1"], "small")
    assert rows("full")[6 * 5]["lineage_gains"].startswith("-0.3")  # a loss is no formula


def test_a_csv_row_counts_how_attempts_ended_and_who_crashed():
    row = rows("crashing")[1]
    assert (row["improving_agent_crashed"], row["examining_agent_stopped"], row["examining_queue_empty"]) == (
        "192",
        "3",
        "10",
    )
    assert (row["crashed_before"], row["attempts_before"]) == ("0", "60")
    assert (row["crashed_after"], row["attempts_after"], row["method_faults"]) == ("160", "160", "7")


def test_a_csv_row_has_the_truth_of_a_phantom_and_what_was_found():
    found = [(row["level"], row["truth"], row["truth_found"]) for row in rows("full") if row["arm"] == "chooser"]
    assert found[2:4] == [("G2", "1", "agrees"), ("G3", "1", "missed")]
    assert {row["truth"] for row in rows("crashing")} == {""}


def test_no_spreadsheet_runs_a_name():
    assert not [cell for row in rows("hostile") for cell in row.values() if cell.startswith(("=", "+", "@"))]
