"""What a provider would do by itself is found, taken out or refused, and on record: the model's server is no way out.

Attack 55 of our list: tools that a provider runs, connectors, and links that it would fetch.
"""

from typing import Any

import pytest

from rung.backends.servers.anthropic_messages import AnthropicMessages
from rung.backends.servers.openai_chat import OpenAIChat
from rung.backends.servers.openai_responses import OpenAIResponses
from rung.backends.servers.upstream import JSON_TYPE, Flow, whole
from rung.backends.servers.wires import REMOVED, Format
from rung.core.proxied import Heard, ProxyPolicy, Said

from .gate import PIXEL, gate
from .stands import waits

MESSAGES, CHAT, RESPONSES = AnthropicMessages(), OpenAIChat(), OpenAIResponses()
PATHS = {MESSAGES: "v1/messages", CHAT: "v1/chat/completions", RESPONSES: "v1/responses"}
DATA = f"data:image/png;base64,{PIXEL}"


def said(form: Format, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A request with these blocks in its one message."""
    key = "input" if form is RESPONSES else "messages"
    return {"model": "m", key: [{"role": "user", "content": list(blocks)}], **more}


def tool(form: Format, kind: str, **more: Any) -> dict[str, Any]:
    return said(form, tools=[{"type": kind, **more}])


def url_picture(url: str) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "url", "url": url}}


def result(*content: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "t", "content": list(content)}


LINK = "https://files.example/a.png?q=secret"
BY_THE_PROVIDER = [
    (MESSAGES, tool(MESSAGES, "web_search_20250305", name="web_search"), ("web_search_20250305",)),
    (MESSAGES, tool(MESSAGES, "web_fetch_20250910", name="web_fetch"), ("web_fetch_20250910",)),
    (MESSAGES, tool(MESSAGES, "code_execution_20250825", name="x"), ("code_execution_20250825",)),
    (MESSAGES, tool(MESSAGES, "mcp_toolset", mcp_server_name="x"), ("mcp_toolset",)),
    (MESSAGES, tool(MESSAGES, "of_a_kind_yet_unknown"), ("of_a_kind_yet_unknown",)),
    (MESSAGES, tool(MESSAGES, 7), ("?",)),  # type: ignore[arg-type]
    (MESSAGES, said(MESSAGES, mcp_servers=[{"url": "https://x"}]), ("mcp_servers",)),
    (MESSAGES, said(MESSAGES, container={"skills": [1]}), ("container",)),
    (MESSAGES, said(MESSAGES, url_picture(LINK)), ("url:files.example",)),
    (MESSAGES, said(MESSAGES, {"type": "document", "source": {"type": "file", "file_id": "f"}}), ("state:file",)),
    (MESSAGES, said(MESSAGES, {"type": "container_upload", "file_id": "f"}), ("state:file",)),
    (MESSAGES, said(MESSAGES, result(url_picture("http://10.0.0.1/"))), ("url:10.0.0.1",)),
    (MESSAGES, said(MESSAGES, {"type": "document", "source": {"type": "content", "content": [url_picture(LINK)]}}),
     ("url:files.example",)),
    (CHAT, tool(CHAT, "web_search"), ("web_search",)),
    (CHAT, said(CHAT, models=["dearest", "cheapest"]), ("models",)),
    (CHAT, tool(CHAT, "mcp"), ("mcp",)),
    (CHAT, said(CHAT, web_search_options={"user_location": {}}), ("web_search",)),
    (CHAT, said(CHAT, plugins=[{"id": "web"}]), ("plugins",)),
    (CHAT, said(CHAT, search_parameters={"mode": "on"}), ("web_search",)),
    (CHAT, said(CHAT, {"type": "image_url", "image_url": {"url": LINK}}), ("url:files.example",)),
    (CHAT, said(CHAT, {"type": "image_url", "image_url": LINK}), ("url:files.example",)),
    (CHAT, said(CHAT, {"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}), ("url:?",)),
    (CHAT, said(CHAT, {"type": "video_url", "video_url": {"url": LINK}}), ("url:files.example",)),
    (CHAT, said(CHAT, {"type": "file", "file": {"file_id": "f"}}), ("state:file",)),
    (RESPONSES, tool(RESPONSES, "web_search", external_web_access=True), ("web_search",)),
    (RESPONSES, tool(RESPONSES, "web_search_preview"), ("web_search_preview",)),
    (RESPONSES, tool(RESPONSES, "code_interpreter", container={"type": "auto"}), ("code_interpreter",)),
    (RESPONSES, tool(RESPONSES, "file_search", vector_store_ids=["v"]), ("file_search",)),
    (RESPONSES, tool(RESPONSES, "mcp", server_url="https://x"), ("mcp",)),
    (RESPONSES, tool(RESPONSES, "image_generation"), ("image_generation",)),
    (RESPONSES, tool(RESPONSES, "computer_use_preview"), ("computer_use_preview",)),
    (RESPONSES, tool(RESPONSES, "shell", environment={"type": "container_auto"}), ("shell",)),
    (RESPONSES, tool(RESPONSES, "shell"), ("shell",)),
    (RESPONSES, tool(RESPONSES, "namespace", name="n", tools=[{"type": "web_search"}]), ("web_search",)),
    (RESPONSES, said(RESPONSES, {"type": "input_image", "image_url": LINK}), ("url:files.example",)),
    (RESPONSES, said(RESPONSES, {"type": "input_image", "file_id": "f"}), ("state:file",)),
    (RESPONSES, said(RESPONSES, {"type": "input_file", "file_url": LINK}), ("url:files.example",)),
    (RESPONSES, {"input": [{"type": "function_call_output", "output": [{"type": "input_image", "image_url": LINK}]}]},
     ("url:files.example",)),
]  # fmt: skip

BY_THE_PROGRAM = [
    (MESSAGES, said(MESSAGES, tools=[{"name": "f", "input_schema": {}}, {"type": "custom", "name": "g"}])),
    (MESSAGES, tool(MESSAGES, "bash_20250124", name="bash")),
    (MESSAGES, tool(MESSAGES, "text_editor_20250728", name="e")),
    (MESSAGES, said(MESSAGES, {"type": "image", "source": {"type": "base64", "data": PIXEL}}, result())),
    (MESSAGES, said(MESSAGES, {"type": "text", "text": f"see {LINK}"}, mcp_servers=[])),
    (CHAT, said(CHAT, {"type": "image_url", "image_url": {"url": DATA}}, tools=[{"type": "function"}])),
    (CHAT, said(CHAT, {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA"}})),
    (RESPONSES, said(RESPONSES, {"type": "input_image", "image_url": DATA.replace("data", "DATA")})),
    (RESPONSES, said(RESPONSES, tools=[{"type": kind} for kind in ("function", "custom", "local_shell")])),
    (RESPONSES, tool(RESPONSES, "shell", environment={"type": "local"})),
    (RESPONSES, tool(RESPONSES, "namespace", name="n", tools=[{"type": "function", "name": "f"}])),
    (RESPONSES, {"input": "a text", "previous_response_id": None, "background": False}),
]


@pytest.mark.parametrize(("form", "body", "offered"), BY_THE_PROVIDER)
def test_what_the_provider_would_do_is_found_and_none_of_it_is_left(form: Format, body: Any, offered: tuple[str, ...]):
    before = repr(body)
    screened = form.screen(body)
    assert screened.offered == offered
    left = form.screen(screened.body)
    assert (left.offered, left.body) == ((), screened.body)
    assert LINK not in repr(screened.body)
    assert repr(body) == before


@pytest.mark.parametrize(("form", "body"), BY_THE_PROGRAM)
def test_what_the_program_does_itself_passes_as_the_very_same_object(form: Format, body: Any):
    screened = form.screen(body)
    assert (screened.offered, screened.body is body) == ((), True)


def test_a_tool_beside_those_taken_out_stays_and_a_choice_of_one_that_is_gone_goes():
    ours = {"name": "f", "input_schema": {}}
    theirs = {"type": "web_search_20250305", "name": "web_search"}
    body = said(MESSAGES, tools=[ours, theirs], tool_choice={"type": "tool", "name": "web_search"})
    assert MESSAGES.screen(body).body == said(MESSAGES, tools=[ours])
    kept = said(MESSAGES, tools=[ours, theirs], tool_choice={"type": "tool", "name": "f"})
    assert MESSAGES.screen(kept).body == said(MESSAGES, tools=[ours], tool_choice={"type": "tool", "name": "f"})
    flat = {"type": "function", "name": "f"}
    chosen = said(RESPONSES, tools=[flat, {"type": "mcp"}], tool_choice={"type": "mcp"}, include=["mcp_call.x", "r"])
    assert RESPONSES.screen(chosen).body == said(RESPONSES, tools=[flat], include=["r"])
    only = said(CHAT, tools=[{"type": "mcp"}], tool_choice="auto", parallel_tool_calls=True)
    assert CHAT.screen(only).body == said(CHAT)


def test_a_link_is_replaced_by_words_so_that_no_message_is_empty():
    screened = MESSAGES.screen(said(MESSAGES, result(url_picture(LINK))))
    assert screened.body["messages"][0]["content"][0]["content"] == [{"type": "text", "text": REMOVED}]


# --------------------------------------------------------------------------------------------- by policy


@pytest.mark.parametrize(("form", "body", "offered"), BY_THE_PROVIDER[::5])
@pytest.mark.parametrize("how", ["strip", "refuse", "allow"])
@waits
async def test_the_policy_says_what_becomes_of_it(form: Format, body: Any, offered: tuple[str, ...], how: Any):
    asked: list[dict[str, Any]] = []

    async with gate(_Listens(asked), policy=ProxyPolicy(provider_tools=how)) as at:
        answer = await at.post(PATHS[form], body)
    tools = at.seen[0].provider_tools
    assert tools.offered == offered
    assert tools.removed == (offered if how == "strip" else ())
    if how == "refuse":
        assert (answer.status_code, asked, at.seen[0].came) == (400, [], "policy")
        assert offered[0] in answer.json()["error"]["message"]
    else:
        assert (form.screen(asked[0]).offered == offered) == (how == "allow")


class _Listens:
    """An upstream that keeps what it is asked."""

    model, price = "m", None

    def __init__(self, asked: list[Any]) -> None:
        self.asked = asked

    def speaks(self, wire: str) -> bool:
        return True

    async def open(self, sent: Any, spending: Any) -> Any:
        self.asked.append(sent.body)
        return Flow(200, JSON_TYPE, whole({}))


@pytest.mark.parametrize("key", ["previous_response_id", "conversation", "prompt", "background"])
@pytest.mark.parametrize(("how", "status"), [("strip", 400), ("refuse", 400), ("allow", 200)])
@waits
async def test_a_conversation_that_lies_with_the_provider_is_refused_unless_it_is_allowed(
    how: Any, key: str, status: int
):
    def brain(heard: Heard) -> Said:
        return Said(("ok",))

    async with gate(brain, policy=ProxyPolicy(provider_tools=how)) as at:
        answer = await at.post(PATHS[RESPONSES], {"input": "hi", key: "x"})
    assert answer.status_code == status
    assert at.seen[0].provider_tools.offered == (f"state:{key}",)


# --------------------------------------------------------------------------------------------- what it used


def test_what_a_provider_did_by_itself_is_read_off_its_answer():
    claude = {"type": "message", "content": [
        {"type": "server_tool_use", "name": "web_search"}, {"type": "web_search_tool_result"},
        {"type": "mcp_tool_use", "name": "x y"}, {"type": "tool_use", "name": "f"},
    ]}  # fmt: skip
    assert MESSAGES.read(claude).used == ("web_search", "x-y")
    chat = {"choices": [{"message": {"content": "a", "annotations": [{"type": "url_citation"}]}}]}
    assert CHAT.read(chat).used == ("web_search",)
    kinds = ("web_search_call", "function_call", "custom_tool_call", "mcp_call", "message", "web_search_call")
    assert RESPONSES.read({"output": [{"type": kind} for kind in kinds]}).used == ("web_search", "mcp")
    for form in (MESSAGES, CHAT, RESPONSES):
        assert form.read({}).used == ()
