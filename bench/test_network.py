"""What the network recorder keeps up with: at 20 MB/s it drops nothing, and what it drops is counted."""

import sys
import time
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from rung.backends.network.flows import Flows
from rung.backends.network.recorder import Recorder

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from backends.network import frames, worlds

MEGABYTES = 60
A_SECOND = 20


@pytest.mark.parametrize(
    ("act", "order"),
    [
        ("flood", {"size": 65536, "a_second": A_SECOND}),
        ("flood_datagrams", {"size": 1400, "a_second": A_SECOND}),
    ],
)
def test_twenty_megabytes_a_second_without_a_drop(tmp_path: Path, capsys: pytest.CaptureFixture[str], act, order):
    took = []

    async def plan(world: worlds.World, _: Recorder) -> None:
        await world.act("serve", port=4444)
        began = time.monotonic()
        await world.act(act, port=4444, megabytes=MEGABYTES, **order)
        took.append(time.monotonic() - began)

    _, summary = worlds.recorded(tmp_path / "network.jsonl", worlds.GATEWAY, plan)
    with capsys.disabled():
        rate, packets = MEGABYTES / took[0], summary.packets / took[0]
        print(f"\n{act}: {rate:.0f} MB/s, {packets:.0f} packets a second, {summary.dropped} dropped")  # noqa: T201
    assert summary.complete
    assert sum(each.up for each in summary.bare) == MEGABYTES * (1 << 20) // order["size"] * order["size"]


@pytest.mark.parametrize("megabytes", [500])
def test_as_fast_as_it_goes(tmp_path: Path, capsys: pytest.CaptureFixture[str], megabytes):
    took = []

    async def plan(world: worlds.World, _: Recorder) -> None:
        await world.act("serve", port=4444)
        began = time.monotonic()
        await world.act("flood", port=4444, megabytes=megabytes)
        took.append(time.monotonic() - began)

    _, summary = worlds.recorded(tmp_path / "network.jsonl", worlds.GATEWAY, plan)
    with capsys.disabled():
        rate = megabytes / took[0]
        print(f"\n{rate:.0f} MB/s, {summary.packets} packets, {summary.dropped} dropped")  # noqa: T201
    assert summary.complete == (summary.dropped == 0)


def test_a_thousand_connections(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    took = []

    async def plan(world: worlds.World, _: Recorder) -> None:
        await world.act("serve", port=4444)
        began = time.monotonic()
        await world.act("connect_often", port=4444, times=1000)
        took.append(time.monotonic() - began)

    _, summary = worlds.recorded(tmp_path / "network.jsonl", worlds.GATEWAY, plan)
    with capsys.disabled():
        print(f"\n{1000 / took[0]:.0f} connections a second, {summary.packets} packets, {summary.dropped} dropped")  # noqa: T201
    assert [each.flows for each in summary.bare] == [1000]
    assert summary.complete


def test_one_frame_of_a_known_flow(benchmark: BenchmarkFixture):
    known, frame = Flows(), frames.udp(bytes(1400), ports=(5, 999))
    known.feed(0.0, frame)
    benchmark(lambda: known.feed(1.0, frame))
