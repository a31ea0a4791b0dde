import asyncio
from pathlib import Path

import pytest

from rung.backends.models.backend import TryAgain
from rung.backends.models.scripted import Script, Scripted, from_file, make, plainest
from rung.core.canonical import JSON
from rung.core.errors import ModelFault, UsageError
from rung.core.values import Call, Message, ModelReply, ModelRequest, Tool, Usage

from .stands import Time

TOOL = Tool("plant seeds", "Plant.", {"type": "object", "properties": {"row": {"minimum": 2, "type": "integer"}},
                                      "required": ["row"]})  # fmt: skip


def asked(*texts: str, tools: tuple[Tool, ...] = (), max_tokens: int | None = None) -> ModelRequest:
    """A conversation that begins with the user and goes to and fro."""
    authors = ("user", "assistant") * len(texts)
    messages = tuple(Message(author, text) for author, text in zip(authors, texts, strict=False))
    return ModelRequest(messages, "agent", tools, max_tokens)


def say(script: Script | Scripted, *requests: ModelRequest) -> list[ModelReply]:
    backend = script if isinstance(script, Scripted) else Scripted(script)

    async def all_of_them() -> list[ModelReply]:
        return [await backend.once(request) for request in requests]

    return asyncio.run(all_of_them())


def test_a_list_is_said_in_order():
    assert [each.text for each in say(["one", "two"], asked("a"), asked("b"))] == ["one", "two"]


def test_a_list_that_is_spent_is_a_fault_and_not_an_answer():
    with pytest.raises(ModelFault, match="1 entries, and this is try 2"):
        say(["one"], asked("a"), asked("b"))


def test_a_function_sees_the_request_and_the_number_of_the_try():
    replies = say(lambda request, number: f"{request.messages[0].text} {number}", asked("a"), asked("b"))
    assert [each.text for each in replies] == ["a 0", "b 1"]


def test_failures_are_raised_as_scripted():
    with pytest.raises(TryAgain, match="server error: 500"):
        say([TryAgain("server error", "500")], asked("a"))


def test_a_whole_reply_is_given_as_it_is():
    whole = ModelReply("yes", "other-model", "stop", None)
    assert say([whole], asked("a")) == [whole]


def test_a_token_is_a_word():
    request = asked("go north now", "no", "why not", tools=(TOOL,))
    tool = 2 + 1 + 1  # its name, its description, its schema as canonical JSON without a space
    (text,), (call,) = say(["because I say so"], request), say([Call("plant seeds", {"row": 2})], request)
    assert text.usage == Usage(6 + tool, 4)
    assert call.usage == Usage(6 + tool, 2 + 1)


def test_no_more_is_said_than_was_asked_for():
    (cut,) = say(["one two three"], asked("a", max_tokens=2))
    assert (cut.text, cut.stop_reason, cut.usage) == ("one two", "length", Usage(1, 2))


def test_delays_go_through_the_sleep_that_was_handed_in():
    time = Time()
    backend = Scripted(["one", "two"], delay=lambda request, number: 10.0 * number, sleep=time.sleep)

    async def both() -> None:
        await backend.once(asked("a"))
        await backend.once(asked("b"))

    asyncio.run(time.passes(both()))
    assert (time.slept, time.now) == ([10.0], 10.0)


# --------------------------------------------------------------------------------------------- by name


def test_echo_says_the_last_message():
    assert say(make("echo"), asked("a", "b", "c"))[0].text == "c"


def test_first_calls_the_first_tool_with_the_plainest_arguments():
    (reply,) = say(make("first"), asked("a", tools=(TOOL, Tool("other", "", {}))))
    assert reply.calls == (Call("plant seeds", {"row": 2}),)
    assert reply.stop_reason == "tool_calls"


def test_silent_says_nothing():
    (reply,) = say(make("silent"), asked("a"))
    assert (reply.text, reply.calls) == ("", ())


def test_its_model_id_says_that_it_is_scripted():
    assert say(make("echo"), asked("a"))[0].model == "scripted/echo"


def test_an_unknown_name_is_told_what_there_is():
    with pytest.raises(UsageError, match="there are: echo, first, silent"):
        make("ecko")


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"enum": ["up", "down"]}, "up"),
        ({"const": 4, "type": "integer"}, 4),
        ({"type": "integer", "default": 9}, 9),
        ({"type": "string"}, ""),
        ({"type": "string", "minLength": 2}, "aa"),
        ({"type": "number"}, 0),
        ({"type": "boolean"}, False),
        ({"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2}, [1, 1]),
        ({"type": "object"}, {}),
        ({"type": "object", "required": ["a"], "properties": {"a": {"type": "boolean"}, "b": {}}}, {"a": False}),
        ({"type": "strange"}, None),
        (True, None),
    ],
)
def test_the_plainest_value_that_a_schema_takes(schema: JSON, value: JSON):
    assert plainest(schema) == value


# --------------------------------------------------------------------------------------------- from a file


def script(folder: Path, text: str) -> Script:
    path = folder / "replies.jsonl"
    path.write_text(text)
    return from_file(path)


def test_a_file_is_said_turn_by_turn_and_from_the_start_again(tmp_path: Path):
    said = script(tmp_path, '{"reply": "one"}\n\n{"call": {"tool": "go", "arguments": {"x": 1}}}\n')
    first, second, third = say(said, asked("a"), asked("a", "one", "b"), asked("a", "one", "b", "go", "c"))
    assert (first.text, second.calls, third.text) == ("one", (Call("go", {"x": 1}),), "one")


def test_a_file_says_the_same_to_the_same_whatever_was_asked_before(tmp_path: Path):
    said = script(tmp_path, '{"reply": "one"}\n{"reply": "two"}\n')
    assert [each.text for each in say(said, asked("a"), asked("a"), asked("a"))] == ["one"] * 3


def test_the_longest_when_that_fits_counts(tmp_path: Path):
    said = script(
        tmp_path, '{"reply": "any"}\n{"when": "farm", "reply": "plant"}\n{"when": "farm at night", "reply": "sleep"}\n'
    )
    replies = say(said, asked("a hero"), asked("a farm"), asked("a farm at night"))
    assert [each.text for each in replies] == ["any", "plant", "sleep"]


def test_a_request_that_no_line_fits_is_a_fault(tmp_path: Path):
    with pytest.raises(ModelFault, match="no line fits a request that ends 'a hero'"):
        say(script(tmp_path, '{"when": "farm", "reply": "plant"}'), asked("a hero"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "has no lines"),
        ("{", "line 1: not JSON"),
        ('{"reply": "a"}\n[]', 'line 2: takes "reply" or "call"'),
        ('{"reply": "a", "call": {"tool": "x"}}', 'takes "reply" or "call"'),
        ('{"reply": "a", "whne": "b"}', 'takes "reply" or "call"'),
        ('{"reply": 3}', '"reply" is text'),
        ('{"call": {"arguments": {}}}', '"call" is'),
        ('{"reply": "a", "when": 3}', '"when" is text'),
    ],
)
def test_a_broken_file_names_its_line(tmp_path: Path, text: str, complaint: str):
    with pytest.raises(UsageError, match=complaint):
        script(tmp_path, text)


def test_a_missing_file_is_a_usage_error():
    with pytest.raises(UsageError, match=r"'nowhere\.jsonl', cannot be read"):
        make("nowhere.jsonl")
