"""What is fixed before anything runs, and written down so that a report needs nothing else."""

import json
from dataclasses import replace
from typing import Any

import pytest

from rung.core.canonical import sha256
from rung.core.errors import InstrumentFault, UsageError
from rung.protocols import plan
from rung.store.memory import MemoryJournal

from .studies import LOCK, SECRET, config


def made(*, secret: str = SECRET, **changes: Any) -> plan.Plan:
    return plan.make(config(**changes), secret=secret)


def written(drawn: plan.Plan, **plugins: str) -> MemoryJournal:
    journal = MemoryJournal()
    plan.write(drawn, journal, plugins=plugins)
    return journal


def exam(drawn: plan.Plan) -> list[str]:
    return [task.id for task in drawn.exam.tasks]


def held_in(drawn: plan.Plan) -> list[str]:
    return [entry.task.id for entries in drawn.held.lineages for entry in entries]


# ---------------------------------------------------------------------------------------------- secrecy


def test_another_secret_is_another_exam_and_the_same_training():
    one, two = made(secret="one"), made(secret="two")
    assert not set(exam(one)) & set(exam(two))
    assert held_in(one) == held_in(two)


def test_the_seed_of_a_study_says_nothing_of_its_exam():
    assert exam(made(seed=1)) == exam(made(seed=2))
    assert not set(held_in(made(seed=1))) & set(held_in(made(seed=2)))


def test_another_holdout_seed_is_another_exam():
    other = made(tasks={"holdout_seed": 2})
    assert not set(exam(made())) & set(exam(other))
    assert held_in(made()) == held_in(other)


def test_the_record_holds_the_secret_s_hash_and_never_the_secret_or_a_seed():
    drawn = made()
    journal = written(drawn)
    everything = "\n".join(json.dumps(fact) for fact in journal.facts())
    assert sha256(SECRET) in everything
    assert SECRET not in everything
    assert not any(task.seed in everything for task in drawn.exam.tasks)


# ---------------------------------------------------------------------------------------------- what is written


def test_every_task_is_written_in_order_and_the_exam_s_with_its_reference():
    drawn = made(lineages=2)
    journal = written(drawn)
    tasks: list[Any] = [fact.value for fact in journal.facts(under="plan/exam", kind="task")]
    assert [task["task"] for task in tasks] == exam(drawn)
    assert {task["reference"]["score"] for task in tasks} == {1.0}
    entries: list[Any] = [fact.value for n in (1, 2) for fact in journal.facts(under=f"plan/L{n}", kind="entry")]
    assert [entry["task"] for entry in entries] == held_in(drawn)
    assert [entry["purpose"] for entry in entries] == ["work"] * 4 + ["replay"] + ["work"] * 4 + ["replay"]


def test_of_what_is_worked_only_what_is_replayed_is_written_with_a_reference():
    journal = written(made())
    entries: list[Any] = [fact.value for fact in journal.facts(under="plan/L1", kind="entry")]
    replayed = [entry["task"] for entry in entries if entry["purpose"] == "replay"]
    assert len(replayed) == 1
    assert ["reference" in entry for entry in entries] == [entry["task"] in replayed for entry in entries]
    assert sum("reference" in entry for entry in entries) == 2  # its first play, and the replay


def test_a_recorded_reference_stands_whatever_its_solver_would_find_by_now():
    drawn = made()
    recorded = [(fact.path, fact.kind, fact.value) for fact in written(drawn).facts()]
    journal, older = MemoryJournal(), {"score": 0.75, "certificate": "solver", "solver": "toy-0", "gap": 0.5}
    for path, kind, value in recorded:
        stands = isinstance(value, dict) and "reference" in value
        journal.put(path, kind, {**value, "reference": older} if stands else value)
    before = journal.digest()
    plan.write(drawn, journal, plugins={})
    assert journal.digest() == before
    assert journal.get("plan/exam/0001", "task")["reference"] == older


def test_writing_the_same_plan_again_is_nothing():
    drawn = made()
    journal = written(drawn)
    digest = journal.digest()
    plan.write(drawn, journal, plugins={})
    assert journal.digest() == digest


def test_writing_another_plan_over_it_is_refused():
    journal = written(made())
    with pytest.raises(InstrumentFault, match="a fact is written once"):
        plan.write(made(seed=9), journal, plugins={})


def test_a_fixed_secret_is_stamped():
    assert written(made()).get("plan", "config")["secret_fixed"] is False
    fixed = written(made(exam={"secret": SECRET}))
    assert fixed.get("plan", "config")["secret_fixed"] is True


# ---------------------------------------------------------------------------------------------- identity


@pytest.mark.parametrize("change", [{"repeats": 2}, {"baseline_repeats": 2}, {"reruns": 5}, {"order": "fixed"}])
def test_the_exam_s_id_covers_how_it_is_attempted(change: dict[str, Any]):
    found = made().exam
    assert plan.exam_id(replace(found, **change)) != plan.exam_id(found)


def test_the_exam_s_id_covers_its_tasks_and_their_order():
    found = made().exam
    assert plan.exam_id(replace(found, tasks=found.tasks[::-1])) != plan.exam_id(found)
    assert plan.exam_id(made().exam) == plan.exam_id(found)


def refuse(secret: str = SECRET, plugins: Any = None, **changes: Any) -> None:
    journal = written(made(), method="abc")
    plan.refuse_another(config(**changes), journal, secret_hash=sha256(secret), plugins=plugins or {"method": "abc"})


def test_the_same_config_may_go_on_also_with_another_engine():
    refuse()
    refuse(engine={"concurrency": 8})


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"seed": 9}, r"seed \(was 0, now 9\)"),
        ({"lineages": 3}, "lineages"),
        ({"exam": {"reruns": 7}}, "exam.reruns"),
        ({"tasks": {"holdout": [{**LOCK, "count": 3}]}}, "tasks.holdout"),
        ({"secret": "another"}, "secret_sha256"),
        ({"plugins": {"method": "abd"}}, "plugins.method"),
        ({"exam": {"secret": SECRET}}, "secret_fixed"),
    ],
)
def test_another_config_is_refused_and_what_changed_is_named(changes: dict[str, Any], named: str):
    with pytest.raises(UsageError, match=named):
        refuse(**changes)


def test_a_refusal_never_prints_the_secret():
    with pytest.raises(UsageError) as refused:
        refuse(secret="another secret")
    assert "another secret" not in str(refused.value)
    assert SECRET not in str(refused.value)


def test_a_journal_without_a_plan_refuses_nothing():
    plan.refuse_another(config(), MemoryJournal(), secret_hash="any", plugins={})
