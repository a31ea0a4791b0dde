"""Numbers in words, against spellings that are written down by hand."""

import pytest

from rung.findings.audit.numerals import in_figures, plain

SPELT = {
    "forty-two": "42",
    "one hundred and seven": "107",
    "two hundred forty": "240",
    "zweihundertvierzig": "240",
    "einundzwanzig": "21",
    "fünfunddreißig": "35",
    "quatre-vingt-dix-sept": "97",
    "soixante et onze": "71",
    "deux cent trois": "203",
    "treinta y cinco": "35",
    "ciento veinte": "120",
    "vinte e três": "23",
    "ventotto": "28",
    "duecentoquaranta": "240",
    "achtentachtig": "88",
}


@pytest.mark.parametrize("words", SPELT)
def test_a_number_in_words_is_read_as_figures(words: str):
    assert list(in_figures(plain(words).replace("-", " ").split())) == [SPELT[words]]


def test_other_words_stay_as_they_are():
    assert list(in_figures(["plant", "three", "beans", "on", "day", "twenty"])) == [
        "plant",
        "3",
        "beans",
        "on",
        "day",
        "20",
    ]
