"""An instrument to be killed: it records a program, prints the processes that it has for it, and waits."""

import asyncio
import sys
from pathlib import Path

from rung.backends.network.recorder import Recorder
from rung.backends.network.watchers import Watchers

from .worlds import GATEWAY, World


async def wait(path: Path) -> None:
    world, watchers = World(GATEWAY), Watchers()
    recorder = Recorder(world.sockets, path, GATEWAY, session="s1", watchers=watchers)
    await recorder.start()
    await world.act("say", address="203.0.113.7", port=9, data="00")
    print(watchers.pid, recorder.pid, flush=True)  # noqa: T201 (what the test reads)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(wait(Path(sys.argv[1])))
