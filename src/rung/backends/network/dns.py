"""Messages of DNS (RFC 1035): read as far as the record needs them, and the few answers that we give.

What is read is foreign: nothing here raises, and no length in a message is believed.
"""

import ipaddress
import struct
from dataclasses import dataclass

from rung.backends.network.hosts import shown

A, AAAA = 1, 28
INTERNET = 1
"""The only class in use."""
NOERROR, FORMERR, SERVFAIL, NXDOMAIN, NOTIMP = range(5)
CODES = ("NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED")
TYPES = {1: "A", 2: "NS", 5: "CNAME", 6: "SOA", 10: "NULL", 12: "PTR", 15: "MX", 16: "TXT", 28: "AAAA", 33: "SRV"} | {
    64: "SVCB",
    65: "HTTPS",
    255: "ANY",
}
SECONDS_TO_LIVE = 300
MOST_ANSWERS = 64
"""Answers read of one message."""

_HEAD = struct.Struct("!6H")
_LABELS = 128
_OCTETS = 255


@dataclass(frozen=True, slots=True)
class Message:
    """A message with at most one question. `name` is in lower case, with `\\xNN` for what is no plain character.

    `addresses` are those of its answers, whatever name they stand at: the answer to a name may lead through others.
    """

    id: int
    is_answer: bool
    opcode: int
    code: int
    name: str | None
    type: int
    addresses: tuple[str, ...]
    counts: tuple[int, int, int, int]

    @property
    def is_plain_query(self) -> bool:
        """Whether it is what a resolver sends: one question and nothing else but an extension or two."""
        questions, answers, authorities, others = self.counts
        asks = not self.is_answer and self.opcode == 0 and self.name is not None
        return asks and (questions, answers, authorities) == (1, 0, 0) and others <= 2


def type_name(number: int) -> str:
    """A type of record as people write it."""
    return TYPES.get(number, f"TYPE{number}")


def code_name(number: int) -> str:
    """What became of a query."""
    return CODES[number] if number < len(CODES) else f"RCODE{number}"


def read(data: bytes) -> Message | None:
    """Read a message, or None when it is none."""
    try:
        return _read(data)
    except (IndexError, struct.error):  # it ends before what it announces
        return None


def _read(data: bytes) -> Message | None:
    number, flags, *counts = _HEAD.unpack_from(data)
    questions, answers, authorities, others = counts
    name, kind, at = None, 0, _HEAD.size
    if questions > 1:
        return None
    if questions:
        found = _name(data, at)
        if found is None:
            return None
        name, at = found
        kind, _ = struct.unpack_from("!HH", data, at)
        at += 4
    addresses = _addresses(data, at, min(answers, MOST_ANSWERS))
    if addresses is None:
        return None
    is_answer, opcode = bool(flags & 0x8000), flags >> 11 & 15
    return Message(
        number, is_answer, opcode, flags & 15, name, kind, addresses, (questions, answers, authorities, others)
    )


def _name(data: bytes, at: int) -> tuple[str, int] | None:
    """A name and where what follows it begins. A pointer leads backwards, so that none can lead in a circle."""
    labels: list[str] = []
    after, octets = None, 0
    while (length := data[at]) != 0:
        if length >= 0xC0:
            target = (length & 0x3F) << 8 | data[at + 1]
            after = at + 2 if after is None else after
            if target >= at:
                return None
            at = target
            continue
        octets += length + 1
        label = data[at + 1 : at + 1 + length]
        if length > 63 or len(label) < length or octets > _OCTETS or len(labels) >= _LABELS:
            return None
        labels.append(shown(label.lower()).replace(".", "\\x2e"))
        at += 1 + length
    return ".".join(labels) or ".", at + 1 if after is None else after


def _addresses(data: bytes, at: int, answers: int) -> tuple[str, ...] | None:
    found: list[str] = []
    for _ in range(answers):
        owner = _name(data, at)
        if owner is None:
            return None
        kind, of, _, length = struct.unpack_from("!HHIH", data, owner[1])
        at = owner[1] + 10 + length
        value = data[at - length : at]
        if len(value) < length:
            return None
        if of == INTERNET and (kind, len(value)) in ((A, 4), (AAAA, 16)):
            found.append(str(ipaddress.ip_address(value)))
    return tuple(found)


def question(data: bytes) -> bytes | None:
    """The question of a query as it was sent: an answer repeats it to the letter, or resolvers do not take it."""
    try:
        found = _name(data, _HEAD.size)
    except IndexError:
        return None
    return None if found is None or len(data) < found[1] + 4 else data[_HEAD.size : found[1] + 4]


def answer(query: bytes, code: int, addresses: tuple[str, ...] = ()) -> bytes:
    """The answer to a query that was read: a code, and the addresses of the name that it asks for."""
    number, flags = struct.unpack_from("!HH", query)
    asked = question(query) if code != FORMERR else None
    asks_on = flags & 0x7900  # its opcode, and that it wishes for recursion
    head = _HEAD.pack(number, 0x8080 | asks_on | code, int(asked is not None), len(addresses), 0, 0)
    return head + (asked or b"") + b"".join(_record(address) for address in addresses)


def _record(address: str) -> bytes:
    """One answer; its owner is a pointer to the question."""
    packed = ipaddress.ip_address(address).packed
    kind = A if len(packed) == 4 else AAAA
    return struct.pack("!HHHIH", 0xC000 | _HEAD.size, kind, INTERNET, SECONDS_TO_LIVE, len(packed)) + packed


def query(name: str, kind: int = A, number: int = 1) -> bytes:
    """A query as a resolver writes it."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split(".") if label)
    return _HEAD.pack(number, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", kind, INTERNET)
