"""Real programs in real namespaces, recorded: what each thing that a client can do leaves in the record."""

import asyncio
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import rung
from rung.backends.network import dns, recorder, relay
from rung.backends.network.hellos import LONGEST
from rung.backends.network.record import Reading, verify
from rung.backends.network.recorder import Recorder, Terms
from rung.backends.network.summary import summarize
from rung.backends.network.watchers import Watchers
from rung.core.confined import Network, Sockets
from rung.core.errors import InstrumentFault

from .frames import ECH, extension, handshake, hello, records, server_name
from .worlds import ALLOWLIST, GATEWAY, World, of, recorded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces of the network are Linux's own")

NOBODY = 65534
RESOLVER = "192.0.2.53"
HOST = "203.0.113.7"
HOST6 = "2001:db8::7"


def led(query: bytes) -> bytes:
    return len(query).to_bytes(2, "big") + query


@pytest.fixture(params=[None, NOBODY] if os.geteuid() == 0 else [None])
def user(request: pytest.FixtureRequest) -> int | None:
    """The record is the same whoever runs the program."""
    return request.param


def say(address: str, port: int, data: bytes, *, pieces: int = 0) -> tuple[str, dict[str, object]]:
    return "say", {"address": address, "port": port, "data": data.hex(), "pieces": pieces}


def ask(address: str, port: int, data: bytes) -> tuple[str, dict[str, object]]:
    return "ask", {"address": address, "port": port, "data": data.hex()}


LARGE = records(handshake(server_name(b"large.example"), extension(21, bytes(1747))))
TUNNEL = "c2vjcmv0.tunnel.example"

ACTIONS = (
    # what it does, and the one event with these fields that comes of it
    (ask(RESOLVER, 53, dns.query("a.example")), "dns_query", {"q": "a.example", "type": "A", "via": "udp"}),
    (ask(RESOLVER, 53, dns.query("b.example", 28)), "dns_query", {"q": "b.example", "type": "AAAA"}),
    (say(RESOLVER, 5353, led(dns.query("c.example"))), "dns_query", {"q": "c.example", "via": "tcp"}),
    (ask(HOST, 9998, dns.query(TUNNEL, 16)), "dns_query", {"q": TUNNEL, "port": 9998, "type": "TXT"}),
    (say(HOST, 4443, hello(b"d.example")), "tls_client_hello", {"sni": "d.example", "ech": None, "dst": HOST}),
    (say(HOST6, 4443, hello(b"e.example")), "tls_client_hello", {"sni": "e.example", "dst": HOST6}),
    (say(HOST, 4443, hello(None, extension(16, b"\0\3\2h2"))), "tls_client_hello", {"sni": None, "alpn": ["h2"]}),
    (say(HOST, 4443, hello(b"cover.example", ECH)), "tls_client_hello", {"sni": "cover.example", "ech": "outer"}),
    (say(HOST, 4443, LARGE), "tls_client_hello", {"sni": "large.example", "bytes": 1820}),
    (say(HOST, 4443, hello(b"split.example"), pieces=7), "tls_client_hello", {"sni": "split.example"}),
    (say(HOST, 4443, records(handshake(server_name(b"two.example")), 40)), "tls_client_hello", {"sni": "two.example"}),
    (say(HOST, 4443, hello(b"dns.google")), "tls_client_hello", {"sni": "dns.google", "doh": True}),
    (say(HOST, 8080, b"GET / HTTP/1.1\r\nHost: f.example\r\n\r\n"), "http_request", {"host": "f.example"}),
    (say(HOST, 4444, b"?" * 50_000), "flow_close", {"dport": 4444, "up": 50_000, "identified_by": "bare_ip"}),
    (say(HOST, 4443, b"\xff" * 30), "cleartext_unknown", {"first": "ff" * 16}),
    (ask(HOST, 999, b"??"), "flow_close", {"dport": 999, "up": 2, "state": "refused", "why": "unreachable"}),
    (ask(HOST6, 998, b"??"), "flow_close", {"dport": 998, "dst": HOST6, "state": "refused"}),
    (say(HOST, 9, b"?"), "flow_close", {"dport": 9, "state": "refused", "why": "reset"}),
    (say("255.255.255.254", 443, b"?"), "flow_close", {"dst": "255.255.255.254", "state": "refused"}),
    (ask(HOST, 443, b"\xc3\0\0\0\1" + bytes(1195)), "quic_unreadable", {"version": "1", "dst": HOST}),
    (say("127.0.0.1", 3000, b"?"), "flow_close", {"dport": 3000, "identified_by": "inside", "state": "refused"}),
    (ask("192.0.2.9", 53, b"secret"), "unparsed", {"dst": "192.0.2.9", "reason": "no message of DNS"}),
)


def test_each_of_22_actions_leaves_its_event(tmp_path, user):
    async def plan(world: World, _: Recorder) -> None:
        for port in (4443, 4444, 5353, 8080):
            await world.act("serve", port=port, answer="cd")
        for (act, order), _, _ in ACTIONS:
            await world.act(act, **order)

    events, summary = recorded(tmp_path / "network.jsonl", GATEWAY, plan, user=user)
    assert len(ACTIONS) == 22
    missing = [(kind, fields) for _, kind, fields in ACTIONS if len(of(events, kind, **fields)) != 1]
    assert missing == []
    assert summary.complete
    assert {each["session"] for each in events} == {"s1"}
    assert [each["event"] for each in (events[0], events[-1])] == ["capture_start", "capture_end"]


def test_a_ping_is_refused_or_seen(tmp_path):
    said = []

    async def plan(world: World, _: Recorder) -> None:
        said.append(await world.act("ping", address=HOST))

    recorded(tmp_path / "network.jsonl", GATEWAY, plan)
    assert said == ["PermissionError"]


def test_an_address_that_files_share_is_not_named_by_an_earlier_look_up(tmp_path):
    """A naive rule called this upload "files.example"."""

    async def plan(world: World, _: Recorder) -> None:
        await world.act("answer_names", port=5353, address=HOST)
        await world.act("serve", port=4444)
        for name in ("files.example", "other.example"):
            await world.act("ask", address=RESOLVER, port=5353, data=dns.query(name).hex())
        await world.act("say", address=HOST, port=4444, data="ab" * 50_000)

    _, summary = recorded(tmp_path / "network.jsonl", GATEWAY, plan)
    (upload,) = [each for each in summary.bare if each.port == 4444]
    assert (upload.up, upload.maybe) == (50_000, ("files.example", "other.example"))
    assert summary.named == ()


def test_what_goes_to_the_instrument_is_counted_apart(tmp_path):
    async def plan(world: World, _: Recorder) -> None:
        served = await asyncio.start_server(_greets, sock=world.sockets.listening[8710])
        assert await world.act("say", address="127.0.0.1", port=8710, data="00" * 100) == b"welcome".hex()
        served.close()

    _, summary = recorded(tmp_path / "network.jsonl", GATEWAY, plan)
    assert (summary.instrument_up, summary.instrument_down) == (100, 7)
    assert summary.statement == "nothing was reached or tried outside"


async def _greets(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.write(b"welcome")
    await writer.drain()
    writer.close()


def test_how_much_was_recorded_is_known_while_it_goes_on(tmp_path):
    seen = []

    async def plan(world: World, kept: Recorder) -> None:
        seen.append(await kept.packets())
        await world.act("say", address=HOST, port=9, data="00")
        while await kept.packets() < 2:  # the ring hands over what it has within some milliseconds
            pass

    recorded(tmp_path / "network.jsonl", GATEWAY, plan)
    assert seen == [0]


# ------------------------------------------------------------------------------------------------ the allowlist


class Doubling:
    """A server outside that answers with what it heard, twice."""

    def __init__(self) -> None:
        self.reached: list[tuple[str, int, str]] = []

    async def __call__(self, name: str, port: int, pattern: str) -> relay.Ends:
        self.reached.append((name, port, pattern))
        served = await asyncio.start_server(self._double, "127.0.0.1", 0)
        address = served.sockets[0].getsockname()
        ends = await asyncio.open_connection(*address)
        served.close()
        return ends

    async def _double(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(2 * await reader.read())
        await writer.drain()
        writer.close()


def answered(said: str) -> str:
    """The one address of an answer."""
    return dns.read(bytes.fromhex(said)).addresses[0]


def test_an_allowed_name_is_reached_through_the_relay_and_known_by_its_address(tmp_path, user):
    outside, said = Doubling(), hello(b"good.example") + bytes(1000)

    async def plan(world: World, _: Recorder) -> None:
        address = answered(await world.act("ask", address="8.8.8.8", port=53, data=dns.query("good.example").hex()))
        assert await world.act("say", address=address, port=443, data=said.hex()) == (said * 2).hex()

    events, summary = recorded(tmp_path / "network.jsonl", ALLOWLIST, plan, reach=outside, user=user)
    assert outside.reached == [("good.example", 443, "good.example")]
    (named,) = summary.named
    assert (named.name, named.by, named.up, named.down) == ("good.example", "fake_ip_dns", len(said), 2 * len(said))
    assert (named.sent, named.received) == (len(said), 2 * len(said))
    assert (of(events, "proxy")[0]["decision"], summary.bare, summary.complete) == ("allowed", (), True)


def test_names_are_looked_up_over_tcp_and_over_ipv6_too(tmp_path):
    async def plan(world: World, _: Recorder) -> None:
        over_tcp = await world.act("say", address="8.8.8.8", port=53, data=led(dns.query("x.wide.example")).hex())
        over_ipv6 = await world.act(
            "ask", address="2001:4860:4860::8888", port=53, data=dns.query("x.wide.example").hex()
        )
        assert answered(over_tcp[4:]) == answered(over_ipv6) == "198.18.0.1"

    events, _ = recorded(tmp_path / "network.jsonl", ALLOWLIST, plan)
    assert of(events, "name_given") == of(events, "name_given", name="x.wide.example", allowed=True)
    assert [each["via"] for each in of(events, "dns_answer", code="NOERROR")] == ["tcp", "udp"]


def test_http_to_an_allowed_name_is_carried_and_another_host_is_refused(tmp_path):
    outside = Doubling()
    good, other = (b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % host for host in (b"x.wide.example", b"other.example"))

    async def plan(world: World, _: Recorder) -> None:
        address = answered(await world.act("ask", address="8.8.8.8", port=53, data=dns.query("x.wide.example").hex()))
        assert bytes.fromhex(await world.act("say", address=address, port=80, data=good.hex())) == good * 2
        assert b"403" in bytes.fromhex(await world.act("say", address=address, port=80, data=other.hex()))

    events, _ = recorded(tmp_path / "network.jsonl", ALLOWLIST, plan, reach=outside)
    assert outside.reached == [("x.wide.example", 80, "*.wide.example")]
    assert [(each["decision"], each["why"]) for each in of(events, "proxy")] == [
        ("allowed", "*.wide.example"),
        ("denied", "another name"),
    ]


ALERT = "15030300020270"
LONG = b"\x16\x03\x01\x40\x00\x01\x00\x40\x00"
REFUSED = {
    "a name that is not allowed": ("bad.example", hello(b"bad.example"), "not allowed"),
    "another name behind an allowed one": ("good.example", hello(b"other.example"), "another name"),
    "no TLS": ("good.example", b"SSH-2.0-x\r\n", "no TLS"),
    "a hidden name": ("good.example", hello(b"good.example", ECH), "a hello that may hide another name"),
    "a null byte": ("good.example", hello(b"good.example\0.x"), "a name that is not spelled plainly"),
    "a hello of more than 16 kB": ("good.example", LONG + bytes(LONGEST), "a hello that is too long"),
    "half a hello": ("good.example", hello(b"good.example")[:40], "a beginning that was cut off"),
    "nothing": ("good.example", b"", "no word"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_never_reaches_the_world_and_stands_with_its_reason(tmp_path, case):
    name, said, why = REFUSED[case]
    outside = Doubling()

    async def plan(world: World, _: Recorder) -> None:
        address = answered(await world.act("ask", address="8.8.8.8", port=53, data=dns.query(name).hex()))
        assert await world.act("say", address=address, port=443, data=said.hex()) in (
            "15030300020270",
            "ConnectionResetError",
        )

    events, summary = recorded(tmp_path / "network.jsonl", ALLOWLIST, plan, reach=outside)
    assert outside.reached == []
    (decided,) = of(events, "proxy")
    assert (decided["decision"], decided["why"], decided["name"]) == ("denied", why, name)
    assert [(each.name, each.denied, each.sent) for each in summary.named] == [(name, 1, 0)]


@pytest.mark.parametrize("address", [HOST, HOST6, "198.18.0.9", "127.0.0.1"])
def test_an_address_without_a_name_is_refused_whatever_is_said(tmp_path, address):
    outside = Doubling()

    async def plan(world: World, _: Recorder) -> None:
        await world.act("say", address=address, port=443, data=hello(b"good.example").hex())

    events, _ = recorded(tmp_path / "network.jsonl", ALLOWLIST, plan, reach=outside)
    assert outside.reached == []
    (decided,) = of(events, "proxy")
    assert (decided["why"], decided["dst"]) == ("an address that stands for no name", address)


def test_who_is_slow_to_say_where_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(relay, "OPENING_SECONDS", 0.0)

    async def plan(world: World, _: Recorder) -> None:
        address = answered(await world.act("ask", address="8.8.8.8", port=53, data=dns.query("good.example").hex()))
        await world.act("say", address=address, port=443, data="16")

    events, _ = recorded(tmp_path / "network.jsonl", ALLOWLIST, plan, reach=Doubling())
    assert of(events, "proxy")[0]["why"] == "too slow to say where"


def test_an_allowed_name_that_cannot_be_reached_is_told_from_a_refused_one(tmp_path):
    async def nowhere(name: str, port: int, pattern: str) -> relay.Ends:
        raise OSError("no route")

    async def plan(world: World, _: Recorder) -> None:
        address = answered(await world.act("ask", address="8.8.8.8", port=53, data=dns.query("good.example").hex()))
        await world.act("say", address=address, port=443, data=hello(b"good.example").hex())

    events, _ = recorded(tmp_path / "network.jsonl", ALLOWLIST, plan, reach=nowhere)
    assert (of(events, "proxy")[0]["decision"], of(events, "proxy")[0]["why"]) == ("failed", "no route")


def test_without_an_allowlist_nothing_is_served_and_a_look_up_is_refused(tmp_path):
    async def plan(world: World, _: Recorder) -> None:
        assert (
            await world.act("ask", address="8.8.8.8", port=53, data=dns.query("good.example").hex())
            == "ConnectionRefusedError"
        )
        assert await world.act("say", address=HOST, port=443, data="00") == "ConnectionRefusedError"

    events, summary = recorded(tmp_path / "network.jsonl", Network("none"), plan)
    assert {each.refused for each in summary.bare} == {1}
    assert (events[0]["mode"], summary.asked) == ("none", ("good.example",))


def test_an_allowlist_of_nothing_lets_nothing_out(tmp_path):
    outside = Doubling()

    async def plan(world: World, _: Recorder) -> None:
        address = answered(await world.act("ask", address="8.8.8.8", port=53, data=dns.query("good.example").hex()))
        assert await world.act("say", address=address, port=443, data=hello(b"good.example").hex()) == ALERT

    events, _ = recorded(tmp_path / "network.jsonl", Network("allowlist"), plan, reach=outside)
    assert (of(events, "proxy")[0]["why"], outside.reached) == ("not allowed", [])


def test_a_long_allowlist_is_handed_over_whole(tmp_path):
    async def plan(world: World, _: Recorder) -> None: ...

    allow = tuple(f"{'long' * 10}.{number}.example" for number in range(10_000))
    events, _ = recorded(tmp_path / "network.jsonl", Network("allowlist", allow=allow), plan)
    assert len(events[0]["allow"]) == 10_000


# ------------------------------------------------------------------------------------------------ incomplete


def test_a_recorder_that_is_killed_leaves_a_record_that_says_nothing(tmp_path):
    async def plan(world: World, kept: Recorder) -> None:
        await world.act("say", address=HOST, port=9, data="00")
        os.kill(kept.pid, signal.SIGKILL)
        await world.act("say", address=HOST, port=10, data="00")

    _, summary = recorded(tmp_path / "network.jsonl", GATEWAY, plan)
    assert "the recorder ended before its session" in summary.why
    assert summary.statement.startswith("no statement about egress")


def test_a_recorder_that_hangs_is_ended_and_its_record_says_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "STOP_SECONDS", 0.0)
    watched = []

    async def plan(world: World, kept: Recorder) -> None:
        os.kill(kept.pid, signal.SIGSTOP)
        watched.append(os.pidfd_open(kept.pid))

    _, summary = recorded(tmp_path / "network.jsonl", GATEWAY, plan)
    assert summary.why == ("the recorder ended before its session", "the recorder did not end within 0 s")
    assert select.select(watched, [], [], 30)[0] == watched
    os.close(watched[0])


def test_dropped_packets_are_counted_and_the_record_says_nothing(tmp_path):
    async def plan(world: World, kept: Recorder) -> None:
        await world.act("serve", port=4444)
        os.kill(kept.pid, signal.SIGSTOP)  # it reads nothing, and a ring of two blocks holds few packets
        await world.act("flood", port=4444, megabytes=4)
        os.kill(kept.pid, signal.SIGCONT)

    _, summary = recorded(tmp_path / "network.jsonl", GATEWAY, plan, terms=Terms(blocks=2))
    assert summary.dropped > 0
    assert summary.why == (f"the kernel dropped {summary.dropped} packets",)


def test_dropped_packets_are_counted_without_a_ring_too(tmp_path):
    async def plan(world: World, kept: Recorder) -> None:
        await world.act("serve", port=4444)
        os.kill(kept.pid, signal.SIGSTOP)
        await world.act("flood", port=4444, megabytes=4)
        os.kill(kept.pid, signal.SIGCONT)

    _, summary = recorded(tmp_path / "network.jsonl", GATEWAY, plan, terms=Terms(blocks=0), buffer=2048)
    assert summary.dropped > 0
    assert summary.why == (f"the kernel dropped {summary.dropped} packets",)


def test_without_a_ring_the_record_is_the_same(tmp_path):
    async def plan(world: World, _: Recorder) -> None:
        await world.act("serve", port=4444)
        await world.act("say", address=HOST, port=4444, data="ab" * 50_000)

    _, summary = recorded(tmp_path / "network.jsonl", GATEWAY, plan, terms=Terms(blocks=0))
    assert [(each.up, each.flows) for each in summary.bare] == [(50_000, 1)]
    assert summary.complete


def test_four_megabytes_in_the_ring_are_four_megabytes_in_the_record(tmp_path):
    async def plan(world: World, _: Recorder) -> None:
        await world.act("serve", port=4444)
        await world.act("flood", port=4444, megabytes=4)

    _, summary = recorded(tmp_path / "network.jsonl", GATEWAY, plan)
    assert [each.up for each in summary.bare] == [4 << 20]
    assert summary.complete


def test_a_record_that_is_full_says_so(tmp_path):
    async def plan(world: World, _: Recorder) -> None:
        for port in range(20, 30):
            await world.act("say", address=HOST, port=port, data="00")

    events, summary = recorded(tmp_path / "network.jsonl", GATEWAY, plan, terms=Terms(most_bytes=2000))
    assert len(of(events, "record_full")) == 1
    assert "events were left out, for the record was full" in summary.why[0]


def test_when_the_instrument_is_lost_the_record_ends_and_says_so(tmp_path):
    path = tmp_path / "network.jsonl"

    async def session() -> None:
        world, watchers = World(GATEWAY), Watchers()
        kept = Recorder(world.sockets, path, GATEWAY, session="s1", watchers=watchers)
        await kept.start()
        end = kept._ends[1].transport.get_extra_info("socket")
        hung_up = socket.fromfd(end.fileno(), socket.AF_UNIX, socket.SOCK_STREAM)
        hung_up.shutdown(socket.SHUT_WR)
        await kept._ends[0].read()
        hung_up.close()
        await kept.stop()
        world.close()

    asyncio.run(session())
    assert summarize(path).why == ("the instrument was lost before it ended the session",)
    assert verify(path).fault is None


def test_it_beats(tmp_path):
    async def plan(world: World, _: Recorder) -> None:
        await world.act("say", address=HOST, port=9, data="00")

    events, _ = recorded(tmp_path / "network.jsonl", GATEWAY, plan, terms=Terms(beat_seconds=0.0))
    assert of(events, "heartbeat")
    assert of(events, "heartbeat")[-1]["packets"] == 2


def test_what_came_before_the_recorder_is_in_the_record_and_behind_its_first_line(tmp_path):
    async def session() -> list[dict[str, object]]:
        world = World(GATEWAY)
        await world.act("say", address=HOST, port=9, data="00")
        kept = Recorder(world.sockets, tmp_path / "network.jsonl", GATEWAY, session="s1")
        await kept.start()
        await kept.stop()
        world.close()
        return [json.loads(line) for line in (tmp_path / "network.jsonl").read_bytes().splitlines()]

    events = asyncio.run(session())
    assert [each["event"] for each in events] == ["capture_start", "flow_open", "flow_close", "capture_end"]
    assert events[-1]["packets"] == 2


def test_a_program_that_lies_still_leaves_two_lines(tmp_path):
    async def plan(world: World, _: Recorder) -> None: ...

    events, summary = recorded(tmp_path / "network.jsonl", ALLOWLIST, plan)
    assert [each["event"] for each in events] == ["capture_start", "capture_end"]
    assert summary.packets == 0


def test_a_record_that_is_there_already_is_not_written_over(tmp_path):
    path = tmp_path / "network.jsonl"
    path.write_text("kept")

    async def plan(world: World, _: Recorder) -> None: ...

    with pytest.raises(InstrumentFault, match=r"the recorder did not start: .*network\.jsonl"):
        recorded(path, GATEWAY, plan)
    assert path.read_text() == "kept"


def test_where_nothing_can_be_captured_nothing_is_said(tmp_path):
    async def session() -> str:
        kept = Recorder(Sockets(), tmp_path / "network.jsonl", GATEWAY, session="s1")
        await kept.start()
        return (await kept.stop()).statement

    assert asyncio.run(session()) == f"no statement about egress: the record is incomplete ({recorder.UNSEEN})"


def test_a_recorder_that_is_left_in_the_middle_leaves_no_process_and_an_incomplete_record(tmp_path):
    async def session() -> int:
        world = World(GATEWAY)
        async with Recorder(world.sockets, tmp_path / "n.jsonl", GATEWAY, session="s1") as kept:
            await kept.start()
            watched = os.pidfd_open(kept.pid)
        await asyncio.to_thread(select.select, [watched], [], [], 30)
        with pytest.raises(ProcessLookupError):
            signal.pidfd_send_signal(watched, 0)
        os.close(watched)
        world.close()
        return kept.pid

    assert asyncio.run(session()) > 0
    assert summarize(tmp_path / "n.jsonl").why == ("the instrument was lost before it ended the session",)


def test_an_instrument_that_is_killed_leaves_no_process_and_a_record_that_says_so(tmp_path):
    path = tmp_path / "network.jsonl"
    command = [sys.executable, "-m", "backends.network.killed", str(path)]
    paths = {"PYTHONPATH": ":".join((str(Path(rung.__file__).parents[1]), str(Path(__file__).parents[2])))}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **paths}) as instrument:
        left = [os.pidfd_open(int(pid)) for pid in instrument.stdout.readline().split()]
        instrument.kill()
    for process in left:
        assert select.select([process], [], [], 30)[0]
        os.close(process)
    assert summarize(path).why == ("the instrument was lost before it ended the session",)
    assert [each["dport"] for each in Reading(path) if each["event"] == "flow_close"] == [9]


def test_one_forking_process_serves_many_records_and_another_comes_when_it_is_killed(tmp_path):
    async def session() -> list[bool]:
        world, watchers, kept = World(GATEWAY), Watchers(), []
        for number in range(3):
            kept.append(Recorder(world.sockets, tmp_path / f"{number}", GATEWAY, session="s1", watchers=watchers))
            await kept[-1].start()
            watchers._link.close()
        seen = [(await each.stop()).complete for each in kept]
        world.close()
        return seen

    assert asyncio.run(session()) == [True] * 3


def test_a_forking_process_that_nobody_uses_ends_with_its_holder():
    watchers = Watchers()
    watchers.start()
    del watchers
    gc.collect()
