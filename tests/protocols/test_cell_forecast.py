"""What a cell may cost and is estimated to; every figure is worked out by hand beside it."""

from pathlib import Path
from typing import Any

import pytest

from rung.core.config import Config, ModelConfig, PriceConfig, parse, read
from rung.protocols import cell_forecast, providers
from rung.protocols.cell_forecast import CONTEXT, CellForecast, Pace
from rung.protocols.quick import shrink

from .studies import LOCK

PRICE = {"input": 1.0, "output": 10.0, "cached": 0.1, "date": "2026-11-30"}
KNOWN = {"anthropic/claude-opus-5": {"price": PRICE}}


def config(**changes: Any) -> Config:
    document: dict[str, Any] = {
        "name": "cell",
        "protocol": "cell",
        "lineages": 2,
        "agent": {"kind": "command:claude-code", "model": "anthropic/claude-opus-5"},
        "models": KNOWN,
        "tasks": {"schedule": [{**LOCK, "count": 5}], "holdout": [{**LOCK, "count": 3}]},
    }
    return parse({**document, **changes})


def made(**changes: Any) -> CellForecast:
    return cell_forecast.make(config(**changes))


def phases(found: CellForecast) -> dict[str, tuple[int, int]]:
    return {part.phase: (part.sessions, part.tasks) for part in found.parts}


def test_sessions_are_counted_by_phase():
    """Two lineages share a before-exam of three attempts a task; four sentinels are three of three tasks."""
    found = made()
    assert phases(found) == {"before-exam": (9, 1), "working": (2, 5), "after-exam": (6, 1), "sentinels": (3, 1)}
    assert found.attempts == 9 + 2 * 5 + 6 + 3


def test_a_fresh_before_exam_is_one_for_each_lineage():
    found = made(cell={"before": "fresh", "sentinels": 0})
    assert phases(found) == {"before-exam": (6, 1), "working": (2, 5), "after-exam": (6, 1)}


def test_arms_that_begin_alike_share_what_comes_before():
    two = [{"name": name, "agent": config().agent.model_dump()} for name in ("one", "two")]
    assert [(part.arm, part.phase) for part in made(arms=two, agent=None).parts] == [
        ("one", "before-exam"),
        ("one", "working"),
        ("one", "after-exam"),
        ("two", "working"),
        ("two", "after-exam"),
        ("one", "sentinels"),
    ]


def test_arms_of_two_models_do_not_begin_alike():
    agents = [{"kind": "command:claude-code", "model": f"anthropic/{name}"} for name in ("a", "b")]
    arms = [{"name": agent["model"][-1], "agent": agent} for agent in agents]
    found = made(arms=arms, agent=None, models={})
    assert [part.arm for part in found.parts if part.phase == "before-exam"] == ["a", "b"]


def test_without_a_budget_nothing_bounds_it():
    found = made()
    assert [found.most(each) for each in ("usd", "tokens", "calls")] == [None, None, None]
    assert any("nothing says how much it may cost" in why for why in found.refused) or "needs a key" in found.refused[0]


def test_sessions_bound_the_whole_where_the_studys_budget_is_larger():
    """9 + 6 + 3 exam sessions of 0.10 by the task, 2 working ones of 1.50 by the lineage."""
    budget = {"usd": 9.0, "session": {"usd": 2.0}, "task": {"usd": 0.1}, "lineage": {"usd": 1.5}}
    found = made(budget=budget)
    assert found.bounded("usd") == pytest.approx(18 * 0.1 + 2 * 1.5)
    assert found.most("usd") == pytest.approx(4.8)
    assert not found.binds("usd")


def test_the_studys_budget_binds_where_it_is_smaller():
    found = made(budget={"tokens": 1000, "session": {"tokens": 100}})
    assert found.bounded("tokens") == 20 * 100
    assert (found.most("tokens"), found.binds("tokens")) == (1000, True)


def test_a_bound_on_tasks_alone_leaves_working_sessions_without():
    found = made(budget={"task": {"usd": 0.1}})
    assert found.bounded("usd") is None


def test_an_estimate_reads_what_was_said_before_in_every_call():
    """Two calls read 1,000 and 1,000 + 100 + 200 tokens and write 200 each; the first 1,000 are read once more."""
    found = cell_forecast._priced(1000, [100], PriceConfig(**PRICE), ModelConfig())
    assert (found.calls, found.read, found.written) == (2, 2300, 400)
    assert found.usd == pytest.approx((2300 * 1 + 400 * 10) / 1e6)
    assert found.cached == pytest.approx((1300 * 1 + 1000 * 0.1 + 400 * 10) / 1e6)


def test_a_conversation_is_no_longer_than_its_model_reads():
    found = cell_forecast._priced(1000, [CONTEXT, 5], None, ModelConfig(context_tokens=5000))
    assert found.read == 1000 + 5000 + 5000
    assert (found.usd, found.cached) == (None, None)


def test_an_exam_task_takes_two_calls_more_than_steps():
    assert len(list(cell_forecast._told(Pace(7.0, 10.0, 1.0)))) + 1 == 7 + 2


def test_a_lock_takes_one_step_so_an_exam_session_three_calls():
    found = made()
    assert [part.guess and part.guess.calls for part in found.parts] == [9 * 3, 2 * (5 * 2 + 1), 6 * 3, 3 * 3]


def test_a_limit_below_the_estimate_is_named():
    (working,) = [part for part in made(budget={"session": {"calls": 10}}).parts if part.phase == "working"]
    assert [limit.section for limit in working.short] == ["[budget.session] calls = 10"]
    (roomy,) = [part for part in made(budget={"session": {"calls": 11}}).parts if part.phase == "working"]
    assert not roomy.short


def test_what_a_program_of_ones_own_asks_is_not_known(tmp_path):
    agent = {"kind": "command", "command": ["sh"], "model": "anthropic/claude-opus-5"}
    found = made(agent=agent)
    assert (found.guess, found.asks) == (None, True)


def test_a_program_without_a_model_spends_nothing():
    found = made(agent={"kind": "command", "command": ["sh"]}, models={})
    assert found.guess is not None
    assert (found.guess.calls, found.asks) == (0, False)


def test_a_live_model_of_programs_needs_a_budget():
    arms = cell_forecast.wiring.arms(
        config(), models={"anthropic/claude-opus-5": providers.gated(config(), "anthropic/claude-opus-5")}
    )
    with pytest.raises(cell_forecast.UsageError, match="nothing says how much it may cost"):
        providers.refuse_unbounded(config(), arms)


def test_a_quick_look_at_a_cell_is_of_one_lineage_and_one_sentinel():
    small, changed = shrink(config())
    assert (small.lineages, small.cell.sentinels) == (1, 1)
    assert "lineages: 2 -> 1" in changed
    assert "cell.sentinels: 4 -> 1" in changed


def test_a_limit_below_the_first_call_is_named_since_under_it_no_call_is_made():
    """79,660 bytes at 1 dollar, twice that for writing a cache, and 32,000 tokens at 10 dollars: 0.47932."""
    found = made(budget={"usd": 9.0, "task": {"usd": 0.47}, "session": {"usd": 0.48, "tokens": 100_000}})
    assert found.first["claude-code"].usd == pytest.approx(0.47932)
    assert found.first["claude-code"].tokens == 79_660 + 32_000
    assert set(found.too_little) == {"[budget.task] usd = 0.47", "[budget.session] tokens = 100,000"}


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["claude-code.toml", "codex.toml"])
def test_the_examples_of_programs_leave_each_session_room(name):
    found = cell_forecast.make(read(EXAMPLES / name), base=EXAMPLES)
    assert found.too_little == []
    assert [limit for part in found.parts for limit in part.short] == []
    assert found.most("usd") is not None
