"""Numbers in words, in the languages that agents were seen to think in, read as figures.

Every spelling of 0 to 999 in English, German, French, Spanish, Portuguese, Italian and Dutch is made once, without
accents, and looked for as the longest run of words. What a language writes as one word is one (`zweihundertvierzig`).
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

from rung.findings.audit.english import listed

LONGEST = 6
"""Words of the longest spelling: `nine hundred and ninety nine`, `neuf cent quatre vingt dix neuf`."""
MOST = 1000

_ENGLISH = (
    (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen"
    ),
    "twenty thirty forty fifty sixty seventy eighty ninety",
)
_GERMAN = (
    (
        "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn "
        "siebzehn achtzehn neunzehn"
    ),
    "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
)
_DUTCH = (
    (
        "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
        "achttien negentien"
    ),
    "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
)
_FRENCH = (
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "vingt trente quarante cinquante soixante",
)
_SPANISH = (
    (
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete "
        "dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete "
        "veintiocho veintinueve"
    ),
    "treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos",
)
_PORTUGUESE = (
    (
        "zero um dois tres quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis "
        "dezessete dezoito dezenove"
    ),
    "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos",
)
_ITALIAN = (
    (
        "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
        "diciassette diciotto diciannove"
    ),
    "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
)


def plain(text: str) -> str:
    """A text in small letters without accents.

    >>> plain("Fünfzehn, dreißig")
    'funfzehn, dreissig'
    """
    low = text.lower()
    if low.isascii():
        return low
    apart = unicodedata.normalize("NFKD", low.replace("ß", "ss"))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def in_figures(words: Sequence[str]) -> Iterator[str]:
    """The words, with every spelling of a number among them as its figures. They have to be `plain`.

    >>> list(in_figures("two hundred forty tomates dann siebenundzwanzig puis quatre vingt dix".split()))
    ['240', 'tomates', 'dann', '27', 'puis', '90']
    """
    known, begins = _spelt()
    at = 0
    while at < len(words):
        length = begins.get(words[at], 0)
        while length and (value := known.get(tuple(words[at : at + length]))) is None:
            length -= 1
        yield str(value) if length else words[at]
        at += length or 1


@cache
def _spelt() -> tuple[dict[tuple[str, ...], int], dict[str, int]]:
    """Every spelling with its number, and the length of the longest that begins with a word."""
    known: dict[tuple[str, ...], int] = {}
    for value in range(MOST):
        for spelling in _spellings(value):
            known.setdefault(tuple(spelling.split()), value)
    begins: dict[str, int] = {}
    for words in known:
        begins[words[0]] = max(begins.get(words[0], 0), len(words))
    return known, begins


def _spellings(value: int) -> Iterator[str]:
    yield from _english(value)
    yield from _turned(value, _GERMAN, ("ein", "und", "hundert"))
    yield from _turned(value, _DUTCH, ("een", "en", "honderd"))
    yield from _turned(value, _DUTCH, ("een", "ën".replace("ë", "e"), "honderd"))
    yield from _french(value)
    yield from _iberian(value, _SPANISH, "cien", "y")
    yield from _iberian(value, _PORTUGUESE, "cem", "e")
    yield _italian(value)


def _english(value: int) -> Iterator[str]:
    units, tens = map(listed, _ENGLISH)
    hundreds, rest = divmod(value, 100)
    small = (
        units[rest] if rest < 20 else " ".join(filter(None, (tens[rest // 10 - 2], units[rest % 10] * (rest % 10 > 0))))
    )
    if not hundreds:
        yield small
    elif not rest:
        yield f"{units[hundreds]} hundred"
    else:
        yield f"{units[hundreds]} hundred {small}"
        yield f"{units[hundreds]} hundred and {small}"


def _turned(value: int, words: tuple[str, str], parts: tuple[str, str, str]) -> Iterator[str]:
    """German and Dutch: the unit stands before the ten, in one word; some write it in several."""
    units, tens = map(listed, words)
    one, link, hundred = parts
    hundreds, rest = divmod(value, 100)
    unit = one if rest % 10 == 1 else units[rest % 10]
    small = units[rest] if rest < 20 else f"{unit}{link}{tens[rest // 10 - 2]}" if rest % 10 else tens[rest // 10 - 2]
    if not hundreds:
        yield small
        return
    for head in dict.fromkeys((f"{one if hundreds == 1 else units[hundreds]}{hundred}", hundred * (hundreds == 1))):
        if head:
            yield head + (small if rest else "")
            yield f"{head} {small}" if rest else head


def _french(value: int) -> Iterator[str]:
    units, tens = map(listed, _FRENCH)
    hundreds, rest = divmod(value, 100)
    for small in _french_small(rest, units, tens):
        if not hundreds:
            yield small
            continue
        for hundred in ("cent", "cents"):
            head = hundred if hundreds == 1 else f"{units[hundreds]} {hundred}"
            yield f"{head} {small}" if rest else head


def _french_small(value: int, units: Sequence[str], tens: Sequence[str]) -> Iterator[str]:
    if value <= 16:
        yield units[value]
    elif value < 20:
        yield f"dix {units[value - 10]}"
    elif value < 70 or value >= 80:
        ten = "quatre vingt" if value >= 80 else tens[value // 10 - 2]
        rest = value - 80 if value >= 80 else value % 10
        for head in (ten, f"{ten}s") if value >= 80 else (ten,):
            for tail in _french_small(rest, units, tens) if rest else ("",):
                yield f"{head} {tail}".strip()
                if rest == 1:
                    yield f"{head} et {tail}"
    else:
        for tail in _french_small(value - 60, units, tens):
            yield f"soixante {tail}"
            if value == 71:
                yield f"soixante et {tail}"


def _iberian(value: int, words: tuple[str, str, str], hundred: str, link: str) -> Iterator[str]:
    units, tens, hundreds = map(listed, words)
    many, rest = divmod(value, 100)
    first = 10 * (10 - len(tens))
    small = units[rest] if rest < len(units) else tens[(rest - first) // 10]
    if rest >= len(units) and rest % 10:
        small = f"{small} {link} {units[rest % 10]}"
    if not many:
        yield small
    elif not rest:
        yield hundred if many == 1 else hundreds[many - 1]
    else:
        yield f"{hundreds[many - 1]} {small}"
        yield f"{hundreds[many - 1]} {link} {small}"


def _italian(value: int) -> str:
    units, tens = map(listed, _ITALIAN)
    hundreds, rest = divmod(value, 100)
    small = units[rest] if rest < 20 else tens[rest // 10 - 2]
    if rest >= 20 and rest % 10:
        unit = units[rest % 10]
        small = (small[:-1] if rest % 10 in (1, 8) else small) + unit
    head = "" if not hundreds else "cento" if hundreds == 1 else f"{units[hundreds]}cento"
    return small if not head else head + (small if rest else "")
