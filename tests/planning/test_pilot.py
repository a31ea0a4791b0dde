"""What is read off a pilot is what its report says, and its noise is what sums by hand say."""

import json
from math import sqrt

import numpy as np
import pytest

from rung.core.config import Config, parse
from rung.core.errors import UsageError
from rung.planning import pilot
from rung.planning.pilot import Pilot
from rung.planning.predict import Group
from rung.protocols import launch
from rung.reports import ladder
from rung.store.memory import MemoryJournal

from .trials import Trial, used

LOCK = {"family": "toy-lock-v1", "difficulty": 2}


def config(**changes: object) -> Config:
    """Three lineages of a chooser, whose candidates are tried; eight exam tasks, four times by A_0 and twice after."""
    document = {
        "name": "pilot",
        "protocol": "ladder",
        "lineages": 3,
        "agent": {"kind": "phantom:chooser", "base": 0.4, "rate": 0.2},
        "method": {"name": "phantom", "trials": 1},
        "exam": {"repeats": 2, "baseline_repeats": 4},
        "tasks": {
            "replay": {"interval": 1, "lag": 2},
            "schedule": [{**LOCK, "count": 6, "replay": True}],
            "holdout": [{**LOCK, "count": 8}],
        },
    }
    return parse({**document, **changes})


def ran(**changes: object) -> MemoryJournal:
    return launch.simulate(config(**changes), secret="a secret")


@pytest.fixture(scope="module")
def journal() -> MemoryJournal:
    return ran()


@pytest.fixture(scope="module")
def read(journal) -> Pilot:
    return pilot.read(journal)


def test_every_attempt_is_counted_once_with_its_trials_and_its_actions(journal, read):
    report = ladder.read(journal)
    assert sum(each.attempts for each in read.attempts) == report.attempts.total
    assert report.attempts.trials > 0
    assert sum(each.actions for each in read.attempts) == sum(cost.steps for cost in report.totals.values())


def test_every_call_and_token_is_counted_once():
    trial = Trial(4)
    journal = trial.run(trial.config("s"), "s")
    truth, attempts = used(ladder.read(journal)), pilot.read(journal).attempts
    refining = [each.refining for each in attempts]
    assert sum(each.calls for each in refining) > 0
    parts = [*refining, *(each.acting for each in attempts)]
    assert sum(each.calls for each in parts) == truth["calls"]
    assert sum((each.read or 0) + (each.cached or 0) + (each.written or 0) for each in parts) == truth["tokens"]


def test_a_pilot_of_another_protocol_is_refused(journal):
    cell = MemoryJournal()
    for fact in journal.facts():
        value = {**fact.value, "protocol": "cell"} if (fact.path, fact.kind) == ("plan", "config") else fact.value
        cell.put(fact.path, fact.kind, value)
    with pytest.raises(UsageError, match="the pilot 'pilot' has protocol = 'cell', and plans are of ladders"):
        pilot.read(cell)


def test_attempts_stand_under_who_made_them_for_what_and_in_which_lineage(read):
    groups = {each.group for each in read.attempts}
    cell = "toy-lock-v1 d2"
    assert groups == {Group(who, kind, cell) for who in ("phantom", "static") for kind in ("work", "replay", "exam")}
    assert {each.lineage for each in read.attempts if each.group.who == "static"} == {None}
    assert {each.lineage for each in read.attempts if each.group.who != "static"} == {(0, 1), (0, 2), (0, 3)}
    assert (read.lineages, read.worked) == (3, 6)


def test_attempts_at_one_exam_task_share_it(read):
    tasks = {each.task for each in read.attempts if each.group.kind == "exam"}
    assert len(tasks) == 8
    assert sum(each.group.kind == "exam" for each in read.attempts) == 8 * (4 + 3 * 2)


def test_a_study_in_memory_has_no_seconds(read):
    assert {each.seconds for each in read.attempts} == {None}


# --------------------------------------------------------------------------------------------- noise


def scores(journal: MemoryJournal) -> dict[str, list[list[float]]]:
    """By examinee the scores of every task, in order."""
    found: dict[str, dict[str, list[float]]] = {}
    for fact in journal.facts(under="exam", kind="sealed"):
        _, who, task, _ = fact.path.split("/")
        found.setdefault(who, {}).setdefault(task, []).append(float(json.loads(json.dumps(fact.value))["score"]))
    return {who: [tasks[name] for name in sorted(tasks)] for who, tasks in found.items()}


def test_the_components_of_variance_are_those_of_the_two_way_table(journal, read):
    by_who = scores(journal)
    early = np.array(by_who.pop(next(who for who in by_who if who.startswith("A0"))))
    late = np.array([np.mean(by_who[who], axis=1) for who in sorted(by_who)])
    d = late - early.mean(axis=1)
    row, column, grand = d.mean(axis=1), d.mean(axis=0), d.mean()
    ms_lineage, ms_task = 8 * row.var(ddof=1), 3 * column.var(ddof=1)
    ms_rest = ((d - row[:, None] - column + grand) ** 2).sum() / (2 * 7)
    again = [early, *(np.array(by_who[who]) for who in by_who)]
    within = sum(((each - each.mean(axis=1, keepdims=True)) ** 2).sum() for each in again) / (8 * 3 + 3 * 8 * 1)
    seen = pilot.on_exam([read], "toy-lock-v1 d2")
    assert seen is not None
    assert seen.tau_df == 2
    assert seen.noise.attempt == pytest.approx(sqrt(2 * ms_rest))
    assert seen.noise.task == pytest.approx(sqrt(max(0.0, (ms_task - ms_rest) / 3 - within / 4)))
    assert seen.noise.tau == pytest.approx(sqrt(max(0.0, (ms_lineage - ms_rest) / 8)))


def test_one_lineage_shows_no_tau(journal):
    seen = pilot.on_exam([pilot.read(ran(lineages=1))], "toy-lock-v1 d2")
    assert seen is not None
    assert (seen.noise.tau, seen.tau_df) == (0.0, 0)


def test_variances_are_averaged_over_pilots_and_degrees_of_freedom_add_up(read):
    one = pilot.on_exam([read], "toy-lock-v1 d2")
    both = pilot.on_exam([read, read], "toy-lock-v1 d2")
    assert one is not None
    assert both is not None
    assert vars_of(both) == pytest.approx(vars_of(one))
    assert both.tau_df == 2 * one.tau_df


def vars_of(seen: pilot.Seen) -> tuple[float, float, float]:
    return seen.noise.tau, seen.noise.task, seen.noise.attempt


def test_five_tasks_and_rows_without_change_show_no_noise():
    few = config(tasks={"schedule": [{**LOCK, "count": 2}], "holdout": [{**LOCK, "count": 5}]})
    still = config(agent={"kind": "phantom:static", "base": 1.0}, method={"name": "phantom"})
    for study in (few, still):
        assert pilot.on_exam([pilot.read(launch.simulate(study, secret="s"))], "toy-lock-v1 d2") is None


def test_replays_are_events_inside_lineages(journal, read):
    seen = pilot.on_replays([read])
    report = ladder.read(journal)
    row = next(rung for rung in report.arms[0].rungs if rung.level == "G0")
    assert seen is not None
    assert (seen.noise.attempt, seen.tau_df) == (0.0, 2)
    between = np.var(row.lineage_gains, ddof=1)
    events = row.gain.n_tasks / 3
    assert seen.noise.tau == pytest.approx(sqrt(max(0.0, between - seen.noise.task**2 / events)))
