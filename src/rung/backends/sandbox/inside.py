"""Sockets opened inside a program's own network namespace, from outside of it, before the program runs.

A short-lived child steps into the namespace, opens what is wanted, and hands the descriptors back. So no process of
ours stays in there for a program to see, to speak to or to kill, and no capability over the namespace is left to it.
This takes no root: whoever made the namespace's owner, a user namespace, is almighty in it.

One route makes every address in the world one of the namespace's own ("AnyIP"): whatever the program tries to reach is
answered or refused at once, and passes the capture on the way. Standard library alone: a supervisor runs this.
"""

import fcntl
import os
import socket
import struct
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass

from rung.backends.network import ring
from rung.backends.sandbox import kernel, passing
from rung.core.canonical import JSON
from rung.core.confined import Network, Sockets

CAPTURE_BUFFER = 64 << 20
"""Bytes of packets that may wait for the recorder. Beyond, the kernel drops and counts."""

BACKLOG = 1024
WEB_PORTS = (80, 443)
DNS_PORT = 53

_LOOPBACK = "lo"
_ETH_P_ALL = 3
_SO_RCVBUFFORCE = 33
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_LO_SECONDS = 5.0
_NLMSG_ERROR = 2
_RTM_NEWROUTE, _RTN_LOCAL, _TABLE_LOCAL, _SCOPE_HOST, _BOOT = 24, 2, 255, 254, 3
_REQUEST_ACK_CREATE = 0x1 | 0x4 | 0x400
_RTA_OIF, _RTA_TABLE = 4, 15


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to open: listeners on 127.0.0.1 at these ports, and for `web` those that stand for the world outside. `ring`
    gives the capture its ring already, where it is to be recorded."""

    ports: tuple[int, ...] = ()
    web: bool = False
    ring: bool = False


def wanted(network: Network) -> Wanted:
    """What a network mode needs. The capture is always opened."""
    return Wanted(network.ports if network.mode != "none" else (), network.mode == "allowlist", ring=True)


@dataclass(frozen=True, slots=True)
class Opened:
    """Descriptors and what each is: `listening 8710`, `web 443`, `dns 0`, `capture 0`. Whoever holds it closes them."""

    names: tuple[str, ...]
    descriptors: tuple[int, ...]

    def close(self, *, but: str = "") -> None:
        """Let go of them here, but for those of a kind."""
        for name, descriptor in zip(self.names, self.descriptors, strict=True):
            if name.partition(" ")[0] != but:
                os.close(descriptor)


NOTHING = Opened((), ())


def sockets(opened: Opened) -> Sockets:
    """The same as sockets, which now own the descriptors; non-blocking."""
    made = [socket.socket(fileno=descriptor) for descriptor in opened.descriptors]
    for each in made:
        each.setblocking(False)
    named = [(kind, int(number), each) for (kind, _, number), each in zip(_parts(opened), made, strict=True)]
    return Sockets(
        listening={number: each for kind, number, each in named if kind == "listening"},
        web={number: each for kind, number, each in named if kind == "web"},
        dns=tuple(each for kind, _, each in named if kind == "dns"),
        capture=next((each for kind, _, each in named if kind == "capture"), None),
    )


def _parts(opened: Opened) -> list[tuple[str, str, str]]:
    return [name.partition(" ") for name in opened.names]


def close(held: Sockets) -> None:
    """Close all of them; one that is closed already stays so."""
    for each in (*held.listening.values(), *held.web.values(), *held.dns, held.capture):
        if each is not None:
            each.close()


# --------------------------------------------------------------------------------------------- from outside


def open_inside(pid: int, what: Wanted) -> Opened:
    """Open sockets in the network namespace of a process that lies still. Raises OSError with the step that failed.

    Forks, so the caller has one thread. The process need not be the caller's child, only in its power.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    child = os.fork()
    if not child:
        ours.close()
        _never_returns(pid, what, theirs)
    theirs.close()
    try:
        with closing(ours):
            return received(ours)
    finally:
        os.waitpid(child, 0)


def received(source: socket.socket) -> Opened:
    """What `tell` sends."""
    message = passing.receive(source)
    if message is None:
        raise OSError("whoever opens sockets inside the sandbox is gone")
    said, descriptors = message
    if "error" in said:
        raise OSError(said["error"])
    return opened_of(said["names"], descriptors)


def tell(to: socket.socket, opened: Opened) -> None:
    """Hand over what was opened."""
    passing.send(to, {"names": list(opened.names)}, opened.descriptors)


def opened_of(names: JSON, descriptors: Sequence[int]) -> Opened:
    """What a message tells of descriptors that came with it."""
    if not isinstance(names, list) or len(names) != len(descriptors):
        raise OSError(f"{len(descriptors)} descriptors came from the sandbox for the names {names!r}")
    return Opened(tuple(map(str, names)), tuple(descriptors))


def _never_returns(pid: int, what: Wanted, back: socket.socket) -> None:
    """The child: whatever happens in it is said to its parent, and it is gone."""
    try:
        try:
            step_into(pid)
            capture = take_up()
            opened = open_all(what, capture)
        except OSError as error:
            passing.send(back, {"error": str(error)})
        else:
            tell(back, opened)
            if what.ring:  # the kernel takes milliseconds over it; whoever reads the capture waits for what is left
                ring.make(opened.descriptors[0])
    finally:
        os._exit(0)


# --------------------------------------------------------------------------------------------- from inside


def step_into(pid: int) -> None:
    """Enter the network namespace of a process; without root, by way of the user namespace that owns it."""
    network = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    if os.geteuid() != 0:
        kernel.setns(fcntl.ioctl(network, kernel.NS_GET_USERNS), kernel.CLONE_NEWUSER)
    kernel.setns(network, kernel.CLONE_NEWNET)
    os.close(network)


def take_up() -> socket.socket:
    """Capture all that passes, before anything does, and make every address in the world the namespace's own."""
    _wait_for_loopback()
    capture = _capture()
    own_every_address()
    return capture


def open_all(what: Wanted, capture: socket.socket) -> Opened:
    """Open what is wanted besides the capture, which is the first of what was opened."""
    found = [("capture 0", capture)]
    found += [(f"listening {port}", _listener(port, everywhere=False)) for port in what.ports]
    if what.web:
        found += [(f"web {port}", _listener(port, everywhere=True)) for port in WEB_PORTS if port not in what.ports]
        found += [("dns 0", _datagrams(DNS_PORT)), ("dns 1", _listener(DNS_PORT, everywhere=True))]
    return Opened(tuple(name for name, _ in found), tuple(each.detach() for _, each in found))


def raise_loopback() -> None:
    """Bring up `lo` in a namespace that was just made; the kernel gives it its addresses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        fcntl.ioctl(asked, _SIOCSIFFLAGS, struct.pack("16sH22x", _LOOPBACK.encode(), _IFF_UP))


def _wait_for_loopback() -> None:
    """A sandbox is announced before its `lo` is up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _ in range(int(_LO_SECONDS * 1000)):
            answer = fcntl.ioctl(asked, _SIOCGIFFLAGS, struct.pack("16sH22x", _LOOPBACK.encode(), 0))
            if struct.unpack_from("H", answer, 16)[0] & _IFF_UP:
                return
            time.sleep(0.001)
    raise OSError(f"the loopback of the sandbox is not up after {_LO_SECONDS:.0f} s")


def own_every_address() -> None:
    """Make every IPv4 and IPv6 address local to this namespace: `ip route add local default dev lo`, for both."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel_side:
        _add_local_default(kernel_side, socket.AF_INET)
        if _has_ipv6():
            _add_local_default(kernel_side, socket.AF_INET6)


def _add_local_default(kernel_side: socket.socket, family: int) -> None:
    route = struct.pack("=BBBBBBBBI", family, 0, 0, 0, _TABLE_LOCAL, _BOOT, _SCOPE_HOST, _RTN_LOCAL, 0)
    loopback = struct.pack("=HHI", 8, _RTA_OIF, socket.if_nametoindex(_LOOPBACK))
    table = struct.pack("=HHI", 8, _RTA_TABLE, _TABLE_LOCAL)
    body = route + loopback + table
    kernel_side.send(struct.pack("=IHHII", 16 + len(body), _RTM_NEWROUTE, _REQUEST_ACK_CREATE, 1, 0) + body)
    answer = kernel_side.recv(4096)
    kind, number = struct.unpack_from("=H", answer, 4)[0], struct.unpack_from("=i", answer, 16)[0]
    if kind == _NLMSG_ERROR and number:
        raise OSError(-number, f"local default route: {os.strerror(-number)}")


def _has_ipv6() -> bool:
    """Whether this namespace speaks IPv6: a kernel may be without, or told not to."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


def _address(port: int, *, everywhere: bool) -> tuple[int, tuple[str, int]]:
    if everywhere:
        return (socket.AF_INET6, ("::", port)) if _has_ipv6() else (socket.AF_INET, ("0.0.0.0", port))  # noqa: S104
    return socket.AF_INET, ("127.0.0.1", port)


def _bound(kind: int, port: int, *, everywhere: bool) -> socket.socket:
    family, address = _address(port, everywhere=everywhere)
    made = socket.socket(family, kind)
    if family == socket.AF_INET6:
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind(address)
    return made


def _listener(port: int, *, everywhere: bool) -> socket.socket:
    made = _bound(socket.SOCK_STREAM, port, everywhere=everywhere)
    made.listen(BACKLOG)
    return made


def _datagrams(port: int) -> socket.socket:
    return _bound(socket.SOCK_DGRAM, port, everywhere=True)


def _capture() -> socket.socket:
    """Every packet on `lo`. Each passes it twice, as sent and as received (see packet(7), `sll_pkttype`)."""
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    for option in (socket.SO_RCVBUF, _SO_RCVBUFFORCE):  # the second goes beyond net.core.rmem_max, where it is granted
        with suppress(PermissionError):
            made.setsockopt(socket.SOL_SOCKET, option, CAPTURE_BUFFER)
    ring.attach_filter(made.fileno())
    made.bind((_LOOPBACK, _ETH_P_ALL))
    return made
