"""A stream as tools: what a program is answered, and that the record is what any other agent's would be."""

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rung.core.desk import ToolAnswer
from rung.core.errors import AgentCrash, InstrumentFault, LimitReached, Stopped, StoreFault
from rung.core.ports import Ports
from rung.core.values import Action, Call, Fault, Image, Invalid, Lens, Reply, Score, View
from rung.protocols import record
from rung.protocols.lines import Lines
from rung.protocols.mcp import RECORDED, StreamDesk
from rung.protocols.stream import MAX_STRAYS, Stream, Terms, Ticket
from rung.protocols.toolbox import toolbox
from rung.store.memory import MemoryJournal

from . import stage
from .stage import SEED, WRONG, araises, installed, outcome, right, sealed

CELLS = [("box-v1", "d1"), ("farm-v1", "d1")]
ONE, TWO = "s/work/0001", "s/work/0002"


def ticket(path: str = ONE, seed: str = "one") -> Ticket:
    return stage.ticket(path, seed=seed)


def handle(path: str = ONE) -> str:
    return record.handle(SEED.path, path)


def stream(journal: MemoryJournal, *tickets: Ticket, lens: Lens = "full", **terms: Any) -> Stream:
    lines = Lines(journal)
    return Stream(
        journal,
        tickets or (ticket(),),
        terms=Terms(lens, apart=True, **terms),
        salt=SEED.path,
        ports=Ports(),
        line_for=lambda path: lines.line(path, "agent", None),
        session="s",
    )


async def desk(on: Stream) -> StreamDesk:
    return StreamDesk(on, await toolbox(CELLS, judged=on.judged))


Asked = tuple[str, Mapping[str, Any]]


def answered(on: Stream, *calls: Asked) -> list[ToolAnswer]:
    """What these calls are answered, one after the other."""

    async def all_of_them() -> list[ToolAnswer]:
        tools = await desk(on)
        return [await tools.call(tool, arguments) for tool, arguments in calls]

    return asyncio.run(all_of_them())


GET: Asked = ("get_task", {})


def says(value: object, path: str = ONE) -> Asked:
    return "answer", {"task": handle(path), "value": value}


def solving(path: str = ONE, seed: str = "one") -> list[Asked]:
    return [says(call.arguments["value"], path) for call in right(seed)]


def strays(journal: MemoryJournal) -> list[Any]:
    return [fact.value for fact in journal.facts(kind="stray")]


# ---------------------------------------------------------------------------------------------- what is answered


def test_a_task_comes_with_its_handle_rules_view_and_tools(box: Any, journal: MemoryJournal):
    got = answered(stream(journal), GET)[0]
    served = asyncio.run(stream(MemoryJournal()).get_task())
    assert served is not None
    assert got.data == {
        "task": handle(),
        "family": "box-v1",
        "setting": "d1",
        "rules": served.view.rules,
        "view": served.view.text,
        "tools": ["answer"],
        "in_flight": [],
    }
    assert all(text in got.text for text in (handle(), "box-v1", served.view.rules, served.view.text, "answer"))


def test_a_step_answers_with_the_next_view(box: Any, journal: MemoryJournal):
    first = answered(stream(journal), GET, solving()[0])[1]
    numbers: Any = stage.task().payload["numbers"]
    assert first.data == {
        "task": handle(),
        "ended": False,
        "reply": "The answer was taken.",
        "view": f"The box shows {numbers[1]}.",
        "tools": ["answer"],
    }
    assert first.text == f"The answer was taken.\n\nThe box shows {numbers[1]}."


def test_in_work_the_ending_call_answers_with_the_feedback(box: Any, journal: MemoryJournal):
    last = answered(stream(journal), GET, solving()[0], says(0))[-1]
    told: Any = last.data
    assert (told["ended"], told["score"], told["success"]) == (True, 0.5, False)
    assert [step["score"] for step in told["steps"]] == [0.5, 0.0]
    assert not last.failed
    assert {"score: 0.5", "success: no"} <= set(last.text.splitlines())


def test_where_the_verdict_is_hidden_the_end_is_told_and_no_score(box: Any, journal: MemoryJournal):
    last = answered(stream(journal, lens="verdict_hidden"), GET, *solving())[-1]
    assert last.data == {"task": handle(), "ended": True, "reply": "The answer was taken."}
    assert "score" not in last.text


@pytest.mark.parametrize("ending", [solving, lambda: [says(0)] * 2, lambda: [says("no number")] * 2])
def test_in_an_exam_every_ending_call_answers_the_same_whatever_happened(box: Any, journal: MemoryJournal, ending: Any):
    assert answered(stream(journal, lens="none"), GET, *ending())[-1] == RECORDED


@pytest.mark.parametrize("broken", [ValueError("boom"), AgentCrash("bang"), LimitReached("enough")])
def test_in_an_exam_not_even_a_task_that_breaks_answers_otherwise(journal: MemoryJournal, broken: Exception):
    with installed(stage.box(episode={"call": araises(broken)})):
        assert answered(stream(journal, lens="none"), GET, says(1))[-1] == RECORDED


def test_when_there_are_no_more_tasks_that_is_said_again_and_again(box: Any, journal: MemoryJournal):
    _, one, two = answered(stream(journal), GET, GET, GET)
    assert one == two
    assert one.data == {"done": True, "in_flight": [handle()]}
    assert not one.failed


def test_the_queue_is_told(box: Any, journal: MemoryJournal):
    info = answered(stream(journal, ticket(), ticket(TWO)), GET, ("queue_info", {}))[1]
    assert info.data == {"in_flight": [handle()], "waiting": 1}
    assert info.text == f"in flight: {handle()}\nwaiting: 1"


def test_a_study_can_keep_the_length_of_the_queue_to_itself(box: Any, journal: MemoryJournal):
    on = stream(journal, ticket(), ticket(TWO), queue_hidden=True)
    info = answered(on, ("queue_info", {}))[0]
    assert info.data == {"in_flight": [], "waiting": None}
    assert "waiting" not in info.text
    assert on.unserved == 2


def test_pictures_are_answered_as_pictures(journal: MemoryJournal):
    picture = Image("image/png", b"\x89PNG")
    with installed(stage.box(episode={"view": lambda: View("look", (picture,))})):
        got, seen = answered(stream(journal), GET, says(1))
    assert got.images == seen.images == (picture,)


def test_a_task_in_flight_is_shown_again_and_that_is_no_step(box: Any, journal: MemoryJournal):
    got = answered(stream(journal), GET, solving()[0], ("get_task", {"task": handle()}))
    again: Any = got[2].data
    numbers: Any = stage.task().payload["numbers"]
    assert (again["calls"], again["reply"], again["view"]) == (
        1,
        "The answer was taken.",
        f"The box shows {numbers[1]}.",
    )
    assert len(record.read_steps(journal, ONE)) == 1


def test_an_agent_that_lost_the_last_answer_is_told_how_its_task_ended(box: Any, journal: MemoryJournal):
    last, again = answered(stream(journal), GET, *solving(), ("get_task", {"task": handle()}))[-2:]
    assert again.data == {**last.data, "reply": ""}  # type: ignore[dict-item]
    assert last.text == f"The answer was taken.\n{again.text}"
    assert strays(journal) == []


def test_after_an_exam_nothing_more_is_told(box: Any, journal: MemoryJournal):
    again = answered(stream(journal, lens="none"), GET, *solving(), ("get_task", {"task": handle()}))[-1]
    assert again.text == f"task '{handle()}' has ended; get a task first"
    assert again.failed


def test_an_empty_handle_asks_for_the_next_task(box: Any, journal: MemoryJournal):
    asked = answered(stream(journal, ticket(), ticket(TWO)), ("get_task", {"task": ""}), ("get_task", {"task": None}))
    assert [each.data["task"] for each in asked] == [handle(), handle(TWO)]  # type: ignore[call-overload,index]


def test_an_agent_s_own_score_goes_beside_its_call(box: Any, journal: MemoryJournal):
    tool, arguments = solving()[0]
    answered(stream(journal, judged=True), GET, (tool, {**arguments, "self_score": 0.25}))
    step = record.read_steps(journal, ONE)[0]
    assert (step.self_score, step.score) == (0.25, 0.5)


# ---------------------------------------------------------------------------------------------- calls that are no good

NO_GOOD: Mapping[str, tuple[Asked, str]] = {
    "no handle": (("answer", {"value": 1}), f"the argument 'task' is missing; in flight: {handle()}"),
    "a handle that is no text": (("answer", {"task": 7}), "the argument 'task' must be a handle, got int; in flight"),
    "an unknown handle": (("answer", {"task": "t-0"}), "no task in flight with handle 't-0'; get a task first"),
    "a task that waits": (says(1, TWO), f"no task in flight with handle '{handle(TWO)}'"),
    "showing an unknown handle": (("get_task", {"task": "t-0"}), "no task in flight with handle 't-0'"),
    "an unknown tool": (("rm", {"path": "/"}), "no tool named 'rm'; there are: answer, get_task, queue_info, submit_"),
}


@pytest.mark.parametrize("kind", NO_GOOD)
def test_a_call_that_names_no_task_in_flight_says_the_mend_and_is_noted(box: Any, journal: MemoryJournal, kind: str):
    call, reason = NO_GOOD[kind]
    answer = answered(stream(journal, ticket(), ticket(TWO)), GET, call)[1]
    assert answer.failed
    assert answer.text.startswith(reason)
    assert "\n" not in answer.text
    assert [(note["tool"], note["reason"]) for note in strays(journal)] == [(call[0], answer.text)]
    assert record.read_steps(journal, ONE) == []


def test_a_call_after_the_end_says_ended_and_is_noted(box: Any, journal: MemoryJournal):
    last = answered(stream(journal), GET, *solving(), says(1))[-1]
    assert last.failed
    assert last.text == f"task '{handle()}' has ended; get a task first"
    assert len(strays(journal)) == 1
    assert outcome(journal, ONE) == Score(1.0)


@pytest.mark.parametrize(
    "call",
    [
        ("answer", {"task": handle()}),
        ("answer", {"task": handle(), "value": "many"}),
        ("answer", {"task": handle(), "value": float("nan")}),
        ("rm", {"task": handle(), "path": "/"}),
        ("submit_plan", {"task": handle(), "plan": {}}),
    ],
)
def test_a_call_that_names_a_task_in_flight_is_a_step_of_it_however_wrong(
    box: Any, journal: MemoryJournal, call: Asked
):
    answer = answered(stream(journal), GET, call)[1]
    step = record.read_steps(journal, ONE)[0]
    assert answer.failed
    assert step.invalid
    assert answer.text.startswith(step.response)
    assert strays(journal) == []


def test_notes_of_strays_come_to_an_end_and_their_texts_are_cut(box: Any, journal: MemoryJournal):
    on = stream(journal)
    answered(on, *[("x" * 3000, {"y": "z" * 3000})] * (MAX_STRAYS + 5))
    kept = strays(journal)
    assert len(kept) == MAX_STRAYS
    assert max(len(text) for text in kept[0].values()) == record.INLINE


def test_a_handle_of_any_kind_leaves_nothing_behind(box: Any, journal: MemoryJournal):
    on = stream(journal)
    answered(on, *[("answer", {"task": f"t-{number}"}) for number in range(20)])
    assert on._turns == {}


# ---------------------------------------------------------------------------------------------- several at once


def test_several_tasks_in_flight_are_told_apart_by_handle(box: Any, journal: MemoryJournal):
    good, bad = solving(TWO, "y"), [says(0)] * 2
    on = stream(journal, ticket(ONE, "x"), ticket(TWO, "y"))
    second = answered(on, GET, GET, good[0], bad[0], good[1], bad[1])[1]
    assert second.data["in_flight"] == [handle(ONE)]  # type: ignore[call-overload,index]
    assert (outcome(journal, ONE), outcome(journal, TWO)) == (Score(0.0), Score(1.0))


@dataclass
class Gate:
    """An episode whose calls wait until it is opened; how many are in one at once."""

    inside: int = 0
    most: int = 0
    taken: int = 0

    def __post_init__(self) -> None:
        self.opened = asyncio.Event()
        self.entered = asyncio.Event()

    async def call(self, call: Call | Invalid) -> Reply:
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.entered.set()
        await self.opened.wait()
        self.inside -= 1
        self.taken += 1
        return Reply(f"taken {self.taken}", done=self.taken == 2)


def test_two_calls_on_one_task_are_taken_one_after_the_other(journal: MemoryJournal):
    async def at_once() -> tuple[Gate, list[ToolAnswer]]:
        gate = Gate()
        with installed(stage.box(episode={"call": gate.call})):
            tools = await desk(stream(journal))
            await tools.call(*GET)
            both = [asyncio.create_task(tools.call(*says(number))) for number in (1, 2)]
            await gate.entered.wait()
            gate.opened.set()
            return gate, await asyncio.gather(*both)

    gate, answers = asyncio.run(at_once())
    assert gate.most == 1
    assert answers[0].text.startswith("taken 1")
    assert [step.action for step in record.read_steps(journal, ONE)] == [says_call(1), says_call(2)]


def says_call(value: object) -> Call:
    return Call("answer", {"value": value})


def test_of_two_ending_calls_at_once_the_second_is_told_that_the_task_has_ended(box: Any, journal: MemoryJournal):
    async def at_once() -> list[ToolAnswer]:
        tools = await desk(stream(journal))
        await tools.call(*GET)
        await tools.call(*solving()[0])
        return await asyncio.gather(*(tools.call(*solving()[1]) for _ in range(2)))

    first, second = asyncio.run(at_once())
    assert first.data["score"] == 1.0  # type: ignore[call-overload,index]
    assert second.text == f"task '{handle()}' has ended; get a task first"
    assert sealed(journal, ONE)["steps"] == 2


def test_two_that_ask_at_once_are_given_two_tasks(box: Any, journal: MemoryJournal):
    async def at_once() -> list[ToolAnswer]:
        tools = await desk(stream(journal, ticket(), ticket(TWO)))
        return await asyncio.gather(*(tools.call(*GET) for _ in range(3)))

    got: list[Any] = [each.data for each in asyncio.run(at_once())]
    assert [each.get("task") for each in got] == [handle(), handle(TWO), None]
    assert got[2]["done"]


def test_a_call_whose_caller_hangs_up_comes_to_its_end_and_is_recorded_once(journal: MemoryJournal):
    async def cut_off() -> Any:
        gate = Gate()
        with installed(stage.box(episode={"call": gate.call})):
            on = stream(journal)
            tools = await desk(on)
            await tools.call(*GET)
            caller = asyncio.create_task(tools.call(*says(1)))
            await gate.entered.wait()
            caller.cancel()
            await asyncio.gather(caller, return_exceptions=True)
            gate.opened.set()
            again = await tools.call("get_task", {"task": handle()})
            await tools.close()
            return again.data

    again = asyncio.run(cut_off())
    assert (again["calls"], again["reply"]) == (1, "taken 1")
    assert len(record.read_steps(journal, ONE)) == 1


def test_a_desk_that_closes_waits_for_the_calls_under_way_and_takes_no_more(journal: MemoryJournal):
    async def closing() -> tuple[int, ToolAnswer]:
        gate = Gate()
        with installed(stage.box(episode={"call": gate.call})):
            on = stream(journal)
            tools = await desk(on)
            await tools.call(*GET)
            caller = asyncio.create_task(tools.call(*says(1)))
            await gate.entered.wait()
            closed = asyncio.create_task(tools.close())
            gate.opened.set()
            await closed
            steps = len(record.read_steps(journal, ONE))
            await caller
            return steps, await tools.call(*says(2))

    steps, late = asyncio.run(closing())
    assert steps == 1
    assert (late.text, late.failed) == ("The session is over.", True)


# ---------------------------------------------------------------------------------------------- what breaks


def test_a_task_that_breaks_is_a_fault_of_its_own_and_the_others_go_on(journal: MemoryJournal):
    calls = {"one": araises(ValueError("boom"))}

    async def start(task: Any, ports: Any) -> Any:
        real = await stage.BOX.start(task, ports)
        return stage.Twisted(real, **({"call": calls["one"]} if task == stage.task("one") else {}))

    with installed(stage.box(start=start)):
        on = stream(journal, ticket(), ticket(TWO, "y"))
        got = answered(on, GET, GET, says(1), *solving(TWO, "y"))
    assert got[2].failed
    assert got[2].data == {"task": handle(), "ended": True, "reply": "", "withdrawn": True}
    assert outcome(journal, ONE) == Fault("family box-v1", "ValueError: boom")
    assert outcome(journal, TWO) == Score(1.0)


def test_a_task_that_cannot_start_is_a_fault_and_the_next_one_is_given(journal: MemoryJournal):
    async def start(task: Any, ports: Any) -> Any:
        if task == stage.task("one"):
            raise InstrumentFault("sandbox", "no room")
        return await stage.BOX.start(task, ports)

    with installed(stage.box(start=start)):
        box = stream(journal, ticket(), ticket(TWO, "y"))
        tools = asyncio.run(toolbox(CELLS))
        got = asyncio.run(StreamDesk(box, tools).call(*GET))
    assert got.data["task"] == handle(TWO)  # type: ignore[call-overload,index]
    assert outcome(journal, ONE) == Fault("sandbox", "no room")


@pytest.mark.parametrize(("broken", "status"), [(AgentCrash("bang"), "error"), (LimitReached("enough"), "timeout")])
def test_what_is_the_agent_s_own_doing_in_an_episode_is_a_score(journal: MemoryJournal, broken: Exception, status: str):
    real = stage.BOX

    async def start(task: Any, ports: Any) -> Any:
        episode = await real.start(task, ports)

        async def call(call: Any) -> Any:
            if call == WRONG:
                raise broken
            return await episode.call(call)

        return stage.Twisted(episode, call=call)

    with installed(stage.box(start=start)):
        last: Any = answered(stream(journal), GET, solving()[0], says(0))[-1].data
    assert (outcome(journal, ONE), sealed(journal, ONE)["status"]) == (Score(0.5), status)
    assert (last["ended"], last["score"]) == (True, 0.5)


@pytest.mark.parametrize("end", [StoreFault("journal", "the disk is full"), Stopped("a stop was requested")])
def test_what_ends_the_session_is_raised_and_again_by_the_next_call(journal: MemoryJournal, end: Exception):
    async def twice() -> list[Any]:
        with installed(stage.box(episode={"call": araises(end)})):
            tools = await desk(stream(journal))
            await tools.call(*GET)
            return await asyncio.gather(tools.call(*says(1)), tools.call(*GET), return_exceptions=True)

    assert asyncio.run(twice())[0] is end


def test_what_ends_the_session_in_a_call_that_nobody_waits_for_is_not_lost(journal: MemoryJournal):
    async def cut_off() -> Any:
        waits = asyncio.Event()

        async def call(_: object) -> Reply:
            await waits.wait()
            raise Stopped("a stop was requested")

        with installed(stage.box(episode={"call": call})):
            tools = await desk(stream(journal))
            await tools.call(*GET)
            caller = asyncio.create_task(tools.call(*says(1)))
            await asyncio.sleep(0)
            caller.cancel()
            waits.set()
            await asyncio.gather(caller, return_exceptions=True)
            await asyncio.wait({*tools._under_way} or {asyncio.ensure_future(asyncio.sleep(0))})
            return await asyncio.gather(tools.call(*GET), return_exceptions=True)

    assert [type(each) for each in asyncio.run(cut_off())] == [Stopped]


# ---------------------------------------------------------------------------------------------- cut off and back again


def undisturbed(*calls: Asked) -> str:
    journal = MemoryJournal()
    answered(stream(journal, ticket(), ticket(TWO, "y")), *calls)
    return journal.digest()


def test_a_program_that_comes_back_to_another_process_goes_on_with_its_handle(box: Any, journal: MemoryJournal):
    calls = [GET, GET, solving()[0], solving(TWO, "y")[0], solving()[1], solving(TWO, "y")[1]]
    for cut in range(2, len(calls) + 1):
        journal = MemoryJournal()
        for part in (calls[:cut], calls[cut:]):
            answered(stream(journal, ticket(), ticket(TWO, "y")), *part)
        assert journal.digest() == undisturbed(*calls)


def test_a_program_that_has_forgotten_is_handed_what_is_in_flight_before_anything_new(box: Any, journal: MemoryJournal):
    answered(stream(journal, ticket(), ticket(TWO, "y")), GET, solving()[0])
    again = stream(journal, ticket(), ticket(TWO, "y"))
    info, first, second = answered(again, ("queue_info", {}), GET, GET)
    told: Any = first.data
    assert info.data == {"in_flight": [handle()], "waiting": 1}
    assert (told["task"], told["calls"], told["reply"]) == (handle(), 1, "The answer was taken.")
    assert second.data["task"] == handle(TWO)  # type: ignore[call-overload,index]


def test_what_was_sealed_before_is_not_served_again_and_says_ended(box: Any, journal: MemoryJournal):
    answered(stream(journal), GET, *solving())
    done, late = answered(stream(journal), GET, says(1))
    assert done.data == {"done": True, "in_flight": []}
    assert late.text == f"task '{handle()}' has ended; get a task first"


def test_a_session_that_ends_after_an_interruption_scores_what_was_left_in_flight(box: Any, journal: MemoryJournal):
    answered(stream(journal, ticket(), ticket(TWO, "y")), GET, solving()[0])
    again = stream(journal, ticket(), ticket(TWO, "y"))
    assert (again.unserved, asyncio.run(again.close(None))) == (1, 1)
    assert (outcome(journal, ONE), sealed(journal, ONE)["steps"]) == (Score(0.5), 1)
    assert journal.get(TWO, "sealed") is None


def test_what_cannot_be_rebuilt_is_a_fault_of_its_own(journal: MemoryJournal):
    with installed(stage.box(replayable=False)):
        answered(stream(journal, ticket(), ticket(TWO, "y")), GET, solving()[0])
        last = answered(stream(journal, ticket(), ticket(TWO, "y")), solving()[1])[0]
    assert last.data["withdrawn"]  # type: ignore[call-overload,index]
    assert isinstance(outcome(journal, ONE), Fault)
    assert sealed(journal, ONE)["steps"] == 0


# ---------------------------------------------------------------------------------------------- any order

PATHS = ["s/work/0001", "s/work/0002", "s/work/0003"]
MOVES = st.one_of(
    st.just(("get",)),
    st.tuples(st.just("answer"), st.sampled_from(PATHS), st.sampled_from(["first", "second", "wrong", "no number"])),
    st.tuples(st.just("show"), st.sampled_from(PATHS)),
    st.just(("unknown",)),
)
ROUNDS = st.lists(st.tuples(st.lists(MOVES, min_size=1, max_size=6), st.booleans()), max_size=8)


def as_call(move: tuple[str, ...]) -> Asked:
    if move[0] == "get":
        return GET
    if move[0] == "unknown":
        return "answer", {"task": "t-nobody", "value": 1}
    if move[0] == "show":
        return "get_task", {"task": handle(move[1])}
    answers: list[Any] = [call.arguments["value"] for call in right(move[1])]
    return says({"first": answers[0], "second": answers[1], "wrong": 0}.get(move[2], "no number"), move[1])


async def in_rounds(journal: MemoryJournal, rounds: Sequence[tuple[Sequence[tuple[str, ...]], bool]]) -> Any:
    """Make each round's calls all at once, and after some rounds come back to another process."""
    tickets, box = [ticket(path, path) for path in PATHS], await toolbox(CELLS)
    tools, made = StreamDesk(stream(journal, *tickets), box), []
    for moves, restarted in rounds:
        calls = [as_call(move) for move in moves]
        made += list(zip(calls, await asyncio.gather(*(tools.call(*call) for call in calls)), strict=True))
        if restarted:
            tools = StreamDesk(stream(journal, *tickets), box)
    await tools.close()
    await tools.stream.close(None)
    return made


def dawdling() -> Any:
    """The box, whose episodes let others go first in the middle of everything, and of some things more often."""

    async def start(task: Any, ports: Ports) -> Any:
        episode, steps = await stage.BOX.start(task, ports), itertools.count()
        await let_others_go(len(task.seed) % 3)

        async def call(call: Any) -> Reply:
            before = next(steps)
            await let_others_go(3 - before)
            reply: Reply = await episode.call(call)
            await let_others_go(before)
            return reply

        async def evaluate() -> Any:
            await let_others_go(2)
            return await episode.evaluate()

        return stage.Twisted(episode, call=call, evaluate=evaluate)

    return stage.box(start=start)


async def let_others_go(times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0)


@settings(max_examples=100, deadline=None)
@given(ROUNDS)
def test_in_whatever_order_calls_come_each_is_a_step_once_or_refused(rounds: Any):
    journal = MemoryJournal()
    with installed(dawdling()):
        made = asyncio.run(in_rounds(journal, rounds))
    refused = sum("error" in answer.data for _, answer in made)
    assert len(strays(journal)) == refused
    for path in PATHS:
        steps = [step.action for step in record.read_steps(journal, path)]
        taken = [call for call, answer in made if call[1].get("task") == handle(path) and call[0] == "answer"
                 and "error" not in answer.data]  # fmt: skip
        assert len(steps) == len(taken) <= 2
        served = journal.get(path, "served") is not None
        assert served == (journal.get(path, "sealed") is not None)
        if served:
            good = [says_call(call.arguments["value"]) for call in right(path)]
            assert outcome(journal, path) == Score(sum(map(is_equal, steps, good)) / 2)


def is_equal(one: object, other: object) -> bool:
    return one == other


# ---------------------------------------------------------------------------------------------- the same record


def test_the_same_calls_through_a_desk_and_through_an_asked_actor_give_the_same_facts(box: Any):
    asked, tooled = MemoryJournal(), MemoryJournal()
    answers = [Call("rm", {"path": "/"}), *right()[1:]]
    asyncio.run(stage.play(stream(asked), answers))
    answered(stream(tooled), GET, *((call.tool, {"task": handle(), **call.arguments}) for call in answers))
    assert tooled.digest() == asked.digest()


def test_words_are_parsed_by_the_family_as_from_any_other_agent(journal: MemoryJournal):
    asked = MemoryJournal()
    text = f"I think it is {right()[0].arguments['value']}"
    with installed(stage.box(episode={"view": lambda: View("look")})):
        asyncio.run(stream(asked).get_task())
        asyncio.run(play_on(stream(asked), text))
        answered(stream(journal), GET, ("answer", {"task": handle(), "text": text}))
    assert journal.digest() == asked.digest()
    assert not record.read_steps(journal, ONE)[0].invalid


async def play_on(on: Stream, text: str) -> None:
    await on.answer(handle(), Action(text))
