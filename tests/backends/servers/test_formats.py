"""Whatever comes in as a request or as an answer: the three formats read it or call it malformed, and never fail."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rung.backends.servers.anthropic_messages import AnthropicMessages
from rung.backends.servers.openai_chat import OpenAIChat
from rung.backends.servers.openai_responses import OpenAIResponses
from rung.backends.servers.port import as_request
from rung.backends.servers.split import split
from rung.backends.servers.sse import Events, Unending, parsed, spelled
from rung.backends.servers.wires import Format, Malformed
from rung.core.proxied import Heard, Said, ToolCall, ToolOffer
from rung.core.values import Usage

FORMATS = [AnthropicMessages(), OpenAIChat(), OpenAIResponses()]
WORDS = re.findall(
    r"\S+",
    """
    type role content text image source data base64 url image_url tool_use tool_result id tool_use_id input name
    tools function arguments tool_calls tool_call_id tool user assistant system message messages model delta index
    usage choices finish_reason output output_text function_call function_call_output call_id namespace custom
    citations message_start content_block_start content_block_delta content_block message_delta input_json_delta
    partial_json citations_delta citation text_delta response.output_item.done response.completed response item
    status error input_tokens output_tokens prompt_tokens completion_tokens tool_choice include temperature
    max_tokens n stop_reason stream_options annotations code reason incomplete_details environment shell mcp
    image/png data:image/png;base64,AA== https://[ reasoning custom_tool_call file file_id input_image
    parallel_tool_calls disable_parallel_tool_use
    """,
)
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([10**400, 1.5, -1e300, "", "\ud800"])
JSON = st.recursive(
    SCALARS | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=25,
)
BODIES = st.dictionaries(st.sampled_from(WORDS), JSON, max_size=8)
MESSAGES = st.lists(st.dictionaries(st.sampled_from(WORDS), JSON, max_size=5), max_size=4)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@given(body=BODIES, messages=MESSAGES)
@settings(max_examples=60)
def test_any_request_is_read_or_malformed(form: Format, body: dict[str, Any], messages: list[Any]):
    body = {**body, "input" if form.name == "openai-responses" else "messages": messages}
    try:
        screened = form.screen(body)
        bounded, most = form.bounded(screened.body, 7)
        assert most >= 0
        split(form.parts(body), set())
        as_request(form.hear(bounded), "agent")
    except Malformed:
        pass


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@given(body=BODIES, events=st.lists(BODIES, max_size=6))
@settings(max_examples=60)
def test_any_answer_is_read(form: Format, body: dict[str, Any], events: list[dict[str, Any]]):
    form.read(body)
    reader = form.reader()
    for event in events:
        reader.take("", json.dumps(event))
    reader.take("", "no JSON")
    reader.read()


NAMES = st.text("abc_", min_size=1, max_size=6)
ARGUMENTS = st.dictionaries(NAMES, st.none() | st.integers() | st.text(max_size=5), max_size=3)
PARTS = st.text(min_size=1, max_size=12) | st.builds(ToolCall, NAMES, ARGUMENTS)
SAID = st.builds(
    Said,
    st.lists(st.text(min_size=1, max_size=12) | st.builds(ToolCall, NAMES, ARGUMENTS), min_size=1, max_size=4).map(
        tuple
    ),
    st.none(),
    st.builds(Usage, st.integers(0, 99), st.integers(0, 99), st.integers(0, 9)),
    st.just("m-1"),
)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@given(said=SAID, sizes=st.lists(st.integers(1, 40), min_size=1, max_size=9))
@settings(max_examples=50)
def test_what_is_said_is_the_same_in_one_piece_and_streamed_however_its_bytes_arrive(
    form, said: Said, sizes: list[int]
):
    heard = Heard(form.name, "m", "", (), (ToolOffer("get", "", {}, "mcp__x"),))
    whole = form.read(form.whole(said, heard, "seed" * 9))
    asked = {"stream": True, "stream_options": {"include_usage": True}}
    raw, events, reader = b"".join(form.events(said, heard, "seed" * 9, asked)), Events(), form.reader()
    place = 0
    for number in range(len(raw)):
        size = sizes[number % len(sizes)]
        for event, data in events.feed(raw[place : place + size]):
            reader.take(event, data)
        place += size
    streamed = reader.read()
    assert (streamed.model, streamed.stop, streamed.usage, streamed.whole) == (
        whole.model, whole.stop, whole.usage, whole.whole,
    )  # fmt: skip
    assert _says(streamed.body) == _says(whole.body)
    assert whole.whole


def _says(body: Any) -> Any:
    """What is said in a body, without what only one of the two has."""
    message = body.get("content") or body.get("output") or body["choices"][0]["message"]
    return {key: value for key, value in message.items() if value} if isinstance(message, dict) else message


# --------------------------------------------------------------------------------------------- events


def test_events_may_have_several_lines_odd_ends_and_comments():
    stream = b": hi\r\nevent: a\r\ndata:1\r\ndata: 2\r\n\r\nid: 7\ndata: \xff\n\n\n\ndata: unfinished"
    assert list(Events().feed(stream)) == [("a", "1\n2"), ("", "\ufffd")]


def test_an_event_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("rung.backends.servers.sse.MOST_PENDING", 100)
    events = Events()
    assert list(events.feed(b"data: " + b"x" * 80 + b"\n")) == []
    with pytest.raises(Unending):
        list(events.feed(b"data: " + b"x" * 80))


def test_what_utf8_cannot_spell_is_escaped():
    assert spelled({"a": "\ud800"}) == b'data: {"a":"\\ud800"}\n\n'


@pytest.mark.parametrize("text", ["NaN", '{"a": NaN}', '{"a": -1e999}', "[]", "", "{", '{"a": ' + "9" * 5000 + "}"])
def test_what_cannot_be_recorded_is_no_object(text: str):
    assert parsed(text) is None
