"""Searches by the provider, as answers of three formats and of many makers tell of them."""

from collections.abc import Mapping
from typing import Any

import pytest

from rung.findings.audit import provider
from rung.findings.audit.exam import Said, exam
from rung.findings.audit.provider import Answered

from .records import EXAM

KNOWN = exam([Said(place, f"t{place}", (prompt,)) for place, (prompt, _) in enumerate(EXAM, 1)], [])
NOTE = {"type": "url_citation", "url": "https://docs.example/heapq", "title": "heapq"}


def message(**more: Any) -> Mapping[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": "It is so.", **more}}]}


SIGNS: Mapping[str, Mapping[str, Any]] = {
    "a call": {"content": [{"type": "server_tool_use", "name": "web_search", "input": {"query": "heapq"}}]},
    "a fetch": {"content": [{"type": "server_tool_use", "name": "web_fetch", "input": {"url": "https://d.example"}}]},
    "code": {"content": [{"type": "server_tool_use", "name": "code_execution", "input": {"code": "print(1)"}}]},
    "a result alone": {"content": [{"type": "web_search_tool_result", "content": [{"url": "https://d.example"}]}]},
    "a fetch's result": {"content": [{"type": "web_fetch_tool_result", "content": {"url": "https://d.example"}}]},
    "a cited text": {
        "content": [{"type": "text", "text": "So.", "citations": [{"type": "web_search_result_location", "url": "u"}]}]
    },
    "a count": {"content": [], "usage": {"input_tokens": 3, "server_tool_use": {"web_search_requests": 1}}},
    "a tool of another server": {"content": [{"type": "mcp_tool_use", "name": "lookup", "input": {}}]},
    "chat, a note": message(annotations=[{"type": "url_citation", "url_citation": NOTE}]),
    "chat, citations beside": {**message(), "citations": ["https://d.example"]},
    "chat, results beside": {**message(), "search_results": [{"title": "heapq", "url": "https://d.example"}]},
    "chat, a count": {**message(), "usage": {"prompt_tokens": 1, "num_sources_used": 4}},
    "chat, a call": message(tool_calls=[{"type": "builtin_function", "id": "1", "function": {"name": "$web_search"}}]),
    "responses, a call": {"output": [{"type": "web_search_call", "action": {"type": "search", "query": "heapq"}}]},
    "responses, a call that says nothing": {"output": [{"type": "web_search_call", "id": "ws", "status": "completed"}]},
    "responses, files": {"output": [{"type": "file_search_call", "queries": ["heapq"], "results": None}]},
    "responses, code": {"output": [{"type": "code_interpreter_call", "code": "print(1)"}]},
    "responses, a server": {"output": [{"type": "mcp_call", "name": "lookup", "arguments": "{}"}]},
    "responses, a note": {
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "So.", "annotations": [NOTE]}]}]
    },
    "marks in a text": {"content": [{"type": "text", "text": "It is a heap. citeturn0search1"}]},
    "marks in an address": message(content=[{"type": "text", "text": "see https://d.example/?utm_source=openai"}]),
}

NONE: Mapping[str, Mapping[str, Any]] = {
    "a text": {"content": [{"type": "text", "text": "I shall search my notes for sources, and fetch the next task."}]},
    "a tool of the program's": {
        "content": [{"type": "tool_use", "name": "WebSearch", "input": {"query": "q", "citations": ["x"]}}],
        "usage": {"input_tokens": 5, "server_tool_use": {"web_search_requests": 0}},
    },
    "thoughts": {"content": [{"type": "thinking", "thinking": "search", "signature": "x"}], "usage": {"x": 1}},
    "chat": {**message(tool_calls=[{"type": "function", "function": {"name": "search", "arguments": "{}"}}])},
    "chat, empty notes": {**message(annotations=[]), "citations": [], "usage": {"prompt_tokens": 9, "total_tokens": 9}},
    "responses": {"output": [{"type": "function_call", "name": "shell", "arguments": "{}"}, {"type": "reasoning"}]},
    "responses, other calls": {"output": [{"type": "local_shell_call"}, {"type": "custom_tool_call", "input": "x"}]},
    "counts of tokens": {"usage": {"output_tokens_details": {"reasoning_tokens": 8}, "service_tier": "standard"}},
}


def found(body: Mapping[str, Any], *, allowed: bool = False, used: tuple[str, ...] = ()) -> list[str]:
    answer = Answered("a/L1/work/exchange/000001", "a.L1", "work", used, body)
    return [each.weight for each in provider.search([answer], KNOWN, allowed=allowed)]


@pytest.mark.parametrize("sign", SIGNS)
def test_a_tool_of_the_providers_is_seen_by_whatever_the_answer_has_of_it(sign: str):
    assert found(SIGNS[sign]) == ["strong"]


@pytest.mark.parametrize("sign", NONE)
def test_an_answer_without_such_a_tool_is_clean(sign: str):
    assert found(NONE[sign]) == []
    assert found(NONE[sign], allowed=True) == []


def test_a_tool_that_the_gateway_saw_is_evidence_although_the_answer_says_no_more():
    assert found({"content": []}, used=("code_execution",)) == ["strong"]
    assert found({"content": []}, used=("web_search",), allowed=True) == []


def test_an_allowed_search_is_none_whether_its_query_is_on_record_or_not():
    assert found(SIGNS["a call"], allowed=True) == []
    assert found(SIGNS["responses, code"], allowed=True) == []
    assert found(SIGNS["a result alone"], allowed=True) == []
    assert found(SIGNS["chat, results beside"], allowed=True) == []
