"""The chat agent: what its model is asked, and what of a reply is its answer."""

import asyncio
import random
import re

import pytest

from rung.agents.chat import make
from rung.agents.chat.conversation import NO_ANSWER, NOTHING_TO_SEE
from rung.core.config import AgentConfig
from rung.core.errors import ContextOverflow, EmptyReply, InstrumentFault, ModelFault, UsageError
from rung.core.ports import Ports
from rung.core.values import Action, Call, Image, Message, ModelReply, State, Tool, View
from rung.protocols import wiring
from rung.testing.models import Scripted

TOOL = Tool("answer", "Answer.", {"type": "object", "properties": {"value": {"type": "integer"}}})
PIXEL = Image("image/png", b"\x89PNG")
FIRST = View("It shows 7.", tools=(TOOL,), rules="Add one.")
SECOND = View("It shows 8.", tools=(TOOL,), rules="Add one.", reply="Taken.")
THIRD = View("It shows 9.", tools=(TOOL,), rules="Add one.", reply="Taken again.")
SYSTEM = Message("system", "Be brief.")


def says(*replies):
    """A model that gives these replies one after the other."""
    left = iter(replies)
    return Scripted(lambda request: next(left))


def reply(text="", *, stop="stop", calls=()):
    return ModelReply(text, "scripted", stop, calls=calls)


def played(model, *views, state=None, **options):
    """The actions of one attempt on these views."""
    state = State({"agent/system.md": b"Be brief.\n"}) if state is None else state
    actor = make("", options).actor(state, Ports(model=model), random.Random(1))

    async def play():
        return [await actor.act(view) for view in views]

    return asyncio.run(play())


def asked(model, number):
    return model.asked[number].messages


# --------------------------------------------------------------------------------------------- what is asked


def test_a_conversation_is_the_system_prompt_the_rules_and_every_step_so_far():
    model = says("8", "9", "10")
    assert played(model, FIRST, SECOND, THIRD) == [Action("8"), Action("9"), Action("10")]
    opening = (SYSTEM, Message("user", "Add one.\n\nIt shows 7."))
    assert asked(model, 0) == opening
    longer = (*opening, Message("assistant", "8"), Message("user", "Taken.\n\nIt shows 8."))
    assert asked(model, 1) == longer
    assert asked(model, 2) == (*longer, Message("assistant", "9"), Message("user", "Taken again.\n\nIt shows 9."))


def test_with_no_history_every_request_stands_alone_and_holds_the_rules():
    model = says("8", "9", "10")
    played(model, FIRST, SECOND, THIRD, history=0)
    assert asked(model, 2) == (SYSTEM, Message("user", "Add one.\n\nTaken again.\n\nIt shows 9."))


def test_a_short_history_begins_with_the_rules_and_keeps_the_newest_steps():
    model = says("8", "9", "10")
    played(model, FIRST, SECOND, THIRD, history=1)
    assert asked(model, 2) == (
        SYSTEM,
        Message("user", "Add one.\n\nTaken.\n\nIt shows 8."),
        Message("assistant", "9"),
        Message("user", "Taken again.\n\nIt shows 9."),
    )


def test_the_decoding_is_what_the_options_say():
    model = says("8", "8")
    played(model, FIRST)
    played(model, FIRST, temperature=0, max_tokens=5)
    decoding = [(request.role, request.temperature, request.max_tokens, request.tools) for request in model.asked]
    assert decoding == [("agent", None, 2048, ()), ("agent", 0.0, 5, ())]


def test_pictures_go_with_the_message_of_their_view():
    model = says("8", "9")
    played(model, View("Look.", images=(PIXEL, PIXEL)), SECOND)
    assert [message.images for message in asked(model, 1)] == [(), (PIXEL, PIXEL), (), ()]


def test_a_picture_alone_needs_no_words_and_nothing_at_all_has_a_word():
    model = says("8", "8")
    played(model, View("", images=(PIXEL,)), state=State())
    played(model, View(" \n"), state=State())
    assert [asked(model, n) for n in (0, 1)] == [
        (Message("user", "", (PIXEL,)),),
        (Message("user", NOTHING_TO_SEE),),
    ]


def test_no_other_file_of_the_state_is_put_in_the_prompt():
    model = says("8")
    state = State({"agent/system.md": b"Be brief.", "agent/notes.md": b"a note", "conversation/0.md": b"old words"})
    played(model, FIRST, state=state)
    assert "note" not in model.heard()
    assert "old words" not in model.heard()


def test_a_ruined_system_prompt_is_shown_as_far_as_it_can_be_read():
    model = says("8")
    played(model, FIRST, state=State({"agent/system.md": b"Be \xff brief."}))
    assert asked(model, 0)[0] == Message("system", "Be \ufffd brief.")


def test_asking_again_from_the_start_asks_the_same():
    one, again = says("8", "9", "10"), says("8", "9", "10")
    played(one, FIRST, SECOND, THIRD)
    played(again, FIRST, SECOND, THIRD)
    assert one.asked == again.asked


# --------------------------------------------------------------------------------------------- what is answered


def test_with_tools_the_first_call_is_the_action_and_the_next_request_tells_it():
    calls = (Call("answer", {"value": 8}), Call("answer", {"value": 0}))
    model = says(reply("Seven and one.\n", stop="tool_calls", calls=calls), reply(calls=calls[1:]), "it is 10")
    actions = played(model, FIRST, SECOND, THIRD, answers="tools")
    assert actions == [Action(calls[0]), Action(calls[1]), Action("it is 10")]
    assert {request.tools for request in model.asked} == {(TOOL,)}
    said = [message.text for message in asked(model, 2) if message.author == "assistant"]
    assert said == ['Seven and one.\nanswer {"value":8}', 'answer {"value":0}']


def test_arguments_that_are_no_json_are_told_as_that():
    model = says(reply(calls=(Call("answer", {"value": float("nan")}),)), "9")
    played(model, FIRST, SECOND, answers="tools")
    assert asked(model, 1)[2].text == "answer (arguments that are no JSON)"


def test_a_refusal_is_an_empty_answer_and_the_conversation_goes_on():
    model = says(reply(stop="content_filter"), "9")
    assert played(model, FIRST, SECOND) == [Action(""), Action("9")]
    assert asked(model, 1)[2] == Message("assistant", NO_ANSWER)


@pytest.mark.parametrize("stop", ["content_filter", "refusal"])
def test_a_refusal_is_a_fault_where_the_study_says_so(stop: str):
    with pytest.raises(ModelFault, match=stop) as caught:
        played(says(reply(stop=stop)), FIRST, refusals="fault")
    assert not isinstance(caught.value, EmptyReply)


def test_a_filtered_reply_with_words_in_it_is_an_answer():
    assert played(says(reply("It is", stop="content_filter")), FIRST, refusals="fault") == [Action("It is")]


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_reply_is_a_fault_and_never_a_zero(text):
    with pytest.raises(EmptyReply, match="stop reason 'length'"):
        played(says(reply(text, stop="length")), FIRST)


@pytest.mark.parametrize("error", [ContextOverflow("too long"), ModelFault("model", "garbage")])
def test_what_the_model_raises_passes_through(error):
    def answer(request):
        raise error

    with pytest.raises(type(error)) as caught:
        played(Scripted(answer), FIRST)
    assert caught.value is error


# --------------------------------------------------------------------------------------------- what it is


def test_a_chat_without_a_model_is_a_fault_and_says_that_it_needs_one():
    agent = make("", {})
    assert agent.needs_model is True
    with pytest.raises(InstrumentFault, match=r"give agent\.model = 'provider/name'"):
        agent.actor(State(), Ports(), random.Random(1))


def test_the_harness_is_the_system_prompt_and_speaks_of_tools_only_where_there_are_some():
    text, tools = (make("", {"answers": answers}).harness() for answers in ("text", "tools"))
    assert list(text) == list(tools) == ["agent/system.md"]
    assert b"one at a time" in text["agent/system.md"]
    assert (b"tool" in text["agent/system.md"], b"tool" in tools["agent/system.md"]) == (False, True)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "chat"),
        ({"history": -1, "max_tokens": 2048}, "chat"),
        ({"answers": "tools", "history": 0}, "chat answers=tools history=0"),
        ({"temperature": 0}, "chat temperature=0.0"),
        ({"refusals": "fault", "max_tokens": 9}, "chat max_tokens=9 refusals=fault"),
    ],
)
def test_its_name_tells_apart_what_acts_otherwise(options, name):
    assert make("", options).id == name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"answers": "json"}, "answers is one of text, tools, seen 'json'"),
        ({"refusals": "zero"}, "refusals is one of score, fault, seen 'zero'"),
        ({"history": -2}, "history is a whole number from -1 up, seen -2"),
        ({"max_tokens": 0}, "max_tokens is a whole number from 1 up, seen 0"),
        ({"temperature": 3}, "temperature is a number from 0 to 2, seen 3.0; leave it out for the provider's"),
        ({"sytem": "x"}, "unknown key 'sytem' (seen: 'x'); known keys: "),
    ],
)
def test_a_wrong_option_is_a_usage_error(options, message):
    with pytest.raises(UsageError, match=f"^agent.kind = 'chat': {re.escape(message)}"):
        make("", options)


def test_there_are_no_variants():
    with pytest.raises(UsageError, match="there are no variants, seen 'fast'"):
        make("fast", {})


def test_a_config_names_it_and_its_model_is_no_option():
    config = AgentConfig.model_validate({"kind": "chat", "model": "local/smollm2", "history": 2})
    assert wiring.agent(config).id == "chat history=2"
