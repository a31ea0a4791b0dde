"""Messages with descriptors over a Unix socket: a length, then JSON; descriptors travel with the length.

Standard library alone: a supervisor runs this.
"""

import array
import json
import socket
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from rung.core.canonical import JSON

LENGTH = struct.Struct("!I")

MOST = 128
"""Descriptors in one message: the kernel's own limit is 253."""

ROOM = socket.CMSG_SPACE(MOST * array.array("i").itemsize)


def packed(said: Mapping[str, JSON]) -> bytes:
    """A message as it goes over the wire."""
    text = json.dumps(said).encode()
    return LENGTH.pack(len(text)) + text


def unpacked(text: bytes) -> dict[str, Any]:
    """What a message says: both ends are ours."""
    said: dict[str, Any] = json.loads(text)
    return said


def send(to: socket.socket, said: Mapping[str, JSON], descriptors: Sequence[int] = ()) -> None:
    """Send one message, waiting as long as it takes. The descriptors stay the sender's as well."""
    data = packed(said)
    sent = to.sendmsg([data[: LENGTH.size]], rights(descriptors))
    to.sendall(data[sent:])


def rights(descriptors: Sequence[int]) -> list[tuple[int, int, "array.array[int]"]]:
    """Descriptors as `sendmsg` takes them."""
    return [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []


def descriptors_in(ancillary: Sequence[tuple[int, int, bytes]]) -> list[int]:
    """Descriptors as `recvmsg` gives them; they are the receiver's."""
    found = array.array("i")
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            found.frombytes(data[: len(data) - len(data) % found.itemsize])
    return found.tolist()


def receive(source: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Take one message, waiting for it; None when the other end is gone. What came with it no program inherits."""
    head, ancillary, _, _ = source.recvmsg(LENGTH.size, ROOM, socket.MSG_CMSG_CLOEXEC)
    descriptors = descriptors_in(ancillary)
    rest = exactly(source, LENGTH.size - len(head)) if head else b""
    if len(head + rest) < LENGTH.size:
        return None
    text = exactly(source, LENGTH.unpack(head + rest)[0])
    return (unpacked(text), descriptors) if text else None


def exactly(source: socket.socket, size: int) -> bytes:
    """So many bytes, or none when the other end is gone before."""
    data = bytearray()
    while len(data) < size:
        piece = source.recv(size - len(data))
        if not piece:
            return b""
        data += piece
    return bytes(data)
