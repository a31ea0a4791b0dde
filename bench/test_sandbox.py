"""What a sandbox costs. Aims: a Python that starts and ends, at most 2.2 times as long as bare, 3 times with the record
of its network; a fork of a home with 4,000 files in 100 ms.

Each sandbox has a capture, which is there before its order. On a machine that does other things the least of few rounds
is chance: give all of it a priority (`chrt -r 1`)."""

import asyncio
import itertools
import statistics
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from rung.backends.network.recorder import Recorder
from rung.backends.network.watchers import Watchers
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


def recorded(confiner: Bubblewrap, network: Network, folder: Path) -> Callable[[], Awaitable[None]]:
    watchers = Watchers()
    watchers.start()
    numbers = itertools.count()

    async def run() -> None:
        async with await confiner.start(Program(PYTHON, {}, network=network)) as program:
            path = folder / f"{next(numbers)}.jsonl"
            recorder = Recorder(program.sockets, path, network, session="bench", watchers=watchers)
            await recorder.start()
            await program.release()
            assert (await program.wait()).status == 0
            assert (await recorder.stop()).complete

    return run


def test_a_sandboxed_start_against_a_bare_one(tmp_path: Path):
    confiner = Bubblewrap()
    confiner.probe()
    network = Network("gateway", ports=(8710, 8711))
    runs = {
        "bare": bare,
        "nothing in its network": held(confiner, network=Network()),
        "listeners and a capture": held(confiner, network=network),
        "recorded": recorded(confiner, network, tmp_path),
    }
    took = dict(zip(runs, asyncio.run(in_turns(*runs.values())), strict=True))
    for name, each in took.items():
        ratios = [kind(each) / kind(took["bare"]) for kind in (min, statistics.median)]
        print(f"\n{name}: {1000 * min(each):.1f} ms, {ratios[0]:.2f} (medians {ratios[1]:.2f})")  # noqa: T201
    least = min(took["bare"])
    assert min(took["nothing in its network"]) / least <= 2.2
    assert min(took["listeners and a capture"]) / least <= 2.2  # what a cell's program gets
    assert min(took["recorded"]) / least <= 3.0


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
