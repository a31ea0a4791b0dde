"""Captured frames become events: one pass, in order, with no more memory than a bound.

The names of events and of their fields are those of the record (docs/guide/network.md). Frames are foreign: whatever
their bytes, `Flows.feed` answers with events.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rung.backends.network import dns
from rung.backends.network.hellos import Hello, More, Not, Request
from rung.backends.network.opening import DNS_PORT, KEPT, Asks, Opening, Quic, Stream, Unknown, of_datagram, of_stream
from rung.backends.network.packets import ACK, FIN, RST, SYN, Odd, Packet, Piece, Transport, address, decode
from rung.backends.network.resolvers import is_resolver
from rung.core.canonical import JSON

Event: TypeAlias = dict[str, JSON]
To: TypeAlias = Literal["instrument", "inside", "outside"]
By: TypeAlias = Literal[
    "instrument", "inside", "fake_ip_dns", "sni", "sni_maybe_cover", "http_host", "dns_earlier", "bare_ip"
]
State: TypeAlias = Literal["closed", "reset", "refused", "unanswered", "open", "idle"]
Key: TypeAlias = tuple[Transport, bytes, int, bytes, int]

MOST_FLOWS = 16_384
"""Flows followed at once. Beyond, the oldest is closed in the record as `forgotten`."""
MOST_ADDRESSES = 65_536
MOST_NAMES = 64
"""Addresses kept with the names that were looked up for them, and names kept for one."""
NAMES_SHOWN = 8
IDLE_SECONDS = 60.0
"""After so long without a datagram a flow of UDP or ICMP is closed in the record."""
LINGER_SECONDS = 1.0
"""How long a closed TCP flow stays, for what is still on its way."""

_MOST_PIECES = 1024
_ECHOES = frozenset({0, 8, 128, 129})
"""Types of ICMP that ask for an echo or are one."""
_UNREACHABLE = {4: 3, 16: 1}
"""The type of ICMP that says so, by the length of addresses."""


@dataclass(slots=True)
class Flow:
    """One conversation between two endpoints: who began it is the client."""

    number: int
    transport: Transport
    client: bytes
    server: bytes
    source: int
    port: int
    dst: str
    to: To
    began: float
    last: float
    known: dict[str, float]
    up: int = 0
    down: int = 0
    packets: int = 0
    first: int = 0
    stream: Stream | None = None
    answers: Stream | None = None
    asks: bool = False
    settled: bool = False
    answered: bool = False
    accepted: bool = False
    refused: str = ""
    reset: bool = False
    edges: dict[bool, int] = field(default_factory=dict)
    ended: set[bool] = field(default_factory=set)
    over: float | None = None
    sni: str | None = None
    host: str | None = None
    ech: bool = False


class Flows:
    """What was seen so far.

    `ports` are those of the instrument's own servers on loopback. With `serves_names` its name server answers for every
    address in the world.
    """

    def __init__(self, ports: frozenset[int] = frozenset(), *, serves_names: bool = False) -> None:
        self._ports = ports
        self._serves_names = serves_names
        self._open: OrderedDict[Key, Flow] = OrderedDict()
        self._known: OrderedDict[str, dict[str, float]] = OrderedDict()
        self._given: dict[str, str] = {}
        self._pieces: OrderedDict[bytes, Flow | None] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return len(self._open)

    def given(self, name: str, at_address: str) -> None:
        """Our own name server gave this name this address, and gives it to no other."""
        self._given[at_address] = name

    def feed(self, at: float, frame: bytes) -> list[Event]:
        """Take in a frame that was captured `at` so many seconds from the start."""
        seen = decode(frame)
        if isinstance(seen, Odd):
            return [{"event": seen.event, "reason": seen.why, "bytes": seen.size}]
        if isinstance(seen, Piece):
            return list(self._piece(seen))
        if seen.transport == "icmp" and seen.target not in _ECHOES:
            return list(self._news(seen))
        return list(self._packet(at, seen))

    def sweep(self, at: float) -> list[Event]:
        """Close what is over."""
        over = [key for key, flow in self._open.items() if _is_over(flow, at)]
        return [event for key in over for event in self._close(key, at)]

    def end(self, at: float) -> list[Event]:
        """Close everything: nothing more will come."""
        return [event for key in list(self._open) for event in self._close(key, at)]

    # ----------------------------------------------------------------------------------------- packets

    def _packet(self, at: float, packet: Packet) -> Iterator[Event]:
        key, is_up = self._key(packet)
        flow = self._open.get(key)
        if flow is not None and _begins_anew(flow, packet, is_up=is_up):
            yield from self._close(key, at)
            flow = None
        if flow is None:
            if packet.transport == "tcp" and not (packet.size or packet.flags & SYN):
                return  # an echo of a flow that is gone
            if len(self._open) >= MOST_FLOWS:
                yield from self._close(next(iter(self._open)), at, why="forgotten")
            is_up = True
            flow = self._begin(at, packet)
            yield self._opened(at, flow)
        if packet.fragment is not None:
            yield from self._first_piece(packet, flow)
        _count(flow, packet, at, is_up=is_up)
        yield from self._read(at, flow, packet, is_up=is_up)

    def _key(self, packet: Packet) -> tuple[Key, bool]:
        """The key of the flow that a packet belongs to, and whether the client sent it."""
        key = _key_of(packet)
        if key in self._open:
            return key, True
        return (key[0], key[3], key[4], key[1], key[2]), False

    def _begin(self, at: float, packet: Packet) -> Flow:
        key = transport, src, source, to, port = _key_of(packet)
        dst = address(to)
        known = dict(self._known.get(dst, {}))
        self._count += 1
        flow = Flow(self._count, transport, src, to, source, port, dst, self._whereto(to, port), at, at, known)
        flow.first = packet.sequence
        flow.settled = flow.to != "outside" and port != DNS_PORT
        if transport == "tcp" and not flow.settled:
            flow.stream = Stream((packet.sequence + bool(packet.flags & SYN)) & 0xFFFFFFFF)
        self._open[key] = flow
        return flow

    def _opened(self, at: float, flow: Flow) -> Event:
        age = min((at - looked_up for looked_up in flow.known.values()), default=None)
        return {
            "event": "flow_open",
            **_place(flow),
            "sport": flow.source,
            "to": flow.to,
            "names_known": sorted(flow.known)[:NAMES_SHOWN],
            "name_age_s": None if age is None else round(age, 3),
            "proc": None,
        }

    def _whereto(self, server: bytes, port: int) -> To:
        if self._serves_names and port == DNS_PORT:
            return "instrument"
        is_v4 = len(server) == 4 or server[:12] == b"\0" * 10 + b"\xff\xff"
        is_loopback = server[-4] == 127 if is_v4 else server == b"\0" * 15 + b"\1"
        if not is_loopback:
            return "outside"
        return "instrument" if port in self._ports else "inside"

    # ----------------------------------------------------------------------------------------- what is said

    def _read(self, at: float, flow: Flow, packet: Packet, *, is_up: bool) -> Iterator[Event]:
        if flow.asks:
            yield from self._look_ups(at, flow, packet, is_up=is_up)
        elif flow.settled or not is_up or not packet.size or packet.transport == "icmp":
            return
        elif packet.transport == "udp":
            yield from self._settle(at, flow, of_datagram(packet.payload, port=flow.port))
            yield from self._look_ups(at, flow, packet, is_up=is_up)
        else:
            yield from self._listen(at, flow, packet)

    def _listen(self, at: float, flow: Flow, packet: Packet) -> Iterator[Event]:
        stream = flow.stream
        if stream is None:
            return
        stream.add(packet.sequence, packet.payload, packet.size)
        said = of_stream(bytes(stream.data), port=flow.port, ended=stream.lost or len(stream.data) >= KEPT)
        if stream.data and not isinstance(said, More):
            yield from self._settle(at, flow, said)
            yield from self._messages(at, flow, stream, is_up=True)

    def _settle(self, at: float, flow: Flow, said: Opening) -> Iterator[Event]:
        """It is known what the flow is."""
        flow.settled = True
        where = _place(flow)
        if isinstance(said, Asks):
            flow.asks = True
        elif isinstance(said, Hello):
            flow.sni, flow.ech = said.sni, said.ech
            yield {"event": "tls_client_hello", **where, **self._hello(flow, said)}
        elif isinstance(said, Request):
            flow.host = _host(said)
            yield {"event": "http_request", **where, "method": said.method, "host": flow.host, "hosts": len(said.hosts)}
        elif isinstance(said, Quic):
            reason = "what it says first is encrypted, and is not decrypted here"
            yield {"event": "quic_unreadable", **where, "version": said.version, "reason": reason}
        elif isinstance(said, Unknown):
            yield {"event": "cleartext_unknown", **where, "first": said.first}
        else:
            yield {"event": "unparsed", **where, "reason": said.why}
        if not flow.asks:
            flow.stream = None

    def _hello(self, flow: Flow, said: Hello) -> Event:
        given = self._given.get(flow.dst)
        names = {given} if given is not None else set(flow.known)
        matches = None if said.sni is None or not names else said.sni.lower() in names
        name = said.sni if said.sni is not None else given
        return {
            "sni": said.sni,
            "alpn": list(said.alpn),
            "ech": "outer" if said.ech else None,
            "bytes": said.bytes,
            "sni_matches_dns": matches,
            "doh": is_resolver(name=name, address=flow.dst, port=flow.port),
        }

    # ----------------------------------------------------------------------------------------- look-ups

    def _look_ups(self, at: float, flow: Flow, packet: Packet, *, is_up: bool) -> Iterator[Event]:
        if not flow.asks or not packet.size:
            return
        if packet.transport == "udp":
            yield from self._message(at, flow, packet.payload, is_up=is_up)
            return
        if not is_up and flow.answers is None:
            flow.answers = Stream(packet.sequence)
        stream = flow.stream if is_up else flow.answers
        if stream is not None and not stream.lost:
            stream.add(packet.sequence, packet.payload, packet.size)
            yield from self._messages(at, flow, stream, is_up=is_up)

    def _messages(self, at: float, flow: Flow, stream: Stream, *, is_up: bool) -> Iterator[Event]:
        while flow.asks and (message := stream.take()) is not None:
            yield from self._message(at, flow, message, is_up=is_up)
        if flow.asks and (stream.lost or len(stream.data) >= KEPT):
            stream.lost = True
            yield {"event": "unparsed", **_place(flow), "reason": "a message of DNS that was cut off"}

    def _message(self, at: float, flow: Flow, data: bytes, *, is_up: bool) -> Iterator[Event]:
        message = dns.read(data)
        where: Event = {"flow": flow.number, "via": flow.transport, "server": flow.dst, "port": flow.port}
        if message is None or message.name is None or message.is_answer == is_up:
            yield {"event": "unparsed", **_place(flow), "reason": "no message of DNS"}
            return
        asked: Event = {"q": message.name, "type": dns.type_name(message.type)}
        if is_up:
            yield {"event": "dns_query", **where, **asked}
            return
        for found in message.addresses:
            self._learn(found, message.name, at)
        shown = list(message.addresses[:NAMES_SHOWN])
        yield {"event": "dns_answer", **where, **asked, "code": dns.code_name(message.code), "addresses": shown}

    def _learn(self, found: str, name: str, at: float) -> None:
        names = self._known.setdefault(found, {})
        if len(names) < MOST_NAMES or name in names:
            names[name] = at
        if len(self._known) > MOST_ADDRESSES:
            self._known.popitem(last=False)

    # ----------------------------------------------------------------------------------------- pieces, errors

    def _first_piece(self, packet: Packet, flow: Flow) -> Iterator[Event]:
        fragment = packet.fragment
        if fragment is not None and self._pieces.get(fragment.key) is None:
            yield {"event": "fragment", **_place(flow), "bytes": packet.size}
            self._keep(fragment.key, flow)

    def _piece(self, piece: Piece) -> Iterator[Event]:
        """A later piece counts where its first went; what is in it is not read."""
        flow = self._pieces.get(piece.fragment.key)
        if flow is None:
            if piece.fragment.key not in self._pieces:
                yield {"event": "fragment", "dst": address(piece.dst), "proto": piece.protocol, "bytes": piece.size}
                self._keep(piece.fragment.key, None)
        elif piece.src == flow.client:
            flow.up += piece.size
        else:
            flow.down += piece.size

    def _keep(self, key: bytes, flow: Flow | None) -> None:
        self._pieces[key] = flow
        if len(self._pieces) > _MOST_PIECES:
            self._pieces.popitem(last=False)

    def _news(self, packet: Packet) -> Iterator[Event]:
        """An error of ICMP is about a flow; other messages stand for themselves."""
        quoted = packet.quoted
        flow = None if quoted is None else self._open.get(_key_of(quoted))
        if flow is None:
            yield {"event": "icmp", "dst": address(packet.dst), "type": packet.target, "code": packet.flags}
        elif _UNREACHABLE[len(packet.src)] == packet.target:
            flow.refused = "unreachable"

    # ----------------------------------------------------------------------------------------- ends

    def _close(self, key: Key, at: float, *, why: str = "") -> Iterator[Event]:
        flow = self._open.pop(key)
        if not flow.settled and flow.stream is not None and flow.stream.data:
            yield from self._settle(at, flow, _last_words(flow, flow.stream))
        by, name = self._identity(flow)
        yield {
            "event": "flow_close",
            **_place(flow),
            "to": flow.to,
            "state": _state(flow, at),
            "why": why or flow.refused,
            "up": flow.up,
            "down": flow.down,
            "packets": flow.packets,
            "seconds": round(flow.last - flow.began, 3),
            "name": name,
            "identified_by": by,
            "names_known": sorted(flow.known)[:NAMES_SHOWN],
        }

    def _identity(self, flow: Flow) -> tuple[By, str | None]:
        """By what a flow has its name. An address that was looked up before is no proof, and one that was looked up for
        several names no hint."""
        if flow.to != "outside":
            return flow.to, None
        if (given := self._given.get(flow.dst)) is not None:
            return "fake_ip_dns", given
        if flow.sni is not None:
            return ("sni_maybe_cover" if flow.ech else "sni"), flow.sni.lower()
        if flow.host is not None:
            return "http_host", flow.host.lower()
        if len(flow.known) == 1:
            return "dns_earlier", next(iter(flow.known))
        return "bare_ip", None


def _key_of(packet: Packet) -> Key:
    if packet.transport == "icmp":  # both ways by the number of the echo
        return "icmp", packet.src, packet.source, packet.dst, packet.source
    return packet.transport, packet.src, packet.source, packet.dst, packet.target


def _begins_anew(flow: Flow, packet: Packet, *, is_up: bool) -> bool:
    """Whether the endpoints of a flow begin another one."""
    if packet.transport != "tcp":
        return False
    is_syn = packet.flags & (SYN | ACK) == SYN
    return is_syn and (flow.over is not None or (is_up and packet.sequence != flow.first))


def _count(flow: Flow, packet: Packet, at: float, *, is_up: bool) -> None:
    """What a packet adds to its flow, and how far a TCP connection has come with it."""
    flow.last = at
    flow.packets += 1
    fresh = packet.size if packet.transport != "tcp" else _fresh(flow, packet, is_up=is_up)
    if is_up:
        flow.up += fresh
    else:
        flow.down += fresh
        flow.answered = True
    if packet.transport == "tcp" and packet.flags & (SYN | FIN | RST):
        _follow(flow, packet.flags, at, is_up=is_up)


def _fresh(flow: Flow, packet: Packet, *, is_up: bool) -> int:
    """How far a segment brings its side on: what is sent again counts once."""
    begins = (packet.sequence + bool(packet.flags & SYN)) & 0xFFFFFFFF
    ends = (begins + packet.size) & 0xFFFFFFFF
    edge = flow.edges.get(is_up, begins)
    step = (ends - edge) & 0xFFFFFFFF
    is_ahead = step < 1 << 31 and bool(packet.size)  # an empty one after the end stands a byte beyond it
    flow.edges[is_up] = ends if is_ahead else edge
    return step if is_ahead else 0


def _follow(flow: Flow, flags: int, at: float, *, is_up: bool) -> None:
    if flags & SYN and not is_up:
        flow.accepted = True
    if flags & RST:
        flow.reset = True
        flow.refused = "" if is_up or flow.accepted else "reset"
        flow.over = at
    if flags & FIN:
        flow.ended.add(is_up)
        flow.over = at if len(flow.ended) == 2 else flow.over


def _is_over(flow: Flow, at: float) -> bool:
    if flow.transport == "tcp":
        return flow.over is not None and at - flow.over >= LINGER_SECONDS
    return at - flow.last >= IDLE_SECONDS


def _state(flow: Flow, at: float) -> State:
    if flow.refused and not flow.down:
        return "refused"
    if not flow.answered:
        return "unanswered"
    if flow.transport != "tcp":
        return "idle" if at - flow.last >= IDLE_SECONDS else "open"
    if len(flow.ended) == 2:
        return "closed"
    return "reset" if flow.reset else "open"


def _place(flow: Flow) -> Event:
    return {"flow": flow.number, "proto": flow.transport, "dst": flow.dst, "dport": flow.port}


def _host(said: Request) -> str | None:
    """The host of a request without its port, where there is one and no more."""
    if len(said.hosts) != 1:
        return None
    host, colon, port = said.hosts[0].rpartition(":")
    return host if colon and port.isdecimal() else said.hosts[0]


def _last_words(flow: Flow, stream: Stream) -> Opening:
    said = of_stream(bytes(stream.data), port=flow.port, ended=True)
    return Not("a beginning that was cut off") if isinstance(said, More) else said
