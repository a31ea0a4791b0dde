"""The annotator with the local model, held to its form by a grammar: every answer is read, whatever it says."""

import asyncio

import pytest

from findings.semantics.world import proposal
from rung.backends.models.local import make as local
from rung.backends.models.local import weights
from rung.core.values import ModelReply, ModelRequest
from rung.findings.semantics.asking import ask

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(weights.missing()) or not weights.converted(), reason="needs the local model: rung doctor --install-model"
    ),
]


class Local:
    """The local model as a port."""

    def __init__(self) -> None:
        self.within = local("smollm2")

    async def generate(self, request: ModelRequest) -> ModelReply:
        return await self.within.once(request)


def test_every_answer_of_a_model_that_is_held_to_the_form_is_read():
    asked = [
        proposal("Sell late.", "Sell early.", path="agent/notes.md"),
        proposal("def retry(call):\n    return call(3)", path="agent/tools/retry.py"),
        proposal("Never guess.", before="Guess when unsure."),
    ]
    found = asyncio.run(ask(Local(), asked, replies="tools"))
    assert found.unread == 0
