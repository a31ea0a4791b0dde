"""What the gateway does with what programs send, whatever that is; and that each request is on record, once."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from rung.backends.servers.proxy import Door, Proxy
from rung.core.errors import BudgetSpent, UsageError
from rung.core.ports import Amount
from rung.core.proxied import Cut, Exchange, Heard, Never, ProxyPolicy, Refused, Said, ToolCall
from rung.core.values import Usage

from .gate import Gate, Till, function, gate
from .stands import waits

CHAT, MESSAGES, RESPONSES = "v1/chat/completions", "v1/messages", "v1/responses"
PATHS = (CHAT, MESSAGES, RESPONSES)
HELLO = Said(("Hello, whoever you are.",), usage=Usage(10, 5))


def asks(path: str, text: str = "hi", **more: object) -> dict[str, object]:
    talk = {"input": text} if path == RESPONSES else {"messages": [{"role": "user", "content": text}]}
    return {"model": "m", **talk, **more}


def hello(heard: Heard) -> Said:
    return HELLO


# --------------------------------------------------------------------------------------------- who may ask, and what


@pytest.mark.parametrize("path", PATHS)
@waits
async def test_an_unknown_token_is_refused_and_on_record_without_itself(path: str):
    async with gate(hello) as at:
        answer = await at.client.post(at.url.replace("session", "stranger") + f"/{path}", json=asks(path))
    assert answer.status_code == 401
    assert [(stray.came, stray.path) for stray in at.strays] == [("stray", path)]
    assert "stranger" not in repr(at.strays)
    assert at.seen == []


@waits
async def test_anything_else_is_not_found_and_on_record():
    async with gate(hello) as at:
        for method, path in (("POST", "v1/embeddings"), ("GET", CHAT), ("DELETE", "v1/responses/r1"), ("POST", "")):
            assert (await at.client.request(method, f"{at.url}/{path}")).status_code == 404
    assert [seen.came for seen in at.seen] == ["stray"] * 4
    assert at.seen[0].detail == "POST v1/embeddings"


@waits
async def test_whether_it_is_up_is_said_to_everybody():
    async with gate(hello) as at:
        root = at.url.rpartition("/")[0]
        answers = [await at.client.request(method, url) for method in ("HEAD", "GET") for url in (root, at.url)]
    assert [answer.status_code for answer in answers] == [200] * 4
    assert at.strays == at.seen == []


def test_a_token_is_long_enough_and_one_sessions():
    proxy = Proxy()
    door = Door("s", None, lambda index: Till(), print)  # type: ignore[arg-type]
    proxy.open("a" * 16, door)
    for token in ("a" * 16, "short", "a/b" * 8):
        with pytest.raises(UsageError, match="token"):
            proxy.open(token, door)
    proxy.close("a" * 16)
    proxy.open("a" * 16, door)


# --------------------------------------------------------------------------------------------- malformed


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "no JSON object"),
        (b"{", "no JSON object"),
        (b"[1]", "no JSON object"),
        (b'{"model": "m"}', "a list of objects is needed"),
        (b'{"messages": [1]}', "a list of objects is needed"),
        (b'{"messages": [], "tools": 7}', "a list is needed"),
        (b"[" * 100_000, "no JSON object"),
        (b'{"messages": [], "temperature": NaN}', "no JSON object"),
        (b'{"messages": [], "temperature": 1e999}', "no JSON object"),
        (b'{"messages": [{"role": "user", "content": "\xff"}]}', "no JSON object"),
    ],
)
@pytest.mark.parametrize("path", [CHAT, MESSAGES])
@waits
async def test_what_is_no_request_is_a_400_of_the_format_and_costs_nothing(path: str, raw: bytes, why: str):
    async with gate(hello) as at:
        answer = await at.client.post(f"{at.url}/{path}", content=raw)
        assert (await at.post(path, asks(path))).status_code == 200
    assert answer.status_code == 400
    assert why in answer.json()["error"]["message"]
    assert [seen.came for seen in at.seen] == ["bad_request", "answered"]
    assert len(at.till.reserved) == 1


@pytest.mark.parametrize("depth", [100, 300, 480, 900, 3000, 100_000])
@pytest.mark.parametrize("path", PATHS)
@waits
async def test_a_request_nested_however_deeply_is_answered_or_refused_in_words(path: str, depth: int):
    key = b"input" if path == RESPONSES else b"messages"
    raw = b'{"model":"m","' + key + b'":' + b'[{"content":' * depth + b'"x"' + b"}]" * depth + b"}"
    async with gate(hello) as at:
        answer = await at.client.post(f"{at.url}/{path}", content=raw)
    assert answer.status_code == (200 if depth == 100 else answer.status_code)
    assert answer.status_code in (200, 400)
    assert [seen.came for seen in at.seen] == [{200: "answered", 400: "bad_request"}[answer.status_code]]


@waits
async def test_a_body_beyond_the_bound_is_a_413_and_one_of_just_the_bound_is_not():
    whole = json.dumps(asks(CHAT)).encode()
    async with gate(hello, policy=ProxyPolicy(body_bytes=len(whole))) as at:
        fits = await at.client.post(f"{at.url}/{CHAT}", content=whole)
        beyond = await at.client.post(f"{at.url}/{CHAT}", content=whole + b" ")
    assert (fits.status_code, beyond.status_code) == (200, 413)
    assert [seen.came for seen in at.seen] == ["answered", "bad_request"]


@waits
async def test_a_body_that_never_ends_is_cut_off_long_before_memory_is():
    came = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal came
        while came < 10**9:
            came += 65536
            yield b" " * 65536

    async with gate(hello, policy=ProxyPolicy(body_bytes=1000)) as at:
        try:
            answer = await at.client.post(f"{at.url}/{CHAT}", content=endless())
            assert answer.status_code == 413
        except httpx2.TransportError:  # it wrote on while it was refused
            pass
    assert came < 10**8
    assert [(seen.came, seen.status) for seen in at.seen] == [("bad_request", 413)]


@waits
async def test_a_compressed_request_is_refused_in_words():
    async with gate(hello) as at:
        answer = await at.post(CHAT, asks(CHAT), headers={"content-encoding": "zstd"})
    assert "uncompressed" in answer.json()["error"]["message"]


# --------------------------------------------------------------------------------------------- how it can end


@pytest.mark.parametrize("path", PATHS)
@waits
async def test_a_stream_that_is_cut_is_cut_for_the_program_too_and_costs_what_it_may_have(path: str):
    async with gate(lambda heard: Cut(HELLO, 1)) as at:
        with pytest.raises(httpx2.RemoteProtocolError):
            await at.post(path, asks(path, stream=True))
    seen = at.seen[0]
    assert (seen.came, seen.status, seen.answer.whole) == ("cut", 200, False)
    assert seen.cost is not None
    assert seen.cost.tokens >= ProxyPolicy().output_tokens


@pytest.mark.parametrize("path", PATHS)
@waits
async def test_a_program_that_leaves_is_noticed_while_nobody_answers(path: str):
    told = asyncio.Event()

    def never(heard: Heard) -> Never:
        told.set()
        return Never()

    async with gate(never) as at:
        asking = asyncio.create_task(at.post(path, asks(path)))
        await told.wait()
        assert at.door.busy == 1
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await until(lambda: at.door.busy == 0)
    assert [(seen.came, seen.status) for seen in at.seen] == [("client_gone", None)]
    assert at.till.settled == [None]
    assert at.seen[0].cost == at.till.reserved[0]


@waits
async def test_a_program_that_leaves_in_the_middle_of_a_stream_is_noticed():
    flowing = asyncio.Event()
    async with gate(hello) as at:
        real = at.door.upstream.open

        async def dripping(sent, spending):
            flow = await real(sent, spending)

            async def chunks():
                async for chunk in flow.chunks:
                    yield chunk
                    flowing.set()
                    await asyncio.Event().wait()

            return type(flow)(flow.status, flow.headers, chunks())

        at.door.upstream = type("Dripping", (), {"open": staticmethod(dripping), "speaks": lambda s, w: True,
                                                 "price": None, "model": "m"})()  # fmt: skip
        async with at.client.stream("POST", f"{at.url}/{CHAT}", json=asks(CHAT, stream=True)) as answer:
            await flowing.wait()
            assert answer.status_code == 200
        await until(lambda: at.door.busy == 0)
    assert [(seen.came, seen.status) for seen in at.seen] == [("client_gone", 200)]


@waits
async def test_what_is_in_flight_when_the_gateway_closes_is_on_record():
    told = asyncio.Event()

    def never(heard: Heard) -> Never:
        told.set()
        return Never()

    async with gate(never, grace=0.01) as at:
        asking = asyncio.create_task(at.post(CHAT, asks(CHAT)))
        await told.wait()
    await asyncio.gather(asking, return_exceptions=True)
    assert [seen.came for seen in at.seen] == ["closed"]
    assert at.till.settled == [None]


@waits
async def test_a_bug_of_ours_is_no_answer_and_known_to_who_opened_the_server():
    def broken(heard: Heard) -> Said:
        raise ZeroDivisionError

    seen: list[Exchange] = []

    async def one() -> None:
        async with gate(broken) as at:
            await at.post(CHAT, asks(CHAT))
            seen.extend(at.seen)

    with pytest.raises(ZeroDivisionError):
        await one()
    assert [(each.came, each.status, each.detail) for each in seen] == [("closed", None, "ZeroDivisionError")]


@pytest.mark.parametrize(("stop", "words"), [("refusal", "refusal"), ("content_filter", "content_filter")])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", PATHS)
@waits
async def test_a_refusal_and_a_filter_are_on_record_by_one_word_for_each_format(path, stream, stop, words):
    async with gate(lambda heard: Said(("I will not.",), stop=stop)) as at:
        await at.post(path, asks(path, stream=stream))
    # Anthropic's format has one word for both.
    assert at.seen[0].answer.stop == ("refusal" if path == MESSAGES else words)


# --------------------------------------------------------------------------------------------- budgets


@pytest.mark.parametrize("path", PATHS)
@waits
async def test_a_spent_budget_is_the_formats_own_429_and_nothing_is_asked_any_more(path: str):
    asked: list[Heard] = []
    till = Till(limit=80_000)
    async with gate(lambda heard: asked.append(heard) or HELLO, till=till) as at:
        first = await at.post(path, asks(path, text="x" * 100, max_tokens=70_000, max_output_tokens=70_000))
        till.spent = 20_000
        second = await at.post(path, asks(path, max_tokens=70_000, max_output_tokens=70_000))
        till.spent = 0  # what others give back does not open it again
        third = await at.post(path, asks(path))
    assert [answer.status_code for answer in (first, second, third)] == [200, 429, 429]
    assert (second.headers["x-should-retry"], len(asked)) == ("false", 1)
    kind = second.json()["error"]["type"]
    assert kind == ("rate_limit_error" if path == MESSAGES else "insufficient_quota")
    assert [seen.came for seen in at.seen] == ["answered", "budget", "budget"]
    assert at.door.spent is not None
    assert at.door.total.calls == 1


@waits
async def test_a_spent_study_is_to_be_stopped():
    class Empty(Till):
        async def reserve(self, worst: Amount):
            raise BudgetSpent("usd: 5 of 5 is spent")

    async with gate(hello, till=Empty()) as at:
        assert (await at.post(CHAT, asks(CHAT))).status_code == 429
    assert isinstance(at.door.halt, BudgetSpent)
    assert at.seen[0].detail == "usd: 5 of 5 is spent"


@waits
async def test_what_is_set_aside_covers_the_question_by_its_bytes_and_all_the_output_allowed():
    async with gate(hello, policy=ProxyPolicy(output_tokens=500)) as at:
        await at.post(MESSAGES, asks(MESSAGES, max_tokens=70))
        await at.post(MESSAGES, asks(MESSAGES))
        await at.post(CHAT, asks(CHAT, n=1, max_completion_tokens=70))
        bound = len(json.dumps(asks(MESSAGES, max_tokens=70), separators=(",", ":")))
    worst = [reserved.tokens for reserved in at.till.reserved]
    assert worst[0] == bound + 70
    assert worst[1] - 500 == bound - 70 // 70 * len("70") + len("500")
    # 10 tokens at 1 dollar and 5 at 10 dollars a million
    assert at.till.settled[0] == Amount(usd=6e-05, tokens=15)
    assert (at.door.total.calls, at.door.total.tokens) == (3, 45)
    assert at.door.total.usd == pytest.approx(18e-05)


# --------------------------------------------------------------------------------------------- the record


@pytest.mark.parametrize("path", PATHS)
@waits
async def test_a_growing_history_costs_each_of_its_messages_once(path: str):
    key = "input" if path == RESPONSES else "messages"
    talk = [{"role": "user", "content": f"message {number}"} for number in range(6)]
    async with gate(hello) as at:
        for length in (1, 3, 6, 6):
            await at.post(path, {"model": "m", key: talk[:length], "tools": [function()]})
    assert [len(seen.request.messages) for seen in at.seen] == [1, 3, 6, 6]
    assert [len(seen.request.pieces) for seen in at.seen] == [2, 2, 3, 0]  # the first with its tools
    assert at.seen[3].request.messages == at.seen[2].request.messages
    texts = {name: text for seen in at.seen for name, text in seen.request.pieces.items()}
    assert json.loads(texts[at.seen[3].request.messages[4]]) == talk[4]


@waits
async def test_a_message_is_the_same_wherever_the_cache_is_asked_to_begin():
    def message(**mark: object) -> dict[str, object]:
        return {"role": "user", "content": [{"type": "text", "text": "hi", **mark}]}

    async with gate(hello) as at:
        for mark in ({"cache_control": {"type": "ephemeral"}}, {}):
            await at.post(MESSAGES, {"model": "m", "max_tokens": 9, "messages": [message(**mark)]})
    assert at.seen[0].request.messages == at.seen[1].request.messages


@waits
async def test_sixty_four_at_once_are_all_answered_and_each_is_on_record_once():
    def count(heard: Heard) -> Said:
        return Said((ToolCall("get_task", {"n": int(heard.turns[0].text)}),), usage=Usage(3, 1))

    async def one(at: Gate, number: int) -> int:
        stream = number % 2 == 0
        answer = await at.post(CHAT, asks(CHAT, str(number), stream=stream, tools=[function()]))
        text = answer.text
        return int(text.split('n\\": ')[1].split("}")[0]) if not stream else number if str(number) in text else -1

    async with gate(count) as at:
        found = await asyncio.gather(*(one(at, number) for number in range(64)))
    assert found == list(range(64))
    assert sorted(seen.index for seen in at.seen) == list(range(64))
    assert {seen.came for seen in at.seen} == {"answered"}
    assert at.door.total.tokens == 64 * 4
    assert (at.door.busy, len(at.till.settled)) == (0, 64)


@pytest.mark.parametrize("path", PATHS)
@waits
async def test_the_same_request_twice_has_two_answers_with_ids_of_their_own(path: str):
    async with gate(hello) as at:
        answers = [(await at.post(path, asks(path))).json() for _ in range(2)]
    assert answers[0]["id"] != answers[1]["id"]


@waits
async def test_an_answer_that_says_it_is_wrong_is_a_refusal_whatever_its_status():
    async with gate(lambda heard: Refused(500, "boom")) as at:
        await at.post(CHAT, asks(CHAT))
    assert (at.seen[0].came, at.seen[0].status, at.seen[0].detail) == ("refused", 500, "boom")


async def until(holds: Callable[[], bool]) -> None:
    """Let the server go on until something holds, which it does within a few turns of the loop or never."""
    while not holds():  # noqa: ASYNC110  nobody would set an event
        await asyncio.sleep(0)


@waits
async def test_the_brain_in_the_guide_pulls_a_task_by_whatever_name_and_is_done():
    guide = Path(__file__).parents[3] / "docs" / "guide" / "gateway.md"
    scope: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)```", guide.read_text(), re.DOTALL)[0], scope)
    async with gate(scope["upstream"]) as at:
        pulls = await at.post(CHAT, asks(CHAT, tools=[function("tasks_get_task")]))
        call = pulls.json()["choices"][0]["message"]["tool_calls"][0]
        result = {"role": "tool", "tool_call_id": call["id"], "content": "a farm"}
        talk = [{"role": "assistant", "tool_calls": [call]}, result]
        done = await at.post(CHAT, {"messages": talk, "tools": [function("tasks_get_task")]})
        none = await at.post(CHAT, asks(CHAT))
    assert call["function"]["name"] == "tasks_get_task"
    assert done.json()["choices"][0]["message"]["content"] == "Done."
    assert none.status_code == 400
