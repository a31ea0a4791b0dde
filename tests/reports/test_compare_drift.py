"""The same A_0 in two runs: chance passes, drift is refused."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from rung.core.errors import UsageError
from rung.core.seeds import Seed
from rung.core.values import ModelReply, ModelRequest, Usage
from rung.protocols import launch
from rung.reports.compare.drift import ALPHA, shift
from rung.store.memory import MemoryJournal
from rung.testing.toys.toy_lock_v1.game import FAMILY as LOCK

from . import modelled
from .compared import compared, played, study

SEED = Seed("drift")
TASKS = {**modelled.TASKS, "holdout": [{**modelled.CELL, "count": 16}]}


def right(request: ModelRequest) -> str:
    """A model that became better: it knows every answer."""
    return modelled.ADVICE if request.role == "improver" else str(LOCK.answer_to(modelled.shown(request)))


def renamed(request: ModelRequest) -> ModelReply:
    """As `modelled.learns`, from a model that reports another id."""
    return ModelReply(modelled.learns(request), "a-model-2027", "stop", Usage(9, 3, cached_tokens=0))


def models(name: str, script: modelled.Script) -> MemoryJournal:
    config = modelled.config(name=name, tasks=TASKS)
    return launch.simulate(config, secret="one exam", arms=modelled.arms(modelled.Billed(script)))


def test_a_drift_is_the_mean_change_over_tasks_with_its_t_interval():
    early, late = np.random.default_rng(1).random((2, 24)).round(2)
    found = shift(list(early), list(late), seed=SEED)
    other = stats.ttest_rel(late, early)
    assert found.difference.value == pytest.approx(float((late - early).mean()))
    assert (found.difference.lo, found.difference.hi) == pytest.approx(tuple(other.confidence_interval(0.95)))
    assert found.p == pytest.approx(other.pvalue)


def test_a_change_by_the_same_on_every_task_is_told_by_sign_flips():
    assert shift([0.0] * 8, [1.0] * 8, seed=SEED).p == 2 / 2**8
    assert shift([0.5] * 8, [0.5] * 8, seed=SEED).p == 1.0


def test_below_six_tasks_drift_cannot_be_told():
    assert shift([0.0] * 5, [1.0] * 5, seed=SEED).p is None


def test_without_drift_at_least_95_of_100_pairs_pass():
    rng, refused, pairs = np.random.default_rng(2), 0, 600
    for pair in range(pairs):
        skill = rng.random(16)
        early, late = rng.binomial(3, skill, (2, 16)) / 3
        p = shift(list(early), list(late), seed=SEED.child(pair)).p
        refused += p is not None and p <= ALPHA
    assert refused <= ALPHA * pairs + 3 * (pairs * ALPHA * (1 - ALPHA)) ** 0.5


def test_whole_runs_of_one_agent_pass_at_other_seeds():
    small: dict[str, Any] = {"lineages": 1, "agent": {"kind": "phantom:static", "base": 0.5}}
    runs = [played(study(f"run {seed}", tasks=12, worked=3, seed=seed, **small)) for seed in range(40)]
    refused = 0
    for early, late in zip(runs[::2], runs[1::2], strict=True):
        try:
            found = compared({"early": early, "late": late})
            assert {drift.word for drift in found.drift} == {"no drift seen"}
        except UsageError as error:
            assert "declare the same A_0" in str(error)  # noqa: PT017 (some refusals are chance)
            refused += 1
    assert refused <= 4  # of 20 at 5%: five or more come once in 390 times


def test_a_planted_drift_is_refused_with_runs_difference_interval_and_mend():
    runs = {"monday": models("monday", modelled.learns), "friday": models("friday", right)}
    with pytest.raises(UsageError) as refused:
        compared(runs)
    said = str(refused.value)
    assert "monday and friday declare the same A_0" in said
    assert "on toy-lock-v1 d1 it scored +0." in said
    assert "] in friday against monday (p " in said
    assert "paired over 16 tasks): more than chance explains" in said
    assert "Examine both in one run ([[arms]]), which interleaves its exam; --despite-drift" in said


def test_despite_drift_the_comparison_is_stamped_and_so_is_every_row_between_the_runs():
    runs = {"monday": models("monday", modelled.learns), "friday": models("friday", right)}
    found = compared(runs, despite_drift=True)
    assert len(found.stamps) == 1
    assert found.stamps[0].startswith("DESPITE DRIFT: monday and friday declare the same A_0")
    between = [row for row in found.rows if row.earlier.split("/")[0] != row.later.split("/")[0]]
    within = [row for row in found.rows if row not in between]
    assert all("DESPITE DRIFT" in row.flags for row in between)
    assert not any("DESPITE DRIFT" in row.flags for row in within)
    assert len(within) == 4  # of either run one pair, on G0 and G1


def test_the_drift_that_is_told_is_that_of_the_rows():
    runs = {"monday": models("monday", modelled.learns), "friday": models("friday", right)}
    told = compared(runs, despite_drift=True).drift
    means = [
        np.mean(
            [fact.value["score"] for fact in run.facts(under="exam", kind="sealed") if fact.path.startswith("exam/A0")]
        )
        for run in runs.values()
    ]
    assert [(drift.earlier, drift.later, drift.word) for drift in told] == [("monday", "friday", "drifted")]
    assert told[0].difference.value == pytest.approx(means[1] - means[0])


def test_two_runs_of_one_unchanged_model_are_compared():
    found = compared({"monday": models("monday", modelled.learns), "friday": models("friday", modelled.learns)})
    assert [(drift.word, drift.difference.value) for drift in found.drift] == [("no drift seen", 0.0)]
    assert found.stamps == ()


def test_one_name_that_reported_two_ids_is_no_single_agent():
    runs = {"monday": models("monday", modelled.learns), "friday": models("friday", renamed)}
    with pytest.raises(UsageError, match="reported a-model-2026 in monday and a-model-2027 in friday: two models"):
        compared(runs)
    assert "another model" not in compared(runs, despite_drift=True).rows[0].flags
    assert (
        compared(runs, despite_drift=True).stamps[0].startswith("DESPITE DRIFT: monday and friday declare the same A_0")
    )


def test_agents_that_are_declared_apart_are_not_held_to_each_other():
    runs = {
        "low": played(study("low", agent={"kind": "phantom:general", "base": 0.0, "rate": 0.5})),
        "high": played(study("high", agent={"kind": "phantom:general", "base": 1.0, "rate": 0.5})),
    }
    found = compared(runs)
    assert found.drift == ()
    assert any("begin apart" in warning for warning in found.warnings)
    assert all("different A_0" in row.flags for row in found.rows)
