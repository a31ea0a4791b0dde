import asyncio
import gzip
import logging
import socket
import traceback
from collections.abc import Callable
from itertools import repeat
from typing import Any

import pytest

from rung.backends.models import chat_completions
from rung.backends.models.backend import TryAgain
from rung.backends.models.gateway import Gateway
from rung.backends.models.providers import provider
from rung.core.config import ModelConfig
from rung.core.errors import ContextOverflow, EmptyReply, ModelFault, ModelUnusable, UsageError
from rung.core.ports import Amount, Answered
from rung.core.values import Image, Message, ModelReply, ModelRequest, Tool, Usage

from .loopback import Loopback, Turn, completion, error, says
from .stands import ASKED, Till, Time

KEY = "sk-planted-0123456789"
ENVIRON = {"OPENAI_API_KEY": KEY}
WHOLE = Amount(None, 9 + 32 + 100)  # all that is set aside for ASKED, at an unknown price


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def once(*turns: Turn, request: ModelRequest = ASKED, **config: Any) -> tuple[ModelReply, Loopback]:
    """One try against a server that takes these turns."""

    async def asked() -> tuple[ModelReply, Loopback]:
        async with Loopback(turns) as server:
            made = ModelConfig(base_url=server.url, **config)
            backend = chat_completions.make("openai/gpt-test", made, ENVIRON)
            try:
                return await backend.once(request), server
            finally:
                await backend.close()

    return asyncio.run(asked())


def failure(*turns: Turn) -> Exception:
    with pytest.raises((TryAgain, ModelFault, ContextOverflow, ModelUnusable)) as raised:
        once(*turns)
    return raised.value


def ask(*turns: Turn, till: Till | None = None, time: Time | None = None, **config: Any) -> Answered:
    """A whole call through the gateway. Its waits are those of `time`, and pass at once."""

    async def asked() -> Answered:
        async with Loopback(turns) as server:
            made = ModelConfig(base_url=server.url, **config)
            hurried = time or Time()

            async def sleep(seconds: float) -> None:
                hurried.now += seconds
                hurried.slept.append(seconds)

            model = provider("openai/gpt-test", made, environ=ENVIRON)
            model._sleep, model._clock, model._not_before = sleep, hurried.clock, 0.0
            try:
                return await model.ask(ASKED, till or Till())
            finally:
                await model.close()

    return asyncio.run(asked())


# --------------------------------------------------------------------------------------------- what is sent


def test_a_request_goes_out_as_the_format_has_it():
    tool = Tool("go", "Go.", {"type": "object", "properties": {}})
    messages = (
        Message("system", "rules"),
        Message("user", "see", (Image("image/png", b"\x00\x01"),)),
        Message("assistant", "on my way"),
        Message("tool", "you hit a wall"),
    )
    _, server = once(says(completion()), request=ModelRequest(messages, "agent", (tool,), 64, 0.0))
    sent = server.seen[0]
    assert sent.line == "POST /v1/chat/completions HTTP/1.1"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body == {
        "model": "gpt-test",
        "messages": [
            {"role": "system", "content": "rules"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "see"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAE="}},
                ],
            },
            {"role": "assistant", "content": "on my way"},
            {"role": "user", "content": "you hit a wall"},
        ],
        "temperature": 0.0,
        "max_completion_tokens": 64,
        "tools": [
            {
                "type": "function",
                "function": {"name": "go", "description": "Go.", "parameters": {"type": "object", "properties": {}}},
            }
        ],
        "tool_choice": "required",
        "parallel_tool_calls": False,
    }


def test_what_is_not_asked_for_is_not_sent():
    _, server = once(says(completion()), request=ModelRequest(ASKED.messages, "agent"))
    assert set(server.seen[0].body) == {"model", "messages"}


def test_keys_of_the_body_win_and_null_leaves_ours_out():
    request = ModelRequest(ASKED.messages, "agent", (Tool("go", "", {}),), 64, 0.5)
    body = {"temperature": 1.0, "max_tokens": 7, "parallel_tool_calls": None, "reasoning": {"effort": "low"}}
    _, server = once(says(completion()), request=request, body=body)
    sent = server.seen[0].body
    assert (sent["temperature"], sent["max_tokens"], sent["reasoning"]) == (1.0, 7, {"effort": "low"})
    assert not {"max_completion_tokens", "parallel_tool_calls"} & set(sent)


def test_a_server_of_ones_own_is_sent_no_key_and_the_common_word_for_a_bound():
    async def asked() -> Loopback:
        async with Loopback([says(completion())]) as server:
            model = provider("compatible/mine", ModelConfig(base_url=server.url), environ=ENVIRON)
            await model.ask(ASKED, Till())
            await model.close()
            return server

    sent = asyncio.run(asked()).seen[0]
    assert "authorization" not in sent.headers
    assert sent.body["max_tokens"] == 100


@pytest.mark.parametrize(
    ("base_url", "endpoint"),
    [
        ("http://h/v1", "http://h/v1/chat/completions"),
        ("http://h/v1/", "http://h/v1/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/v1?api-version=3", "http://h/v1/chat/completions?api-version=3"),
    ],
)
def test_the_endpoint_of_an_address(base_url: str, endpoint: str):
    assert chat_completions.make("compatible/m", ModelConfig(base_url=base_url), {})._url == endpoint


# --------------------------------------------------------------------------------------------- what comes back


def test_a_good_reply_is_read_whole():
    said = completion("hello", reasoning_content="hm", model="gpt-test-2026-01-01")
    said["usage"]["prompt_tokens_details"] = {"cached_tokens": 8}
    reply, _ = once(says(said))
    assert reply == ModelReply("hello", "gpt-test-2026-01-01", "stop", Usage(4, 3, 8), (), "hm")


def test_a_packed_reply_is_unpacked():
    packed = gzip.compress(b'{"choices": [{"message": {"content": "hi"}}], "model": "m"}')
    reply, server = once(says(packed, headers={"content-encoding": "gzip"}))
    assert "gzip" in server.seen[0].headers["accept-encoding"]
    assert (reply.text, reply.stop_reason, reply.usage) == ("hi", "unknown", None)


def test_without_usage_it_costs_all_that_was_set_aside():
    assert ask(says(completion(usage=None))).cost == WHOLE


def test_a_changed_model_id_is_reported_as_it_comes():
    async def both() -> list[str]:
        async with Loopback([says(completion(model="m-1")), says(completion(model="m-2"))]) as server:
            backend = chat_completions.make("compatible/m", ModelConfig(base_url=server.url), {})
            replies = [await backend.once(ASKED), await backend.once(ASKED)]
            await backend.close()
            return [reply.model for reply in replies]

    assert asyncio.run(both()) == ["m-1", "m-2"]


def test_a_content_filter_is_a_reply_that_a_study_declares():
    assert ask(says(completion("", finish_reason="content_filter"))).reply.stop_reason == "content_filter"


def test_an_empty_reply_is_asked_for_three_times_and_paid_each_time():
    till = Till()
    with pytest.raises(EmptyReply, match="'length' after 3 output tokens and 3 characters of thinking"):
        ask(says(completion("", finish_reason="length", reasoning="hmm")), till=till)
    assert till.settled == [Amount(None, 15)] * 3


def test_connections_are_kept_and_used_again():
    kept = says(completion()).replace(b"connection: close\r\n", b"")

    async def thrice() -> int:
        async with Loopback([kept]) as server:
            backend = chat_completions.make("compatible/m", ModelConfig(base_url=server.url), {})
            for _ in range(3):
                await backend.once(ASKED)
            await backend.close()
            return server.connections

    assert asyncio.run(thrice()) == 1


def test_one_backend_serves_one_event_loop_after_the_other():
    backend = chat_completions.make("compatible/m", ModelConfig(base_url="http://127.0.0.1/v1"), {})

    async def asked() -> str:
        async with Loopback([says(completion())]) as server:
            backend._url = f"{server.url}/chat/completions"
            reply = await backend.once(ASKED)
            await backend.close()
            return reply.text

    assert [asyncio.run(asked()) for _ in range(3)] == ["yes"] * 3


# --------------------------------------------------------------------------------------------- what may be tried again


@pytest.mark.parametrize(
    ("status", "trouble", "billed"),
    [
        (408, "timeout", False),
        (409, "server error", False),
        (425, "server error", False),
        (429, "rate limit", False),
        (500, "server error", False),
        (502, "server error", False),
        (503, "server error", False),
        (504, "server error", True),
        (529, "server error", False),
    ],
)
def test_a_status_that_passes(status: int, trouble: str, billed: bool):
    failed = failure(says(error("busy"), status))
    assert isinstance(failed, TryAgain)
    assert (failed.trouble, failed.billed, failed.after) == (trouble, billed, None)
    assert failed.detail.endswith(f"/v1/chat/completions answered {status}: busy")


DATED = {"date": "Mon, 30 Nov 2026 04:00:00 GMT", "retry-after": "Mon, 30 Nov 2026 04:00:42 GMT"}


@pytest.mark.parametrize(
    ("headers", "after"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        (DATED, 42.0),
        ({**DATED, "retry-after": "Mon, 30 Nov 2026 03:00:00 GMT"}, 0.0),
        ({"retry-after": DATED["retry-after"]}, None),
        ({**DATED, "retry-after": "Mon, 30 Nov 2026 04:00:42"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "1e9"}, None),
    ],
)
def test_how_long_a_provider_asks_to_wait(headers: dict[str, str], after: float | None):
    failed = failure(says(error("slow down"), 429, headers))
    assert isinstance(failed, TryAgain)
    assert failed.after == after


def test_a_rate_limit_is_waited_for_and_then_answered():
    time = Time()
    answered = ask(says(error("slow down"), 429, {"retry-after": "7"}), says(completion()), time=time)
    assert (answered.tries, time.now, answered.cost) == (2, 7.0, Amount(None, 15))


def test_500_for_ever_ends_the_run_after_a_quarter_of_an_hour():
    time = Time()
    with pytest.raises(ModelUnusable, match=r"openai/gpt-test: server error for 15\.0 minutes in [0-9]+ tries"):
        ask(says(error("oops"), 500), time=time)
    assert time.now == pytest.approx(900)


async def hang(writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def hang_after_headers(writer: asyncio.StreamWriter) -> None:
    writer.write(says(b"{", length=1000))
    await asyncio.Event().wait()


async def drip(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    for _ in repeat(None):
        writer.write(b"1\r\n \r\n")
        await writer.drain()
        await asyncio.sleep(0.002)


@pytest.mark.parametrize("turn", [hang, hang_after_headers, drip])
def test_what_hangs_or_drips_ends_in_time_and_may_have_cost_all(turn: Turn):
    till = Till()
    with pytest.raises(ModelUnusable, match=r"no whole reply within 0\.1 s"):
        ask(turn, till=till, timeout_seconds=0.1, patience_seconds=0)
    assert till.settled == [None]


async def drop(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def drop_in_the_middle(writer: asyncio.StreamWriter) -> None:
    writer.write(says(b'{"choices": ', length=1000))
    await writer.drain()
    writer.transport.abort()


@pytest.mark.parametrize("turn", [drop, drop_in_the_middle, says(b'{"choices": ', length=1000), b"HTTP/9 what\r\n\r\n"])
def test_a_connection_lost_after_asking_may_have_cost_all(turn: Turn):
    failed = failure(turn)
    assert isinstance(failed, TryAgain)
    assert (failed.trouble, failed.billed) == ("connection", True)


def test_a_connection_refused_costs_nothing():
    with socket.socket() as taken:  # bound and not listening: nobody else can be given its port
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        backend = chat_completions.make("compatible/m", ModelConfig(base_url=url), {})

        async def asked() -> None:
            try:
                await backend.once(ASKED)
            finally:
                await backend.close()

        with pytest.raises(TryAgain) as raised:
            asyncio.run(asked())
    assert (raised.value.trouble, raised.value.billed) == ("connection", False)
    assert f"no connection to {url}" in raised.value.detail


@pytest.mark.parametrize(
    "turn",
    [
        says(b"<html>502</html>"),
        says(b'{"choices": [{"mess'),
        says(b"\xff\xfe\x00bad"),
        says(b"[" * 200_000),
        says([1, 2]),
        says({}),
        says({"choices": [], "model": "m"}),
        says({"choices": [{"finish_reason": "stop"}], "model": "m"}),
        says({"choices": [{"message": {"content": "hi"}}]}),
        says(completion(tool_calls=[{"function": {"arguments": "{}"}}])),
        says(b"not gzip", headers={"content-encoding": "gzip"}),
    ],
)
def test_garbage_is_garbage_and_was_paid_for(turn: Turn):
    failed = failure(turn)
    assert isinstance(failed, TryAgain)
    assert (failed.trouble, failed.billed) == ("garbage", True)


def test_garbage_three_times_is_a_fault():
    till = Till()
    with pytest.raises(ModelFault, match=r"no usable reply in 3 tries; the last: .* with no JSON"):
        ask(says(b"<html>"), till=till)
    assert till.settled == [None] * 3


def test_a_reply_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch):
    async def pour(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        for _ in repeat(None):
            writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            await writer.drain()

    failed = failure(pour)
    assert "more than 16,777,216 bytes" in str(failed)


def test_a_packed_bomb_is_cut_off():
    failed = failure(says(gzip.compress(b" " * 64 * 2**20), headers={"content-encoding": "gzip"}))
    assert "more than 16,777,216 bytes" in str(failed)


# --------------------------------------------------------------------------------------------- what no try can help

OVERFLOWS = [
    error("This model's maximum context length is 10 tokens.", code="context_length_exceeded"),
    error("Your input exceeds the context window of this model.", code="string_above_max"),
    error("The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
    error("the request exceeds the available context size. try increasing it", type="exceed_context_size_error"),
    error("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens"),
    error("prompt is too long: 210000 tokens > 200000 maximum"),
    error("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
    error("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    error("Please reduce the length of the messages or completion."),
    error("Prompt contains 40000 tokens, too large for model with 32768 maximum context length"),
    error("The input (9000 tokens) is longer than the model's context length (8192 tokens)."),
    error("This model's maximum prompt length is 131072 but the request contains 200000 tokens."),
    error("Input is too long for requested model."),
    {"object": "error", "message": "This model's maximum context length is 4096 tokens.", "type": "BadRequestError"},
    {"detail": "maximum context length is 2048"},
]


@pytest.mark.parametrize("said", OVERFLOWS)
@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_prompt_that_is_too_long_is_the_agents_doing(said: object, status: int):
    assert isinstance(failure(says(said, status)), ContextOverflow)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, error("Invalid schema for function 'go'")),
        (400, error("max_tokens is too large: 99999. This model supports at most 4096 completion tokens")),
        (413, b"<html>Request Entity Too Large</html>"),
        (400, error("Unsupported value: this model's temperature of 0 is not supported")),
        (422, {"detail": [{"loc": ["body", "messages"], "msg": "field required"}]}),
        (403, error("Your input was flagged by moderation")),
        (418, b"\xff\xfe"),
    ],
)
def test_a_request_that_is_refused_is_a_fault_of_this_request(status: int, said: object):
    failed = failure(says(said, status))
    assert type(failed) is ModelFault
    assert f"answered {status}: " in str(failed)


@pytest.mark.parametrize(
    ("status", "said", "mend"),
    [
        (401, error(f"Incorrect API key provided: {KEY}."), r"The key in \$OPENAI_API_KEY is not taken"),
        (403, error("Country not supported"), r"The key in \$OPENAI_API_KEY is not taken"),
        (402, error("Insufficient credits"), "out of credit"),
        (429, error("You exceeded your current quota", code="insufficient_quota"), "out of credit"),
        (404, error("no such thing", code="model_not_found"), "Is there a model 'gpt-test'"),
        (404, b"", "answered 404: nothing. Is there a model 'gpt-test'"),
        (400, error("Model Not Exist"), "Is there a model 'gpt-test'"),
        (400, error("The model `gpt-test` does not exist or you do not have access to it."), "Is there a model"),
        (400, error("It is no longer supported", code="model_decommissioned"), "Is there a model"),
        (302, b"", "give the final base_url"),
    ],
)
def test_what_the_operator_must_mend_stops_the_run(status: int, said: object, mend: str):
    failed = failure(says(said, status))
    assert isinstance(failed, ModelUnusable)
    with pytest.raises(ModelUnusable, match=mend):
        raise failed


def test_a_redirect_is_not_followed_with_the_key():
    async def asked() -> tuple[Loopback, Loopback]:
        async with Loopback([says(completion())]) as thief:
            moved = says(b"", 307, {"location": f"{thief.url}/chat/completions"})
            async with Loopback([moved]) as server:
                backend = chat_completions.make("openai/m", ModelConfig(base_url=server.url), ENVIRON)
                with pytest.raises(ModelUnusable):
                    await backend.once(ASKED)
                await backend.close()
                return server, thief

    server, thief = asyncio.run(asked())
    assert (len(server.seen), len(thief.seen)) == (1, 0)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (error("Provider returned error", code=503), TryAgain),
        (error("upstream is gone"), TryAgain),
        (error("No credits", code=402), ModelUnusable),
        (error("This endpoint's maximum context length is 8 tokens", code=400), ContextOverflow),
    ],
)
def test_an_error_under_status_200_is_the_error_it_is(said: object, kind: type[Exception]):
    assert isinstance(failure(says(said)), kind)


def test_foreign_words_are_kept_short_and_on_one_line():
    failed = failure(says(error("a\r\nb\x1b[31m\u202ec " + "x" * 5000), 400))
    message = str(failed)
    assert len(message) < 500
    assert message.isprintable()


# --------------------------------------------------------------------------------------------- the key

ECHOES: list[Callable[[], Turn]] = [
    lambda: says(completion()),
    lambda: says(error(f"bad key {KEY}"), 401),
    lambda: says(error(f"bad key {KEY}"), 400),
    lambda: says(error(f"bad key {KEY}"), 500),
    lambda: says(f"<html>{KEY}</html>".encode()),
    lambda: drop,
]


@pytest.mark.parametrize("turn", ECHOES)
def test_the_key_stands_in_no_error_no_repr_and_no_log(turn: Callable[[], Turn], caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    words = []

    async def asked() -> None:
        async with Loopback([turn()]) as server:
            config = ModelConfig(base_url=server.url, patience_seconds=0)
            model: Gateway = provider("openai/gpt-test", config, environ=ENVIRON)
            model._sleep = lambda seconds: asyncio.sleep(0)
            try:
                await model.ask(ASKED, Till())
            except (TryAgain, ModelFault, ModelUnusable) as failed:
                words.extend([repr(failed), *traceback.format_exception(failed)])
            await model.close()
            words.extend([repr(model), repr(model._backend), repr(vars(model._backend))])

    asyncio.run(asked())
    assert KEY not in caplog.text
    assert KEY not in "".join(words)


def test_a_key_is_named_in_a_usage_error_by_its_variable_alone():
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as raised:
        provider("openai/gpt-test", environ={"OPENAI_API_KEY": KEY + "\x7f"})
    assert KEY not in str(raised.value)
