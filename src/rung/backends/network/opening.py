"""What the first bytes of a connection say of what it is, put in order and read as they come."""

import struct
from dataclasses import dataclass
from typing import TypeAlias

from rung.backends.network import dns
from rung.backends.network.hellos import MORE, Hello, More, Not, Request, is_http, is_tls, read_hello, read_request

KEPT = 20_000
"""Bytes kept of one side of a connection while it is not yet known what it is."""
DNS_PORT = 53
QUIC = {0x00000001: "1", 0x6B3343CF: "2"}
"""Versions of QUIC by the number on the wire."""

_HALF = 1 << 31
_MOST_WAITING = 64
_FIRST = 16
"""Bytes kept of what nobody knows."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """It is no protocol that we read; its first bytes as hex."""

    first: str


@dataclass(frozen=True, slots=True)
class Quic:
    """QUIC, which is not read here; its version as far as it has a name."""

    version: str


@dataclass(frozen=True, slots=True)
class Asks:
    """It speaks DNS over TCP."""


Opening: TypeAlias = Hello | Request | Asks | Unknown | Quic | Not


class Stream:
    """The first bytes that one side of a TCP connection sends, in order, however they come."""

    def __init__(self, first: int) -> None:
        self._next = first
        self._waiting: dict[int, bytes] = {}
        self.data = bytearray()
        self.lost = False
        """Whether bytes are missing for good: captured in part, or too far ahead of the others."""

    def add(self, sequence: int, payload: bytes, size: int) -> None:
        """Take in a segment of `size` bytes of which `payload` was captured."""
        self._waiting.setdefault(sequence, payload)
        while not self.lost and (found := self._fitting()) is not None:
            at, piece = found
            fresh = piece[(self._next - at) & 0xFFFFFFFF :]
            self.data += fresh[: KEPT - len(self.data)]
            self._next = (self._next + len(fresh)) & 0xFFFFFFFF
            self.lost = at == sequence and len(payload) < size
        self.lost = self.lost or len(self._waiting) > _MOST_WAITING

    def _fitting(self) -> tuple[int, bytes] | None:
        """A waiting segment with the next byte in it; those that are behind it are dropped."""
        for at, piece in list(self._waiting.items()):
            behind = (self._next - at) & 0xFFFFFFFF
            if behind < _HALF:
                del self._waiting[at]
                if behind < len(piece):
                    return at, piece
        return None

    def take(self) -> bytes | None:
        """The next whole message of DNS over TCP, which leads with its length."""
        if len(self.data) < 2:
            return None
        end = 2 + int.from_bytes(self.data[:2], "big")
        if len(self.data) < end:
            return None
        message = bytes(self.data[2:end])
        del self.data[:end]
        return message


def of_stream(data: bytes, *, port: int, ended: bool) -> Opening | More:
    """What a client's first bytes over TCP are. Nothing more comes when it has `ended`."""
    read = _opening(data, port=port)
    if isinstance(read, More) and ended:
        return Not("a beginning that was cut off") if is_tls(data) or is_http(data) else Unknown(data[:_FIRST].hex())
    return read


def _opening(data: bytes, *, port: int) -> Opening | More:
    if port == DNS_PORT:
        return Asks()
    if is_tls(data):
        return read_hello(data)
    if is_http(data):
        return read_request(data)
    if len(data) >= 2 and _is_query(data):
        return Asks()
    return Unknown(data[:_FIRST].hex()) if len(data) >= _FIRST else MORE


def _is_query(data: bytes) -> bool:
    message = dns.read(data[2:]) if int.from_bytes(data[:2], "big") == len(data) - 2 else None
    return message is not None and message.is_plain_query


def of_datagram(data: bytes, *, port: int) -> Asks | Quic | Unknown:
    """What a client's first datagram is."""
    message = dns.read(data)
    if port == DNS_PORT or (message is not None and message.is_plain_query):
        return Asks()
    if len(data) >= 5 and data[0] & 0xC0 == 0xC0:
        (version,) = struct.unpack_from("!I", data, 1)
        if version in QUIC or port == 443:
            return Quic(QUIC.get(version, f"0x{version:08x}"))
    return Unknown(data[:_FIRST].hex())
