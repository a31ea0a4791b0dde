"""An agent that is a program of the state: what it answers, what it may ask, and what becomes of one that fails."""

import asyncio
import random

import pytest

from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.backends.sandbox.commands import Commands
from rung.backends.sandbox.plain import Plain
from rung.core.errors import AgentCrash, InstrumentFault
from rung.core.ports import Ports
from rung.core.values import Action, Call, ModelRequest, Skipped, State, View
from rung.methods.hyperagents import archive as kept
from rung.methods.hyperagents import make
from rung.methods.hyperagents.acting import PROGRAM
from rung.protocols import rehearsal
from rung.testing.improvers import competent, writing
from rung.testing.lessons import LOCK, Lesson
from rung.testing.models import Scripted

from .test_climbs import gains, measured, study
from .world import AGENT, begun, child, refined

BOX = Commands(Bubblewrap(grace=0.2))
LESSON = Lesson()
PROGRAMMED = {"harness": "program"}
FIRST = View("The lock shows 7.", rules="Answer with one number.")
SOLVER = f"""
def act(argument, host):
    return str({LOCK.answer_to(7)} if "shows 7." in argument["view"]["text"] else 0)
"""


def acted(*views: View, source: str | None = None, model=None, sandbox=BOX) -> list[Action]:
    """What the program answers to these views of one attempt."""
    state = begun(**PROGRAMMED)
    state = state if source is None else state.with_files({PROGRAM: source.encode()})
    ports = Ports(model=model or Scripted(lambda request: "1"), sandbox=sandbox)
    actor = make(PROGRAMMED).actor(state.acting(), AGENT, ports, random.Random(1))

    async def play() -> list[Action]:
        return [await actor.act(view) for view in views]

    return asyncio.run(play())


def test_it_begins_as_a_program_that_shows_its_model_what_there_is_to_see():
    model = Scripted(lambda request: f"seen {len(request.messages)}")
    answers = acted(FIRST, View("The lock shows 8.", reply="The answer was taken."), model=model)
    assert [each.answer for each in answers] == ["seen 2", "seen 4"]
    first, second = (request.messages for request in model.asked)
    assert first[0].text == AGENT.harness()["agent/system.md"].decode()
    assert first[1].text == "Answer with one number.\n\nThe lock shows 7."
    assert [message.text for message in second[1:]] == [
        first[1].text,
        "seen 2",
        "The answer was taken.\n\nThe lock shows 8.",
    ]


def test_a_program_may_answer_by_itself_and_by_a_call():
    assert acted(FIRST, source=SOLVER)[0].answer == str(LOCK.answer_to(7))
    called = "def act(argument, host):\n    return {'tool': 'answer', 'arguments': {'value': 7}}"
    assert acted(FIRST, source=called)[0].answer == Call("answer", {"value": 7})


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def act(argument, host):\n    return 1 / 0", "raised: ZeroDivisionError"),
        ("def other():\n    pass", "there is no function act"),
        ("def act(argument, host):\n    return 7", "an answer is a text or an object of tool and arguments, seen 7"),
        ("def act(argument, host):\n    return host.ask('key')", "nobody answers 'key'"),
        ("def act(argument, host):\n    while True: host.model('again')", "asked more than 8 times"),
    ],
)
def test_a_program_that_gives_no_answer_ends_its_episode_as_a_score(source, words):
    with pytest.raises(AgentCrash, match=words):
        acted(FIRST, source=source)


@pytest.mark.parametrize("sandbox", [None, Plain()])
def test_where_nothing_confines_it_a_program_does_not_act(sandbox):
    with pytest.raises(InstrumentFault, match="needs a sandbox that confines it"):
        acted(FIRST, sandbox=sandbox)
    assert make(PROGRAMMED).needs_sandbox
    assert not make({}).needs_sandbox


def test_a_model_that_is_down_is_a_fault_and_no_score():
    def down(request: ModelRequest) -> str:
        raise InstrumentFault("model", "connection reset")

    with pytest.raises(InstrumentFault, match="connection reset"):
        acted(FIRST, model=Scripted(down))


def test_a_rehearsal_asks_all_that_a_program_may_ask_in_a_step_and_runs_nothing():
    model = Scripted(lambda request: "x")
    assert acted(FIRST, model=model, sandbox=rehearsal.Idle())[0].answer == "x"
    assert [len(request.messages[0].text) for request in model.asked] == [200_000] * 8


# --------------------------------------------------------------------------------------------- refining


def test_a_program_that_an_improver_wrote_acts_next():
    made = child(writing({PROGRAM: SOLVER}), sandbox=BOX, **PROGRAMMED)
    assert made.manifest["surface"] == "execution harness"
    assert kept.read(made.state).acting == "n1"
    assert made.state.files[PROGRAM] == SOLVER.encode()


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def act(argument, host):\n    return argument['nothing']\n", "raised: KeyError: 'nothing'"),
        ("import helpers\n\ndef act(argument, host):\n    return ''\n", "line 1 imports helpers"),
        ("def act(argument, host:\n", "is no Python"),
    ],
)
def test_a_program_that_does_not_get_through_a_step_is_refused_and_the_agent_stays(source, why):
    found = refined(writing({PROGRAM: source}), sandbox=BOX, **PROGRAMMED)
    assert isinstance(found, Skipped)
    assert why in found.reason
    assert found.manifest["refused"]


def test_an_agent_without_a_program_of_its_own_ignores_one():
    made = child(writing({PROGRAM: SOLVER}), sandbox=BOX)
    actor = make({}).actor(made.state.acting(), AGENT, Ports(model=Scripted(lambda request: "5")), random.Random(1))
    assert asyncio.run(actor.act(FIRST)) == Action("5")
    assert (make({}).wrapping, make(PROGRAMMED).wrapping) == ("", "program")
    assert PROGRAM not in State(begun().files).files


@pytest.mark.slow
def test_in_a_study_a_program_gains_what_the_plain_agent_gains_by_the_same_lesson():
    size = {"exam": 3, "lineages": 1, "deploy": "latest"}
    program, plain = (measured(study(competent(LESSON), **size, **how)) for how in (PROGRAMMED, {}))
    assert (program.faults, program.method_faults) == ({}, 0)
    assert gains(program) == gains(plain)
