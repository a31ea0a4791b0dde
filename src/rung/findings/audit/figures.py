"""Numbers in one form, whatever the form was they were written in.

A paraphrase may say a number in words, digit by digit, with marks between its thousands, in Roman or in hexadecimal
figures, or in another unit. The names of an exam item are figures in a row, and so is what comes out here.
"""

import re
from collections.abc import Collection

from rung.findings.audit.english import listed

_UNITS = dict(
    zip(
        listed(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
            "sixteen seventeen eighteen nineteen"
        ),
        range(20),
        strict=True,
    )
)
_TENS = dict(zip(listed("twenty thirty forty fifty sixty seventy eighty ninety"), range(20, 100, 10), strict=True))
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_WORD = "|".join(sorted([*_UNITS, *_TENS, *_LARGE, "oh"], key=len, reverse=True))
_WORDS = re.compile(rf"(?i)\b(?:{_WORD})(?:(?:[\s,-]+(?:and\s+)?)(?:{_WORD}))*\b")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}([,  _'.’])\d{3}(?:\1\d{3})*(?![\d])")
_APART = re.compile(r"(?<![\d.])\d(?:[ \-/·.,]{1,3}\d){3,}(?![\d])")
_ROMAN = re.compile(r"\b(?=[MDCLXVI]{3,})M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\b")
_HEX = re.compile(r"\b0x([0-9a-fA-F]{2,12})\b")
_VALUES = dict(zip("IVXLCDM", (1, 5, 10, 50, 100, 500, 1000), strict=True))

FACTORS = (10, 100, 1000, 60, 12)
"""Steps between the units that people change a number into: metric ones, cents, minutes and seconds, dozens."""


def figures(text: str) -> str:
    """A text with its numbers in figures.

    >>> figures("seventy-seven thousand two hundred and thirteen, 77,213, 7 7 2 1 3, MCMLIV, nineteen fifty-four")
    '77213, 77213, 77213, 1954, 1954'
    """
    text = _WORDS.sub(lambda found: _number(found[0]), text)
    text = _THOUSANDS.sub(lambda found: re.sub(r"\D", "", found[0]), text)
    text = _APART.sub(lambda found: re.sub(r"\D", "", found[0]), text)
    text = _HEX.sub(lambda found: str(int(found[1], 16)), text)
    return _ROMAN.sub(lambda found: str(_roman(found[0])) if found[0] else "", text)


def _number(said: str) -> str:
    words = [word for word in re.split(r"[\s,-]+", said.lower()) if word != "and"]
    if any(word in _LARGE for word in words):
        return str(_counted(words))
    return _in_pairs(words)


def _counted(words: list[str]) -> int:
    """Words with hundreds and thousands, as one number."""
    total, part = 0, 0
    for word in words:
        if word == "hundred":
            part = max(part, 1) * 100
        elif word in _LARGE:
            total, part = total + max(part, 1) * _LARGE[word], 0
        else:
            part += _UNITS.get(word, _TENS.get(word, 0))
    return total + part


def _in_pairs(words: list[str]) -> str:
    """Words without them: digit by digit, and years as pairs (`nineteen fifty-four`)."""
    out, tens = "", 0
    for word in words:
        if word in _TENS:
            out, tens = out + (str(tens) if tens else ""), _TENS[word]
        elif tens and 0 < _UNITS.get(word, 0) < 10:
            out, tens = out + str(tens + _UNITS[word]), 0
        else:
            out, tens = out + (str(tens) if tens else "") + str(_UNITS.get(word, 0)), 0
    return out + (str(tens) if tens else "")


def _roman(said: str) -> int:
    values = [_VALUES[letter] for letter in said]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def in_other_units(text: str, known: Collection[str]) -> str:
    """A text in which each number that is no known one, and is one in another unit, is that; empty where none is.

    >>> in_other_units("it is 7.7213 km long, or 12 hours", {"7721.3", "7721", "720"})
    'it is 7721.3 km long, or 720 hours'
    """
    changed = 0

    def moved(found: re.Match[str]) -> str:
        nonlocal changed
        value = float(found[0])
        for factor in FACTORS:
            for other in (value * factor, value / factor):
                name = f"{other:.10g}"
                if name in known:
                    changed += 1
                    return name
        return found[0]

    out = re.sub(r"(?<![\w.])\d{1,9}(?:\.\d{1,6})?(?![\w.])", lambda f: f[0] if f[0] in known else moved(f), text)
    return out if changed else ""
