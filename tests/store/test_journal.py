"""What every journal promises, on disk and in memory."""

import asyncio
import hashlib

import pytest

from rung.core.canonical import JSON
from rung.core.errors import InstrumentFault, UsageError
from rung.core.ports import Fact, Journal

STRANGE = [
    "",
    "\0\x01\x1f\x7f",
    "täglich 😀",
    "\ud800",
    "\udfffend",
    '"\\ud800',
    "line\nline",
    "\u2028",
    "\ufeff",
    "\uffff",
]


def test_a_fact_is_there_as_soon_as_it_is_put_and_after_it_is_written(journal: Journal):
    journal.put("L0/work/1", "sealed", {"score": 0.5})
    assert journal.get("L0/work/1", "sealed") == {"score": 0.5}
    asyncio.run(journal.flush(durable=False))
    assert journal.get("L0/work/1", "sealed") == {"score": 0.5}


def test_what_nobody_put_is_none(journal: Journal):
    assert journal.get("L0", "sealed") is None


@pytest.mark.parametrize("written", [True, False])
def test_the_same_fact_again_is_nothing(journal: Journal, written: bool):
    journal.put("a", "k", {"x": 1, "y": [1.5, None]})
    if written:
        asyncio.run(journal.flush(durable=False))
    journal.put("a", "k", {"y": [1.5, None], "x": 1})
    assert list(journal.facts()) == [Fact("a", "k", {"x": 1, "y": [1.5, None]})]


@pytest.mark.parametrize("written", [True, False])
def test_another_value_at_the_same_key_is_a_fault_that_names_both(journal: Journal, written: bool):
    journal.put("L0/work/1", "sealed", {"score": 0.5})
    if written:
        asyncio.run(journal.flush(durable=True))
    with pytest.raises(InstrumentFault) as caught:
        journal.put("L0/work/1", "sealed", {"score": 0.75, "text": "x" * 1000})
    assert caught.value.where == "journal"
    assert all(word in caught.value.detail for word in ("L0/work/1", "sealed", '{"score":0.5}', '{"score":0.75,'))
    assert len(caught.value.detail) < 300
    assert journal.get("L0/work/1", "sealed") == {"score": 0.5}


def test_one_and_one_point_zero_are_two_values(journal: Journal):
    journal.put("a", "k", 1)
    with pytest.raises(InstrumentFault):
        journal.put("a", "k", 1.0)


def test_a_number_that_is_none_is_refused(journal: Journal):
    with pytest.raises(UsageError, match="finite"):
        journal.put("a", "k", float("nan"))
    assert journal.get("a", "k") is None


@pytest.mark.parametrize("text", STRANGE, ids=ascii)
def test_any_text_comes_back_as_it_was(journal: Journal, text: str):
    journal.put("a", "k", {text: text})
    asyncio.run(journal.flush(durable=False))
    assert journal.get("a", "k") == {text: text}
    assert [fact.value for fact in journal.facts()] == [{text: text}]


def test_half_a_surrogate_pair_and_its_spelling_are_two_values(journal: Journal):
    journal.put("a", "k", "\ud800")
    with pytest.raises(InstrumentFault):
        journal.put("a", "k", "\\ud800")


def test_two_halves_of_a_surrogate_pair_are_the_character_they_spell(journal: Journal):
    journal.put("a", "k", ["\ud83d\ude00", "\ud800"])
    journal.put("a", "k", ["😀", "\ud800"])
    assert journal.get("a", "k") == ["😀", "\ud800"]


@pytest.mark.parametrize(("path", "kind"), [("a\0b", "k"), ("a", "k\0"), ("\ud800", "k"), ("a", "\udc00"), ("a", "")])
def test_a_key_that_sql_cannot_hold_exactly_is_refused(journal: Journal, path: str, kind: str):
    with pytest.raises(UsageError):
        journal.put(path, kind, 1)
    with pytest.raises(UsageError):
        journal.observe(path, kind, 1)


@pytest.mark.parametrize("path", ["", "a\nb", "a\x1fb", "täglich/😀", "a'b\"c", "%_*"])
def test_any_other_path_is_a_path(journal: Journal, path: str):
    journal.put(path, "k", 1)
    asyncio.run(journal.flush(durable=False))
    assert list(journal.facts(under=path)) == [Fact(path, "k", 1)]


def test_facts_come_in_key_order_whether_written_or_waiting(journal: Journal):
    keys = [
        ("b", "k"),
        ("a/b", "k"),
        ("a-b", "k"),
        ("a", "z"),
        ("a", "k"),
        ("a/😀", "k"),
        ("a/\uffff", "k"),
        ("a0", "k"),
    ]
    for number, (path, kind) in enumerate(keys):
        journal.put(path, kind, number)
        if number == 3:
            asyncio.run(journal.flush(durable=False))
    assert [(fact.path, fact.kind) for fact in journal.facts()] == sorted(keys)


@pytest.mark.parametrize("written", [True, False])
def test_under_a_path_are_the_path_itself_and_what_is_below_and_no_sibling(journal: Journal, written: bool):
    for path in ("L1", "L1/work", "L1/work/2", "L10", "L1-x", "L1.x", "L", "L2/L1"):
        journal.put(path, "k", path)
        journal.observe(path, "n", path)
    if written:
        asyncio.run(journal.flush(durable=False))
    for found in (journal.facts(under="L1"), journal.facts(under="L1/"), journal.observations(under="L1")):
        assert [fact.path for fact in found] == ["L1", "L1/work", "L1/work/2"]
    assert [fact.path for fact in journal.facts(under="L1/w")] == []


def test_facts_of_one_kind_leave_out_the_others(journal: Journal):
    for path in ("a", "b", "a/c"):
        journal.put(path, "served", 1)
        journal.put(path, "sealed", 2)
    asyncio.run(journal.flush(durable=False))
    journal.put("a/d", "sealed", 3)
    assert [fact.path for fact in journal.facts(kind="sealed")] == ["a", "a/c", "a/d", "b"]
    assert [fact.path for fact in journal.facts(under="a", kind="served")] == ["a", "a/c"]


def test_putting_while_somebody_iterates_disturbs_nobody(journal: Journal):
    for number in range(600):
        journal.put(f"{number:04d}", "k", number)
    asyncio.run(journal.flush(durable=False))
    journal.put("0300x", "k", -1)
    seen = []
    for fact in journal.facts():
        seen.append(fact.value)
        journal.put(f"x/{fact.path}", "k", 0)
        if len(seen) == 5:
            asyncio.run(journal.flush(durable=False))
    expected: list[JSON] = [*range(301), -1, *range(301, 600)]
    assert [value for value in seen if value != 0 or seen.index(value) == 0][:601] == expected


def test_observations_keep_repeats_in_the_order_they_were_made(journal: Journal):
    for seconds in (3, 1, 2):
        journal.observe("b", "seconds", seconds)
        asyncio.run(journal.flush(durable=False))
    journal.observe("a", "seconds", 9)
    journal.observe("b", "seconds", 0)
    journal.observe("b", "cost", 5)
    assert [tuple(row) for row in journal.observations()] == [
        ("a", "seconds", 9),
        ("b", "cost", 5),
        ("b", "seconds", 3),
        ("b", "seconds", 1),
        ("b", "seconds", 2),
        ("b", "seconds", 0),
    ]
    assert [row.value for row in journal.observations(under="b", name="cost")] == [5]


def test_the_digest_is_the_hash_of_the_facts_as_lines_of_json(journal: Journal):
    journal.put("b", "k", {"y": 1, "x": "ä"})
    journal.put("a", "k", "\ud800")
    by_hand = hashlib.sha256('["a","k","\\ud800"]\n["b","k",{"x":"ä","y":1}]\n'.encode()).hexdigest()
    assert journal.digest() == by_hand
    asyncio.run(journal.flush(durable=True))
    assert journal.digest() == by_hand


def test_the_digest_depends_on_no_order_and_no_observation(journal: Journal):
    journal.put("b", "k", 1)
    journal.put("a", "k", 2)
    before = journal.digest()
    journal.observe("a", "seconds", 1.5)
    journal.blob(b"bytes")
    assert journal.digest() == before == hashlib.sha256(b'["a","k",2]\n["b","k",1]\n').hexdigest()


def test_no_two_sets_of_facts_look_alike_to_the_digest(journal: Journal):
    journal.put("a", "k/x", 1)
    assert journal.digest() != hashlib.sha256(b'["a/k","x",1]\n').hexdigest()


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20])
def test_bytes_of_any_size_come_back_by_their_hash(journal: Journal, size: int):
    data = bytes(range(256)) * (size // 256) + b"z" * (size % 256)
    digest = journal.blob(data)
    assert digest == hashlib.sha256(data).hexdigest() == journal.blob(data)
    assert journal.read_blob(digest) == data
    asyncio.run(journal.flush(durable=True))
    assert journal.read_blob(digest) == data


@pytest.mark.parametrize("digest", ["0" * 64, "../../etc/passwd", "", "\ud800"])
def test_bytes_that_nobody_kept_are_a_fault(journal: Journal, digest: str):
    with pytest.raises(InstrumentFault, match="missing") as caught:
        journal.read_blob(digest)
    assert caught.value.where == "store"


def test_a_fact_of_a_megabyte_is_a_fact(journal: Journal):
    text = "ä" * (1 << 20)
    journal.put("a", "k", text)
    asyncio.run(journal.flush(durable=True))
    assert journal.get("a", "k") == text


def test_a_list_handed_in_may_change_later_without_changing_the_fact(journal: Journal):
    value: list[JSON] = [1]
    journal.put("a", "k", value)
    value.append(2)
    assert journal.get("a", "k") == [1]
