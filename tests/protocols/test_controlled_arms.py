"""Controls as arms of a study: they begin as their arm does, spend what it spends, and end where they must."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rung.core.config import Config, parse
from rung.core.errors import Stopped, UsageError
from rung.core.ports import RefineContext
from rung.core.values import Candidate, Selection, Trial
from rung.methods._controls import controlled
from rung.methods._selection import keep_best
from rung.protocols import forecast, launch, plan, providers, wiring
from rung.protocols.study import Arm
from rung.store.journal import SqliteJournal
from rung.store.memory import MemoryJournal
from rung.store.snapshots import JournalSnapshots
from rung.testing.models import Provided

from . import small_study, studies
from .studies import ARCHIVE, Learns, Scripted, child

SECRET = "a fixed secret"
NOTE = "What is shown wants the secret that goes with it."


def phantom(kind: str, *, trials: int = 0, **changes: Any) -> Config:
    """A phantom with both controls that go with it, on two lineages with a replay."""
    return parse(
        {
            **small_study.DOCUMENT,
            "arms": [],
            "agent": {"kind": f"phantom:{kind}", "base": 0.4},
            "method": {"name": "phantom", "trials": trials},
            "controls": ["discard", "no-op"],
            **changes,
        }
    )


def tree(journal: Any, snapshot: str) -> Any:
    return JournalSnapshots(journal).get(snapshot).files


@pytest.mark.parametrize(("kind", "trials"), [("general", 0), ("chooser", 1), ("noisy", 0), ("forgetter", 0)])
def test_discard_ends_as_the_very_snapshot_of_a_0_and_no_op_as_its_tree(kind: str, trials: int):
    journal = launch.simulate(phantom(kind, trials=trials), secret=small_study.SECRET)
    first = str(journal.get("phantom", "initial")["snapshot"])
    for number in (1, 2):
        ends = {name: journal.get(f"{name}/L{number}", "final")["snapshot"] for name in journal_arms(journal)}
        assert ends["phantom-discard"] == first
        assert tree(journal, ends["phantom-no-op"]) == tree(journal, first) != tree(journal, ends["phantom"])


def journal_arms(journal: Any) -> list[str]:
    return [arm["name"] for arm in journal.get("plan", "config")["arms"]]


def test_arms_and_their_controls_share_one_a_0_one_static_arm_and_one_exam():
    journal = launch.simulate(phantom("general"), secret=small_study.SECRET)
    begun = [journal.get(name, "arm") for name in journal_arms(journal)]
    assert begun[0] == begun[1] == begun[2]
    served = {
        name: [fact.value["task"] for fact in journal.facts(under=f"exam/{name}.L2", kind="served")]
        for name in journal_arms(journal)
    }
    assert served["phantom"] == served["phantom-discard"] == served["phantom-no-op"] != []


def test_the_first_proposal_of_a_control_is_that_of_its_arm():
    journal = launch.simulate(phantom("noisy"), secret=small_study.SECRET)
    paths = [f"{name}/L2/work/0001" for name in ("phantom", "phantom-discard")]
    proposed = [journal.get(path, "refined")["candidates"][0]["snapshot"] for path in paths]
    assert tree(journal, proposed[0]) == tree(journal, proposed[1])


def test_a_control_tries_and_is_asked_as_often_as_its_arm():
    journal = launch.simulate(phantom("chooser", trials=1), secret=small_study.SECRET)
    trials = {
        name: [
            fact.path.partition("/")[2] for fact in journal.facts(under=name, kind="sealed") if "/trial/" in fact.path
        ]
        for name in journal_arms(journal)
    }
    assert len(trials["phantom"]) == 24  # two candidates after each of six tasks of two lineages
    assert trials["phantom"] == trials["phantom-discard"] == trials["phantom-no-op"]


# ---------------------------------------------------------------------------------------------- gates


def better(context: RefineContext) -> Any:
    return [child(context, skill="good")]


def strictly(context: RefineContext, incumbent: Trial, trials: Sequence[Trial]) -> Selection:
    return keep_best(incumbent, trials)


@pytest.mark.parametrize(
    ("selector", "taken"),
    [(studies.first, 4), (strictly, 0)],
    ids=["takes what it is given", "takes what is strictly better"],
)
def test_what_a_gate_takes_over_that_changes_nothing_is_counted(selector: Any, taken: int):
    method = Learns(better, selector, trials=1)
    found = studies.ran(studies.config(), Arm("main-no-op", Scripted(), controlled("no-op", method), of="main"))  # type: ignore[arg-type]
    chosen = [found.fact(path, "selected")["chosen"] for path in found.paths("main-no-op", "selected")]
    assert sum(each is not None for each in chosen) == taken
    assert found.files(found.fact("main-no-op/L1", "final")["snapshot"]) == {
        "agent/skill": b"bad",
        ARCHIVE: b"what no actor may see",
    }


def test_a_method_draws_in_its_control_as_in_its_arm_at_every_task():
    drawn: dict[str, list[float]] = {"main": [], "main-discard": []}

    def draws(name: str) -> Any:
        def refine(context: RefineContext) -> list[Candidate]:
            drawn[name].append(context.rng.random())
            return []

        return refine

    arms = (
        Arm("main", Scripted(), Learns(draws("main"))),
        Arm("main-discard", Scripted(), controlled("discard", Learns(draws("main-discard"))), of="main"),  # type: ignore[arg-type]
    )
    studies.ran(studies.config(), *arms)
    assert drawn["main"] == drawn["main-discard"]
    assert len(set(drawn["main"])) == 4


# ---------------------------------------------------------------------------------------------- text


def answer(request: Any) -> str:
    return NOTE if request.role == "improver" else "0"


def reflecting(concurrency: int = 1, **changes: Any) -> Config:
    lock = {"family": "toy-lock-v1", "difficulty": 1}
    document = {
        "name": "controls",
        "protocol": "ladder",
        "lineages": 2,
        "agent": {"kind": "chat", "model": "scripted/function"},
        "method": {"name": "reflexion"},
        "controls": ["discard", "no-op", "random-edit", "shuffled"],
        "exam": {"secret": SECRET},
        "tasks": {"schedule": [{**lock, "count": 3}], "holdout": [{**lock, "count": 2}]},
        "engine": {"concurrency": concurrency},
        **changes,
    }
    return parse(document)


def memory(journal: Any, arm: str) -> list[str]:
    files = tree(journal, journal.get(f"{arm}/L1", "final")["snapshot"])
    lines = files.get("agent/memory/reflections.jsonl", b"").decode().splitlines()
    return [json.loads(line)["text"] for line in lines]


def reflected(concurrency: int = 1, journal: MemoryJournal | None = None) -> MemoryJournal:
    config, model = reflecting(concurrency), Provided(answer)
    made = wiring.arms(config, models={model.id: model})
    return launch.simulate(config, secret=SECRET, arms=made, journal=journal)


def test_reflections_are_kept_shuffled_at_random_or_not_at_all():
    journal = reflected()
    assert memory(journal, "reflexion") == [NOTE] * 3
    assert memory(journal, "reflexion-discard") == memory(journal, "reflexion-no-op") == []
    shuffled = memory(journal, "reflexion-shuffled")
    assert [sorted(text.split()) for text in shuffled] == [sorted(NOTE.split())] * 3
    assert all(text != NOTE for text in shuffled)
    letters = memory(journal, "reflexion-random-edit")
    assert [[len(word) for word in text.split()] for text in letters] == [[len(word) for word in NOTE.split()]] * 3
    assert not {word for text in letters for word in text.split() if len(word) > 4} & set(NOTE.split())


def test_a_study_with_controls_is_the_same_at_any_concurrency():
    assert reflected().digest() == reflected(concurrency=4).digest()


def test_a_study_with_controls_that_was_stopped_goes_on_to_the_same_facts(tmp_path: Path):
    config = phantom("chooser", trials=1)
    whole = launch.simulate(config, secret=small_study.SECRET)
    seen = 0

    def watch(path: str, outcome: object) -> None:
        nonlocal seen
        seen += 1
        if seen in (30, 60):
            raise Stopped("enough for now")

    for _ in range(2):
        with pytest.raises(Stopped):
            launch.run(config, tmp_path, launch.Wishes(watch=watch))
    directory = launch.run(config, tmp_path, launch.Wishes(watch=watch))
    journal = SqliteJournal(directory.journal, read_only=True)
    try:
        assert journal.digest() == whole.digest()
    finally:
        journal.close()


def test_the_resolved_config_of_a_run_is_read_again_as_the_same_study(tmp_path: Path):
    directory = launch.run(phantom("general"), tmp_path)
    document = json.loads(directory.config.read_text())
    assert [arm["name"] for arm in document["arms"]] == ["phantom"]
    assert parse(document).identity() == phantom("general").identity()


def test_a_run_is_not_gone_on_with_under_other_controls():
    journal = launch.simulate(phantom("general"), secret=small_study.SECRET)
    other = phantom("general", controls=["discard"])
    with pytest.raises(UsageError, match=r"changed: arms .*; controls"):
        plan.refuse_another(other, journal, secret_hash="", plugins={})


# ---------------------------------------------------------------------------------------------- forecast


def test_a_forecast_prices_each_control_as_its_arm():
    price = {"input": 2.0, "output": 10.0, "date": "2026-11-30"}
    agent = {"kind": "chat", "model": "scripted/first"}
    config = reflecting(agent=agent, models={"scripted/first": {"price": price}})
    by_name = {arm.name: arm for arm in forecast.of(config, _unreached(config)).arms}
    assert list(by_name) == ["static", *(arm.name for arm in config.every_arm())]
    costs = [by_name[arm.name].total for arm in config.every_arm()]
    assert costs[0].calls > by_name["static"].total.calls
    assert all(cost == costs[0] for cost in costs)


def _unreached(config: Config) -> Any:
    return wiring.arms(config, models=providers.unreached(config))
