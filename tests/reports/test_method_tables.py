"""The tables over several studies: every figure is worked out again from the journals with plain SQL.

Four studies on the toys, of two arms that are refined, one that is never refined, and a control of each: a lock, a lamp
(of the lock's capability), a lock over and over, and a lock from two beginnings.
"""

import csv
import io
import json
import re
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest
from click.testing import CliRunner

from rung.cli import cli
from rung.cli._border import Invocation
from rung.core import studies
from rung.core.errors import UsageError
from rung.core.values import Estimate
from rung.protocols import launch, several
from rung.reports.method_tables import Section, csv_cells, csv_differences, figures, html, markdown, read, sections
from rung.reports.method_tables.read import _best, _sign, schedule
from rung.stats import flags as say
from rung.store.journal import SqliteJournal
from rung.store.run_directory import RunDirectory

from . import test_browser


def cell(family, difficulty=1, **more):
    return {"family": family, "difficulty": difficulty, **more}


DOCUMENT = {
    "name": "four studies",
    "protocol": "ladder",
    "seed": 5,
    "lineages": 2,
    "engine": {"concurrency": 8},  # which groups commits
    "controls": ["no-op"],
    "method": {"name": "phantom"},
    "exam": {"baseline_repeats": 2},
    "tasks": {
        "replay": {"interval": 2, "lag": 2},
        "schedule": [cell("toy-lock-v1", count=6, replay=True)],
        "holdout": [
            cell("toy-lock-v1", count=6),
            cell("toy-lock-v1", 3, count=6),
            cell("toy-lamp-v1", count=6),
            cell("toy-road-v1", count=6),
        ],
    },
    "arms": [
        {"name": "narrow", "agent": {"kind": "phantom:narrow", "base": 0.2, "rate": 0.1}},
        {"name": "general", "agent": {"kind": "phantom:general", "base": 0.2, "rate": 0.1}},
        {"name": "plain", "agent": {"kind": "phantom:static", "base": 0.4}, "method": {"name": "static"}},
    ],
    "studies": [
        {"name": "lock"},
        {"name": "lamp", "tasks": {"schedule": [cell("toy-lamp-v1", count=6, replay=True)]}},
        {"name": "lock-fixed", "tasks": {"repeat": True}},
        {
            "name": "beginnings",
            "controls": [],
            "arms": [
                {"name": "low", "agent": {"kind": "phantom:general", "base": 0.1, "rate": 0.05}},
                {"name": "high", "agent": {"kind": "phantom:general", "base": 0.6, "rate": 0.05}},
                {"name": "other", "agent": {"kind": "phantom:narrow", "base": 0.1, "rate": 0.05}},
            ],
        },
    ],
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    out = tmp_path_factory.mktemp("tables")
    for job in several.jobs(studies.parse(DOCUMENT), out):
        launch.run(job.config, job.out, launch.Wishes(exam_of=job.exam_of))
    return out


@pytest.fixture(scope="module")
def tables(runs):
    journals = {
        each["name"]: SqliteJournal(RunDirectory(runs / each["name"]).journal, read_only=True)
        for each in DOCUMENT["studies"]
    }
    try:
        return read("four studies", journals)
    finally:
        for journal in journals.values():
            journal.close()


def scores(runs, study, examinee, target):
    """Mean scores by task, read with SQL alone."""
    with sqlite3.connect(f"file:{runs / study / 'journal.sqlite'}?mode=ro", uri=True) as database:
        rows = database.execute(
            "SELECT cast(substr(path, length(:exam) + 1, 4) AS int) AS place, avg(json_extract(json, '$.score')) "
            "FROM fact WHERE kind = 'sealed' AND path LIKE :exam || '%' AND place IN "
            "(SELECT cast(substr(path, 11) AS int) FROM fact WHERE kind = 'task' AND path LIKE 'plan/exam/%' "
            "AND json_extract(json, '$.cell') = :cell) GROUP BY place ORDER BY place",
            {"exam": f"exam/{examinee}/", "cell": target},
        ).fetchall()
    return [score for _, score in rows]


def ends(runs, study, arm, target):
    return [fmean(scores(runs, study, f"{arm}.L{number}", target)) for number in (1, 2)]


def begun(runs, study, arm, target):
    with sqlite3.connect(f"file:{runs / study / 'journal.sqlite'}?mode=ro", uri=True) as database:
        (told,) = database.execute("SELECT json FROM fact WHERE path = ? AND kind = 'arm'", [arm]).fetchone()
    return fmean(scores(runs, study, json.loads(told)["A_0"], target))


# --------------------------------------------------------------------------------------------- against plain SQL


def test_every_score_and_gain_of_the_first_table_is_what_plain_sql_finds(runs, tables):
    asked = [each for each in tables.cells if each.level != "G0"]
    assert len(asked) == 3 * 3 * 4 + 3 * 4
    for each in asked:
        before, after = (
            begun(runs, each.study, each.arm, each.target),
            fmean(ends(runs, each.study, each.arm, each.target)),
        )
        assert (each.before, each.after) == (pytest.approx(before), pytest.approx(after))
        assert each.gain.value == pytest.approx(after - before)
        assert each.end.value == pytest.approx(after)
        assert each.reference == 1.0
        if each.hci.value is not None:
            assert each.hci.value == pytest.approx((after - before) / (1.0 - before))


def test_a_gain_stands_beside_its_control_as_plain_sql_finds_it(runs, tables):
    asked = [each for each in tables.cells if each.level != "G0" and each.study != "beginnings" and each.arm != "plain"]
    for each in asked:
        (control,) = each.beside
        other = ends(runs, each.study, f"{each.arm}-no-op", each.target)
        assert control.kind == "no-op"
        assert control.gain.value == pytest.approx(fmean(ends(runs, each.study, each.arm, each.target)) - fmean(other))


def test_transfer_is_the_gain_of_each_source_on_each_target(runs, tables):
    (narrow, general) = tables.transfers
    assert (narrow.arm, general.arm) == ("narrow", "general")
    assert narrow.sources == narrow.targets == ("toy-lock-v1 d1", "toy-lamp-v1 d1")
    carried = narrow.entries["toy-lock-v1 d1"]["toy-lamp-v1 d1"]
    assert (carried.level, narrow.direct("toy-lamp-v1 d1").study) == ("G3", "lamp")
    after, before = (
        fmean(ends(runs, "lock", "narrow", "toy-lamp-v1 d1")),
        begun(runs, "lock", "narrow", "toy-lamp-v1 d1"),
    )
    assert carried.gain.value == pytest.approx(after - before)


def test_schedules_of_one_family_stand_together_and_the_highest_score_is_marked(runs, tables):
    rows = [each for each in tables.schedules if each.arm == "general"]
    assert [(each.family, each.schedule, each.study) for each in rows] == [
        ("toy-lock-v1", "fresh", "lock"),
        ("toy-lock-v1", "fixed", "lock-fixed"),
    ]
    for target in ("toy-lock-v1 d1", "toy-lock-v1 d3"):
        means = {each.study: fmean(ends(runs, each.study, "general", target)) for each in rows}
        assert {each.study for each in rows if target in each.best} == {
            name for name, mean in means.items() if mean == max(means.values())
        }


def test_the_gain_by_a_key_is_the_difference_of_two_gains(runs, tables):
    found = [each for each in tables.apart if each.study == "beginnings"]
    assert {(each.key, each.earlier, each.later, each.values) for each in found} == {
        ("initial harness", "low", "high", ("phantom (base = 0.1)", "phantom (base = 0.6)")),
        ("method", "low", "other", ("phantom:general (rate = 0.05)", "phantom:narrow (rate = 0.05)")),
    }  # and not `high` beside `other`, which differ in both
    rows = [each for each in found if each.key == "initial harness"]
    assert [each.target for each in rows] == ["toy-lock-v1 d1", "toy-lock-v1 d3", "toy-lamp-v1 d1", "toy-road-v1 d1"]
    for each in rows:
        low, high = (
            fmean(ends(runs, "beginnings", arm, each.target)) - begun(runs, "beginnings", arm, each.target)
            for arm in ("low", "high")
        )
        assert each.difference.value == pytest.approx(high - low)
        assert each.gains == (pytest.approx(low), pytest.approx(high))


def test_refined_agents_stand_beside_the_general_one_on_the_same_exam(runs, tables):
    rows = [each for each in tables.ranks if each.target == "toy-lamp-v1 d1"]
    found = {each.label: each for each in rows}
    assert set(found) == {"narrow", "general", "plain (never refined)"}
    means = {name: fmean(ends(runs, "lamp", name, "toy-lamp-v1 d1")) for name in ("narrow", "general", "plain")}
    assert [each.score.value for each in rows] == [pytest.approx(mean) for mean in sorted(means.values(), reverse=True)]
    assert found["narrow"].over.value == pytest.approx(means["narrow"] - means["plain"])
    assert (found["plain (never refined)"].over, found["plain (never refined)"].refined) == (None, False)
    others = sorted(each.label for each in tables.ranks if each.target == "toy-lock-v1 d1")
    assert others == ["general", "high", "low", "narrow", "other", "plain (never refined)"]  # none of another schedule


def test_studies_with_one_exam_sat_the_same_tasks(tables):
    assert len({each.exam_id for each in tables.studies}) == 1
    assert [each.schedule for each in tables.studies] == ["fresh", "fresh", "fixed", "fresh"]


# --------------------------------------------------------------------------------------------- by hand


def estimate(value, *flags):
    return Estimate(value, None, None, "by hand", 8, 3, flags)


def test_the_highest_hci_of_a_row_is_marked_and_never_one_that_is_poorly_known(tables):
    one, other, third = (each for each in tables.cells if each.study == "lock" and each.target == "toy-lock-v1 d3")
    made = one.made

    def marked(*given):
        cells = [replace(one, hci=hci, word="improved", made=m) for hci, m in given]
        return [each.best for each in _best(cells)]

    assert marked((estimate(0.4), made), (estimate(0.6), made), (estimate(0.6), made)) == [False, True, True]
    assert marked((estimate(0.4), made), (estimate(0.9, say.IMPRECISE), made)) == [True, False]
    assert marked((estimate(0.4), made), (estimate(0.9), replace(made, method="static"))) == [True, False]
    assert marked((estimate(None), made)) == [False]
    assert other.arm != third.arm


def test_agents_that_no_test_tells_apart_share_their_ranks(tables):
    """Two lineages carry no word, so nothing is told apart."""
    rows = [each for each in tables.ranks if each.target == "toy-lamp-v1 d1"]
    assert [each.places for each in rows] == [(1, 3)] * 3
    table = next(each for each in sections(tables) if each.title.startswith("toy-lamp-v1 d1: beside"))
    assert [row[0] for row in table.rows] == ["1 to 3"] * 3


@pytest.mark.parametrize(
    ("by_task", "pairs", "sign"),
    [
        ([0.5, 0.25] * 4, 3, 1),  # of all 256 signs two are as extreme: p = 0.0078
        ([-0.5, -0.25] * 4, 3, -1),
        ([0.5, 0.25] * 4, 15, 0),  # which is more than 5% / 15
        ([0.5, -0.25] * 4, 1, 0),
    ],
)
def test_a_pair_is_told_apart_at_its_share_of_five_percent(by_task, pairs: int, sign: int):
    assert _sign([by_task] * 3, pairs) == sign


def test_agents_of_different_studies_are_not_told_apart(tables):
    rows = [each for each in tables.ranks if each.target == "toy-lock-v1 d1"]
    assert [each.places for each in rows] == [(1, 6)] * 6


@pytest.mark.parametrize(
    ("blocks", "more", "kind"),
    [
        (1, {}, "fresh"),
        (1, {"repeat": True}, "fixed"),
        (2, {"random": True}, "mixed"),
        (2, {}, "increasing"),
    ],
)
def test_a_schedule_is_known_by_what_it_was_resolved_to(blocks, more, kind):
    assert schedule({"schedule": [cell("farm-v1", at + 1) for at in range(blocks)], **more}) == kind


def test_two_families_are_no_schedule_of_one():
    assert schedule({"schedule": [cell("farm-v1"), cell("hero-v1")]}) == "several families"


def test_without_any_exam_nothing_is_tabulated():
    with pytest.raises(UsageError, match="no study has begun its exam: none was given"):
        read("none", {})


# --------------------------------------------------------------------------------------------- in print


def test_what_is_withheld_stands_in_no_form(tables):
    secret = next(each for each in tables.cells if each.level == "G1" and each.arm == "general")
    told = replace(
        secret,
        withheld=True,
        word="contaminated",
        gain=estimate(0.123456),
        before=0.23456,
        after=0.34567,
        end=estimate(0.45678),
    )
    found = replace(tables, cells=(told,), transfers=(), schedules=(), apart=(), ranks=())
    for text in (html(found), markdown(found), csv_cells(found)):
        assert not any(digits in text for digits in ("0.123", "0.234", "0.345", "0.456"))
    assert "withheld: contaminated" in markdown(found)


def test_foreign_text_runs_nowhere(tables):
    hostile = replace(tables, name="<script>alert(1)</script>", studies=(replace(tables.studies[0], source='"><b>|x'),))
    page = html(hostile, [Section("more", "<i>more</i>", "note", ("a",), (("<b>|\nc",),))])
    assert "<script" not in page
    assert "&lt;i&gt;more&lt;/i&gt;" in page
    assert "&lt;b&gt;|</bdi><br><bdi>c" in page
    assert "<b>" not in markdown(hostile)


def test_every_number_in_full_is_in_the_csv(tables):
    rows = list(csv.DictReader(io.StringIO(csv_cells(tables))))
    assert len(rows) == len(tables.cells)
    for row, each in zip(rows, tables.cells, strict=True):
        assert (row["study"], row["arm"], row["level"], row["target"]) == (
            each.study,
            each.arm,
            each.level,
            each.target,
        )
        assert float(row["gain"]) == each.gain.value
    apart = list(csv.DictReader(io.StringIO(csv_differences(tables))))
    assert [float(row["difference"]) for row in apart] == [each.difference.value for each in tables.apart]


def test_each_table_is_in_the_page_and_in_markdown_and_nothing_is_fetched(tables):
    made = sections(tables)
    page, text = html(tables), markdown(tables)
    assert [each.id for each in made] == [
        "studies",
        "methods-1",
        "methods-2",
        "transfer-1",
        "transfer-2",
        "schedules-toy-lock-v1",
        "made",
        "by-key",
        "ranks-1",
        "ranks-2",
    ]
    assert all(f'id="{each.id}"' in page and f"## {each.title}" in text for each in made)
    assert page.count('<svg role="img"') == 4
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.skipif(test_browser.CHROMIUM is None, reason="no Chromium")
def test_the_page_fits_a_narrow_screen(tables, tmp_path: Path):
    found = test_browser.seen(html(tables), tmp_path, width=400)
    assert found["wide"] <= 400
    assert (found["drawings"], found["outside"]) == (4, 0)


def test_the_command_runs_what_is_missing_and_writes_the_tables(runs, tables, tmp_path: Path):
    file, out = tmp_path / "studies.json", tmp_path / "out"
    file.write_text(json.dumps(DOCUMENT))
    shutil.copytree(runs, out)
    shutil.rmtree(out / "beginnings")
    told = CliRunner().invoke(cli, ["tables", str(file), "--out", str(out)], obj=Invocation(), catch_exceptions=False)
    assert told.exit_code == 0, told.output
    assert (out / "tables.csv").read_text() == csv_cells(tables)
    assert (out / "tables.md").read_text() == markdown(tables)
    assert (out / "differences.csv").exists()


def test_beforehand_it_is_said_what_each_study_costs_and_that_a_budget_is_of_each(tmp_path: Path):
    small = {**DOCUMENT, "lineages": 1, "budget": {"usd": 2.5}, "studies": DOCUMENT["studies"][:2]}
    small["tasks"] = {"schedule": [cell("toy-lock-v1", count=1)], "holdout": [cell("toy-lock-v1", count=6)]}
    small["studies"] = [{"name": "one"}, {"name": "two"}]
    file = tmp_path / "studies.json"
    file.write_text(json.dumps(small))
    dry = CliRunner().invoke(cli, ["tables", str(file), "--dry-run"], obj=Invocation(), catch_exceptions=False)
    assert [line for line in dry.stdout.split("\n") if line.startswith("study ")] == ["study one", "study two"]
    assert not (tmp_path / "out").exists()
    arguments = ["tables", str(file), "--out", str(tmp_path / "out")]
    told = CliRunner().invoke(cli, arguments, obj=Invocation(), catch_exceptions=False)
    assert "[budget] is of each study: 2 studies may cost 5.00 US dollars together" in told.stderr


def test_what_has_not_begun_is_named(runs, tmp_path: Path):
    file = tmp_path / "studies.json"
    file.write_text(json.dumps({**DOCUMENT, "studies": [*DOCUMENT["studies"], {"name": "later"}]}))
    arguments = ["tables", str(file), "--out", str(runs), "--report", "--markdown"]
    told = CliRunner().invoke(cli, arguments, obj=Invocation(), catch_exceptions=False)
    assert "- later has not begun" in told.output


def test_the_example_asks_for_every_table():
    found = studies.read(Path(__file__).parents[2] / "examples" / "tables.toml").configs
    kinds = {name: schedule(config.tasks.model_dump(mode="json")) for name, config in found.items()}
    assert set(kinds.values()) == {"fresh", "fixed", "mixed", "increasing"}
    assert {block.family for config in found.values() for block in config.tasks.schedule if config.controls} == {
        "farm-v1",
        "combat-v1",
        "sweepmine-v1",
        "hero-v1",
    }
    made = [arm for arm in found["harness"].every_arm() if arm.method is not None and arm.method.name != "static"]
    assert len({arm.agent.model for arm in made}) > 1
    assert len({arm.method.model for arm in made}) > 1


def test_an_interval_that_goes_on_beyond_the_axis_ends_in_an_arrow(tables):
    found = next(each for each in tables.transfers)
    source, target = found.sources[0], found.targets[0]

    def drawn(lo, hi):
        cell = replace(found.entries[source][target], withheld=False, hci=Estimate(0.5, lo, hi, "by hand", 8, 3, ()))
        return figures.transfer(
            replace(found, sources=(source,), targets=(target,), entries={source: {target: cell}}), "t"
        )

    beyond = re.compile(r'class="solid beyond" d="M([0-9.]+)')
    assert beyond.findall(drawn(-1.0, 1.5)) == []
    assert beyond.findall(drawn(-3.0, 1.5)) == ["161"]  # left of the axis, which begins at 170
    assert beyond.findall(drawn(-3.0, 9.0)) == ["161", "479"]
    assert drawn(-3.0, 9.0).count("v8") == 0  # and no cap, which would be an end
