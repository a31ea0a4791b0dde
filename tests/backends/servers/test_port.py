"""A model of ours behind the gateway: what a program asks as our request, and our reply as its answer."""

import asyncio

import pytest

from backends.models.loopback import Loopback, completion, says
from rung.backends.models.gateway import Gateway
from rung.backends.models.scripted import Scripted
from rung.backends.servers.played import Played
from rung.backends.servers.port import Port, as_request, as_said
from rung.backends.servers.relay import Relay
from rung.backends.servers.upstreams import Either, upstream
from rung.backends.servers.wires import Malformed
from rung.core.config import ModelConfig, PriceConfig
from rung.core.errors import ContextOverflow, ModelFault, ModelUnusable
from rung.core.proxied import Heard, Said, ToolCall, ToolOffer, ToolResult, Turn
from rung.core.values import Call, Image, Message, ModelReply, ModelRequest, Tool, Usage

from .gate import Till, function, gate
from .stands import waits

PRICE = PriceConfig(input=1.0, output=10.0, date="2026-11-30")
PATHS = ("v1/chat/completions", "v1/messages", "v1/responses")
TOOLS = {
    "v1/chat/completions": function("get_task"),
    "v1/messages": {"name": "get_task", "input_schema": {"type": "object", "properties": {}}},
    "v1/responses": {"type": "function", "name": "get_task", "parameters": {"type": "object", "properties": {}}},
}
PICTURE = Image("image/png", b"p")
OFFER = ToolOffer("get_task", "the next", {"type": "object"}, "mcp__tasks")


def port(*says: object, images: bool | None = None) -> Port:
    backend = Scripted(list(says), model="scripted-1")  # type: ignore[arg-type]
    return Port(Gateway("scripted/x", backend, ModelConfig(images=images), price=PRICE, live=False))


def asks(path: str, **more: object) -> dict[str, object]:
    talk = {"input": "hi"} if path == "v1/responses" else {"messages": [{"role": "user", "content": "hi"}]}
    return {"model": "m", "max_tokens": 50, "max_output_tokens": 50, **talk, "tools": [TOOLS[path]], **more}


# --------------------------------------------------------------------------------------------- our request


def test_a_conversation_is_ours_with_results_right_after_their_calls_and_in_their_order():
    a, b = ToolCall("get_task", {"n": 1}, "a", "mcp__tasks"), ToolCall("get_task", {}, "b", "mcp__tasks")
    turns = (
        Turn("user", ("Begin.", PICTURE)),
        Turn("assistant", ("Two.", a)),
        Turn("assistant", (b,)),
        Turn("user", (ToolResult("b", "second", (PICTURE,)),)),
        Turn("user", (ToolResult("a", "first"), "Go on.")),
    )
    heard = Heard("openai-responses", "m", "Get better.", turns, (OFFER,), max_tokens=9, temperature=0)
    assert as_request(heard, "agent") == ModelRequest(
        (
            Message("system", "Get better."),
            Message("user", "Begin.", (PICTURE,)),
            Message("assistant", "Two.", (), (Call("mcp__tasks__get_task", {"n": 1}), Call("mcp__tasks__get_task"))),
            Message("tool", "first"),
            Message("tool", "second", (PICTURE,)),
            Message("user", "Go on."),
        ),
        "agent",
        (Tool("mcp__tasks__get_task", "the next", {"type": "object"}),),
        max_tokens=9,
        temperature=0.0,
        tool_choice="auto",
    )


def test_a_call_without_a_result_has_one_that_says_so_and_a_result_without_a_call_is_kept():
    turns = (Turn("assistant", (ToolCall("f", id="a"),)), Turn("user", (ToolResult("z", "stray"),)))
    asked = as_request(Heard("openai-chat", "m", "", turns), "agent")
    assert [(message.author, message.text) for message in asked.messages[1:]] == [
        ("tool", "(no result)"),
        ("tool", "stray"),
    ]


@pytest.mark.parametrize(
    ("choice", "tools", "free"),
    [("auto", 2, "auto"), ("required", 2, "required"), ("none", 0, "auto"), ("g", 1, "required")],
)
def test_a_choice_of_tools_is_ours(choice: str, tools: int, free: str):
    offers = (ToolOffer("f", "", {}), ToolOffer("g", "", {}))
    asked = as_request(Heard("openai-chat", "m", "", (), offers, choice), "agent")
    assert (len(asked.tools), asked.tool_choice) == (tools, free)


def test_a_tool_that_must_be_called_and_is_none_is_malformed_and_so_is_a_picture_that_nobody_sees():
    with pytest.raises(Malformed, match="no tool 'x' is offered"):
        as_request(Heard("openai-chat", "m", "", (), (OFFER,), "x"), "agent")
    seen = (Turn("user", (ToolResult("a", "", (PICTURE,)),)),)
    with pytest.raises(Malformed, match="reads text alone"):
        as_request(Heard("openai-chat", "m", "", seen), "agent", images=False)


def test_a_reply_that_stops_with_calls_says_so_whatever_its_server_says():
    reply = ModelReply("", "m", "stop", calls=(Call("f", {}),))
    assert as_said(reply, Heard("openai-chat", "m", "", ())).stopped == "tool_calls"


def test_what_is_for_a_freeform_tool_is_one_text():
    free = Heard("openai-responses", "m", "", (), (ToolOffer("patch", "", {}, freeform=True),))
    reply = ModelReply("", "m", "tool_calls", calls=(Call("patch", {"input": "x"}), Call("patch", {"a": 1})))
    assert as_said(reply, free).parts == (ToolCall("patch", {"input": "x"}), ToolCall("patch", {"input": '{"a":1}'}))


# --------------------------------------------------------------------------------------------- its answer


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", PATHS)
@waits
async def test_a_scripted_model_answers_a_program_in_its_own_format_and_is_paid_for_once(path: str, stream: bool):
    said = ModelReply("Look.", "scripted-1", "tool_calls", Usage(20, 10), (Call("get_task", {"n": 1}),))
    async with gate(port(said)) as at:
        answer = await at.post(path, asks(path, stream=stream))
    assert "get_task" in answer.text
    seen = at.seen[0]
    assert (seen.came, seen.answer.stop, seen.answer.model) == ("answered", "tool_calls", "scripted-1")
    assert seen.answer.usage == Usage(20, 10, 0)
    assert [paid.usd for paid in at.till.settled] == [pytest.approx(120e-6)]
    assert (seen.cost, at.door.total.tokens) == (at.till.settled[0], 30)


@pytest.mark.parametrize(
    ("failure", "status", "came", "halts"),
    [
        (ContextOverflow("9 of 8 tokens"), 400, "refused", False),
        (ModelFault("model", "flagged"), 502, "refused", False),
        (ModelUnusable("the key is not taken"), 503, "unreachable", True),
    ],
)
@pytest.mark.parametrize("path", PATHS)
@waits
async def test_what_fails_is_the_formats_error_and_on_record(path, failure, status, came, halts):
    async with gate(port(failure)) as at:
        answer = await at.post(path, asks(path))
    assert answer.status_code == status
    assert (at.seen[0].came, str(failure) in at.seen[0].detail) == (came, True)
    assert (at.door.halt is failure) == halts


@waits
async def test_a_budget_that_is_spent_is_said_before_the_model_is_asked():
    async with gate(port("never said"), till=Till(limit=10)) as at:
        answer = await at.post("v1/messages", asks("v1/messages"))
    assert (answer.status_code, at.seen[0].came, at.till.reserved) == (429, "budget", [])


# --------------------------------------------------------------------------------------------- who answers


def test_who_answers_is_the_models_own_server_where_it_speaks_and_its_port_where_not():
    keys = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    assert isinstance(upstream("anthropic/claude-x", environ=keys), Relay)
    assert isinstance(upstream("openai/gpt-x", environ=keys), Either)
    assert isinstance(upstream("scripted/echo", environ=keys), Port)
    assert Played(lambda heard: Said(("",))).speaks("openai-chat")


@waits
async def test_closing_lets_go_of_the_connections_of_both_ways():
    stays = says(completion()).replace(b"connection: close", b"connection: keep-alive")
    async with Loopback([stays]) as server:

        def connections() -> int:
            return sum(not task.done() for task in server._serving)

        made = upstream("openai/m", ModelConfig(base_url=server.url), environ={"OPENAI_API_KEY": "k"})
        async with gate(made) as at:
            assert (await at.post("v1/chat/completions", asks("v1/chat/completions"))).status_code == 200
            assert (await at.post("v1/messages", asks("v1/messages"))).status_code == 200
        assert connections() == 2
        await made.close()
        while connections():  # noqa: ASYNC110  nobody would set an event
            await asyncio.sleep(0)
