"""How a state is cut into what can be a proposal."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rung.findings.semantics.changes import difference
from rung.findings.semantics.pieces import LARGEST, MOST, Piece, cut, pieces, sentences


def texts(path: str, text: str) -> list[str]:
    return [each.text for each in cut(path, text.encode())]


def test_prose_is_cut_into_sentences_and_items_without_headings():
    text = "# Notes\n\nRead the rules first. They are\nshort.\n\n- Sell late.\n2. Buy early. Keep cash.\n"
    assert texts("agent/memory/notes.md", text) == [
        "Read the rules first. They are short.",
        "Sell late.",
        "Buy early.",
        "Keep cash.",
    ]


def test_a_reason_and_a_story_stay_with_what_they_belong_to():
    assert sentences("I spent it all. Next time I will keep some. Because prices rise.") == [
        "I spent it all. Next time I will keep some. Because prices rise."
    ]


def test_a_story_keeps_the_first_thing_that_is_learned_of_it():
    assert sentences("I guessed. I lost. Look twice. Sell late. I should rest.") == [
        "I guessed. I lost. Look twice.",
        "Sell late.",
        "I should rest.",
    ]


def test_a_fenced_block_is_one_piece():
    assert texts("agent/a.md", "Do this:\n\n```\nx = 1. Then.\ny = 2\n```\n") == ["Do this:", "x = 1. Then.\ny = 2"]


def test_records_are_cut_into_the_sentences_in_them_and_ids_are_none():
    lines = [json.dumps({"id": "s-1", "text": "Sell late. Buy early now."}), json.dumps({"n": 3}), "not json at all"]
    found = list(cut("agent/memory/playbook.jsonl", "\n".join(lines).encode()))
    assert [(each.name, each.text) for each in found] == [
        ("s-1", "Sell late."),
        ("s-1", "Buy early now."),
        ("", "not json at all"),
    ]


def test_settings_are_pieces_key_by_key_and_numbers_in_a_memory_are_none():
    document = json.dumps({"limits": {"retries": 3}, "note": "Never ask more than once."})
    assert texts("agent/config.json", document) == ["limits.retries = 3", "Never ask more than once."]
    assert texts("agent/memory/facts.json", document) == ["Never ask more than once."]
    found = list(cut("agent/a.toml", b"[run]\n# how often\nretries = 3\n"))
    assert [(each.name, each.text) for each in found] == [("run.retries", "retries = 3")]


def test_python_is_cut_at_its_top_and_imports_are_none():
    code = '"""Doc."""\nimport os\nLIMIT = 3\nP = "Read it. Act on it then."\n\n@cache\ndef f(x):\n    return x\n'
    assert texts("agent/a.py", code) == ["LIMIT = 3", "Read it.", "Act on it then.", "@cache\ndef f(x):\n    return x"]


def test_code_that_is_no_python_is_cut_where_lines_are_not_indented():
    assert texts("agent/a.py", "def f(:\n  x\ny = 1\n") == ["def f(:\n  x", "y = 1"]
    assert texts("agent/a.sh", "f() {\n  ls\n}\nexit 1\n") == ["f() {\n  ls\n}", "exit 1"]


@pytest.mark.parametrize(
    "path",
    [
        "conversation/log.jsonl",
        "method/archive/a.md",
        "agent/memory/counters.jsonl",
        "agent/memory/episodes/0007.jsonl",
        "agent/memory/history.jsonl",
        "agent/weights.json",
    ],
)
def test_conversations_archives_counters_episodes_and_names_of_weights_hold_no_proposals(path):
    assert pieces({path: b"Sell all of it.\n"}) == ()


def test_an_improver_among_a_methods_own_files_does():
    assert [each.text for each in pieces({"method/improver/prompt.md": b"Edit less.\n"})] == ["Edit less."]


def test_what_is_no_text_or_too_large_has_no_pieces():
    assert list(cut("agent/a.md", b"a\0b")) == []
    assert list(cut("agent/a.md", b"x" * (LARGEST + 1))) == []
    assert len(list(cut("agent/a.md", b"- note of it\n" * (MOST + 5)))) == MOST


def test_nesting_without_end_is_read():
    assert texts("agent/a.json", "[" * 3000 + "1" + "]" * 3000) in ([" = 1".strip()], ["= 1"], ["[" * 2000])


@given(st.sampled_from(["a.md", "a.py", "a.json", "a.jsonl", "a.toml", "a.sh"]), st.binary(max_size=200))
def test_any_bytes_at_all_can_be_cut(name, data):
    assert all(each.text.strip() for each in cut(f"agent/{name}", data))


# --------------------------------------------------------------------------------------------- differences


def piece(text: str, name: str = "", path: str = "agent/a.md") -> Piece:
    return Piece(path, text, name)


def test_a_piece_of_the_same_name_takes_the_place_of_the_one_before():
    found = difference([piece("retries = 3", "retries"), piece("x = 1", "x")], [piece("retries = 9", "retries")])
    assert [(each.piece.text, each.before.text if each.before else None) for each in found.came] == [
        ("retries = 9", "retries = 3")
    ]
    assert [each.text for each in found.went] == ["x = 1"]


def test_a_piece_that_moved_neither_came_nor_went():
    found = difference([piece("Sell late.", path="agent/a.md")], [piece("Sell  late.", path="agent/b.md")])
    assert (found.came, found.went) == ((), ())


def test_a_second_copy_of_a_piece_came():
    found = difference([piece("Sell late.")], [piece("Sell late."), piece("Sell late.")])
    assert [each.piece.text for each in found.came] == ["Sell late."]


def test_two_pieces_do_not_take_the_place_of_one():
    found = difference([piece("Sell corn late.")], [piece("Sell corn early."), piece("Sell corn soon.")])
    assert [each.before is not None for each in found.came] == [True, False]
