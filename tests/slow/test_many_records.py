"""Sixty-four recorded programs at once on whatever cores there are: no event is lost in any of them."""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from backends.network.frames import hello
from backends.network.test_recorder import Doubling
from backends.network.worlds import ALLOWLIST, World
from rung.backends.network import dns
from rung.backends.network.recorder import Recorder
from rung.backends.network.summary import Bare, Summary
from rung.backends.network.watchers import Watchers

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="namespaces of the network are Linux's own"),
]

SESSIONS = 64
SAID = hello(b"good.example") + bytes(20_000)


async def session(path: Path, watchers: Watchers) -> Summary:
    world = await asyncio.to_thread(World, ALLOWLIST)
    async with Recorder(world.sockets, path, ALLOWLIST, session="s1", watchers=watchers, reach=Doubling()) as kept:
        await kept.start()
        await world.act("serve", port=4444)
        await world.act("ask", address="8.8.8.8", port=53, data=dns.query("good.example").hex())
        await world.act("say", address="198.18.0.1", port=443, data=SAID.hex())
        await world.act("connect_often", port=4444, times=20)
        await world.act("flood", port=4444, megabytes=4)
        summary = await kept.stop()
    await asyncio.to_thread(world.close)
    return summary


def test_sixty_four_programs_at_once_lose_no_event(tmp_path):
    async def all_of_them() -> list[Summary]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(SESSIONS))
        watchers = Watchers()
        return await asyncio.gather(*(session(tmp_path / f"{number}.jsonl", watchers) for number in range(SESSIONS)))

    for summary in asyncio.run(all_of_them()):
        assert summary.why == ()
        assert summary.bare == (Bare("tcp", "203.0.113.80", 4444, flows=21, up=(4 << 20) + 2000),)
        assert [(each.name, each.sent, each.received) for each in summary.named] == [
            ("good.example", len(SAID), 2 * len(SAID))
        ]
