import json

import pytest

from rung.calibrate import audit, certificate
from rung.calibrate.audit import Judged, Opinion
from rung.calibrate.cheats.scenes import Truth
from rung.calibrate.cheats.variants import Variant
from rung.reports.certificate import Certificate, Row

GOOD = Row("scores N=8, smooth", "scores N=8", "paired.task_gain", 4_000, 1.0, coverage=0.953, false=0.021, ratio=1.07)
BAD = Row("curve, normal", "curve", "curve.signed_gain", 4_000, 1.0, coverage=0.8, red=("coverage 80.0%",))
BEYOND = Row("scores N=8, ceiling", "beyond", "paired.task_gain", 4_000, 1.0, coverage=0.39, limit="too few")


@pytest.fixture
def measured(monkeypatch):
    """What is measured, without measuring: that takes minutes and has tests of its own."""

    def put(*rows: Row) -> Certificate:
        found = Certificate("0.2.0", "0" * 64, "fast", "1", 4, rows)

        def make(profile, *, seed, workers, told):
            told("batches of data sets", 1, 2)
            told("batches of data sets", 2, 2)
            return found

        monkeypatch.setattr(certificate, "make", make)
        return found

    return put


def test_a_sound_instrument_is_told_in_a_table(rung, measured):
    measured(GOOD, BEYOND)
    said = rung("calibrate")
    assert said.exit == 0
    assert ["paired.task_gain", "1", "95.3%", "2.1%", "1.07"] in [line.split() for line in said.out.splitlines()]
    assert "  scores N=8, ceiling: covered 39.0%; too few\n" in said.out
    assert said.out.endswith("passed: 1 settings, profile fast, seed 1\n")
    assert said.err == "batches of data sets: 1 of 2\nbatches of data sets: 2 of 2\n"


def test_a_red_row_is_named_and_is_a_failed_check(rung, measured):
    measured(GOOD, BAD)
    said = rung("calibrate")
    assert said.exit == 1
    assert "RED curve, normal (curve.signed_gain): coverage 80.0%\n" in said.out
    assert said.out.endswith("not passed: 1 of 2 settings, profile fast, seed 1\n")


def test_json_is_the_certificate(rung, measured):
    measured(GOOD, BAD)
    said = rung("calibrate", "--json")
    found = json.loads(said.out)
    assert said.exit == 1
    assert (found["passed"], [each["setting"] for each in found["rows"]]) == (False, [GOOD.setting, BAD.setting])


def test_it_is_written_only_when_asked_to(rung, measured, monkeypatch):
    written = []
    monkeypatch.setattr(certificate, "write", written.append)
    found = measured(GOOD)
    rung("calibrate")
    assert written == []
    rung("calibrate", "--write")
    assert written == [found]


# --------------------------------------------------------------------------------------------- the audit


@pytest.fixture
def audited(monkeypatch):
    """Rates of an audit, without recording a cell."""

    def put(word: str) -> list[dict[str, object]]:
        asked: list[dict[str, object]] = []
        cells = [
            Judged(
                Variant("method", "first", 0, clean),
                Truth("method", not clean),
                {},
                Opinion(word if not clean else "clean"),
            )
            for clean in (False, True)
        ]

        def measure(auditor, *, told, **given):
            asked.append(given)
            return audit.rates(cells, seed=given["seed"])

        monkeypatch.setattr(audit, "measure", measure)
        return asked

    return put


def test_the_audit_is_measured_instead_when_asked_for(rung, audited):
    asked = audited("suspicious")
    said = rung("calibrate", "--audit", "--seed", "x")
    assert said.exit == 0
    assert "| method | 1 | 1 (100.0%, 20.7% to 100.0%) | 0 | 1 | 0 (0.0%, 0.0% to 79.3%) |\n" in said.out
    assert asked == [{"seed": "x", "cheats": 8, "twins": 8, "workers": 2}]


def test_an_audit_that_misses_too_much_is_a_failed_check(rung, audited):
    audited("clean")
    said = rung("calibrate", "--audit", "--profile", "full")
    assert said.exit == 1
    assert said.out.endswith("- missed: method first #0: clean ()\nRED method: hits 0.0%\n")


def test_rates_of_the_audit_are_json_for_machines(rung, audited):
    audited("contaminated")
    found = json.loads(rung("calibrate", "--audit", "--json").out)
    assert (found["hits"]["share"], found["false_alarms"]["share"], found["red"]) == (1.0, 0.0, [])
    assert found["kinds"][0]["contaminated"] == 1


def test_rates_of_the_audit_are_not_written_here(rung, audited):
    audited("contaminated")
    said = rung("calibrate", "--audit", "--write")
    assert said.exit != 0
    assert "make slow" in said.err
