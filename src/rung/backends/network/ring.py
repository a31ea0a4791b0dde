"""The frames of a packet socket, through a ring of memory that the kernel writes and we read (packet(7), TPACKET_V3).

A ring needs no right that the socket does not have already, and holds back a burst of any length that fits in it, where
an ordinary socket's buffer is bounded by the machine at some hundred kilobytes. Where there is no ring, as in a kernel
that was built without, frames are received one by one.
"""

import array
import errno
import mmap
import os
import socket
import struct
from collections.abc import Iterator

SNAP = 20_000
"""Bytes captured of a packet: the longest hello that is read, with its headers. How long it was is in its header."""
BLOCK = 1 << 16
BLOCKS = 64
RETIRE_MS = 20
"""After so long the kernel hands over a block that is not full."""

_SOL_PACKET = 263
_RX_RING, _STATISTICS, _VERSION = 5, 6, 10
_V3 = 2
_SO_ATTACH_FILTER = 26
_OUTGOING = 4
_FILTER = ((0x20, 0, 0, 0xFFFFF004), (0x15, 0, 1, _OUTGOING), (0x06, 0, 0, SNAP), (0x06, 0, 0, 0))
"""Load the type of the packet; is it outgoing? keep so much of it : keep nothing. On loopback each passes twice."""
_STATUS, _OURS = 8, 1
_BLOCK_HEAD = struct.Struct("=II")
_PACKET_HEAD = struct.Struct("=I8xI8xH")
_BURST = 256


def attach_filter(packets: int) -> None:
    """Let a packet socket take each packet on loopback once, and of a long one the beginning."""
    code = array.array("B", b"".join(struct.pack("=HBBI", *each) for each in _FILTER))
    _set(packets, socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("@HP", len(_FILTER), code.buffer_info()[0]))


def make(packets: int, blocks: int = BLOCKS) -> None:
    """Give a packet socket its ring. Raises OSError: EBUSY where it has one, another where the kernel makes none."""
    _set(packets, _SOL_PACKET, _VERSION, struct.pack("=I", _V3))
    _set(
        packets, _SOL_PACKET, _RX_RING, struct.pack("=7I", BLOCK, blocks, 2048, BLOCK * blocks // 2048, RETIRE_MS, 0, 0)
    )


def _set(packets: int, level: int, option: int, value: bytes) -> None:
    with socket.socket(fileno=os.dup(packets)) as same:
        same.setsockopt(level, option, value)


class Capture:
    """A packet socket on a loopback device, as frames. `blocks` of memory make the ring; 0 does without."""

    def __init__(self, packets: socket.socket, *, blocks: int = BLOCKS) -> None:
        self._socket = packets
        self._socket.setblocking(False)
        self._ring: mmap.mmap | None = None
        self._blocks = blocks
        self._next = 0
        self._captured = 0
        self.read = 0
        """Frames that were read."""
        self.dropped: int
        """Frames that the kernel had no room for, as of the last `count`."""
        attach_filter(packets.fileno())
        _, self.dropped = self._statistics()  # the rest of what was counted up to here passed without the filter

    def fileno(self) -> int:
        """To wait for it."""
        return self._socket.fileno()

    def early(self) -> list[bytes]:
        """Frames from before; then the ring is made. A program that lies still sends none."""
        waiting = [frame for burst in self._received() for frame in burst]
        if self._blocks:
            self._make_ring()
        self.dropped += self._statistics()[1]
        self.read = self._captured = len(waiting)
        return waiting

    def bursts(self) -> Iterator[list[bytes]]:
        """What has come, some frames at a time."""
        found = self._received() if self._ring is None else self._full_blocks(self._ring)
        for burst in found:
            self.read += len(burst)
            yield burst

    def count(self) -> bool:
        """Bring the counts up to date; whether all that was captured has been read."""
        captured, dropped = self._statistics()
        self._captured += captured - dropped
        self.dropped += dropped
        return self.read >= self._captured

    @property
    def unread(self) -> int:
        """Frames that were captured and not read, as of the last `count`."""
        return max(0, self._captured - self.read)

    def _make_ring(self) -> None:
        """Make it, unless whoever opened the socket has: then this waits until it is there."""
        descriptor = self._socket.fileno()
        try:
            make(descriptor, self._blocks)
        except OSError as error:
            if error.errno != errno.EBUSY:
                return
        self._ring = mmap.mmap(descriptor, BLOCK * self._blocks)

    def _statistics(self) -> tuple[int, int]:
        """Packets, among them those dropped, since the last time."""
        packets, dropped = struct.unpack_from("=II", self._socket.getsockopt(_SOL_PACKET, _STATISTICS, 12))
        return packets, dropped

    def _received(self) -> Iterator[list[bytes]]:
        """One by one, as any socket is read."""
        more = True
        while more:
            burst: list[bytes] = []
            for _ in range(_BURST):
                try:
                    frame, sender = self._socket.recvfrom(SNAP)
                except BlockingIOError:
                    more = False
                    break
                if sender[2] == _OUTGOING:
                    burst.append(frame)
            if burst:
                yield burst

    def _full_blocks(self, ring: mmap.mmap) -> Iterator[list[bytes]]:
        while ring[self._next * BLOCK + _STATUS] & _OURS:
            block = self._next * BLOCK
            count, offset = _BLOCK_HEAD.unpack_from(ring, block + 12)
            burst, at = [], block + offset
            for _ in range(count):
                following, size, start = _PACKET_HEAD.unpack_from(ring, at)
                burst.append(ring[at + start : at + start + size])
                at += following
            ring[block + _STATUS : block + _STATUS + 4] = b"\0\0\0\0"  # the kernel's again
            self._next = (self._next + 1) % self._blocks
            yield burst
