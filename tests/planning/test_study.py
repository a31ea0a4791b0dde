"""The plan as a whole: rows, the next step and its cost by hand, guesses without a pilot, and what is promised."""

from dataclasses import replace

import pytest

from rung.core.config import Config, parse
from rung.core.errors import UsageError
from rung.planning import pilot, promise, study
from rung.planning.power import Design, Noise, detectable, nested
from rung.planning.study import ATTEMPT, TASK, TAUS
from rung.protocols import launch, registered

LOCK = {"family": "toy-lock-v1", "difficulty": 2}
SWEEP = {"family": "sweepmine-v1", "difficulty": 1}


def config(**changes: object) -> Config:
    """Five lineages of six locks and two replays; ten locks and seven fields examined, three times by A_0."""
    document = {
        "name": "planned",
        "protocol": "ladder",
        "lineages": 5,
        "agent": {"kind": "phantom:general", "base": 0.4, "rate": 0.05},
        "method": {"name": "phantom"},
        "exam": {"repeats": 2},
        "tasks": {
            "replay": {"interval": 3, "lag": 2},
            "schedule": [{**LOCK, "count": 6, "replay": True}],
            "holdout": [{**LOCK, "count": 10}, {**SWEEP, "count": 7}],
        },
    }
    return parse({**document, **changes})


@pytest.fixture(scope="module")
def blind() -> study.StudyPlan:
    return study.make(config())


@pytest.fixture(scope="module")
def told() -> study.StudyPlan:
    journal = launch.simulate(config(seed=5), secret="a secret")
    return study.make(config(), pilots=[pilot.read(journal)])


def test_every_comparison_of_the_config_has_a_row_and_replays_have_one(blind):
    assert [(row.level, row.target, row.tasks) for row in blind.rows] == [
        ("G0", "replays", 2),
        ("G1", "toy-lock-v1 d2", 10),
        ("G3", "sweepmine-v1 d1", 7),
    ]


def test_without_a_pilot_the_assumed_noise_is_shown_for_three_spreads_of_lineages(blind):
    g0, g1, _ = blind.rows
    design = Design(5, 10, repeats=2, baseline_repeats=3)
    assert [each.gain for each in g1.found] == [detectable(Noise(tau, TASK, ATTEMPT), design).gain for tau in TAUS]
    assert [each.gain for each in g0.found] == [nested(Noise(tau, TASK, ATTEMPT), 5, 2).gain for tau in TAUS]
    assert g1.best == g1.found[1]


def test_the_assumed_noise_makes_pairs_differ_as_published_ones_do():
    once, thrice = ((2 * ATTEMPT**2 / repeats + TASK**2) ** 0.5 for repeats in (1, 3))
    assert (once, thrice) == (pytest.approx(0.45, abs=0.001), pytest.approx(0.277, abs=0.001))


def test_a_pilot_brings_its_own_noise_and_tau(told):
    g1 = told.rows[1]
    assert g1.seen is not None
    assert len(g1.found) == len(TAUS) + 1
    assert g1.best == g1.found[-1] == detectable(g1.seen.noise, Design(5, 10, 2, 3))
    assert any(line.startswith("G1 toy-lock-v1 d2 from the pilot: tau ") for line in told.basis)


def test_the_next_step_costs_what_the_config_says(told):
    """One lineage more: two arms at eight places, and two sittings of the exam. A lock takes one action."""
    sweep = {
        who: [each.actions for each in told_attempts(told) if each.group.who == who and "sweep" in each.group.cell]
        for who in ("static", "phantom")
    }
    early, late = (sum(sweep[who]) / len(sweep[who]) for who in ("static", "phantom"))
    costs = {step.what: step.cost for step in told.steps}
    assert told.currency == "actions"
    assert costs["lineage"] == pytest.approx(2 * 8 + 2 * (10 + 7 * late))
    assert costs["task"] == pytest.approx(3 * (1 + early) + 5 * 2 * (1 + late))
    assert costs["repeat"] == pytest.approx(5 * (10 + 7 * late))
    assert costs["baseline repeat"] == pytest.approx(10 + 7 * early)


def told_attempts(told: study.StudyPlan) -> tuple[pilot.Attempt, ...]:
    return pilot.read(launch.simulate(config(seed=5), secret="a secret")).attempts


def test_steps_are_ranked_by_what_they_save_for_their_cost(told):
    worths = [step.worth for step in told.steps]
    assert worths == sorted(worths, reverse=True)
    step = next(step for step in told.steps if step.what == "task")
    assert step.then[1:] == tuple(
        detectable(row.best_noise, Design(5, row.tasks + 1, 2, 3)).gain for row in told.rows[1:]
    )


def test_two_lineages_have_no_verdict_and_a_third_brings_one():
    found = study.make(config(lineages=2))
    assert [row.best.gain for row in found.rows] == [None, None, None]
    assert (found.steps[0].what, found.steps[0].opens) == ("lineage", True)


def test_five_tasks_give_no_verdict_and_a_sixth_brings_one():
    tasks = {"schedule": [{**LOCK, "count": 6}], "holdout": [{**LOCK, "count": 5}]}
    found = study.make(config(tasks=tasks))
    assert [(row.best.gain, row.best.why) for row in found.rows] == [(None, "fewer than 6 tasks give no verdict")]
    assert (found.steps[0].what, found.steps[0].opens) == ("task", True)


# --------------------------------------------------------------------------------------------- without a pilot


def test_without_a_pilot_phantoms_act_as_the_newcomer_and_the_solver_do(blind):
    """Locks take one action; of fields the newcomer and the solver need between 2 and 30."""
    attempts = 2 * 5 * 8 + (3 + 5 * 2) * 17
    locks = 2 * 5 * 8 + (3 + 5 * 2) * 10
    found = {each.quantity: each for each in blind.amounts}
    assert (found["attempts"].range.low, found["attempts"].range.high) == (attempts, attempts)
    assert locks + 13 * 7 * 2 < found["actions"].range.low < found["actions"].range.high < locks + 13 * 7 * 30
    assert (found["hours"].range, found["hours"].unknown) == (None, "there is no pilot")
    assert blind.level is None
    assert blind.basis[0].startswith("Use is a prior and no measurement")


def test_without_a_pilot_a_chat_agent_may_talk_nonsense_and_tokens_are_unknown():
    chat = {"kind": "chat", "model": "scripted/first"}
    found = {each.quantity: each for each in study.make(config(agent=chat, method={"name": "reflexion"})).amounts}
    attempts = 2 * 5 * 8 + (3 + 5 * 2) * 17
    assert found["calls"].range.low == found["actions"].range.low >= attempts
    assert found["calls"].range.high > found["actions"].range.high
    assert {found[name].unknown for name in ("tokens", "usd", "hours")} == {"there is no pilot"}


def test_a_config_that_cannot_be_run_is_refused():
    with pytest.raises(UsageError, match="nowhere-v1"):
        study.make(
            config(
                tasks={"schedule": [{**LOCK, "count": 6}], "holdout": [{**LOCK, "family": "nowhere-v1", "count": 6}]}
            )
        )


# --------------------------------------------------------------------------------------------- promises


def test_what_is_promised_is_the_config_the_claims_the_margins_and_the_forecast(told):
    content = promise.make(told, margins={"G1": 0.05}).content
    assert content["config"] == registered.identity(config(), {})
    assert (content["lineages"], content["power"], content["range"]) == (5, 0.8, 0.9)
    assert content["exam"] == {
        "tasks": {"toy-lock-v1 d2": 10, "sweepmine-v1 d1": 7},
        "repeats": 2,
        "baseline_repeats": 3,
    }
    assert [(claim["arm"], claim["level"]) for claim in content["family"]] == [
        ("phantom", "G0"),
        ("phantom", "G1"),
        ("phantom", "G3"),
    ]
    assert content["margins"] == {"G1": 0.05}
    assert content["correction"]["over all arms"] == {"method": "holm", "level": 0.05, "rows": 2}
    assert content["forecast"]["attempts"]["expected"] == told.amount("attempts").range.expected
    assert content["forecast"]["hours"] is None
    assert content["detectable"][1]["gain"] == pytest.approx(told.rows[1].best.gain)
    assert "lineages" in content["stopping"]


def test_the_same_plan_has_the_same_hash_and_another_has_another(told):
    assert promise.make(told).sha256 == promise.make(told).sha256
    assert promise.make(told).sha256 != promise.make(told, margins={"G1": 0.05}).sha256
    assert promise.make(told).sha256 != promise.make(replace(told, power=0.9)).sha256
