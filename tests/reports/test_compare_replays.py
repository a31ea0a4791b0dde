"""G0 of two arms: paired where they worked the same tasks, drawn apart where they did not."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from rung.core.seeds import Seed
from rung.reports.compare.replays import apart, paired
from rung.reports.compare.values import Compared
from rung.reports.values import MIXED_UNITS
from rung.stats import flags as say

from .compared import LOCK, ROAD, compared, played, study

SEED = Seed("replays")
NAN = float("nan")


def on_replays(found: Compared):
    return [row for row in found.rows if "G0" in row.levels]


def events(lineages: int, seed: int, mean: float = 0.0, size: int = 8) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, 0.3, (lineages, size)).round(2)


def test_five_lineages_or_more_are_a_t_test_of_their_means():
    table = events(6, 1, 0.1)
    found, other = paired(table.tolist(), seed=SEED), stats.ttest_1samp(table.mean(axis=1), 0)
    assert (found.difference.lo, found.difference.hi) == pytest.approx(tuple(other.confidence_interval(0.95)))
    assert found.p == pytest.approx(other.pvalue)


def test_three_lineages_take_the_larger_of_two_p_values():
    table = events(3, 2, 0.1)
    tests = stats.ttest_1samp(table.mean(axis=1), 0), stats.ttest_1samp(table.ravel(), 0)
    assert paired(table.tolist(), seed=SEED).p == pytest.approx(max(test.pvalue for test in tests))


def test_few_events_have_to_pass_the_exact_test_too():
    table = [[0.5, 0.6], [0.55, 0.65], [0.5, 0.5], [0.6, 0.5], [0.55, 0.6]]
    flips = np.array(list(product((-1, 1), repeat=10))) @ np.ravel(table)
    exact = np.mean(np.abs(flips) >= np.sum(table) - 1e-9)
    assert exact == 2 / 2**10
    assert paired(table, seed=SEED).p == pytest.approx(exact)  # the t test alone would say less


def test_two_lineages_and_five_events_have_no_p():
    assert paired(events(2, 3).tolist(), seed=SEED).p is None
    assert paired([[0.1], [0.2], [0.3], [0.2], [0.1]], seed=SEED).p is None


def test_a_missing_event_is_left_out_and_counted():
    found = paired([[0.1, NAN], [0.2, 0.4], [0.1, 0.2], [0.3, 0.3], [0.1, 0.1]], seed=SEED).difference
    assert found.n_tasks == 9
    assert "1 of 10 events dropped: not measured" in found.flags
    assert paired([[NAN], []], seed=SEED).difference.value is None


def test_arms_with_tasks_of_their_own_are_welchs_test_over_lineages():
    early, late = events(5, 4), events(6, 5, 0.2)
    found = apart(early.tolist(), late.tolist(), seed=SEED)
    other = stats.ttest_ind(late.mean(axis=1), early.mean(axis=1), equal_var=False)
    assert (found.difference.lo, found.difference.hi) == pytest.approx(tuple(other.confidence_interval(0.95)))
    assert (found.p, found.difference.n_lineages) == (pytest.approx(other.pvalue), 5)


def test_with_three_lineages_a_side_it_is_the_hull_with_welch_over_events():
    early, late = events(3, 6), events(3, 7, 0.2)
    found = apart(early.tolist(), late.tolist(), seed=SEED)
    tests = [
        stats.ttest_ind(late.mean(axis=1), early.mean(axis=1), equal_var=False),
        stats.ttest_ind(late.ravel(), early.ravel(), equal_var=False),
    ]
    ends = [test.confidence_interval(0.95) for test in tests]
    assert found.difference.lo == pytest.approx(min(low for low, _ in ends))
    assert found.difference.hi == pytest.approx(max(high for _, high in ends))
    assert found.p == pytest.approx(max(test.pvalue for test in tests))


def test_drawn_apart_few_lineages_or_few_events_have_no_p():
    assert apart(events(2, 8).tolist(), events(5, 9).tolist(), seed=SEED).p is None
    few = apart([[0.1]] * 5, [[0.2, 0.3]] * 5, seed=SEED)
    assert (few.p, say.UNDER_SIX in few.difference.flags) == (None, True)
    assert apart([[NAN]], [[0.1]], seed=SEED).difference.value is None


def test_drawn_apart_an_unchanged_agent_is_told_apart_by_chance_alone():
    rng, claims, studies = np.random.default_rng(10), {3: 0, 5: 0}, 400
    for lineages in claims:
        for _ in range(studies):
            sides = [rng.normal(0, 0.1, (lineages, 1)) + rng.normal(0, 0.4, (lineages, 6)) for _ in range(2)]
            p = apart(sides[0].tolist(), sides[1].tolist(), seed=SEED).p
            claims[lineages] += p is not None and p <= 0.05
    assert max(claims.values()) <= 0.05 * studies + 3 * (studies * 0.05 * 0.95) ** 0.5


def test_arms_of_one_run_are_paired_by_replay():
    arms = [
        {"name": name, "agent": {"kind": f"phantom:{name}"}, "method": {"name": "phantom"}}
        for name in ("general", "narrow")
    ]
    document = study("both", worked=8, arms=arms)
    del document["agent"], document["method"]
    journal = played(document)
    row = on_replays(compared({"both": journal}))[0]

    def effects(arm: str) -> list[float]:
        found = []
        for lineage in (1, 2, 3):
            entries = {
                int(fact.path[-4:]): fact.value for fact in journal.facts(under=f"plan/L{lineage}", kind="entry")
            }
            for place, entry in entries.items():
                if entry["purpose"] == "replay":
                    home = f"{arm}/L{lineage}"
                    replay = journal.get(f"{home}/replay/{place:04d}", "sealed")["score"]
                    first = journal.get(f"{home}/work/{entry['first']:04d}", "sealed")["score"]
                    found.append(replay - first)
        return found

    differences = np.array(effects("narrow")) - np.array(effects("general"))  # the static arm cancels
    assert row.difference.n_tasks == len(differences)
    assert row.difference.value == pytest.approx(differences.mean())


def test_runs_with_sequences_of_their_own_are_drawn_apart():
    runs = {name: played(study(name, seed=seed, worked=8)) for seed, name in enumerate(("one", "two"))}
    row = on_replays(compared(runs))[0]
    assert row.difference.method == "hull of Welch's t over lineages and over replays"


def test_replays_of_different_kinds_are_not_compared_and_that_is_said():
    other = study("road")
    tasks = {**other["tasks"], "schedule": [{**ROAD, "count": 4, "replay": True}]}
    found = compared({"lock": played(study("lock")), "road": played({**other, "tasks": tasks})})
    assert on_replays(found) == []
    assert any(
        warning.startswith(
            "G0 is compared only among arms with the same kinds of replays: lock/phantom replays of toy-lock-v1 d1;"
        )
        for warning in found.warnings
    )


def test_replays_in_several_units_have_no_word():
    made = []
    for seed in (0, 1):
        document = study(f"mixed {seed}", seed=seed)
        hero = {"family": "hero-v1", "difficulty": 1, "count": 3, "replay": True}
        tasks = {**document["tasks"], "schedule": [{**LOCK, "count": 3, "replay": True}, hero]}
        made.append(played({**document, "tasks": tasks}))
    row = on_replays(compared({"one": made[0], "two": made[1]}))[0]
    assert row.unit == "success, shortest list / actions done"
    assert (row.word, row.p, row.gains) == ("not estimable", None, (None, None))
    assert MIXED_UNITS in row.difference.flags


def test_one_lineage_that_shows_a_difference_on_replays_has_its_tau():
    arms = [
        {"name": "still", "agent": {"kind": "phantom:static", "base": 0.1}, "method": {"name": "phantom"}},
        {
            "name": "keeps",
            "agent": {"kind": "phantom:memoriser", "base": 0.1, "rate": 0.6},
            "method": {"name": "phantom"},
        },
    ]
    document = study("both", worked=30, lineages=1, arms=arms)
    del document["agent"], document["method"]
    row = on_replays(compared({"both": played(document)}))[0]
    # 14 events, mean 6/7: thirteen of 1 and one of -1; se = sd / sqrt(14)
    se = np.std([1.0] * 13 + [-1.0], ddof=1) / 14**0.5
    assert row.difference.value == pytest.approx(6 / 7)
    assert row.tau_star == pytest.approx(((6 / 7 / stats.norm.ppf(0.975)) ** 2 - se**2) ** 0.5)
