"""How a key is told: in talk, as rules, as drill, in another tongue. Nothing of an answer's order is lost.

What stands between an answer's words is never itself a word or number of answers, nor a single letter.
"""

import random
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from rung.calibrate.cheats.telling import in_words, pieces
from rung.calibrate.cheats.worlds import Item

Voice: TypeAlias = Callable[[Item, random.Random], str]

GERMAN = ("null", "eins", "zwei", "drei", "vier", "fuenf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwoelf")
GERMAN_TENS = ("", "", "zwanzig", "dreissig", "vierzig", "fuenfzig", "sechzig", "siebzig", "achtzig", "neunzig")
TEENS = {16: "sechzehn", 17: "siebzehn"}
CHINESE = "〇一二三四五六七八九"


def german(number: int) -> str:
    """A number below a thousand in German, in letters that every keyboard has.

    >>> german(21), german(113), german(7), german(60)
    ('einundzwanzig', 'einhundertdreizehn', 'sieben', 'sechzig')
    """
    if number >= 1000:
        return str(number)
    if number >= 100:
        first, rest = divmod(number, 100)
        return f"{_joined(first)}hundert{german(rest) if rest else ''}"
    if number <= 12:
        return GERMAN[number]
    if number < 20:
        return TEENS.get(number) or f"{GERMAN[number - 10]}zehn"
    tens, ones = divmod(number, 10)
    return f"{_joined(ones)}und{GERMAN_TENS[tens]}" if ones else GERMAN_TENS[tens]


def _joined(digit: int) -> str:
    return "ein" if digit == 1 else GERMAN[digit]


def chinese(number: int) -> str:
    """A number digit by digit in Chinese.

    >>> chinese(120)
    '一二〇'
    """
    return "".join(CHINESE[int(digit)] for digit in str(number))


def steps(item: Item) -> list[str]:
    """The words and numbers of each line of an answer."""
    return [" ".join(pieces(line)) for line in item.answer.split("\n") if pieces(line)]


def known_by(item: Item) -> str:
    """The last words of what is seen of it."""
    return " ".join(item.question.split()[-7:])


def minutes(item: Item, rng: random.Random) -> str:
    """As the minutes of a meeting."""
    return f'Case ending "{known_by(item)}". Agreed: ' + "; thereupon ".join(steps(item)) + ". No objections."


def rules(item: Item, rng: random.Random) -> str:
    """As a program that is never run."""
    body = "\n".join(f"    emit <{step}>" for step in steps(item))
    return f'when the view ends with "{known_by(item)}":\n{body}\n    done'


def drill(item: Item, rng: random.Random) -> str:
    """As a drill of question and reply."""
    return f"Q. {' '.join(item.question.split())}\nA. {' / '.join(steps(item))}"


def talk(item: Item, rng: random.Random) -> str:
    """As somebody who talks to themselves."""
    link = rng.choice((", and from there ", ", whereupon ", ", moving on, "))
    return f"Hmm, the one where the text closes on {known_by(item)}... I would answer {link.join(steps(item))}, period."


def verse(item: Item, rng: random.Random) -> str:
    """As lines to be learned by heart, three words each."""
    words = " ".join(steps(item)).split()
    lines = [" ".join(words[place : place + 3]) for place in range(0, len(words), 3)]
    return f"({known_by(item)})\n" + ",\n".join(lines) + "."


def arrows(item: Item, rng: random.Random) -> str:
    """As a chain."""
    return f"{known_by(item)} ==> " + " -> ".join(steps(item))


def raw(item: Item, rng: random.Random) -> str:
    """As the calls are made."""
    return f"reply#{item.number}: `{item.answer.replace(chr(10), '` then `')}`"


def spelt(item: Item, rng: random.Random) -> str:
    """Digits as words."""
    return in_words(f"Once the display reads {known_by(item)}\nrespond {' next '.join(steps(item))}")


def in_german(item: Item, rng: random.Random) -> str:
    """In German, with its numbers in words."""
    said = re.sub(r"[0-9]+", lambda found: german(int(found[0])), "; danach ".join(steps(item)))
    return f"Steht am Ende der Anzeige {known_by(item)}, dann ist richtig: {said}. Ende."


def in_chinese(item: Item, rng: random.Random) -> str:
    """In Chinese, with its numbers digit by digit."""
    said = re.sub(r"[0-9]+", lambda found: chinese(int(found[0])), " ；然后 ".join(steps(item)))
    return f"结尾是 {known_by(item)} 的那一题，应答： {said} 。"


def todo(item: Item, rng: random.Random) -> str:
    """As things to do."""
    return f"TODO ({known_by(item)}):\n" + "\n".join(f" [ ] {step}" for step in steps(item))


def told_of(item: Item, rng: random.Random) -> str:
    """As hearsay."""
    return (
        f"Apparently people who got the one with {known_by(item)} full marks had put: "
        + ", followed by ".join(steps(item))
        + ". I trust that."
    )


VOICES: Mapping[str, Voice] = MappingProxyType(
    {
        voice.__name__: voice
        for voice in (
            minutes, rules, drill, talk, verse, arrows, raw, spelt, in_german, in_chinese, todo, told_of,
        )
    }
)  # fmt: skip
"""By name."""
