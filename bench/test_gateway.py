"""What the gateway adds to a model call. Aim: at most half of what Inspect's adds, and 500 at once on one event loop.

Both ask a model that answers at once from a script with its usage set: the gateway with a reservation for each call,
Inspect's `generate` without an evaluation around it. CPU time of the process, the two in turns.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from rung.backends.models.gateway import Gateway
from rung.backends.models.prices import FREE
from rung.backends.models.scripted import Scripted
from rung.core.config import ModelConfig
from rung.core.ports import Amount
from rung.core.values import Message, ModelRequest

CALLS = 200
AT_ONCE = 500
ROUNDS = 7
ASKED = ModelRequest((Message("system", "rules " * 100), Message("user", "a board " * 50)), "agent", max_tokens=100)


class Open:
    """A budget without limits or record: what it costs to keep books is measured elsewhere."""

    async def reserve(self, worst: Amount) -> "Open":
        return self

    def settle(self, actual: Amount | None) -> None: ...


def ours(concurrency: int = 16) -> Gateway:
    config = ModelConfig(concurrency=concurrency)
    return Gateway("scripted/bench", Scripted(lambda request, number: "yes"), config, price=FREE, live=False)


@pytest.fixture
def loop():
    made = asyncio.new_event_loop()
    yield made
    made.close()


def test_one_call_after_another(benchmark: BenchmarkFixture, loop: asyncio.AbstractEventLoop):
    model, spending = ours(), Open()
    benchmark(lambda: loop.run_until_complete(model.ask(ASKED, spending)))


@pytest.mark.parametrize("concurrency", [16, AT_ONCE])
def test_five_hundred_calls_at_once(benchmark: BenchmarkFixture, loop: asyncio.AbstractEventLoop, concurrency: int):
    model, spending = ours(concurrency), Open()

    async def at_once() -> int:
        return len(await asyncio.gather(*(model.ask(ASKED, spending) for _ in range(AT_ONCE))))

    assert benchmark(lambda: loop.run_until_complete(at_once())) == AT_ONCE


def milliseconds(call: Callable[[], Awaitable[object]], loop: asyncio.AbstractEventLoop) -> float:
    """CPU time of one call, over many one after the other."""

    async def calls() -> None:
        for _ in range(CALLS):
            await call()

    began = time.process_time()
    loop.run_until_complete(calls())
    return (time.process_time() - began) / CALLS * 1000


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_at_most_half_of_what_inspect_adds(loop: asyncio.AbstractEventLoop, capsys: pytest.CaptureFixture[str]):
    models = pytest.importorskip("inspect_ai.model", reason="Inspect is not installed: pip install 'rung[inspect]'")
    output = models.ModelOutput.from_content("mockllm/model", "yes")
    output.usage = models.ModelUsage(input_tokens=150, output_tokens=1, total_tokens=151)
    theirs = models.get_model("mockllm/model", custom_outputs=lambda *_: output.model_copy())
    messages = [models.ChatMessageSystem(content="rules " * 100), models.ChatMessageUser(content="a board " * 50)]
    model, spending = ours(), Open()
    rounds = [
        (
            milliseconds(lambda: model.ask(ASKED, spending), loop),
            milliseconds(lambda: theirs.generate(messages, config=models.GenerateConfig(max_tokens=100)), loop),
        )
        for _ in range(ROUNDS)
    ]
    mine, other = min(each[0] for each in rounds[1:]), min(each[1] for each in rounds[1:])
    with capsys.disabled():
        print(f"\n{mine:.3f} ms a call here, {other:.3f} ms in Inspect")  # noqa: T201
    assert mine <= other / 2
