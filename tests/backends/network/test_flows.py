import hypothesis
import hypothesis.strategies as st
import pytest

from rung.backends.network import dns, flows
from rung.backends.network.flows import Flows
from rung.core.canonical import canonical

from .frames import (
    ACK,
    CLIENT,
    CLIENT6,
    ECH,
    SERVER,
    SERVER6,
    SYN,
    Conversation,
    echo,
    extension,
    handshake,
    hello,
    ipv4,
    records,
    server_name,
    tcp,
    udp,
    unreachable,
)

RESOLVER = "192.0.2.53"


def seen(frames, *, known=None, step=0.0, end=True):
    """The events of these frames, each `step` seconds after the other."""
    known = Flows() if known is None else known
    events = [event for number, frame in enumerate(frames) for event in known.feed(number * step, frame)]
    return events + (known.end(len(frames) * step) if end else [])


def of(events, kind):
    return [each for each in events if each["event"] == kind]


def one(events, kind):
    (found,) = of(events, kind)
    return found


def looked_up(name, address, *, number=1, ports=(50000, 53)):
    """A look-up and its answer."""
    query = dns.query(name, number=number)
    answer = dns.answer(query, dns.NOERROR, (address,))
    back = {"src": RESOLVER, "dst": CLIENT, "ports": (ports[1], ports[0])}
    return [udp(query, dst=RESOLVER, ports=ports), udp(answer, **back)]


def conversation(data, *, ports=(40000, 443), answer=b"", step=0, dst=SERVER):
    made = Conversation(ports=ports, dst=dst)
    frames = made.opening() + made.up(data, step=step)
    return frames + (made.down(answer) if answer else []) + made.closing()


def test_a_connection_is_opened_named_and_closed_with_its_bytes():
    events = seen(conversation(hello(b"files.example"), answer=bytes(5000)))
    assert [each["event"] for each in events] == ["flow_open", "tls_client_hello", "flow_close"]
    closed = one(events, "flow_close")
    assert (closed["dst"], closed["dport"], closed["state"]) == (SERVER, 443, "closed")
    assert (closed["up"], closed["down"]) == (len(hello(b"files.example")), 5000)
    assert (closed["name"], closed["identified_by"]) == ("files.example", "sni")


@pytest.mark.parametrize("step", [1, 7, 100])
def test_a_hello_in_segments_of_any_length_is_read(step):
    events = seen(conversation(hello(b"files.example"), step=step))
    assert one(events, "tls_client_hello")["sni"] == "files.example"


def test_a_hello_of_1820_bytes_is_read():
    raw = records(handshake(server_name(b"files.example"), extension(21, bytes(1747))))
    assert one(seen(conversation(raw, step=1400)), "tls_client_hello")["bytes"] == len(raw) - 5 == 1820


def test_a_hello_over_two_records_is_read():
    raw = records(handshake(server_name(b"files.example")), 30)
    assert one(seen(conversation(raw)), "tls_client_hello")["sni"] == "files.example"


@hypothesis.given(st.permutations(range(7)), st.integers(0, 6))
def test_segments_out_of_order_and_sent_twice_make_the_same_hello_and_count_once(order, twice):
    made = Conversation()
    before, raw = made.opening(), hello(b"files.example")
    pieces = made.up(raw, step=12)
    frames = before + [pieces[number] for number in order] + [pieces[twice]] + made.closing()
    events = seen(frames)
    assert one(events, "tls_client_hello")["sni"] == "files.example"
    assert one(events, "flow_close")["up"] == len(raw)


def test_segments_that_overlap_make_the_same_hello_and_count_once():
    made, raw = Conversation(), hello(b"files.example")
    frames = made.opening()
    for begin, end in ((30, 60), (0, 40), (50, len(raw))):
        frames.append(tcp(raw[begin:end], sequence=1001 + begin))
    events = seen(frames)
    assert one(events, "tls_client_hello")["sni"] == "files.example"
    assert one(events, "flow_close")["up"] == len(raw)


def test_a_hello_of_which_a_part_was_not_captured_is_said_to_be_cut_off():
    made, raw = Conversation(), hello(b"files.example")
    opening, (first, second) = made.opening(), made.up(raw, step=40)
    known = Flows()
    events = seen([*opening, first[:-5]], known=known, end=False)
    assert one(events, "unparsed")["reason"] == "a beginning that was cut off"
    assert one(seen([second, *made.closing()], known=known), "flow_close")["up"] == len(raw)


def test_a_hidden_name_makes_the_seen_one_a_cover():
    events = seen(conversation(hello(b"cover.example", ECH)))
    assert one(events, "tls_client_hello")["ech"] == "outer"
    assert one(events, "flow_close")["identified_by"] == "sni_maybe_cover"


def test_a_hello_without_a_name_leaves_the_flow_bare():
    events = seen(conversation(hello(None)))
    assert one(events, "tls_client_hello")["sni"] is None
    assert (one(events, "flow_close")["identified_by"], one(events, "flow_close")["name"]) == ("bare_ip", None)


def test_a_name_that_was_not_looked_up_for_this_address_does_not_match():
    events = seen(looked_up("files.example", SERVER) + conversation(hello(b"other.example")))
    assert one(events, "tls_client_hello")["sni_matches_dns"] is False


def test_a_name_that_was_looked_up_matches():
    events = seen(looked_up("files.example", SERVER) + conversation(hello(b"files.example")))
    assert one(events, "tls_client_hello")["sni_matches_dns"] is True


@pytest.mark.parametrize(
    ("name", "address", "port", "expected"),
    [
        (b"dns.google", SERVER, 443, True),
        (b"files.example", "1.1.1.1", 443, True),
        (b"files.example", SERVER, 853, True),
        (b"files.example", SERVER, 443, False),
    ],
)
def test_look_ups_out_of_sight_are_hinted_at(name, address, port, expected):
    assert one(seen(conversation(hello(name), dst=address, ports=(4, port))), "tls_client_hello")["doh"] is expected


def test_a_request_has_its_host():
    events = seen(conversation(b"GET /a HTTP/1.1\r\nHost: Files.example:80\r\n\r\n", ports=(40000, 80)))
    assert (one(events, "http_request")["host"], one(events, "http_request")["method"]) == ("Files.example", "GET")
    assert (one(events, "flow_close")["name"], one(events, "flow_close")["identified_by"]) == (
        "files.example",
        "http_host",
    )


def test_a_request_with_two_hosts_names_nothing():
    events = seen(conversation(b"GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n", ports=(4, 80)))
    assert (one(events, "http_request")["host"], one(events, "http_request")["hosts"]) == (None, 2)
    assert one(events, "flow_close")["identified_by"] == "bare_ip"


def test_fifty_kilobytes_to_a_bare_address_are_seen():
    events = seen(conversation(bytes(50_000), ports=(40000, 4444), step=1400))
    assert one(events, "cleartext_unknown")["first"] == "00" * 16
    closed = one(events, "flow_close")
    assert (closed["up"], closed["identified_by"], closed["dport"]) == (50_000, "bare_ip", 4444)


def test_few_bytes_are_kept_when_the_connection_ends():
    assert one(seen(conversation(b"abc", ports=(4, 4444))), "cleartext_unknown")["first"] == b"abc".hex()


def test_a_hello_that_never_ends_is_said_to_be_cut_off():
    events = seen(conversation(hello(b"files.example")[:60]))
    assert one(events, "unparsed")["reason"] == "a beginning that was cut off"
    assert one(events, "flow_close")["identified_by"] == "bare_ip"


def test_an_address_that_was_looked_up_for_one_name_is_a_hint_and_no_name():
    closed = of(seen(looked_up("files.example", SERVER) + conversation(bytes(100), ports=(4, 4444))), "flow_close")[-1]
    assert closed["identified_by"] == "dns_earlier"
    assert closed["names_known"] == ["files.example"]


def test_an_address_that_two_names_share_is_bare():
    frames = looked_up("files.example", SERVER) + looked_up("other.example", SERVER, number=2)
    events = seen(frames + conversation(bytes(100), ports=(4, 4444)))
    closed = of(events, "flow_close")[-1]
    assert (closed["identified_by"], closed["name"]) == ("bare_ip", None)
    assert closed["names_known"] == ["files.example", "other.example"]


def test_how_long_ago_a_name_was_looked_up_is_kept():
    events = seen(looked_up("files.example", SERVER) + conversation(b"x" * 16, ports=(4, 4444)), step=0.5)
    assert of(events, "flow_open")[1]["name_age_s"] == 0.5


def test_an_address_that_our_name_server_gave_has_its_name_whatever_is_said():
    known = Flows()
    known.given("files.example", "198.18.0.1")
    events = seen(conversation(hello(b"other.example"), dst="198.18.0.1"), known=known)
    assert one(events, "tls_client_hello")["sni_matches_dns"] is False
    closed = one(events, "flow_close")
    assert (closed["identified_by"], closed["name"]) == ("fake_ip_dns", "files.example")


def test_an_answer_of_a_foreign_server_gives_no_name_to_our_addresses():
    events = seen(looked_up("good.example", "198.18.0.1", ports=(5, 5353)) + conversation(b"x" * 20, dst="198.18.0.1"))
    assert of(events, "flow_close")[-1]["identified_by"] == "dns_earlier"


def test_a_look_up_and_its_answer_are_seen():
    events = seen(looked_up("files.example", SERVER))
    assert (one(events, "dns_query")["q"], one(events, "dns_query")["type"]) == ("files.example", "A")
    assert (one(events, "dns_query")["server"], one(events, "dns_query")["via"]) == (RESOLVER, "udp")
    assert (one(events, "dns_answer")["addresses"], one(events, "dns_answer")["code"]) == ([SERVER], "NOERROR")


def test_a_look_up_on_an_odd_port_is_seen():
    events = seen([udp(dns.query("c2VjcmV0.tunnel.example", 16), ports=(5, 9998))])
    assert (one(events, "dns_query")["q"], one(events, "dns_query")["port"]) == ("c2vjcmv0.tunnel.example", 9998)


def test_look_ups_over_tcp_are_seen_one_after_the_other_with_their_answers():
    made = Conversation(ports=(5, 53))
    queries = [dns.query("a.example", number=1), dns.query("b.example", 28, number=2)]
    answers = [dns.answer(queries[0], dns.NOERROR, ("192.0.2.1",)), dns.answer(queries[1], dns.NXDOMAIN)]
    led = [[len(each).to_bytes(2, "big") + each for each in said] for said in (queries, answers)]
    frames = made.opening() + made.up(b"".join(led[0]), step=11) + made.down(b"".join(led[1])) + made.closing()
    events = seen(frames)
    assert [(each["q"], each["type"]) for each in of(events, "dns_query")] == [
        ("a.example", "A"),
        ("b.example", "AAAA"),
    ]
    assert [each["code"] for each in of(events, "dns_answer")] == ["NOERROR", "NXDOMAIN"]


def test_a_datagram_to_port_53_that_is_no_look_up_is_said_to_be_none():
    assert one(seen([udp(b"secret data", ports=(5, 53))]), "unparsed")["reason"] == "no message of DNS"


def test_a_datagram_of_nobody_knows_what_is_kept_with_its_first_bytes():
    events = seen([udp(b"0123456789abcdefghij", ports=(5, 999)), udp(b"more", ports=(5, 999))])
    assert one(events, "cleartext_unknown")["first"] == b"0123456789abcdef".hex()
    assert one(events, "flow_close")["up"] == 24


@pytest.mark.parametrize(
    ("version", "port", "word"), [(1, 9, "1"), (0x6B3343CF, 9, "2"), (0x0A0A0A0A, 443, "0x0a0a0a0a")]
)
def test_quic_is_said_to_be_unreadable(version, port, word):
    initial = b"\xc3" + version.to_bytes(4, "big") + bytes(1195)
    events = seen([udp(initial, ports=(5, port))])
    assert one(events, "quic_unreadable")["version"] == word
    assert one(events, "flow_close")["identified_by"] == "bare_ip"


def test_a_refused_connection_is_seen():
    closed = one(seen(Conversation().refusal()), "flow_close")
    assert (closed["state"], closed["why"]) == ("refused", "reset")


def test_a_refused_datagram_is_seen():
    asked = udp(b"data", ports=(5, 999))
    closed = one(seen([asked, unreachable(asked)]), "flow_close")
    assert (closed["state"], closed["why"], closed["up"]) == ("refused", "unreachable", 4)


def test_a_refused_datagram_of_ipv6_is_seen():
    asked = udp(b"data", src=CLIENT6, dst=SERVER6, ports=(5, 999))
    assert one(seen([asked, unreachable(asked, src=SERVER6, dst=CLIENT6)]), "flow_close")["state"] == "refused"


def test_a_connection_that_nobody_answers_is_one_flow_however_often_it_is_tried():
    closed = one(seen([tcp(sequence=9, flags=SYN)] * 3), "flow_close")
    assert (closed["state"], closed["packets"]) == ("unanswered", 3)


def test_a_ping_and_its_echo_are_one_flow():
    closed = one(seen([echo(), echo(reply=True)]), "flow_close")
    assert (closed["proto"], closed["up"], closed["down"]) == ("icmp", 9, 9)


def test_a_reset_connection_is_seen():
    made = Conversation()
    closed = one(seen([*made.opening(), *made.up(b"x" * 20), tcp(sequence=1021, flags=4)]), "flow_close")
    assert closed["state"] == "reset"


def test_the_same_ports_again_are_another_flow():
    again = conversation(hello(b"files.example")) + conversation(hello(b"other.example"))
    assert [each["name"] for each in of(seen(again), "flow_close")] == ["files.example", "other.example"]


def test_what_comes_late_is_no_new_flow():
    made = Conversation()
    frames = [*made.opening(), *made.closing()]
    known = Flows()
    seen(frames, known=known)
    assert known.feed(9.0, tcp(sequence=1003)) == []


def test_a_closed_flow_is_written_when_it_has_lingered_and_an_idle_one_after_a_minute():
    known = Flows()
    seen([*conversation(b"x" * 20), udp(b"data", ports=(5, 999))], known=known, end=False)
    assert known.sweep(0.5) == []
    assert [each["proto"] for each in known.sweep(1.0)] == ["tcp"]
    assert known.sweep(59.0) == []
    assert [each["proto"] for each in known.sweep(60.0)] == ["udp"]
    assert len(known) == 0


def test_pieces_of_a_datagram_count_where_its_first_went():
    whole = udp(bytes(100), ports=(5, 999))[34:]
    frames = [
        ipv4(17, CLIENT, SERVER, whole[:48], place=0x2000, number=9),
        ipv4(17, CLIENT, SERVER, whole[48:], place=6, number=9),
    ]
    events = seen(frames)
    assert len(of(events, "fragment")) == 1
    assert one(events, "flow_close")["up"] == 100


def test_a_piece_without_its_first_is_seen_once():
    frame = ipv4(17, CLIENT, SERVER, bytes(40), place=6, number=9)
    assert one(seen([frame, frame]), "fragment")["dst"] == SERVER


@pytest.mark.parametrize(
    ("dst", "port", "expected"),
    [
        ("127.0.0.1", 8710, "instrument"),
        ("127.0.0.1", 3000, "inside"),
        ("127.9.9.9", 3000, "inside"),
        ("::1", 3000, "inside"),
        ("::ffff:127.0.0.1", 8710, "instrument"),
        (SERVER, 8710, "outside"),
    ],
)
def test_whom_a_flow_goes_to(dst, port, expected):
    src = CLIENT6 if ":" in dst else CLIENT
    events = Flows(frozenset({8710})).feed(0.0, tcp(src=src, dst=dst, ports=(5, port), flags=SYN))
    assert events[0]["to"] == expected


def test_with_our_name_server_every_server_of_names_is_ours():
    assert Flows(serves_names=True).feed(0.0, udp(dns.query("a.example")))[0]["to"] == "instrument"
    assert Flows().feed(0.0, udp(dns.query("a.example")))[0]["to"] == "outside"


def test_what_is_said_to_the_instrument_is_not_read():
    events = seen(
        conversation(hello(b"files.example"), dst="127.0.0.1", ports=(5, 8710)), known=Flows(frozenset({8710}))
    )
    assert [each["event"] for each in events] == ["flow_open", "flow_close"]


def test_the_oldest_flow_is_forgotten_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(flows, "MOST_FLOWS", 2)
    known = Flows()
    events = [event for port in (1, 2, 3) for event in known.feed(0.0, udp(b"data", ports=(5, port)))]
    assert (one(events, "flow_close")["dport"], one(events, "flow_close")["why"], len(known)) == (1, "forgotten", 2)


@hypothesis.given(st.lists(st.tuples(st.sampled_from([6, 17, 1]), st.binary(max_size=80)), max_size=12))
def test_any_packets_make_events_that_can_be_written(bodies):
    for event in seen([ipv4(protocol, CLIENT, SERVER, body) for protocol, body in bodies]):
        canonical(event)


@hypothesis.given(st.lists(st.binary(max_size=60), max_size=6), st.sampled_from([53, 80, 443, 9]))
def test_any_words_over_tcp_and_udp_make_events_that_can_be_written(said, port):
    made = Conversation(ports=(5, port))
    frames = made.opening()
    for words in said:
        frames += made.up(words) + made.down(words) + [udp(words, ports=(6, port)), udp(words, ports=(port, 6))]
    for event in seen(frames):
        canonical(event)


@hypothesis.given(st.data())
def test_a_conversation_with_a_byte_changed_makes_events_that_can_be_written(data):
    frames = [
        bytearray(each) for each in looked_up("files.example", SERVER) + conversation(hello(b"files.example", ECH))
    ]
    frame = data.draw(st.sampled_from(frames))
    frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    for event in seen([bytes(each) for each in frames]):
        canonical(event)


def test_an_acknowledgement_alone_opens_nothing():
    assert Flows().feed(0.0, tcp(flags=ACK)) == []
