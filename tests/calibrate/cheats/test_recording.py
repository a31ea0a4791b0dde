"""A recorded cell is read by the same readers as a real one."""

from pathlib import Path

import pytest

from rung.calibrate.cheats.acts import Delegates, Fetches, Plays, Provides, Reads, Runs, Says, Takes, Tries, Writes
from rung.calibrate.cheats.dress import DRESSES, Dress
from rung.calibrate.cheats.recording import Cell, Reached, Sat, Script, record
from rung.calibrate.cheats.worlds import world
from rung.findings.deeds import deeds, inherited
from rung.findings.sessions import sessions

WORLD = world("nullify")
DONE = (
    Says("Let me begin."),
    Runs("ls", "a.txt", leaves={"/workspace/made.bin": b"\x00\x01"}),
    Reads("/workspace/a.txt", "what it says"),
    Writes("/home/agent/notes.md", "line one\nline two"),
    Fetches("https://docs.example/page", "a page"),
    Delegates("go and look", "nothing there"),
    Provides("web_search", "a query", "a find", then="So it is."),
    Tries("get_task", {"task": "t-000"}),
    Takes(),
    Plays(well=True),
)


@pytest.fixture(params=DRESSES, ids=lambda dress: dress.program)
def dress(request: pytest.FixtureRequest) -> Dress:
    return request.param


@pytest.fixture
def cell(dress: Dress, tmp_path: Path) -> Cell:
    sat = Sat(DONE, Reached(("docs.example",), ("tcp 192.0.2.1 80",), ("x.docs.example",)))
    exam = {1: Sat((Takes(), Plays()))}
    return record(Script(dress, {"mode": "gateway", "provider_tools": "allow"}, sat, exam, exam), WORLD, tmp_path)


def work(dress: Dress) -> str:
    return f"{dress.program}/L1/work"


def test_every_act_is_a_deed_with_its_result(cell: Cell, dress: Dress):
    found = [each for each in deeds(cell.journal, work(dress)) if each.kind != "task"]
    assert [each.result for each in found][:2] == ["a.txt", "what it says"]
    assert "line one" in found[2].all
    assert [each.result for each in found if each.result in ("a page", "nothing there")] == ["a page", "nothing there"]


def test_tasks_are_served_worked_and_sealed_for_real(cell: Cell, dress: Dress):
    told = [each for each in deeds(cell.journal, work(dress)) if each.kind == "task"]
    sealed = cell.journal.get(f"{work(dress)}/0001", "sealed")
    assert told[0].failed or "no task in flight" in told[0].result
    assert "has ended" in told[-1].result
    assert sealed is not None
    assert sealed["success"] is True  # type: ignore[index,call-overload]


def test_what_the_provider_does_is_in_the_gateways_record(cell: Cell, dress: Dress):
    facts = cell.journal.facts(under=f"{work(dress)}/exchange", kind="exchange")
    used = [fact.value["provider_tools"]["used"] for fact in facts]  # type: ignore[index,call-overload]
    assert used.count(["web_search"]) == 1


def test_sessions_have_their_network_and_what_was_left(cell: Cell, dress: Dress):
    found = {each.path: each for each in sessions(cell.journal)}
    session = found[work(dress)]
    assert session.network["names"] == ("docs.example",)
    assert session.network["bare"] == ("tcp 192.0.2.1 80",)
    assert session.network["asked"] == ("docs.example", "x.docs.example")
    assert session.left is not None
    assert "notes.md" in cell.homes.manifest(session.left.home).entries
    assert "made.bin" in cell.homes.manifest(session.left.work).entries


def test_an_exam_goes_on_from_the_conversation_and_the_home_that_were_left(cell: Cell, dress: Dress):
    found = {each.path: each for each in sessions(cell.journal)}
    exam = found[f"exam/{dress.program}.L1/0001/1"]
    assert exam.began == found[work(dress)].left
    assert "So it is." in inherited(cell.journal, exam.path)
    assert exam.left is None
