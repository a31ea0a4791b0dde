"""The inside of a network namespace: a process that makes one, hands its sockets out, and does there what it is told.

Run as `python -I inside.py FD`. Every address in the world is local to its namespace, as in a sandbox. Of the product
it knows nothing: it is the program that is recorded.
"""

import ctypes
import fcntl
import json
import os
import socket
import ssl
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path

UDP_ECHO = 7777
TCP_SINK = 4444


def enter(user):
    libc = ctypes.CDLL(None, use_errno=True)
    if user:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        libc.prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: its own files under /proc are its own again
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(0x10000000 | 0x40000000):  # CLONE_NEWUSER | CLONE_NEWNET
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        Path("/proc/self", name).write_text(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        fcntl.ioctl(asked, 0x8914, struct.pack("16sH22x", b"lo", 0x1 | 0x40))  # up and running
    for family in (socket.AF_INET, socket.AF_INET6):
        route(family)


def route(family):
    body = struct.pack("=BBBBBBBBI", family, 0, 0, 0, 255, 3, 254, 2, 0)
    body += struct.pack("=HHI", 8, 4, socket.if_nametoindex("lo"))
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        kernel.send(struct.pack("=IHHII", 16 + len(body), 24, 0x405, 1, 0) + body)
        (code,) = struct.unpack_from("=i", kernel.recv(4096), 16)
        if code:
            raise OSError(-code, "route")


def listener(port, address="::", kind=socket.SOCK_STREAM):
    made = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, kind)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind((address, port))
    if kind == socket.SOCK_STREAM:
        made.listen(512)
    return made


def opened(order):
    capture = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    if order["buffer"]:
        capture.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, order["buffer"])
    capture.bind(("lo", 3))
    found = [("capture 0", capture)]
    found += [(f"listening {port}", listener(port, "127.0.0.1")) for port in order["ports"]]
    if order["web"]:
        found += [(f"web {port}", listener(port)) for port in (80, 443)]
        found += [("dns 0", listener(53, kind=socket.SOCK_DGRAM)), ("dns 1", listener(53))]
    return found


# ------------------------------------------------------------------------------------------------ what it can do


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def hello(name, alpn=()):
    """The client hello of OpenSSL."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if alpn:
        context.set_alpn_protocols(list(alpn))
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    made = context.wrap_bio(incoming, outgoing, server_hostname=name)
    with suppress(ssl.SSLWantReadError):
        made.do_handshake()
    return outgoing.read()


def say(address, port, data, pieces=0, wait=True, times=1):
    """Say this over TCP; what comes back, or the error."""
    raw = bytes.fromhex(data) * times
    with socket.socket(family(address), socket.SOCK_STREAM) as made:
        made.settimeout(10)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            made.connect((address, port))
            for at in range(0, len(raw), pieces or max(1, len(raw))):
                made.sendall(raw[at : at + pieces] if pieces else raw)
            made.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: made.recv(65536), b"")).hex() if wait else ""
        except OSError as error:
            return type(error).__name__


def ask(address, port, data, times=1, answer=True):
    """Say this over UDP; what comes back, or the error."""
    with socket.socket(family(address), socket.SOCK_DGRAM) as made:
        made.settimeout(10)
        try:
            made.connect((address, port))
            for _ in range(times):
                made.send(bytes.fromhex(data))
            return made.recv(65536).hex() if answer else ""
        except OSError as error:
            return type(error).__name__


def ping(address):
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP).close()
    except OSError as error:
        return type(error).__name__
    return "allowed"


def serve(port, answer=""):
    """A server of the program's own, which stands at every address: it takes all, and answers once with this."""
    made = listener(port)
    if os.fork() == 0:
        while True:
            taken, _ = made.accept()
            while taken.recv(65536):
                pass
            taken.sendall(bytes.fromhex(answer))
            taken.close()
    made.close()
    return ""


def answer_names(port, address):
    """A name server of the program's own at every address: every name has this address."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind(("0.0.0.0", port))
    made.setsockopt(socket.IPPROTO_IP, 8, 1)
    if os.fork() == 0:
        while True:
            query, notes, _, sender = made.recvmsg(4096, 256)
            there = struct.pack("=i4s4x", 0, notes[0][2][8:12])
            record = b"\xc0\x0c\0\1\0\1\0\0\1\0\0\4" + socket.inet_aton(address)
            made.sendmsg([query[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + query[12:] + record], [(0, 8, there)], 0, sender)
    made.close()
    return ""


def flood(port, megabytes, size=65536, a_second=0):
    """Send so many megabytes (a second, at most) to a server of the program's own, at an address outside."""
    with socket.create_connection(("203.0.113.80", port)) as made:
        paced(made.sendall, megabytes, size, a_second)
        made.shutdown(socket.SHUT_WR)
        made.recv(1)
    return ""


def flood_datagrams(port, megabytes, size, a_second=0):
    """The same in datagrams, to a socket that reads none."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made,
    ):
        sink.bind(("0.0.0.0", port))
        made.connect(("203.0.113.80", port))
        paced(made.send, megabytes, size, a_second)
    return ""


def paced(send, megabytes, size, a_second):
    piece, began = bytes(size), time.monotonic()
    for number in range(megabytes * (1 << 20) // size):
        send(piece)
        ahead = number * size / (a_second * (1 << 20)) - (time.monotonic() - began) if a_second else 0
        if ahead > 0.002:
            time.sleep(ahead)


def connect_often(port, times):
    """So many connections, one after the other, with a hundred bytes each."""
    for _ in range(times):
        with socket.create_connection(("203.0.113.80", port)) as made:
            made.sendall(bytes(100))
            made.shutdown(socket.SHUT_WR)
            made.recv(1)
    return ""


def main(descriptor):
    control = socket.socket(fileno=descriptor)
    lines = control.makefile("rb")
    order = json.loads(lines.readline())
    enter(order["user"])
    found = opened(order)
    socket.send_fds(control, [json.dumps([name for name, _ in found]).encode()], [each.fileno() for _, each in found])
    for _, each in found:
        each.close()
    for line in lines:
        order = json.loads(line)
        result = globals()[order.pop("act")](**order)
        control.sendall(json.dumps(result.hex() if isinstance(result, bytes) else result).encode() + b"\n")
    os.killpg(0, 9)


if __name__ == "__main__":
    os.setsid()
    main(int(sys.argv[1]))
