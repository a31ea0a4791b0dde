"""Frames of an Ethernet capture, taken apart as far as the transport. Nothing here raises, whatever the bytes are."""

import socket
import struct
from typing import Literal, NamedTuple, TypeAlias

FIN, SYN, RST, ACK = 0x01, 0x02, 0x04, 0x10

Transport: TypeAlias = Literal["tcp", "udp", "icmp"]

_ETHERNET = 14
_V4, _V6 = 0x0800, 0x86DD
_ICMP, _TCP, _UDP, _ICMP6, _FRAGMENT, _AUTHENTICATION = 1, 6, 17, 58, 44, 51
_EXTENSIONS = frozenset({0, 43, 60, 135, 139, 140, _FRAGMENT, _AUTHENTICATION})
_MOST_EXTENSIONS = 8

_V4_HEAD = struct.Struct("!BBHHHBBH4s4s")
_V6_HEAD = struct.Struct("!IHBB16s16s")
_TCP_HEAD = struct.Struct("!HHIIBBHHH")
_UDP_HEAD = struct.Struct("!HHHH")


class Fragment(NamedTuple):
    """Which piece of a datagram this is. `key` is the same for all its pieces."""

    key: bytes
    offset: int
    more: bool


class Packet(NamedTuple):
    """A packet of TCP, UDP or ICMP.

    `payload` is as much of it as was captured, `size` how long it was. Addresses are packed. For ICMP `source` is the
    number of an echo and `target` the type, and `quoted` the packet that an error is about.
    """

    transport: Transport
    src: bytes
    dst: bytes
    source: int
    target: int
    payload: bytes
    size: int
    sequence: int = 0
    flags: int = 0
    fragment: Fragment | None = None
    quoted: "Packet | None" = None


class Piece(NamedTuple):
    """A piece of a fragmented datagram other than its first: nothing of its transport is in it."""

    fragment: Fragment
    src: bytes
    dst: bytes
    protocol: int
    size: int


class Odd(NamedTuple):
    """A frame that is none of these. `event` is the name that the record has for it."""

    event: Literal["non_ip", "unparsed"]
    why: str
    size: int


class _Ip(NamedTuple):
    """What the transport needs of an IP header."""

    src: bytes
    dst: bytes
    protocol: int
    body: bytes
    size: int
    fragment: Fragment | None


Decoded: TypeAlias = Packet | Piece | Odd


def address(packed: bytes) -> str:
    """An address as people write it."""
    return socket.inet_ntop(socket.AF_INET if len(packed) == 4 else socket.AF_INET6, packed)


def decode(frame: bytes) -> Decoded:
    """Take a frame apart."""
    if len(frame) < _ETHERNET:
        return Odd("unparsed", "a frame shorter than its header", len(frame))
    kind = frame[12] << 8 | frame[13]
    if kind not in (_V4, _V6):
        return Odd("non_ip", f"0x{kind:04x}", len(frame))
    try:
        return _ip(frame[_ETHERNET:], kind)
    except (struct.error, IndexError):
        return Odd("unparsed", "a packet shorter than its headers", len(frame))


def _ip(data: bytes, kind: int) -> Decoded:
    head = _v4(data) if kind == _V4 else _v6(data)
    if isinstance(head, str):
        return Odd("unparsed", head, len(data))
    if head.fragment is not None and head.fragment.offset:
        return Piece(head.fragment, head.src, head.dst, head.protocol, head.size)
    return _transport(head)


def _v4(data: bytes) -> _Ip | str:
    first, _, total, number, place, _, protocol, _, src, dst = _V4_HEAD.unpack_from(data)
    length = (first & 15) * 4
    if first >> 4 != 4 or length < 20 or total < length:
        return "a malformed IPv4 header"
    offset, more = (place & 0x1FFF) * 8, bool(place & 0x2000)
    key = src + dst + struct.pack("!HB", number, protocol)
    piece = Fragment(key, offset, more) if offset or more else None
    return _Ip(src, dst, protocol, data[length:total], total - length, piece)


def _v6(data: bytes) -> _Ip | str:
    first, length, protocol, _, src, dst = _V6_HEAD.unpack_from(data)
    if first >> 28 != 6:
        return "a malformed IPv6 header"
    at, end, piece = _V6_HEAD.size, _V6_HEAD.size + length, None
    for _ in range(_MOST_EXTENSIONS):
        if protocol not in _EXTENSIONS:
            break
        following = data[at]
        if protocol == _FRAGMENT:
            place, number = struct.unpack_from("!HI", data, at + 2)
            piece = Fragment(src + dst + struct.pack("!I", number), place & 0xFFF8, bool(place & 1))
            at += 8
        else:
            at += (data[at + 1] + 2) * 4 if protocol == _AUTHENTICATION else (data[at + 1] + 1) * 8
        protocol = following
        if piece is not None and piece.offset:
            break
    if at > end:
        return "IPv6 extensions longer than their packet"
    return _Ip(src, dst, protocol, data[at:end], end - at, piece)


def _transport(head: _Ip) -> Decoded:
    if head.protocol == _TCP:
        return _tcp(head)
    if head.protocol == _UDP:
        source, target, _, _ = _UDP_HEAD.unpack_from(head.body)
        size = max(0, head.size - _UDP_HEAD.size)
        return Packet(
            "udp", head.src, head.dst, source, target, head.body[_UDP_HEAD.size :], size, fragment=head.fragment
        )
    if head.protocol in (_ICMP, _ICMP6):
        return _icmp(head)
    return Odd("unparsed", f"IP protocol {head.protocol} to {address(head.dst)}", head.size)


def _tcp(head: _Ip) -> Decoded:
    source, target, sequence, _, offset, flags, _, _, _ = _TCP_HEAD.unpack_from(head.body)
    length = (offset >> 4) * 4
    if length < _TCP_HEAD.size or length > head.size:
        return Odd("unparsed", "a malformed TCP header", head.size)
    payload, size = head.body[length:], head.size - length
    return Packet("tcp", head.src, head.dst, source, target, payload, size, sequence, flags, head.fragment)


def _icmp(head: _Ip) -> Packet:
    kind, code, number = struct.unpack_from("!BBxxH", head.body)
    is_v6 = head.protocol == _ICMP6
    is_error = kind < 128 if is_v6 else kind in (3, 4, 5, 11, 12)
    quoted = _quoted(head.body[8:]) if is_error else None
    return Packet(
        "icmp",
        head.src,
        head.dst,
        number,
        kind,
        head.body[8:],
        max(0, head.size - 8),
        flags=code,
        fragment=head.fragment,
        quoted=quoted,
    )


def _quoted(data: bytes) -> Packet | None:
    """The packet that an ICMP error is about; of its transport there are 8 bytes at least: the ports."""
    try:
        head = _v4(data) if data[0] >> 4 == 4 else _v6(data)
        if isinstance(head, str) or head.protocol not in (_TCP, _UDP):
            return None
        source, target = struct.unpack_from("!HH", head.body)
    except (struct.error, IndexError):
        return None
    transport: Transport = "tcp" if head.protocol == _TCP else "udp"
    return Packet(transport, head.src, head.dst, source, target, b"", 0)
