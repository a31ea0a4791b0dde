"""An improver that edits: what it can do, what is refused, and how it comes to an end."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from rung.core.errors import ContextOverflow, InstrumentFault
from rung.core.ports import Ran
from rung.core.values import ModelReply, ModelRequest, Usage
from rung.methods._kernel import Decoding, Desk, Finish, Given, Limits, Session, edit, exhaust
from rung.testing.models import Broken, Scripted

from .desks import FILES, OPENING, calls, desk, says

SKILL = "agent/skills/look/SKILL.md"


def worked(model: Scripted, on: Desk | None = None, **how: object) -> tuple[Session, Desk]:
    on = on or desk()
    return asyncio.run(edit(model, OPENING, on, **how)), on


def answers(model: Scripted) -> list[str]:
    """What the model was told of each of its calls, from the last request."""
    return [message.text for message in model.asked[-1].messages if message.author in ("user", "tool")][1:]


# --------------------------------------------------------------------------------------------- the tools


def test_files_are_listed_read_and_searched_and_what_is_out_of_sight_is_not():
    model = says(
        {"tool": "list"},
        {"tool": "read", "path": SKILL, "first": 2, "last": 2},
        {"tool": "search", "text": "SEEN"},
        {"tool": "read", "path": "method/secret.md"},
    )
    worked(model)
    listed, line, hits, hidden = answers(model)
    assert listed.splitlines() == [
        "agent/skills/look/SKILL.md  22 bytes",
        "agent/system.md  21 bytes, to be read only",
        "evidence/attempt.md  15 bytes, to be read only",
    ]
    assert line == "Then act.\n"
    assert hits == "evidence/attempt.md:2: Seen: 7"
    assert hidden.startswith("Not done: there is no file method/secret.md")


def test_edits_change_the_desk_and_each_is_recorded_with_turn_tool_and_hashes():
    model = says(
        {"tool": "replace", "path": SKILL, "old": "Look first.", "new": "Look twice."},
        {"tool": "write", "path": "agent/tools/count.py", "text": "def count(text):\n    return len(text)\n"},
        {"tool": "delete", "path": SKILL},
    )
    session, on = worked(model)
    assert on.changes() == {SKILL: None, "agent/tools/count.py": b"def count(text):\n    return len(text)\n"}
    assert on.files["method/secret.md"] == b"hidden\n"
    first, second, third = map(dict, on.records)
    assert first == {
        "turn": 1,
        "tool": "replace",
        "path": SKILL,
        "before": "c99ec8e55c55b7eb",
        "after": "89267adb72adb6ce",
        "bytes": 0,
    }
    assert (second["turn"], second["before"], second["bytes"]) == (2, None, 38)
    assert (third["before"], third["after"]) == (first["after"], None)
    assert session.ended == "finished"
    assert session.said == {"summary": "done"}
    assert session.done == {"replace": 1, "write": 1, "delete": 1}


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ({"tool": "write", "path": "agent/system.md", "text": "x"}, "agent/system.md: only agent/skills/**"),
        ({"tool": "write", "path": "agent/skills/../system.md", "text": "x"}, "a path is a part of the state"),
        ({"tool": "write", "path": "evidence/attempt.md", "text": "x"}, "evidence/attempt.md: it can only be read"),
        ({"tool": "write", "path": "agent/skills/a.md", "text": "x" * 2_001}, "2001 bytes, and at most 2000"),
        ({"tool": "write", "path": "agent/tools/a.py", "text": "def f(:"}, "line 1 is no Python"),
        ({"tool": "write", "path": "agent/tools/a.py", "text": "import os"}, "line 1 imports os"),
        ({"tool": "delete", "path": "agent/system.md"}, "only agent/skills/**"),
    ],
)
def test_what_the_surface_does_not_allow_is_refused_told_and_recorded(call: dict[str, object], why: str):
    model = says(call)
    session, on = worked(model)
    assert on.files == FILES
    assert why in answers(model)[0]
    assert [each["path"] for each in on.refusals] == [call["path"]]
    assert session.refused == 1


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ({"tool": "replace", "path": SKILL, "old": "t", "new": "x"}, "old stands 2 times"),
        ({"tool": "replace", "path": SKILL, "old": "nowhere", "new": "x"}, "old stands 0 times"),
        ({"tool": "replace", "path": SKILL, "old": "", "new": "x"}, "old is empty"),
        ({"tool": "write", "path": SKILL}, "text is a text, seen None"),
        ({"tool": "write", "path": 7, "text": "x"}, "path is a text, seen 7"),
        ({"tool": "read", "path": SKILL, "first": True}, "first is a whole number"),
        ({"tool": "read", "path": SKILL, "first": 0}, "first is a whole number"),
        ({"tool": "search", "text": " "}, "text is empty"),
        ({"tool": "write", "path": SKILL, "text": "\ud800"}, "half of a character"),
        ({"tool": "run", "command": "ls"}, "there is no tool 'run'"),
    ],
)
def test_a_call_that_cannot_be_done_is_answered_with_the_reason(call: dict[str, object], why: str):
    model = says(call)
    _, on = worked(model)
    assert on.files == FILES
    assert why in answers(model)[0]


def test_all_edits_together_write_no_more_than_they_may():
    model = says(*({"tool": "write", "path": f"agent/skills/{n}.md", "text": "x" * 600} for n in range(3)))
    _, on = worked(model, desk(most=1_500))
    assert sorted(on.changes()) == ["agent/skills/0.md", "agent/skills/1.md"]
    assert "edits may write 1500 bytes in all" in answers(model)[2]


# --------------------------------------------------------------------------------------------- commands


class Box:
    """A sandbox that prints what it was given."""

    def __init__(self, name: str = "bubblewrap", ran: Ran = Ran(0, b"ok\n")) -> None:  # noqa: B008 (a frozen value)
        self.name = name
        self.ran = ran
        self.seen: list[tuple[Sequence[str], Mapping[str, bytes], float]] = []

    async def run(self, argv: Sequence[str], *, files: Mapping[str, bytes], seconds: float, stdin: bytes = b"") -> Ran:
        self.seen.append((argv, files, seconds))
        return self.ran


def test_a_command_runs_in_the_sandbox_over_the_files_in_sight():
    box = Box(ran=Ran(None, b"half\n", b"oops\n", late=True))
    model = says({"tool": "write", "path": "agent/skills/new.md", "text": "n\n"}, {"tool": "run", "command": "cat *"})
    worked(model, given=Given(box, seconds=3))
    argv, files, seconds = box.seen[0]
    assert (argv, seconds) == (("sh", "-c", "cat *"), 3)
    assert sorted(files) == [
        "agent/skills/look/SKILL.md",
        "agent/skills/new.md",
        "agent/system.md",
        "evidence/attempt.md",
    ]
    assert answers(model)[1] == ("It ended: ended after 3 seconds, which is the most.\nPrinted:\nhalf\nErrors:\noops")


def test_no_command_runs_where_nothing_confines_it():
    box = Box("plain")
    model = says({"tool": "run", "command": "ls"})
    worked(model, given=Given(box))
    assert box.seen == []
    assert "- run" not in model.asked[0].messages[0].text


def test_commands_are_counted_and_end():
    box = Box()
    model = says(*({"tool": "run", "command": "ls"} for _ in range(3)))
    worked(model, given=Given(box, commands=2))
    assert len(box.seen) == 2
    assert answers(model)[2] == "Not done: 2 commands were run, and no more are"


def test_a_sandbox_that_broke_is_a_fault():
    class Broke(Box):
        async def run(self, argv: Sequence[str], **how: object) -> Ran:
            raise InstrumentFault("sandbox", "cannot be started")

    with pytest.raises(InstrumentFault):
        worked(says({"tool": "run", "command": "ls"}), given=Given(Broke()))


# --------------------------------------------------------------------------------------------- replies


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "delete", "path": "agent/skills/look/SKILL.md"}',
        'First I think {about} it.\n```json\n{"tool": "delete", "path": "agent/skills/look/SKILL.md",}\n```\nSo.',
        '{"name": "delete", "arguments": {"path": "agent/skills/look/SKILL.md"}}',
        '{"name": "delete", "arguments": "{\\"path\\": \\"agent/skills/look/SKILL.md\\"}"}',
        '{"action": "delete", "input": {"path": "agent/skills/look/SKILL.md"}}',
        '{"delete": {"path": "agent/skills/look/SKILL.md"}}',
        '{"thought": "x"} {"tool": "delete", "path": "agent/skills/look/SKILL.md"} {"tool": "list"}',
        '{"a": {"b": ' * 50 + '{"tool": "delete", "path": "agent/skills/look/SKILL.md"}',
    ],
)
def test_a_call_is_read_in_every_usual_spelling(text: str):
    _, on = worked(says(text))
    assert on.changes() == {SKILL: None}


def test_a_text_to_write_may_stand_behind_its_call_or_hold_bare_line_breaks():
    block = (
        '```json\n{"tool": "write", "path": "agent/skills/a.md"}\n```\n```md\nSay "x".\n```py\n1\n```\nEnd\n```\nDone.'
    )
    bare = '{"tool": "write", "path": "agent/skills/b.md", "text": "one\ntwo\n"}'
    _, on = worked(says(block, bare))
    assert on.changes() == {"agent/skills/a.md": b'Say "x".\n```py\n1\n```\nEnd\n', "agent/skills/b.md": b"one\ntwo\n"}


@pytest.mark.parametrize(
    "text", ["", "I cannot help with that.", '{"tool": "hack"}', "[1, 2]", "{" * 9_000, '{"tool": 1}']
)
def test_replies_that_ask_for_nothing_are_sent_back_and_end_it_after_three(text: str):
    model = says(text, text, text, text)
    session, on = worked(model)
    assert (session.ended, session.turns, on.records) == ("useless", 3, [])
    assert len(session.sent_back) == 3
    assert "could not be used" in model.asked[-1].messages[-1].text


def test_a_useless_reply_between_useful_ones_ends_nothing():
    session, _ = worked(says("?", "?", {"tool": "list"}, "?", "?", {"tool": "list"}))
    assert session.ended == "finished"


def test_typed_calls_are_offered_as_tools_and_answered_one_by_one():
    model = says(calls(("list", {}), ("write", {"path": "agent/skills/a.md", "text": "a\n"})), calls(("finish", {})))
    session, on = worked(model, decoding=Decoding("tools"))
    assert [tool.name for tool in model.asked[0].tools] == [
        "list", "read", "search", "write", "replace", "delete", "finish",
    ]  # fmt: skip
    assert [message.author for message in model.asked[1].messages] == ["system", "user", "assistant", "tool", "tool"]
    assert [call.tool for call in model.asked[1].messages[2].calls] == ["list", "write"]
    assert on.changes() == {"agent/skills/a.md": b"a\n"}
    assert (session.ended, session.tokens) == ("finished", 30)


# --------------------------------------------------------------------------------------------- the end


def test_turns_calls_and_tokens_are_limits():
    look: dict[str, object] = {"tool": "list"}
    assert worked(says(*[look] * 9), limits=Limits(turns=4))[0].ended == "turns"
    session, _ = worked(says(*[look] * 9), limits=Limits(calls=3))
    assert (session.ended, session.done) == ("calls", {"list": 3})
    heavy = ModelReply('{"tool": "list"}', "scripted", "stop", Usage(40, 10, 50))
    session, _ = worked(says(*[heavy] * 9), limits=Limits(tokens=250))
    assert (session.ended, session.turns, session.tokens) == ("tokens", 3, 300)


def test_a_conversation_that_no_longer_fits_the_model_ends_it_and_is_no_fault():
    def full(request: ModelRequest) -> str:
        if len(request.messages) > 4:
            raise ContextOverflow("9,000 tokens are more than 8,192")
        return '{"tool": "delete", "path": "agent/skills/look/SKILL.md"}'

    session, on = worked(Scripted(full))
    assert (session.ended, session.turns, list(on.changes())) == ("overflow", 3, [SKILL])


def test_an_end_that_is_not_yet_one_is_sent_back_and_taken_at_last_without_its_words():
    finish = Finish(refuse=lambda said: None if "why" in said else "say why")
    early: dict[str, object] = {"tool": "finish", "summary": "x"}
    session, _ = worked(says(early, {"tool": "finish", "why": "because"}), finish=finish)
    assert (session.said, session.sent_back) == ({"why": "because"}, ("finish: say why",))
    session, _ = worked(says(early, early, early), finish=finish)
    assert (session.ended, session.said, session.turns) == ("finished", {}, 3)


def test_a_model_that_is_down_is_a_fault():
    with pytest.raises(InstrumentFault):
        asyncio.run(edit(Broken(), OPENING, desk()))


def test_the_same_model_makes_the_same_records():
    def run() -> tuple[Session, list[object]]:
        model = says({"tool": "write", "path": "agent/skills/a.md", "text": "a\n"}, "?", {"tool": "list"})
        session, on = worked(model)
        return session, list(on.records)

    assert run() == run()


def test_a_conversation_that_grows_beyond_its_bound_loses_its_oldest_answers_first():
    files = {**FILES, "agent/skills/long.md": b"word " * 380}
    on = replace(desk(), files=files)
    model = says(*({"tool": "read", "path": "agent/skills/long.md"} for _ in range(6)))
    worked(model, on, limits=Limits(shown=7_000))
    last = model.asked[-1].messages
    assert sum(len(message.text) for message in last) <= 7_000
    assert last[0].text.startswith("Improve it.")
    assert last[1].text == "The agent failed."
    assert "left out here" in last[3].text
    assert last[-1].text == "word " * 380


def test_what_can_be_asked_at_most_bounds_what_is_asked():
    def longest(model: Scripted) -> int:
        return max(sum(len(m.text.encode()) for m in request.messages) for request in model.asked)

    limits = Limits(turns=5, shown=9_000)
    most = Scripted(lambda request: "x")
    asyncio.run(exhaust(most, OPENING, limits=limits))
    assert len(most.asked) == 5
    long = '{"tool": "search", "text": "e"} ' + "y" * 7_000
    for model in (says(*[long] * 9), says(*["?" * 7_000] * 9), Scripted(lambda request: "\U0001d535" * 9_000)):
        worked(model, limits=limits)
        assert longest(model) <= longest(most)


def test_hostile_text_in_any_place_raises_nothing():
    from rung.testing.contracts import hostile

    for text in hostile.texts().values():
        reply = text[:50_000]
        worked(
            says(
                reply,
                {"tool": "write", "path": reply, "text": reply},
                {"tool": reply},
                {"tool": "search", "text": reply},
            )
        )


def test_the_request_says_who_asks_and_how():
    model = says()
    worked(model, decoding=Decoding(max_tokens=99, temperature=0.5))
    request: ModelRequest = model.asked[0]
    assert (request.role, request.max_tokens, request.temperature, request.tools) == ("improver", 99, 0.5, ())
