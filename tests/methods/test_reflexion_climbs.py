"""Chat and reflexion together on the toys, where a note truly helps: on which rungs does the gain show?

The scripted model solves a riddle exactly where the note is in sight, so a task that is told the note scores 1 and any
other 0. All that differs between the variants is who is told.
"""

import asyncio
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from rung.agents.chat import make as chat
from rung.core.config import Config, parse
from rung.core.errors import ModelUnusable
from rung.core.ports import Method, Ports, RefineContext
from rung.core.seeds import Seed
from rung.core.values import FeedbackResult, ModelRequest, State, Step, Task
from rung.methods.reflexion import make as reflexion
from rung.protocols import launch, wiring
from rung.protocols.study import Arm
from rung.store.journal import SqliteJournal
from rung.store.memory import MemoryJournal
from rung.store.run_directory import RunDirectory
from rung.testing.models import Provided, Scripted
from rung.testing.toys._riddle import Riddle
from rung.testing.toys.toy_lamp_v1.game import FAMILY as LAMP
from rung.testing.toys.toy_lock_v1.game import FAMILY as LOCK
from rung.testing.toys.toy_road_v1.game import FAMILY as ROAD

TOYS = {family.thing: family for family in (LAMP, LOCK, ROAD)}
AGENT = chat("", {})
NOTE = "I said nought, but what shows a number wants the secret that goes with it."


def answer(request):
    if request.role == "improver":
        return NOTE
    seen = request.messages[-1].text.rsplit("The ", 1)[1]
    thing, shown = seen.split(" shows ")
    informed = any(NOTE in message.text for message in request.messages)
    return str(TOYS[thing].answer_to(int(shown.rstrip("."))) if informed else 0)


MODEL = Scripted(answer)
PORTS = Ports(model=MODEL)


def draw(family: Riddle, setting: str, count: int, name: str) -> Sequence[Task]:
    return [family.draw(family.setting(setting), Seed("climb").child(name, n)) for n in range(count)]


async def attempt(method: Method, state: State, family: Riddle, task: Task) -> FeedbackResult:
    """One attempt at a task as a session plays it, and all that a method is told of it."""
    actor = method.actor(state.acting(), AGENT, PORTS, random.Random(1))
    episode, steps, reply = await family.start(task, Ports()), list[Step](), ""
    while len(steps) < task.calls:
        known = {"rules": family.rules(task), "family": family.id, "setting": task.setting.name}
        view = replace(episode.view(), reply=reply, **known)
        action = await actor.act(view)
        said = await episode.call(family.parse(str(action.answer)))
        steps.append(Step(len(steps), view.text, (), action.answer, said.text, said.invalid, said.success, said.score))
        reply = said.text
    about = {"family": family.id, "setting": task.setting.name, "rules": family.rules(task), "payload": task.payload}
    return FeedbackResult(f"h-{task.seed}", about, tuple(steps), await episode.evaluate())


async def lineage(method: Method, tasks: Sequence[Task]) -> State:
    """A_T of a lineage that works these locks."""
    state = method.initial_state(AGENT)
    for task in tasks:
        told = await attempt(method, state, LOCK, task)
        context = RefineContext("a" * 40, state, told, (), AGENT, PORTS, random.Random(1))
        candidates = await method.refine(context)
        state = candidates[0].state if candidates else state
    return state


async def mean(method: Method, state: State, family: Riddle, tasks: Sequence[Task]) -> float:
    told = [await attempt(method, state, family, task) for task in tasks]
    return fmean(each.evaluation.score for each in told if each.evaluation is not None)


TRAINED = draw(LOCK, "d1", 3, "work")
RUNGS = {
    "G0": (LOCK, TRAINED),
    "G1": (LOCK, draw(LOCK, "d1", 4, "exam")),
    "G2": (LOCK, draw(LOCK, "d5", 4, "exam")),
    "G3": (LAMP, draw(LAMP, "d1", 4, "exam")),
    "G4": (ROAD, draw(ROAD, "d1", 4, "exam")),
}


@pytest.mark.parametrize(
    ("variant", "gains", "reflections"),
    [
        ("bucket", {"G0": 1.0, "G1": 1.0, "G2": 1.0, "G3": 0.0, "G4": 0.0}, 1),
        ("instance", {"G0": 1.0, "G1": 0.0, "G2": 0.0, "G3": 0.0, "G4": 0.0}, 3),
    ],
)
def test_a_gain_shows_on_the_rungs_that_are_told_the_note_and_on_no_other(variant, gains, reflections):
    method = reflexion({"variant": variant})
    first, final = method.initial_state(AGENT), asyncio.run(lineage(method, TRAINED))

    async def gained(family, tasks):
        return await mean(method, final, family, tasks) - await mean(method, first, family, tasks)

    assert {rung: asyncio.run(gained(*where)) for rung, where in RUNGS.items()} == gains
    assert final.files["agent/memory/reflections.jsonl"].count(b"\n") == reflections


def test_the_same_lineage_again_ends_in_the_same_bytes_and_other_tasks_in_others():
    one, again = (asyncio.run(lineage(reflexion({}), TRAINED)) for _ in range(2))
    other = asyncio.run(lineage(reflexion({}), draw(LOCK, "d1", 3, "other work")))
    assert one.files == again.files
    assert one.files != other.files


def test_told_nothing_with_a_window_of_none_it_gains_nothing():
    method = reflexion({"window": 0})
    final = asyncio.run(lineage(method, TRAINED))
    assert asyncio.run(mean(method, final, *RUNGS["G0"])) == 0.0
    assert final.files["agent/memory/reflections.jsonl"].count(b"\n") == 3


# --------------------------------------------------------------------------------------------- as a study


def config(concurrency: int = 1) -> Config:
    """Both variants on one ladder, with the second lock replayed after the fourth."""
    lock, lamp, road = ({"family": family.id, "difficulty": 1} for family in (LOCK, LAMP, ROAD))
    document = {
        "name": "climb",
        "protocol": "ladder",
        "lineages": 1,
        "agent": {"kind": "chat", "model": "scripted/function"},
        "arms": [
            {"name": variant, "method": {"name": "reflexion", "variant": variant}} for variant in ("bucket", "instance")
        ],
        "exam": {"secret": "a fixed secret"},
        "tasks": {
            "replay": {"interval": 4, "lag": 2},
            "schedule": [{**lock, "count": 4, "replay": True}],
            "holdout": [{**cell, "count": 2} for cell in (lock, {**lock, "difficulty": 5}, lamp, road)],
        },
        "engine": {"concurrency": concurrency},
    }
    return parse(document)


def arms(model: Provided) -> tuple[Arm, ...]:
    return wiring.arms(config(), models={model.id: model})


def study(concurrency: int = 1) -> MemoryJournal:
    return launch.simulate(config(concurrency), secret="a fixed secret", arms=arms(Provided(answer)))


def scores(journal: MemoryJournal, examinee: str) -> dict[str, set[float]]:
    """What one examinee scored, by family and setting."""
    found = defaultdict[str, set[float]](set)
    for path, _, served in journal.facts(under=f"exam/{examinee}", kind="served"):
        found[f"{served['family']} {served['setting']}"].add(journal.get(path, "sealed")["score"])
    return dict(found)


def test_a_study_measures_the_same_gains_and_both_variants_share_one_beginning():
    journal = study()
    beginnings = [journal.get(variant, "arm") for variant in ("bucket", "instance")]
    assert beginnings[0] == beginnings[1]
    nothing = {"toy-lock-v1 d1": {0.0}, "toy-lock-v1 d5": {0.0}, "toy-lamp-v1 d1": {0.0}, "toy-road-v1 d1": {0.0}}
    assert scores(journal, beginnings[0]["A_0"]) == scores(journal, "instance.L1") == nothing
    assert scores(journal, "bucket.L1") == {**nothing, "toy-lock-v1 d1": {1.0}, "toy-lock-v1 d5": {1.0}}
    replays = [journal.get(f"{arm}/L1/replay/0005", "sealed")["score"] for arm in ("static", "bucket", "instance")]
    assert replays == [0.0, 1.0, 1.0]


def test_a_study_is_the_same_at_any_concurrency():
    assert study().digest() == study(concurrency=4).digest()


def digest(run: RunDirectory) -> str:
    journal = SqliteJournal(run.journal)
    try:
        return journal.digest()
    finally:
        journal.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[ModelRequest]]:
    """The digest of an uninterrupted study, and all that it asked."""
    model = Provided(answer)
    return digest(launch.run(config(), tmp_path_factory.mktemp("whole"), arms=arms(model))), model.asked


CALLS = {
    "the first call": lambda request: True,
    "a reflection": lambda request: request.role == "improver",
    "the second step of a task": lambda request: request.role == "agent" and len(request.messages) > 2,
    "a call that is told a reflection": lambda request: request.role == "agent" and NOTE in request.messages[1].text,
}


@pytest.mark.parametrize("call", CALLS)
def test_interrupted_at_any_call_it_asks_nothing_twice_and_ends_the_same(tmp_path: Path, whole, call: str):
    expected, asked = whole
    until = next(number for number, request in enumerate(asked) if CALLS[call](request))

    def breaks(request):
        if len(model.asked) > until:
            raise ModelUnusable("the key has expired")
        return answer(request)

    model, healed = Provided(breaks), Provided(answer)
    with pytest.raises(ModelUnusable):
        launch.run(config(), tmp_path, arms=arms(model))
    assert digest(launch.run(config(), tmp_path, arms=arms(healed))) == expected
    assert healed.asked == asked[until:]
