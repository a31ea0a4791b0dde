import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rung.core.values import Invalid
from rung.tasks.games._answer_line import BROKEN, EDGE, HOW, LONG, LONGEST, NONE, ends, last_answer, words

MEGABYTE = 1_000_000
SECONDS = 1.0
"""Of processor time, for a megabyte: what is linear takes a tenth of it, and what is quadratic minutes."""


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Answer: UP", "UP"),
        ("answer: up", "up"),
        ("ANSWER : UP", "UP"),
        ("Answer:UP", "UP"),
        ("Answer: A:(3,4), b:(0, 14)", "A:(3,4), b:(0, 14)"),
        ("Answer: X 2 0; W 1 1", "X 2 0; W 1 1"),
        ("First I look left.\nThen right.\nAnswer: 0 1", "0 1"),
        ("Answer: LEFT\nNo, wait.\nAnswer: UP", "UP"),
        ("Answer: UP\nThat is my answer, and it is final.", "UP"),
        ("Answer: UP\n\n  \n", "UP"),
        ("Answer: UP\r\n", "UP"),
        ("Answer: UP\u2028Good luck", "UP"),
    ],
)
def test_the_action_of_the_last_answer_line_is_found(text, action):
    assert last_answer(text) == action


@pytest.mark.parametrize(
    "text",
    ["**Answer: UP**", "**Answer:** UP", "**Answer**: UP", "`Answer: UP`", "Answer: `UP`", 'Answer: "UP"',
     "_Answer: UP_", "> Answer: UP", "- Answer: UP", "### Answer: UP", "```\nAnswer: UP\n```", "```Answer: UP```",
     "\tAnswer:\tUP\t", "\ufeffAnswer: UP", "Answer: **`UP`**", "***Answer:*** *UP*"],
)  # fmt: skip
def test_markup_around_the_answer_is_taken_away(text):
    assert last_answer(text) == "UP"


@pytest.mark.parametrize("before", ["", "I think.\n", "Answer: DOWN, Score: 9\n"])
@pytest.mark.parametrize(
    "score",
    [", Score: 1", ", score: 0.5", ",Score:0", ", SCORE : -1", ", Score:", ", Score: about one", ", **Score:** 1",
     ", **Score**: 1**", " , Score: 1", ", `Score: 1`", ", Score: 1e400", ", Score: \u0663", ", Score: \x00"],
)  # fmt: skip
def test_an_action_reads_the_same_with_a_score_and_without(before, score):
    assert last_answer(f"{before}Answer: UP{score}") == last_answer(f"{before}Answer: UP") == "UP"


def test_a_single_line_needs_no_answer_before_it():
    assert last_answer("uncover (3, 4)") == "uncover (3, 4)"
    assert last_answer("  `UP`, Score: 1 \n") == "UP"


@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "Answer:", "Answer: ", "Answer: , Score: 0", "Answer: Score: 0", "``"]
)
def test_an_action_may_be_empty_for_a_game_in_which_nothing_is_a_move(text):
    assert last_answer(text) == ""


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Answer: UP, Score 1", "UP, Score 1"),
        ("Answer: UP LEFT", "UP LEFT"),
        ("Answer: UP, LEFT, Score: 1", "UP, LEFT"),
        ("Answer: UP. Answer: LEFT", "UP. Answer: LEFT"),
        ("Answer: UP, Highscore: 1", "UP, Highscore: 1"),
        ("Answer: 0\x001", "0\x001"),
        ("Answer: \u0660 \u0661", "\u0660 \u0661"),
    ],
)
def test_what_is_left_over_is_for_the_game_to_refuse(text, action):
    assert last_answer(text) == action


@pytest.mark.parametrize(
    "text",
    ["Let me see.\nUP", "My answer: UP", "My answer is UP", "The answer\n: UP", "1. Answer: UP",
     "Answers: UP", "Answer - UP", "Answer\uff1a UP", "Answer\n: UP", "reanswer: UP"],
)  # fmt: skip
def test_a_text_without_an_answer_line_is_refused_with_a_reason(text):
    assert last_answer(text) == NONE


@pytest.mark.parametrize(
    "word",
    ["\u0410nsw\u0435r", "An\u017fwer", "\uff21nswer", "Ans\u200bwer", "An\u0455wer", "A\x00nswer", "An\ud800swer"],
    ids=["Cyrillic", "long s", "full width", "zero width", "Cyrillic s", "NUL", "surrogate"],
)
def test_what_looks_like_answer_is_not_answer(word):
    assert last_answer(f"I think.\n{word}: UP") == NONE
    assert last_answer(f"{word}: UP") == f"{word}: UP"  # as a line of its own it is a move, and no game's


@pytest.mark.parametrize("letter", ["\u0130", "\u0131", "\u212a", "\u017f", "\u1e9e", "\ud800", "\x00", "\U0001d7d8"])
def test_letters_that_change_when_made_small_move_nothing(letter):
    """The Turkish I with a dot becomes two letters when made small; what is cut must not be counted by them."""
    assert last_answer(f"Answer: {letter * 3}, Score: 1") == letter * 3
    assert last_answer(f"{letter * 30}\nAnswer: UP, Score: {letter * 9}") == "UP"


def test_only_so_much_markup_may_stand_before_it():
    assert last_answer("*" * EDGE + "Answer: UP") == "UP"
    assert last_answer("*" * (EDGE + 1) + "Answer: UP") == NONE


def test_an_action_that_is_too_long_is_refused_with_a_reason():
    assert last_answer("Answer: " + "1" * (LONGEST - 2)) == "1" * (LONGEST - 2)
    assert last_answer("Answer: " + "1" * LONGEST) == LONG
    assert last_answer("Answer: UP\nAnswer: " + "1" * LONGEST) == LONG


PIECES = [
    "Answer: ", "answer\n", "Answer:\n", "Answer: 1\n", "answer", "Answer: , Score: ", "Answer: Score: ", "score:", " ",
    "\n", "*", "*Answer", "\u0130", "\u0410nswer: 1\n", "\ud800", "\x00", "'\"`", ",", "9", "Answer\t", "\u2028",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES, ids=ascii)
@pytest.mark.parametrize("end", ["", "\nAnswer: UP", " "])
def test_a_megabyte_of_anything_takes_linear_time(piece, end):
    text = (piece * (MEGABYTE // len(piece) + 1))[:MEGABYTE] + end
    began = time.thread_time()
    found = last_answer(text)
    assert time.thread_time() - began < SECONDS
    assert isinstance(found, str | Invalid)
    assert found == "UP" if end == "\nAnswer: UP" else len(str(found)) <= LONGEST


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Zl", "Zp"]), max_size=60))
def test_any_text_gives_a_short_action_or_a_reason(text):
    found = last_answer(text)
    assert isinstance(found, str | Invalid)
    assert isinstance(found, Invalid) or (found in text and found == found.strip(" \t*`_\"'"))


@given(
    before=st.text(st.sampled_from("I go LEFT*`\n:,.answer score"), max_size=60),
    action=st.from_regex(r"[A-Z0-9]([A-Z0-9 ,:;()-]{0,20}[A-Z0-9)])?", fullmatch=True).filter(
        lambda action: "SCORE" not in action
    ),
    score=st.sampled_from(["", ", Score: 0.5", ", score:1"]),
)
def test_whatever_is_thought_aloud_before_it_the_last_line_counts(before, action, score):
    assert last_answer(f"{before}\nAnswer: {action}{score}") == action


def test_the_rules_say_how_it_is_read():
    example = re.sub("ACTION", "UP", HOW.partition("reads: ")[2])
    assert last_answer(f"Some thoughts.\n{example}") == "UP"


@pytest.mark.parametrize(
    "text",
    [
        "Final answer: UP",
        "**My final answer: UP**",
        "Answer: UP.",
        "Answer:\u00a0UP",
        "Answer: UP., Score: 1",
        "Answer: UP Score: 1",
        "Answer: UP; Score = 1",
        "Answer: UP, Self-score: 1",
        "Answer: UP, Score: 1, Score: 2",
    ],
)
def test_what_does_not_change_the_meaning_is_forgiven(text):
    assert last_answer(text) == "UP"


def test_an_answer_on_the_next_line_is_refused_and_said_to_be():
    for text in ("Answer:\nUP", "**Answer:**\n\nUP", "Answer:\n```\nUP\n```"):
        assert last_answer(text) == BROKEN
    assert last_answer("I pass.\nAnswer:\n") == ""


@pytest.mark.parametrize("action", ["1 90", "1, 90", "(1, 90)", "[1 90]", " 1\t,90 "])
def test_words_may_have_spaces_commas_or_brackets_between_them(action):
    assert words(action) == ["1", "90"]


@pytest.mark.parametrize(("action", "end"), [("END", True), ("end", True), ("END now", False), ("\u0415ND", False)])
def test_end_is_the_word_alone(action, end):
    assert ends(action) is end
