"""Keeps the network record of one session: a watcher process, and in `allowlist` the servers that it needs."""

import asyncio
import json
import os
import signal
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rung.backends.network.flows import Event
from rung.backends.network.names import Names, NameServer
from rung.backends.network.record import MOST_BYTES
from rung.backends.network.relay import Outside, Reach, Relay
from rung.backends.network.ring import BLOCKS
from rung.backends.network.summary import Summary, summarize
from rung.backends.network.watch import BEAT_SECONDS
from rung.backends.network.watchers import Watchers
from rung.core.confined import Network, Sockets
from rung.core.errors import InstrumentFault

START_SECONDS = 20.0
STOP_SECONDS = 30.0
UNSEEN = "nothing could be captured in this sandbox"
UNSTARTED = "the recorder did not start"


@dataclass(frozen=True, slots=True)
class Terms:
    """How a record is kept: how much memory the capture has, how large the file may grow, how often it beats."""

    blocks: int = BLOCKS
    most_bytes: int = MOST_BYTES
    beat_seconds: float = BEAT_SECONDS


class Recorder:
    """The record of one session in a file. `session` stands on every line and tells no phase.

    Use it as an async context: however that is left, no process stays behind. A record that was not ended by `stop` is
    incomplete. `watchers` are shared by all recorders of a process, so that each is there at once. `reach` is how the
    relay connects to allowed names; tests hand in another.
    """

    def __init__(
        self,
        sockets: Sockets,
        path: Path,
        network: Network,
        *,
        session: str,
        watchers: Watchers | None = None,
        reach: Reach | None = None,
        terms: Terms = Terms(),
    ) -> None:
        self._sockets = sockets
        self._path = path
        self._network = network
        self._session = session
        self._watchers = watchers or Watchers()
        self._terms = terms
        names = Names(network.allow, self.tell)
        self._name_server = NameServer(names)
        self._relay = Relay(names, self.tell, reach or Outside())
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._asking = asyncio.Lock()
        self.pid = 0
        """The watcher's process."""
        self._nothing = UNSEEN

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._give_up()

    async def start(self) -> None:
        """Be there before the program runs. Raises `InstrumentFault` when there is to be a record and can be none."""
        if self._sockets.capture is None:
            return
        try:
            await self._order(self._watchers.watcher(), self._sockets.capture)
            if self._network.mode == "allowlist":
                await self._name_server.start(self._sockets.dns)
                await self._relay.start(self._sockets.web)
        except BaseException:
            self._nothing = UNSTARTED
            await self._give_up()
            raise

    async def _order(self, control: socket.socket, capture: socket.socket) -> None:
        order = {
            "path": str(self._path.absolute()),
            "session": self._session,
            "mode": self._network.mode,
            "allow": list(self._network.allow),
            "ports": list(self._network.ports) if self._network.mode != "none" else [],
            "blocks": self._terms.blocks,
            "most_bytes": self._terms.most_bytes,
            "beat_seconds": self._terms.beat_seconds,
        }
        try:
            socket.send_fds(control, [b"."], [capture.fileno()])
            self._ends = await asyncio.open_unix_connection(sock=control)
            self._ends[1].write(json.dumps(order).encode() + b"\n")
            async with asyncio.timeout(START_SECONDS):
                said = json.loads(await self._ends[0].readline() or b"{}")
            if "started" not in said:
                raise OSError(said.get("failed", "its process ended at once"))
            self.pid = int(said["started"])
        except (OSError, TimeoutError) as error:
            raise InstrumentFault("network", f"the recorder did not start: {error or 'too slow'}") from error

    def tell(self, event: Event) -> None:
        """Enter what the instrument itself did: an event of its own servers."""
        if self._ends is not None:
            self._ends[1].write(json.dumps({"event": event}).encode() + b"\n")

    async def packets(self) -> int:
        """How many packets were recorded so far, one sign among others of a session that goes on; 0 without one."""
        line = b""
        async with self._asking:
            with suppress(OSError):
                if self._ends is not None:
                    self._ends[1].write(b'{"count": true}\n')
                    line = await self._ends[0].readline()
        return int(json.loads(line)["packets"]) if line else 0

    async def stop(self) -> Summary:
        """End the record, after the program has ended, and say what it comes to."""
        if self._ends is None:
            return Summary(self._session, (self._nothing,), 0, 0, 0.0, "")
        await self._relay.stop()
        await self._name_server.stop()
        lost = await self._dismiss(*self._ends)
        return await asyncio.to_thread(summarize, self._path, session=self._session, more=lost)

    async def _dismiss(self, hear: asyncio.StreamReader, say: asyncio.StreamWriter) -> list[str]:
        """Tell the watcher that it is over, and wait for its end; why that was of no use, if it was not."""
        try:
            async with asyncio.timeout(STOP_SECONDS):
                with suppress(OSError):  # it is gone, and the record tells how
                    say.write(b'{"over": true}\n')
                    await hear.read()
        except TimeoutError:
            os.kill(self.pid, signal.SIGKILL)  # it holds its end of the socket, so it is there
            return [f"the recorder did not end within {STOP_SECONDS:.0f} s"]
        finally:
            await self._give_up()
        return []

    async def _give_up(self) -> None:
        """Serve no more. A watcher that was not told that it is over ends its record as incomplete."""
        await self._relay.stop()
        await self._name_server.stop()
        if self._ends is not None:
            self._ends[1].transport.abort()
            self._ends = None
            await asyncio.sleep(0)  # it is closed in the next turn of the loop
