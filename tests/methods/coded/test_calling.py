"""Code of a state in the sandbox: what it gives back, what it asks, and every way in which it can fail."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.backends.sandbox.commands import Commands
from rung.backends.sandbox.plain import Plain
from rung.core.canonical import JSON
from rung.core.errors import AgentCrash, InstrumentFault, UsageError
from rung.core.ports import Ran
from rung.core.values import Call, Image, Tool, View
from rung.methods._coded import Bounds, Code, Failed, Returned, Unanswered, action, call, from_model, shown
from rung.testing.models import Broken, Scripted

BOX = Commands(Bubblewrap(grace=0.2))


def called(source: str, argument: JSON = None, *, files: Mapping[str, bytes] | None = None, **how: object) -> object:
    code = Code({"agent/tools/a.py": source.encode(), **(files or {})}, "agent/tools/a.py", "f")
    return asyncio.run(call(BOX, code, argument, **how))


def test_a_function_gives_back_json_and_what_it_printed_is_kept_apart():
    said = called("def f(x, host):\n    print('hm')\n    return {'twice': 2 * x['n'], 'ü': [None, True]}", {"n": 4})
    assert said == Returned({"twice": 8, "ü": [None, True]}, 0, "hm\n")


def test_it_imports_what_lies_beside_it_and_in_its_part_of_the_state():
    files = {"agent/tools/side.py": b"ONE = 1\n", "agent/lib/two.py": b"TWO = 2\n"}
    said = called("import side\nfrom lib.two import TWO\n\ndef f(x, host):\n    return side.ONE + TWO", files=files)
    assert isinstance(said, Returned)
    assert said.value == 3


def test_questions_are_answered_in_their_order_and_the_function_goes_on():
    asked = []

    async def tool(request: JSON) -> JSON:
        asked.append(request)
        return len(asked)

    source = "def f(x, host):\n    return [host.tool('a', n=1), host.ask('tool', [2]), host.tool('a', n=1)]"
    assert called(source, answers={"tool": tool}) == Returned([1, 2, 3], 3, "")
    assert asked == [{"tool": "a", "arguments": {"n": 1}}, [2], {"tool": "a", "arguments": {"n": 1}}]


def test_a_question_that_is_refused_can_be_caught():
    async def never(request: JSON) -> JSON:
        raise Unanswered("not today")

    source = (
        "def f(x, host):\n    said = []\n    for kind in ('tool', 'key'):\n        try:\n            host.ask(kind)\n"
        "        except host.Refused as why:\n            said.append(str(why))\n    return said"
    )
    said = called(source, answers={"tool": never})
    assert isinstance(said, Returned)
    assert said.value == ["not today", "nobody answers 'key'; what can be asked for: tool"]


def test_draws_are_the_same_each_time_and_differ_by_seed():
    source = (
        "import random\n\ndef f(x, host):\n    host.ask('a')\n"
        "    return [random.random(), list({str(n) for n in range(40)})]"  # so many in one order are no chance
    )

    async def a(request: JSON) -> JSON:
        return None

    values = [called(source, answers={"a": a}, seed=seed).value for seed in (1, 1, 2)]
    assert values[0] == values[1] != values[2]


def test_one_that_asks_otherwise_when_it_runs_again_has_diverged():
    async def a(request: JSON) -> JSON:
        return None

    said = called(
        "import os\n\ndef f(x, host):\n    host.ask('a', os.urandom(8).hex())\n    host.ask('a')", answers={"a": a}
    )
    assert isinstance(said, Failed)
    assert said.fate == "diverged"


def test_questions_are_counted():
    async def a(request: JSON) -> JSON:
        return None

    said = called("def f(x, host):\n    while True: host.ask('a')", answers={"a": a}, bounds=Bounds(asks=3))
    assert said == Failed("asked too much", "it asked more than 3 times")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def f(x, host):\n    return 1 / 0", "ZeroDivisionError: division by zero (agent/tools/a.py line 2)"),
        ("def f(:", "SyntaxError"),
        ("def g(x, host):\n    pass", "there is no function f"),
        ("f = 1", "there is no function f"),
        ("def f(x, host):\n    return {1, 2}", "TypeError"),
        ("def f(x, host):\n    return float('nan')", "ValueError"),
        ("def f(x, host):\n    return 'x' * 99_999", "at most 48000 are read"),
        ("import sys\nsys.exit(0)\n", "SystemExit"),
        ("def f(x, host):\n    host.ask('a', {1})", "TypeError: a question is JSON"),
        ("def f(x, host):\n    return f(x, host)", "RecursionError"),
        ("raise BaseException('out')", "BaseException: out"),
    ],
)
def test_what_it_raises_is_told_in_one_line(source: str, why: str):
    said = called(source)
    assert isinstance(said, Failed)
    assert said.fate == "raised"
    assert why in said.why
    assert "\n" not in said.told()


@pytest.mark.parametrize(
    ("source", "fate"),
    [
        ("while True: pass", "late"),
        ("import os\nos._exit(7)", "killed"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "killed"),
        ("import os\nos.write(3, b'\\x1e{nonsense\\n')\nos._exit(0)", "garbled"),
        ("import os\nos.write(3, b'\\x1e[1]\\n')\nos._exit(0)", "garbled"),
        ("import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass", "late"),
        ("x = 'x' * (8 << 30)", "raised"),
    ],
)
def test_one_that_loops_forks_kills_itself_or_forges_has_failed_and_nothing_else_happens(source: str, fate: str):
    said = called(source, bounds=Bounds(seconds=1.5))
    assert isinstance(said, Failed)
    assert said.fate == fate


@pytest.mark.parametrize(
    "source",
    [
        "import os\n\ndef f(x, host):\n    return [os.environ.get('A_KEY'), open('/proc/self/environ').read()]",
        f"import os\n\ndef f(x, host):\n    return os.listdir({str(Path(__file__).parent)!r})",
        "import socket\n\ndef f(x, host):\n    socket.create_connection(('192.0.2.1', 80), 5)\n    return 'secret'",
        "def f(x, host):\n    return open('/proc/1/environ').read()",
    ],
)
def test_keys_files_and_the_network_are_out_of_its_reach(source: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("A_KEY", "secret")
    assert "secret" not in repr(called(source))
    assert "test_calling" not in repr(getattr(called(source), "value", ""))


def test_it_never_runs_where_nothing_confines_it():
    code = Code({"agent/a.py": b"def f(x, host): return 1"}, "agent/a.py", "f")
    with pytest.raises(UsageError, match="confines it, seen 'plain'"):
        asyncio.run(call(Plain(), code, None))


def test_a_sandbox_that_broke_is_a_fault():
    class Broke:
        name = "bubblewrap"

        async def run(self, argv: Sequence[str], **how: object) -> Ran:
            raise InstrumentFault("sandbox", "it is gone")

    with pytest.raises(InstrumentFault):
        asyncio.run(call(Broke(), Code({}, "agent/a.py", "f"), None))


# --------------------------------------------------------------------------------------------- the model


def test_the_model_is_asked_as_the_role_it_is_lent_to():
    model = Scripted(lambda request: f"said {request.messages[-1].text}")
    source = (
        "def f(x, host):\n    a = host.model('one', system='be')\n"
        "    return host.model([('user', 'q'), ('assistant', a), ('user', 'r')])"
    )
    answers = {"model": from_model(model, "improver", max_tokens=7, temperature=0.5)}
    said = called(source, answers=answers)
    assert isinstance(said, Returned)
    assert said.value == "said r"
    first, second = model.asked
    assert (first.role, first.max_tokens, first.temperature) == ("improver", 7, 0.5)
    assert [(m.author, m.text) for m in first.messages] == [("system", "be"), ("user", "one")]
    assert [(m.author, m.text) for m in second.messages] == [("user", "q"), ("assistant", "said one"), ("user", "r")]


@pytest.mark.parametrize(
    "request_",
    [None, {}, {"messages": []}, {"messages": "hi"}, {"messages": [["system", "x"]]}, {"messages": [["user", ""]]},
     {"messages": [["user", 1]]}, {"messages": [["user", "x" * 200_001]]}, {"messages": [["user", "x"]] * 101}],
)  # fmt: skip
def test_a_question_that_is_none_is_refused_without_asking_anybody(request_: JSON):
    model = Scripted(lambda request: "x")
    with pytest.raises(Unanswered):
        asyncio.run(from_model(model, "agent", max_tokens=7)(request_))
    assert model.asked == []


def test_a_model_that_is_down_is_a_fault_also_when_the_code_would_catch_it():
    source = "def f(x, host):\n    try:\n        host.model('x')\n    except BaseException:\n        return 1"
    with pytest.raises(InstrumentFault):
        called(source, answers={"model": from_model(Broken(), "agent", max_tokens=7)})


# --------------------------------------------------------------------------------------------- views and actions


def test_a_view_is_shown_without_its_pictures():
    view = View(
        "See 7.", (Image("image/png", b"x"),), (Tool("say", "Say it.", {"type": "object"}),), "Add.", "ok", "f-v1", "d1"
    )
    assert shown(view) == {
        "family": "f-v1",
        "setting": "d1",
        "rules": "Add.",
        "text": "See 7.",
        "reply": "ok",
        "tools": [{"name": "say", "description": "Say it.", "parameters": {"type": "object"}}],
        "images": 1,
    }


def test_an_answer_is_a_text_or_a_call():
    assert action("7").answer == "7"
    assert action({"tool": "say", "arguments": {"n": 7}}).answer == Call("say", {"n": 7})
    assert action({"tool": "say"}).answer == Call("say", {})


@pytest.mark.parametrize("value", [None, 7, [], {}, {"tool": 7}, {"tool": "say", "arguments": [7]}])
def test_anything_else_is_the_agents_own_failure(value: JSON):
    with pytest.raises(AgentCrash):
        action(value)
