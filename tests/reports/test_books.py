"""The books of a hand-made journal, in round numbers."""

from typing import Any

import pytest

from rung.reports import books
from rung.reports.books import Place
from rung.reports.tables import Row
from rung.reports.values import Actions
from rung.store.memory import MemoryJournal

PATH = "a/L1/work/0001"
WORKING, REFINING = Place("a", "improving", "working"), Place("a", "improving", "refining")


def row(path: str = PATH, steps: int = 1) -> Row:
    return Row(path, "a", 1, "work", 1, 1, 0, None, 1.0, True, None, steps)


def call(journal: MemoryJournal, path: str, index: int, read: int | None, written: int | None, cached: int = 0) -> None:
    usage = {"input_tokens": read, "output_tokens": written, "cached_tokens": cached}
    journal.put(path, f"call/{index:06d}", {"usage": usage})


def tried(journal: MemoryJournal, path: str, n: int, call: int, *, worst: Any, cost: Any = None) -> None:
    journal.observe(path, "reserved", {"n": n, "call": call, "usd": worst, "tokens": 100})
    if cost is not None:
        journal.observe(path, "settled", {"n": n, "usd": cost, "tokens": 10})


def read(journal: MemoryJournal, *rows: Row) -> books.Books:
    return books.read(journal, rows or [row()], modelled=True)


def at(place: Place) -> Any:
    return lambda other: other == place


def test_a_call_costs_all_its_tries_and_one_that_was_never_settled_costs_its_most():
    journal = MemoryJournal()
    call(journal, PATH, 0, 5, 2)
    tried(journal, PATH, 1, 0, worst=4.0, cost=1.0)
    tried(journal, PATH, 2, 0, worst=4.0)
    tried(journal, PATH, 3, 0, worst=4.0, cost=0.5)
    found = read(journal)
    assert found.calls(at(WORKING)) == books.Calls(1, 0, 5, 0, 2, 5.5, 5.5)
    assert (found.tries.count, found.tries.tokens) == (3, 120)


def test_a_call_that_was_interrupted_is_paid_and_brought_nothing():
    journal = MemoryJournal()
    tried(journal, PATH, 1, 0, worst=4.0)
    found = read(journal).calls(at(WORKING))
    assert found is not None
    assert (found.answered, found.made, found.usd) == (0, 0, 4.0)


def test_refining_and_working_are_apart_and_seconds_too():
    journal = MemoryJournal()
    for path, read_, usd in ((PATH, 3, 1.0), (f"{PATH}/refine", 30, 2.0), (f"{PATH}/select", 300, 4.0)):
        call(journal, path, 0, read_, 1)
        journal.observe(path, "call/000000", {"usd": usd})
    journal.observe(PATH, "seconds", 7.0)
    journal.observe(PATH, "refine_seconds", 11.0)
    found = read(journal)
    working, refining = found.calls(at(WORKING)), found.calls(at(REFINING))
    assert working is not None
    assert refining is not None
    assert (working.input_tokens, working.usd) == (3, 1.0)
    assert (refining.input_tokens, refining.usd) == (330, 6.0)
    assert (found.seconds_of(at(WORKING)), found.seconds_of(at(REFINING))) == (7.0, 11.0)


@pytest.mark.parametrize(("read_", "written"), [(None, 2), (5, None)])
def test_usage_of_which_a_part_is_missing_makes_every_sum_unknown(read_: int | None, written: int | None):
    journal = MemoryJournal()
    call(journal, PATH, 0, read_, written)
    call(journal, PATH, 1, 5, 2)
    for n in (0, 1):
        tried(journal, PATH, n, n, worst=4.0, cost=1.0)
    found = read(journal).calls(at(WORKING))
    assert found == books.Calls(2, 1, None, None, None, None, 2.0)


def test_no_usage_at_all_and_no_price_are_unknown_too():
    journal = MemoryJournal()
    journal.put(PATH, "call/000000", {"usage": None})
    journal.put(
        f"{PATH}/refine", "call/000000", {"usage": {"input_tokens": 1, "output_tokens": 2, "cached_tokens": None}}
    )
    journal.observe(f"{PATH}/refine", "call/000000", {"usd": None})
    found = read(journal)
    assert found.calls(at(WORKING)) == books.Calls(1, 1, None, None, None, None, None)
    assert found.calls(at(REFINING)) == books.Calls(1, 0, 1, 0, 2, None, None)


def test_calls_and_failures_are_numbered_together_and_a_refusal_by_a_limit_costs_nothing():
    journal = MemoryJournal()
    call(journal, PATH, 0, 5, 2)
    journal.observe(PATH, "call/000000", {"usd": 1.0})
    for index, error in ((1, "EmptyReply"), (2, "LimitReached")):
        journal.put(PATH, f"failed/{index:06d}", {"error": error, "where": "", "detail": f"why {index}"})
    tried(journal, PATH, 1, 1, worst=4.0, cost=3.0)
    found = read(journal).calls(at(WORKING))
    assert found is not None
    assert [(each.error, each.calls, each.first.text) for each in found.failures] == [
        ("EmptyReply", 1, "why 1"),
        ("LimitReached", 1, "why 2"),
    ]
    assert (found.made, found.usd) == (3, 4.0)


def test_what_another_model_judged_is_kept_apart_from_acting_and_refining():
    journal = MemoryJournal()
    call(journal, PATH, 0, 5, 2)
    call(journal, f"{PATH}/judge", 0, 7, 1)
    call(journal, f"{PATH}/refine", 0, 11, 3)
    by_part = {
        part: read(journal).calls(at(Place("a", "improving", part))) for part in ("working", "judging", "refining")
    }
    assert {part: found.input_tokens for part, found in by_part.items() if found} == {
        "working": 5,
        "judging": 7,
        "refining": 11,
    }


def test_calls_that_an_agent_tells_of_are_counted_and_not_priced():
    journal = MemoryJournal()
    journal.put(PATH, "told/000001", {"usage": None})
    found = read(journal, row(steps=2)).calls(at(WORKING))
    assert found == books.Calls(0, 0, 0, 0, 0, 0.0, 0.0, told=1)


def test_steps_of_an_older_rung_are_read_as_calls_unless_they_were_invalid():
    journal = MemoryJournal()
    call(journal, PATH, 0, 5, 2)
    for index, invalid in enumerate((True, False)):
        journal.put(f"{PATH}/step/{index:04d}", "step", {"invalid": invalid})
    assert read(journal).actions_of(lambda place: True) == Actions(total=2, parsed=1, invalid=1)


def test_actions_count_only_where_a_model_acted():
    journal = MemoryJournal()
    call(journal, PATH, 0, 5, 2)
    for path, invalid in ((PATH, True), (f"{PATH}/trial/0/1", False), ("b/L1/work/0001", True)):
        journal.put(f"{path}/step/0000", "step", {"parsed": True, "invalid": invalid})
    journal.put(f"{PATH}/step/0001", "step", {"parsed": False, "invalid": True})
    found = read(journal)
    assert found.actions_of(lambda place: True) == Actions(total=3, parsed=2, invalid=2)
    assert found.actions_of(lambda place: place.who == "b") is None


def test_nothing_is_looked_for_where_no_model_can_have_been_called():
    journal = MemoryJournal()
    call(journal, PATH, 0, 5, 2)
    assert books.read(journal, [row()], modelled=False).calls(lambda place: True) is None
