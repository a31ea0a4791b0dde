"""Budgets: what is set aside, what is counted, when it is refused, and what a killed run owes."""

import asyncio
from typing import Any

import pytest

from rung.backends.models.gateway import Gateway
from rung.backends.models.scripted import Scripted
from rung.core.config import BudgetConfig, ModelConfig, PriceConfig
from rung.core.errors import BudgetSpent, LimitReached
from rung.core.ports import Amount, Reservation
from rung.core.values import Message, ModelRequest, Role
from rung.protocols.budget import Place, Purse
from rung.store.memory import MemoryJournal

STUDY = Place("study", "")
WORK = "a/L1/work/0001"


def purse(journal: MemoryJournal | None = None, **budget: Any) -> Purse:
    return Purse(journal or MemoryJournal(), BudgetConfig.model_validate(budget))


def reserve(on: Purse, usd: float, tokens: int = 0, path: str = WORK, role: Role = "agent") -> Reservation:
    return asyncio.run(on.at(path, 0, role).reserve(Amount(usd, tokens)))


def spend(on: Purse, usd: float, tokens: int = 0, path: str = WORK, role: Role = "agent") -> None:
    reserve(on, usd, tokens, path, role).settle(Amount(usd, tokens))


def test_what_is_settled_is_counted_in_every_place_over_the_call():
    on = purse()
    spend(on, 0.25, 10)
    spend(on, 0.5, 20, f"{WORK}/refine", "improver")
    spend(on, 1.0, 40, "exam/A0/0001/1")
    seen = {str(place): (on.account(place).usd, on.account(place).tokens, on.account(place).calls) for place in (
        STUDY, Place("lineage", "a/L1"), Place("task", WORK), Place("session", WORK), Place("task", "exam/A0/0001/1"),
    )}  # fmt: skip
    assert seen == {
        "study": (1.75, 70, 3),
        "lineage a/L1": (0.75, 30, 2),
        f"task {WORK}": (0.25, 10, 1),
        f"session {WORK}": (0.25, 10, 1),
        "task exam/A0/0001/1": (1.0, 40, 1),
    }


def test_what_cannot_be_known_cost_all_that_was_set_aside():
    on = purse()
    reserve(on, 0.5, 7).settle(None)
    assert (on.account(STUDY).usd, on.account(STUDY).tokens) == (0.5, 7)


def test_settling_twice_counts_once():
    on = purse()
    held = reserve(on, 0.5)
    held.settle(Amount(0.25, 1))
    held.settle(None)
    assert on.account(STUDY).usd == 0.25


def test_a_budget_is_reached_and_not_exceeded():
    on = purse(usd=1.0)
    spend(on, 0.1)
    spend(on, 0.2)
    spend(on, 0.7)  # and the sum of the three floats is a little above 1
    with pytest.raises(BudgetSpent, match=r"study: 1 of \[budget\] usd = 1 is spent, and one more call may cost 0.01"):
        reserve(on, 0.01)


def test_a_budget_smaller_than_one_call_is_called_that():
    with pytest.raises(BudgetSpent, match="smaller than one call; lower max_tokens, or raise it and run again"):
        reserve(purse(tokens=100), 0.0, tokens=101)


@pytest.mark.parametrize(
    ("scope", "place"), [("lineage", "lineage a/L1"), ("session", f"session {WORK}"), ("task", f"task {WORK}")]
)
def test_a_smaller_place_refuses_by_a_limit_that_the_study_goes_on_after(scope: str, place: str):
    on = purse(**{scope: {"tokens": 10}})
    spend(on, 0.0, 8)
    with pytest.raises(LimitReached, match=rf"{place}: 8 of \[budget.{scope}\] tokens = 10 is spent"):
        reserve(on, 0.0, 3)
    spend(on, 0.0, 3, "b/L1/work/0001")


def test_only_a_lineage_that_was_refused_is_closed():
    on = purse(lineage={"calls": 1})
    spend(on, 0.0)
    assert on.closed("a/L1") is None
    with pytest.raises(LimitReached):
        reserve(on, 0.0)
    assert on.closed("a/L1") == "lineage a/L1: 1 of [budget.lineage] calls = 1 is spent"
    assert on.closed("a/L2") is None


def test_an_exam_is_no_lineages_and_a_refinement_no_tasks():
    on = purse(lineage={"calls": 1}, task={"calls": 1})
    for number in range(3):
        spend(on, 0.0, path=f"exam/a.L1/000{number}/1")
    spend(on, 0.0, path=f"{WORK}/refine", role="improver")
    with pytest.raises(LimitReached, match="lineage"):
        reserve(on, 0.0, path=f"{WORK}/refine", role="improver")


def test_who_lacks_what_others_may_give_back_waits_for_them():
    async def three() -> list[str]:
        on, order = purse(usd=1.0), list[str]()
        first = await on.at(WORK, 0, "agent").reserve(Amount(0.8, 0))

        async def second() -> None:
            (await on.at("b/L1/work/0001", 0, "agent").reserve(Amount(0.8, 0))).settle(Amount(0.1, 0))
            order.append("second")

        waiting = asyncio.create_task(second())
        await asyncio.sleep(0)
        order.append("first settles")
        first.settle(Amount(0.1, 0))
        await waiting
        return order

    assert asyncio.run(three()) == ["first settles", "second"]


def test_who_waits_in_vain_is_refused():
    async def two() -> None:
        on = purse(usd=1.0)
        first = await on.at(WORK, 0, "agent").reserve(Amount(0.8, 0))
        waiting = asyncio.create_task(on.at("b/L1/work/0001", 0, "agent").reserve(Amount(0.8, 0)))
        await asyncio.sleep(0)
        first.settle(Amount(0.8, 0))
        await waiting

    with pytest.raises(BudgetSpent):
        asyncio.run(two())


# --------------------------------------------------------------------------------------------- on record


def test_a_run_that_goes_on_knows_what_it_spent_and_counts_the_unknown_in_full():
    journal = MemoryJournal()
    before = purse(journal)
    spend(before, 0.25, 10)
    spend(before, 0.5, 20, f"{WORK}/refine", "improver")
    reserve(before, 0.75, 30)  # killed before it was settled
    after = purse(journal, usd=2.0)
    assert (after.account(STUDY).usd, after.account(STUDY).tokens, after.account(STUDY).calls) == (1.5, 60, 3)
    assert after.account(Place("lineage", "a/L1")).usd == 1.5
    assert after.account(Place("task", WORK)).usd == 1.0
    spend(after, 0.5)
    with pytest.raises(BudgetSpent):
        reserve(after, 0.01)


def test_what_is_set_aside_is_on_record_before_it_may_be_spent():
    journal = MemoryJournal()
    reserve(purse(journal), 0.75, 30)
    (note,) = journal.observations(name="reserved")
    assert note == (WORK, "reserved", {"n": 1, "call": 0, "usd": 0.75, "tokens": 30})


# --------------------------------------------------------------------------------------------- time and warnings


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_time_of_a_study_is_that_of_all_its_runs():
    journal, clock = MemoryJournal(), Clock()
    budget = BudgetConfig(seconds=100)
    first = Purse(journal, budget, clock=clock)
    clock.now = 60
    first.worked(WORK, 60)
    first.check()
    clock.now = 1000  # some days later
    second = Purse(journal, budget, clock=clock)
    clock.now = 1039
    second.check()
    clock.now = 1040
    with pytest.raises(BudgetSpent, match=r"100 of \[budget\] seconds = 100 is spent"):
        second.check()


def test_the_time_of_a_lineage_is_that_of_its_attempts_and_refinements():
    journal = MemoryJournal()
    on = purse(journal, lineage={"seconds": 10})
    on.worked(WORK, 6)
    on.worked("exam/a.L1/0001/1", 60)
    assert on.closed("a/L1") is None
    on.worked(f"{WORK}", 4)
    assert on.closed("a/L1") == "lineage a/L1: 10 of [budget.lineage] seconds = 10 is spent"


def test_a_warning_comes_once_when_the_budget_nears_its_end():
    said = list[str]()
    on = Purse(MemoryJournal(), BudgetConfig(usd=1.0, warn_at=0.5), warn=said.append)
    spend(on, 0.4)
    assert said == []
    spend(on, 0.1)
    spend(on, 0.4)
    assert said == ["study: 0.5 of [budget] usd = 1 is spent"]


# --------------------------------------------------------------------------------------------- many at once


def test_five_hundred_at_once_do_not_exceed_the_budget_by_a_single_call():
    price = PriceConfig(input=0.0, output=1_000_000.0, date="2026-11-30")  # a dollar a word
    calls = 500
    request = ModelRequest((Message("user", "say ten"),), "agent", max_tokens=10)
    in_flight = [0, 0]

    async def turn(seconds: float) -> None:
        """Let all others have a turn while this one is in flight."""
        in_flight[0] += 1
        in_flight[1] = max(in_flight)
        await asyncio.sleep(0)
        in_flight[0] -= 1

    backend = Scripted(lambda request, number: " ".join(["word"] * (1 + number % 10)), delay=1.0, sleep=turn)

    async def everybody() -> tuple[int, Purse]:
        on = purse(usd=1000.0)
        gateway = Gateway("scripted/words", backend, ModelConfig(concurrency=calls), price=price, live=False)
        asked = [gateway.ask(request, on.at(f"a/L{n}/work/0001", 0, "agent")) for n in range(calls)]
        results = await asyncio.gather(*asked, return_exceptions=True)
        refused = [result for result in results if isinstance(result, BudgetSpent)]
        assert all(isinstance(result, BudgetSpent) for result in results if isinstance(result, BaseException))
        return len(refused), on

    refused, on = asyncio.run(everybody())
    spent = on.account(STUDY)
    assert spent.calls == backend.tries == calls - refused
    assert refused > 0
    assert in_flight[1] == 1000 // 10  # as many as the budget has room for
    assert 1000 - 10 < spent.usd <= 1000  # all but what one more call might have cost
    assert not spent.held
