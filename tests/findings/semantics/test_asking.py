"""Asking a model for labels: what it is shown, and what is made of what it says."""

import asyncio
from dataclasses import dataclass, field

import pytest

from findings.semantics.world import proposal
from rung.core.values import Call, ModelReply, ModelRequest
from rung.findings.semantics.asking import FORM, LONGEST, SHOWN, ask
from rung.findings.semantics.values import Labels

GOOD = '{"relation": "revise", "of": "e1", "scope": "task", "function": ["planning"], "surface": "execution harness"}'
SAID = Labels("revise", "e1", "task", frozenset({"planning"}), "execution harness")


@dataclass
class Says:
    """A model that says the same to everything, and keeps what it was asked."""

    reply: str
    calls: tuple[Call, ...] = ()
    asked: list[ModelRequest] = field(default_factory=list)

    async def generate(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request)
        return ModelReply(self.reply, "m", "stop", calls=self.calls)


def labels(reply: str, *calls: Call) -> Labels | None:
    return asyncio.run(ask(Says(reply, calls), [proposal("Sell late.", "Sell.")])).labels[0]


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"Here it is:\n```json\n{GOOD}\n```\nI hope that helps.",
        GOOD.replace('["planning"]', '"Planning"').replace("execution harness", "Harness").upper().replace("E1", "e1"),
        f'{{"thoughts": "none"}} {GOOD}',
        GOOD.replace('"revise"', '" Revision. "'),
    ],
)
def test_labels_are_read_through_what_models_put_around_them(reply):
    assert labels(reply) == SAID


def test_labels_in_a_call_are_read():
    arguments = {"relation": "new", "scope": "general", "function": ["execution"], "surface": "contextual artifact"}
    found = labels("", Call("label", arguments))
    assert found == Labels("new", None, "general", frozenset({"execution"}), "contextual artifact")


@pytest.mark.parametrize(
    "reply", ["", "I cannot say.", "{", '{"relation": "odd"}', GOOD.replace("task", "everywhere"), "{" * 5000, "[1]"]
)
def test_what_is_no_answer_has_no_labels_and_is_counted(reply):
    found = asyncio.run(ask(Says(reply), [proposal("Sell late."), proposal("Wait.")]))
    assert (found.labels, found.unread) == ((None, None), 2)


def test_an_id_that_was_not_shown_is_none():
    assert labels(GOOD.replace('"e1"', '"e9"')) == Labels(SAID.relation, None, SAID.scope, SAID.function, SAID.surface)


def test_a_model_is_asked_as_the_instrument_and_shown_the_earlier_ones_most_like_it():
    model = Says(GOOD)
    earlier = [f"note {'x' * n}" for n in range(40)]
    asked = proposal("Sell all corn late.", *earlier, "Sell all corn early.", path="agent/notes.md")
    asyncio.run(ask(model, [asked], replies="tools"))
    (request,) = model.asked
    (message,) = request.messages
    assert (request.role, request.tools, request.temperature) == ("instrument", (FORM,), 0.0)
    assert "[e41] Sell all corn early." in message.text
    assert "Game: sweepmine-v1 (category reasoning)\nPlace: agent/notes.md" in message.text
    assert message.text.count("\n[e") == SHOWN


def test_what_is_shown_of_a_text_is_bounded_and_no_template_again():
    model = Says(GOOD)
    asyncio.run(ask(model, [proposal("$game ${text} " + "x" * 5000)]))
    assert "$game ${text} xxx" in model.asked[0].messages[0].text
    assert "x" * (LONGEST + 1) not in model.asked[0].messages[0].text
