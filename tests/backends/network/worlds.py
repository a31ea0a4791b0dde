"""A program inside a namespace of its own, with its sockets outside, and the record that was kept of it."""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from rung.backends.network.recorder import Recorder, Terms
from rung.backends.network.relay import Reach
from rung.backends.network.summary import Summary
from rung.core.confined import Network, Sockets

INSIDE = Path(__file__).parent / "inside.py"
USUAL = Terms()
GATEWAY = Network("gateway", ports=(8710, 8711))
ALLOWLIST = Network("allowlist", ports=(8710, 8711), allow=("good.example", "*.wide.example"))


class World:
    """A program that does what it is told, in a namespace that it made."""

    def __init__(self, network: Network, *, buffer: int = 0, user: int | None = None) -> None:
        ours, theirs = socket.socketpair()
        ours.settimeout(30)
        self._control = ours
        with theirs:
            argv = [sys.executable, "-I", str(INSIDE), str(theirs.fileno())]
            self._process = subprocess.Popen(argv, pass_fds=[theirs.fileno()])
        order = {"ports": network.ports, "web": network.mode == "allowlist", "buffer": buffer, "user": user}
        ours.sendall(json.dumps(order).encode() + b"\n")
        names, descriptors, _, _ = socket.recv_fds(ours, 65536, 16)
        self._lines = ours.makefile("rb")
        self.sockets = _sockets(json.loads(names), descriptors)

    async def act(self, act: str, **order: object) -> str:
        """Have the program do something; what came of it."""
        return str(await asyncio.to_thread(self._act, {"act": act, **order}))

    def _act(self, order: dict[str, object]) -> object:
        self._control.sendall(json.dumps(order).encode() + b"\n")
        return json.loads(self._lines.readline())

    def close(self) -> None:
        self._control.shutdown(socket.SHUT_RDWR)
        self._lines.close()
        self._control.close()
        self._process.wait(10)
        every = (*self.sockets.listening.values(), *self.sockets.web.values(), *self.sockets.dns, self.sockets.capture)
        for each in every:
            if each is not None:
                each.close()


def _sockets(names: list[str], descriptors: list[int]) -> Sockets:
    made: dict[str, Any] = {"listening": {}, "web": {}, "dns": {}, "capture": {}}
    for name, descriptor in zip(names, descriptors, strict=True):
        kind, number = name.split()
        made[kind][int(number)] = socket.socket(fileno=descriptor)
        made[kind][int(number)].setblocking(False)
    return Sockets(made["listening"], made["web"], tuple(made["dns"].values()), made["capture"][0])


Plan = Callable[[World, Recorder], Awaitable[object]]


def recorded(
    path: Path,
    network: Network,
    plan: Plan,
    *,
    reach: Reach | None = None,
    terms: Terms = USUAL,
    buffer: int = 0,
    user: int | None = None,
) -> tuple[list[dict[str, Any]], Summary]:
    """Carry out a plan inside while it is recorded: the events, and what they come to."""

    async def session() -> Summary:
        world = World(network, buffer=buffer, user=user)
        recorder = Recorder(world.sockets, path, network, session="s1", reach=reach, terms=terms)
        try:
            await recorder.start()
            await plan(world, recorder)
        finally:
            summary = await recorder.stop()
            world.close()
        return summary

    summary = asyncio.run(session())
    return [json.loads(line) for line in path.read_bytes().splitlines()], summary


def of(events: list[dict[str, Any]], kind: str, **fields: object) -> list[dict[str, Any]]:
    """The events of a kind with these fields."""
    return [each for each in events if each["event"] == kind and all(each[key] == fields[key] for key in fields)]
