"""A model's own server behind the gateway: what goes on, what comes back, what it costs, and where the key is."""

import asyncio
import json
from collections.abc import Mapping

import httpx2
import pytest

from backends.models.loopback import Loopback, Turn, completion, says
from rung.backends.servers.relay import Address, Relay, make
from rung.core.config import ModelConfig, PriceConfig
from rung.core.errors import UsageError
from rung.core.ports import Amount
from rung.core.values import Usage

from .gate import Gate, Till, gate
from .stands import waits

CANARY = "sk-canary-4f2a9c"
PRICE = PriceConfig(input=1.0, output=10.0, cached=0.1, date="2026-11-30")
CHAT, MESSAGES, RESPONSES = "v1/chat/completions", "v1/messages", "v1/responses"
ASKED = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 50}


def relay(server: Loopback, model: str = "openai/m", **config: object) -> Relay:
    settings = ModelConfig(base_url=server.url, price=PRICE, key_env="A_KEY", **config)
    made = make(model, settings, {"A_KEY": CANARY})
    assert made is not None
    return made


def streamed(*events: Mapping[str, object] | str, whole: bool = True) -> bytes:
    """A stream of events as a server writes it, with odd but legal spacing, and cut where it is not `whole`."""
    lines = [
        (f"event: {event['type']}\r\n" if isinstance(event, dict) and "type" in event else "")
        + f"data:{event if isinstance(event, str) else json.dumps(event)}\r\n\r\n"
        for event in events
    ]
    raw = (": a comment\n\n" + "".join(lines)).encode()
    length = len(raw) if whole else len(raw) + 10
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + raw


CLAUDE = (
    {"type": "message_start", "message": {"type": "message", "model": "claude-x", "content": [], "usage": {
        "input_tokens": 100, "output_tokens": 1, "cache_read_input_tokens": 40,
        "cache_creation_input_tokens": 60, "cache_creation": {"ephemeral_1h_input_tokens": 20}}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "He"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "llo"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 30}},
    {"type": "message_stop"},
)  # fmt: skip


# --------------------------------------------------------------------------------------------- what goes on


@waits
async def test_the_programs_own_bytes_go_on_with_the_key_and_few_of_its_headers():
    raw = b'{ "model":"m","max_tokens" : 50,  "messages":[{"role":"user","content":"h\\u0069"}] }'
    async with Loopback([says(completion())]) as server, gate(relay(server)) as at:
        headers = {"authorization": "Bearer placeholder", "x-api-key": "p", "cookie": "c", "openai-organization": "o"}
        await at.client.post(f"{at.url}/{CHAT}", content=raw, headers={**headers, "user-agent": "prog/1"})
    seen = server.seen[0]
    assert (seen.line, seen.raw) == ("POST /v1/chat/completions HTTP/1.1", raw)
    assert seen.headers["authorization"] == f"Bearer {CANARY}"
    assert seen.headers["user-agent"] == "prog/1"
    assert {"cookie", "x-api-key", "openai-organization"} & set(seen.headers) == set()


@waits
async def test_claudes_own_server_has_the_key_in_its_own_header_and_the_programs_versions():
    answer = says({"type": "message", "model": "claude-x", "content": [], "stop_reason": "end_turn"})
    async with Loopback([answer]) as server, gate(relay(server, "anthropic/m")) as at:
        headers = {"anthropic-beta": "a,b", "x-api-key": "placeholder"}
        await at.post(f"{MESSAGES}?beta=true", ASKED, headers=headers)
    seen = server.seen[0]
    assert seen.line == "POST /v1/messages?beta=true HTTP/1.1"
    assert (seen.headers["x-api-key"], seen.headers["anthropic-version"]) == (CANARY, "2023-06-01")
    assert (seen.headers["anthropic-beta"], "authorization" in seen.headers) == ("a,b", False)


@waits
async def test_a_header_of_other_letters_than_ascii_does_not_go_on():
    async with Loopback([says(completion())]) as server, gate(relay(server)) as at:
        answer = await at.post(CHAT, ASKED, headers={"user-agent": b"prog/\xe9", "openai-beta": "x"})
    assert (answer.status_code, server.seen[0].headers["openai-beta"]) == (200, "x")
    assert "prog" not in server.seen[0].headers["user-agent"]


@waits
async def test_whatever_model_a_program_names_the_one_that_is_configured_is_asked():
    async with Loopback([says(completion())]) as server, gate(relay(server, "openai/gpt-real")) as at:
        await at.post(CHAT, {**ASKED, "model": "gpt-dearest"})
    assert server.seen[0].body == {**ASKED, "model": "gpt-real"}
    assert (at.seen[0].asked, at.seen[0].answer.model) == ("gpt-dearest", "served-1")


@pytest.mark.parametrize(
    ("model", "word"), [("openai/m", "max_completion_tokens"), ("groq/m", "max_tokens"), ("compatible/m", "max_tokens")]
)
@waits
async def test_an_answer_without_a_bound_is_bounded_in_its_servers_word_and_a_stream_asked_its_cost(model, word):
    body = {"model": "m", "messages": [], "stream": True}
    async with Loopback([streamed("[DONE]")]) as server, gate(relay(server, model)) as at:
        await at.post(CHAT, body)
        await at.post(CHAT, {**body, "max_completion_tokens": 9})
    more = {"stream_options": {"include_usage": True}}
    assert server.seen[0].body == {**body, **more, word: 32_768}
    assert server.seen[1].body == {**body, **more, "max_completion_tokens": 9}  # a program's own word stays


def test_an_addresss_own_query_stays_and_the_programs_is_added():
    at = Address("https://cloud.example/v1?api-version=7")
    assert at.to("messages", "beta=true") == "https://cloud.example/v1/messages?api-version=7&beta=true"


# --------------------------------------------------------------------------------------------- what comes back


@waits
async def test_a_stream_comes_back_byte_for_byte_and_is_read_and_paid_for_on_its_way():
    told = streamed(*CLAUDE)
    async with Loopback([told]) as server, gate(relay(server, "anthropic/m")) as at:
        answer = await at.post(MESSAGES, {**ASKED, "stream": True})
    assert answer.content == told.partition(b"\r\n\r\n")[2]
    seen = at.seen[0]
    assert seen.answer.body["content"] == [{"type": "text", "text": "Hello"}]
    assert (seen.came, seen.answer.model, seen.answer.stop, seen.answer.whole) == ("answered", "claude-x", "stop", True)
    # What was written to a cache was read too. 60 tokens were: 20 for an hour, at twice the price, 40 for five minutes.
    assert seen.answer.usage == Usage(160, 30, 40)
    # 160 at 1 dollar a million, 40 at 0.1, 30 at 10, and 20 + 40 / 4 more at 1
    assert at.till.settled[0].tokens == 230
    assert at.till.settled[0].usd == pytest.approx((160 + 4 + 300 + 30) / 1e6)


@waits
async def test_a_chat_streams_with_its_calls_put_together():
    def chunk(**delta: object) -> dict[str, object]:
        return {"model": "gpt-x", "choices": [{"index": 0, "delta": delta}]}

    def call(index: int, arguments: str, **more: object) -> dict[str, object]:
        return {"index": index, "function": {"arguments": arguments, **more}}

    told = streamed(
        chunk(role="assistant", content="a"),
        chunk(content="b"),
        chunk(tool_calls=[{"id": "c0", **call(0, "", name="f")}, {"id": "c1", **call(1, '{"y"', name="g")}]),
        chunk(tool_calls=[call(1, ":2}"), call(0, "{}")]),
        {"model": "gpt-x", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        {"model": "gpt-x", "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}},
        "[DONE]",
    )
    async with Loopback([told]) as server, gate(relay(server)) as at:
        await at.post(CHAT, {**ASKED, "stream": True})
    read = at.seen[0].answer
    message = read.body["choices"][0]["message"]
    assert message["content"] == "ab"
    assert [(made["id"], made["function"]) for made in message["tool_calls"]] == [
        ("c0", {"name": "f", "arguments": "{}"}),
        ("c1", {"name": "g", "arguments": '{"y":2}'}),
    ]
    assert (read.stop, read.usage, read.whole) == ("tool_calls", Usage(9, 4, None), True)


@waits
async def test_a_response_whose_last_event_leaves_its_items_out_is_read_from_those_before():
    item = {"type": "function_call", "name": "f", "call_id": "c", "arguments": "{}"}
    usage = {"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 2}}
    closed = {"status": "completed", "model": "gpt-x", "output": [], "usage": usage}
    told = streamed(
        {"type": "response.output_item.done", "item": item}, {"type": "response.completed", "response": closed}
    )
    async with Loopback([told]) as server, gate(relay(server)) as at:
        await at.post(RESPONSES, {"model": "m", "input": "hi", "stream": True})
    read = at.seen[0].answer
    assert (read.body["output"], read.stop, read.usage) == ([item], "tool_calls", Usage(7, 4, 2))


@pytest.mark.parametrize(("status", "costs"), [(400, 0), (401, 0), (403, 0), (429, 0), (500, 0), (529, 0), (504, None)])
@waits
async def test_an_error_comes_back_as_it_is_and_costs_nothing_unless_somebody_stopped_waiting(status, costs):
    said = {"type": "error", "error": {"type": "x", "message": "so it goes"}}
    turn = says(said, status, {"retry-after": "3", "x-ratelimit-limit": "9", "set-cookie": "a=b", "server": "s"})
    async with Loopback([turn]) as server, gate(relay(server, "anthropic/m")) as at:
        answer = await at.post(MESSAGES, ASKED)
    assert (answer.status_code, answer.json()) == (status, said)
    assert (answer.headers["retry-after"], answer.headers["x-ratelimit-limit"]) == ("3", "9")
    assert {"set-cookie", "server"} & set(answer.headers) == set()
    seen = at.seen[0]
    assert (seen.came, seen.status, seen.detail) == ("refused", status, "so it goes")
    assert len(server.seen) == 1
    assert [paid and paid.tokens for paid in at.till.settled] == [costs]


@waits
async def test_an_error_in_the_middle_of_a_stream_is_a_refusal_though_its_status_was_200():
    broken = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    async with Loopback([streamed(CLAUDE[0], broken)]) as server, gate(relay(server, "anthropic/m")) as at:
        await at.post(MESSAGES, {**ASKED, "stream": True})
    assert (at.seen[0].came, at.seen[0].status, at.seen[0].detail) == ("refused", 200, "Overloaded")


@waits
async def test_a_stream_that_its_server_cuts_is_cut_and_costs_all_the_output_allowed():
    async with Loopback([streamed(*CLAUDE[:4], whole=False)]) as server, gate(relay(server, "anthropic/m")) as at:
        with pytest.raises(httpx2.RemoteProtocolError):
            await at.post(MESSAGES, {**ASKED, "stream": True})
    seen = at.seen[0]
    assert (seen.came, seen.answer.body["content"]) == ("cut", [{"type": "text", "text": "Hello"}])
    assert at.till.settled[0].tokens == 160 + 40 + 50


@waits
async def test_a_stream_that_ends_too_early_in_good_order_is_passed_on_so_and_known_as_cut():
    async with Loopback([streamed(*CLAUDE[:4])]) as server, gate(relay(server, "anthropic/m")) as at:
        answer = await at.post(MESSAGES, {**ASKED, "stream": True})
    assert answer.status_code == 200
    assert (at.seen[0].came, at.seen[0].detail) == ("cut", "the answer has no end")


@waits
async def test_a_redirect_is_not_followed_with_the_key():
    turn = says(b"", 302, {"location": "http://127.0.0.1:9/elsewhere"})
    async with Loopback([turn]) as server, gate(relay(server)) as at:
        answer = await at.post(CHAT, ASKED)
    assert (answer.status_code, "location" in answer.headers) == (502, False)
    assert (at.seen[0].came, "elsewhere (302)" in at.seen[0].detail) == ("unreachable", True)


@waits
async def test_a_server_that_is_not_there_is_unreachable_and_costs_nothing():
    async with Loopback([b""]) as server:
        made = relay(server)
    async with gate(made) as at:
        answer = await at.post(CHAT, ASKED)
    assert answer.status_code == 502
    assert (at.seen[0].came, at.till.settled) == ("unreachable", [Amount(0.0, 0)])


async def _hangs_up(writer: asyncio.StreamWriter) -> None:
    writer.close()


@waits
async def test_a_server_that_hangs_up_unheard_may_have_worked():
    async with Loopback([_hangs_up]) as server, gate(relay(server)) as at:
        await at.post(CHAT, ASKED)
    assert (at.seen[0].came, at.till.settled) == ("unreachable", [None])


@waits
async def test_a_program_that_leaves_frees_its_place_for_the_next():
    came = asyncio.Event()

    async def silent(writer: asyncio.StreamWriter) -> None:
        came.set()
        await asyncio.Event().wait()

    async with Loopback([silent, says(completion())]) as server, gate(relay(server, concurrency=1)) as at:
        asking = asyncio.create_task(at.post(CHAT, ASKED))
        await came.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert (await at.post(CHAT, ASKED)).status_code == 200
    assert sorted(seen.came for seen in at.seen) == ["answered", "client_gone"]


@waits
async def test_no_more_are_in_flight_than_the_config_allows():
    most = now = 0

    async def slow(writer: asyncio.StreamWriter) -> None:
        nonlocal most, now
        now += 1
        most = max(most, now)
        for _ in range(20):
            await asyncio.sleep(0)
        now -= 1
        writer.write(says(completion()))
        writer.close()

    async with Loopback([slow]) as server, gate(relay(server, concurrency=2)) as at:
        await asyncio.gather(*(at.post(CHAT, ASKED) for _ in range(8)))
    assert most == 2
    assert [seen.came for seen in at.seen] == ["answered"] * 8


# --------------------------------------------------------------------------------------------- where the key is

QUOTED = f"bad key {CANARY}!"
LEAKS: Mapping[str, Turn] = {
    "an error": says({"error": {"message": QUOTED}}, 401),
    "an error that is no JSON": says(QUOTED.encode(), 500),
    "a header": says(completion(), 200, {"x-request-id": QUOTED}),
    "an answer": says(completion(QUOTED)),
    "an answer that is no JSON": says(QUOTED.encode()),
    "a stream": streamed({"type": "message_start", "message": {"content": [], "model": QUOTED}}),
    "an error in a stream": streamed({"type": "error", "error": {"message": QUOTED}}),
    "a stream that is cut": streamed(QUOTED, whole=False),
    "a redirect": says(QUOTED.encode(), 302, {"location": f"http://127.0.0.1/{CANARY}"}),
    "garbage": QUOTED.encode() + b"\r\n\r\n",
    "nothing": _hangs_up,
}


async def _dripped(writer: asyncio.StreamWriter) -> None:
    """The key, byte by byte, in an answer."""
    raw = says(completion(QUOTED))
    for place in range(len(raw)):
        writer.write(raw[place : place + 1])
        await writer.drain()
        await asyncio.sleep(0)
    writer.close()


@pytest.mark.parametrize("path", [CHAT, MESSAGES, RESPONSES])
@pytest.mark.parametrize("leak", [*LEAKS, "an answer byte by byte"])
@waits
async def test_a_key_that_a_server_quotes_reaches_neither_the_program_nor_the_record(leak: str, path: str):
    turn = LEAKS.get(leak, _dripped)
    model = "anthropic/m" if path == MESSAGES else "openai/m"
    async with Loopback([turn]) as server, gate(relay(server, model)) as at:
        got = await _all_that_is_seen(at, path)
        assert CANARY in str(server.seen[0].headers)
    assert CANARY not in got
    assert CANARY not in repr(at.seen) + repr(at.strays) + repr(at.door)
    assert len(at.seen) == 1


async def _all_that_is_seen(at: Gate, path: str) -> str:
    try:
        answer = await at.post(path, {**ASKED, "input": "hi", "stream": True})
    except httpx2.TransportError as error:
        return repr(error)
    return repr(answer.headers) + answer.text


def test_the_key_is_in_nothing_that_prints_a_relay():
    made = make("anthropic/m", ModelConfig(), {"ANTHROPIC_API_KEY": CANARY})
    assert CANARY not in repr(made) + repr(vars(made))


# --------------------------------------------------------------------------------------------- from a config


@pytest.mark.parametrize(
    ("model", "speaks"),
    [
        ("anthropic/claude-x", {"anthropic-messages"}),
        ("openai/gpt-x", {"openai-chat", "openai-responses"}),
        ("groq/x", {"openai-chat"}),
        ("scripted/echo", None),
    ],
)
def test_a_relay_speaks_what_its_server_does(model: str, speaks: set[str] | None):
    made = make(model, ModelConfig(key_env="A_KEY"), {"A_KEY": CANARY})
    wires = ("anthropic-messages", "openai-chat", "openai-responses")
    assert (made if made is None else {wire for wire in wires if made.speaks(wire)}) == speaks


@pytest.mark.parametrize(
    ("model", "config", "why"),
    [
        ("anthropic/x", {}, "ANTHROPIC_API_KEY"),
        ("compatible/x", {}, "needs an address"),
        ("compatible/x", {"base_url": "http://me:secret@host/v1"}, "a key belongs into key_env"),
        ("openai/x", {"body": {"top_p": 1}}, "nothing is added here"),
    ],
)
def test_what_cannot_be_reached_is_said_before_anything_starts(model: str, config: dict[str, object], why: str):
    with pytest.raises(UsageError, match=why):
        make(model, ModelConfig(**config), {})


@waits
async def test_a_format_that_a_server_does_not_speak_is_refused_in_words():
    async with Loopback([says(completion())]) as server, gate(relay(server, "anthropic/m"), till=Till()) as at:
        answer = await at.post(CHAT, ASKED)
    assert (answer.status_code, server.seen) == (404, [])
    assert "not served in this format" in answer.json()["error"]["message"]
