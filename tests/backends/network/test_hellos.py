import hypothesis
import hypothesis.strategies as st
import pytest

from rung.backends.network.hellos import LONGEST, MORE, Hello, Not, Request, read_hello, read_request

from . import inside
from .frames import ECH, extension, handshake, hello, records, server_name

PADDING = extension(21, bytes(1500))


def test_the_hello_of_openssl_is_read():
    raw = bytes(inside.hello("files.example", ("h2", "http/1.1")))
    assert read_hello(raw) == Hello("files.example", ("h2", "http/1.1"), False, len(raw) - 5)


def test_the_hello_of_openssl_without_a_name_has_none():
    assert read_hello(inside.hello(None)).sni is None


def test_a_hidden_name_is_flagged():
    assert read_hello(hello(b"cover.example", ECH)).ech


@pytest.mark.parametrize("cuts", [(), (1,), (3,), (700,), (1, 2, 3, 4, 5), tuple(range(100, 1500, 100))])
def test_a_hello_over_several_records_is_one(cuts):
    message = handshake(server_name(b"files.example"), PADDING)
    assert read_hello(records(message, *cuts)) == Hello("files.example", (), False, len(message))


def test_any_beginning_of_a_hello_asks_for_more():
    whole = records(handshake(server_name(b"files.example"), PADDING), 700)
    assert {read_hello(whole[:cut]) for cut in range(1, len(whole))} == {MORE}


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"GET / HTTP/1.1\r\n", "no TLS"),
        (b"\x16\x03\x01\x00\x00", "a hello broken off by another TLS record"),
        (records(handshake(), 10)[:15] + b"\x17\x03\x03\x00\x01\x00", "a hello broken off by another TLS record"),
        (b"\x16\x03\x01\x00\x04\x02\x00\x00\x00", "TLS that does not begin with a client hello"),
        (b"\x16\x03\x01\x40\x00\x01\x01\x00\x00" + bytes(20), "a hello that is too long"),
        (
            records(handshake(server_name(b"a.example"), server_name(b"b.example"))),
            "a hello with the same extension twice",
        ),
        (records(handshake(server_name(b"a.example", b"b.example"))), "a hello with several names"),
        (records(handshake(extension(0, b"\x00\x09\x00"))), "a malformed hello"),
        (records(handshake(), *range(1, 40)), "a hello in too many TLS records"),
    ],
)
def test_what_is_no_hello_is_refused_with_its_reason(raw, why):
    assert read_hello(raw) == Not(why)


def test_a_name_with_a_null_byte_shows_it():
    assert read_hello(hello(b"good.example\x00.evil.example")).sni == "good.example\\x00.evil.example"


def test_a_request_is_read_with_all_its_hosts():
    raw = b"GET /a HTTP/1.1\r\nHost: files.example\r\nX: host: no\r\nhost : b.example\r\n\r\nbody"
    assert read_request(raw) == Request("GET", "/a", ("files.example", "b.example"))


def test_any_beginning_of_a_request_asks_for_more():
    whole = b"OPTIONS http://a.example/x HTTP/1.1\r\nHost: a.example\r\n\r\n"
    assert {read_request(whole[:cut]) for cut in range(1, len(whole))} == {MORE}


@pytest.mark.parametrize(
    "raw", [b"EHLO a.example\r\n", b"get / HTTP/1.1\r\n\r\n", b"\x00\x01", b"SSH-2.0-x\r\n", b"GET /"]
)
def test_what_is_no_request_is_none(raw):
    assert read_request(raw) in (Not("no HTTP/1"), MORE)
    assert (read_request(raw) == MORE) == (raw == b"GET /")


def test_a_head_without_end_is_not_waited_for():
    assert read_request(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * LONGEST) == Not("a head that is too long")


@hypothesis.given(
    st.binary(max_size=300), st.sampled_from([b"", b"\x16\x03", b"\x16\x03\x01\x00\x40\x01\x00\x00\x3c", b"GET "])
)
def test_any_bytes_are_read_or_refused(data, front):
    read_hello(front + data)
    read_request(front + data)


@hypothesis.given(st.data())
def test_a_hello_with_a_byte_changed_is_read_or_refused(data):
    raw = bytearray(hello(b"files.example", ECH))
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    read_hello(bytes(raw))
