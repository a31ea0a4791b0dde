"""A study of an agent that is not here: work first, then an address for each fork, and the record of any study."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from rung.core.config import Config, parse
from rung.core.desk import ToolDesk
from rung.core.errors import InstrumentFault, Stopped, StoreFault, UsageError
from rung.core.ports import Ports
from rung.core.values import Fault, Score
from rung.protocols import plan, record, served
from rung.protocols.served import ATTESTED, Address, Front
from rung.protocols.study import Bench
from rung.store.memory import MemoryJournal
from rung.store.snapshots import JournalSnapshots
from rung.testing.toys._riddle import Riddle

SECRET = "of the run"


def config(**changes: Any) -> Config:
    return parse(
        {
            "name": "served",
            "protocol": "ladder",
            "lineages": 1,
            "agent": {"kind": "served"},
            "method": {"name": "static"},
            "exam": {"repeats": 1, "baseline_repeats": 1, "reruns": 1},
            "tasks": {
                "schedule": [{"family": "toy-road-v1", "difficulty": 1, "count": 2}],
                "holdout": [{"family": "toy-lamp-v1", "difficulty": 1, "count": 1}],
            },
            **changes,
        }
    )


@dataclass
class Door:
    ended: "asyncio.Future[BaseException]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


Agent = Callable[[ToolDesk, Address], Awaitable[None]]


@dataclass
class House:
    """Doors, and an agent that comes to every address as soon as it is told of it."""

    agent: Agent
    desks: dict[str, ToolDesk] = field(default_factory=dict)
    told: list[Address] = field(default_factory=list)
    come: list["asyncio.Task[None]"] = field(default_factory=list)

    async def open(self, token: str, desk: ToolDesk) -> Door:
        self.desks[token] = desk
        return Door()

    def tell(self, address: Address) -> None:
        self.told.append(address)
        self.come.append(asyncio.ensure_future(self.agent(self.desks[address.token], address)))


async def _study(journal: MemoryJournal, house: House, study: Config, **bench: Any) -> None:
    drawn = plan.make(study, secret=SECRET)
    plan.write(drawn, journal, plugins={})
    front = Front(house, SECRET, house.tell, bench.pop("finish", ()))
    stands = Bench(journal, JournalSnapshots(journal), drawn.seed, **bench)
    try:
        await served.conduct(drawn, served.arms(study), stands, front=front)
        await asyncio.gather(*house.come)
    finally:
        for each in house.come:
            each.cancel()


def run(journal: MemoryJournal, agent: Agent, study: Config | None = None, **bench: Any) -> House:
    house = House(agent)
    asyncio.run(_study(journal, house, study or config(), **bench))
    return house


async def says_nought(desk: ToolDesk, _: Address) -> None:
    """An agent that gets every task, and answers nought until it ends."""
    while not (got := data(await desk.call("get_task", {}))).get("done"):
        ended = False
        while not ended:
            said = data(await desk.call("answer", {"task": got["task"], "value": 0}))
            ended = "ended" not in said or bool(said["ended"])


def data(answer: Any) -> dict[str, Any]:
    return dict(answer.data)


def ended(journal: MemoryJournal) -> dict[str, str]:
    return {fact.path: dict(fact.value)["ending"] for fact in journal.facts(kind="ended")}  # type: ignore[call-overload]


# ---------------------------------------------------------------------------------------------- what is served


def test_work_is_served_at_one_address_and_then_each_exam_attempt_at_its_own(journal: MemoryJournal):
    house = run(journal, says_nought)
    first = house.told[1].who
    assert [(each.phase, each.who, each.path) for each in house.told] == [
        ("work", "main/L1", "main/L1/session"),
        ("exam", first, f"exam/{first}/0001/1"),
        ("exam", "main.L1", "exam/main.L1/0001/1"),
    ]
    assert len({each.token for each in house.told}) == 3
    assert all(len(each.token) == 32 for each in house.told)


def test_the_record_is_that_of_any_other_study_and_stamped(journal: MemoryJournal):
    house = run(journal, says_nought)
    assert journal.get("served", "attested") == {"forks": ATTESTED}
    sealed = {fact.path for fact in journal.facts(kind="sealed")}
    assert sealed == {"main/L1/work/0001", "main/L1/work/0002", *(each.path for each in house.told[1:])}
    assert set(ended(journal).values()) == {"queue_empty"}
    final: Any = journal.get("main/L1", "final")
    exams = [dict(fact.value) for fact in journal.facts(under="exam", kind="served")]  # type: ignore[call-overload]
    start: Any = journal.get("main", "initial")
    assert {each["snapshot"] for each in exams} == {final["snapshot"], start["snapshot"]}


def test_every_session_has_the_same_tools(journal: MemoryJournal):
    tools = []

    async def agent(desk: ToolDesk, address: Address) -> None:
        tools.append(desk.tools())
        await says_nought(desk, address)

    run(journal, agent)
    assert tools[0] == tools[1] == tools[2]


def test_work_answers_with_the_score_and_an_exam_with_nothing(journal: MemoryJournal):
    last: dict[str, dict[str, Any]] = {}

    async def agent(desk: ToolDesk, address: Address) -> None:
        task = data(await desk.call("get_task", {}))["task"]
        said: dict[str, Any] = {"ended": False}
        while said.get("ended") is False:
            said = data(await desk.call("answer", {"task": task, "value": 0}))
        last[address.phase] = said
        await says_nought(desk, address)

    run(journal, agent)
    assert "score" in last["work"]
    assert last["exam"] == {"recorded": True}


def test_an_agent_that_asks_once_more_when_the_work_is_done_is_told_so(journal: MemoryJournal):
    async def agent(desk: ToolDesk, address: Address) -> None:
        await says_nought(desk, address)
        await asyncio.sleep(0)
        again = await desk.call("get_task", {})
        assert (again.data, again.failed) == ({"done": True, "in_flight": []}, False)

    run(journal, agent)


def test_lineages_have_sessions_of_their_own(journal: MemoryJournal):
    house = run(journal, says_nought, config(lineages=2))
    assert [each.who for each in house.told if each.phase == "work"] == ["main/L1", "main/L2"]
    assert [each.who for each in house.told if each.phase == "exam"][1:] == ["main.L1", "main.L2"]


def test_a_fixed_secret_is_refused_because_the_agent_is_a_real_one():
    with pytest.raises(UsageError, match=r"exam.secret is fixed to 'x', which is for phantoms"):
        served.arms(config(exam={"secret": "x"}))


# ---------------------------------------------------------------------------------------------- interruptions


def stopped_after(calls: int) -> tuple[Agent, Callable[[], bool]]:
    """An agent that goes away after so many calls in all, and a request to stop from then on."""
    made = 0

    async def agent(desk: ToolDesk, _: Address) -> None:
        nonlocal made
        task = ""
        while made < calls:
            made += 1
            tool, arguments = ("answer", {"task": task, "value": 0}) if task else ("get_task", {})
            said = data(await desk.call(tool, arguments))
            task = "" if said.get("ended", True) and "view" not in said else str(said["task"])
            if said.get("done") or said.get("recorded"):
                return

    return agent, lambda: made >= calls


def test_a_study_that_is_stopped_goes_on_at_the_same_addresses_and_comes_to_the_same_facts(monkeypatch: Any):
    monkeypatch.setattr(served, "POLL_SECONDS", 0.001)
    whole = MemoryJournal()
    addresses = run(whole, says_nought).told
    for calls in range(1, 8):
        journal = MemoryJournal()
        agent, stop = stopped_after(calls)
        with pytest.raises(Stopped):
            run(journal, agent, stop_requested=stop)
        again = run(journal, says_nought)
        assert journal.digest() == whole.digest()
        assert set(again.told) <= set(addresses)


def test_what_was_done_is_not_served_again(journal: MemoryJournal):
    run(journal, says_nought)
    assert run(journal, says_nought).told == []


def test_work_that_is_ended_as_it_stands_is_scored_so_and_the_exam_follows(monkeypatch: Any):
    monkeypatch.setattr(served, "POLL_SECONDS", 0.001)
    journal = MemoryJournal()
    agent, stop = stopped_after(2)
    with pytest.raises(Stopped):
        run(journal, agent, stop_requested=stop)
    house = run(journal, says_nought, finish=["work"])
    assert [each.phase for each in house.told] == ["exam", "exam"]
    assert ended(journal)["main/L1/session"] == "agent_stopped"
    one: Any = journal.get("main/L1/work/0001", "sealed")
    assert (one["status"], one["steps"]) == ("cancelled", 1)
    assert journal.get("main/L1/work/0002", "served") is None


def test_an_exam_that_is_ended_as_it_stands_leaves_faults_and_no_zeros(journal: MemoryJournal):
    house = run(journal, says_nought, finish=["exam"])
    assert [each.phase for each in house.told] == ["work"]
    kept = [record.outcome(fact.value) for fact in journal.facts(under="exam", kind="sealed")]
    assert kept == [Fault("session", "the task was never served")] * 2


# ---------------------------------------------------------------------------------------------- what breaks


def test_an_exam_attempt_that_faults_is_served_again_at_another_address(
    journal: MemoryJournal, monkeypatch: pytest.MonkeyPatch
):
    real, starts = Riddle.start, list[str]()

    async def start(self: Riddle, task: Any, ports: Ports) -> Any:
        starts.append(task.id)
        if self.id == "toy-lamp-v1" and starts.count(task.id) == 2:  # the second to sit it
            raise InstrumentFault("sandbox", "no room")
        return await real(self, task, ports)

    monkeypatch.setattr(Riddle, "start", start)
    house = run(journal, says_nought)
    again = [each.path for each in house.told if "/again/" in each.path]
    assert len(again) == 1
    first = again[0].removesuffix("/again/1")
    assert record.outcome(journal.get(first, "sealed")) == Fault("sandbox", "no room")
    assert record.outcome(journal.get(again[0], "sealed")) == Score(0.0)


def test_a_store_that_fails_ends_the_study(monkeypatch: pytest.MonkeyPatch):
    class Full(MemoryJournal):
        def put(self, path: str, kind: str, value: Any) -> None:
            if kind == "step":
                raise StoreFault("disk", "full")
            super().put(path, kind, value)

    async def agent(desk: ToolDesk, address: Address) -> None:
        with pytest.raises(StoreFault):
            await says_nought(desk, address)
        house.doors_end()

    class Telling(House):
        def doors_end(self) -> None:
            for door in self.doors:
                door.ended.set_result(StoreFault("disk", "full"))

        doors: list[Door]

        async def open(self, token: str, desk: ToolDesk) -> Door:
            self.doors = [*getattr(self, "doors", []), await super().open(token, desk)]
            return self.doors[-1]

    house = Telling(agent)
    with pytest.raises(StoreFault, match="full"):
        asyncio.run(_study(Full(), house, config()))


def test_the_secret_is_in_no_token(journal: MemoryJournal):
    house = run(journal, says_nought)
    other = Front(house, "another", house.tell).token(house.told[0].path)
    assert other != house.told[0].token
    assert all(SECRET not in each.token for each in house.told)
