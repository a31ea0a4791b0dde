import socket
import struct

import hypothesis
import hypothesis.strategies as st
import pytest

from rung.backends.network.packets import Odd, Packet, Piece, address, decode

from .frames import (
    CLIENT,
    CLIENT6,
    SERVER,
    SERVER6,
    SYN,
    echo,
    ethernet,
    ipv4,
    ipv6,
    tcp,
    udp,
    unreachable,
)

FRAMES = [tcp(b"data", sequence=5), tcp(src=CLIENT6, dst=SERVER6), udp(b"data"), udp(b"d", src=CLIENT6, dst=SERVER6)]
FRAMES += [echo(), unreachable(udp(b"data")), ipv4(17, CLIENT, SERVER, bytes(40), place=0x2000)]


def test_a_segment_is_taken_apart():
    seen = decode(tcp(b"data", ports=(40000, 443), sequence=5, flags=SYN))
    assert (seen.transport, address(seen.src), address(seen.dst)) == ("tcp", CLIENT, SERVER)
    assert (seen.source, seen.target, seen.payload, seen.size) == (40000, 443, b"data", 4)
    assert (seen.sequence, seen.flags, seen.fragment) == (5, SYN, None)


def test_a_datagram_of_ipv6_is_taken_apart():
    seen = decode(udp(b"data", src=CLIENT6, dst=SERVER6))
    assert (seen.transport, address(seen.dst), seen.target, seen.payload) == ("udp", SERVER6, 53, b"data")


def test_a_packet_captured_in_part_has_the_size_that_it_had():
    seen = decode(tcp(bytes(60_000))[:20_000])
    assert (seen.size, len(seen.payload)) == (60_000, 20_000 - 54)


def test_padding_behind_a_packet_is_none_of_it():
    assert decode(udp(b"data") + bytes(20)).payload == b"data"


def test_extensions_of_ipv6_are_passed_over():
    hop = bytes([60, 0]) + bytes(6)
    options = bytes([17, 1]) + bytes(14)
    seen = decode(ipv6(0, CLIENT6, SERVER6, hop + options + struct.pack("!HHHH", 1, 53, 12, 0) + b"data"))
    assert (seen.transport, seen.target, seen.payload) == ("udp", 53, b"data")


def test_the_first_piece_of_a_datagram_has_its_ports_and_the_later_ones_have_its_key():
    whole = struct.pack("!HHHH", 40000, 53, 48, 0) + bytes(40)
    first = decode(ipv4(17, CLIENT, SERVER, whole[:24], place=0x2000, number=9))
    later = decode(ipv4(17, CLIENT, SERVER, whole[24:], place=3, number=9))
    assert isinstance(first, Packet)
    assert isinstance(later, Piece)
    assert (first.target, first.size, later.size) == (53, 16, 24)
    assert first.fragment.key == later.fragment.key


def test_pieces_of_ipv6_have_one_key():
    def piece(offset: int, more: int, body: bytes) -> bytes:
        return ipv6(44, CLIENT6, SERVER6, struct.pack("!BBHI", 17, 0, offset | more, 9) + body)

    first = decode(piece(0, 1, struct.pack("!HHHH", 1, 53, 24, 0) + bytes(8)))
    later = decode(piece(16, 0, bytes(8)))
    assert (first.target, later.size, later.fragment.offset) == (53, 8, 16)
    assert first.fragment.key == later.fragment.key


def test_what_looks_like_an_extension_in_a_later_piece_is_none():
    body = struct.pack("!BBHI", 60, 0, 16, 9) + bytes([17, 1]) + bytes(22)
    later = decode(ipv6(44, CLIENT6, SERVER6, body))
    assert (later.size, later.protocol) == (24, 60)


def test_an_error_quotes_the_packet_that_it_is_about():
    quoted = decode(unreachable(udp(b"data", ports=(40000, 999)))).quoted
    assert (quoted.transport, quoted.source, quoted.target) == ("udp", 40000, 999)


@pytest.mark.parametrize(
    ("frame", "event", "why"),
    [
        (b"\0" * 13, "unparsed", "a frame shorter than its header"),
        (ethernet(0x0806, bytes(28)), "non_ip", "0x0806"),
        (ethernet(0x0800, bytes(10)), "unparsed", "a packet shorter than its headers"),
        (ethernet(0x0800, bytes(40)), "unparsed", "a malformed IPv4 header"),
        (ethernet(0x86DD, bytes(60)), "unparsed", "a malformed IPv6 header"),
        (ipv4(132, CLIENT, SERVER, bytes(20)), "unparsed", f"IP protocol 132 to {SERVER}"),
        (ipv4(6, CLIENT, SERVER, bytes(20)), "unparsed", "a malformed TCP header"),
        (
            ipv6(0, CLIENT6, SERVER6, bytes([17, 200]) + bytes(6)),
            "unparsed",
            "IPv6 extensions longer than their packet",
        ),
    ],
)
def test_what_is_no_packet_is_said(frame, event, why):
    seen = decode(frame)
    assert isinstance(seen, Odd)
    assert (seen.event, seen.why) == (event, why)


def test_addresses_are_written_as_people_do():
    assert address(socket.inet_pton(socket.AF_INET6, "2001:DB8:0::1")) == "2001:db8::1"


@hypothesis.given(st.sampled_from([0x0800, 0x86DD, 0x0806]), st.binary(max_size=120))
def test_any_frame_is_taken_apart_or_said_to_be_odd(kind, body):
    decode(ethernet(kind, body))
    decode(body)


@hypothesis.given(st.data())
def test_a_frame_cut_or_changed_anywhere_is_taken_apart_or_said_to_be_odd(data):
    frame = bytearray(data.draw(st.sampled_from(FRAMES)))
    frame[data.draw(st.integers(12, len(frame) - 1))] = data.draw(st.integers(0, 255))
    decode(bytes(frame[: data.draw(st.integers(0, len(frame)))]))
