"""The process that keeps one record: it reads the capture, is told what the instrument's servers do, and writes.

It is a process of its own so that nothing else can keep it from the capture, and it has no part in the sandbox. What it
is told comes over a socket, a JSON object a line: first what to record, with the capture's descriptor; then events,
and at last that the session is over. When that socket closes before, the instrument was lost, and the record says so.

It is forked off by `serve`, which has all of this loaded. Standard library and `rung.core` alone.
"""

import json
import os
import select
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from rung.backends.network.flows import Flows
from rung.backends.network.record import Writer
from rung.backends.network.ring import Capture
from rung.backends.sandbox import kernel

BEAT_SECONDS = 30.0
TURN_MS = 500
SETTLE_SECONDS = 2.0
"""How long what is captured may take to come out of the ring when all is over."""
PAUSE = 0.03
"""Seconds after a watcher began until there is the next one, unless it is asked for already."""
_MOST_SAID = 1 << 16
_POLLED = select.POLLIN


class Told:
    """What the instrument says, line by line."""

    def __init__(self, source: socket.socket) -> None:
        self._source = source
        self._source.setblocking(False)
        self._waiting = bytearray()
        self._lines: deque[bytes] = deque()
        self.lost = False

    def fileno(self) -> int:
        """To wait for it."""
        return self._source.fileno()

    def messages(self) -> Iterator[dict[str, Any]]:
        """What was said since."""
        with suppress(BlockingIOError):
            while not self.lost:
                said = self._source.recv(_MOST_SAID)
                self.lost = not said
                self._waiting += said
        *lines, rest = self._waiting.split(b"\n")
        self._waiting = bytearray(rest)
        self._lines.extend(bytes(line) for line in lines)
        while self._lines:
            yield json.loads(self._lines.popleft())

    def order(self) -> dict[str, Any] | None:
        """The first thing said, however long it takes; None when nothing was."""
        while not self.lost:
            select.select([self._source], [], [])
            for message in self.messages():
                return message
        return None

    def answer(self, value: object) -> None:
        """Say something back; there is always room for it, for each answer is asked for."""
        with suppress(OSError):
            self._source.send(json.dumps(value).encode() + b"\n")


class Watch:
    """One record being kept."""

    def __init__(self, *, capture: Capture, told: Told, order: dict[str, Any], file: BinaryIO) -> None:
        self._capture = capture
        self._told = told
        self._order = order
        began = time.monotonic()
        self._clock: Callable[[], float] = lambda: time.monotonic() - began
        self._flows = Flows(frozenset(order["ports"]), serves_names=order["mode"] == "allowlist")
        self._writer = Writer(file, session=order["session"], clock=self._clock, most_bytes=order["most_bytes"])
        self._file = file
        self._beaten = 0.0
        self._swept = 0.0
        self._over = False

    def run(self) -> None:
        """From the first line to the last."""
        early = self._capture.early()
        self._writer.write(
            {"event": "capture_start", "format": 1, "mode": self._order["mode"], "allow": self._order["allow"]}
        )
        self._feed(early)
        self._writer.flush()
        self._told.answer({"started": os.getpid()})
        polled = select.poll()
        polled.register(self._capture.fileno(), _POLLED)
        polled.register(self._told.fileno(), _POLLED)
        while not (self._over or self._told.lost):
            polled.poll(TURN_MS)
            self._turn()
        self._finish()

    def _turn(self) -> None:
        self._hear()
        for burst in self._capture.bursts():
            self._hear()  # a name was given before anything could be sent to its address
            self._feed(burst)
        now = self._clock()
        if now - self._swept >= TURN_MS / 1000:
            self._swept = now
            self._write_all(self._flows.sweep(now))
        if now - self._beaten >= self._order["beat_seconds"]:
            self._beaten = now
            self._beat()
        self._writer.flush()

    def _hear(self) -> None:
        for said in self._told.messages():
            if "over" in said:
                self._over = True
            elif "count" in said:
                self._told.answer({"packets": self._capture.read})
            else:
                event = said["event"]
                if event["event"] == "name_given":
                    self._flows.given(event["name"], event["address"])
                self._writer.write(event)

    def _feed(self, burst: list[bytes]) -> None:
        now = self._clock()
        for frame in burst:
            self._write_all(self._flows.feed(now, frame))

    def _write_all(self, events: list[dict[str, Any]]) -> None:
        for event in events:
            self._writer.write(event)

    def _beat(self) -> None:
        self._capture.count()
        counts = {"packets": self._capture.read, "kernel_dropped": self._capture.dropped, "flows": len(self._flows)}
        self._writer.write({"event": "heartbeat", **counts}, vital=True)

    def _finish(self) -> None:
        until = self._clock() + SETTLE_SECONDS
        self._turn()
        while not self._capture.count() and self._clock() < until:
            select.select([self._capture.fileno()], [], [], 0.01)
            self._turn()
        self._write_all(self._flows.end(self._clock()))
        why = self._shortcomings()
        counts = {"packets": self._capture.read, "kernel_dropped": self._capture.dropped}
        self._writer.write({"event": "capture_end", **counts, "complete": not why, "why": why}, vital=True)
        self._writer.flush()
        os.fsync(self._file.fileno())

    def _shortcomings(self) -> list[str]:
        found = {
            f"the kernel dropped {self._capture.dropped} packets": self._capture.dropped,
            f"{self._capture.unread} captured packets were not read": self._capture.unread,
            f"{self._writer.unwritten} events were left out, for the record was full": self._writer.unwritten,
            "the instrument was lost before it ended the session": not self._over,
        }
        return [words for words, is_so in found.items() if is_so]


def main(source: socket.socket) -> None:
    """Keep the record that is ordered over this socket; what keeps it from that is said there."""
    _, rights, _, _ = socket.recv_fds(source, 1, 1)
    told = Told(source)
    order = told.order() if rights else None
    if order is None:
        return  # nothing was ordered after all
    try:
        with Path(order["path"]).open("xb") as file, socket.socket(fileno=rights[0]) as packets:
            capture = Capture(packets, blocks=order["blocks"])
            Watch(capture=capture, told=told, order=order, file=file).run()
    except OSError as error:  # no file to write, or a full disk
        told.answer({"failed": str(error)})


def serve(descriptor: int) -> None:
    """Have a watcher ready for each socket that comes over this one, until whoever sends them is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever stops the instrument wants the record ended, not broken
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a watcher: its end is seen on its socket
    link = socket.socket(fileno=descriptor)
    link.set_inheritable(False)
    while _taken(link):
        select.select([link], [], [], PAUSE)  # a fork now would take a processor from what was just begun


def _taken(link: socket.socket) -> bool:
    """Fork a watcher, and wait until it has been given its socket; False when no more will come."""
    taken, taker = os.pipe()
    forks = os.getpid()
    if not os.fork():
        kernel.die_with(forks)  # or whoever asks would still be answered, once
        os.close(taken)
        rights = socket.recv_fds(link, 1, 1)[1]
        link.close()
        kernel.live_on()
        os.write(taker, b"." if rights else b"!")
        os.close(taker)
        if rights:
            with socket.socket(fileno=rights[0]) as source:
                main(source)
        os._exit(0)
    os.close(taker)
    said = os.read(taken, 1)  # nothing, should it have been killed meanwhile: then there is to be another
    os.close(taken)
    return said != b"!"
