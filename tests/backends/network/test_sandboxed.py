"""Recorder and sandbox together: a program in bubblewrap, recorded from before its first instruction."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from backends.sandbox import users
from rung.backends.network.recorder import Recorder
from rung.backends.network.summary import Summary
from rung.backends.network.watchers import Watchers
from rung.backends.sandbox.bubblewrap import Bubblewrap
from rung.core.confined import Confiner, Ended, Network, Program

from .frames import hello
from .test_recorder import Doubling

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces of the network are Linux's own")

PYTHON = "/usr/bin/python3"
ALLOWED = Network("allowlist", ports=(8711,), allow=("good.example",))

REACHING = """
import socket, sys
for name in ("good.example", "bad.example"):
    try:
        address = socket.getaddrinfo(name, 443, type=socket.SOCK_STREAM)[0][4]
        with socket.create_connection(address, 10) as made:
            made.sendall(bytes.fromhex(sys.argv[1]))
            made.shutdown(socket.SHUT_WR)
            print(name, address[0], len(b"".join(iter(lambda: made.recv(65536), b""))))
    except OSError as error:
        print(name, repr(error))
try:
    socket.create_connection(("203.0.113.7", 9), 10)
except OSError as error:
    print(type(error).__name__)
"""

FORGING = """
import errno, os, socket
def tried(what):
    try:
        what()
        print("done")
    except OSError as error:
        print(errno.errorcode[error.errno])
def reroute():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as kernel:
        body = bytes([2, 0, 0, 0, 255, 3, 254, 2, 0, 0, 0, 0])
        kernel.send((16 + len(body)).to_bytes(4, "little") + b"\\x19\\0\\5\\0" + bytes(8) + body)
        code = int.from_bytes(kernel.recv(4096)[16:20], "little", signed=True)
        if code:
            raise OSError(-code, os.strerror(-code))
tried(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3))
tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP))
tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).bind(("8.8.8.8", 53)))
tried(reroute)
print(sum(name.isdecimal() for name in os.listdir("/proc")))
"""


@pytest.fixture
def confiner() -> Confiner:
    return Bubblewrap()


def confined(confiner: Confiner, path: Path, network: Network, code: str, *argv: str) -> tuple[str, Ended, Summary]:
    """What a program printed in the sandbox, how it ended, and what its record comes to."""

    async def session() -> tuple[str, Ended, Summary]:
        printed: list[bytes] = []
        watchers = Watchers()
        watchers.start()
        program = Program((PYTHON, "-I", "-c", code, *argv), {"PATH": "/usr/bin"}, network=network)
        async with await confiner.start(program, hear=lambda stream, data: printed.append(data)) as held:
            kept = Recorder(held.sockets, path, network, session="s1", watchers=watchers, reach=Doubling())
            await kept.start()
            await held.release()
            ended = await held.wait()
            summary = await kept.stop()
        return b"".join(printed).decode(), ended, summary

    return asyncio.run(session())


def test_a_program_looks_up_names_and_reaches_the_allowed_one_alone(confiner, tmp_path):
    said = hello(b"good.example")
    printed, ended, summary = confined(confiner, tmp_path / "network.jsonl", ALLOWED, REACHING, said.hex())
    assert printed.splitlines() == [
        f"good.example 198.18.0.1 {2 * len(said)}",
        "bad.example 198.18.0.2 7",
        "ConnectionRefusedError",
    ]
    assert ended.reason == "exited"
    assert summary.why == ()
    assert [(each.name, each.by, each.sent, each.denied) for each in summary.named] == [
        ("bad.example", "fake_ip_dns", 0, 1),
        ("good.example", "fake_ip_dns", len(said), 0),
    ]
    assert [(each.dst, each.port, each.refused) for each in summary.bare] == [("203.0.113.7", 9, 1)]
    assert summary.asked == ("bad.example", "good.example")


@pytest.mark.parametrize("network", [Network("none"), Network("gateway", ports=(8711,))])
def test_a_program_without_an_allowlist_reaches_nothing_and_its_look_up_is_seen(confiner, tmp_path, network):
    printed, _, summary = confined(confiner, tmp_path / "network.jsonl", network, REACHING, "00")
    assert printed.splitlines()[-1] == "ConnectionRefusedError"
    assert "198.18" not in printed
    assert "good.example" in summary.asked
    assert {each.refused for each in summary.bare} >= {1}
    assert (summary.named, summary.complete) == ((), True)


def test_a_program_can_neither_forge_packets_nor_take_our_place_nor_see_the_recorder(confiner, tmp_path):
    printed, _, summary = confined(confiner, tmp_path / "network.jsonl", ALLOWED, FORGING)
    *refusals, processes = printed.splitlines()
    assert refusals == ["EAFNOSUPPORT", "EPERM", "EACCES", "EPERM"]
    assert int(processes) <= 2
    assert summary.statement == "nothing was reached or tried outside"


def test_an_unprivileged_instrument_keeps_the_same_record(tmp_path):
    said = json.loads(users.as_nobody("backends.network.unprivileged"))
    assert said == {
        "why": [],
        "bare": [["203.0.113.80", 4444, 4 << 20]],
        "user": users.NOBODY,
        "named": ["good.example"],
    }
