"""What a sandbox costs. Aims: a Python that starts and ends, at most 2.2 times as long as bare, 3 times with listeners
and a capture; a fork of a home with 4,000 files in 100 ms."""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from rung.backends.sandbox.bubblewrap import HOME, Bubblewrap
from rung.core.confined import Fork, Network, Program

PYTHON = ("/usr/bin/python3", "-I", "-c", "pass")
ROUNDS = 40


async def bare() -> None:
    process = await asyncio.create_subprocess_exec(*PYTHON, env={})
    await process.wait()


def held(confiner: Bubblewrap, *, network: Network, mounts: tuple[Fork, ...] = ()) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        async with await confiner.start(Program(PYTHON, {}, mounts, network=network)) as program:
            await program.release()
            assert (await program.wait()).status == 0

    return run


async def in_turns(*runs: Callable[[], Awaitable[None]]) -> list[list[float]]:
    """Seconds of each, taken in turns so that what else the machine does falls on all of them."""
    took: list[list[float]] = [[] for _ in runs]
    for _ in range(ROUNDS):
        for seconds, run in zip(took, runs, strict=True):
            began = time.perf_counter()
            await run()
            seconds.append(time.perf_counter() - began)
    return took


@pytest.mark.parametrize(
    ("network", "most"), [(Network(), 3.0), (Network("gateway", ports=(8710, 8711)), 3.0)], ids=["none", "gateway"]
)
def test_a_sandboxed_start_against_a_bare_one(network: Network, most: float, record_property: Callable[..., None]):
    confiner = Bubblewrap()
    confiner.probe()
    plain, confined = asyncio.run(in_turns(bare, held(confiner, network=network)))
    for name, kind in (("minimum", min), ("median", statistics.median)):
        ratio = kind(confined) / kind(plain)
        print(f"\n{network.mode} {name}: {1000 * kind(plain):.1f} ms bare, {1000 * kind(confined):.1f} ms, {ratio:.2f}")  # noqa: T201
    assert min(confined) / min(plain) <= most


def test_a_fork_of_a_home_of_4000_files(tmp_path: Path):
    for name in ("lower", "upper"):
        (tmp_path / name).mkdir()
    for folder in range(40):
        (tmp_path / "lower" / str(folder)).mkdir()
        for file in range(100):
            (tmp_path / "lower" / str(folder) / str(file)).write_bytes(b"x" * 20_000)
    confiner = Bubblewrap()
    confiner.probe()
    fork = Fork(tmp_path / "lower", tmp_path / "upper", HOME)
    without, with_fork = asyncio.run(
        in_turns(held(confiner, network=Network()), held(confiner, network=Network(), mounts=(fork,)))
    )
    print(f"\nfork: {1000 * (min(with_fork) - min(without)):.1f} ms")  # noqa: T201
    assert min(with_fork) - min(without) <= 0.1
