"""Frames and hellos written by hand, after the RFCs: what the reader is held against."""

import socket
import struct
from itertools import pairwise

FIN, SYN, RST, ACK = 1, 2, 4, 16

CLIENT, SERVER = "10.0.0.2", "203.0.113.7"
CLIENT6, SERVER6 = "2001:db8::2", "2001:db8::7"


def ethernet(kind: int, body: bytes) -> bytes:
    return bytes(12) + struct.pack("!H", kind) + body


def ipv4(protocol: int, src: str, dst: str, body: bytes, *, place: int = 0, number: int = 0) -> bytes:
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), number, place, 64, protocol, 0)
    return ethernet(0x0800, head + socket.inet_aton(src) + socket.inet_aton(dst) + body)


def ipv6(protocol: int, src: str, dst: str, body: bytes) -> bytes:
    head = struct.pack("!IHBB", 6 << 28, len(body), protocol, 64)
    return ethernet(
        0x86DD, head + socket.inet_pton(socket.AF_INET6, src) + socket.inet_pton(socket.AF_INET6, dst) + body
    )


def ip(protocol: int, src: str, dst: str, body: bytes) -> bytes:
    return (ipv6 if ":" in src else ipv4)(protocol, src, dst, body)


def tcp(
    payload: bytes = b"",
    *,
    src: str = CLIENT,
    dst: str = SERVER,
    ports: tuple[int, int] = (40000, 443),
    sequence: int = 0,
    flags: int = ACK,
) -> bytes:
    head = struct.pack("!HHIIBBHHH", *ports, sequence & 0xFFFFFFFF, 0, 5 << 4, flags, 65535, 0, 0)
    return ip(6, src, dst, head + payload)


def udp(payload: bytes, *, src: str = CLIENT, dst: str = SERVER, ports: tuple[int, int] = (40000, 53)) -> bytes:
    return ip(17, src, dst, struct.pack("!HHHH", *ports, 8 + len(payload), 0) + payload)


def unreachable(about: bytes, *, src: str = SERVER, dst: str = CLIENT) -> bytes:
    """The ICMP error for this frame: port unreachable, with the first 28 bytes of the packet."""
    if ":" in src:
        return ipv6(58, src, dst, struct.pack("!BBHI", 1, 4, 0, 0) + about[14:])
    return ipv4(1, src, dst, struct.pack("!BBHI", 3, 3, 0, 0) + about[14:42])


def echo(*, reply: bool = False, number: int = 77) -> bytes:
    src, dst = (SERVER, CLIENT) if reply else (CLIENT, SERVER)
    return ipv4(1, src, dst, struct.pack("!BBHHH", 0 if reply else 8, 0, 0, number, 1) + b"ping data")


def vector(width: int, data: bytes) -> bytes:
    return len(data).to_bytes(width, "big") + data


def extension(kind: int, data: bytes) -> bytes:
    return struct.pack("!H", kind) + vector(2, data)


def server_name(*names: bytes) -> bytes:
    return extension(0, vector(2, b"".join(b"\0" + vector(2, name) for name in names)))


def handshake(*extensions: bytes) -> bytes:
    """A client hello as a handshake message."""
    body = b"\x03\x03" + bytes(32) + vector(1, b"") + vector(2, b"\x13\x01") + vector(1, b"\0")
    return b"\x01" + vector(3, body + vector(2, b"".join(extensions)))


def records(message: bytes, *cuts: int) -> bytes:
    """A handshake message in TLS records, cut at these places."""
    edges = (0, *cuts, len(message))
    pieces = [message[begin:end] for begin, end in pairwise(edges)]
    return b"".join(b"\x16\x03\x01" + vector(2, piece) for piece in pieces)


def hello(name: bytes | None = b"files.example", *more: bytes) -> bytes:
    named = () if name is None else (server_name(name),)
    return records(handshake(*named, *more))


ECH = extension(0xFE0D, bytes(50))


class Conversation:
    """Segments of one TCP connection, in order."""

    def __init__(self, *, src: str = CLIENT, dst: str = SERVER, ports: tuple[int, int] = (40000, 443)) -> None:
        self._there = {"src": src, "dst": dst, "ports": ports}
        self._back = {"src": dst, "dst": src, "ports": (ports[1], ports[0])}
        self._up, self._down = 1000, 0xFFFFFFF0  # one side wraps around

    def opening(self) -> list[bytes]:
        frames = [
            tcp(sequence=self._up, flags=SYN, **self._there),
            tcp(sequence=self._down, flags=SYN | ACK, **self._back),
        ]
        self._up, self._down = self._up + 1, self._down + 1
        return [*frames, tcp(sequence=self._up, **self._there)]

    def up(self, data: bytes, *, step: int = 0) -> list[bytes]:
        pieces = [data[at : at + step] for at in range(0, len(data), step)] if step else [data]
        frames = []
        for piece in pieces:
            frames.append(tcp(piece, sequence=self._up, **self._there))
            self._up += len(piece)
        return frames

    def down(self, data: bytes) -> list[bytes]:
        frame = tcp(data, sequence=self._down, **self._back)
        self._down += len(data)
        return [frame]

    def closing(self) -> list[bytes]:
        return [
            tcp(sequence=self._up, flags=FIN | ACK, **self._there),
            tcp(sequence=self._down, flags=FIN | ACK, **self._back),
            tcp(sequence=self._up + 1, **self._there),
        ]

    def refusal(self) -> list[bytes]:
        return [tcp(sequence=self._up, flags=SYN, **self._there), tcp(flags=RST | ACK, **self._back)]
