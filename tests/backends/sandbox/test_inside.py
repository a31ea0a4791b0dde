"""Sockets inside a program's own network namespace. The namespaces are real, and made by the tests themselves."""

import socket
import struct
from pathlib import Path

import pytest

from backends.sandbox import users
from backends.sandbox.bare import VISITOR, lying_still, packets
from rung.backends.sandbox import inside
from rung.backends.sandbox.inside import Wanted, open_inside, sockets, wanted
from rung.core.confined import Network

OTHER = "203.0.113.9"
OTHER_BYTES = bytes(map(int, OTHER.split(".")))


def seen(code: str, what: Wanted) -> tuple[str, inside.Sockets, list[bytes]]:
    with lying_still(VISITOR + code) as (pid, release):
        held = sockets(open_inside(pid, what))
        return release(), held, packets(held)


def test_what_listens_inside_is_reached_and_the_listener_is_out_here():
    said, held, _ = seen("print(reach(TCP, '127.0.0.1', 8710))", Wanted(ports=(8710, 8711)))
    guest, _ = held.listening[8710].accept()
    guest.setblocking(True)
    assert said == "('127.0.0.1', 8710)\n"
    assert guest.recv(5) == b"hello"
    assert set(held.listening) == {8710, 8711}
    guest.close()
    inside.close(held)


@pytest.mark.parametrize("address", ["127.0.0.1", OTHER, "::1", "2001:db8::9"])
def test_all_else_is_refused_at_once(address: str):
    said, held, _ = seen(f"print(reach(TCP, {address!r}, 9))", Wanted(ports=(8710,)))
    inside.close(held)
    assert said == "ConnectionRefusedError\n"


def test_a_try_that_was_refused_was_captured():
    _, held, caught = seen(f"reach(TCP, {OTHER!r}, 9)", Wanted())
    inside.close(held)
    opening = [each for each in caught if each[30:34] == OTHER_BYTES and each[23] == socket.IPPROTO_TCP]
    assert next(struct.unpack("!H", each[36:38])[0] for each in opening) == 9  # Ethernet 14, IPv4 20, then the ports


def test_a_datagram_to_nowhere_was_captured_with_what_it_says():
    _, held, caught = seen(f"reach(UDP, {OTHER!r}, 9)", Wanted())
    inside.close(held)
    assert any(each.endswith(b"hello") and each[30:34] == OTHER_BYTES for each in caught)


def test_the_world_outside_is_ours_at_the_ports_of_the_web_and_of_names():
    code = f"print([reach(TCP, a, p) for a in ({OTHER!r}, '2001:db8::9') for p in (80, 443, 53)])"
    said, held, _ = seen(code, Wanted(web=True))
    assert said.count("Error") == 0
    assert set(held.web) == {80, 443}
    guest, _ = held.web[443].accept()
    assert guest.getsockname()[:2] == (f"::ffff:{OTHER}", 443)
    guest.close()
    inside.close(held)


def test_a_name_server_hears_what_is_asked_of_any_address():
    code = f"""
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.sendto(b"who is it", ({OTHER!r}, 53))
"""
    _, held, _ = seen(code, Wanted(web=True))
    data, _ = held.dns[0].recvfrom(100)
    inside.close(held)
    assert data == b"who is it"


def test_a_mode_opens_what_it_needs_and_no_more():
    assert wanted(Network("none", ports=(1,))) == Wanted(ring=True)
    assert wanted(Network("gateway", ports=(1, 2))) == Wanted((1, 2), ring=True)
    assert wanted(Network("allowlist", ports=(1,), allow=("a.example",))) == Wanted((1,), web=True, ring=True)


def test_nothing_of_ours_is_in_there():
    said, held, _ = seen("import os; print(sorted(p for p in os.listdir('/proc') if p.isdigit()))", Wanted(web=True))
    inside.close(held)
    assert said == "['1', '2']\n"


def test_a_port_that_cannot_be_had_is_said_and_nothing_stays_open():
    before = len(list(Path("/proc/self/fd").iterdir()))
    with (
        lying_still("") as (pid, _),
        pytest.raises(OSError, match="Address already in use"),
    ):
        open_inside(pid, Wanted(ports=(8710, 8710)))
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_process_that_is_gone_is_said():
    with pytest.raises(OSError, match="No such file"):
        open_inside(2**22 - 1, Wanted())


def test_it_takes_no_root():
    said = users.as_nobody("backends.sandbox.bare")
    assert said == f"{users.NOBODY} 8710 ConnectionRefusedError True\n"
