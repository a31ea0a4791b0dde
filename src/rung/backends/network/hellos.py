"""What a client says first: the hello of TLS, or the head of an HTTP/1 request.

Both are read from the bytes of a connection so far, as often as it takes. What is read is foreign: nothing here raises.
"""

import re
from dataclasses import dataclass

from rung.backends.network.hosts import shown

LONGEST = 16 * 1024
"""Bytes of the longest hello or head that is read. Those of today's clients have 0.2 to 2 kB."""

_MOST_RECORDS = 32
"""TLS records that a hello may be cut into. One of a byte each would have us read it over and over."""
_ECH = (0xFE0D, 0xFFCE)
"""Encrypted client hello, and its forerunner ESNI. Clients without a key send dummies that look the same by design."""
_REQUEST = re.compile(rb"([A-Z]{1,20}) (\S{1,8000}) HTTP/[0-9]\.[0-9]")
_MAYBE_REQUEST = re.compile(rb"[A-Z]{1,20}(?: \S{0,8000}(?: [HTP/0-9.]{0,8})?)?")


@dataclass(frozen=True, slots=True)
class More:
    """It may be one; the rest has not come."""


@dataclass(frozen=True, slots=True)
class Not:
    """It is none, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class Hello:
    """A client hello of TLS. `sni` is the name as sent, `ech` says that a hidden name may stand behind it."""

    sni: str | None
    alpn: tuple[str, ...]
    ech: bool
    bytes: int


@dataclass(frozen=True, slots=True)
class Request:
    """The head of an HTTP/1 request. `hosts` are its Host headers as sent; one is what there should be."""

    method: str
    target: str
    hosts: tuple[str, ...]


MORE = More()


class _Cut(Exception):
    """The bytes end before what they announce."""


class _Bytes:
    """Bytes that are taken from the front."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._data)

    def take(self, count: int) -> bytes:
        """Exactly so many."""
        end = self._at + count
        if end > len(self._data):
            raise _Cut
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def number(self, width: int) -> int:
        """A number of so many bytes."""
        return int.from_bytes(self.take(width), "big")

    def vector(self, width: int) -> "_Bytes":
        """Bytes behind a length of so many bytes."""
        return _Bytes(self.take(self.number(width)))

    def rest(self) -> bytes:
        """All that is left."""
        return self.take(len(self._data) - self._at)


def is_tls(data: bytes) -> bool:
    """Whether a connection begins like TLS, as far as its bytes go."""
    return bool(data) and b"\x16\x03".startswith(data[:2])


def read_hello(data: bytes) -> Hello | More | Not:
    """The client hello at the front of a connection, over as many TLS records as it was cut into."""
    if not is_tls(data):
        return Not("no TLS")
    body, at = b"", 0
    for _ in range(_MOST_RECORDS):
        head = data[at : at + 5]
        if not b"\x16\x03".startswith(head[:2]) or head[3:5] == b"\0\0":
            return Not("a hello broken off by another TLS record")
        if len(head) < 5:
            return MORE
        length = int.from_bytes(head[3:5], "big")
        body += data[at + 5 : at + 5 + length]
        at += 5 + length
        if (whole := _whole(body)) is not None:
            return whole
        if at > len(data):
            return MORE
    return Not("a hello in too many TLS records")


def _whole(body: bytes) -> Hello | Not | None:
    """The hello of these bytes of handshake, or None while there is more to come."""
    if body[:1] not in (b"", b"\x01"):
        return Not("TLS that does not begin with a client hello")
    wanted = 4 + int.from_bytes(body[1:4], "big") if len(body) >= 4 else LONGEST
    if wanted > LONGEST:
        return Not("a hello that is too long")
    return _hello(body[4:wanted]) if len(body) >= wanted else None


def _hello(body: bytes) -> Hello | Not:
    try:
        return _fields(_Bytes(body), 4 + len(body))
    except _Cut:
        return Not("a malformed hello")


def _fields(body: _Bytes, size: int) -> Hello | Not:
    body.take(2 + 32)  # version and random
    for width in (1, 2, 1):  # session, ciphers, compression
        body.vector(width)
    extensions = body.vector(2) if body else _Bytes(b"")
    found: dict[int, _Bytes] = {}
    while extensions:
        kind, value = extensions.number(2), extensions.vector(2)
        if kind in found:
            return Not("a hello with the same extension twice")
        found[kind] = value
    names = _server_names(found[0]) if 0 in found else []
    if len(names) > 1:
        return Not("a hello with several names")
    alpn = _protocols(found[16]) if 16 in found else ()
    return Hello(names[0] if names else None, alpn, any(kind in found for kind in _ECH), size)


def _server_names(value: _Bytes) -> list[str]:
    names, entries = [], value.vector(2)
    while entries:
        kind, name = entries.number(1), entries.vector(2).rest()
        if kind == 0:
            names.append(shown(name))
    return names


def _protocols(value: _Bytes) -> tuple[str, ...]:
    found, entries = [], value.vector(2)
    while entries:
        found.append(shown(entries.vector(1).rest()))
    return tuple(found)


def is_http(data: bytes) -> bool:
    """Whether a connection begins like HTTP/1, as far as its bytes go."""
    return bool(data) and bool(_REQUEST.match(data) or _MAYBE_REQUEST.fullmatch(data))


def read_request(data: bytes) -> Request | More | Not:
    """The head of the request at the front of a connection."""
    if not is_http(data):
        return Not("no HTTP/1")
    head, end, _ = data[:LONGEST].replace(b"\r\n", b"\n").partition(b"\n\n")
    if not end:
        return MORE if len(data) < LONGEST else Not("a head that is too long")
    first, *lines = head.split(b"\n")
    line = _REQUEST.fullmatch(first)
    if line is None:
        return Not("a malformed request")
    hosts = [value.strip(b" \t") for name, _, value in (each.partition(b":") for each in lines) if _is_host(name)]
    return Request(shown(line[1]), shown(line[2]), tuple(shown(host) for host in hosts))


def _is_host(name: bytes) -> bool:
    """Servers differ on spaces around a header's name, so all that one of them might take for Host is."""
    return name.strip().lower() == b"host"
