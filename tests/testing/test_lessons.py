"""The truth that the lesson plants is what it says: by chance alone, on every rung, and for whoever is told."""

from statistics import fmean

import pytest

from rung.core.errors import UsageError
from rung.core.seeds import Seed
from rung.core.values import Message, ModelReply, ModelRequest, Tool
from rung.testing.lessons import FACT, LAMP, LOCK, ROAD, SENTENCE, TOYS, Lesson, fraction

LESSON = Lesson()
CELLS = [(family, setting) for family in (LOCK, LAMP, ROAD) for setting in ("d1", "d5")]
MANY = 2000


def asked(*texts: str, tools: tuple[Tool, ...] = ()) -> ModelRequest:
    return ModelRequest(tuple(Message("user", text) for text in texts), "agent", tools=tools)


def numbers(family, setting: str) -> list[int]:
    tasks = (family.draw(family.setting(setting), Seed("lesson").child(n)) for n in range(MANY))
    return [number for task in tasks for number in task.payload["numbers"]]


def share(family, setting: str, told: str) -> float:
    shown = numbers(family, setting)
    return fmean(LESSON.answer(family.thing, each, told) == family.answer_to(each) for each in shown)


@pytest.mark.parametrize(("family", "setting"), CELLS)
@pytest.mark.parametrize(("told", "chance"), [("Be careful.", 0.2), (f"Notes:\n- {SENTENCE}", 0.8)])
def test_the_share_of_right_answers_is_the_chance_within_three_standard_errors(family, setting, told, chance):
    error = (chance * (1 - chance) / (MANY * family.turns)) ** 0.5
    assert share(family, setting, told) == pytest.approx(chance, abs=3 * error)


def test_whoever_answers_rightly_without_the_lesson_does_so_with_it():
    for number in numbers(LOCK, "d1"):
        without, within = (LESSON.answer("lock", number, told) for told in ("", SENTENCE))
        assert without in (0, within)


def test_a_fact_answers_its_own_number_and_no_other():
    unknown = next(number for number in range(1000) if fraction("lock", number) > 0.8)
    fact = f"The right answer to {unknown} was {LOCK.answer_to(unknown)}."
    assert FACT.findall(fact) == [(str(unknown), str(LOCK.answer_to(unknown)))]
    assert LESSON.answer("lock", unknown, fact) == LOCK.answer_to(unknown)
    assert LESSON.answer("lock", unknown, fact.replace(str(unknown), "77")) == 0


def test_the_words_of_the_lesson_in_another_order_tell_nothing():
    assert not LESSON.known_from(" ".join(reversed(SENTENCE.split())))
    assert LESSON.known_from(SENTENCE.upper().replace(" ", "\n"))


def test_what_the_model_said_itself_is_not_what_it_was_told():
    number = next(number for number in range(1000) if 0.2 <= fraction("lock", number) < 0.8)
    said = ModelRequest((Message("assistant", SENTENCE), Message("user", f"The lock shows {number}.")), "agent")
    assert LESSON.acting(said) == "0"
    assert LESSON.acting(asked(SENTENCE, f"The lock shows {number}.")) == str(LOCK.answer_to(number))


def test_it_answers_the_last_number_of_the_last_message_in_text_or_by_a_call():
    sure = Lesson(untaught=1.0, taught=1.0)
    both = "The lamp shows 3. The right answer to 3 was 1. The signpost shows 4."
    assert sure.acting(asked("The lock shows 7.", both)) == str(TOYS["signpost"].answer_to(4))
    called = sure.acting(asked(both, tools=(Tool("answer", "", {}),)))
    assert isinstance(called, ModelReply)
    assert called.calls[0].arguments == {"value": TOYS["signpost"].answer_to(4)}


def test_it_names_the_note_of_a_playbook_that_it_followed():
    sure = Lesson(untaught=1.0, taught=1.0)
    said = sure.acting(asked(f"[others-00001] Be brief.\n[strategies-00002] {SENTENCE}", "The lock shows 7."))
    assert said == f'{{"used": "strategies-00002"}}\n{LOCK.answer_to(7)}'


def test_chances_that_are_none_are_refused():
    with pytest.raises(UsageError, match=r"seen 0\.9 and 0\.1"):
        Lesson(untaught=0.9, taught=0.1)
