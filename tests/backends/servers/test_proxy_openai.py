"""OpenAI's own client against the gateway, in both of its formats: each hears what the other says."""

import base64
from typing import Any

import openai
import pytest

from rung.core.proxied import Heard, Said, ToolCall, ToolResult
from rung.core.values import Image, Usage

from .gate import PIXEL, Gate, function, gate
from .stands import waits

CALLS = Said(
    ("Let me look.", ToolCall("get_task", {"which": "é"}), ToolCall("get_task", {"which": 2})),
    usage=Usage(30, 12, 5),
    model="played-1",
)
FLAT = {"type": "function", "name": "get_task", "parameters": {"type": "object"}}


def client(at: Gate) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{at.url}/v1", api_key="none", max_retries=0)


@pytest.mark.parametrize("stream", [False, True])
@waits
async def test_a_chat_is_heard_and_its_answer_is_read_with_text_calls_and_usage(stream: bool):
    heard: list[Heard] = []
    history: list[Any] = [
        {"role": "system", "content": "Get better."},
        {"role": "user", "content": [
            {"type": "text", "text": "Begin."},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
        ]},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "get_task", "arguments": '{"a":1}'}}
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": "a farm"},
    ]  # fmt: skip
    async with gate(lambda asked: heard.append(asked) or CALLS) as at, client(at) as api:
        if stream:
            async with api.chat.completions.stream(model="m", messages=history, tools=[function()]) as events:
                answer = await events.get_final_completion()
        else:
            answer = await api.chat.completions.create(model="m", messages=history, tools=[function()])
    message = answer.choices[0].message
    assert message.content == "Let me look."
    assert [call.function.arguments for call in message.tool_calls] == ['{"which": "\\u00e9"}', '{"which": 2}']
    assert len({call.id for call in message.tool_calls}) == 2
    assert (answer.choices[0].finish_reason, answer.model) == ("tool_calls", "played-1")
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (35, 12)
    asked = heard[0]
    assert (asked.system, [tool.full for tool in asked.tools]) == ("Get better.", ["get_task"])
    assert asked.turns[0].parts == ("Begin.", Image("image/png", base64.b64decode(PIXEL)))
    call = ToolCall("get_task", {"a": 1}, "c1")
    assert asked.turns[1].calls == (call,)
    assert asked.results == (ToolResult("c1", "a farm", call=call),)
    seen = at.seen[0]
    assert (seen.came, seen.status, seen.answer.stop, seen.answer.usage) == ("answered", 200, "tool_calls", CALLS.usage)
    assert (seen.answer.model, seen.asked, seen.streamed, len(seen.request.messages)) == ("played-1", "m", stream, 4)


@pytest.mark.parametrize("stream", [False, True])
@waits
async def test_a_response_is_heard_and_its_answer_is_read_with_text_calls_and_usage(stream: bool):
    heard: list[Heard] = []
    history: list[Any] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [
            {"type": "input_text", "text": "Begin."},
            {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"},
        ]},
        {"type": "function_call", "call_id": "c1", "name": "get_task", "arguments": '{"a":1}'},
        {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "a farm"}]},
    ]  # fmt: skip
    asks: dict[str, Any] = {"model": "m", "instructions": "Get better.", "input": history, "tools": [FLAT]}
    async with gate(lambda asked: heard.append(asked) or CALLS) as at, client(at) as api:
        if stream:
            async with api.responses.stream(**asks) as events:
                answer = await events.get_final_response()
        else:
            answer = await api.responses.create(**asks)
    assert answer.output_text == "Let me look."
    calls = [item for item in answer.output if item.type == "function_call"]
    assert [call.arguments for call in calls] == ['{"which": "\\u00e9"}', '{"which": 2}']
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.status) == (35, 12, "completed")
    asked = heard[0]
    assert asked.system == "Get better.\nBe brief."
    assert asked.turns[0].parts == ("Begin.", Image("image/png", base64.b64decode(PIXEL)))
    assert asked.results == (ToolResult("c1", "a farm", call=ToolCall("get_task", {"a": 1}, "c1")),)
    seen = at.seen[0]
    assert (seen.came, seen.answer.stop, seen.answer.usage) == ("answered", "tool_calls", CALLS.usage)


@waits
async def test_a_tool_in_a_namespace_is_called_by_its_whole_name_and_answered_in_its_namespace():
    offered = {"type": "namespace", "name": "mcp__tasks", "description": "", "tools": [FLAT]}
    says = Said((ToolCall("mcp__tasks__get_task"),))
    async with gate(lambda asked: says) as at:
        answer = await at.post("v1/responses", {"model": "m", "input": "Begin.", "tools": [offered]})
    call = answer.json()["output"][0]
    assert (call["namespace"], call["name"], call["type"]) == ("mcp__tasks", "get_task", "function_call")


@waits
async def test_a_freeform_tool_is_called_with_text():
    offered = {"type": "custom", "name": "apply_patch", "description": "", "format": {"type": "grammar"}}
    says = Said((ToolCall("apply_patch", {"input": "*** Begin Patch"}),))
    async with gate(lambda asked: says) as at, client(at) as api:
        answer = await api.responses.create(model="m", input="Begin.", tools=[offered])
    assert (answer.output[0].type, answer.output[0].input) == ("custom_tool_call", "*** Begin Patch")
