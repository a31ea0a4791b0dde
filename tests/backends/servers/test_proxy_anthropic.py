"""Anthropic's own client against the gateway: each hears what the other says."""

import base64
from typing import Any

import anthropic
import pytest

from rung.core.proxied import Heard, Refused, Said, ToolCall, ToolResult
from rung.core.values import Image, Usage

from .gate import PIXEL, Gate, gate
from .stands import waits

CALLS = Said(
    ("Let me look.", ToolCall("mcp__tasks__get_task", {"which": "é"}), ToolCall("mcp__tasks__get_task")),
    usage=Usage(30, 12, 5),
    model="played-1",
    reasoning="A task first.",
)
TOOL: Any = {"name": "mcp__tasks__get_task", "description": "", "input_schema": {"type": "object"}}
SEES: Any = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}


def client(at: Gate) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(base_url=at.url, api_key="none", max_retries=0)


@pytest.mark.parametrize("stream", [False, True])
@waits
async def test_a_message_is_heard_and_its_answer_is_read_with_thinking_text_calls_and_usage(stream: bool):
    heard: list[Heard] = []
    history: list[Any] = [
        {"role": "user", "content": [{"type": "text", "text": "Begin."}, SEES]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "tool_use", "id": "t1", "name": "mcp__tasks__get_task", "input": {"a": 1}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "is_error": True,
             "content": [{"type": "text", "text": "a farm"}, SEES]}
        ]},
    ]  # fmt: skip
    system: Any = [{"type": "text", "text": "Get"}, {"type": "text", "text": "better."}]
    asks: dict[str, Any] = {"model": "m", "max_tokens": 99, "system": system, "messages": history, "tools": [TOOL]}
    async with gate(lambda asked: heard.append(asked) or CALLS) as at, client(at) as api:
        if stream:
            async with api.messages.stream(**asks) as events:
                answer = await events.get_final_message()
        else:
            answer = await api.messages.create(**asks)
    assert [block.type for block in answer.content] == ["thinking", "text", "tool_use", "tool_use"]
    assert answer.content[1].text == "Let me look."
    assert [block.input for block in answer.content[2:]] == [{"which": "é"}, {}]
    assert len({block.id for block in answer.content[2:]}) == 2
    assert (answer.stop_reason, answer.model) == ("tool_use", "played-1")
    usage = answer.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens) == (30, 12, 5)
    asked, picture = heard[0], Image("image/png", base64.b64decode(PIXEL))
    assert (asked.system, asked.max_tokens, asked.choice) == ("Get\nbetter.", 99, "auto")
    assert asked.turns[0].parts == ("Begin.", picture)
    call = ToolCall("mcp__tasks__get_task", {"a": 1}, "t1")
    assert asked.results == (ToolResult("t1", "a farm", (picture,), failed=True, call=call),)
    seen = at.seen[0]
    assert (seen.came, seen.answer.stop, seen.answer.usage, seen.answer.whole) == (
        "answered", "tool_calls", Usage(30, 12, 5), True,
    )  # fmt: skip
    assert [block["type"] for block in seen.answer.body["content"]] == ["thinking", "text", "tool_use", "tool_use"]
    assert seen.answer.body["content"][2]["input"] == {"which": "é"}


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, anthropic.BadRequestError),
        (401, anthropic.AuthenticationError),
        (403, anthropic.PermissionDeniedError),
        (429, anthropic.RateLimitError),
        (529, anthropic.InternalServerError),
    ],
)
@waits
async def test_a_refusal_is_the_error_that_the_client_knows_and_costs_nothing(status: int, error: type[Exception]):
    async with gate(lambda asked: Refused(status, "so it goes", retry_after=7)) as at, client(at) as api:
        with pytest.raises(error, match="so it goes") as caught:
            await api.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "hi"}])
    assert caught.value.response.headers["retry-after"] == "7"
    assert (at.seen[0].came, at.seen[0].status, at.seen[0].detail) == ("refused", status, "so it goes")
    assert [cost.tokens for cost in at.till.settled] == [0]


@waits
async def test_tokens_are_counted_for_nothing():
    async with gate(lambda asked: Said(("never asked",))) as at, client(at) as api:
        counted = await api.messages.count_tokens(model="m", messages=[{"role": "user", "content": "x" * 400}])
    assert counted.input_tokens == 100
    assert (at.till.reserved, at.seen[0].came, at.seen[0].cost) == ([], "answered", None)


@waits
async def test_models_are_listed_as_the_one_there_is():
    async with gate(lambda asked: Said(("",))) as at, client(at) as api:
        assert [model.id async for model in api.models.list()] == ["scripted"]
