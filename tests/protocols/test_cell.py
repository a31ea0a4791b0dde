"""The cell over programs that are played: before-exam, a working session a lineage, after-exam, and interruptions."""

import json
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from rung.core.config import Config, parse
from rung.core.confined import Departed, Ended
from rung.core.errors import InstrumentFault, ModelUnusable, Stopped
from rung.core.ports import Journal, Post
from rung.core.values import Action, Call, Exit, Served
from rung.methods.static import Static
from rung.protocols import launch
from rung.protocols.cell import SENTINEL
from rung.protocols.exam import MOST_BROKEN
from rung.protocols.legs import Legs
from rung.protocols.session import Desk
from rung.protocols.sittings import Phase
from rung.protocols.study import Arm
from rung.store.memory import MemoryJournal
from rung.testing.toys.toy_lock_v1.game import FAMILY

from .studies import LOCK, Scripted

EXITED = Ended("exited", status=0)
DONE = Departed(EXITED, clean=True, over=True)
State = dict[str, Any]


def right(served: Served) -> Action:
    shown = int(served.view.text.rstrip(".").rsplit(" ", 1)[1])
    return Action(Call("answer", {"value": FAMILY.answer_to(shown)}))


def learns(state: State, served: Served) -> Action:
    """Wrong until it has worked a task."""
    return right(served) if state.get("worked") else Action("0")


@dataclass
class Played:
    """A program that is played in this process. `parts` says how a session departs, by the end of its path; what it
    left is kept as its state, and a session that is interrupted goes on from what it had."""

    journal: Journal = field(default_factory=MemoryJournal)
    act: Callable[[State, Served], Action] = learns
    departs: Mapping[str, Departed] = field(default_factory=dict)
    breaks: Container[str] = ()
    takes: Mapping[str, int] = field(default_factory=dict)
    sessions: list[tuple[str, str]] = field(default_factory=list)

    def beginning(self) -> str:
        return self.kept({})

    def kept(self, state: State) -> str:
        return self.journal.blob(json.dumps(state).encode())

    def driver(self, path: str, snapshot: str, phase: Phase) -> "Session":
        self.sessions.append((path, phase))
        return Session(self, path, snapshot, phase)

    async def close(self) -> None: ...


class Below:
    """All paths below one."""

    def __init__(self, under: str) -> None:
        self.under = under

    def __contains__(self, path: object) -> bool:
        return str(path).startswith(f"{self.under}/")


@dataclass
class Session:
    hand: Played
    path: str
    snapshot: str
    phase: Phase

    async def run(self, post: Post) -> Exit:
        if self.path in self.hand.breaks:
            raise InstrumentFault("sandbox", "it could not be made")
        state = json.loads(self.hand.journal.read_blob(self.snapshot))
        most = self.hand.takes.get(self.path, 10**9)
        while most and (served := await post.stream.get_task()) is not None:
            most -= 1
            await post.stream.answer(served.handle, self.hand.act(state, served))
            state["worked"] = state.get("worked", 0) + 1
        gone = self.hand.departs.get(self.path, DONE)
        left = self.hand.kept(state) if self.phase == "work" and gone.asked != "operator" else None
        return Exit("departed", gone.words, gone, left)


def config(**changes: Any) -> Config:
    cell = {"sentinels": 2, **changes.pop("cell", {})}
    document = {
        "name": "cell",
        "protocol": "cell",
        "lineages": 2,
        "agent": {"kind": "command", "command": ["true"]},
        "cell": cell,
        "tasks": {"schedule": [{**LOCK, "count": 4}], "holdout": [{**LOCK, "count": 3}]},
        **changes,
    }
    return parse(document)


@dataclass
class Study:
    """A cell study on a journal in memory, run as often as it takes."""

    settings: Config = field(default_factory=config)
    hand: Played = field(default_factory=Played)

    def run(self) -> "Study":
        arm = Arm("played", Scripted(), Static(), hand=self.hand)
        self.hand.journal = launch.simulate(self.settings, secret="s", arms=(arm,), journal=self.hand.journal)
        return self

    @property
    def journal(self) -> Journal:
        return self.hand.journal

    def fact(self, path: str, kind: str) -> Any:
        return self.journal.get(path, kind)

    def scores(self, who: str) -> list[float]:
        facts = self.journal.facts(under=f"exam/{who}", kind="sealed")
        return [fact.value["score"] if fact.value.get("fault") is None else -1.0 for fact in facts]

    @property
    def shipped(self) -> str:
        return str(self.fact("played", "arm")["A_0"])


# ---------------------------------------------------------------------------------------------- the protocol


def test_a_cell_is_a_before_exam_then_work_then_an_after_exam_with_sentinels_in_it():
    study = Study().run()
    phases = [(path.split("/")[0], phase) for path, phase in study.hand.sessions]
    assert phases[:9] == [("exam", "exam")] * 9, "three tasks, three times each, by A_0"
    assert phases[9:11] == [("played", "work")] * 2
    assert phases[11:] == [("exam", "exam")] * (2 * 3 + 2)


def test_what_it_left_is_forked_by_the_after_exam_and_by_it_alone():
    study = Study().run()
    left = study.fact("played/L1", "final")["snapshot"]
    assert study.fact("exam/played.L1/0001/1", "served")["snapshot"] == left
    assert (
        study.fact(f"exam/{study.shipped}/0001/1", "served")["snapshot"] == study.fact("played", "initial")["snapshot"]
    )
    assert study.scores(study.shipped) == [0.0] * 9
    assert study.scores("played.L1") == [1.0] * 3
    assert study.scores(f"{study.shipped}.{SENTINEL}") == [0.0] * 2


def test_the_first_task_is_worked_wrong_and_the_others_right():
    study = Study().run()
    assert [study.fact(f"played/L1/work/{place:04d}", "sealed")["score"] for place in range(1, 5)] == [0, 1, 1, 1]


def test_with_a_fresh_before_exam_each_lineage_has_its_own():
    study = Study(config(cell={"before": "fresh", "sentinels": 0}, exam={"repeats": 1})).run()
    assert study.scores(f"{study.shipped}.L1") == study.scores(f"{study.shipped}.L2") == [0.0] * 3
    assert study.scores(f"{study.shipped}.{SENTINEL}") == []


def test_lineages_work_tasks_of_their_own_and_none_that_are_examined():
    study = Study().run()
    served = [(fact.path.split("/")[1], fact.value["task"]) for fact in study.journal.facts(kind="served")]
    one, two = ({task for who, task in served if who == each} for each in ("L1", "L2"))
    examined = {fact.value["task"] for fact in study.journal.facts(under="exam", kind="served")}
    assert (len(one), len(two), len(examined)) == (4, 4, 3)
    assert not one & two
    assert not (one | two) & examined


def test_running_it_again_changes_nothing():
    study = Study().run()
    digest, sessions = study.journal.digest(), len(study.hand.sessions)
    assert study.run().journal.digest() == digest
    assert len(study.hand.sessions) == sessions, "an ended session is read back"


# ---------------------------------------------------------------------------------------------- endings


def played(**given: Any) -> Study:
    return Study(hand=Played(**given))


def test_an_agent_that_stops_early_is_examined_as_it_is():
    study = played(takes={"played/L1/work": 2}).run()
    assert study.fact("played/L1/work", "ended")["ending"] == "agent_stopped"
    assert study.scores("played.L1") == [1.0] * 3


def test_an_agent_that_never_takes_its_exam_task_is_scored_as_it_stands():
    path = "exam/played.L1/0002/1"
    study = played(takes={path: 0}).run()
    assert study.fact(path, "sealed")["score"] == 0.0
    assert study.fact(path, "ended")["ending"] == "agent_stopped"


def test_a_session_that_broke_leaves_a_lineage_without_after_exam_and_the_other_goes_on():
    study = played(breaks=("played/L1/work",)).run()
    assert study.fact("played/L1/work", "ended")["ending"] == "instrument_fault"
    assert study.scores("played.L1") == []
    assert study.scores("played.L2") == [1.0] * 3


def test_an_exam_attempt_that_breaks_is_a_fault_and_is_sat_again_a_fixed_number_of_times():
    path = "exam/played.L1/0001/1"
    study = played(breaks=(path, f"{path}/again/1", f"{path}/again/2")).run()
    faults = [study.fact(each, "sealed").get("fault") for each in (path, f"{path}/again/1", f"{path}/again/2")]
    assert all(fault is not None and fault["where"] == "sandbox" for fault in faults)
    assert study.fact(f"{path}/again/3", "sealed") is None


@pytest.mark.parametrize(
    ("gone", "error", "ending"),
    [
        (Departed(Ended("stopped"), asked="operator"), Stopped, "operator"),
        (Departed(EXITED, statuses=(200, 401)), ModelUnusable, "credential"),
        (Departed(EXITED, statuses=(200, 429)), ModelUnusable, "provider_limit"),
    ],
)
def test_an_interruption_from_outside_is_gone_on_with(gone: Departed, error: type[Exception], ending: str):
    work = "played/L1/work"
    study = played(takes={work: 2}, departs={work: gone})
    with pytest.raises(error):
        study.run()
    assert study.fact(work, "ended") is None
    assert study.fact(f"{work}/leg/0001", "interrupted")["ending"] == ending
    study.hand.takes, study.hand.departs = {}, {}
    study.run()
    assert study.fact(work, "ended")["ending"] == "queue_empty"
    assert [study.fact(f"{work}/{place:04d}", "sealed")["score"] for place in range(1, 5)] == [0, 1, 0, 1], (
        "it is served the two that were left, and nothing twice"
    )


def test_an_exam_attempt_that_was_cut_off_is_a_row_of_its_own_and_uses_up_no_rerun():
    path = "exam/played.L1/0001/1"

    @dataclass
    class Cut(Session):
        async def run(self, post: Post) -> Exit:
            assert isinstance(post, Desk)
            if self.path == path and not self.hand.departs:
                await post.stream.get_task()
                raise Stopped("the run was killed here")
            return await super().run(post)

    @dataclass
    class Cutting(Played):
        def driver(self, path: str, snapshot: str, phase: Phase) -> Session:
            return Cut(self, path, snapshot, phase)

    study = Study(config(exam={"reruns": 0}), Cutting())
    with pytest.raises(Stopped):
        study.run()
    study.hand.departs = {"": DONE}
    study.run()
    assert study.fact(path, "sealed")["fault"]["where"] == "interrupted"
    assert study.fact(f"{path}/again/1", "sealed")["score"] == 1.0


@dataclass
class Legged(Session):
    """One that records its legs as a real one does, and dies where its hand says: when it has `begun`, was `served`
    or `sealed` a task, or has `departed`."""

    async def run(self, post: Post) -> Exit:
        assert isinstance(self.hand, Dying)
        legs = Legs(self.hand.journal, self.path)
        if (over := legs.over()) is not None:
            return over
        number = legs.begin({"program": "played"})
        self.hand.reach(self.path, "begun")
        served = await post.stream.get_task()
        self.hand.reach(self.path, "served")
        if served is not None and self.path not in self.hand.unfinished:
            await post.stream.answer(served.handle, self.hand.act({}, served))
        self.hand.reach(self.path, "sealed")
        found = await super().run(post) if self.path not in self.hand.unfinished else Exit("departed", departed=DONE)
        legs.depart(number, found, {})
        self.hand.reach(self.path, "departed")
        return found


class Dead(Exception):
    """The instrument was killed here."""


@dataclass
class Dying(Played):
    dies: tuple[str, str] = ("", "")
    unfinished: tuple[str, ...] = ()

    def driver(self, path: str, snapshot: str, phase: Phase) -> Session:
        self.sessions.append((path, phase))
        return Legged(self, path, snapshot, phase)

    def reach(self, path: str, where: str) -> None:
        if self.dies == (path, where):
            self.dies = ("", "")
            raise Dead


def died(path: str, where: str, **given: Any) -> Study:
    study = Study(config(exam={"reruns": 0}), Dying(dies=(path, where), **given))
    with pytest.raises(Dead):
        study.run()
    return study


EXAM, WORK = "exam/played.L1/0001/1", "played/L1/work"


@pytest.mark.parametrize(
    ("where", "legs", "again"), [("begun", 2, False), ("served", 1, True), ("sealed", 1, False), ("departed", 1, False)]
)
def test_an_exam_attempt_is_begun_again_only_where_its_task_was_not_served_yet(where: str, legs: int, again: bool):
    study = died(EXAM, where).run()
    assert Legs(study.journal, EXAM).begun == legs
    assert (study.fact(f"{EXAM}/again/1", "sealed") is not None) is again
    assert study.fact(EXAM, "sealed").get("fault") == (None if not again else study.fact(EXAM, "sealed")["fault"])
    assert study.fact(EXAM, "ended")["ending"] == ("instrument_fault" if again else "queue_empty")


def test_an_exam_attempt_that_had_departed_with_its_task_undone_is_scored_as_it_stands():
    study = died(EXAM, "departed", unfinished=(EXAM,)).run()
    assert study.fact(EXAM, "sealed")["score"] == 0.0
    assert study.fact(EXAM, "ended")["ending"] == "agent_stopped"
    assert study.fact(f"{EXAM}/again/1", "sealed") is None


@pytest.mark.parametrize("gone", [Departed(Ended("stopped"), asked="operator"), Departed(EXITED, statuses=(401,))])
def test_an_interruption_that_an_earlier_process_did_not_get_to_say_is_over_when_it_goes_on(gone: Departed):
    study = died(WORK, "departed", takes={WORK: 1}, departs={WORK: gone})
    study.hand.takes, study.hand.departs = {}, {}
    study.run()
    assert study.fact(f"{WORK}/leg/0001", "interrupted") is not None
    assert study.fact(WORK, "ended")["ending"] == "queue_empty"
    assert Legs(study.journal, WORK).begun == 2


def test_what_a_session_left_that_broke_is_not_examined():
    study = played(departs={WORK: Departed(Ended("instrument_lost"))}, takes={WORK: 2}).run()
    assert study.fact(WORK, "ended") == {"ending": "instrument_fault", "detail": ""}
    assert study.scores("played.L1") == []
    assert study.scores("played.L2") == [1.0] * 3


def test_a_working_session_waits_for_a_provider_that_is_down_and_goes_on():
    study = played(departs={WORK: Departed(EXITED, statuses=(200, 503))}, takes={WORK: 2})
    with pytest.raises(ModelUnusable, match="its provider does not answer"):
        study.run()
    study.hand.takes, study.hand.departs = {}, {}
    assert study.run().fact(WORK, "ended")["ending"] == "queue_empty"


@pytest.mark.parametrize("concurrency", [1, 3])
def test_an_exam_that_breaks_over_and_over_stops_early_and_is_sat_when_that_is_mended(concurrency: int):
    study = Study(config(engine={"concurrency": concurrency}), Played(breaks=Below("exam")))
    with pytest.raises(InstrumentFault, match="6 attempts at the exam broke on end: it could not be made; see to it"):
        study.run()
    assert MOST_BROKEN <= len(study.hand.sessions) < MOST_BROKEN + concurrency, "and what was under way"
    faults = study.scores(study.shipped)
    assert set(faults) == {-1.0}
    study.hand.breaks = ()
    study.run()
    assert sorted(study.scores(study.shipped)) == [*faults, *[0.0] * 9]
    assert study.scores("played.L1") == [1.0] * 3


def test_one_task_that_breaks_for_everybody_stops_no_exam():
    class Second(Below):
        def __contains__(self, path: object) -> bool:
            return super().__contains__(path) and "/0002/" in str(path)

    study = Study(config(exam={"reruns": 9}, cell={"sentinels": 0}), Played(breaks=Second("exam"))).run()
    assert study.scores("played.L1").count(-1.0) == 10


def test_more_sentinels_than_tasks_are_one_for_each():
    study = Study(config(cell={"sentinels": 99})).run()
    assert study.scores(f"{study.shipped}.{SENTINEL}") == [0.0] * 3
