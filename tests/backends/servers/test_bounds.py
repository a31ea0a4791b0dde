"""How many tokens a request can be at most: by its bytes, and less once an answer has counted what came before."""

import json

import pytest

from rung.backends.models.gateway import IMAGE_TOKENS, MESSAGE_TOKENS
from rung.backends.servers.bounds import MOST_KNOWN, SLACK, Known, tokens
from rung.core.proxied import Heard, Said, Split
from rung.core.values import Usage

from .gate import gate
from .stands import waits

BASE64 = "A" * 4000


@pytest.mark.parametrize(
    ("block", "pictures"),
    [
        ({"type": "text", "text": BASE64}, 0),
        ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": BASE64}}, 1),
        ({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": BASE64}}, 0),
        ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{BASE64}"}}, 1),
        ({"type": "input_image", "image_url": f"data:image/png;base64,{BASE64}"}, 1),
        ({"content": [{"source": {"type": "base64", "media_type": "image/png", "data": BASE64}}] * 3}, 3),
    ],
)
def test_a_picture_is_allowed_for_as_a_picture_and_all_else_by_its_bytes(block: object, pictures: int):
    size = len(json.dumps(block, separators=(",", ":")))
    found = tokens(block)
    data = sum(len(BASE64) + len("data:image/png;base64,") * ("url" in str(block)) for _ in range(pictures))
    assert found == size - data + IMAGE_TOKENS * pictures


def request(*names: str, tools: str = "t") -> Split:
    return Split(system="s", tools=tools, messages=names)


def test_a_conversation_that_goes_on_is_bounded_by_what_it_was_and_the_bytes_of_what_is_new():
    known = Known()
    known.learn(request("a", "b"), Usage(1000, 5, 500), by_bytes=9000)
    bound = known.bound(request("a", "b", "c"), ["", "", "12345678"], by_bytes=9100)
    assert bound == 1500 + len('"12345678"') + MESSAGE_TOKENS + SLACK
    assert known.bound(request("a", "b"), ["", ""], by_bytes=2000) == 2000
    for other in (request("a", "x", "c"), request("b"), request("a"), request("a", "b", tools="u"), request()):
        assert known.bound(other, [""] * len(other.messages), by_bytes=9100) == 9100


@pytest.mark.parametrize("usage", [None, Usage(None, None), Usage(0, 5), Usage(100, 5)])
def test_a_count_that_cannot_be_is_not_remembered(usage: Usage | None):
    known = Known()
    known.learn(request("a"), usage, by_bytes=9000)
    assert known.bound(request("a", "b"), ["", ""], by_bytes=9100) == 9100


def test_no_more_conversations_are_remembered_than_a_session_can_have():
    known = Known()
    for number in range(MOST_KNOWN + 1):
        known.learn(request(f"{number}"), Usage(10, 1), by_bytes=100)
    assert known.bound(request("0", "x"), ["", ""], by_bytes=99_999) == 99_999
    assert known.bound(request("1", "x"), ["", ""], by_bytes=99_999) == 10 + 2 + MESSAGE_TOKENS + SLACK


@waits
async def test_a_session_sets_less_aside_for_its_second_request():
    def brain(heard: Heard) -> Said:
        return Said(("ok",), usage=Usage(5000, 7))

    talk = [{"role": "user", "content": "x" * 20_000}]
    async with gate(brain) as at:
        await at.post("v1/messages", {"model": "m", "max_tokens": 10, "messages": talk})
        talk += [{"role": "assistant", "content": "ok"}, {"role": "user", "content": "go on"}]
        await at.post("v1/messages", {"model": "m", "max_tokens": 10, "messages": talk})
    first, second = (reserved.tokens for reserved in at.till.reserved)
    new = len('{"role":"assistant","content":"ok"}') + len('{"role":"user","content":"go on"}')
    assert first > 20_000
    assert second == 5000 + new + 2 * MESSAGE_TOKENS + SLACK + 10
