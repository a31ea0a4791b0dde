"""Exploring: permissive play without a verdict, strict checkpoints that nobody is told of, one baseline for all."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rung.core.config import read
from rung.core.errors import InstrumentFault, UsageError
from rung.core.values import Action, State, Step, View
from rung.methods.history import make as history
from rung.protocols import launch, plan, served
from rung.store.memory import MemoryJournal
from rung.testing.models import Provided

from .explored import ROAD, SECRET, TINY, Explored, Sees, arm, config, idle, judged_by, ran, right, says
from .studies import Learns

LOCKS = [f"main.toy-lock-v1/L{k}/work/{place:04d}" for k in (1, 2) for place in (1, 2, 3, 4)]
ROADS = [f"main.toy-road-v1/L{k}/work/{place:04d}" for k in (1, 2) for place in (5, 6, 7, 8)]


def half(state: State, view: View, rng: random.Random) -> Action:
    """Right half of the time, and sure of it always."""
    return says(right(view) if rng.random() < 0.5 else 0, 1.0)


# ---------------------------------------------------------------------------------------------- what is run


def test_every_game_is_a_course_of_its_own_in_each_lineage():
    seen = ran(config(), arm())
    assert seen.paths("main.toy-lock-v1") + seen.paths("main.toy-road-v1") == LOCKS + ROADS


def test_a_state_is_examined_after_every_second_episode_on_tasks_of_its_own():
    seen = ran(config(), arm())
    found = [seen.fact(f"main.{game}/L2/checkpoint/{x:04d}", "checkpoint") for game, x in
             (("toy-lock-v1", 2), ("toy-lock-v1", 4), ("toy-road-v1", 2), ("toy-road-v1", 4))]  # fmt: skip
    assert [each["places"] for each in found] == [[1, 2], [3, 4], [5, 6], [7, 8]]
    assert [each["examinee"] for each in found] == [
        "main.toy-lock-v1.L2.x0002",
        "main.toy-lock-v1.L2.x0004",
        "main.toy-road-v1.L2.x0002",
        "main.toy-road-v1.L2.x0004",
    ]
    for each in found:
        sat = [f"exam/{each['examinee']}/{place:04d}/1" for place in each["places"]]
        assert seen.paths(f"exam/{each['examinee']}") == sat


def test_a_checkpoint_examines_the_state_as_it_was_then():
    seen = ran(config(), arm(Sees()))
    asked = {x: seen.fact(f"main.toy-lock-v1/L1/checkpoint/{x:04d}", "checkpoint")["snapshot"] for x in (2, 4)}
    assert {x: seen.files(snapshot)["agent/asked"] for x, snapshot in asked.items()} == {2: b"2", 4: b"4"}
    served = seen.fact("exam/main.toy-lock-v1.L1.x0002/0001/1", "served")
    assert served["snapshot"] == asked[2]


def test_arms_that_begin_alike_share_one_baseline_of_all_sealed_tasks():
    seen = ran(config(), arm(), replace(arm(), name="other"))
    baseline = [path for path in seen.paths("exam") if path.startswith("exam/A0.")]
    assert baseline == [f"{baseline[0].rsplit('/', 2)[0]}/{place:04d}/1" for place in range(1, 9)]
    assert seen.fact("main", "arm")["A_0"] == seen.fact("other", "arm")["A_0"] == baseline[0].split("/")[1]


def test_the_baseline_sits_more_tasks_than_the_checkpoints_where_that_is_asked_for():
    seen = ran(config(explore={"games": [TINY], "baseline_episodes": 7}), arm())
    assert len([path for path in seen.paths("exam") if path.startswith("exam/A0.")]) == 7
    assert len(seen.paths("exam/main.toy-lock-v1.L1.x0004")) == 2


def test_all_pathways_meet_the_same_tasks_and_lineages_others():
    seen = ran(config(), arm(), replace(arm(), name="other"))

    def tasks(name: str, lineage: int) -> list[str]:
        return [seen.fact(path, "served")["task"] for path in seen.paths(f"{name}.toy-road-v1/L{lineage}")]

    assert tasks("main", 1) == tasks("other", 1)
    assert not set(tasks("main", 1)) & set(tasks("main", 2))


def test_no_sealed_task_is_explored():
    seen = ran(config(explore={"games": [ROAD], "episodes": 20}), arm())
    worked = {seen.fact(path, "served")["task"] for path in seen.paths("main.toy-road-v1")}
    sealed = {fact.value["task"] for fact in seen.journal.facts(under="plan/exam", kind="task")}  # type: ignore[index,call-overload]
    assert len(worked) == 40
    assert len(sealed) == 20
    assert not worked & sealed


def test_a_task_may_be_played_several_times_on_end():
    seen = ran(config(explore={"games": [ROAD], "plays": 2}), arm())
    served = [seen.fact(path, "served") for path in seen.paths("main.toy-road-v1/L1")]
    assert [each["ordinal"] for each in served] == [1, 2, 1, 2]
    assert list(Counter(each["task"] for each in served).values()) == [2, 2]


# ---------------------------------------------------------------------------------------------- what is told


def told(method: Sees, index: int = 0) -> Any:
    return method.told[index].feedback


def test_a_pathway_is_told_what_was_judged_and_no_verdict():
    method = Sees()
    ran(config(), arm(method, half))
    steps = [step for context in method.told for step in context.feedback.trajectory]
    assert all(context.feedback.evaluation is None for context in method.told)
    assert {(step.score, step.success, step.feedback, step.self_score) for step in steps} == {(None, None, None, 1.0)}


def test_the_log_tells_no_verdict_of_earlier_episodes_either():
    method = Sees()
    ran(config(), arm(method, half))
    last = max(method.told, key=lambda context: len(context.log))
    assert len(last.log) == 4
    assert [each.evaluation for each in (last.log[n] for n in range(4))] == [None] * 4
    assert {step.score for n in range(4) for step in last.log[n].trajectory} == {None}


def test_who_selects_is_told_no_outcome():
    method = Sees()
    ran(config(), arm(method, half))
    assert {incumbent.outcomes for incumbent in method.incumbents} == {()}


def test_an_arm_that_was_made_to_be_told_everything_is_told_no_more():
    method = Sees()
    ran(config(), replace(arm(method, half), lens="full"))
    assert told(method).evaluation is None


def test_of_an_exam_nobody_is_told():
    method = Sees()
    seen = ran(config(), arm(method, half))
    handles = {context.feedback.id for context in method.told}
    examined = {seen.fact(path, "served")["handle"] for path in seen.paths("exam")}
    assert len(method.told) == len(LOCKS + ROADS)
    assert not handles & examined


def test_no_state_changes_once_the_exam_has_begun():
    order: list[str] = []
    seen = launch.simulate(config(), secret=SECRET, arms=(arm(Sees()),), journal=_Noted(order))
    kinds = [kind for kind in order if kind in ("selected", "exam")]
    assert kinds == ["selected"] * 16 + ["exam"] * (8 + 16)
    assert seen.get("main", "arm") is not None


class _Noted(MemoryJournal):
    """Notes the order of refinements and exam attempts."""

    def __init__(self, order: list[str]) -> None:
        super().__init__()
        self._order = order

    def put(self, path: str, kind: str, value: Any) -> None:
        super().put(path, kind, value)
        if kind == "selected" or (kind == "served" and path.startswith("exam/")):
            self._order.append("exam" if kind == "served" else kind)


def test_a_method_that_tries_candidates_is_refused():
    with pytest.raises(UsageError, match=r"the verdict is withheld; give method\.trials = 0"):
        ran(config(), arm(Learns(trials=1)))


def test_exploring_is_not_served_at_addresses():
    with pytest.raises(UsageError, match='serve protocol = "cell", or run this with `rung run`'):
        served.arms(config(exam={}))


def test_exploring_asks_for_self_scores_and_its_exam_alike():
    rules: set[str] = set()

    def look(state: State, view: View, rng: random.Random) -> Action:
        rules.add(view.rules[-40:])
        return idle(state, view, rng)

    ran(config(), arm(act=look))
    assert rules == {" It is noted, and changes nothing in the game."[-40:]}


# ---------------------------------------------------------------------------------------------- what goes wrong


def broken(state: State, view: View, rng: random.Random) -> Action:
    """Breaks in the third lock of a lineage."""
    broken.seen += 1  # type: ignore[attr-defined]
    if broken.seen == 3:  # type: ignore[attr-defined]
        raise InstrumentFault("model", "connection reset")
    return idle(state, view, rng)


def test_an_episode_that_broke_is_a_row_that_nobody_is_told_of():
    broken.seen = 0  # type: ignore[attr-defined]
    method = Sees()
    seen = ran(config(lineages=1, explore={"games": [TINY]}), arm(method, broken))
    assert "fault" in seen.fact("main.toy-lock-v1/L1/work/0003", "sealed")
    assert [len(context.log) for context in method.told] == [1, 2, 3]
    assert seen.fact("main.toy-lock-v1/L1/checkpoint/0004", "checkpoint")["x"] == 4
    assert seen.fact("main.toy-lock-v1/L1/work/0003", "judged") is None


def test_a_pathway_that_raises_is_a_fault_and_its_state_stays():
    def raises(context: Any) -> Any:
        raise ValueError("no idea")

    seen = ran(config(), arm(Learns(refiner=raises)))
    assert seen.fact(LOCKS[0], "refined")["fault"]["where"] == "method learns"
    start = seen.fact("main", "initial")["snapshot"]
    assert seen.fact("main.toy-lock-v1/L1", "final")["snapshot"] == start


def crash(state: State, view: View, rng: random.Random) -> Action:
    raise ValueError("an agent's own bug")


def test_an_agent_that_crashes_scored_nothing_and_is_told_of():
    method = Sees()
    seen = ran(config(), arm(method, crash))
    assert seen.scores("main.toy-lock-v1") == [0.0] * 8
    assert told(method).trajectory == ()


def test_a_lineage_whose_budget_is_spent_is_examined_as_far_as_it_came():
    settings = config(
        agent={"kind": "chat", "model": "scripted/x"},
        method={"name": "history"},
        explore={"games": [TINY], "episodes": 8},
        budget={"lineage": {"calls": 3}},
    )
    seen = Explored(launch.simulate(settings, secret=SECRET, arms=(chat(lambda request: "0, Score: 1"),)))
    home = "history.toy-lock-v1/L1"
    assert seen.fact(f"{home}/work/0004", "ended")["ending"] == "limit_reached"
    assert seen.fact(home, "cut")["before"] == 5
    assert seen.paths(home, "checkpoint") == [f"{home}/checkpoint/0002", f"{home}/checkpoint/0004"]
    assert len(seen.paths("exam/history.toy-lock-v1.L1.x0004")) == 2


def chat(answer: Any) -> Any:
    """A chat agent over a model that is a function of the request."""
    from rung.agents.chat import make as chat_agent
    from rung.protocols.study import Arm

    model = Counting(answer, id="scripted/x")
    return Arm("history", chat_agent("", {}), history({}), model=model)


class Counting(Provided):
    """A scripted model whose calls count in budgets."""

    async def ask(self, request: Any, spending: Any) -> Any:
        from rung.core.ports import Amount

        reservation = await spending.reserve(Amount(0.0, 0))
        answered = await super().ask(request, spending)
        reservation.settle(Amount(0.0, 0))
        return answered


# ---------------------------------------------------------------------------------------------- the same again


@pytest.mark.parametrize("judge", ["itself", "verdict", "noise"])
def test_a_study_is_the_same_at_any_concurrency(judge: str):
    arms = (arm(Sees(), half, **judged_by(judge)),)
    alone = ran(config(), *arms)
    eight = ran(config(engine={"concurrency": 8}), *arms)
    assert eight.journal.digest() == alone.journal.digest()


def test_a_finished_study_run_again_adds_nothing():
    seen = ran(config(), arm(Sees(), half))
    digest = seen.journal.digest()
    assert ran(config(), arm(Sees(), half), journal=seen.journal).journal.digest() == digest


def test_another_seed_is_another_study():
    one, other = (ran(config(seed=seed), arm(act=half)).journal.digest() for seed in (5, 6))
    assert one != other


# ---------------------------------------------------------------------------------------------- whose judgement


def honest(state: State, view: View, rng: random.Random) -> Action:
    """Copies what the history says of this lock; else guesses. Says truly what that earns."""
    return guess(view, rng, lies=False)


def deluded(state: State, view: View, rng: random.Random) -> Action:
    """The same, and what it says is the opposite of the truth."""
    return guess(view, rng, lies=True)


def guess(view: View, rng: random.Random, *, lies: bool) -> Action:
    known = f"Env: {view.text}\nLLM: Answer: answer "
    value = right(view) if rng.random() < 0.5 else 0
    if known in view.rules:
        value = int(view.rules.rsplit(known, 1)[1].split("}")[0].rsplit(":", 1)[1])
    return says(value, float((value == right(view)) != lies))


def climbs(act: Any, judge: str) -> tuple[float, float]:
    """The mean of the baseline, and of the last checkpoint, where only steps judged above 0 are kept."""
    how = {"games": [TINY], "episodes": 40, "checkpoint_every": 20, "checkpoint_episodes": 20, "baseline_episodes": 20}
    settings = config(explore=how, lineages=2)
    seen = ran(settings, arm(history({"steps": "positive"}), act, **judged_by(judge)))
    baseline = seen.scores(f"exam/{seen.fact('main', 'arm')['A_0']}")
    last = [score for k in (1, 2) for score in seen.scores(f"exam/main.toy-lock-v1.L{k}.x0040")]
    return sum(baseline) / len(baseline), sum(last) / len(last)


def test_a_pathway_that_filters_by_true_judgements_climbs():
    before, after = climbs(honest, "itself")
    assert 0.2 < before < 0.8
    assert after > 0.9  # it guesses where it has met none or never guessed right


def test_a_reversed_judge_hurts_it():
    assert climbs(deluded, "itself")[1] < 0.1


@pytest.mark.parametrize("act", [honest, deluded])
def test_told_the_verdict_it_climbs_whoever_judges(act: Any):
    assert climbs(act, "verdict")[1] > 0.9


# ---------------------------------------------------------------------------------------------- another model


def test_another_model_is_asked_for_each_step_and_paid_as_the_instruments():
    judge = Provided(lambda request: "I think so.\nScore: 0.25", id="scripted/judge")
    method = Sees()
    seen = ran(config(lineages=1), arm(method, half, **judged_by("model", judge)))
    steps: list[Step] = [step for context in method.told for step in context.feedback.trajectory]
    assert {step.self_score for step in steps} == {0.25}
    assert len(judge.asked) == len(steps) == 4 + 8
    assert {request.role for request in judge.asked} == {"instrument"}
    assert seen.fact("main.toy-road-v1/L1/work/0005/judge", "call/000001") is not None


def test_a_judge_is_shown_rules_view_and_action_and_neither_outcome_nor_self_score():
    judge = Provided(lambda request: "Score: 1", id="scripted/judge")
    ran(config(lineages=1, explore={"games": [TINY]}), arm(Sees(), half, **judged_by("model", judge)))
    text = judge.heard()
    assert "It shows a number" in text
    assert "The lock shows" in text
    assert 'answer {"value":' in text
    assert "self_score" not in text.replace("A typed call says it as self_score", "")
    assert "The right answer to" not in text


def test_a_judge_that_says_no_number_has_judged_nothing_and_that_is_said():
    judge = Provided(lambda request: "Score: rather high", id="scripted/judge")
    method = Sees()
    seen = ran(config(lineages=1, explore={"games": [TINY]}), arm(method, half, **judged_by("model", judge)))
    judged = seen.fact("main.toy-lock-v1/L1/work/0001", "judged")
    assert judged == {"by": "model", "scores": [None], "unread": {"0000": "its score is no number: 'rather high'"}}


def test_a_judge_that_cannot_be_reached_has_judged_nothing_and_the_study_goes_on():
    def down(request: Any) -> str:
        raise InstrumentFault("model", "connection reset")

    judge = Provided(down, id="scripted/judge")
    seen = ran(config(lineages=1, explore={"games": [TINY]}), arm(Sees(), half, **judged_by("model", judge)))
    judged = seen.fact("main.toy-lock-v1/L1/work/0001", "judged")
    assert judged["scores"] == [None]
    assert judged["unread"]["0000"] == "InstrumentFault: model: connection reset"
    assert len(seen.paths("exam")) == 4 + 4


def test_the_resolved_config_of_a_run_is_read_again_as_the_same_study(tmp_path: Path):
    whole = config(explore={"judges": ["verdict"], "games": [TINY]}, controls=["discard"])
    directory = launch.run(whole, tmp_path / "run")
    again = read(directory.config)
    assert again.identity() == whole.identity()
    assert [arm.name for arm in again.every_arm()] == ["phantom", "phantom-verdict", "phantom-discard"]


def test_a_control_that_discards_explores_as_much_and_stays_as_it_was():
    whole = config(explore={"games": [TINY]}, controls=["discard"])
    seen = ran(whole)
    start = seen.fact("phantom-discard", "initial")["snapshot"]
    assert seen.fact("phantom-discard.toy-lock-v1/L1", "final")["snapshot"] == start
    assert seen.fact("phantom.toy-lock-v1/L1", "final")["snapshot"] != start
    assert len(seen.paths("phantom-discard.toy-lock-v1/L1")) == len(seen.paths("phantom.toy-lock-v1/L1"))


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("farm", 'explore.games: { family = "farm", explore = "explore" }: no game named \'farm\'; did you mean'),
        ("farm-v1", 'explore.games: { family = "farm-v1", explore = "explore" }: farm-v1 has no setting \'explore\''),
        (
            {"family": "trust-v1", "evaluate": "hard"},
            'explore.games: { family = "trust-v1", evaluate = "hard" }: trust-v1 has no setting \'hard\'',
        ),
    ],
)
def test_a_game_or_setting_that_is_not_there_is_named_by_the_key_it_was_given_under(game: Any, said: str):
    with pytest.raises(UsageError) as refused:
        plan.refuse_impossible(config(explore={"games": [game]}))
    assert str(refused.value).startswith(said)
