"""The ladder: work, refine, try, select; replays against a static arm; a method that breaks keeps its incumbent."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from math import nan
from typing import Any

import pytest

from rung.core.errors import InstrumentFault, Stopped, StoreFault
from rung.core.ports import RefineContext
from rung.core.values import Candidate, Fault, Score, Selection, Skipped, State, Trial, View
from rung.store.memory import MemoryJournal

from . import studies
from .studies import ARCHIVE, Learns, Scripted, arm, child, config, fail, obey, ran

BOOM = ValueError("boom")
WORK = [f"main/L1/work/{place:04d}" for place in range(1, 5)]
REPLAY = "main/L1/replay/0005"


def good(context: RefineContext) -> Any:
    return [child(context, skill="good")]


def raising(error: BaseException) -> Callable[..., Any]:
    def function(*_: object) -> Any:
        raise error

    return function


# ---------------------------------------------------------------------------------------------- the sequence


def test_a_lineage_works_its_sequence_and_refines_after_every_task_that_is_no_replay():
    found = ran(config(), arm(Learns(good)))
    assert [path for path in found.order if path.startswith("main")] == [*WORK, REPLAY]
    assert found.paths("main", "refined") == found.paths("main", "selected") == WORK


def test_the_static_arm_works_the_same_sequence_and_is_never_refined():
    found = ran(config(), arm(Learns(good)))
    same = [(path, found.fact(path, "served")["task"]) for path in found.paths("main")]
    assert [(f"main{path[6:]}", found.fact(path, "served")["task"]) for path in found.paths("static")] == same
    assert found.paths("static", "refined") == []
    static, first = found.fact("static/L1", "final")["snapshot"], found.fact("main", "initial")["snapshot"]
    assert found.files(static) == {path: data for path, data in found.files(first).items() if path != ARCHIVE}
    assert ARCHIVE in found.files(first)


def test_a_replay_is_the_same_instance_worked_by_what_the_agent_has_become():
    found = ran(config(), arm(Learns(good)))
    first, replay = found.fact(WORK[1], "served"), found.fact(REPLAY, "served")
    assert first["task"] == replay["task"]
    assert (found.outcomes[WORK[1]], found.outcomes[REPLAY]) == (Score(1.0), Score(1.0))
    assert replay["snapshot"] == found.fact("main/L1", "final")["snapshot"] != first["snapshot"]


def test_a_g0_pair_is_named_in_the_plan_before_anything_runs():
    found = ran(config())
    assert found.fact("plan/L1/0005", "entry")["first"] == 2
    assert found.fact("plan/L1/0005", "entry")["task"] == found.fact("plan/L1/0002", "entry")["task"]


def test_each_attempt_is_served_from_the_state_that_the_last_selection_left():
    found = ran(config(), arm(Learns(good)))
    chosen = [found.fact(path, "selected")["snapshot"] for path in WORK]
    assert [found.fact(path, "served")["snapshot"] for path in [*WORK[1:], REPLAY]] == chosen


def test_a_task_met_again_says_how_often_it_was_met():
    found = ran(config())
    assert [found.fact(path, "served")["ordinal"] for path in [*WORK, REPLAY]] == [1, 1, 1, 1, 2]


# ---------------------------------------------------------------------------------------------- what a method is told


def test_a_method_is_told_all_of_its_attempt_and_no_seed():
    told: list[RefineContext] = []
    ran(config(), arm(Learns(lambda context: told.append(context) or [])))
    assert [context.feedback.evaluation.score for context in told if context.feedback.evaluation] == [0.0] * 4
    assert told[0].feedback.trajectory[0].feedback is not None
    text = repr([(context.feedback, context.state) for context in told])
    assert "toy-lock-v1" in text
    assert studies.SECRET not in text
    assert "/work/" not in text  # as the paths of held-in seeds have it


def test_the_log_holds_what_was_worked_so_far_and_neither_trials_nor_replays():
    told: list[list[str]] = []

    def remember(context: RefineContext) -> Any:
        told.append([context.log[place].id for place in range(len(context.log))])
        return [child(context, note=str(len(told)))]

    found = ran(config(tasks={"replay": {"interval": 2, "lag": 1}}), arm(Learns(remember, trials=2)))
    handles = [found.fact(path, "served")["handle"] for path in found.paths("main/L1/work") if "trial" not in path]
    assert len(handles) == 4
    assert told == [handles[:n] for n in range(1, 5)]


def test_a_method_sees_its_own_files_and_an_actor_does_not():
    seen: list[State] = []
    acting: list[State] = []

    def spy(state: State, view: View, rng: random.Random) -> Any:
        acting.append(state)
        return fail(state, view, rng)

    ran(config(), arm(Learns(lambda context: seen.append(context.state) or good(context), trials=1), Scripted(spy)))
    assert all(ARCHIVE in state.files for state in seen)
    assert len(acting) > len(seen) > 0
    assert not any(path.startswith("method/") for state in acting for path in state.files)


def test_refining_and_selecting_draw_from_streams_of_their_own():
    drawn: dict[str, list[float]] = {"refine": [], "select": []}

    def refiner(context: RefineContext) -> Any:
        drawn["refine"].append(context.rng.random())
        return good(context)

    def selector(context: RefineContext, incumbent: Trial, trials: Any) -> Any:
        drawn["select"].append(context.rng.random())
        return Selection(0)

    ran(config(lineages=2), arm(Learns(refiner, selector)))
    assert len({*drawn["refine"], *drawn["select"]}) == 16


# ---------------------------------------------------------------------------------------------- trials


def test_each_candidate_is_tried_on_the_same_instance_and_its_outcomes_are_handed_to_select():
    handed: list[tuple[Trial, Any]] = []

    def both(context: RefineContext) -> Any:
        return [child(context, skill="good"), child(context, skill="bad again")]

    def selector(context: RefineContext, incumbent: Trial, trials: Any) -> Any:
        handed.append((incumbent, trials))
        return Selection(None, "seen enough")

    found = ran(config(), arm(Learns(both, selector, trials=2)))
    incumbent, trials = handed[0]
    assert incumbent.outcomes == (Score(0.0),)
    assert trials == [Trial(0, (Score(1.0), Score(1.0))), Trial(1, (Score(0.0), Score(0.0)))]
    tried = found.paths(f"{WORK[0]}/trial")
    assert tried == [f"{WORK[0]}/trial/{candidate}/{repeat}" for candidate in (0, 1) for repeat in (1, 2)]
    assert {found.fact(path, "served")["task"] for path in tried} == {found.fact(WORK[0], "served")["task"]}


def test_trials_are_no_work_and_are_not_refined():
    found = ran(config(), arm(Learns(good, trials=1)))
    assert {found.fact(path, "served")["purpose"] for path in found.paths("main/L1/work") if "trial" in path} == {
        "trial"
    }
    assert found.paths("main", "refined") == WORK


def test_a_trial_that_faults_is_handed_over_as_a_fault():
    handed: list[Any] = []

    def fragile(state: State, view: View, rng: random.Random) -> Any:
        if state.files["agent/skill"] == b"good":
            raise InstrumentFault("model", "overloaded")
        return fail(state, view, rng)

    def selector(context: RefineContext, incumbent: Trial, trials: Any) -> Any:
        handed.extend(trials)
        return Selection(None)

    ran(config(), arm(Learns(good, selector, trials=1), Scripted(fragile)))
    assert handed[0].outcomes == (Fault("model", "overloaded"),)


# ---------------------------------------------------------------------------------------------- a method that breaks


@pytest.mark.parametrize(
    "refiner",
    [
        raising(BOOM),
        raising(InstrumentFault("model", "gone")),
        lambda context: None,
        lambda context: 7,
        lambda context: ["no candidate"],
        lambda context: [Candidate("another parent", context.state)],
        lambda context: [Candidate(context.snapshot, State({"agent/file": "no bytes"}))],
        lambda context: [Candidate(context.snapshot, State({"agent/a": b"", "agent/a/b": b""}))],
        lambda context: [Candidate(context.snapshot, context.state, {"rate": nan})],
        lambda context: [Candidate(context.snapshot, context.state, {"why": {1, 2}})],
    ],
)
def test_a_refine_that_breaks_is_a_recorded_fault_and_the_incumbent_stays(refiner: Any):
    found = ran(config(), arm(Learns(refiner)))
    assert [found.fact(path, "refined")["candidates"] for path in WORK] == [[]] * 4
    assert all("fault" in found.fact(path, "refined") for path in WORK)
    assert found.fact("main/L1", "final")["snapshot"] == found.fact("main", "initial")["snapshot"]


@pytest.mark.parametrize("chosen", [1, -1, 99, True, 0.0, "0", nan])
def test_an_illegal_choice_is_a_recorded_fault_and_the_incumbent_stays(chosen: Any):
    found = ran(config(), arm(Learns(good, lambda *_: Selection(chosen))))
    assert found.fact(WORK[0], "selected")["chosen"] is None
    assert "select chose candidate" in found.fact(WORK[0], "selected")["fault"]["detail"]
    assert found.fact("main/L1", "final")["snapshot"] == found.fact("main", "initial")["snapshot"]


@pytest.mark.parametrize("selector", [raising(BOOM), lambda *_: None, lambda *_: 0, raising(Stopped("not yours"))])
def test_a_select_that_breaks_is_a_recorded_fault_and_the_incumbent_stays(selector: Any):
    found = ran(config(), arm(Learns(good, selector)))
    assert found.fact(WORK[0], "selected")["fault"]["where"] == "method learns"
    assert found.fact("main/L1", "final")["snapshot"] == found.fact("main", "initial")["snapshot"]


def test_no_candidate_and_no_choice_keep_the_incumbent():
    found = ran(config(), arm(Learns(good, lambda *_: Selection(None, "not better"))))
    assert found.fact(WORK[0], "selected")["reason"] == "not better"
    assert found.fact("main/L1", "final")["snapshot"] == found.fact("main", "initial")["snapshot"]


def test_a_skipped_update_is_recorded_with_its_reason_and_is_no_fault():
    found = ran(config(), arm(Learns(lambda _: Skipped("no reply was of use"))))
    assert found.fact(WORK[0], "refined") == {"candidates": [], "skipped": "no reply was of use"}
    assert found.fact(WORK[0], "selected")["chosen"] is None
    assert found.fact("main/L1", "final")["snapshot"] == found.fact("main", "initial")["snapshot"]


def test_a_method_of_plain_functions_is_as_good():
    class Plain(Learns):
        def refine(self, context: RefineContext) -> Any:
            return self.refiner(context)

        def select(self, context: RefineContext, incumbent: Trial, trials: Any) -> Any:
            return self.selector(context, incumbent, trials)

    assert ran(config(), arm(Plain(good))).journal.digest() == ran(config(), arm(Learns(good))).journal.digest()


def test_a_task_whose_attempt_faulted_is_not_refined_and_not_told_of():
    told: list[int] = []

    def breaks_once(state: State, view: View, rng: random.Random) -> Any:
        if next(calls) == 5:  # the static arm works five tasks first
            raise InstrumentFault("model", "gone")
        return fail(state, view, rng)

    calls = count()
    found = ran(config(), arm(Learns(lambda context: told.append(len(context.log)) or []), Scripted(breaks_once)))
    assert isinstance(found.outcomes[WORK[0]], Fault)
    assert (found.paths("main", "refined"), told) == (WORK[1:], [1, 2, 3])


def test_a_record_that_cannot_be_kept_stops_the_study_from_within_a_method_too():
    with pytest.raises(StoreFault):
        ran(config(), arm(Learns(raising(StoreFault("disk", "full")))))


# ---------------------------------------------------------------------------------------------- controls


def test_arms_that_begin_alike_share_one_control_and_one_exam_of_a_0():
    found = ran(config(), arm(Learns(good), name="one"), arm(name="two"))
    assert found.fact("one", "arm") == found.fact("two", "arm")
    assert len({path.split("/")[1] for path in found.paths("exam")}) == 3


def test_arms_that_begin_apart_are_held_against_their_own():
    other = Scripted(obey, files={"agent/skill": b"another"})
    found = ran(config(), arm(name="one"), arm(agent=other, name="two"))
    assert (found.fact("one", "arm")["control"], found.fact("two", "arm")["control"]) == ("static", "static-2")
    assert found.fact("one", "arm")["A_0"] != found.fact("two", "arm")["A_0"]


def test_equal_states_of_agents_that_act_apart_are_not_the_same_a_0():
    found = ran(config(), arm(name="one"), arm(agent=Scripted(fail, id="another"), name="two"))
    assert found.fact("one", "arm")["A_0"] != found.fact("two", "arm")["A_0"]


# ---------------------------------------------------------------------------------------------- at once, and stopped

NOISY = arm(Learns(lambda context: [child(context, skill=f"{context.rng.random()}")], trials=1))


def test_what_runs_at_once_never_changes_what_is_recorded():
    settings = config(lineages=4)
    assert ran(settings, NOISY, concurrency=8).journal.digest() == ran(settings, NOISY).journal.digest()


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("after", [0, 1, 7, 20, 35])
def test_a_stop_is_resumable_wherever_it_comes(concurrency: int, after: int):
    settings, asked = config(lineages=2), count()
    journal = MemoryJournal()
    with pytest.raises(Stopped):
        ran(settings, NOISY, journal=journal, concurrency=concurrency, stop_requested=lambda: next(asked) >= after)
    resumed = ran(settings, NOISY, journal=journal, concurrency=concurrency)
    assert resumed.journal.digest() == ran(settings, NOISY).journal.digest()


def test_a_stop_lets_what_is_in_flight_arrive():
    journal = MemoryJournal()
    asked = count()
    with pytest.raises(Stopped):
        ran(config(lineages=8), journal=journal, concurrency=8, stop_requested=lambda: next(asked) >= 8)
    served = [fact.path for fact in journal.facts(kind="served")]
    assert len(served) == 8
    assert served == [fact.path for fact in journal.facts(kind="ended")]


def test_an_error_of_our_own_stops_everybody_and_comes_out_as_it_is():
    class Ours(Learns):
        def actor(self, state: State, agent: Any, ports: Any, rng: random.Random) -> Any:
            raise StoreFault("disk", "full")

    with pytest.raises(StoreFault, match="full"):
        ran(config(lineages=8), replace(NOISY, method=Ours()), concurrency=8)


# ---------------------------------------------------------------------------------------------- what a method holds


def test_a_method_holds_no_journal():
    """What is reached from the context by plain attributes: the record must not be among it, to be read or written."""
    seen: list[object] = []

    def look(context: RefineContext) -> Any:
        seen.append(context)
        reach(context, seen, depth=4)
        return []

    ran(config(), arm(Learns(look)))
    assert not [thing for thing in seen if isinstance(thing, MemoryJournal)]


def reach(thing: object, seen: list[object], *, depth: int) -> None:
    for name in dir(thing):
        inner = None if name.startswith("__") else getattr(thing, name, None)
        if depth and inner is not None and not any(inner is known for known in seen):
            seen.append(inner)
            reach(inner, seen, depth=depth - 1)


@pytest.mark.parametrize("leaving", [SystemExit(3), asyncio.CancelledError()])
def test_a_method_that_tries_to_leave_is_a_recorded_fault(leaving: BaseException):
    study = ran(config(), arm(Learns(raising(leaving))))
    assert "Quit" in str(study.fact(WORK[0], "refined")["fault"])
