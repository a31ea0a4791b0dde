import asyncio

import hypothesis
import hypothesis.strategies as st
import pytest

from rung.backends.network.hellos import Hello, More, Not, read_hello, read_request
from rung.backends.network.relay import Outside, may_be_reached, refusal

from .frames import ECH, handshake, hello, records, server_name

NAME = "good.example"


def of_hello(raw):
    return refusal(NAME, NAME, read_hello(raw))


def of_request(raw):
    return refusal(NAME, NAME, read_request(raw))


def test_a_hello_that_names_the_same_is_carried():
    assert of_hello(hello(b"good.example")) is None


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (hello(b"other.example"), "another name"),
        (hello(b"good.example\x00.other.example"), "a name that is not spelled plainly"),
        (hello(b"good.example%00"), "a name that is not spelled plainly"),
        (hello(b"good.example."), "a name that is not spelled plainly"),
        (hello(b"GOOD.example"), "a name that is not spelled plainly"),
        (hello(b"127.0.0.1"), "a name that is not spelled plainly"),
        (hello(b"2130706433"), "a name that is not spelled plainly"),
        (hello(b"0x7f000001"), "a name that is not spelled plainly"),
        (hello(b"0177.0.0.1"), "a name that is not spelled plainly"),
        (hello(b"::1"), "a name that is not spelled plainly"),
        (hello(b""), "a name that is not spelled plainly"),
        (hello(None), "no name"),
        (hello(b"good.example", ECH), "a hello that may hide another name"),
        (records(handshake(server_name(b"good.example", b"other.example"))), "a hello with several names"),
        (b"GET / HTTP/1.1\r\nHost: good.example\r\n\r\n", "no TLS"),
        (b"SSH-2.0-OpenSSH\r\n", "no TLS"),
        (b"\x16\x03\x01\x40\x00\x01\x01\x00\x00" + bytes(20), "a hello that is too long"),
    ],
)
def test_any_other_hello_is_refused_with_its_reason(raw, why):
    assert of_hello(raw) == why


@pytest.mark.parametrize(
    "raw",
    [
        b"GET / HTTP/1.1\r\nHost: good.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: good.example:80\r\n\r\n",
        b"GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
        b"GET http://good.example:80/a?http://other.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
        b"GET /go?to=http://other.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
    ],
)
def test_a_request_that_names_the_same_is_carried(raw):
    assert of_request(raw) is None


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"GET / HTTP/1.1\r\nHost: other.example\r\n\r\n", "another name"),
        (b"GET / HTTP/1.1\r\nHost: good.example:22\r\n\r\n", "a name that is not spelled plainly"),
        (b"GET / HTTP/1.1\r\nHost: good.example\x00\r\n\r\n", "a name that is not spelled plainly"),
        (b"GET / HTTP/1.1\r\nHost: good.example.\r\n\r\n", "a name that is not spelled plainly"),
        (b"GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n", "a name that is not spelled plainly"),
        (b"GET / HTTP/1.1\r\nHost: user@good.example\r\n\r\n", "a name that is not spelled plainly"),
        (b"GET / HTTP/1.1\r\nHost: other.example\r\nHost: good.example\r\n\r\n", "several names"),
        (b"GET / HTTP/1.1\r\nhost : other.example\r\nHost: good.example\r\n\r\n", "several names"),
        (b"GET http://other.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n", "several names"),
        (b"GET http://other.example/ HTTP/1.1\r\n\r\n", "another name"),
        (b"GET / HTTP/1.1\r\n\r\n", "no name"),
        (
            b"CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n",
            "a name that is not spelled plainly",
        ),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 4000, "a head that is too long"),
        (hello(b"good.example"), "no HTTP/1"),
    ],
)
def test_any_other_request_is_refused_with_its_reason(raw, why):
    assert of_request(raw) == why


def test_an_address_that_was_given_to_no_name_is_refused_whatever_is_said():
    assert refusal(None, None, read_hello(hello(b"good.example"))) == "an address that stands for no name"


def test_a_name_that_is_not_allowed_is_refused():
    assert refusal("bad.example", None, read_hello(hello(b"bad.example"))) == "not allowed"


@hypothesis.given(
    st.binary(max_size=40), st.sampled_from([hello, lambda raw: b"GET / HTTP/1.1\r\nHost: " + raw + b"\r\n\r\n"])
)
def test_nothing_but_the_name_itself_is_carried(raw, said):
    read = read_hello(said(raw)) if said is hello else read_request(said(raw))
    assert (
        isinstance(read, More)
        or refusal(NAME, NAME, read) is not None
        or raw.strip(b" \t") in (b"good.example", b"good.example:80")
    )


def test_silence_is_refused():
    assert refusal(NAME, NAME, Not("no word")) == "no word"
    assert refusal(NAME, NAME, Hello(None, (), False, 0)) == "no name"


@pytest.mark.parametrize(
    ("address", "exact", "wide"),
    [
        ("93.184.216.34", True, True),
        ("2606:2800:220:1::1", True, True),
        ("10.0.0.5", True, False),
        ("192.168.1.1", True, False),
        ("fd00::5", True, False),
        ("127.0.0.1", False, False),
        ("127.9.9.9", False, False),
        ("::1", False, False),
        ("::ffff:127.0.0.1", False, False),
        ("169.254.169.254", False, False),
        ("fe80::1%eth0", False, False),
        ("0.0.0.0", False, False),
        ("::", False, False),
        ("224.0.0.1", False, False),
        ("255.255.255.255", False, False),
        ("198.18.0.5", False, False),
        ("nonsense", False, False),
    ],
)
def test_an_allowed_name_leads_to_no_address_of_this_machine(address, exact, wide):
    assert may_be_reached(address, is_exact=True) is exact
    assert may_be_reached(address, is_exact=False) is wide


@pytest.mark.parametrize(
    ("addresses", "words"), [(["127.0.0.1", "169.254.169.254"], "127.0.0.1, 169.254.169.254"), ([], "none at all")]
)
def test_a_name_that_leads_nowhere_fails_with_its_addresses(addresses, words):
    async def known(name, port):
        return addresses

    with pytest.raises(OSError, match=f"leads to no address that may be reached: {words}"):
        asyncio.run(Outside(known)("good.example", 443, "good.example"))
