"""Desks over MCP: real clients, both handshakes, and whatever a program may send."""

import asyncio
import base64
import json
import os
import sys
from pathlib import Path
from typing import Any

import httpx2
import mcp
import pytest
from mcp.client.stdio import StdioServerParameters

from rung.core.errors import InstrumentFault, Stopped

from .desks import PICTURE, Desk, Served, served
from .stands import waits

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
NEW = {"mcp-protocol-version": "2026-07-28"}
MODES = ["2026-07-28", "auto", "legacy"]


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


async def post(
    where: Served, content: bytes | dict[str, Any], headers: dict[str, str] | None = None
) -> httpx2.Response:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    async with httpx2.AsyncClient(trust_env=False) as client:
        return await client.post(where.mcp, content=body, headers={**ACCEPT, **(headers or {})})


# ---------------------------------------------------------------------------------------------- real clients


@pytest.mark.parametrize("mode", MODES)
@waits
async def test_a_client_of_either_handshake_lists_the_tools_and_calls_them(mode: str):
    desk = Desk()
    async with served(desk) as where, mcp.Client(where.mcp, mode=mode) as client:
        listed = (await client.list_tools()).tools
        answer = await client.call_tool("say", {"task": "t-1", "text": "ünï"})
    assert [(tool.name, tool.description) for tool in listed] == [("say", "Say it back."), ("picture", "Show one.")]
    assert listed[0].input_schema == desk.tools()[0].parameters
    assert answer.content[0].text == '["say", {"task": "t-1", "text": "\\u00fcn\\u00ef"}]'  # type: ignore[union-attr]
    assert (answer.meta["data"], answer.structured_content) == ({"tool": "say", "task": "t-1", "text": "ünï"}, None)
    assert not answer.is_error
    assert desk.asked == [("say", {"task": "t-1", "text": "ünï"})]


@pytest.mark.parametrize("mode", MODES)
@waits
async def test_a_picture_comes_as_a_picture_beside_the_text(mode: str):
    async with served(Desk()) as where, mcp.Client(where.mcp, mode=mode) as client:
        text, picture = (await client.call_tool("picture", {})).content
    assert text.type == "text"
    assert picture.type == "image"
    assert (picture.mime_type, base64.b64decode(picture.data)) == (PICTURE.media_type, PICTURE.data)


@pytest.mark.parametrize("mode", MODES)
@waits
async def test_a_call_that_is_no_good_is_an_answer_and_no_error_of_the_protocol(mode: str):
    async with served(Desk()) as where, mcp.Client(where.mcp, mode=mode) as client:
        answer = await client.call_tool("rm", {"path": "/"})
    assert answer.is_error
    assert answer.content[0].text == '["rm", {"path": "/"}]'  # type: ignore[union-attr]


@waits
async def test_numbers_and_nesting_arrive_as_they_were_sent():
    desk, sent = Desk(), {"big": 2**70, "small": 1.5, "whole": 1, "none": None, "deep": [[{"a": [True]}]], "ü": "\x00"}
    async with served(desk) as where, mcp.Client(where.mcp) as client:
        await client.call_tool("say", sent)
    assert desk.asked == [("say", sent)]


@waits
async def test_several_calls_of_one_client_are_under_way_at_once():
    desk = Desk()
    async with served(desk) as where, mcp.Client(where.mcp) as client:
        waiting = asyncio.create_task(client.call_tool("wait", {}))
        await desk.entered.wait()
        await client.call_tool("say", {})
        desk.opened.set()
        await waiting
    assert [tool for tool, _ in desk.asked] == ["wait", "say"]


@waits
async def test_doors_are_told_apart_by_their_token_and_by_nothing_else():
    one, two = Desk(), Desk()
    async with served(one) as where:
        await where.doors.open("another", two)
        other = where.mcp.replace("a-token", "another")
        async with mcp.Client(where.mcp) as first, mcp.Client(other) as second:
            await asyncio.gather(first.call_tool("say", {"text": "1"}), second.call_tool("say", {"text": "2"}))
    assert (one.asked, two.asked) == ([("say", {"text": "1"})], [("say", {"text": "2"})])


@waits
async def test_two_clients_of_one_token_are_one_agent():
    desk = Desk()
    async with served(desk) as where:
        for text in ("1", "2"):
            async with mcp.Client(where.mcp) as client:
                await client.call_tool("say", {"text": text})
    assert [arguments["text"] for _, arguments in desk.asked] == ["1", "2"]


@waits
async def test_the_token_may_stand_in_a_header():
    desk = Desk()
    async with served(desk) as where, httpx2.AsyncClient(trust_env=False) as client:
        url = f"http://127.0.0.1:{where.port}/mcp"
        call = request("tools/call", name="say", arguments={})
        good = await client.post(url, json=call, headers={**ACCEPT, "authorization": "Bearer a-token"})
        bad = [await client.post(url, json=call, headers={**ACCEPT, "authorization": each})
               for each in ("Bearer other", "Basic a-token", "")]  # fmt: skip
    assert (good.status_code, [each.status_code for each in bad]) == (200, [404, 404, 404])
    assert len(desk.asked) == 1


# ------------------------------------------------------------------------------------------- the older handshake, raw


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
@waits
async def test_an_older_program_shakes_hands_and_calls_without_a_session(version: str):
    async with served(Desk()) as where:
        hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
        met = (await post(where, request("initialize", **hello))).json()["result"]
        ready = await post(where, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        header = {"mcp-protocol-version": version}
        listed = (await post(where, request("tools/list"), header)).json()["result"]
        called = (await post(where, request("tools/call", name="say", arguments={"text": "x"}), header)).json()[
            "result"
        ]
    assert (met["protocolVersion"], met["serverInfo"]["name"], met["instructions"]) == (version, "tasks", "Say things.")
    assert ready.status_code == 202
    assert [tool["name"] for tool in listed["tools"]] == ["say", "picture"]
    assert called["_meta"]["data"] == {"tool": "say", "text": "x"}


@waits
async def test_a_bare_call_of_an_older_program_is_answered_too():
    async with served(Desk()) as where:
        called = await post(where, request("tools/call", name="say", arguments={}))
    assert called.status_code == 200


@waits
async def test_a_session_that_this_server_never_gave_is_no_hindrance():
    async with served(Desk()) as where:
        header = {"mcp-session-id": "of-a-server-that-is-gone", "mcp-protocol-version": "2025-06-18"}
        called = await post(where, request("tools/call", name="say", arguments={}), header)
    assert called.status_code == 200


# ---------------------------------------------------------------------------------------------- whatever is sent

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
MALFORMED: dict[str, tuple[bytes, set[int]]] = {
    "no JSON": (b"{nope", {PARSE_ERROR}),
    "nothing": (b"", {PARSE_ERROR}),
    "no UTF-8": (b'{"jsonrpc": "\xff"}', {PARSE_ERROR, INVALID_REQUEST}),
    "deep": (b"[" * 100_000, {PARSE_ERROR}),
    "a batch": (b"[]", {INVALID_REQUEST, INVALID_PARAMS}),
    "a number": (b"7", {INVALID_REQUEST, INVALID_PARAMS}),
    "no method": (b'{"jsonrpc": "2.0", "id": 1}', {INVALID_REQUEST, INVALID_PARAMS}),
    "another version": (b'{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}', {INVALID_REQUEST, INVALID_PARAMS}),
    "an unknown method": (b'{"jsonrpc": "2.0", "id": 1, "method": "rm"}', {METHOD_NOT_FOUND, INVALID_PARAMS}),
    "no name": (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}', {INVALID_PARAMS}),
    "arguments a list": (
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "say", "arguments": [1]}}',
        {INVALID_PARAMS},
    ),
}


@pytest.mark.parametrize("headers", [{}, NEW], ids=["older", "newer"])
@pytest.mark.parametrize("kind", MALFORMED)
@waits
async def test_a_request_that_is_none_is_an_error_of_the_protocol_and_the_server_goes_on(
    kind: str, headers: dict[str, str]
):
    desk = Desk()
    content, codes = MALFORMED[kind]
    async with served(desk) as where:
        refused = await post(where, content, headers)
        good = await post(where, request("tools/call", name="say", arguments={}))
    assert refused.json()["error"]["code"] in codes
    assert good.status_code == 200
    assert [tool for tool, _ in desk.asked] == ["say"]


@waits
async def test_a_request_that_is_too_long_is_refused_before_it_is_read():
    desk = Desk()
    async with served(desk) as where:
        refused = await post(where, b'{"' + b"x" * (5 << 20))
    assert refused.status_code == 413
    assert desk.asked == []


@pytest.mark.parametrize("path", ["/", "/s", "/s/other/mcp", "/s/a-token", "/s/a-token/rm", "/s/a-token/mcp/x", "/mcp"])
@pytest.mark.parametrize("method", ["GET", "POST"])
@waits
async def test_at_any_other_address_there_is_nothing(path: str, method: str):
    async with served(Desk()) as where, httpx2.AsyncClient(trust_env=False) as client:
        found = await client.request(method, f"http://127.0.0.1:{where.port}{path}", headers=ACCEPT)
    assert (found.status_code, found.json()) == (404, {"error": "there is nothing at this address"})


@waits
async def test_there_is_nothing_to_listen_to_and_no_session_to_delete():
    async with served(Desk()) as where, httpx2.AsyncClient(trust_env=False) as client:
        found = [await client.request(method, where.mcp, headers=ACCEPT) for method in ("GET", "DELETE")]
    assert [(each.status_code, each.headers["allow"]) for each in found] == [(405, "POST")] * 2


@waits
async def test_a_door_that_was_shut_is_as_unknown_as_any_other():
    async with served(Desk()) as where:
        await where.doors.shut("a-token")
        refused = await post(where, request("tools/list"))
    assert refused.status_code == 404


# ---------------------------------------------------------------------------------------------- cut off


@waits
async def test_a_call_whose_caller_hangs_up_has_its_effect_once():
    desk = Desk()
    async with served(desk) as where:
        _, writer = await asyncio.open_connection("127.0.0.1", where.port)
        body = json.dumps(request("tools/call", name="wait", arguments={})).encode()
        head = f"POST /s/a-token/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: {ACCEPT['accept']}\r\n"
        writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        await desk.entered.wait()
        writer.close()
        await writer.wait_closed()
        desk.opened.set()
        async with mcp.Client(where.mcp) as client:
            await client.call_tool("say", {})
    assert [tool for tool, _ in desk.asked] == ["wait", "say"]
    assert desk.finished == 2


@pytest.mark.parametrize("end", [InstrumentFault("store", "the disk is full"), Stopped("stop"), KeyError("a bug")])
@waits
async def test_what_ends_a_session_is_kept_for_its_owner_and_the_caller_learns_no_more_than_that(end: Exception):
    desk = Desk(fails=end)
    async with served(desk) as where:
        async with mcp.Client(where.mcp) as client:
            answer = await client.call_tool("break", {})
            again = await client.call_tool("break", {})
        kept = await where.door.ended
    assert kept is end
    assert answer.is_error
    assert answer.content[0].text == again.content[0].text == "The session is over."  # type: ignore[union-attr]


@waits
async def test_sixty_four_clients_at_once_lose_no_call():
    desks = {f"token-{number}": Desk() for number in range(64)}

    async def work(base: str, token: str) -> None:
        async with mcp.Client(f"{base}/s/{token}/mcp") as client:
            for step in range(3):
                answer = await client.call_tool("say", {"text": f"{token} {step}"})
                assert answer.meta["data"] == {"tool": "say", "text": f"{token} {step}"}

    async with served(Desk()) as where:
        for token, desk in desks.items():
            await where.doors.open(token, desk)
        base = f"http://127.0.0.1:{where.port}"
        await asyncio.gather(*(work(base, token) for token in desks))
    for token, desk in desks.items():
        assert desk.asked == [("say", {"text": f"{token} {step}"}) for step in range(3)]


# ---------------------------------------------------------------------------------------------- stdio

STDIO = """
import asyncio, sys
sys.path.insert(0, {root!r})
from rung.backends.servers.mcp import over_stdio
from tests.backends.servers.desks import Desk
asyncio.run(over_stdio(Desk()))
"""


@pytest.mark.parametrize("mode", MODES)
@waits
async def test_a_desk_is_served_over_stdio_in_either_handshake(mode: str):
    root = str(Path(__file__).parents[3])
    code = STDIO.format(root=root)
    program = StdioServerParameters(command=sys.executable, args=["-c", code], cwd=root, env=_environment())
    async with mcp.Client(program, mode=mode) as client:
        listed = (await client.list_tools()).tools
        answer = await client.call_tool("say", {"text": "x"})
        picture = (await client.call_tool("picture", {})).content[1]
    assert [tool.name for tool in listed] == ["say", "picture"]
    assert answer.meta["data"] == {"tool": "say", "text": "x"}
    assert picture.type == "image"


@waits
async def test_lines_that_are_no_requests_do_not_end_a_server_over_stdio():
    root = str(Path(__file__).parents[3])
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", STDIO.format(root=root), cwd=root, env=_environment(), stdin=-1, stdout=-1
    )
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    lines = [request("initialize", **hello), {**request("tools/call", name="say", arguments={}), "id": 2}]
    sent = b"{nope\n\xff\xfe\n[]\n7\n" + b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(sent)
    answered: dict[int, Any] = {}
    while 2 not in answered:
        line = json.loads(await process.stdout.readline())
        answered[line["id"]] = line
    process.stdin.close()
    assert await process.wait() == 0
    assert answered[1]["result"]["serverInfo"]["name"] == "tasks"
    assert answered[2]["result"]["_meta"]["data"] == {"tool": "say"}


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME") if name in os.environ}
