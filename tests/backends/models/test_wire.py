import json
from typing import Any

import pytest

from rung.backends.models.wire import reply, request_body, usage
from rung.core.canonical import JSON
from rung.core.values import Call, Image, Message, ModelRequest, Tool, Usage

from .loopback import completion


def called(arguments: Any, name: str = "go") -> dict[str, Any]:
    return completion(None, tool_calls=[{"function": {"name": name, "arguments": arguments}}])


@pytest.mark.parametrize(
    ("arguments", "read"),
    [('{"x": 1}', {"x": 1}), ({"x": 1}, {"x": 1}), ("", {}), ("  ", {}), (None, {}), ("{}", {})],
)
def test_arguments_are_read_as_text_or_as_an_object(arguments: JSON, read: dict[str, JSON]):
    answer = reply(called(arguments))
    assert (answer.calls, answer.text) == ((Call("go", read),), "")


@pytest.mark.parametrize(
    "arguments", ['{"x": 1', "go north", "[1]", "3", '{"x": NaN}', '{"x": 1e999}', "[" * 100_000, '{"x": Infinity}']
)
def test_arguments_that_are_none_go_on_as_the_models_own_words(arguments: str):
    answer = reply(called(arguments))
    assert (answer.calls, answer.text) == ((), arguments)


def test_broken_arguments_as_an_object_go_on_as_json():
    assert reply(called({"x": float("nan")})).text == '{"x": NaN}'


def test_several_calls_are_kept_in_order():
    both = completion(None, tool_calls=[{"function": {"name": name, "arguments": "{}"}} for name in ("a", "b")])
    assert [call.tool for call in reply(both).calls] == ["a", "b"]


def test_text_may_come_in_parts():
    parts = [{"type": "text", "text": "he"}, {"type": "image_url"}, "?", {"type": "text", "text": "llo"}]
    assert reply(completion(parts)).text == "hello"


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("stop", "stop"),
        ("end_turn", "stop"),
        ("length", "length"),
        ("max_tokens", "length"),
        ("function_call", "tool_calls"),
        ("content_filter", "content_filter"),
        ("their_own_word", "their_own_word"),
        (None, "unknown"),
        (7, "unknown"),
    ],
)
def test_words_for_stopping(said: Any, means: str):
    assert reply(completion(finish_reason=said)).stop_reason == means


def test_a_refusal_says_so():
    answer = reply(completion(None, refusal="I will not."))
    assert (answer.text, answer.stop_reason) == ("I will not.", "refusal")


@pytest.mark.parametrize("word", ["reasoning", "reasoning_content"])
def test_thinking_is_kept_apart_from_the_text(word: str):
    answer = reply(completion("yes", **{word: "hm"}))
    assert (answer.text, answer.reasoning) == ("yes", "hm")


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 2}, Usage(10, 2)),
        ({"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}, Usage(10, 2)),
        ({"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 40}, Usage(10, 30)),  # 28 of thinking
        (
            {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
            Usage(6, 2, 4),
        ),
        ({"prompt_tokens": 10, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}, Usage(6, 2, 4)),
        ({"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": None}, Usage(10, 2)),
        ({"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}, None),
        ({"prompt_tokens": 10}, None),
        ({"prompt_tokens": -1, "completion_tokens": 2}, None),
        ({"prompt_tokens": True, "completion_tokens": 2}, None),
        ({"prompt_tokens": "10", "completion_tokens": 2}, None),
        ({}, None),
        (None, None),
        ("much", None),
    ],
)
def test_tokens_are_read_or_unknown(said: Any, read: Usage | None):
    assert usage(said) == read


def test_what_comes_back_can_be_recorded():
    answer = reply(called(json.dumps({"text": "\ud800", "deep": [[[1]]]})))
    assert answer.calls[0].arguments == {"text": "\ud800", "deep": [[[1]]]}


PICTURE = Image("image/png", b"p")
SEEN = {"type": "image_url", "image_url": {"url": "data:image/png;base64,cA=="}}


def test_calls_of_a_conversation_and_their_answers_go_out_with_ids_and_pictures_after_them():
    talk = (
        Message("user", "Begin."),
        Message("assistant", "Two.", (), (Call("a", {"x": 1}), Call("b"))),
        Message("tool", "first", (PICTURE,)),
        Message("tool", "second"),
        Message("tool", "of no call"),
    )
    sent = request_body(ModelRequest(talk, "agent"), model="m", bound="max_tokens", body={})["messages"]
    calls = [
        {"id": "call_1_0", "type": "function", "function": {"name": "a", "arguments": '{"x":1}'}},
        {"id": "call_1_1", "type": "function", "function": {"name": "b", "arguments": "{}"}},
    ]
    assert sent == [
        {"role": "user", "content": "Begin."},
        {"role": "assistant", "content": "Two.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "call_1_0", "content": "first"},
        {"role": "tool", "tool_call_id": "call_1_1", "content": "second"},
        {"role": "user", "content": [SEEN]},
        {"role": "user", "content": "of no call"},
    ]


def test_pictures_of_the_last_answer_go_out_too():
    talk = (Message("assistant", "", (), (Call("a"),)), Message("tool", "first", (PICTURE,)))
    sent = request_body(ModelRequest(talk, "agent"), model="m", bound="max_tokens", body={})["messages"]
    assert (sent[0]["content"], sent[-1]) == (None, {"role": "user", "content": [SEEN]})


@pytest.mark.parametrize(
    ("choice", "said"),
    [("required", {"tool_choice": "required", "parallel_tool_calls": False}), ("auto", {"tool_choice": "auto"})],
)
def test_a_model_that_is_free_may_write_text_or_make_several_calls(choice: Any, said: dict[str, Any]):
    request = ModelRequest((), "agent", (Tool("a", "", {}),), tool_choice=choice)
    sent = request_body(request, model="m", bound="max_tokens", body={})
    assert {key: sent[key] for key in ("tool_choice", "parallel_tool_calls") if key in sent} == said
