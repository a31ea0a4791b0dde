"""A run is held against what was registered for it: what was kept is said, and what was not stands with the number."""

from typing import Any

import pytest

from rung.calibrate.phantoms import Design, config
from rung.core.config import Config
from rung.planning import pilot, promise, study
from rung.protocols import launch
from rung.protocols.registered import Registered
from rung.reports import flat, ladder, markdown, page, terminal
from rung.reports.values import LadderReport
from rung.reports.wording import EARLY, MORE, UNREGISTERED
from rung.stats.lineages import gain_p
from rung.stats.multiplicity import holm
from rung.store.memory import MemoryJournal

DESIGN = Design(lineages=5, exam_tasks=12, worked=8, lag=4, rate=0.2)
STUDY = config("general", DESIGN, seed=1)
OTHER = config("general", DESIGN, seed=2)


@pytest.fixture(scope="module")
def plan() -> dict[str, Any]:
    read = pilot.read(launch.simulate(OTHER, secret="pilot"))
    return dict(promise.make(study.make(STUDY, pilots=[read])).content)


def run(content: dict[str, Any] | None, settings: Config = STUDY) -> MemoryJournal:
    return launch.simulate(settings, secret="study", promised=Registered(content) if content else None)


def reported(content: dict[str, Any] | None) -> LadderReport:
    return ladder.read(run(content))


@pytest.fixture(scope="module")
def kept(plan) -> LadderReport:
    return reported(plan)


def weak(report: LadderReport) -> list[str]:
    return [said for said in report.weaknesses if said.startswith("Not as registered")]


def test_a_plan_that_was_kept_is_said_to_be_in_one_line(kept, plan):
    said = f"registered beforehand: yes ({Registered(plan).sha256[:16]}...), kept"
    assert said in terminal.text(kept)
    assert said in markdown.markdown(kept)
    assert "Registered beforehand: yes" in page.html(kept)
    assert [each for each in kept.registered.kept if not each.kept] == []
    assert weak(kept) == []


def test_everything_that_was_promised_is_held_against_the_run(kept):
    told = {each.what: (each.registered, each.run) for each in kept.registered.kept}
    assert told["lineages"] == ("5", "5 of 5 to their end")
    assert told["attempts of A_0"] == ("3", "3")
    assert told["family of claims"] == ("5 rows", "5 reported")
    assert told["attempts"][1] == f"{kept.attempts.total:,}"
    size = ["config", "lineages", "exam tasks", "attempts of A_T", "attempts of A_0"]
    assert list(told) == [*size, "family of claims", "attempts", "actions"]


def test_where_none_was_registered_nothing_is_said():
    report = reported(None)
    assert report.registered is None
    for text in (terminal.text(report), markdown.markdown(report), page.html(report)):
        assert "egistered beforehand" not in text


def test_more_lineages_than_registered_are_flagged_on_every_row_and_weaken_the_report(plan):
    report = reported({**plan, "lineages": 3})
    assert weak(report)[0].startswith(
        "Not as registered: lineages: 3 registered, 5 of 5 to their end. When a study ends"
    )
    assert all(MORE in rung.gain.flags for arm in report.arms for rung in arm.rungs)
    assert "not kept in lineages" in terminal.text(report)


def test_fewer_lineages_than_registered_are_flagged_as_an_early_end(plan):
    report = reported({**plan, "lineages": 9})
    assert all(EARLY in rung.gain.flags for arm in report.arms for rung in arm.rungs)
    assert "9 registered, 5 of 5 to their end" in weak(report)[0]
    assert EARLY in page.html(report)


def test_rows_outside_the_registered_family_are_for_looking_around(plan):
    family = [claim for claim in plan["family"] if claim["level"] != "G2"]
    report = reported({**plan, "family": [*family, {"arm": "nobody", "level": "G1", "target": "x d1"}]})
    flagged = [rung.level for rung in report.arms[0].rungs if UNREGISTERED in rung.gain.flags]
    assert flagged == ["G2"]
    assert (
        "5 rows registered, 5 reported, 1 not reported, 1 row beside it. Rows that were not registered"
        in weak(report)[0]
    )
    nobody = next(claim for claim in report.registered.claims if claim.arm == "nobody")
    assert (nobody.p, nobody.word, nobody.holds) == (1.0, "not reported", False)


def test_another_exam_size_is_named(plan):
    report = reported({**plan, "exam": {**plan["exam"], "repeats": 2}})
    assert weak(report) == ["Not as registered: attempts of A_T: 2 registered, 1."]


def test_use_outside_the_foreseen_range_is_named_and_a_guess_is_not(plan):
    low = {"low": 10.0, "expected": 11.0, "high": 12.0}
    beyond = {**plan, "forecast": {**plan["forecast"], "actions": low}}
    assert weak(reported(beyond))[0].startswith("Not as registered: actions: 10 to 12 registered, ")
    assert weak(reported({**beyond, "range": None})) == []


def test_a_part_of_a_run_is_not_held_to_what_the_whole_would_use(plan):
    whole, part = run(plan), MemoryJournal()
    facts = [fact for fact in whole.facts() if not fact.path.startswith("exam/phantom.L5")]
    for fact in facts:
        part.put(fact.path, fact.kind, fact.value)
    report = ladder.read(part)
    assert report.attempts.done < report.attempts.planned
    assert weak(report) == []


def test_a_plan_whose_fact_is_another_than_was_hashed_is_seen(plan):
    whole, forged = run(None), MemoryJournal()
    for fact in whole.facts():
        forged.put(fact.path, fact.kind, fact.value)
    forged.put("plan", "registered", {"sha256": "0" * 64, "plan": plan})
    assert "another plan than was hashed" in weak(ladder.read(forged))[0]
    wrong = {**plan, "config": "1" * 64}
    other = MemoryJournal()
    for fact in whole.facts():
        other.put(fact.path, fact.kind, fact.value)
    other.put("plan", "registered", {"sha256": Registered(wrong).sha256, "plan": wrong})
    assert weak(ladder.read(other)) == ["Not as registered: config: 111111111111 registered, another config."]


# --------------------------------------------------------------------------------------------- the family, and margins


def test_the_registered_family_is_corrected_together(plan, kept):
    journal = run(plan)
    means: dict[str, dict[int, list[float]]] = {}
    for fact in journal.facts(under="exam", kind="sealed"):
        _, who, task, _ = fact.path.split("/")
        means.setdefault(who, {}).setdefault(int(task), []).append(float(fact.value["score"]))
    early = next(tasks for who, tasks in means.items() if who.startswith("A0"))
    plain = []
    for first in (1, 13, 25, 37):  # twelve tasks of each cell, in the order of the config
        d = [
            [sum(means[f"phantom.L{k}"][at]) - sum(early[at]) / len(early[at]) for at in range(first, first + 12)]
            for k in range(1, 6)
        ]
        plain.append(gain_p(d))
    cells = [block.label for block in STUDY.tasks.holdout]
    found = {claim.target: claim.p for claim in kept.registered.claims}
    assert [found[cell] for cell in cells] == pytest.approx(list(holm(plain)))


def test_a_word_that_does_not_hold_over_the_family_weakens_the_report(plan):
    many = [{"arm": f"ghost-{n}", "level": "G1", "target": "x d1"} for n in range(100_000)]
    report = reported({**plan, "family": [*plan["family"], *many]})
    improved = [rung for rung in report.arms[0].rungs if rung.verdict.word == "improved" and rung.level != "G0"]
    assert improved
    assert any("do not hold at 5% (Holm)" in said for said in report.weaknesses)


def test_a_registered_margin_allows_the_word_equivalent(plan):
    still = config("static", Design(lineages=5, exam_tasks=24, worked=4, lag=2), seed=2)
    content = dict(promise.make(study.make(still), margins={"G1": 0.9, "G3": 0.9}).content)
    report = ladder.read(run(content, still))
    words = {rung.level: rung.verdict.word for rung in report.arms[0].rungs}
    assert words["G1"] == words["G3"] == "equivalent"
    assert "equivalent" not in (words["G2"], words["G4"])
    assert report.weaknesses[-1].startswith("No equivalence margin was registered for G0, G2, G4")
    assert dict(report.margins) == {"G1": 0.9, "G3": 0.9}


def test_json_holds_all_of_it(kept):
    assert '"registered": {' in flat.json_text(kept)
