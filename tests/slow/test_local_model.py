"""The local model on every game, at temperatures 0 and 1: what is not cut off is a call that the schema admits."""

import asyncio
import secrets
from collections.abc import Callable

import pytest

from rung.backends.models.local import make, weights
from rung.core import registry
from rung.core.ports import Ports
from rung.core.seeds import Seed
from rung.core.values import Message, ModelReply, ModelRequest, Tool

jsonschema = pytest.importorskip("jsonschema", reason="needs the extra inspect: pip install 'rung[all]'")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(weights.missing()) or not weights.converted(), reason="needs the local model: rung doctor --install-model"
    ),
]
DRAWS = 10


@pytest.mark.parametrize("family", ["combat-v1", "farm-v1", "hero-v1", "sweepmine-v1"])
def test_every_call_that_is_not_cut_off_is_one_that_the_schema_admits(family: str, repetitions: Callable[[int], int]):
    secret = secrets.token_hex(8)
    replies = asyncio.run(_replies(family, secret, repetitions(DRAWS)))
    for reply, tools in replies:
        if reply.stop_reason == "length":
            assert (reply.calls, bool(reply.text)) == ((), True), secret
            continue
        (call,) = reply.calls
        (tool,) = (tool for tool in tools if tool.name == call.tool)
        jsonschema.validate(dict(call.arguments), dict(tool.parameters))


async def _replies(family: str, secret: str, draws: int) -> list[tuple[ModelReply, tuple[Tool, ...]]]:
    game, model, found = registry.family(family), make("smollm2"), []
    for index in range(draws):
        task = game.draw(game.setting("d1"), Seed(secret).child(index))
        view = (await game.start(task, Ports())).view()
        messages = (Message("system", game.rules(task)), Message("user", view.text))
        for heat in (0.0, 1.0):
            request = ModelRequest(messages, "agent", tools=view.tools, max_tokens=96, temperature=heat)
            found.append((await model.once(request), view.tools))
    await model.close()
    return found
