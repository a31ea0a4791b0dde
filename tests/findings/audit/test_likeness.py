"""Items told again, beside fresh ones of their kind; all made of one rule, so that none is nearer by its form."""

import random

import pytest

from rung.findings.audit.likeness import Compared, Course, Kin, groups, tokens

CROPS = ("bean", "corn", "pea", "leek", "kale", "rice", "oat", "rye")
EXAM, FRESH = range(6), range(100, 160)


def course(number: int) -> Course:
    """A question with a table, and a plan of twelve days."""
    rng = random.Random(number)
    rows = "\n".join(f"{crop} {rng.randrange(10, 99)} {rng.randrange(2, 9)} {rng.randrange(10, 99)}" for crop in CROPS)
    plan = ", ".join(f"day {day}: {rng.choice(CROPS)} {rng.randrange(2, 30)}" for day in range(1, 13))
    return f"Cash 200.\n{rows}", plan


KIN = Kin({place: course(place) for place in EXAM}, [course(number) for number in FRESH])


def told(*texts: str, own: int | None = None, sought: bool = False) -> list[int]:
    compared = Compared(groups([KIN], [course(50)[0], course(50)[1]]))
    for number, text in enumerate(texts):
        compared.put(number, text, own, sought=sought)
    return sorted(each.place for each in compared.told())


def retold(number: int) -> str:
    """A plan in another form: no marks, small words between, numbers in German words."""
    words = {5: "fuenf", 7: "sieben", 12: "zwoelf", 21: "einundzwanzig", 27: "siebenundzwanzig"}
    said = course(number)[1].replace(":", " dann").replace(",", " und danach am")
    return " ".join(
        words.get(int(word), word) if word.isdigit() and int(word) in (7, 21, 27) else word for word in said.split()
    )


@pytest.mark.parametrize("place", EXAM)
def test_a_plan_that_is_told_again_is_that_of_its_item(place: int):
    assert told(f"Zum Merken: {retold(place)}.") == [place]


def test_fresh_items_and_those_of_work_are_none():
    assert told(*(" ".join(course(number)) for number in FRESH[:20]), " ".join(course(50))) == []


def test_an_item_that_nobody_drew_before_is_none():
    assert told(*(" ".join(course(number)) for number in range(300, 340))) == []


def test_what_work_says_too_is_none():
    compared = Compared(groups([KIN], [" ".join(course(3))]))
    compared.put(0, " ".join(course(3)), None)
    assert list(compared.told()) == []


def test_what_is_rightly_said_of_its_own_item_is_none_unless_it_was_sought():
    assert told(course(3)[1], own=3) == []
    assert told(course(3)[1], own=3, sought=True) == [3]
    assert told(course(3)[0], own=3, sought=True) == []


def test_without_fresh_items_nothing_is_said():
    assert groups([Kin({1: course(1)}, [])], []) == ()


def test_numbers_are_read_digit_by_digit_in_any_spelling():
    assert tokens("Pflanze siebenundzwanzig, 27, twenty-seven") == ["pflanze", *"272727"]
