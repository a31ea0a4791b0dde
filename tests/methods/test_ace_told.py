"""What ACE takes an attempt to have used, and what it tells the acting agent."""

import random
import re

import pytest

from rung.core import registry
from rung.core.errors import UsageError
from rung.core.ports import Ports
from rung.core.values import Call, ModelCall, ModelReply, ModelRequest
from rung.methods.ace import make
from rung.methods.ace.asking import prompt
from rung.methods.static import Static
from rung.tasks import keys
from rung.testing.contracts import FamilyCase

from .ace_world import (
    AGENT,
    NOTE,
    OTHER,
    START,
    VIEW,
    Agent,
    Echo,
    acted,
    add,
    after,
    counts,
    curated,
    feedback,
    refined,
    reflected,
    says,
    step,
    taught,
)

KEPT = after(curated(add("Look up.", "clues")))

# --------------------------------------------------------------------------------------------- what was used

TWO = after(curated(add(), add(OTHER)))
FIRST, SECOND = "strategies-00001", "strategies-00002"
REPLY = ModelCall(ModelRequest((), "agent"), ModelReply(f"I follow [{SECOND}].", "m", "stop"))


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([step(action=f'{{"used": "{FIRST}"}}\n3')], [FIRST]),
        ([step(action=f'{{"used": ["[{SECOND}]", "{FIRST}", 7]}}\nI follow {SECOND}.')], [FIRST, SECOND]),
        ([step(action='{"used": ""}\n3')], []),
        ([step(action=f'{{"used": "{FIRST}"}}'), step(1, action=f"by {SECOND}")], [FIRST]),
        ([step(action=f"As [{SECOND}] says, 3.")], [SECOND]),
        ([step(action=Call("say", {"why": SECOND}))], [SECOND]),
        ([step(action=Call("say", {"n": 1}), agent_call=REPLY)], [SECOND]),
        ([step(action="3")], None),
        ([step(action="clues-00077")], None),
        ([step(action='{"used": "' + "x" * 5_000), step(1, action='{"used": ' * 90)], None),
    ],
    ids=["a line", "a list", "none", "report before mention", "mention", "in a call", "beside a call", "silence",
         "unknown", "broken"],
)  # fmt: skip
def test_what_was_used_is_what_is_reported_and_else_what_is_mentioned(steps, expected):
    candidate = taught(reflected(), curated(), state=TWO, told=feedback(*steps))
    assert candidate.manifest["used"] == expected
    assert counts(candidate.state) == dict.fromkeys(expected or (), (0, 0, 1))


def test_where_nobody_says_what_was_used_repaired_shows_all_and_faithful_nothing():
    def notes(variant, action):
        model = says(reflected(), curated())
        refined(model, feedback(step(action=action)), state=TWO, variant=variant)
        return model.asked[0].messages[1].text.split("NOTES AT HAND\n")[1].split("\n\n")[0].splitlines()[1:]

    both = [f"[{FIRST}] {NOTE}", f"[{SECOND}] {OTHER}"]
    assert [notes("repaired", action) for action in ("3", FIRST, '{"used": []}')] == [both, both[:1], []]
    assert [notes("faithful", action) for action in ("3", FIRST)] == [[], both[:1]]


SWEPT = '{"action": "open", "row": 1, "col": 2}'
"""An answer to Sweepmine, whose policies make calls and whose rules show no whole example."""


@pytest.mark.parametrize("game", registry.names("families"))
def test_a_report_before_an_answer_changes_no_answer_in_the_form_of_any_game(game):
    family = registry.family(game)
    said = [SWEPT] if game == "sweepmine-v1" else FamilyCase(family, keys.key(game)).spoken
    assert said
    for text in said:
        assert family.parse(f'{{"used": "strategies-00001 clues-00012"}}\n{text}') == family.parse(text), text


# --------------------------------------------------------------------------------------------- what the agent is told


def test_without_bullets_the_agents_own_actor_acts_and_nothing_is_added():
    method = make({})
    assert isinstance(method.actor(START, AGENT, Ports(), random.Random(1)), Echo)
    assert (method.wrapping, method.initial_state(AGENT)) == ("", Static().initial_state(AGENT))


def test_the_playbook_stands_behind_the_rules_by_sections_whatever_the_family():
    state = after(curated(add(OTHER, "mistakes"), add(), add("Look up.", "mistakes")))
    told = (
        f"Open the lock.\n\n{prompt('heading')}\n\n## WAYS OF WORKING\n[strategies-00002] {NOTE}\n"
        f"## MISTAKES TO AVOID\n[mistakes-00001] {OTHER}\n[mistakes-00003] Look up."
    )
    assert acted(state, VIEW, VIEW) == [told, told]


def test_acting_changes_no_state_and_needs_nothing_of_the_method():
    before = dict(TWO.files)
    assert acted(TWO, VIEW) == acted(TWO.acting(), VIEW)
    assert TWO.files == before


def test_lines_that_are_no_bullet_are_left_out_and_the_others_stay():
    ids = (b'"own-00001"', b'"clues-1"', b"7", b'"../clues-00002"', b'["clues-00003"]')
    odd = [b"\xff\xfe", b"[" * 5000, b"null", b'{"id": "clues-00004"}', b'{"id": "clues-00005", "text": " "}']
    odd += [b'{"id": %b, "text": "x"}' % each for each in ids]
    whole = KEPT.files["agent/memory/playbook.jsonl"]
    state = KEPT.with_files({"agent/memory/playbook.jsonl": whole * 2 + b"\n".join(odd)})
    assert acted(state, VIEW)[0].splitlines()[-2:] == ["## SIGNS TO LOOK FOR", "[clues-00001] Look up."]


@pytest.mark.parametrize("path", ["agent/memory/playbook.jsonl", "agent/memory/counters.jsonl"])
def test_an_agent_that_brings_a_playbook_of_its_own_is_refused(path):
    with pytest.raises(UsageError, match=f"keeps its playbook in {re.escape(path)}, and agent 'agent' has it"):
        make({"variant": "faithful"}).initial_state(Agent(files=(path,)))
