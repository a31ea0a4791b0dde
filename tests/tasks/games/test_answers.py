import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rung.core.values import Invalid
from rung.tasks.games._answers import last_object, quoted

NOTHING = Invalid('no JSON object with "plan" found in the answer')
MEGABYTE = 1_000_000

TEXT = st.text(st.characters(codec="utf-8"))
NUMBER = st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ('{"plan": 1}', 1),
        ('```json\n{"plan": 1}\n```', 1),
        ('First {"plan": 1}, no, {"plan": 2}.', 2),
        ('{"plan": 1} and by the way {"other": 2} {}', 1),
        ('{"plan": 1} {"plan": 2', 1),
        ('Let {x} be "so" {"plan": 1} }}', 1),
        ('He said {"hello {"plan": 1}', 1),
        ('It is {"a": "so {"plan": 1}', 1),
        ('{"note": "not {\\"plan\\": 2} but", "plan": 1}', 1),
        ('{ "bad": 01, "x": {"plan": 1} }', 1),
        ('[{"plan": 1}]', 1),
        ('{"plan": {"plan": 2}}', {"plan": 2}),
        ('{"plan": 1, "plan": 2}', 2),
        ('\ufeff{"plan":\t[1,\r\n[]] , "x":null}', [1, []]),
        ('{"plan": {"1": {"sell": "all"}}}</answer>', {"1": {"sell": "all"}}),
        ('{"plan": 18446744073709551615}', 18446744073709551615),
        ('{"plan": [true, 1e3, -0.5]}', [True, 1000.0, -0.5]),
    ],
)
def test_the_last_object_with_the_key_is_found(text, plan):
    assert last_object(text, "plan") == {**last_object(text, "plan"), "plan": plan}


@pytest.mark.parametrize(
    "text",
    ["", "plan", "null", '"plan"', "[1]", "{}", '{"plans": 1}', "{'plan': 1}", '{"plan": NaN}', '{"plan": -Infinity}',
     '{"plan": 1,}', '{"plan": ٣}', '{"plan": 01}', '{"plan": "a\nb"}', '{"plan": "\\x"}', '{"plan": 1]',
     '{"a": {"b": 1}}', '{"a": {"plan": 1}}', "\x00\x07", '{"plan": tru}', '{"plan"}', '{"plan": undefined}'],
)  # fmt: skip
def test_no_such_object_is_a_reason_and_not_an_error(text):
    assert last_object(text, "plan") == NOTHING


@pytest.mark.parametrize("number", ["1" * 21, "1" * 5000, "1e999", "-1e999", "1" * 21 + ".5e300" + "9" * 20])
def test_a_number_out_of_range_is_a_reason(number):
    assert last_object(f'{{"plan": {number}}}', "plan") == Invalid(
        "the JSON in the answer holds a number that is too large"
    )


@pytest.mark.parametrize("text", ['{"plan": "\\ud800"}', '{"plan": "\ud800"}', '{"plan": {"\\udc00": 1}}'])
def test_half_a_character_is_a_reason(text):
    assert last_object(text, "plan") == Invalid("the JSON in the answer holds half of a Unicode character")


HOSTILE = {
    "braces": "{",
    "brackets": "[",
    "quotes": '"',
    "brace and quote": '{"',
    "open objects": '{"a":',
    "open objects of the key": '{"plan":',
    "open lists": '{"a":[',
    "long objects": '{"a":1,',
    "empty objects": "{}",
    "many answers": '{"plan":{}}',
    "many broken answers": '{"plan":{}',
    "escapes": '{"\\',
    "escaped quotes": '{\\"',
    "spaces": "{          ",
    "controls": "\x00{\x1b",
    "broken words": '{"plan":nul',
    "digits": "1234567890",
    "nested lists in a string": '{"a":"[[[[","b',
    "shifted strings": '{"a":"b"c"d":',
    "closers": '}]"',
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("before", ["", '{"plan":', '{"a":"'])
def test_a_megabyte_of_anything_is_read_to_its_end(name, before):
    # It takes half a second at most. What this test would do with a quadratic scan is run for hours.
    text = before + HOSTILE[name] * (MEGABYTE // len(HOSTILE[name])) + '"plan"'
    found = last_object(text, "plan")
    assert isinstance(found, Invalid) or found == {"plan": {}}


def test_deep_nesting_is_cut_and_never_recurses():
    deep = '{"plan":' * 100_000 + "1" + "}" * 100_000
    found, depth = last_object(deep, "plan"), 0
    while isinstance(found, dict):
        found, depth = found["plan"], depth + 1
    assert 1 <= depth <= 16


@given(JSON, st.text(), st.text(st.characters(exclude_characters='{}"')))
def test_whatever_stands_around_it_the_object_is_read_as_the_standard_library_reads_it(value, before, after):
    text = json.dumps({"plan": value})
    assert last_object(f"{after}{text}{after}", "plan") == json.loads(text)
    if "{" not in before:
        assert last_object(before + text, "plan") == json.loads(text)


@given(
    st.text()
    | st.lists(st.sampled_from(["{", "}", "[", "]", '"', ":", ",", "1", "\\", "plan", '"plan":', " "])).map("".join)
)
def test_any_text_gives_an_object_or_a_reason(text):
    found = last_object(text, "plan")
    assert isinstance(found, Invalid) or "plan" in found


@given(st.text() | st.integers() | st.floats() | st.lists(st.integers()) | st.none() | st.booleans())
def test_a_quote_is_short_plain_and_on_one_line(value):
    assert re.fullmatch(r"[ -~]{1,60}", quoted(value))


def test_a_quote_of_a_monstrous_number_is_short():
    assert quoted(10**6000) == "a huge number"
