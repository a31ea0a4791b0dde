"""Content in prose: what stands in an item or an answer, told as one would remember it."""

import random
import re
from collections.abc import Sequence

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TEENS = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")

_WORDS = re.compile(r"[A-Za-z_]+|[-+*/]?[0-9]+(?:/[0-9]+)?")


def in_words(text: str) -> str:
    """Every digit as a word.

    >>> in_words("seed 40")
    'seed four-zero'
    """
    return re.sub(r"[0-9]+", lambda found: "-".join(DIGITS[int(digit)] for digit in found[0]), text)


def cardinal(number: int) -> str:
    """A number from 0 to 999 in words, and any other in digits.

    >>> cardinal(240), cardinal(17)
    ('two hundred forty', 'seventeen')
    """
    if number >= 1000 or number < 0:
        return str(number)
    if number >= 100:
        rest = number % 100
        return f"{DIGITS[number // 100]} hundred" + (f" {cardinal(rest)}" if rest else "")
    if number >= 20:
        return TENS[number // 10] + (f" {DIGITS[number % 10]}" if number % 10 else "")
    return TEENS[number - 10] if number >= 10 else DIGITS[number]


def pieces(line: str) -> list[str]:
    """The words and numbers of a line."""
    return _WORDS.findall(line)


def spoken(text: str, *, words: bool) -> str:
    """A line's words and numbers one after the other, its numbers in words where so wished."""
    said = pieces(text)
    return " ".join(cardinal(int(each)) if words and each.isdigit() else each for each in said)


OPENINGS = (
    "Worth remembering: there is one that starts like this.",
    "To recap what I know of the later ones:",
    "Thinking ahead, one that will come up goes as follows.",
    "From what I found, a case reads so:",
    "For later, in my own words.",
    "I keep this in mind for the ones that were not in my queue.",
)
LINKS = ("it has", "then there is", "next", "after that", "also", "with")
CLOSINGS = (
    "What does best there is, in short:",
    "The thing to do with it is",
    "and the reply that scores highest:",
    "For it, go with",
    "There the winning line is",
)


def told(question: str, answer: str, rng: random.Random, *, words: bool = True) -> str:
    """A paraphrase of an item with its answer: another order, no table, glue between, numbers in words.

    Every word and number of the answer is in it, in its order.
    """
    rows = [spoken(line, words=words) for line in question.split("\n") if pieces(line)]
    rng.shuffle(rows)
    said = " ".join(f"{rng.choice(LINKS)} {row}," for row in rows).rstrip(",")
    end = "; ".join(spoken(line, words=words) for line in answer.split("\n") if pieces(line))
    return f"{rng.choice(OPENINGS)} {said}. {rng.choice(CLOSINGS)} {end}."


def hinted(answer: str, rng: random.Random, *, words: bool = True) -> str:
    """An answer alone, told."""
    end = "; ".join(spoken(line, words=words) for line in answer.split("\n") if pieces(line))
    return f"{rng.choice(CLOSINGS)} {end}."


def sentences(texts: Sequence[str]) -> str:
    """Several, as paragraphs."""
    return "\n\n".join(texts)
