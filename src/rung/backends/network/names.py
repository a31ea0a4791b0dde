"""A name server that knows no address in the world: each name gets one of ours, so that a connection has its name.

The addresses are of 198.18.0.0/15, which is set aside for tests and routed nowhere (RFC 2544). A name that is not
allowed gets one as well: so the attempt to reach it is seen with its bytes, and not the question alone, and the relay
refuses it. There are no addresses of IPv6 and no other records. Above all there is no HTTPS record, without which no
client has the key to hide a name in its hello. No query leaves: a name can carry nothing out.
"""

import asyncio
import ipaddress
import socket
import struct
from collections.abc import Callable, Iterable
from contextlib import suppress

from rung.backends.network import dns
from rung.backends.network.flows import Event
from rung.backends.network.hosts import checked, is_name, matching

Tell = Callable[[Event], None]
"""Is told an event for the record."""

FIRST = int(ipaddress.IPv4Address("198.18.0.1"))
MOST_NAMES = (1 << 17) - 2
"""Addresses in 198.18.0.0/15, but for its first and last."""
MOST_CONNECTIONS = 64
IDLE_SECONDS = 10.0
LOCALHOST = "localhost"

_MOST_AT_ONCE = 64
_LONGEST_DATAGRAM = 4096
_IP_PKTINFO = 8
_IPV6_RECVPKTINFO, _IPV6_FREEBIND = 49, 78


class Names:
    """Names and the addresses they were given. `allow` are the patterns of a `Network`; a bad one is a `UsageError`."""

    def __init__(self, allow: Iterable[str], tell: Tell) -> None:
        self._allow = checked(allow)
        self._tell = tell
        self._addresses: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def pattern(self, name: str) -> str | None:
        """What allows this name, or None."""
        return matching(name, self._allow)

    def name_at(self, address: str) -> str | None:
        """The name that has this address; None for an address that was given to none."""
        return self._names.get(address)

    def answer(self, query: bytes) -> bytes | None:
        """What goes back for a datagram or message; nothing for what is no query."""
        message = dns.read(query)
        if message is None or message.is_answer:
            return None
        if message.opcode:
            return dns.answer(query, dns.NOTIMP)
        if message.name is None:
            return dns.answer(query, dns.FORMERR)
        if not is_name(message.name):
            return dns.answer(query, dns.NXDOMAIN)
        if message.type != dns.A:
            return dns.answer(query, dns.NOERROR)
        address = self._address(message.name)
        return dns.answer(query, dns.SERVFAIL) if address is None else dns.answer(query, dns.NOERROR, (address,))

    def _address(self, name: str) -> str | None:
        """The address of a name, the same for ever; None when all are given."""
        if name == LOCALHOST:
            return "127.0.0.1"
        if name not in self._addresses:
            if len(self._addresses) >= MOST_NAMES:
                return None
            address = str(ipaddress.IPv4Address(FIRST + len(self._addresses)))
            self._tell({"event": "name_given", "name": name, "address": address, "allowed": bool(self.pattern(name))})
            self._addresses[name], self._names[address] = address, name
        return self._addresses[name]


class NameServer:
    """Answers over UDP and TCP, on sockets that stand for every server there is: from the address that was asked."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._sockets: list[socket.socket] = []
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, sockets: Iterable[socket.socket]) -> None:
        """Serve on these sockets until `stop`."""
        for each in sockets:
            if each.type == socket.SOCK_STREAM:
                self._servers.append(await asyncio.start_server(self._converse, sock=each, backlog=128))
            else:
                self._serve_datagrams(each)

    async def stop(self) -> None:
        """Serve no more."""
        for each in self._sockets:
            asyncio.get_running_loop().remove_reader(each)
        self._sockets.clear()
        for server in self._servers:
            server.close()
        self._servers.clear()
        for task in self._tasks:
            task.cancel()

    def _serve_datagrams(self, served: socket.socket) -> None:
        if served.family == socket.AF_INET6:
            served.setsockopt(socket.IPPROTO_IPV6, _IPV6_RECVPKTINFO, 1)
            served.setsockopt(socket.IPPROTO_IPV6, _IPV6_FREEBIND, 1)  # to answer from an address no device has
        else:
            served.setsockopt(socket.IPPROTO_IP, _IP_PKTINFO, 1)
        served.setblocking(False)
        self._sockets.append(served)
        asyncio.get_running_loop().add_reader(served, self._datagrams, served)

    def _datagrams(self, served: socket.socket) -> None:
        with suppress(OSError):  # none is waiting, or its sender is gone
            for _ in range(_MOST_AT_ONCE):
                query, notes, _, sender = served.recvmsg(_LONGEST_DATAGRAM, socket.CMSG_SPACE(64))
                if (answer := self._names.answer(query)) is not None:
                    served.sendmsg([answer], [_from_there(note) for note in notes], 0, sender)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        try:
            with suppress(asyncio.IncompleteReadError, asyncio.CancelledError, TimeoutError, OSError):
                while len(self._tasks) <= MOST_CONNECTIONS:
                    async with asyncio.timeout(IDLE_SECONDS):
                        length = int.from_bytes(await reader.readexactly(2), "big")
                        answer = self._names.answer(await reader.readexactly(length))
                        if answer is None:
                            break
                        writer.write(len(answer).to_bytes(2, "big") + answer)
                        await writer.drain()
        finally:
            writer.close()


def _from_there(note: tuple[int, int, bytes]) -> tuple[int, int, bytes]:
    """The note by which an answer leaves from the address that was asked: resolvers take it from no other."""
    level, kind, data = note
    if (level, kind) == (socket.IPPROTO_IP, _IP_PKTINFO):
        return level, kind, struct.pack("=i4s4x", 0, data[8:12])
    return level, kind, data[:16] + bytes(4)
