"""The stream hands out, routes, ends and scores, outside the agent's reach."""

import asyncio
from math import inf, nan
from typing import Any

import pytest

from rung.core.errors import AgentCrash, InstrumentFault, UsageError
from rung.core.ports import Ports
from rung.core.values import (
    Action,
    Call,
    Evaluation,
    Fault,
    Invalid,
    Message,
    ModelCall,
    ModelReply,
    ModelRequest,
    Reply,
    Score,
    Task,
    Usage,
    View,
)
from rung.protocols import record
from rung.protocols.answers import MALFORMED, MAX_ANSWER, MAX_DEPTH, tidy
from rung.store.memory import MemoryJournal
from rung.testing.toys._riddle import RiddleEpisode

from . import stage
from .stage import (
    WRONG,
    Diary,
    Twisted,
    agives,
    araises,
    gives,
    hold,
    installed,
    outcome,
    play,
    raises,
    right,
    sealed,
    stream,
)

BOOM = ValueError("boom")
HALF_PAIR = "\ud800"


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


# ---------------------------------------------------------------------------------------------- what is safe when


def test_the_served_mark_is_durable_before_the_episode_starts():
    diary = Diary()

    async def start(task: Any, ports: Any) -> Any:
        diary.entries.append("start")
        return await stage.BOX.start(task, ports)

    with installed(stage.box(start=start)):
        asyncio.run(stream(diary).get_task())
    assert diary.entries == ["served", "durable", "start"]


def test_the_served_mark_is_durable_before_the_text_leaves(box: Any):
    diary = Diary()
    asyncio.run(stream(diary).get_task())
    assert diary.entries == ["served", "durable"]


def test_a_step_is_kept_before_its_reply_leaves_and_the_seal_is_durable_before_the_end_does(box: Any):
    diary = Diary()
    asyncio.run(play(stream(diary), right()))
    assert diary.entries == ["served", "durable", "step", "kept", "step", "sealed", "durable"]


def test_what_a_crash_leaves_open_is_sealed_together_with_the_ending(box: Any):
    diary = Diary()
    hold(diary, AgentCrash("bang"))
    assert diary.entries == ["served", "durable", "sealed", "ended", "durable"]


# ---------------------------------------------------------------------------------------------- outcomes


def test_right_answers_score(box: Any, journal: MemoryJournal):
    hold(journal, *right())
    assert outcome(journal) == Score(1.0)


def test_text_goes_through_the_family_s_one_door(box: Any, journal: MemoryJournal):
    hold(journal, *(f"I think it is {call.arguments['value']}" for call in right()))
    assert outcome(journal) == Score(1.0)


def test_a_fault_is_a_row_and_not_a_zero(box: Any, journal: MemoryJournal):
    hold(journal, right()[0], InstrumentFault("model", "connection reset"))
    assert outcome(journal) == Fault("model", "connection reset")
    assert "score" not in sealed(journal)


def test_an_agent_s_crash_is_a_score_as_the_task_stands(box: Any, journal: MemoryJournal):
    assert hold(journal, right()[0], AgentCrash("bang")) == "agent_crashed"
    assert (outcome(journal), sealed(journal)["status"]) == (Score(0.5), "error")


def test_an_agent_that_walks_away_is_scored_as_the_task_stands(box: Any, journal: MemoryJournal):
    on = stream(journal)
    asyncio.run(play(on, right()[:1]))
    assert asyncio.run(on.close(None)) == 1
    assert (outcome(journal), sealed(journal)["status"]) == (Score(0.5), "cancelled")


def test_a_task_ends_with_its_last_call_whatever_its_episode_says(journal: MemoryJournal):
    with installed(stage.box(episode={"call": agives(Reply("on and on"))})):
        hold(journal, *[WRONG] * 9)
    assert sealed(journal)["steps"] == 2


@pytest.mark.parametrize(
    "twists",
    [
        {"rules": raises(BOOM)},
        {"rules": gives(HALF_PAIR)},
        {"rules": gives(None)},
        {"start": araises(BOOM)},
        {"start": araises(UsageError("an illegal setting"))},
        {"start": raises(BOOM)},
        {"start": agives(None)},
        {"parse": raises(BOOM)},
        {"parse": raises(RecursionError())},
        {"episode": {"view": raises(BOOM)}},
        {"episode": {"view": gives(None)}},
        {"episode": {"view": gives(View(HALF_PAIR))}},
        {"episode": {"call": araises(BOOM)}},
        {"episode": {"call": raises(BOOM)}},
        {"episode": {"call": agives(None)}},
        {"episode": {"call": agives(Reply("", score=nan))}},
        {"episode": {"call": agives(Reply("", score=object()))}},
        {"episode": {"call": agives(Reply(HALF_PAIR * 3000))}},
        {"episode": {"evaluate": araises(BOOM)}},
        {"episode": {"evaluate": raises(BOOM)}},
        {"episode": {"evaluate": agives(None)}},
        {"episode": {"evaluate": agives(Evaluation("completed", success=True, score=1.0, metrics={"x": inf}))}},
        {"episode": {"evaluate": agives(Evaluation("completed", success=True, score=1.0, metrics={"x": {1}}))}},
        {"episode": {"evaluate": lambda: asyncio.sleep(0, Evaluation("completed", success=False, score=nan))}},
    ],
)
def test_a_family_that_breaks_is_a_fault_and_the_study_goes_on(journal: MemoryJournal, twists: dict[str, Any]):
    with installed(stage.box(**twists)):
        hold(journal, "1", "2")
    assert isinstance(outcome(journal), Fault)
    assert sealed(journal)["fault"]["where"] == "family box-v1"


def test_a_family_that_cannot_measure_what_an_agent_left_is_a_fault(journal: MemoryJournal):
    with installed(stage.box(episode={"evaluate": araises(BOOM)})):
        hold(journal, AgentCrash("bang"))
    assert outcome(journal) == Fault("family box-v1", "ValueError: boom")


def test_a_family_of_plain_functions_is_as_good(journal: MemoryJournal):
    plain = MemoryJournal()
    with installed():
        hold(journal, right()[0], WRONG)
    with installed(stage.box(start=start_plain)):
        hold(plain, right()[0], WRONG)
    assert plain.digest() == journal.digest()


def start_plain(task: Task, ports: Ports) -> Any:
    real = RiddleEpisode(stage.BOX, task)
    return Twisted(real, call=lambda call: at_once(real.call(call)), evaluate=lambda: at_once(real.evaluate()))


def at_once(coroutine: Any) -> Any:
    """What a coroutine gives that never waits."""
    with pytest.raises(StopIteration) as stop:
        coroutine.send(None)
    return stop.value.value


# ---------------------------------------------------------------------------------------------- hostile answers

HOSTILE: dict[str, object] = {
    "empty": "",
    "a NUL": "\0",
    "no number": "no number here",
    "half a surrogate pair": HALF_PAIR,
    "a megabyte": "x" * MAX_ANSWER,
    "more than a megabyte": "1" * (MAX_ANSWER + 1),
    "brackets": "[" * 100_000,
    "no arguments": Call("answer", {}),
    "NaN": Call("answer", {"value": nan}),
    "infinity": Call("answer", {"value": -inf}),
    "deep": Call("answer", {"value": nested(MAX_DEPTH + 1)}),
    "deeper than Python": Call("answer", {"value": nested(100_000)}),
    "half a pair as argument": Call("answer", {"value": HALF_PAIR}),
    "a long argument": Call("answer", {"value": "x" * MAX_ANSWER}),
    "a number of 5000 digits": Call("answer", {"value": 10**5000}),
    "bytes": Call("answer", {"value": b"bytes"}),
    "a set": Call("answer", {"value": {1, 2}}),
    "mixed keys": Call("answer", {1: 2, "value": 3}),
    "arguments None": Call("answer", None),
    "arguments a list": Call("answer", [1]),
    "no tool": Call("", {}),
    "half a pair as tool": Call(HALF_PAIR, {}),
    "tool None": Call(None, {}),
    "another tool": Call("rm", {"path": "/"}),
    "None": None,
    "a number": 7,
    "a list": [Call("answer", {"value": 1})],
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_an_answer_that_is_no_call_is_recorded_and_answered_with_one_line(box: Any, journal: MemoryJournal, kind: str):
    replies = asyncio.run(play(stream(journal), [HOSTILE[kind], right()[1]]))
    assert replies[0].text
    assert "\n" not in replies[0].text
    assert [step.invalid for step in record.read_steps(journal, "a/L1/work/0001")] == [True, False]
    assert outcome(journal) == Score(0.5)


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_recorded_is_what_was_played(kind: str):
    once, invalid = tidy(Action(HOSTILE[kind]))
    again, still = tidy(once)
    assert again == once
    assert (still is None) == (invalid is None) or once.answer == MALFORMED


@pytest.mark.parametrize("guess", [nan, inf, "high", 10**400, None, object()])
def test_a_guess_that_is_no_finite_number_is_no_guess(box: Any, journal: MemoryJournal, guess: Any):
    hold(journal, Action(WRONG, self_score=guess), WRONG)
    assert record.read_steps(journal, "a/L1/work/0001")[0].self_score is None


def test_the_episode_gets_arguments_as_json_has_them(journal: MemoryJournal):
    got: list[Any] = []

    async def call(call: Call | Invalid) -> Reply:
        got.append(call)
        return Reply("taken", done=True)

    with installed(stage.box(episode={"call": call})):
        hold(journal, Call("answer", {"value": (1, (2.0, True))}))
    assert got == [record.read_steps(journal, "a/L1/work/0001")[0].action]
    assert got[0].arguments == {"value": [1, [2.0, True]]}


# ---------------------------------------------------------------------------------------------- routing


def test_an_unknown_handle_is_refused_by_name(box: Any, journal: MemoryJournal):
    with pytest.raises(UsageError, match="no task in flight with handle 't-none'"):
        asyncio.run(stream(journal).answer("t-none", Action(WRONG)))


def test_a_task_that_ended_takes_no_more_answers(box: Any, journal: MemoryJournal):
    on = stream(journal)

    async def once_more() -> None:
        served = await on.get_task()
        assert served is not None
        for answer in [*right(), WRONG]:
            await on.answer(served.handle, Action(answer))

    with pytest.raises(UsageError, match=r"task 't-\w+' has ended; get a task first"):
        asyncio.run(once_more())
    assert outcome(journal) == Score(1.0)


def test_several_tasks_in_flight_are_told_apart_by_handle(box: Any, journal: MemoryJournal):
    on = stream(journal, stage.ticket("a/1", seed="x"), stage.ticket("a/2", seed="y"))

    async def both() -> None:
        one, two = await on.get_task(), await on.get_task()
        assert one is not None
        assert two is not None
        for good, bad in zip(right("y"), [WRONG, WRONG], strict=True):
            await on.answer(two.handle, Action(good))
            await on.answer(one.handle, Action(bad))

    asyncio.run(both())
    assert (outcome(journal, "a/1"), outcome(journal, "a/2")) == (Score(0.0), Score(1.0))


def test_the_queue_says_what_waits_and_what_is_in_flight(box: Any, journal: MemoryJournal):
    on = stream(journal, stage.ticket("a/1"), stage.ticket("a/2"))
    asyncio.run(on.get_task())
    info = asyncio.run(on.queue_info())
    assert (info.waiting, info.in_flight) == (1, 1)


def test_a_handle_tells_nothing_and_differs_between_attempts_at_one_task(box: Any, journal: MemoryJournal):
    on = stream(journal, stage.ticket("a/1"), stage.ticket("a/2"))
    one, two = asyncio.run(on.get_task()), asyncio.run(on.get_task())
    assert one is not None
    assert two is not None
    assert one.handle != two.handle
    assert "one" not in one.handle


# ---------------------------------------------------------------------------------------------- interruption


def test_an_episode_in_flight_is_rebuilt_from_its_recorded_calls(box: Any, journal: MemoryJournal):
    asyncio.run(play(stream(journal), right()[:1]))
    again = stream(journal)
    served = asyncio.run(again.get_task())
    assert served is not None
    assert [action.answer for _, action in served.played] == right()[:1]
    assert served.view.reply == "The answer was taken."
    asyncio.run(again.answer(served.handle, Action(right()[1])))
    assert journal.digest() == undisturbed(right())


def undisturbed(answers: list[Call]) -> str:
    journal = MemoryJournal()
    asyncio.run(play(stream(journal), answers))
    return journal.digest()


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_answers_are_rebuilt_too(box: Any, journal: MemoryJournal, kind: str):
    asyncio.run(play(stream(journal), [HOSTILE[kind]]))
    served = asyncio.run(stream(journal).get_task())
    assert served is not None
    assert len(served.played) == 1


def test_an_episode_that_had_ended_but_was_not_sealed_is_sealed_and_not_served_again(box: Any):
    journal = Forgetful("sealed")
    asyncio.run(play(stream(journal), right()))
    journal.loses = ""
    assert asyncio.run(stream(journal).get_task()) is None
    assert outcome(journal) == Score(1.0)


class Forgetful(MemoryJournal):
    """A journal that loses one kind of fact, as a crash might."""

    def __init__(self, loses: str) -> None:
        super().__init__()
        self.loses = loses

    def put(self, path: str, kind: str, value: Any) -> None:
        if kind != self.loses:
            super().put(path, kind, value)


def test_an_episode_that_cannot_be_rebuilt_is_a_fault_that_says_so(journal: MemoryJournal):
    with installed(stage.box(replayable=False)):
        asyncio.run(play(stream(journal), right()[:1]))
        hold(journal, *right())
    assert outcome(journal) == Fault("family box-v1", "was in flight when the run stopped, and cannot be rebuilt")


def test_an_episode_that_cannot_be_rebuilt_starts_again_when_nothing_was_played(journal: MemoryJournal):
    with installed(stage.box(replayable=False)):
        asyncio.run(stream(journal).get_task())
        asyncio.run(play(stream(journal), right()))
    assert outcome(journal) == Score(1.0)


def test_a_family_that_does_not_repeat_itself_is_a_fault_and_changes_no_fact(journal: MemoryJournal):
    with installed(stage.box(episode={"call": agives(Reply("one way"))})):
        asyncio.run(play(stream(journal), right()[:1]))
    with installed(stage.box(episode={"call": agives(Reply("another way"))})):
        on = stream(journal)
        with pytest.raises(InstrumentFault, match="a fact is written once"):
            asyncio.run(on.get_task())
    assert record.read_steps(journal, "a/L1/work/0001")[0].response == "one way"


# ---------------------------------------------------------------------------------------------- model calls


def asked(answer: Call) -> Action:
    request = ModelRequest((Message("user", "open the box"),), "agent")
    reply = ModelReply("an answer", "a-model-2026", "stop", Usage(12, 3))
    return Action(answer, model_call=ModelCall(request, reply))


def test_the_model_call_behind_a_step_is_in_the_record_and_in_the_feedback():
    journal, answers = MemoryJournal(), [asked(call) for call in right()]
    with installed():
        hold(journal, *answers)
        told = record.read_feedback(journal, stage.ticket().path)
    assert [step.agent_call for step in told.trajectory] == [answer.model_call for answer in answers]


def test_an_interrupted_attempt_takes_its_model_calls_up_again_and_pays_for_none():
    journal, answers = MemoryJournal(), [asked(call) for call in right()]

    async def interrupted() -> Any:
        client = stream(journal)
        served = await client.get_task()
        await client.answer(served.handle, answers[0])
        return await stream(journal).get_task()

    with installed():
        again = asyncio.run(interrupted())
    assert [action for _, action in again.played] == [answers[0]]
