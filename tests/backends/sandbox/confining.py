"""Confiners as tests use them: a Python program goes in, what it printed and how it ended comes out.

Run as a program, as nobody, it does so for a program it is given, and prints the same as JSON.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from backends.sandbox import engine
from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.backends.sandbox.docker import Docker
from rung.backends.sandbox.unsafe import Unsafe
from rung.core.confined import Bounds, Confined, Confiner, Ended, Mount, Program

PYTHON = "/usr/bin/python3"
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/home/agent", "LANG": "C.UTF-8"}
AMPLE = 60.0

CONFINERS: dict[str, Callable[[], Confiner]] = {
    "bubblewrap": cache(Bubblewrap),
    "unsafe": cache(Unsafe),
    "docker": cache(lambda: Docker(engine.IMAGE)),
}
"""One of each: a look at the machine is taken once."""


@dataclass(frozen=True)
class Seen:
    """What a program printed, and how it ended."""

    out: str
    err: str
    ended: Ended

    @property
    def said(self) -> Any:
        """What it printed, as JSON."""
        return json.loads(self.out)


def python(code: str, *mounts: Mount, bounds: Bounds | None = None, **more: Any) -> Program:
    """A Python program."""
    bounds = replace(bounds or Bounds(), seconds=(bounds and bounds.seconds) or AMPLE)
    return Program((PYTHON, "-I", "-c", code), ENV, mounts, bounds=bounds, **more)


async def run(
    confiner: Confiner, program: Program, during: Callable[[Confined], Awaitable[None]] | None = None
) -> Seen:
    """Run a program to its end."""
    heard: dict[str, list[bytes]] = {"out": [], "err": []}
    async with await confiner.start(program, hear=lambda stream, data: heard[stream].append(data)) as held:
        await held.release()
        if during:
            await during(held)
        ended = await held.wait()
    out, err = (b"".join(heard[name]).decode(errors="replace") for name in ("out", "err"))
    return Seen(out, err, ended)


def ran(confiner: Confiner, program: Program) -> Seen:
    """The same without a loop around it."""
    return asyncio.run(run(confiner, program))


def living(mark: str) -> list[int]:
    """Processes of this machine whose environment or command line holds a mark."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdigit() and int(each.name) != os.getpid():
            with suppress(OSError):
                if mark.encode() in (each / "cmdline").read_bytes() and " Z " not in (each / "stat").read_text():
                    found.append(int(each.name))
    return found
