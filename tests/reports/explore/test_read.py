"""The report of a study whose pathways are known, from its journal."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from reports.explored import LAMP, TINY, report, study
from reports.explored import journal as known
from rung.core.errors import UsageError
from rung.protocols.judging import Judging
from rung.protocols.launch import simulate
from rung.reports.explore import flat, markdown, page, read, tables, terminal
from rung.reports.explore.weaknesses import weaknesses
from rung.reports.wording import number
from rung.store.memory import MemoryJournal


@pytest.fixture(scope="module")
def found():
    return report()


def words(found):
    return {row.name: row.verdict.word for row in found.curves}


def test_what_learns_is_called_improved_and_nothing_else(found):
    assert words(found) == {
        "history on toy-lock-v1": "improved",
        "history on toy-lamp-v1": "improved",
        "still on toy-lock-v1": "inconclusive",
        "still on toy-lamp-v1": "inconclusive",
        "wrong on toy-lock-v1": "inconclusive",  # regressed by itself, and six curves together do not carry it
        "wrong on toy-lamp-v1": "inconclusive",
    }
    assert {row.alone.word for row in found.curves if row.arm == "wrong"} == {"regressed"}
    assert found.curve("history", "toy-lock-v1").verdict.scope == "the agent improves itself"


def test_raw_auc_plus_is_above_0_for_what_never_changes_and_below_its_null(found):
    for game in found.games:
        still = found.curve("still", game).described
        assert still.auc_plus.value > 0
        assert still.auc_plus.value < still.auc_plus.upper
        learned = found.curve("history", game).described
        assert learned.auc_plus.p < 0.01


def test_points_are_the_scores_of_checkpoints_in_the_journal(found):
    journal = known()
    row = found.curve("history", "toy-lamp-v1")
    point = row.points[2]
    scores = [
        journal.get(f"exam/history.toy-lamp-v1.L2.x0009/{place:04d}/1", "sealed")["score"] for place in (37, 38, 39)
    ]
    assert point.x == 9
    assert point.by_lineage[1] == pytest.approx(sum(scores) / 3)
    baseline = [fact.value["score"] for fact in journal.facts(kind="sealed") if fact.path.startswith("exam/A0.")]
    assert row.baseline == pytest.approx(sum(baseline[30:]) / 30)
    assert row.baseline_attempts == 30


def test_judging_is_what_the_script_says(found):
    """Right with skill q and sure of it; of errors it is sure in three of four: over is .75 (1 - q), under 0."""
    still = next(row for row in found.judging if (row.arm, row.game) == ("still", "toy-lock-v1"))
    assert still.found.under == 0.0
    assert still.found.over == pytest.approx(0.75 * (1 - still.found.event_rate), abs=0.08)
    assert still.nmae == pytest.approx(still.found.over)
    assert still.scale == 1.0


def test_judging_of_a_whole_study_is_a_recount_of_its_journal_to_1e_12(found):
    pairs = [
        (Fraction(fact.value["self_score"]), Fraction(fact.value["score"]))
        for fact in known().facts(under="history.toy-lamp-v1", kind="step")
    ]
    n = len(pairs)
    row = next(row for row in found.judging if (row.arm, row.game) == ("history", "toy-lamp-v1"))
    counted = [
        Fraction(sum((s > 0) == (r > 0) for s, r in pairs), n),
        Fraction(sum(s > 0 >= r for s, r in pairs), n),
        Fraction(sum(r > 0 >= s for s, r in pairs), n),
        sum(abs(s - r) for s, r in pairs) / n,
    ]
    seen = [row.found.agreement, row.found.over, row.found.under, row.nmae]
    assert n == 150
    assert seen == pytest.approx([float(each) for each in counted], abs=1e-12)


def test_a_pathway_that_is_told_the_verdict_has_the_verdict_measured_beside_its_own():
    told = study(1, by={"still": 0.0}, games=(TINY,), episodes=6, judging=Judging("verdict"))
    own, other = read.read(told).judging
    assert (own.whose, other.whose, other.by) == ("said", "told", "verdict")
    assert (other.found.agreement, other.found.over, other.nmae) == (1.0, 0.0, 0.0)
    assert own.found.over > 0


def test_pathways_have_the_ranks_that_the_tests_of_all_pairs_leave_open(found):
    """By hand: a pair is told apart where its word says so and its exact p is at most a third of 5%."""
    ranks = {row.arm: (dict(row.ranks), row.improved) for row in found.standing}
    for game in found.games:
        apart = {(v.one, v.other) for v in found.versus if v.game == game and v.difference.value > 0 and _told(v)}
        apart |= {(v.other, v.one) for v in found.versus if v.game == game and v.difference.value < 0 and _told(v)}
        for arm in ("history", "wrong", "still"):
            above, below = sum(b == arm for _, b in apart), sum(a == arm for a, _ in apart)
            assert ranks[arm][0][game] == (1 + above, 3 - below)
    assert ranks["history"][0] == {"toy-lock-v1": (1, 1), "toy-lamp-v1": (1, 1)}
    assert (ranks["history"][1], ranks["wrong"][1]) == (2, 0)


def _told(pair):
    return pair.verdict.word in ("improved", "regressed") and pair.p <= 0.05 / 3


def test_pathways_that_nothing_tells_apart_share_their_ranks(found):
    table = tables.standing(
        replace(found, standing=tuple(replace(r, ranks={"g": (1, 3)}) for r in found.standing), games=("g",))
    )
    assert {row[1] for row in table.rows} == {"1 to 3"}


def test_pathways_are_held_against_each_other_in_every_game(found):
    row = next(row for row in found.versus if (row.one, row.other, row.game) == ("history", "wrong", "toy-lock-v1"))
    assert (row.pairs, row.wins, row.losses, row.ties) == (5, 5, 0, 0)
    assert row.verdict.word == "improved"
    one, other = found.curve("history", "toy-lock-v1"), found.curve("wrong", "toy-lock-v1")
    assert row.difference.value == pytest.approx(one.gain.value - other.gain.value)
    assert len(found.versus) == 6


def test_what_each_pathway_is_and_took(found):
    history = found.arms[0]
    assert (history.judge, history.accepted, history.refused) == ("itself", 2 * 5 * 30, 0)
    assert history.exploring.attempts == 2 * 5 * 30
    assert history.examining.attempts == 2 * 5 * 30
    assert found.baseline_cost.attempts == 60
    assert found.incomplete == ()


def test_an_unfinished_study_names_what_is_missing():
    journal = study(2, by={"only": 0.0}, games=(TINY,), episodes=6)
    cut = MemoryJournal()
    for fact in journal.facts():
        if not fact.path.startswith(("exam/only.toy-lock-v1.L2", "only.toy-lock-v1/L2/checkpoint/0006")):
            cut.put(fact.path, fact.kind, fact.value)
    for fact in journal.facts(kind="served"):
        for key in ("payload", "rules"):
            cut.blob(journal.read_blob(fact.value[key]))
    for fact in journal.facts(kind="step"):
        cut.blob(journal.read_blob(fact.value["view"]))
    found = read.read(cut)
    assert "only on toy-lock-v1 L2: 1 of 2 checkpoints (not there yet)" in found.incomplete
    assert "only on toy-lock-v1: 6 of 12 scores of checkpoints not measured" in found.incomplete
    assert found.curves[0].verdict.word == "incomplete"
    assert found.curves[0].left_out == 2


KEPT = {
    "nothing is examined": lambda fact: not fact.path.startswith("exam/"),
    "nothing is explored": lambda fact: fact.path.startswith("plan") or fact.kind in ("arm", "initial"),
    "A_0 alone is examined": lambda fact: fact.kind != "sealed" or fact.path.startswith("exam/A0."),
    "one lineage is examined": lambda fact: (
        fact.path.split("/")[0] != "exam" or ".L1." in fact.path or "A0" in fact.path
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_study_that_stopped_early_has_a_report_without_a_word_in_every_form(name):
    whole, cut = study(3, by={"one": 0.0, "two": 0.0}, games=(TINY,), episodes=6), MemoryJournal()
    for fact in whole.facts():
        if KEPT[name](fact):
            cut.put(fact.path, fact.kind, fact.value)
    for fact in whole.facts(kind="step"):
        cut.blob(whole.read_blob(fact.value["view"]))
    for fact in whole.facts(kind="served"):
        cut.blob(whole.read_blob(fact.value["payload"]))
    early = read.read(cut)
    assert {row.verdict.word for row in early.curves} == {"incomplete"}
    assert early.incomplete
    for spelled in (terminal.text, markdown.markdown, flat.csv_rows, flat.json_text, page.html):
        assert "incomplete" in spelled(early)


def test_another_protocols_run_is_refused():
    from protocols.test_self_score import config

    with pytest.raises(UsageError, match="no study of protocol"):
        read.read(simulate(config(), secret="open"))


def test_one_lineage_and_two_say_so():
    for lineages, said in ((1, "one lineage: every word is about this one course"), (2, "two lineages carry no word")):
        found = read.read(study(lineages, by={"only": 0.05}, games=(LAMP,)))
        assert any(said in weakness for weakness in found.weaknesses)
        assert found.curves[0].verdict.word == ("not estimable" if lineages == 2 else "improved")
        assert found.curves[0].verdict.scope == (None if lineages == 2 else "this end state only")


def test_a_quick_look_says_so_first(found):
    assert next(weaknesses(replace(found, config={**found.config, "quick": True}))).startswith("a quick look")
    assert not any("quick look" in each for each in weaknesses(found))


def test_a_pathway_that_took_nothing_over_says_that_its_curve_is_noise_and_a_control_need_not(found):
    said = "wrong: no change was taken over, so every checkpoint is A_0 again and the curve is noise"
    *others, wrong = found.arms
    idle = replace(wrong, accepted=0)
    assert next(weaknesses(replace(found, arms=(*others, idle)))) == said
    control = replace(idle, of="history")
    for silent in (found, replace(found, arms=(*others, control)), replace(found, arms=(idle,), incomplete=("x",))):
        assert not any("no change was taken over" in each for each in weaknesses(silent))


# --------------------------------------------------------------------------------------------- renderers


def test_the_p_of_table_4_is_explained_below_table_4(found):
    shown = terminal.text(found)
    assert shown.index("Table 4") < shown.index("p: how often") < shown.index("Table 5")


def test_every_table_of_the_paper_is_in_markdown_and_on_the_page(found):
    text, html = markdown.markdown(found), page.html(found)
    for table in tables.tables(found):
        assert f"## {table.title}".replace("_", "\\_") in text.replace("\\_", "_").replace("_", "\\_")
        assert f'<section class="told" id="{table.id}">' in html
        assert all(len(row) == len(table.heads) for row in table.rows), table.id
    assert [f"Table {n}" in text for n in (4, 5, 6, 7)] == [True] * 4


def test_the_page_is_one_file_without_script_and_draws_every_curve(found):
    html = page.html(found)
    assert "<script" not in html
    assert "http" not in html.replace("http-equiv", "")
    assert html.count('<svg role="img"') == len(found.curves)
    assert html.count('class="above"') == len(found.curves)
    assert html == page.html(found)


def test_foreign_text_is_escaped_in_every_renderer(found):
    odd = replace(
        found,
        name="<b>x</b>\x1b[31m",
        curves=tuple(replace(row, unit="<i>y</i>") for row in found.curves),
        weaknesses=("<script>|`*",),
    )
    html = page.html(odd)
    assert "<b>x</b>" not in html
    assert "<i>y</i>" not in html
    assert "\x1b" not in html + markdown.markdown(odd) + terminal.text(odd)
    assert "<script>" not in html


def test_the_summary_fits_eighty_columns_and_has_word_and_number(found):
    lines = terminal.text(found).splitlines()
    assert max(map(len, lines)) <= 80
    row = found.curve("history", "toy-lock-v1")
    assert any("▲ improved" in line and number(row.gain.value, signed=True) in line for line in lines)


def test_a_row_of_the_csv_has_the_numbers_in_full(found):
    import csv

    rows = list(csv.DictReader(flat.csv_rows(found).splitlines()))
    assert len(rows) == 6
    first, row = rows[0], found.curves[0]
    assert float(first["gain"]) == row.gain.value
    assert float(first["auc_plus_chance_95"]) == row.described.auc_plus.upper
    assert [float(each) for each in first["y"].split("; ")] == [point.mean for point in row.points]
    assert float(first["agreement"]) == found.judging[0].found.agreement


def test_the_json_holds_it_all(found):
    told = json.loads(flat.json_text(found))
    assert told["curves"][0]["gain"]["value"] == found.curves[0].gain.value
    assert set(told) >= {"judging", "testing", "coupling", "versus", "standing", "how"}


def test_every_function_that_is_named_as_making_a_number_is_there(found):
    from importlib import import_module

    for made in found.how.values():
        module, _, function = made.rpartition(".")
        if module.endswith("Journal"):
            continue
        assert callable(getattr(import_module(module), function)), made


def test_an_interval_of_a_share_that_reaches_beyond_one_is_said_to_be_no_mistake(found):
    def note(hi):
        rows = tuple(replace(row, agreement=replace(row.agreement, lo=0.3, hi=hi)) for row in found.judging_by_game)
        return tables.judged_by_game(replace(found, judging_by_game=rows)).note

    said = " An interval that reaches below 0 or above 1 is a t interval over few lineages"
    assert said in note(1.04)
    assert said not in note(1.0)
