"""Scripted improvers answer what they are asked, whatever the method and whatever came before."""

import asyncio
import random
from collections.abc import Sequence
from typing import Any

import pytest

from rung.agents.chat import make as chat
from rung.core.ports import Method, Ports, RefineContext
from rung.core.values import Candidate, Evaluation, FeedbackResult, Message, ModelRequest, Skipped, Step, Tool
from rung.methods.ace import make as ace
from rung.methods.ahe import make as ahe
from rung.methods.gepa import make as gepa
from rung.methods.hyperagents import make as hyperagents
from rung.methods.reflexion import make as reflexion
from rung.testing import editing
from rung.testing.improvers import SLOPPY, USELESS, Says, competent, copying, form, heard, roles, useless
from rung.testing.lessons import SENTENCE, Lesson
from rung.testing.models import Scripted

AGENT = chat("", {})
LESSON = Lesson()
RIGHT = "The right answer to 7 was 12345."
METHODS = {
    "ace": lambda: ace({}),
    "ace by calls": lambda: ace({"replies": "tools"}),
    "ace faithful": lambda: ace({"variant": "faithful"}),
    "reflexion": lambda: reflexion({}),
    "reflexion instance": lambda: reflexion({"variant": "instance"}),
    "gepa": lambda: gepa({}),
    "ahe": lambda: ahe({}),
    "ahe by calls": lambda: ahe({"variant": "faithful", "replies": "tools"}),
    "hyperagents": lambda: hyperagents({}),
    "hyperagents by calls": lambda: hyperagents({"variant": "direct", "replies": "tools"}),
}


def told(feedback: str | None = RIGHT) -> FeedbackResult:
    step = Step(0, "The lock shows 7.", (), "0", "The answer was taken.", success=False, score=0.0, feedback=feedback)
    about = {"family": "toy-lock-v1", "setting": "d1", "rules": "Answer with one number.", "payload": {"numbers": [7]}}
    return FeedbackResult("h-1", about, (step,), Evaluation("completed", success=False, score=0.0))


def refined(method: Method, says: Says, feedback: FeedbackResult | None = None) -> Sequence[Candidate]:
    state, attempt = method.initial_state(AGENT), feedback or told()
    ports = Ports(model=Scripted(says))
    context = RefineContext("a" * 40, state, attempt, [attempt], AGENT, ports, random.Random(1))
    return asyncio.run(method.refine(context))


def acting(candidate: Candidate) -> str:
    return b"\n".join(candidate.state.acting().files.values()).decode()


@pytest.mark.parametrize("name", METHODS)
def test_a_competent_one_writes_the_lesson_where_feedback_shows_what_was_right(name):
    (candidate,) = refined(METHODS[name](), competent(LESSON))
    assert LESSON.known_from(acting(candidate))


@pytest.mark.parametrize("name", METHODS)
def test_a_competent_one_that_is_shown_nothing_knows_no_lesson(name):
    for candidate in refined(METHODS[name](), competent(LESSON), told(None)):
        assert not LESSON.known_from(acting(candidate))


@pytest.mark.parametrize("name", METHODS)
def test_a_copying_one_writes_the_answer_itself(name):
    (candidate,) = refined(METHODS[name](), copying())
    assert RIGHT in acting(candidate)


@pytest.mark.parametrize("name", METHODS)
def test_a_useless_one_writes_what_helps_nobody(name):
    (candidate,) = refined(METHODS[name](), useless())
    assert USELESS in acting(candidate)
    assert not LESSON.known_from(acting(candidate))


@pytest.mark.parametrize("sloppy", SLOPPY)
@pytest.mark.parametrize("name", METHODS)
def test_nothing_comes_of_a_sloppy_one_and_the_reason_is_said(name, sloppy):
    found = refined(METHODS[name](), SLOPPY[sloppy])
    if name.startswith("reflexion") and sloppy == "a refusal":  # in its form, and nothing tells it from a reflection
        assert len(found) == 1
        return
    assert isinstance(found, Skipped)
    assert found.reason


def test_the_same_request_is_answered_alike_whatever_was_asked_before():
    asked: list[ModelRequest] = []

    def listening(request: ModelRequest) -> Any:
        asked.append(request)
        return competent(LESSON)(request)

    for make in METHODS.values():
        refined(make(), listening)
    first = [competent(LESSON)(request) for request in asked]
    assert first == [competent(LESSON)(request) for request in reversed(asked)][::-1]
    assert {form(request) for request in asked} == {"reflect", "curate", "reflection", "instruction", "edit", "other"}


def test_roles_are_told_apart():
    model = roles(lambda request: "improved", lambda request: "acted")
    said = [model(ModelRequest((), role)) for role in ("improver", "agent")]
    assert said == ["improved", "acted"]


# --------------------------------------------------------------------------------------------- sessions

FILES = {"agent/system.md": "Be brief.", "evaluations/0001.md": RIGHT}


def session(says: Says, opening: str, *, typed: bool, files: dict[str, str] | None = None) -> list[tuple[str, Any]]:
    """The calls of a session over a few files, the second of which can only be read; 20 at most."""
    files, calls = dict(FILES if files is None else files), list[tuple[str, Any]]()
    tools = tuple(Tool(name, "", {}) for name in ("list", "read", "write", "finish")) if typed else ()
    messages = [Message("system", "- finish (summary): End."), Message("user", opening)]
    while len(calls) < 20:
        reply = says(ModelRequest(tuple(messages), "improver", tools=tools))
        said = Message("assistant", reply) if isinstance(reply, str) else Message("assistant", "", calls=reply.calls)
        tool, arguments = editing._called(said)
        calls.append((tool, arguments))
        if tool == "finish":
            break
        lent = {path: ", to be read only" if path.startswith("evaluations/") else "" for path in files}
        listing = "\n".join(f"{path}  {len(text)} bytes{lent[path]}" for path, text in files.items())
        if tool == "write":
            files[arguments["path"]] = arguments["text"]
        answer = {"list": listing, "read": files.get(str(arguments.get("path"))), "write": "Done."}[tool]
        messages += [said, Message("tool" if typed else "user", answer or "")]
    return calls


@pytest.mark.parametrize("typed", [True, False])
def test_in_a_session_it_looks_around_reads_and_writes_the_lesson_behind_what_is_there(typed):
    calls = session(competent(LESSON), "Improve the agent.", typed=typed)
    assert [(tool, arguments.get("path")) for tool, arguments in calls] == [
        ("list", None),
        ("read", "evaluations/0001.md"),
        ("read", "agent/system.md"),
        ("write", "agent/system.md"),
        ("finish", None),
    ]
    assert calls[3][1]["text"] == f"Be brief.\n{SENTENCE}\n"


def test_a_session_over_an_agent_that_knows_the_lesson_changes_nothing():
    files = {"agent/system.md": f"Be brief.\n{SENTENCE}\n"}
    calls = session(competent(LESSON), f"Improve the agent. {RIGHT}", typed=True, files=files)
    assert [tool for tool, _ in calls] == ["list", "read", "finish"]


def test_an_improver_is_changed_where_it_is_named_and_once():
    named = f"Improve the agent, and yourself in `method/improver/`. {RIGHT}"
    files = {"agent/system.md": "Be brief.", "method/improver/notes.md": "Notes."}
    calls = session(competent(LESSON), named, typed=True, files=files)
    written = {arguments["path"]: arguments["text"] for tool, arguments in calls if tool == "write"}
    assert written["method/improver/notes.md"] == f"Notes.\n{editing.INSIGHT}\n"
    again = session(competent(LESSON), named, typed=True, files={**files, **written})
    assert [tool for tool, _ in again] == ["list", "read", "read", "finish"]
    silent = session(competent(LESSON), f"Improve the agent. {RIGHT}", typed=True, files=files)
    assert [arguments["path"] for tool, arguments in silent if tool == "write"] == ["agent/system.md"]


def test_the_end_of_a_session_has_all_that_its_form_asks_for():
    schema = {
        "type": "object",
        "properties": {
            "changes": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {"why": {}}}},
            "kind": {"type": "string", "enum": ["new", "old"]},
            "count": {"type": "integer", "minimum": 2},
            "more": {"type": "string"},
        },
        "required": ["changes", "kind", "count"],
    }
    request = ModelRequest((), "improver", tools=(Tool("finish", "", schema),))
    said = editing.trying(request, ())
    assert not isinstance(said, str)
    assert said.calls[0].arguments == {
        "changes": [{"why": "Nothing more is to be done."}],
        "kind": "new",
        "count": 2,
    }


def test_what_an_improver_said_itself_is_not_what_it_heard():
    request = ModelRequest((Message("user", "a"), Message("assistant", RIGHT), Message("tool", "b")), "improver")
    assert heard(request) == "a\nb"
