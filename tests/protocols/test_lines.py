"""Lines: model calls are numbered, on record before they are used, answered from the record, and never swallowed."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from rung.core.errors import (
    AgentCrash,
    ContextOverflow,
    EmptyReply,
    InstrumentFault,
    LimitReached,
    ModelFault,
    ModelUnusable,
)
from rung.core.ports import Kit, Ports
from rung.core.values import (
    Action,
    Fault,
    Message,
    ModelCall,
    ModelReply,
    ModelRequest,
    Score,
    Served,
    State,
    Usage,
    View,
)
from rung.protocols import record, session
from rung.protocols.asked import Asked
from rung.protocols.lines import Lines
from rung.protocols.session import Limits, Seat
from rung.store.calls import read_answer, read_call
from rung.store.memory import MemoryJournal
from rung.testing.models import Provided

from .stage import BOX, SEED, installed, outcome, sealed, ticket

PATH = "a/L1/work/0001"


def request(text: str = "hello", role: Any = "agent") -> ModelRequest:
    return ModelRequest((Message("user", text),), role)


def says(*answers: str | ModelReply | BaseException) -> Provided:
    """A provider that gives these answers one after the other, and raises those that are errors."""
    left = list(answers)

    def answer(request: ModelRequest) -> str | ModelReply:
        said = left.pop(0)
        if isinstance(said, BaseException):
            raise said
        return said

    return Provided(answer)


def ask(journal: MemoryJournal, provider: Provided | None, *texts: str, path: str = PATH) -> list[ModelReply]:
    async def asked() -> list[ModelReply]:
        line = Lines(journal).line(path, "agent", provider)
        return [await line.generate(request(text)) for text in texts]

    return asyncio.run(asked())


class Caller:
    """An actor that asks its model each step, and does with what happens as it is told."""

    def __init__(self, kit: Kit, on_error: Callable[[BaseException], Action] | None = None, calls: int = 1) -> None:
        self.kit, self.on_error, self.calls = kit, on_error, calls

    async def act(self, view: View) -> Action:
        assert self.kit.ports.model is not None
        said = ""
        try:
            for number in range(self.calls):
                said = (await self.kit.ports.model.generate(request(f"{view.text} {number}"))).text
        except Exception as error:
            if self.on_error is None:
                raise
            return self.on_error(error)
        return Action(said)


def hold(journal: MemoryJournal, provider: Provided | None, make: Callable[[Kit], Any] = Caller, **seat: Any) -> str:
    def actor_for(served: Served, kit: Kit) -> Any:
        return make(kit)

    sitting = Seat(Asked(actor_for), State(), Ports(), SEED, scripted=False, model=provider, **seat)
    with installed():
        return asyncio.run(session.hold(journal, PATH, [ticket()], lens="none", seat=sitting))


def right() -> list[str]:
    numbers: Any = ticket().task.payload["numbers"]
    return [str(BOX.answer_to(number)) for number in numbers]


# --------------------------------------------------------------------------------------------- the record


def test_a_call_on_record_is_answered_from_the_record_and_asked_nobody():
    journal = MemoryJournal()
    first = ask(journal, says("one", "two"), "a", "b")
    again = ask(journal, says("three"), "a", "b", "c")
    assert [reply.text for reply in again] == ["one", "two", "three"]
    assert again[:2] == first


def test_the_call_is_recorded_with_the_role_of_its_place_whatever_it_claims():
    journal = MemoryJournal()

    async def claim() -> None:
        await Lines(journal).line(f"{PATH}/refine", "improver", says("x")).generate(request(role="instrument"))

    asyncio.run(claim())
    kept = read_call(journal, f"{PATH}/refine", 0)
    assert kept is not None
    assert kept.request.role == "improver"


def test_another_request_than_the_one_on_record_is_a_fault_and_no_answer():
    journal = MemoryJournal()
    ask(journal, says("one"), "a")
    with pytest.raises(InstrumentFault, match=f"call 0 of {PATH} asks something else"):
        ask(journal, says("two"), "b")


@pytest.mark.parametrize(
    "failure",
    [
        EmptyReply("model m", "nothing to see"),
        ModelFault("model m", "garbage"),
        ContextOverflow("12 tokens, and 10 fit"),
        LimitReached("spent"),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_a_call_without_an_answer_is_on_record_and_comes_to_the_same_again(failure: Exception):
    journal = MemoryJournal()
    for provider in (says(failure), None):
        with pytest.raises(type(failure)) as caught:
            ask(journal, provider, "a")
        assert type(caught.value) is type(failure)
        assert str(caught.value) == str(failure)


def test_what_stops_the_run_is_not_on_record_so_that_running_again_asks_again():
    journal = MemoryJournal()
    with pytest.raises(ModelUnusable):
        ask(journal, says(ModelUnusable("wrong key")), "a")
    assert read_answer(journal, PATH, 0) is None
    assert ask(journal, says("now"), "a")[0].text == "now"


def test_a_line_without_a_model_says_what_to_give():
    with pytest.raises(InstrumentFault, match=r"give agent\.model"):
        ask(MemoryJournal(), None, "a")


# --------------------------------------------------------------------------------------------- one and the same model


def reported(*ids: str) -> Provided:
    return says(*(ModelReply("x", name, "stop", Usage(1, 1)) for name in ids))


def test_a_model_that_reports_another_id_in_mid_run_stops_the_run():
    with pytest.raises(ModelUnusable, match="now reports the id 'gpt-b', and before 'gpt-a'"):
        ask(MemoryJournal(), reported("gpt-a", "gpt-a", "gpt-b"), "a", "b", "c")


def test_ids_that_a_config_names_are_all_the_same_model_and_no_others():
    async def asked(*names: str) -> None:
        lines = Lines(MemoryJournal(), ids={"scripted/function": ["gpt-a", "gpt-b"]})
        line = lines.line(PATH, "agent", reported(*names))
        for number in range(len(names)):
            await line.generate(request(str(number)))

    asyncio.run(asked("gpt-a", "gpt-b", "gpt-a"))
    with pytest.raises(ModelUnusable, match="gpt-c"):
        asyncio.run(asked("gpt-c"))


# --------------------------------------------------------------------------------------------- in a session


def test_an_agent_over_a_model_is_scored_and_its_steps_say_how_often_it_asked():
    journal = MemoryJournal()
    assert hold(journal, says("no", right()[0], "no", right()[1]), lambda kit: Caller(kit, calls=2)) == "queue_empty"
    assert outcome(journal) == Score(1.0)
    assert [record.calls_by(journal, PATH, step) for step in range(2)] == [2, 4]
    steps = record.read_steps(journal, PATH)
    assert [step.agent_call.reply.text for step in steps if step.agent_call] == right()


def give_up(error: BaseException) -> Action:
    return Action("0")


@pytest.mark.parametrize("error", [ModelUnusable("the endpoint is down"), InstrumentFault("disk", "gone")])
def test_no_agent_can_answer_for_an_instrument_that_broke(error: Exception):
    """Caught in the agent's own code, an outage would be a score of zero."""
    journal = MemoryJournal()
    if isinstance(error, ModelUnusable):
        with pytest.raises(ModelUnusable):
            hold(journal, says(error), lambda kit: Caller(kit, give_up))
        assert journal.get(PATH, "sealed") is None
    else:
        assert hold(journal, says(error), lambda kit: Caller(kit, give_up)) == "instrument_fault"
        assert outcome(journal) == Fault("disk", "gone")


def test_an_agent_may_go_on_from_an_answer_that_was_of_no_use():
    journal = MemoryJournal()
    empty = EmptyReply("model", "nothing")
    assert hold(journal, says(empty, right()[1]), lambda kit: Caller(kit, lambda error: Action(right()[0])))
    assert outcome(journal) == Score(1.0)


def test_a_context_that_overflows_is_the_agents_own_doing():
    journal = MemoryJournal()
    assert hold(journal, says(right()[0], ContextOverflow("too long"))) == "agent_crashed"
    assert isinstance(outcome(journal), Score)
    assert sealed(journal)["status"] == "error"


def test_a_limit_ends_the_attempt_which_is_scored_as_it_stands():
    journal = MemoryJournal()
    assert hold(journal, says(right()[0], LimitReached("spent"))) == "limit_reached"
    assert isinstance(outcome(journal), Score)
    assert sealed(journal)["status"] == "cancelled"


def test_time_that_is_over_ends_the_attempt_which_is_scored_as_it_stands():
    class Sleeper:
        async def act(self, view: View) -> Action:
            await asyncio.Event().wait()
            raise AssertionError("nobody wakes it")

    journal = MemoryJournal()
    limits = Limits(seconds=0.01)
    assert hold(journal, None, lambda kit: Sleeper(), limits=limits) == "limit_reached"
    assert sealed(journal)["status"] == "timeout"
    assert sealed(journal)["score"] == 0.0


class Slow(Provided):
    """A model whose answer is long in coming, of which only `seconds` are its own try's."""

    seconds = 0.0

    async def ask(self, request: ModelRequest, spending: Any) -> Any:
        await asyncio.sleep(0.05)
        return replace(await super().ask(request, spending), seconds=self.seconds)


def slow(seconds: float) -> Slow:
    left = right()
    made = Slow(lambda request: left.pop(0))
    made.seconds = seconds
    return made


def test_time_spent_waiting_for_a_model_is_not_the_agents():
    """A queue, an outage that passes, or a wait for money would else be a score of zero."""
    journal = MemoryJournal()
    assert hold(journal, slow(0.0), limits=Limits(seconds=0.04)) == "queue_empty"
    assert outcome(journal) == Score(1.0)


def test_the_seconds_of_answered_tries_are_the_agents():
    journal = MemoryJournal()
    assert hold(journal, slow(150.0), limits=Limits(seconds=100)) == "limit_reached"
    assert sealed(journal)["steps"] == 1
    assert sealed(journal)["status"] == "timeout"


def test_what_breaks_in_a_models_own_code_is_never_the_agents_crash():
    journal = MemoryJournal()
    assert hold(journal, says(OverflowError("too large to count"))) == "instrument_fault"
    assert outcome(journal) == Fault("model", "OverflowError: too large to count")


def test_a_session_cut_off_while_it_seals_is_sealed_once():
    class Slowly(MemoryJournal):
        async def flush(self, *, durable: bool) -> None:
            if self.get(PATH, "sealed") is not None:
                await asyncio.sleep(0.05)

    journal = Slowly()
    answers = right()

    class Quick:
        async def act(self, view: View) -> Action:
            return Action(answers.pop(0))

    assert hold(journal, None, lambda kit: Quick(), limits=Limits(seconds=0.02)) == "queue_empty"
    assert sealed(journal)["status"] == "completed"


def test_ids_that_look_alike_and_models_named_below_others_are_told_apart():
    async def asked() -> None:
        lines = Lines(MemoryJournal(), ids={"scripted/function": ["m a", "m-a"]})
        line = lines.line(PATH, "agent", reported("m a", "m-a"))
        for number in range(2):
            await line.generate(request(str(number)))
        below = reported("another")
        below.id = "scripted/function/below"
        await lines.line(f"{PATH}/refine", "improver", below).generate(request())
        above = reported("m a")
        await lines.line("a/L1/work/0002", "agent", above).generate(request())

    asyncio.run(asked())


def test_an_agents_own_timeout_is_not_taken_for_ours():
    class Impatient:
        async def act(self, view: View) -> Action:
            raise TimeoutError("my own")

    assert hold(MemoryJournal(), None, lambda kit: Impatient(), limits=Limits(seconds=60)) == "agent_crashed"


def test_no_more_steps_are_taken_than_allowed():
    journal = MemoryJournal()
    hold(journal, says(*right()), limits=Limits(steps=1))
    assert sealed(journal)["steps"] == 1


def interrupted(journal: MemoryJournal, *answers: str, calls: int = 1) -> Provided:
    """Work the box, and stop at the second step after all these answers were given."""
    provider = says(*answers, ModelUnusable("stop here"))
    with pytest.raises(ModelUnusable):
        hold(journal, provider, lambda kit: Caller(kit, calls=calls))
    return provider


def test_an_interrupted_attempt_is_taken_up_where_it_was_and_no_call_is_made_twice():
    journal, whole = MemoryJournal(), MemoryJournal()
    interrupted(journal, "a", right()[0], "b", calls=2)
    hold(journal, says(right()[1]), lambda kit: Caller(kit, calls=2))
    hold(whole, says("a", right()[0], "b", right()[1]), lambda kit: Caller(kit, calls=2))
    assert journal.digest() == whole.digest()


def test_calls_that_an_agent_made_by_other_means_stand_beside_those_of_its_line():
    class Own(Caller):
        async def act(self, view: View) -> Action:
            action = await super().act(view)
            own = ModelCall(request("elsewhere"), ModelReply(f"own of {action.answer}", "elsewhere", "stop"))
            return Action(action.answer, model_call=own)

    journal, whole = MemoryJournal(), MemoryJournal()
    with pytest.raises(ModelUnusable):
        hold(journal, says(right()[0], ModelUnusable("stop here")), Own)
    hold(journal, says(right()[1]), Own)
    hold(whole, says(*right()), Own)
    assert journal.digest() == whole.digest()
    told = [step.agent_call.reply.text for step in record.read_steps(whole, PATH) if step.agent_call is not None]
    assert told == [f"own of {answer}" for answer in right()]
    assert record.calls_by(whole, PATH, 1) == 2


def test_an_agents_own_crash_after_a_call_is_still_a_crash():
    def crash(error: BaseException) -> Action:
        raise AgentCrash("on purpose")

    journal = MemoryJournal()
    assert hold(journal, says(EmptyReply("model", "nothing")), lambda kit: Caller(kit, crash)) == "agent_crashed"
