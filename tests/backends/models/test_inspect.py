"""Inspect itself, on its mock model and against a server on this machine."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="needs the extra inspect: pip install 'rung[inspect]'")

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
    RetryDecision,
    get_model,
)
from inspect_ai.tool import ToolCall

from rung.backends.models.backend import TryAgain
from rung.backends.models.inspect import Inspect, make
from rung.backends.models.providers import provider
from rung.core.errors import ContextOverflow, ModelFault, ModelUnusable, UsageError
from rung.core.values import Call, Image, Message, ModelReply, ModelRequest, Tool, Usage

from .loopback import Loopback, Turn, completion, error, says

# Inspect's own quarrel with a library that it uses.
pytestmark = pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning")

ASKED = ModelRequest((Message("user", "two words"),), "agent", max_tokens=100)
OPEN = Tool("open", "Open a cell.", {"type": "object", "properties": {"row": {"const": 1}}, "required": ["row"]})
USED = ModelUsage(input_tokens=40, output_tokens=3, total_tokens=103, input_tokens_cache_read=60)
KEY = "sk-planted-0123456789"


def output(message: ChatMessageAssistant | str, stop: Any = "stop", usage: ModelUsage = USED) -> ModelOutput:
    if isinstance(message, str):
        message = ChatMessageAssistant(content=message)
    return ModelOutput(model="m-1", choices=[ChatCompletionChoice(message=message, stop_reason=stop)], usage=usage)


def mock(answer: Callable[..., ModelOutput]) -> Inspect:
    return Inspect("mockllm/model", lambda: get_model("mockllm/model", custom_outputs=answer))


def answered(said: ModelOutput, request: ModelRequest = ASKED) -> ModelReply:
    return asyncio.run(mock(lambda *given: said).once(request))


# --------------------------------------------------------------------------------------------- what is asked


def test_inspect_is_asked_what_we_ask_and_to_try_once():
    seen: list[Any] = []
    picture = Message("tool", "see", (Image("image/png", b"png"),))
    messages = (Message("system", "be brief"), Message("user", "hi"), Message("assistant", "yes"), picture)
    request = ModelRequest(messages, "agent", tools=(OPEN,), max_tokens=9, temperature=0.5)
    asyncio.run(mock(lambda *given: (seen.extend(given), output("x"))[1]).once(request))
    told, tools, choice, config = seen
    assert [(message.role, message.text) for message in told] == [
        ("system", "be brief"),
        ("user", "hi"),
        ("assistant", "yes"),
        ("user", "see"),
    ]
    assert told[3].content[1].image == "data:image/png;base64,cG5n"
    assert (tools[0].name, tools[0].description, tools[0].parameters.properties["row"].enum) == (
        "open",
        OPEN.description,
        [1],
    )
    assert (choice, config.max_tokens, config.temperature) == ("any", 9, 0.5)
    assert (config.max_retries, config.parallel_tool_calls) == (0, False)


def test_inspect_hears_calls_with_their_answers_and_that_a_model_is_free():
    seen: list[Any] = []
    messages = (
        Message("user", "hi"),
        Message("assistant", "two", (), (Call("open", {"row": 1}), Call("open", {"row": 2}))),
        Message("tool", "first", (Image("image/png", b"png"),)),
        Message("tool", "second"),
        Message("tool", "of no call"),
    )
    request = ModelRequest(messages, "agent", tools=(OPEN,), tool_choice="auto")
    asyncio.run(mock(lambda *given: (seen.extend(given), output("x"))[1]).once(request))
    told, _, choice, config = seen
    assert (choice, config.parallel_tool_calls) == ("auto", None)
    assert [message.role for message in told] == ["user", "assistant", "tool", "tool", "user", "user"]
    assert told[4].content[0].image == "data:image/png;base64,cG5n"
    assert [message.text for message in told[2:]] == ["first", "second", "", "of no call"]
    assert [(call.id, call.arguments) for call in told[1].tool_calls] == [
        ("call_1_0", {"row": 1}),
        ("call_1_1", {"row": 2}),
    ]
    assert [message.tool_call_id for message in told[2:4]] == ["call_1_0", "call_1_1"]


def test_without_tools_none_is_offered():
    seen: list[Any] = []
    asyncio.run(mock(lambda *given: (seen.extend(given), output("x"))[1]).once(ASKED))
    assert (seen[1], seen[3].parallel_tool_calls) == ([], None)


def test_tools_that_inspect_cannot_spell_stop_the_run():
    odd = Tool("odd", "", {"type": "object", "properties": {"x": {"type": "nosuch"}}})
    with pytest.raises(ModelUnusable, match="cannot be told of these tools"):
        answered(output("x"), ModelRequest(ASKED.messages, "agent", tools=(odd,)))


# --------------------------------------------------------------------------------------------- what is answered


def test_a_reply_has_text_model_stop_and_usage_with_cached_tokens_apart():
    assert answered(output("yes")) == ModelReply("yes", "m-1", "stop", Usage(40, 3, 60))


def test_tokens_written_to_a_cache_are_input_and_a_prompt_without_tokens_is_not_known():
    written = ModelUsage(input_tokens=40, output_tokens=3, input_tokens_cache_write=5)
    assert answered(output("yes", usage=written)).usage == Usage(45, 3, None)
    assert answered(output("yes", usage=ModelUsage())).usage is None


def test_inspects_words_for_a_reply_cut_off_are_ours():
    stops = ("max_tokens", "model_length", "content_filter", "unknown")
    seen = [answered(output("cut", stop)).stop_reason for stop in stops]
    assert seen == ["length", "length", "content_filter", "unknown"]


def test_a_call_comes_back_as_a_call_and_thinking_apart_from_text():
    content = [ContentReasoning(reasoning="hm"), ContentText(text="so")]
    calls = [ToolCall(id="1", function="open", arguments={"row": 1})]
    reply = answered(output(ChatMessageAssistant(content=content, tool_calls=calls), "tool_calls"))
    assert (reply.text, reply.calls, reply.reasoning) == ("so", (Call("open", {"row": 1}),), "hm")
    assert reply.stop_reason == "tool_calls"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (ToolCall(id="1", function="open", arguments={}, parse_error='not JSON: {"row'), 'not JSON: {"row'),
        (ToolCall(id="1", function="open", arguments={"row": float("inf")}), "{'row': inf}"),
    ],
)
def test_a_call_that_is_none_goes_on_as_text(call: ToolCall, text: str):
    reply = answered(output(ChatMessageAssistant(content="", tool_calls=[call]), "tool_calls"))
    assert (reply.text, reply.calls) == (text, ())


def test_an_answer_without_a_choice_is_garbage_that_may_cost_something():
    with pytest.raises(TryAgain) as raised:
        answered(ModelOutput(model="m-1", usage=USED))
    assert (raised.value.trouble, raised.value.billed) == ("garbage", True)


# --------------------------------------------------------------------------------------------- what breaks


class Trouble(Exception):
    """An exception as clients of providers raise them, with what they hang on it."""

    def __init__(self, text: str = "", **facts: Any) -> None:
        super().__init__(text)
        self.__dict__.update(facts)


class ReadTimeout(Trouble):
    pass


class ConnectError(Trouble):
    pass


def failure(raised: Exception) -> Exception:
    def fail(*given: object) -> ModelOutput:
        raise raised

    with pytest.raises((TryAgain, ModelFault, ContextOverflow, ModelUnusable)) as seen:
        asyncio.run(mock(fail).once(ASKED))
    return seen.value


AMAZON = {"ResponseMetadata": {"HTTPStatusCode": 503}}


@pytest.mark.parametrize(
    ("raised", "trouble", "billed"),
    [
        (Trouble(status_code=429), "rate limit", False),
        (Trouble(status_code=500), "server error", False),
        (Trouble(code=529), "server error", False),
        (Trouble(response=AMAZON), "server error", False),
        (Trouble(status_code=504), "server error", True),
        (Trouble(status_code=200), "garbage", True),
        (ReadTimeout(), "timeout", True),
        (TimeoutError(), "timeout", True),
        (ConnectError(), "connection", True),
        (json.JSONDecodeError("cut", "{", 1), "garbage", True),
        (Trouble("something else"), "garbage", True),
    ],
)
def test_what_may_pass_is_tried_again(raised: Exception, trouble: str, billed: bool):
    again = failure(raised)
    assert isinstance(again, TryAgain)
    assert (again.trouble, again.billed) == (trouble, billed)


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (Trouble("bad key", status_code=401), ModelUnusable),
        (Trouble("no model", status_code=404), ModelUnusable),
        (Trouble("insufficient_quota", status_code=429), ModelUnusable),
        (Trouble("the prompt is too long", status_code=400), ContextOverflow),
        (Trouble("bad request", status_code=400), ModelFault),
    ],
)
def test_what_no_try_can_help_is_not_tried_again(raised: Exception, kind: type[Exception]):
    assert type(failure(raised)) is kind


def test_a_provider_that_knows_its_own_troubles_is_asked_about_them(monkeypatch: pytest.MonkeyPatch):
    from inspect_ai.model._providers.mockllm import MockLLM

    monkeypatch.setattr(MockLLM, "should_retry", lambda self, error: RetryDecision.rate_limit(7.0))
    again = failure(Trouble("slow down"))
    assert isinstance(again, TryAgain)
    assert (again.trouble, again.after, again.billed) == ("rate limit", 7.0, False)


# --------------------------------------------------------------------------------------------- over HTTP


def stand(monkeypatch: pytest.MonkeyPatch, server: Loopback) -> Inspect:
    monkeypatch.setenv("STAND_BASE_URL", server.url)
    monkeypatch.setenv("STAND_API_KEY", KEY)
    return make("openai-api/stand/served")


def once(monkeypatch: pytest.MonkeyPatch, *turns: Turn, request: ModelRequest = ASKED):
    """One try through Inspect's OpenAI-compatible provider; the reply or what was raised, and the server."""

    async def asked() -> tuple[ModelReply | Exception, Loopback]:
        async with Loopback(turns) as server:
            backend = stand(monkeypatch, server)
            try:
                return await backend.once(request), server
            except (TryAgain, ModelFault, ContextOverflow, ModelUnusable) as raised:
                return raised, server
            finally:
                await backend.close()

    return asyncio.run(asked())


def test_a_call_over_http_asks_for_exactly_one_of_the_tools(monkeypatch):
    made = [{"id": "1", "type": "function", "function": {"name": "open", "arguments": '{"row": 1}'}}]
    turn = says(completion(None, tool_calls=made, finish_reason="tool_calls"))
    reply, server = once(monkeypatch, turn, request=ModelRequest(ASKED.messages, "agent", tools=(OPEN,), max_tokens=9))
    sent = server.seen[0].body
    assert reply == ModelReply("", "served-1", "tool_calls", Usage(12, 3, None), (Call("open", {"row": 1}),))
    assert (sent["tool_choice"], sent["max_tokens"], sent["model"]) == ("required", 9, "served")
    assert sent["messages"] == [{"role": "user", "content": "two words"}]


def test_usage_that_the_server_does_not_give_is_not_known(monkeypatch):
    reply, _ = once(monkeypatch, says(completion("yes", usage=None)))
    assert (reply.text, reply.usage) == ("yes", None)


@pytest.mark.parametrize(
    ("turn", "trouble"),
    [
        (says(error("down"), 500), "server error"),
        (says(error("slow"), 429, {"retry-after": "7"}), "rate limit"),
        (says(completion(), length=9000), "connection"),
        (says(b'{"id": "1", "choi'), "garbage"),
    ],
)
def test_one_try_is_one_request(monkeypatch, turn: bytes, trouble: str):
    again, server = once(monkeypatch, turn)
    assert isinstance(again, TryAgain)
    assert (again.trouble, len(server.seen)) == (trouble, 1)
    assert again.after == (7.0 if trouble == "rate limit" else None)


def test_a_prompt_that_is_too_long_is_no_answer(monkeypatch):
    turn = says(error("This model's maximum context length is 10 tokens", code="context_length_exceeded"), 400)
    raised, _ = once(monkeypatch, turn)
    assert isinstance(raised, ContextOverflow)
    assert "maximum context length is 10 tokens" in str(raised)


def test_a_refused_key_stops_the_run_and_is_not_repeated(monkeypatch):
    raised, _ = once(monkeypatch, says(error(f"Incorrect API key provided: {KEY}"), 401))
    assert isinstance(raised, ModelUnusable)
    assert KEY not in str(raised)


def test_a_server_that_hangs_is_left_when_the_gateway_ends_the_try(monkeypatch):
    async def left() -> tuple[object, int]:
        asked = asyncio.Event()

        async def hang(writer: asyncio.StreamWriter) -> None:
            asked.set()
            await asyncio.Event().wait()

        async with Loopback([hang]) as server:
            backend = stand(monkeypatch, server)
            trying = asyncio.ensure_future(backend.once(ASKED))
            await asked.wait()
            trying.cancel()
            (ended,) = await asyncio.gather(trying, return_exceptions=True)
            await backend.close()
            return type(ended), len(server.seen)

    assert asyncio.run(left()) == (asyncio.CancelledError, 1)


# --------------------------------------------------------------------------------------------- names


def test_inspects_mock_is_free_and_every_other_of_its_models_is_live(monkeypatch):
    monkeypatch.setenv("STAND_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("STAND_API_KEY", KEY)
    assert [provider(f"inspect/{name}").live for name in ("mockllm/model", "openai-api/stand/x")] == [False, True]


def test_what_inspect_lacks_is_said_before_a_study_starts(monkeypatch):
    monkeypatch.delenv("ABSENT_API_KEY", raising=False)
    with pytest.raises(UsageError, match="ABSENT_API_KEY"):
        make("openai-api/absent/x")
    with pytest.raises(UsageError, match="Inspect cannot make the model 'nosuchprovider/x'"):
        make("nosuchprovider/x")


def test_it_works_in_one_event_loop_after_another():
    backend = mock(lambda *given: output("yes"))
    assert [asyncio.run(backend.once(ASKED)).text for _ in range(2)] == ["yes", "yes"]
