"""The exam: sealed tasks, fresh forks, no feedback; a fault is attempted again, visibly and so many times."""

import random
from dataclasses import replace
from typing import Any

import pytest

from rung.core.errors import InstrumentFault
from rung.core.values import Action, Fault, Score, State, StreamReply, View
from rung.protocols.exam import attempt_path
from rung.protocols.stream import Stream

from . import studies
from .studies import Learns, Scripted, arm, config, obey, ran


def good(context: Any) -> Any:
    return [studies.child(context, skill="good")]


LEARNER = arm(Learns(good))


class Breaks:
    """An agent whose provider breaks the first n times that a text is shown, and then works."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.seen: dict[tuple[str, bytes | None], int] = {}

    def __call__(self, state: State, view: View, rng: random.Random) -> Any:
        key = (view.text, state.files.get("agent/skill"))
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.seen[key] <= self.times:
            raise InstrumentFault("model", f"answer {self.seen[key]} was lost")
        return obey(state, view, rng)


def test_every_examinee_attempts_every_task_as_often_as_planned():
    found = ran(config(lineages=2, exam={"repeats": 3, "baseline_repeats": 5}), LEARNER)
    counted = {name: len([path for path in found.paths("exam") if path.split("/")[1] == name]) for name in who(found)}
    assert sorted(counted.values()) == [2 * 3, 2 * 3, 2 * 5]


def who(found: Any) -> set[str]:
    return {path.split("/")[1] for path in found.paths("exam")}


def test_a_0_and_a_t_are_examined_from_their_own_snapshots():
    found = ran(config(), LEARNER)
    start, final = found.fact("main", "arm"), found.fact("main/L1", "final")
    acting = {path: data for path, data in found.files(start["snapshot"]).items() if not path.startswith("method/")}
    assert found.files(found.fact(attempt_path(start["A_0"], 1, 1), "served")["snapshot"]) == acting
    assert found.fact(attempt_path("main.L1", 1, 1), "served")["snapshot"] == final["snapshot"]
    assert found.outcomes[attempt_path(start["A_0"], 1, 1)] == Score(0.0)
    assert found.outcomes[attempt_path("main.L1", 1, 1)] == Score(1.0)


def test_a_faulted_attempt_is_made_again_as_a_row_of_its_own():
    found = ran(config(exam={"reruns": 2, "order": "fixed"}), arm(agent=Scripted(Breaks(2))))
    path = attempt_path(found.fact("main", "arm")["A_0"], 1, 1)
    assert found.paths(path) == [path, f"{path}/again/1", f"{path}/again/2"]
    assert [type(found.outcomes[row]) for row in found.paths(path)] == [Fault, Fault, Score]


def test_reruns_stop_at_the_first_score():
    found = ran(config(exam={"reruns": 9}), arm(agent=Scripted(Breaks(1))))
    assert {path.partition("again/")[2] for path in found.paths("exam")} <= {"", "1"}


@pytest.mark.parametrize("reruns", [0, 1, 3])
def test_a_fault_that_stays_is_attempted_a_fixed_number_of_times(reruns: int):
    found = ran(config(exam={"reruns": reruns}), arm(agent=Scripted(Breaks(99))))
    rows = found.paths("exam/main.L1/0002")
    assert len(rows) == 1 + reruns
    assert {type(found.outcomes[path]) for path in rows} == {Fault}


def test_working_tasks_are_never_attempted_again():
    found = ran(config(exam={"reruns": 9}), arm(agent=Scripted(Breaks(99))))
    assert found.paths("main") == [f"main/L1/{at}" for at in WORKED]
    assert "again" not in "".join(found.paths("main"))


WORKED = ["replay/0005", "work/0001", "work/0002", "work/0003", "work/0004"]


def test_a_fault_is_not_rerun_when_the_study_is_run_again():
    settings, broken = config(exam={"reruns": 1}), arm(agent=Scripted(Breaks(99)))
    once = ran(settings, broken)
    digest = once.journal.digest()
    assert ran(settings, arm(agent=Scripted(obey)), journal=once.journal).journal.digest() == digest


def test_the_order_is_shuffled_alike_every_time_and_mixes_a_0_with_a_t():
    settings = config(tasks={"holdout": [{**studies.LOCK, "count": 9}]})
    once, again = exam_order(settings), exam_order(settings)
    fixed = exam_order(config(tasks={"holdout": [{**studies.LOCK, "count": 9}]}, exam={"order": "fixed"}))
    assert once == again
    assert once != fixed
    assert sorted(once) == sorted(fixed)
    assert [path.split("/")[1] for path in fixed] == sorted(path.split("/")[1] for path in fixed)
    assert [path.split("/")[1] for path in once] != sorted(path.split("/")[1] for path in once)


def exam_order(settings: Any) -> list[str]:
    return [path for path in ran(settings, LEARNER).order if path.startswith("exam/")]


def test_the_order_changes_no_fact_of_an_attempt():
    shuffled, fixed = ran(config(), LEARNER), ran(config(exam={"order": "fixed"}), LEARNER)
    for under in ("exam", "main", "static", "snapshot"):
        assert list(shuffled.journal.facts(under=under)) == list(fixed.journal.facts(under=under))


def test_no_feedback_leaves_an_exam_and_no_method_file_enters_it():
    seen: list[tuple[State, View]] = []

    def spy(state: State, view: View, rng: random.Random) -> Any:
        seen.append((state, view))
        return obey(state, view, rng)

    ran(config(), arm(Learns(good), Scripted(spy)))
    assert all(path.startswith("agent/") for state, _ in seen for path in state.files)
    assert all("right answer to" not in view.text + view.reply for _, view in seen)


def test_no_reply_to_an_actor_carries_feedback(monkeypatch: pytest.MonkeyPatch):
    replies: list[StreamReply] = []
    answer = Stream.answer

    async def heard(self: Stream, handle: str, action: Action) -> StreamReply:
        replies.append(await answer(self, handle, action))
        return replies[-1]

    monkeypatch.setattr(Stream, "answer", heard)
    ran(config(), LEARNER)
    assert {reply.feedback for reply in replies} == {None}


def test_what_an_actor_does_to_its_state_reaches_no_other_attempt():
    def vandal(state: State, view: View, rng: random.Random) -> Any:
        answer = obey(state, view, rng)
        state.files["agent/skill"] = b"good"
        return answer

    honest, broken = ran(config(), LEARNER), ran(config(), replace(LEARNER, agent=Scripted(vandal)))
    assert honest.journal.digest() == broken.journal.digest()
