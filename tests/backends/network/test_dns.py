import struct

import hypothesis
import hypothesis.strategies as st
import pytest

from rung.backends.network import dns

# The answer of RFC 1035 style that a real server gave: www.example. CNAME web.example. A 192.0.2.5, with pointers.
CHAIN = bytes.fromhex(
    "abcd81800001000200000000"
    "03777777076578616d706c6500 0001 0001"
    "c00c 0005 0001 0000003c 0006 03776562c010"
    "c029 0001 0001 0000003c 0004 c0000205".replace(" ", "")
)


def test_a_query_is_read_as_it_was_written():
    seen = dns.read(dns.query("files.example", dns.AAAA, number=7))
    assert seen == dns.Message(7, False, 0, 0, "files.example", 28, (), (1, 0, 0, 0))
    assert seen.is_plain_query


def test_an_answer_through_another_name_has_the_address():
    seen = dns.read(CHAIN)
    assert (seen.name, seen.addresses, seen.is_answer) == ("www.example", ("192.0.2.5",), True)


def test_an_answer_of_ours_repeats_the_question_and_has_its_address():
    query = dns.query("fIlEs.example", number=9)
    seen = dns.read(dns.answer(query, dns.NOERROR, ("198.18.0.1",)))
    assert (seen.id, seen.is_answer, seen.code, seen.addresses) == (9, True, 0, ("198.18.0.1",))
    assert b"fIlEs" in dns.answer(query, dns.NOERROR)


@pytest.mark.parametrize(("code", "word"), [(dns.NXDOMAIN, "NXDOMAIN"), (dns.SERVFAIL, "SERVFAIL"), (5, "REFUSED")])
def test_an_answer_says_what_became_of_the_query(code, word):
    assert dns.code_name(dns.read(dns.answer(dns.query("a.example"), code)).code) == word


def test_bytes_that_are_no_characters_are_seen_and_a_dot_in_a_label_is_none_between_two():
    raw = dns.query("x")[:12] + b"\x04a\x00.b\x07example\x00" + struct.pack("!HH", 1, 1)
    assert dns.read(raw).name == "a\\x00\\x2eb.example"


def test_a_pointer_that_leads_on_or_to_itself_is_no_name():
    for target in (12, 13, 200):
        raw = dns.query("x")[:12] + struct.pack("!HHH", 0xC000 | target, 1, 1) + bytes(300)
        assert dns.read(raw) is None


def test_a_name_of_more_octets_than_there_may_be_is_none():
    assert dns.read(dns.query(".".join(["a" * 63] * 3))) is not None
    assert dns.read(dns.query(".".join(["a" * 63] * 4))) is None


def test_ten_thousand_announced_answers_cost_as_many_as_are_there():
    assert dns.read(dns.query("a.example")[:6] + struct.pack("!H", 10_000) + dns.query("a.example")[8:]) is None


@hypothesis.given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data):
    dns.read(data)
    dns.read(CHAIN[:2] + data)


@hypothesis.given(st.data())
def test_a_message_cut_anywhere_is_refused(data):
    cut = data.draw(st.integers(0, len(CHAIN) - 1))
    assert dns.read(CHAIN[:cut]) is None
