import ipaddress

import hypothesis
import hypothesis.strategies as st
import pytest

from rung.backends.network import dns, names
from rung.backends.network.names import Names


@pytest.fixture
def told():
    return []


@pytest.fixture
def server(told):
    return Names(["good.example", "*.wide.example"], told.append)


def asked(server, name, kind=dns.A):
    return dns.read(server.answer(dns.query(name, kind)))


def test_each_name_has_an_address_of_its_own_for_ever(server):
    first, second, again = (asked(server, name).addresses for name in ("good.example", "b.example", "GOOD.example"))
    assert (first, second, again) == (("198.18.0.1",), ("198.18.0.2",), ("198.18.0.1",))
    assert [server.name_at(each) for each in ("198.18.0.1", "198.18.0.2", "198.18.0.3")] == [
        "good.example",
        "b.example",
        None,
    ]


def test_a_name_is_told_once_with_whether_it_is_allowed(server, told):
    for name in ("good.example", "bad.example", "good.example"):
        asked(server, name)
    assert told == [
        {"event": "name_given", "name": "good.example", "address": "198.18.0.1", "allowed": True},
        {"event": "name_given", "name": "bad.example", "address": "198.18.0.2", "allowed": False},
    ]


@pytest.mark.parametrize("kind", [dns.AAAA, 65, 16, 15, 255])
def test_other_records_are_empty_so_that_no_key_to_hide_names_is_handed_out(server, told, kind):
    seen = asked(server, "good.example", kind)
    assert (seen.code, seen.addresses, told) == (dns.NOERROR, (), [])


def test_localhost_is_this_place(server):
    assert asked(server, "localhost").addresses == ("127.0.0.1",)


@pytest.mark.parametrize("name", ["127.0.0.1", "a b.example", "%00.example"])
def test_what_is_no_host_name_does_not_exist(server, told, name):
    assert (asked(server, name).code, told) == (dns.NXDOMAIN, [])


def test_a_name_with_a_null_byte_does_not_exist(server):
    query = dns.query("good.example").replace(b"good", b"go\x00d")
    assert dns.read(server.answer(query)).code == dns.NXDOMAIN


def test_what_is_no_query_is_not_answered(server):
    assert server.answer(b"") is None
    assert server.answer(bytes(5)) is None
    assert server.answer(dns.answer(dns.query("a.example"), dns.NOERROR)) is None


def test_a_query_without_a_question_or_of_another_kind_is_refused(server):
    empty = dns.query("a.example")[:4] + bytes(8)
    assert dns.read(server.answer(empty)).code == dns.FORMERR
    status = dns.query("a.example")
    assert dns.read(server.answer(status[:2] + b"\x10\x00" + status[4:])).code == dns.NOTIMP


def test_when_all_addresses_are_given_there_is_none_left(server, monkeypatch):
    monkeypatch.setattr(names, "MOST_NAMES", 1)
    assert asked(server, "good.example").addresses
    assert asked(server, "b.example").code == dns.SERVFAIL


def test_the_addresses_are_those_set_aside_for_tests():
    pool = ipaddress.ip_network("198.18.0.0/15")
    ends = [ipaddress.ip_address(names.FIRST + number) for number in (0, names.MOST_NAMES - 1)]
    assert ends == [pool[1], pool[-2]]


@hypothesis.given(st.binary(max_size=80), st.binary(max_size=12))
def test_any_bytes_are_answered_or_not(data, front):
    made = Names([], lambda event: None)
    made.answer(data)
    made.answer(dns.query("a.example")[:12] + data)
    made.answer(front + dns.query("a.example")[len(front) :])
