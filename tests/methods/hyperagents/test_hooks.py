"""An improver's own functions: what they may decide, and every way in which they can be of no use."""

import asyncio

import pytest

from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.backends.sandbox.commands import Commands
from rung.backends.sandbox.plain import Plain
from rung.core.errors import InstrumentFault
from rung.core.ports import Ran
from rung.methods.hyperagents import archive as kept
from rung.methods.hyperagents import hooks, make
from rung.testing.improvers import competent, writing
from rung.testing.lessons import SENTENCE, Lesson
from rung.testing.models import Scripted

from .world import begun, child, refined, told

BOX = Commands(Bubblewrap(grace=0.2))
HOOKS = "method/improver/hooks.py"
LEARNS = competent(Lesson())
VIEW = {"attempts": [{"score": 0.5}], "nodes": [{"id": "n0"}]}


def digested(source: str, sandbox=BOX):
    return asyncio.run(hooks.digest(sandbox, source.encode(), VIEW))


def chosen(source: str, sandbox=BOX):
    return asyncio.run(hooks.parent(sandbox, source.encode(), VIEW, ("n0", "n1")))


def test_a_function_is_given_what_was_attempted_and_its_text_is_shown():
    assert digested("def digest(view):\n    return f\"best {max(a['score'] for a in view['attempts'])}\"") == (
        "best 0.5",
        "",
    )


def test_a_file_without_such_a_function_gives_nothing_and_is_not_run():
    assert digested("raise SystemExit(1)\ndef other(view):\n    return 1") == ("", "")
    assert chosen("def digest(view):\n    return 1") == (None, "")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def digest(view):\n    return 1 / 0", "raised: ZeroDivisionError: division by zero"),
        ("def digest(view):\n    return 7", "digest gives a text, seen 7"),
        ("def digest(view):\n    return {1, 2}", "raised: TypeError: Object of type set is not JSON serializable"),
        ("import sys\ndef digest(view):\n    sys.exit(0)", "raised: SystemExit: 0"),
        ("def digest(view):\n    return 'x' * 10_000_000", "raised: it gives back 10000015 bytes"),
    ],
)
def test_a_function_that_fails_says_why_and_gives_nothing(source, reason):
    text, why = digested(source)
    assert text == ""
    assert why.startswith(reason)


def test_a_parent_is_one_of_those_that_may_be():
    assert chosen("def parent(view):\n    return 'n1'") == ("n1", "")
    assert chosen("def parent(view):\n    return 'n9'") == (
        None,
        "parent gives the id of a node that may be one, seen 'n9'",
    )


@pytest.mark.parametrize("sandbox", [None, Plain()])
def test_where_nothing_confines_them_functions_are_not_run(sandbox):
    source = "def digest(view):\n    return 'run'"
    assert digested(source, sandbox) == ("", "no sandbox confines it, so it is not run")


def test_a_sandbox_that_breaks_is_a_fault_of_the_instrument():
    class Dead:
        name = "dead"

        async def run(self, argv, *, files, seconds, stdin=b"") -> Ran:
            raise InstrumentFault("sandbox", "no room")

    with pytest.raises(InstrumentFault, match="no room"):
        digested("def digest(view):\n    return ''", Dead())


# --------------------------------------------------------------------------------------------- in a refinement


def test_a_childs_functions_work_for_whoever_improves_it():
    source = "def digest(view):\n    return f\"{len(view['nodes'])} agents, {view['attempts'][-1]['score']}\"\n"
    first = child(writing({HOOKS: source}), sandbox=BOX).state
    model = Scripted(LEARNS)
    second = child(model, state=first, log=[told(), told(0.75)], sandbox=BOX, parents="latest")
    assert "2 agents, 0.75" in model.asked[0].messages[1].text
    assert second.manifest["functions"] == {}
    assert SENTENCE in second.state.files["agent/system.md"].decode()


def test_the_acting_nodes_function_chooses_the_parent():
    first = child(writing({HOOKS: "def parent(view):\n    return view['nodes'][0]['id']\n"}), sandbox=BOX).state
    assert kept.read(first).acting == "n1"
    second = child(LEARNS, state=first, log=[told()] * 2, sandbox=BOX, parents="latest")
    assert second.manifest["parent"] == "n0"


def test_a_child_whose_functions_do_not_run_may_act_and_is_no_parent():
    source = "def digest(view):\n    return view['nothing']\n"
    made = child(writing({HOOKS: source, "agent/system.md": "B\n"}), sandbox=BOX)
    assert made.manifest["unfit"] == "digest: raised: KeyError: 'nothing' (method/improver/hooks.py line 2)"
    assert kept.read(made.state).acting == "n1"
    second = child(LEARNS, state=made.state, log=[told()] * 2, sandbox=BOX, parents="latest")
    assert second.manifest["parent"] == "n0"


def test_without_a_sandbox_a_child_with_functions_is_a_parent_like_another_and_the_reason_is_said():
    made = child(writing({HOOKS: "def digest(view):\n    return ''\n"}))
    assert made.manifest["unfit"] == ""
    second = child(LEARNS, state=made.state, log=[told()] * 2, parents="latest")
    assert second.manifest["functions"] == {"digest": hooks.NO_SANDBOX}


def test_functions_that_import_what_reaches_out_are_refused_before_they_are_run():
    found = refined(writing({HOOKS: "import socket\ndef digest(view):\n    return ''\n"}), sandbox=BOX)
    assert "line 1 imports socket, which is not allowed" in found.reason


def test_a_frozen_improver_has_the_functions_that_it_began_with():
    assert HOOKS not in begun(frozen_improver=True).files
    assert make({"frozen_improver": True}).manner.editable.write == ("agent/**",)
