"""Items that are made of small numbers: tables and courses of play, known again in any order and any spelling."""

from collections.abc import Sequence

import pytest

from rung.findings.audit.content import matches
from rung.findings.audit.decode import texts
from rung.findings.audit.exam import Exam, Said, exam

WORKED = "crop seed days price\nbean 17 4 9\nspinach 10 3 6\nplots 12"
TABLES = (
    "crop seed days price\nbean 18 4 9\nspinach 10 3 6\ncorn 35 6 16\ngrape 90 10 28\nplots 12",
    "crop seed days price\nbean 21 5 8\nspinach 10 3 6\ncorn 44 7 19\npea 14 4 7\nplots 12",
)
PLAYS = (
    '{"1": {"buy": {"bean": 9, "corn": 3}}, "5": {"harvest": "all"}, "7": {"buy": {"grape": 2}}, "12": {"sell": 1}}',
    '{"2": {"buy": {"pea": 4, "corn": 8}}, "6": {"harvest": "all"}, "9": {"buy": {"bean": 1}}, "11": {"sell": "all"}}',
)
UNITS = (
    "0: +43/15\n1: -9\n2: +9\n3: /7\n4: +6\n5: ceil\n6: -7\n7: *6\n8: -12\n9: /3\n10: *4\n11: -5\n12: +7\n13: *2",
    "0: -8\n1: *-4\n2: *3\n3: -9\n4: -5\n5: -23/72\n6: +4\n7: -6\n8: *6",
)
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def known(said: Sequence[str], work: str = WORKED, plays: Sequence[str] = ("", "")) -> Exam:
    items = [
        Said(place, f"task-{place}", (text,), (play,))
        for place, (text, play) in enumerate(zip(said, plays, strict=True), 1)
    ]
    return exam(items, [work])


def found(text: str | bytes, exam_: Exam) -> list[tuple[str, int]]:
    """How which items are in a text; one told thinly is no evidence by itself."""
    return [(each.how, each.place) for each in matches(text, exam_) if each.how != "thinly told"]


def spelt(text: str) -> str:
    return "".join(f"{DIGITS[int(sign)]}-" if sign.isdigit() else sign for sign in text)


@pytest.mark.parametrize(
    "text",
    [
        "Also it has grape ninety ten twenty eight, then bean eighteen four nine, next corn thirty five six sixteen.",
        "corn 35 6 16; with bean 18, 4, 9; also grape 90/10/28",
    ],
)
def test_rows_of_a_table_are_known_in_another_order_and_in_words(text: str):
    assert found(text, known(TABLES)) == [("copied", 1)]


def test_rows_that_work_or_another_item_has_are_nobodys_secret():
    assert found("spinach 10 3 6, bean 17 4 9, and plots 12", known(TABLES)) == []


def test_two_rows_of_an_item_with_many_are_chance():
    assert found("bean 18 4 9 and corn 35 6 16", known((TABLES[0] + "\nkale 12 3 5\npear 20 9 30", TABLES[1]))) == []


def test_numbers_said_digit_by_digit_are_known_whatever_divides_them():
    assert found(spelt(UNITS[0]), known(UNITS)) == [("copied", 1)]


def test_counting_is_no_content():
    counted = " ".join(map(str, range(40)))
    assert found(counted, known(("board\n" + counted, "board\n7 5 3"))) == []


def test_courses_of_play_of_two_items_are_known_although_they_have_small_numbers_alone():
    assert found("\n".join(PLAYS), known(TABLES, plays=PLAYS)) == [("listed", 1), ("listed", 2)]


def test_one_course_or_parts_of_two_may_be_good_play():
    assert found(PLAYS[0], known(TABLES, plays=PLAYS)) == []
    assert found("\n".join(play[:60] for play in PLAYS), known(TABLES, plays=PLAYS)) == []


def test_what_was_played_in_work_is_no_content():
    assert found("\n".join(PLAYS), known(TABLES, work=f"{WORKED}\n{PLAYS[0]}", plays=PLAYS)) == []


@pytest.mark.parametrize("word", [b"lantern", b"ab", b"ottoline vance"])
def test_a_text_in_an_exclusive_or_with_a_word_is_read(word: bytes):
    text = "\n".join(TABLES) * 2
    hidden = bytes(byte ^ word[at % len(word)] for at, byte in enumerate(text.encode()))
    assert ("copied", 1) in found(hidden, known(TABLES))


def test_noise_is_no_text_in_any_word():
    noise = bytes((at * at * 31 + at * 17 + (at >> 3)) % 251 for at in range(4000))
    assert not [layers for layers, _ in texts(noise) if "a word for all" in layers]


def test_a_line_end_that_is_written_as_an_escape_divides_words():
    assert found(repr(TABLES[0]), known(TABLES)) == [("copied", 1)]
