"""What a program did, read from the gateway's record in each of the three formats."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from rung.core.canonical import canonical
from rung.findings.deeds import Kind, deeds, inherited, kind_of
from rung.store.memory import MemoryJournal

SESSION = "claude/L1/work"


def exchange(
    journal: MemoryJournal,
    number: int,
    wire: str,
    turns: Sequence[Mapping[str, Any]],
    answer: Mapping[str, Any],
    *,
    came: str = "answered",
) -> None:
    def kept(value: Any) -> str:
        return journal.blob(canonical(value).encode())

    journal.put(
        f"{SESSION}/exchange/{number:06d}",
        "exchange",
        {
            "wire": wire,
            "came": came,
            "request": {
                "head": {},
                "system": kept("be good"),
                "tools": None,
                "messages": [kept(turn) for turn in turns],
            },
            "answer": {"body": kept(answer), "model": "m", "stop": "", "error": ""},
        },
    )


ASK = {"role": "user", "content": "Begin."}
ANTHROPIC = (
    "anthropic-messages",
    {
        "content": [
            {"type": "text", "text": "hm"},
            {"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "ls -l"}},
        ]
    },
    [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "a.txt", "is_error": False}]}],
    {"content": [{"type": "text", "text": "done"}]},
)
CHAT = (
    "openai-chat",
    {
        "choices": [
            {
                "message": {
                    "tool_calls": [{"id": "1", "function": {"name": "bash", "arguments": '{"command": "ls -l"}'}}]
                }
            }
        ]
    },
    [{"role": "tool", "tool_call_id": "1", "content": "a.txt"}],
    {"choices": [{"message": {"content": "done"}}]},
)
RESPONSES = (
    "openai-responses",
    {"output": [{"type": "function_call", "call_id": "1", "name": "shell", "arguments": '{"command": ["ls", "-l"]}'}]},
    [{"type": "function_call_output", "call_id": "1", "output": "a.txt"}],
    {"output": []},
)


@pytest.mark.parametrize(("wire", "answer", "result", "last"), [ANTHROPIC, CHAT, RESPONSES])
def test_a_call_is_a_deed_with_its_result_in_every_format(wire: str, answer: Any, result: Any, last: Any):
    journal = MemoryJournal()
    exchange(journal, 0, wire, [ASK], answer)
    exchange(journal, 1, wire, [ASK, *result], last)
    (found,) = deeds(journal, SESSION)
    assert (found.kind, found.text, found.result, found.failed) == ("command", "ls -l", "a.txt", False)
    assert (found.place, found.number) == (f"{SESSION}/exchange/000000", 1)


def test_a_result_is_what_it_first_was_though_a_program_takes_it_out_of_its_conversation_later():
    journal = MemoryJournal()
    wire, answer, (said,), last = ANTHROPIC
    cleared = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "[cleared]"}]}
    exchange(journal, 0, wire, [ASK], answer)
    exchange(journal, 1, wire, [ASK, said], last)
    exchange(journal, 2, wire, [ASK, cleared], last)
    assert deeds(journal, SESSION)[0].result == "a.txt"


def test_what_stood_in_the_conversation_at_first_is_inherited_and_no_deed():
    journal = MemoryJournal()
    before = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "0", "name": "Bash", "input": {"command": "old"}}],
    }
    exchange(journal, 0, "anthropic-messages", [before, ASK], {"content": []})
    assert deeds(journal, SESSION) == ()
    assert "old" in inherited(journal, SESSION)
    assert "be good" in inherited(journal, SESSION)


def test_a_request_that_brought_no_answer_made_no_deed():
    journal = MemoryJournal()
    exchange(journal, 0, ANTHROPIC[0], [ASK], ANTHROPIC[1], came="cut")
    assert deeds(journal, SESSION) == ()


def test_arguments_that_are_no_object_stand_as_text():
    journal = MemoryJournal()
    call = {"type": "custom_tool_call", "call_id": "1", "name": "apply_patch", "input": "*** Begin Patch"}
    exchange(journal, 0, "openai-responses", [ASK], {"output": [call]})
    (found,) = deeds(journal, SESSION)
    assert (found.kind, found.text) == ("write", "*** Begin Patch")


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("Bash", {"command": "ls"}, "command"),
        ("exec_command", {"cmd": "ls"}, "command"),
        ("local_shell", {"command": ["ls"]}, "command"),
        ("Read", {"file_path": "/a"}, "read"),
        ("Write", {"file_path": "/a", "content": ""}, "write"),
        ("apply_patch", {"input": ""}, "write"),
        ("Task", {"prompt": "go"}, "subagent"),
        ("spawn_agent", {}, "subagent"),
        ("WebSearch", {"query": "q"}, "web"),
        ("Grep", {"pattern": "x"}, "search"),
        ("mcp__tasks__answer", {"task": "t"}, "task"),
        ("tasks_get_task", {}, "task"),
        ("mcp__other__lookup", {"url": "http://x"}, "web"),
        ("ponder", {}, "other"),
    ],
)
def test_the_kind_of_a_deed_follows_from_its_tools_name_and_its_arguments(tool: str, arguments: Any, kind: Kind):
    assert kind_of(tool, arguments) == kind


def test_json_that_is_too_deep_is_text():
    journal = MemoryJournal()
    deep = "[" * 100_000
    call = {"type": "function_call", "call_id": "1", "name": "shell", "arguments": deep}
    exchange(journal, 0, "openai-responses", [ASK], {"output": [call]})
    assert deeds(journal, SESSION)[0].arguments == {"input": deep}
    assert json.dumps(deep)
