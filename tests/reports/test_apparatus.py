"""What was built and what was used, as reports print it: from planted sessions to words, and never a gain withheld."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from findings.planted import Call, World, bash, write
from rung.findings.adoption import CAVEAT, adoptions
from rung.findings.inventory import inventories
from rung.reports import apparatus, flat, page, terminal
from rung.reports.markdown import markdown
from rung.reports.values import LadderReport
from rung.stats.verdict import Verdict

from .samples import full

NOTE = "Boxes of odd number like the answer seven.\nNever spend the last call on a guess.\n"


def planted(*, uses: Sequence[int] = (1, 2, 3), seen: bool = True, name: str = "notes.md") -> LadderReport:
    """A report with the sessions of an agent that left a note, which the attempts at some of six tasks read."""
    made = World()
    shipped = made.exam(6)
    left = made.snapshot({name: NOTE})
    work = [
        *made.task("claude/L1/work/0001"),
        write(f"/home/agent/{name}", NOTE),
        bash(f"echo more >> '/home/agent/{name}'"),
    ]
    made.session("claude/L1/work", shipped, work, left=left, seen=seen)
    for task in range(1, 7):
        calls: list[Call] = [bash(f"cat '/home/agent/{name}'", NOTE)] if task in uses else []
        made.session(made.sat(1, task, task / 10), left, calls, seen=seen)
    return replace(full(), inventory=inventories(made.journal), adoption=adoptions(made.journal))


def rows(report: LadderReport) -> Mapping[str, Sequence[tuple[str, ...]]]:
    (used,) = report.adoption
    return {
        "built": apparatus.built_rows(report),
        "files": apparatus.file_rows(report),
        "used": apparatus.used_rows(used),
        "splits": apparatus.split_rows(report, used),
    }


def test_a_session_and_its_forks_are_told_in_rows():
    found = rows(planted())
    assert found["built"] == [
        ("claude L1", "1 of 6: files kept", "1 written", "nothing of its own", "none", "0 s, 0 calls, 0 files written")
    ]
    assert found["files"] == [("claude L1", "home/notes.md", "files", "81", "written after task 1, 1 revision")]
    assert found["used"] == [("home/notes.md", "0", "3", "0", "0", "3 of 6", "")]
    assert [row[0] for row in found["splits"]] == [
        "any use: 3 of 6", "read, run or imported: 3 of 6", "home/notes.md: 3 of 6"
    ]  # fmt: skip
    assert found["splits"][0][4].startswith("−0.3")


def test_every_form_of_a_report_tells_both_and_the_caveat_with_the_split():
    report = planted()
    text, html = markdown(report), page.html(report)
    for form in (text, html):
        assert "What the agent built" in form
        assert "What its forks used" in form
        assert "is no effect of it" in form
    assert "claude built L1 1 of 6 of an apparatus; 3 of 6 forks on record used it" in terminal.text(report, width=200)
    told = json.loads(flat.json_text(report))
    assert told["inventory"][0]["pieces"][0]["path"] == "home/notes.md"
    assert told["adoption"][0]["caveat"] == CAVEAT


def test_a_study_without_programs_says_nothing_of_either():
    report = full()
    assert "What the agent built" not in markdown(report) + page.html(report)
    assert list(apparatus.lines(report)) == []


def test_what_nobody_saw_is_said_not_to_be_known_and_is_not_called_unused():
    report = planted(seen=False)
    found = rows(report)
    assert found["built"][0][1].startswith("1 of 6: files kept; the record cannot say of subagents")
    assert found["files"][0][4] == "written; when and how often is not on record"
    assert "of 6 attempts no call is on record" in apparatus.used_line(report.adoption[0])
    assert found["splits"] == []
    assert apparatus.UNSEEN in page.html(report)


def test_gains_of_a_contaminated_arm_are_withheld_from_its_splits():
    report = planted()
    arm = replace(report.arms[0], name="claude")
    bad = replace(arm.rungs[0], verdict=Verdict("contaminated", arm.rungs[0].verdict.scope))
    hidden = replace(report, arms=(replace(arm, rungs=(bad, *arm.rungs[1:])),))
    assert {cell for row in rows(hidden)["splits"] for cell in row[2:]} == {"withheld"}


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a|b*c_d`", "x" * 200])
def test_a_hostile_name_is_a_name(name: str):
    report = planted(name=name.replace("/", "-"))
    html = page.html(report)
    assert "<script" not in html
    assert "|b*c" not in markdown(report)


def test_long_lists_are_cut_and_say_so():
    made = World()
    made.session("claude/L1/work", made.snapshot(), left=made.snapshot({f"n{at}.md": "x" for at in range(100)}))
    report = replace(full(), inventory=inventories(made.journal))
    found = apparatus.file_rows(report)
    assert (len(found), found[-1][1]) == (apparatus.SHOWN + 1, "and 60 more, in the JSON")
