"""A report of a cell, from real runs in real sandboxes, read by somebody who doubts it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from protocols.programs import MODEL, Run, config
from rung.backends.servers.played import Played
from rung.core.errors import UsageError
from rung.protocols import launch
from rung.protocols.launch import Wishes
from rung.reports import flat, markdown, page, terminal
from rung.reports.compare import runs, whole
from rung.reports.values import LadderReport
from rung.store.journal import SqliteJournal
from rung.store.run_directory import RunDirectory

pytestmark = pytest.mark.skipif(not Path("/proc/self/ns/user").exists(), reason="programs are confined on Linux")

Made = Callable[..., Run]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Cells by what is said of them, each run once."""
    known: dict[str, Run] = {}

    def one(**changes: Any) -> Run:
        name = json.dumps(changes, sort_keys=True)
        if name not in known:
            known[name] = Run(tmp_path_factory.mktemp("cell"), config(**changes)).run()
        return known[name]

    return one


@pytest.fixture
def report(made: Made) -> LadderReport:
    return made(lineages=2, cell={"sentinels": 2}, WORK="asks").report()


def test_nothing_in_it_speaks_of_methods_controls_or_replays(report):
    for text in (page.html(report), markdown.markdown(report)):
        told = text.split("How each number is made")[0].split("The seven words")[0]
        for word in (
            "static arm",
            "replayed",
            "control none",
            "method itself",
            "command refines",
            "Changes proposed",
            "frozen",
        ):
            assert word not in told, word
    assert "Cell report" in page.html(report)
    assert 'id="replay"' not in page.html(report)


def test_before_exam_work_after_exam_and_sentinels_are_accounted_apart(report):
    rows = [
        line
        for line in markdown.markdown(report).split("## Costs")[1].split("## ")[0].splitlines()
        if line.startswith("| ")
    ]
    attempts = {cells[1]: cells[2] for cells in ([cell.strip() for cell in row.strip("| ").split("|")] for row in rows)}
    assert {name: attempts[name] for name in ("before-exam", "working session", "after-exam", "sentinels")} == {
        "before-exam": str(3 * 2),
        "working session": str(2 * 4),
        "after-exam": str(2 * 2),
        "sentinels": "2",
    }


def test_who_sat_what_is_said_right(report):
    assert (
        "Every attempt is by a fresh fork: of A_0 on each task 3 times (shared by all lineages), of what each lineage "
        "left once; among it 2 sentinel attempts of A_0."
    ) in page.html(report)


def test_sentinels_are_said_to_be_all_that_shows_drift(report):
    assert any("a drift of the provider shows only in 2 tasks" in said for said in report.weaknesses)


def test_flat_rows_have_the_sandbox_and_how_sessions_ended(report):
    (row,) = flat.rows(report)
    assert row["sandboxes"] == ["bubblewrap"]
    assert row["sessions"] == ["queue_empty", "queue_empty"]
    assert (row["sessions_truncated"], row["tasks_worked"], row["improving_queue_empty"]) == (0, [4, 4], 2)
    assert row["control"] == "none"


def test_a_truncated_session_is_one_in_flat_rows_and_in_the_terminal(made):
    found = made(WORK="raises").report()
    (row,) = flat.rows(found)
    assert (row["sessions"], row["sessions_truncated"], row["tasks_worked"]) == (["harness_failure"], 1, [1])
    assert "working session 1 harness failure of 1" in terminal.text(found)


def test_a_working_session_took_its_time_also_where_no_model_was_asked(made):
    (arm,) = made(WORK="raises").report().arms
    assert arm.improving.calls is None
    assert arm.improving.seconds > 0


def test_a_truncated_session_is_said_in_a_comparison(made):
    run = made(WORK="raises")
    journal = SqliteJournal(run.directory.journal, read_only=True)
    try:
        said = list(whole._of_programs(runs.read("mine", journal)))
    finally:
        journal.close()
    assert said == ["mine: neither the agent nor its stream ended the working session of command L1 (harness failure)."]


def test_exam_attempts_in_which_the_program_broke_are_said_though_they_are_scored(made):
    found = made(EXAM="raises").report()
    said = [each for each in found.weaknesses if "ended because the program broke" in each]
    assert [each.split(";")[0] for each in said] == [
        "2 of 2 (100%) exam attempts of command ended because the program broke",
        f"2 of 2 (100%) exam attempts of {found.shared[0].name} ended because the program broke",
    ]


def test_a_program_of_ones_own_works_unconfined_and_is_stamped(made):
    found = made(sandbox={"kind": "unsafe"}).report()
    assert found.programs is not None
    assert [each.ending for each in found.programs.sessions] == ["queue_empty"]
    assert flat.rows(found)[0]["sandboxes"] == ["unsafe"]


def test_programs_in_no_sandbox_are_not_held_against_confined_ones(made):
    held = made(WORK="one")
    loose = Run(held.folder, config(WORK="one", sandbox={"kind": "unsafe"}))
    place = held.folder / "loose"
    wishes = Wishes(base=held.folder, exam_of=held.directory.path, upstreams={MODEL: Played(loose.brain, MODEL)})
    launch.run(loose.settings, place, wishes)
    journals = {
        name: SqliteJournal(RunDirectory(folder).journal, read_only=True)
        for name, folder in (("held", held.directory.path), ("loose", place))
    }
    try:
        with pytest.raises(UsageError, match=r"programs of loose ran in no sandbox.*those of held in bubblewrap"):
            whole.compare(journals)
        past = whole.compare(journals, despite_drift=True)
        assert any("programs of loose ran in no sandbox" in stamp for stamp in past.stamps)
        assert {over.control for over in past.controls} == {"held/A_0", "loose/A_0"}
    finally:
        for journal in journals.values():
            journal.close()
