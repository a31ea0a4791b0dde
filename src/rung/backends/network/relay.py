"""The one way out: what goes to an allowed name is carried there, and all else is refused with its reason on record.

A connection is known by the address it was made to, which our name server gave to one name. What the client says first,
the hello of TLS or the head of an HTTP request, must name the same, to the letter. So an allowed address does not open
the way to another name behind the same front, and no two readers of a name can differ on what it is.
"""

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from rung.backends.network.flows import Event
from rung.backends.network.hellos import LONGEST, Hello, More, Not, Request, read_hello, read_request
from rung.backends.network.hosts import is_name
from rung.backends.network.names import Names, Tell

Ends: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Reach: TypeAlias = Callable[[str, int, str], Awaitable[Ends]]
"""Connects to a name and port outside, given the pattern that allows it. Raises OSError with the reason."""
Said: TypeAlias = Hello | Request | Not

HTTP, HTTPS = 80, 443
OPENING_SECONDS = 10.0
"""How long a client may take to say where it wants to go."""
CONNECT_SECONDS = 20.0
MOST_CONNECTIONS = 256

_PIECE = 1 << 16
_ALERT = bytes.fromhex("15030300020270")
"""TLS: fatal, unrecognized name."""
_FORBIDDEN = (
    b"HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nNot reachable from here.\n"
)


def refusal(name: str | None, pattern: str | None, said: Said) -> str | None:
    """Why a connection made to `name`'s address is not carried, or None. Without a name it was made to an address."""
    if name is None:
        return "an address that stands for no name"
    if pattern is None:
        return "not allowed"
    if isinstance(said, Not):
        return said.why
    if isinstance(said, Hello) and said.ech:
        return "a hello that may hide another name"
    spoken = _spoken(said)
    if len(spoken) != 1:
        return "several names" if spoken else "no name"
    if not is_name(spoken[0]):
        return "a name that is not spelled plainly"
    return None if spoken[0] == name else "another name"


def _spoken(said: Hello | Request) -> list[str]:
    """The names that a client wishes for, each as often as it says so."""
    if isinstance(said, Hello):
        return [] if said.sni is None else [said.sni]
    hosts = [host.removesuffix(f":{HTTP}") for host in said.hosts]
    scheme, mark, rest = said.target.partition("://")
    if mark and not scheme.startswith("/"):  # a request as proxies get it names its host twice
        hosts += [rest.partition("/")[0].removesuffix(f":{HTTP}")]
        return hosts[:1] if len(hosts) == 2 and hosts[0] == hosts[1] else hosts
    return hosts


@dataclass(slots=True)
class _Way:
    """A connection from inside, and what is known of it."""

    name: str | None
    pattern: str | None
    where: Event
    said: Said = Not("nothing was said")  # noqa: RUF009 (frozen)
    heard: bytes = b""
    up: int = 0
    down: int = 0


class Relay:
    """Takes what goes to the ports 80 and 443 of any address, and carries it or refuses it."""

    def __init__(self, names: Names, tell: Tell, reach: Reach) -> None:
        self._names = names
        self._tell = tell
        self._reach = reach
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, sockets: Mapping[int, socket.socket]) -> None:
        """Serve on these sockets, by port, until `stop`."""
        for port, each in sockets.items():
            served = await asyncio.start_server(self._taking(port), sock=each, backlog=512, limit=_PIECE)
            self._servers.append(served)

    async def stop(self) -> None:
        """Serve no more; what is being carried ends here, and its bytes are told."""
        for server in self._servers:
            server.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._servers.clear()

    def _taking(self, port: int) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
        async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            if task is not None:
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            try:
                await self._take(reader, writer, port)
            except (OSError, asyncio.CancelledError):
                pass  # it is over, from one side or by `stop`; what it came to is on record
            finally:
                writer.close()

        return take

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
        way = self._way(writer, port)
        why: str | None = "too many connections at once"
        if len(self._tasks) <= MOST_CONNECTIONS:
            way.said, way.heard = await _opening(reader, port)
            why = refusal(way.name, way.pattern, way.said)
        if why is not None or way.name is None or way.pattern is None:
            self._decided(way, "denied", why or "")
            with suppress(OSError):
                writer.write(_ALERT if port == HTTPS else _FORBIDDEN)
                await writer.drain()
            return
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                outside = await self._reach(way.name, port, way.pattern)
        except (OSError, TimeoutError) as error:
            self._decided(way, "failed", str(error) or "no connection in time")
            return
        self._decided(way, "allowed", way.pattern)
        await self._carry(way, (reader, writer), outside)

    def _way(self, writer: asyncio.StreamWriter, port: int) -> _Way:
        dst = str(writer.get_extra_info("sockname")[0]).removeprefix("::ffff:")
        name = self._names.name_at(dst)
        sport = writer.get_extra_info("peername")[1]
        return _Way(
            name, None if name is None else self._names.pattern(name), {"dst": dst, "dport": port, "sport": sport}
        )

    def _decided(self, way: _Way, decision: str, why: str) -> None:
        spoken = [] if isinstance(way.said, Not) else _spoken(way.said)
        said = spoken[0] if spoken else None
        self._tell({"event": "proxy", "decision": decision, "why": why, "name": way.name, "said": said, **way.where})

    async def _carry(self, way: _Way, inside: Ends, outside: Ends) -> None:
        async def up() -> None:
            outside[1].write(way.heard)
            way.up += len(way.heard)
            await outside[1].drain()
            async for piece in _pieces(inside[0]):
                outside[1].write(piece)
                way.up += len(piece)
                await outside[1].drain()
            _end_of(outside[1])

        async def down() -> None:
            async for piece in _pieces(outside[0]):
                inside[1].write(piece)
                way.down += len(piece)
                await inside[1].drain()
            _end_of(inside[1])

        both = [asyncio.create_task(up()), asyncio.create_task(down())]
        try:
            await asyncio.gather(*both)
        finally:
            for task in both:
                task.cancel()
            outside[1].close()
            self._tell({"event": "proxy_end", "name": way.name, **way.where, "up": way.up, "down": way.down})


async def _pieces(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while piece := await reader.read(_PIECE):
        yield piece


def _end_of(writer: asyncio.StreamWriter) -> None:
    """Say that no more comes; the other way stays open."""
    with suppress(OSError):
        if writer.can_write_eof():
            writer.write_eof()


async def _opening(reader: asyncio.StreamReader, port: int) -> tuple[Said, bytes]:
    """What a client says first, and the bytes it was said in."""
    heard = bytearray()
    read = read_hello if port == HTTPS else read_request
    try:
        async with asyncio.timeout(OPENING_SECONDS):
            while len(heard) <= LONGEST + _PIECE:
                piece = await reader.read(LONGEST)
                heard += piece
                said = read(bytes(heard)) if piece else Not("a beginning that was cut off" if heard else "no word")
                if not isinstance(said, More):
                    return said, bytes(heard)
    except TimeoutError:
        return Not("too slow to say where"), bytes(heard)
    except OSError:
        return Not("a beginning that was cut off"), bytes(heard)
    return Not("a beginning that is too long"), bytes(heard)


# --------------------------------------------------------------------------------------------- the world outside

Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a name."""


async def resolve(name: str, port: int) -> list[str]:
    """The addresses of a name as this machine knows them."""
    found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


@dataclass(frozen=True, slots=True)
class Outside:
    """Connects to names in the world outside, and never to this machine.

    An allowed name may lead to an address of a private network when it was allowed by itself: whoever wrote it down
    knows that host. Below `*.name` anybody who runs the zone can have a name lead anywhere, so only public ones do.
    """

    resolve: Resolve = resolve

    async def __call__(self, name: str, port: int, pattern: str) -> Ends:
        """Connect; raises OSError with the reason."""
        addresses = await self.resolve(name, port)
        fit = [address for address in addresses if may_be_reached(address, is_exact=not pattern.startswith("*."))]
        if not fit:
            raise OSError(f"leads to no address that may be reached: {', '.join(addresses) or 'none at all'}")
        for address in fit[:-1]:
            with suppress(OSError):
                return await asyncio.open_connection(address, port)
        return await asyncio.open_connection(fit[-1], port)


def may_be_reached(address: str, *, is_exact: bool) -> bool:
    """Whether a name may lead to this address."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(known, "ipv4_mapped", None)
    known = known if mapped is None else mapped
    if known.is_loopback or known.is_link_local or known.is_multicast or known.is_unspecified or known.is_reserved:
        return False
    return known.is_global or (is_exact and known not in ipaddress.ip_network("198.18.0.0/15"))
