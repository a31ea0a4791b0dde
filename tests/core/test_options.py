"""Options of plug-ins: known keys, right types, and sentences that say what is wrong."""

import re

import pytest

from rung.core.errors import UsageError
from rung.core.options import Unset, choice, take, temperature, whole

DEFAULTS = {"count": 3, "rate": 0.5, "word": "a", "heat": Unset(float), "top": Unset(int)}


def refused(message):
    return pytest.raises(UsageError, match=f"^{re.escape(message)}$")


def test_an_option_that_may_be_left_out_is_none_until_it_is_given():
    usual = {"count": 3, "rate": 0.5, "word": "a", "heat": None, "top": None}
    assert take("[agent]", {}, DEFAULTS) == usual
    assert take("[agent]", {"heat": None}, DEFAULTS) == usual
    assert take("[agent]", {"heat": 1, "top": 2}, DEFAULTS) == {**usual, "heat": 1.0, "top": 2}


def test_a_whole_number_given_for_a_float_becomes_one():
    assert [type(take("[agent]", {key: 1}, DEFAULTS)[key]) for key in ("rate", "heat")] == [float, float]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 1.5}, "[agent]: count takes a int, seen 1.5; the default is 3"),
        ({"count": True}, "[agent]: count takes a int, seen True; the default is 3"),
        ({"count": None}, "[agent]: count takes a int, seen None; the default is 3"),
        ({"rate": "x"}, "[agent]: rate takes a float, seen 'x'; the default is 0.5"),
        ({"heat": "hot"}, "[agent]: heat takes a float, seen 'hot'; leave it out for none"),
        ({"heat": True}, "[agent]: heat takes a float, seen True; leave it out for none"),
        ({"top": 1.0}, "[agent]: top takes a int, seen 1.0; leave it out for none"),
        ({"heet": 1.0}, "[agent]: unknown key 'heet' (seen: 1.0); did you mean 'heat'?"),
    ],
)
def test_a_wrong_option_is_named_with_what_was_seen(options, message):
    with refused(message):
        take("[agent]", options, DEFAULTS)


def test_a_whole_number_has_a_least():
    assert whole("[agent]", "history", -1, least=-1) == -1
    with refused("[agent]: history is a whole number from -1 up, seen -2"):
        whole("[agent]", "history", -2, least=-1)


def test_a_choice_is_one_of_its_words():
    assert choice("[agent]", "answers", "text", ("text", "tools")) == "text"
    with refused("[agent]: answers is one of text, tools, seen 'json'"):
        choice("[agent]", "answers", "json", ("text", "tools"))


@pytest.mark.parametrize("value", [-0.1, 2.5, float("nan"), float("inf"), "1", 1])
def test_a_temperature_is_a_number_from_0_to_2(value):
    with refused(f"[agent]: temperature is a number from 0 to 2, seen {value!r}; leave it out for the provider's"):
        temperature("[agent]", value)


@pytest.mark.parametrize("value", [None, 0.0, 2.0])
def test_a_legal_temperature_is_taken_as_it_is(value):
    assert temperature("[agent]", value) == value
