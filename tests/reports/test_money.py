"""What models cost, from whole small studies: by the report, by plain SQL, and by the provider's own bill."""

import csv
import io
import json
import re
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rung.protocols import launch
from rung.protocols.launch import Wishes
from rung.reports import accounts, flat, markdown, page, terminal
from rung.reports.values import Actions, ArmReport, Calls, Cost, LadderReport

from . import modelled
from .modelled import MODEL, Billed

USD = """
WITH tries AS (
    SELECT path, json_extract(value, '$.n') AS n, json_extract(value, '$.usd') AS usd
    FROM observation WHERE name = 'reserved'
), ends AS (
    SELECT json_extract(value, '$.n') AS n, json_extract(value, '$.usd') AS usd
    FROM observation WHERE name = 'settled'
)
SELECT tries.path, sum(coalesce(ends.usd, tries.usd)) FROM tries LEFT JOIN ends USING (n) GROUP BY tries.path
"""
CALLS = "SELECT path, kind, json FROM fact WHERE kind LIKE 'call/%' OR kind LIKE 'failed/%' ORDER BY path, kind"


class Sheet:
    """Calls and dollars of a run, by SQL alone."""

    def __init__(self, file: Path) -> None:
        database = sqlite3.connect(file)
        self.usd = dict(database.execute(USD))
        self.calls = [(path, kind, json.loads(text)) for path, kind, text in database.execute(CALLS)]
        steps = database.execute(
            "SELECT path, json_extract(json, '$.parsed'), json_extract(json, '$.invalid') FROM fact WHERE kind = 'step'"
        )
        self.steps = list(steps)
        self.ended = list(
            database.execute("SELECT path, json_extract(json, '$.ending') FROM fact WHERE kind = 'ended'")
        )
        database.close()

    def cost(self, begins: str, *ends: str) -> tuple[int, int, int, int, float]:
        """Calls, tokens read, cached and written, and dollars of all paths that begin and end so."""
        mine = [row for _, kind, row in self._of(begins, ends) if kind.startswith("call/")]
        usage = [row["usage"] for row in mine]
        read, cached, written = (
            sum(each[key] for each in usage) for key in ("input_tokens", "cached_tokens", "output_tokens")
        )
        usd = sum(usd for path, usd in self.usd.items() if path.startswith(begins) and _fits(path, ends))
        return len(mine), read, cached, written, usd

    def failures(self, begins: str) -> Counter[str]:
        return Counter(row["error"] for _, kind, row in self._of(begins, ()) if kind.startswith("failed/"))

    def actions(self, begins: str) -> Actions:
        mine = [row for row in self.steps if row[0].startswith(begins)]
        return Actions(len(mine), sum(row[1] for row in mine), sum(row[2] for row in mine))

    def _of(self, begins: str, ends: tuple[str, ...]) -> list[tuple[str, str, Any]]:
        return [row for row in self.calls if row[0].startswith(begins) and _fits(row[0], ends)]


REFINING = ("/refine", "/select")


def _fits(path: str, ends: tuple[str, ...]) -> bool:
    return path.endswith(ends) if ends else True


def figures(cost: Cost | None) -> tuple[Any, ...]:
    assert cost is not None
    assert cost.calls is not None
    calls = cost.calls
    return calls.answered, calls.input_tokens, calls.cached_tokens, calls.output_tokens, pytest.approx(calls.usd)


def arm(report: LadderReport, name: str) -> ArmReport:
    return next(arm for arm in report.arms if arm.name == name)


def calls(cost: Cost) -> Calls:
    assert cost.calls is not None
    return cost.calls


@pytest.fixture(scope="module")
def billed() -> Billed:
    return Billed(modelled.learns)


@pytest.fixture(scope="module")
def file(billed: Billed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return modelled.run(tmp_path_factory.mktemp("run"), billed, budget={"usd": 5.0, "tokens": 10**7})


@pytest.fixture(scope="module")
def report(file: Path) -> LadderReport:
    return modelled.report(file)


# --------------------------------------------------------------------------------------------- what it cost


def test_calls_tokens_and_dollars_are_those_of_plain_sql(file: Path, report: LadderReport):
    sheet = Sheet(file)
    mirror, still = arm(report, "mirror"), arm(report, "still")
    assert sheet.cost("mirror/") == figures(mirror.improving)
    assert sheet.cost("mirror/", *REFINING) == figures(mirror.refining)
    assert sheet.cost("exam/mirror.") == figures(mirror.examining)
    assert sheet.cost("still/") == figures(still.improving) == figures(still.working)
    assert {one.name: figures(one.cost) for one in report.shared} == {
        one.name: sheet.cost(f"{'exam/' if one.stage == 'examining' else ''}{one.name}/") for one in report.shared
    }
    assert sheet.cost("mirror/", *REFINING)[0] > 0
    assert still.refining is not None
    assert still.refining.calls is None


def test_the_query_in_the_guide_gives_the_numbers_of_the_report(file: Path, report: LadderReport):
    guide = (Path(__file__).parents[2] / "docs/guide/journal.md").read_text()
    (query,) = (sql for sql in re.findall(r"```sql\n(.*?)```", guide, re.DOTALL) if "reserved" in sql)
    database = sqlite3.connect(file)
    rows = {(who, part): rest for who, part, *rest in database.execute(query)}
    database.close()
    mirror, lineages = arm(report, "mirror"), [f"exam of mirror.L{number}" for number in (1, 2)]
    for part, cost in (("working", mirror.working), ("refining", mirror.refining)):
        counted, read, cached, written, unmetered, usd, unpriced = rows["mirror", part]
        assert (counted, read, cached, written, usd) == figures(cost)
        assert (unmetered, unpriced) == (0, 0)
    assert sum(rows[name, "working"][5] for name in lineages) == pytest.approx(calls(mirror.examining).usd)


def test_working_and_refining_are_improving(report: LadderReport):
    mirror = arm(report, "mirror")
    assert mirror.working is not None
    assert mirror.refining is not None
    assert calls(mirror.working).tokens + calls(mirror.refining).tokens == calls(mirror.improving).tokens
    assert mirror.working.seconds + mirror.refining.seconds == pytest.approx(mirror.improving.seconds)
    assert (mirror.working.attempts, mirror.refining.attempts) == (mirror.improving.attempts, 0)


def test_improving_examining_and_the_instrument_add_up_to_the_bill(billed: Billed, report: LadderReport):
    assert set(report.totals) == {"improving", "examining", "instrument"}
    totals = [calls(cost) for cost in report.totals.values()]
    assert sum(each.usd or 0.0 for each in totals) == pytest.approx(billed.usd)
    assert sum(each.made for each in totals) == billed.tries
    assert report.spending is not None
    assert (report.spending.usd, report.spending.tries) == (pytest.approx(billed.usd), billed.tries)
    assert sum(cost.attempts for cost in report.totals.values()) == report.attempts.total


def test_a_gain_is_divided_by_what_improving_cost_a_lineage(file: Path, report: LadderReport):
    _, read, cached, written, usd = Sheet(file).cost("mirror/")
    found = [rung for rung in arm(report, "mirror").rungs if rung.gain.value]
    assert found
    for rung in found:
        assert rung.per_usd is not None
        assert rung.per_million_tokens is not None
        assert rung.per_usd.value == pytest.approx(rung.gain.value / (usd / 2))
        assert rung.per_million_tokens.value == pytest.approx(rung.gain.value / ((read + cached + written) / 2) * 1e6)


def test_a_row_of_the_csv_has_dollars_and_tokens_by_name(file: Path, report: LadderReport):
    _, read, cached, written, usd = Sheet(file).cost("mirror/")
    row = next(row for row in csv.DictReader(io.StringIO(flat.csv_rows(report))) if row["arm"] == "mirror")
    assert float(row["improving_usd_per_lineage"]) == pytest.approx(usd / 2)
    assert float(row["improving_tokens_per_lineage"]) == (read + cached + written) / 2
    assert [int(row[f"improving_{kind}_tokens"]) for kind in ("input", "cached", "output")] == [read, cached, written]
    assert float(row["examining_usd"]) == pytest.approx(Sheet(file).cost("exam/mirror.")[4])
    assert (row["agent_model"], row["method_model"]) == (MODEL, MODEL)
    assert float(row["gain_per_usd"]) == pytest.approx(float(row["gain"]) / float(row["improving_usd_per_lineage"]))
    assert row["gain_per_million_tokens_method"].endswith("by million tokens of improving a lineage")


def test_the_subtitle_says_how_many_calls_for_how_many_dollars(billed: Billed, report: LadderReport):
    assert accounts.called(report) == f"{billed.tries} model calls, ${billed.usd:.3f}"
    assert accounts.agents(report) == f"{MODEL} acting"


def test_the_budget_stands_beside_what_is_spent_and_the_price_beside_its_date(billed: Billed, report: LadderReport):
    spent = f"${billed.usd:.3f} of $5.00"
    for text in (terminal.text(report, width=140), markdown.markdown(report), page.html(report)):
        assert spent in text
    price = "2 in, 0.5 cached, 10 out, as of 2026-11-30"
    assert price in markdown.markdown(report)
    assert price in page.html(report)
    assert any("prices as of 2026-11-30" in text for text in report.weaknesses)


def test_an_arm_that_spent_more_is_flagged_beside_every_gain(report: LadderReport):
    mirror, still = arm(report, "mirror"), arm(report, "still")
    times = (calls(mirror.improving).usd or 0.0) / (calls(still.improving).usd or 1.0)
    flag = f"unmatched budgets: spent {times:.3g} times what still did on improving (US dollars)"
    assert times > 1.25
    assert all(flag in rung.gain.flags for rung in mirror.rungs)
    assert not any("unmatched" in flag for rung in still.rungs for flag in rung.gain.flags)
    assert any(
        text.startswith("Budgets are not matched: a lineage spent on improving, in US dollars: mirror")
        for text in report.weaknesses
    )


# --------------------------------------------------------------------------------------------- what went wrong


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    more = {"tasks": {**modelled.TASKS, "schedule": [{**modelled.CELL, "count": 16, "replay": True}]}}
    return modelled.run(tmp_path_factory.mktemp("troubled"), Billed(modelled.troubled), **more)


def test_failed_calls_are_counted_by_what_they_came_to_and_the_first_is_quoted(troubled: Path):
    report, sheet = modelled.report(troubled), Sheet(troubled)
    mirror = arm(report, "mirror")
    seen = {failure.error: failure.calls for failure in calls(mirror.improving).failures}
    assert seen == dict(sheet.failures("mirror/"))
    assert set(seen) == {"EmptyReply", "ModelFault", "ContextOverflow"}
    made = calls(mirror.improving).made + calls(mirror.examining).made
    empty = seen["EmptyReply"] + sheet.failures("exam/mirror.")["EmptyReply"]
    (said,) = (text for text in report.weaknesses if "calls of mirror came to nothing but empty replies" in text)
    assert said.startswith(f"{empty} of {made} (")
    assert "The first: “3 replies of no text and no call; the last stopped with 'stop'" in said
    assert "“answered 400: no”, mirror/L" in " ".join(report.weaknesses)
    assert "“a-model answered 400: context_length_exceeded”, mirror/L" in " ".join(report.weaknesses)


def test_every_try_at_an_empty_reply_is_paid(tmp_path: Path):
    billed = Billed(lambda request: "")
    found = modelled.report(modelled.run(tmp_path, billed, exam={"reruns": 0}))
    assert billed.tries == 3 * sum(calls(cost).made for cost in found.totals.values())
    assert sum(calls(cost).usd or 0.0 for cost in found.totals.values()) == pytest.approx(billed.usd)


def test_invalid_actions_are_counted_where_a_model_acted(troubled: Path):
    report, sheet = modelled.report(troubled), Sheet(troubled)
    still = arm(report, "still")
    assert still.actions_improving is not None
    assert still.actions_improving == sheet.actions("still/")
    assert still.actions_improving.invalid > 0
    for count in (still.actions_improving.parsed, still.actions_improving.invalid):
        assert f"{count} of {still.actions_improving.total} (" in page.html(report)
    unread = still.actions_improving.unread
    said = [text for text in report.weaknesses if "answers of still while improving could not be read" in text]
    assert [text.split(" ")[0] for text in said] == ([str(unread)] if unread else [])


def test_attempts_of_which_a_method_made_nothing_are_counted_and_the_first_reason_is_quoted(tmp_path: Path):
    short = Billed(lambda request: "too short" if request.role == "improver" else modelled.learns(request))
    found = modelled.report(modelled.run(tmp_path, short))
    database = sqlite3.connect(tmp_path / "journal.sqlite")
    (skipped,) = database.execute(
        "SELECT count(*) FROM fact WHERE kind = 'refined' AND json LIKE '%\"skipped\"%'"
    ).fetchone()
    database.close()
    assert arm(found, "mirror").skipped == skipped > 0
    (said,) = (text for text in found.weaknesses if text.startswith("The method of mirror made nothing of"))
    assert f"{skipped} attempts" in said
    assert "it has 2 words, and a reflection has at least 6" in said


# --------------------------------------------------------------------------------------------- limits


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return modelled.run(tmp_path_factory.mktemp("limited"), Billed(modelled.learns), budget={"task": {"tokens": 10}})


def test_attempts_that_a_limit_ended_are_counted_apart_in_every_form(limited: Path):
    report = modelled.report(limited)
    still, ended = (
        arm(report, "still"),
        Counter(ending for path, ending in Sheet(limited).ended if path.startswith("still/")),
    )
    assert dict(ended) == {"limit_reached": still.ended_improving.of("limit_reached")}
    n = still.ended_improving.of("limit_reached")
    assert f"still: improving {n} reached a limit of {n}" in terminal.text(report)
    assert f"| still | improving | 0 | 0 | 0 | {n} | 0 |" in markdown.markdown(report)
    assert {row["improving_limit_reached"] for row in flat.rows(report)} == {n}
    assert f'"limit_reached": {n}' in flat.json_text(report)
    assert "Limit reached: it had cost or lasted as long as it may" in page.html(report)
    (said,) = (text for text in report.weaknesses if "attempts of still ended because a limit was reached" in text)
    assert said.startswith(f"{n + 12} of {n + 12} (100%)")
    assert "[budget.task] tokens = 10" in said


def test_a_lineage_that_was_cut_is_named_and_the_study_is_not_unfinished_for_ever(tmp_path: Path):
    whole = modelled.config()
    file = modelled.run(tmp_path, Billed(modelled.learns), budget={"lineage": {"tokens": 2000}})
    found = modelled.report(file)
    assert {(cut.arm, cut.lineage) for cut in found.cuts} >= {("mirror", 1), ("mirror", 2)}
    assert (found.attempts.done, accounts.headline(found)) == (found.attempts.planned, "")
    planned = 3 * 2 * 8 + 6 * (whole.baseline_repeats + 2 * 2)
    assert found.attempts.planned == planned - sum(8 - cut.before + 1 for cut in found.cuts)
    first = found.cuts[0]
    assert found.incomplete[0] == f"{first.arm} L{first.lineage}: ended before task {first.before} of 8: {first.reason}"
    assert "[budget.lineage] tokens = 2,000" in first.reason
    (hole,) = (text for text in found.incomplete if text.startswith("mirror G0"))
    assert hole.endswith("of them because a lineage had spent its budget")
    assert not any("tasks worked" in text for text in found.incomplete)
    assert any(text.startswith(f"{len(found.cuts)} lineages had spent the budget") for text in found.weaknesses)


def test_pairs_that_a_cut_left_unmade_are_counted_by_hand(tmp_path: Path):
    file = modelled.run(tmp_path, Billed(modelled.learns), budget={"lineage": {"tokens": 2000}})
    found, database = modelled.report(file), sqlite3.connect(file)
    sealed = {path for (path,) in database.execute("SELECT path FROM fact WHERE kind = 'sealed'")}
    rows = database.execute("SELECT path, json FROM fact WHERE kind = 'entry'").fetchall()
    database.close()
    lost = 0
    for path, text in rows:
        entry, (_, lineage, place) = json.loads(text), path.split("/")
        if entry["purpose"] == "replay":
            needed = [f"{who}/{lineage}/replay/{place}" for who in ("mirror", "static")]
            lost += any(one not in sealed for one in needed)
    (rung,) = (rung for rung in arm(found, "mirror").rungs if rung.level == "G0")
    assert rung.holes.planned_pairs - rung.holes.measured_pairs == lost > 0
    assert any(f"{lost} of them because" in text for text in found.incomplete)


# --------------------------------------------------------------------------------------------- what is not known


def test_usage_that_nobody_counted_is_unknown_and_never_nothing(tmp_path: Path):
    billed = Billed(modelled.learns, unmetered=lambda request: request.role == "improver")
    found = modelled.report(modelled.run(tmp_path, billed))
    mirror, still = arm(found, "mirror"), arm(found, "still")
    assert mirror.refining is not None
    refining = calls(mirror.refining)
    assert (refining.unmetered, refining.tokens, refining.usd) == (refining.answered, None, None)
    assert (refining.usd_at_most or 0.0) > 0.0
    assert calls(still.improving).usd is not None
    row = next(row for row in flat.rows(found) if row["arm"] == "mirror")
    assert (row["improving_usd"], row["gain_per_usd"], row["improving_usd_per_lineage"]) == (None, None, None)
    assert row["gain_per_usd_flags"] == ["undefined: its cost is unknown"]
    assert f"{refining.unmetered} of " in " ".join(found.weaknesses)
    assert any("were answered without a count of tokens" in text for text in found.weaknesses)
    assert "unknown, at most 0." in page.html(found)
    assert "dollars unknown, at most $0." in accounts.called(found)
    assert not any("unmatched" in flag for rung in mirror.rungs for flag in rung.gain.flags)


def test_dollars_without_a_price_are_unknown_and_tokens_still_count(tmp_path: Path):
    found = modelled.report(modelled.run(tmp_path, Billed(modelled.learns), price=None))
    mirror = arm(found, "mirror")
    assert (calls(mirror.improving).usd, calls(mirror.improving).usd_at_most) == (None, None)
    assert (calls(mirror.improving).tokens or 0) > 0
    assert f"No price is known of {MODEL}: dollars are unknown, and tokens alone are counted." in found.weaknesses
    assert accounts.called(found).endswith("model calls, dollars unknown")
    assert "no price is known, so dollars are unknown" in page.html(found)
    assert any(
        text.startswith("Budgets are not matched: a lineage spent on improving, in tokens") for text in found.weaknesses
    )


def test_a_replay_knows_its_calls_and_not_what_they_had_cost(file: Path, report: LadderReport, tmp_path: Path):
    asked = Billed(modelled.learns)
    limits = {"usd": 5.0, "tokens": 10**7}
    launch.run(modelled.config(budget=limits), tmp_path, Wishes(replay=file.parent), arms=modelled.arms(asked))
    found = modelled.report(tmp_path / "journal.sqlite")
    assert asked.tries == 0
    assert calls(arm(found, "mirror").improving).tokens == calls(arm(report, "mirror").improving).tokens
    assert calls(arm(found, "mirror").improving).usd is None
    assert found.spending is None
    assert "Models were answered for by a recording: what their calls had cost is not known here." in found.weaknesses


def test_an_interrupted_study_counts_what_it_has_paid_so_far(file: Path, tmp_path: Path):
    """Also of a call whose answer never came: it cost at most what was set aside for it."""
    copy = tmp_path / "journal.sqlite"
    with sqlite3.connect(file) as source, sqlite3.connect(copy) as target:
        source.backup(target)
        last = "(SELECT max(json_extract(value, '$.n')) FROM observation WHERE name = 'settled')"
        (path, worst) = target.execute(
            f"SELECT path, json_extract(value, '$.usd') FROM observation WHERE name = 'reserved'"
            f" AND json_extract(value, '$.n') = {last}"
        ).fetchone()
        (paid,) = target.execute(
            f"SELECT json_extract(value, '$.usd') FROM observation WHERE name = 'settled'"
            f" AND json_extract(value, '$.n') = {last}"
        ).fetchone()
        target.execute(f"DELETE FROM observation WHERE name = 'settled' AND json_extract(value, '$.n') = {last}")
        target.execute(
            "DELETE FROM fact WHERE path = ? AND (kind LIKE 'call/%' OR kind IN ('sealed', 'ended'))", (path,)
        )
    before, after = modelled.report(file), modelled.report(copy)
    assert before.spending is not None
    assert after.spending is not None
    assert before.spending.usd is not None
    assert worst > paid
    assert after.spending.usd == pytest.approx(before.spending.usd - paid + worst)
    assert sum(calls(cost).usd_at_most or 0.0 for cost in after.totals.values()) == pytest.approx(after.spending.usd)
