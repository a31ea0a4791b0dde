"""Alphabets in which a text may be spelt: by numbers, by words and signs for letters, by larger bases, by what is not
seen.

Each decoder looks for runs that are long enough to hold a clause (`LEAST` letters) and gives back what they say. None
is sure of itself: what comes out is looked at like any text, and means something where exam content is in it alone.
"""

import base64
import binascii
import html
import quopri
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from rung.findings.audit.english import listed

LEAST = 12
"""Letters that a run has to spell: a name and an answer."""
MOST_BIG = 6_000
"""Letters of a run that is read as one large number; the time grows with the square."""
MOST_RUNS = 200
"""Runs of one kind in one text."""

Piece = tuple[str, bytes | str]


def spelt(text: str) -> Iterator[Piece]:
    """What a text spells in other alphabets, each with the alphabet's name."""
    low = text.lower()
    skipped = _UNASKED if text.isascii() else set[str]()
    skipped = skipped if any(word in low for word in NATO) else {*skipped, "words for letters"}
    for name, trigger, decode in _SPELLINGS:
        if name in skipped or trigger.search(text) is None:
            continue
        try:
            found = decode(text)
        except (ValueError, OverflowError):  # it looked like this alphabet and is none
            continue
        if len(found) >= LEAST and found != text:
            yield name, found


# --------------------------------------------------------------------------------------------- signs and words

_MORSE = dict(
    zip(
        listed(
            ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- "
            "-..- -.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. .-.-.- --..-- ..--.. "
            "-..-. -....- ---..."
        ),
        "abcdefghijklmnopqrstuvwxyz0123456789.,?/-:",
        strict=True,
    )
)
_DOTS = str.maketrans({"·": ".", "•": ".", "∙": ".", "*": ".", "_": "-", "–": "-", "—": "-", "−": "-"})
_MORSE_RUN = re.compile(r"(?<!\S)[.\-·•∙*_–—−]{1,7}(?:[ ]{1,3}[.\-·•∙*_–—−/|]{1,7}){11}")

NATO = listed(
    "alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar "
    "papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu"
)
_NUMBERED = dict(zip(listed("zero one two three four five six seven eight nine"), "0123456789", strict=True))
_SPOKEN = {
    **{word: word[0] for word in NATO},
    "alpha": "a",
    "juliet": "j",
    "whisky": "w",
    "niner": "9",
    "fife": "5",
    "tree": "3",
    "fower": "4",
    **_NUMBERED,
    "dash": "-",
    "hyphen": "-",
    "stop": ".",
    "point": ".",
    "decimal": ".",
    "comma": ",",
    "space": " ",
}
_NATO = re.compile(rf"(?i)\b(?:{'|'.join([*NATO, 'alpha', 'juliet', 'whisky'])})(?:[\W_]+\w+){{8}}")

_BRAILLE = {
    chr(0x2800 + cell): letter
    for letter, cell in zip(
        "abcdefghijklmnopqrstuvwxyz",
        (1, 3, 9, 25, 17, 11, 27, 19, 10, 26, 5, 7, 13, 29, 21, 15, 31, 23, 14, 30, 37, 39, 58, 45, 61, 53),
        strict=True,
    )
} | {"\u2800": " ", "\u283c": "#"}

LOOKALIKE = {
    **dict(zip("аеорсухіјѕԁһԛԝӏьвкмнтпгАЕОРСУХІЈЅВКМНТ", "aeopcyxijsdhqwlbbkmhtnrAEOPCYXIJSBKMHT", strict=True)),
    **dict(zip("αεορνκιτυχηωβγΑΕΟΡΝΚΙΤΥΧΗΒΖΜ", "aeopvkituxnwbyAEOPNKITYXHBZM", strict=True)),
    **dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True)),
    **dict(zip("ɐɔǝɟƃɥᴉɾʞןɯɹʇʌʍʎ", "acefghijklmrtvwy", strict=True)),
    **{chr(0x1F1E6 + at): chr(97 + at) for at in range(26)},
    **{chr(0x1F170 + at): chr(65 + at) for at in range(26)},
    **{chr(0x1F130 + at): chr(65 + at) for at in range(26)},
    **{chr(0x1F150 + at): chr(65 + at) for at in range(26)},
}
"""Letters that look like Latin ones, small capitals, turned ones and flags. What stands for two is given the first."""
_FOLDED = str.maketrans(LOOKALIKE)
_LOOKALIKE = re.compile(f"[{''.join(LOOKALIKE)}]")
_LEET = str.maketrans("4310$5@7!|8", "aeiossatilb")
_LEETED = re.compile(r"(?i)\b[a-z]{1,9}[0134578@$!][a-z](?:.{0,60}?\b[a-z]{1,9}[0134578@$!][a-z]){5}", re.DOTALL)
_LEET_WORD = re.compile(r"(?i)(?<![\w@$!])(?=[\w@$!]*[a-z])(?=[\w@$!]*[0-9@$!|])[\w@$!|]+")


def _morse(text: str) -> str:
    plain = text.translate(_DOTS)
    said = re.sub(r"\s*[/|]\s*|[ \t]{3,}|\n", " / ", plain)
    return "".join(_MORSE.get(sign, " " if sign == "/" else "") for sign in said.split())


def _nato(text: str) -> str:
    """Words for letters: the next word begins where a line, a slash or another break stands between."""
    out = []
    for gap, word in re.findall(r"([^A-Za-z]*)([A-Za-z]+)", text.replace("X-ray", "xray").replace("x-ray", "xray")):
        letter = _SPOKEN.get(word.lower())
        broken = len(gap) > 2 or any(sign in gap for sign in "/|\n;_.")
        out.append((" " if broken else "") + letter if letter is not None else f" {word} ")
    return "".join(out)


def _braille(text: str) -> str:
    said = "".join(_BRAILLE.get(sign, sign) for sign in text)
    return re.sub(r"#([a-j]+)", lambda run: run[1].translate(str.maketrans("abcdefghij", "1234567890")), said)


# --------------------------------------------------------------------------------------------- numbers

_LETTERS = re.compile(r"(?<![\w.])(?:[1-9]|1\d|2[0-6])(?:[-. ,_](?:[1-9]|1\d|2[0-6]|0)){2,}(?![\w.])")
_POINTS = re.compile(
    r"(?i)(?:U\+|\\u\{?|&#x?|0x|chr\(|%u|\\)?[0-9a-f]{2,6}(?:\W{0,6}(?:U\+|\\u|&#|0x|chr\(|%u|\\)[0-9a-f]{2,6}){11}"
)
_OCTETS = re.compile(r"(?<![01])[01]{7,8}(?:[^\w]{0,4}[01]{7,8}){11}")
_BITS = re.compile(r"(?<![01])[01]{96,}")
_OCTAL = re.compile(r"(?:\\?\b|\\)(?:0o)?[01]?[0-7]{2}(?:[\s,;'\"\\]{1,4}(?:0o)?[01]?[0-7]{2}){11}")
_MANY = re.compile(r"(?<!\d)\d{2,7}(?:\D{1,16}?\d{2,7}){11}")
_THREES = re.compile(r"(?<!\d)(?:0[0-9]{2}|1[0-2][0-9]){12,}(?!\d)|(?<!\d)\d{72,}")


def _a1z26(text: str) -> str:
    """`8-5 12-15` and the like: a letter by its place, 0 or a wider gap for a space."""
    words = [
        "".join(chr(96 + int(each)) if each != "0" else " " for each in re.findall(r"\d+", run[0]))
        for run in _LETTERS.finditer(text)
    ]
    return " ".join(words)


def _points(text: str) -> str:
    """Code points as they are written in markup, in programs and in tables of Unicode."""
    said = re.findall(r"(?i)(U\+|\\u\{?|&#x|0x|%u|&#|chr\(|\\x|\\)([0-9a-f]{1,6})", text)
    return "".join(map(_point, said))


def _point(said: tuple[str, str]) -> str:
    mark, digits = said[0].lower(), said[1]
    base = 10 if mark in ("&#", "chr(") else 8 if mark == "\\" else 16
    try:
        value = int(digits, base)
    except ValueError:
        return ""
    return chr(value) if 9 <= value < 0x11000 else ""


def _octets(text: str) -> bytes:
    said = "".join(re.findall(r"[01]{7,}", text))
    groups = re.findall(r"(?<![01])[01]{7,8}(?![01])", text)
    if len(groups) >= LEAST:
        return bytes(int(each, 2) for each in groups)
    return _packed(said)


def _packed(bits: str, size: int = 8) -> bytes:
    return bytes(int(bits[at : at + size], 2) for at in range(0, len(bits) - size + 1, size))


def _octal(text: str) -> str:
    return "".join(chr(int(each, 8)) for each in re.findall(r"(?<!\d)(?:0o)?([01]?[0-7]{2})(?!\d)", text))


def _values(text: str) -> str:
    """Numbers that are code points, whatever stands between them; or code points that were all moved or multiplied.

    Moved ones are known by the commonest of them, which in most texts is the space.
    """
    values = [int(each) for each in re.findall(r"(?<![\d.])\d{2,7}(?![\d.])", text)[: 64 << 10]]
    if len(values) < LEAST:
        return ""
    straight = "".join(chr(each) for each in values if 32 <= each < 0x3000)
    return "\n".join([straight, *filter(None, map(_moved, _columns(values)))])


def _columns(values: Sequence[int]) -> Iterator[Sequence[int]]:
    """The numbers as they are, and every second one, where an index stands beside each."""
    yield values
    yield values[0::2]
    yield values[1::2]


def _moved(values: Sequence[int]) -> str:
    space, count = Counter(values).most_common(1)[0]
    if count < len(values) / 12:
        return ""
    by = space - 32
    times = space // 32 if space % 32 == 0 else 0
    moved = [each - by for each in values]
    if all(9 <= each < 0x250 for each in moved):
        return "".join(map(chr, moved))
    if times > 1 and all(each % times == 0 for each in values):
        return "".join(chr(each // times) for each in values if each // times < 0x3000)
    return ""


def _threes(text: str) -> str:
    runs = re.findall(r"\d{36,}", text)
    return "\n".join("".join(chr(int(run[at : at + 3])) for at in range(0, len(run) - 2, 3)) for run in runs)


# --------------------------------------------------------------------------------------------- larger bases

B58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
B62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
B36 = "0123456789abcdefghijklmnopqrstuvwxyz"
B45 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
B91 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&()*+,./:;<=>?@[]^_`{|}~"'
Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_ALNUM = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]{18,}(?![A-Za-z0-9])")
_PRINTED = re.compile(r"[!-~]{24,}")
_NO45 = re.compile(r"[0-9A-Z $%*+\-./:]{24,}")
_UU = re.compile(r"(?m)^[!-`]{5,61}$(?:\n[!-`]{2,61}$)*")
_ASCII85 = re.compile(r"<~(.*?)~>", re.DOTALL)


def big(run: str, alphabet: str) -> bytes:
    """A run as one number in a base, and that as bytes."""
    digits = {letter: at for at, letter in enumerate(alphabet)}
    value = 0
    for letter in run:
        value = value * len(alphabet) + digits[letter]
    return value.to_bytes((value.bit_length() + 7) // 8, "big")


def printable(data: bytes) -> bool:
    """Whether bytes are text: nearly all of them letters, signs and breaks."""
    return len(data) >= 8 and sum(32 <= byte < 127 or byte in (9, 10, 13) for byte in data) >= 0.95 * len(data)


def _bigs(text: str) -> bytes:
    """Base 58, 62 and 36, in runs; and what is broken by lines put together."""
    runs = [run[0] for run in _ALNUM.finditer(text)][:MOST_RUNS]
    found = [data for run in runs if (data := _of_big(run))]
    joined = "".join(runs)
    if len(runs) > 1 and not found and len(joined) <= MOST_BIG:
        found = [data] if (data := _of_big(joined)) else []
    return b"\n".join(found)


def _of_big(run: str) -> bytes:
    if len(run) > MOST_BIG:
        return b""
    for alphabet in (B58, B62, B62[:10] + B62[36:] + B62[10:36], B62[10:] + B62[:10], B62[36:] + B62[10:36] + B62[:10]):
        if set(run) <= set(alphabet) and (printable(data := big(run, alphabet)) or packed(data)):
            return data
    low = run.lower()
    if run in (low, run.upper()) and (printable(data := big(low, B36)) or packed(data)):
        return data
    if run.isdigit() and (printable(data := big(run, B36[:10])) or packed(data)):
        return data
    return b""


MAGIC = (
    b"\x1f\x8b\x08",
    b"PK\x03\x04",
    b"BZh",
    b"\xfd7zXZ",
    b"\x78\x01",
    b"\x78\x5e",
    b"\x78\x9c",
    b"\x78\xda",
    b"\x5d\x00\x00",
)


def packed(data: bytes) -> bool:
    """Whether bytes begin as a compressed text or an archive does."""
    return len(data) > 16 and data.startswith(MAGIC)


def _base91(text: str) -> bytes:
    table = {letter: at for at, letter in enumerate(B91)}
    return b"\n".join(_91(run[0], table) for run in list(_PRINTED.finditer(text))[:MOST_RUNS] if len(set(run[0])) > 16)


def _91(run: str, table: Mapping[str, int]) -> bytes:
    value, held, bits, out = -1, 0, 0, bytearray()
    for letter in run:
        digit = table.get(letter)
        if digit is None:
            continue
        if value < 0:
            value = digit
            continue
        value += digit * 91
        held |= value << bits
        bits += 13 if value & 8191 > 88 else 14
        value = -1
        while bits > 7:
            out.append(held & 255)
            held >>= 8
            bits -= 8
    found = bytes(out)
    return found if printable(found[:400]) or packed(found) else b""


def _base45(text: str) -> bytes:
    return b"\n".join(found for run in list(_NO45.finditer(text))[:MOST_RUNS] if (found := _45(run[0].strip("\n"))))


def _45(run: str) -> bytes:
    out = bytearray()
    for at in range(0, len(run) - 1, 3):
        digits = [B45.index(letter) for letter in run[at : at + 3]]
        value = sum(digit * 45**place for place, digit in enumerate(digits))
        size = 2 if len(digits) == 3 else 1
        if value >= 1 << 8 * size:
            return b""
        out += value.to_bytes(size, "big")
    return bytes(out) if printable(bytes(out)) or packed(bytes(out)) else b""


def _z85(text: str) -> bytes:
    table = {letter: at for at, letter in enumerate(Z85)}
    found = []
    for run in list(_PRINTED.finditer(text))[:MOST_RUNS]:
        said = [table[letter] for letter in run[0].strip("\"'") if letter in table]
        groups = [said[at : at + 5] for at in range(0, len(said) - 4, 5)]
        values = [sum(digit * 85 ** (4 - place) for place, digit in enumerate(group)) for group in groups]
        if values and max(values) < 1 << 32:
            data = b"".join(value.to_bytes(4, "big") for value in values)
            found += [data] if printable(data[:400]) or packed(data) else []
    return b"\n".join(found)


def _ascii85(text: str) -> bytes:
    found = []
    for run in _ASCII85.finditer(text):
        try:
            found.append(base64.a85decode(re.sub(r"\s", "", run[1])))
        except ValueError:
            continue
    return b"\n".join(found)


_HEX32 = str.maketrans("0123456789ABCDEFGHIJKLMNOPQRSTUV", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
_CROCKFORD = str.maketrans("0123456789ABCDEFGHJKMNPQRSTVWXYZ", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
_ZBASE = str.maketrans("YBNDRFG8EJKMCPQXOT1UWISZA345H769", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
_BASE32S = re.compile(r"(?i)(?<![a-z0-9])[a-z0-9]{24,}=*")


def _base32s(text: str) -> bytes:
    """Base 32 in small letters, and with other alphabets."""
    found = []
    for run in list(_BASE32S.finditer(text))[:MOST_RUNS]:
        bare = run[0].rstrip("=").upper()
        for table in ({}, _HEX32, _CROCKFORD, _ZBASE):
            letters = bare.translate(table)
            if set(letters) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"):
                size = len(letters) // 8 * 8
                tail = letters[size:][: {1: 0, 3: 2, 6: 5}.get(len(letters) - size, 7)]
                whole = letters[:size] + tail + "=" * (-len(tail) % 8)
                try:
                    data = base64.b32decode(whole)
                except (binascii.Error, ValueError):
                    continue
                found += [data] if printable(data) or packed(data) else []
    return b"\n".join(found)


def _uu(text: str) -> bytes:
    out = []
    for line in text.splitlines():
        if (1 < len(line) < 64 and (ord(line[0]) - 32) % 64 == len(line[1:].rstrip()) * 3 // 4) or line[:1] == "M":
            try:
                out.append(binascii.a2b_uu(line))
            except binascii.Error:
                continue
        elif line.strip():
            out += [] if line.startswith(("begin", "end")) else [b"\n"]
    return b"".join(out)


# --------------------------------------------------------------------------------------------- what is not seen

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
_TRAILING = re.compile(r"(?m)[ \t]+$")


def _unseen(text: str) -> bytes | str:
    """Letters as tags, bytes as selectors of variants, or bits as two signs of no width, or three with a break."""
    signs = _UNSEEN.findall(text)
    tags = "".join(chr(ord(sign) - 0xE0000) for sign in signs if 0xE0020 <= ord(sign) < 0xE007F)
    if len(tags) >= LEAST:
        return tags
    chosen = [_variant(ord(sign)) for sign in signs if _variant(ord(sign)) >= 0]
    if len(chosen) >= LEAST:
        return bytes(chosen)
    common = [sign for sign, _ in Counter(signs).most_common(3)]
    return "\n".join(_of_bits(signs, one, zero).decode("latin-1") for one in common for zero in common if one != zero)


def _variant(point: int) -> int:
    return point - 0xFE00 if 0xFE00 <= point <= 0xFE0F else point - 0xE0100 + 16 if 0xE0100 <= point <= 0xE01EF else -1


def _of_bits(signs: Sequence[str], one: str, zero: str) -> bytes:
    """Bits of two signs, eight or seven to a letter; a third sign, where there is one, stands between letters."""
    bits = "".join("1" if sign == one else "0" if sign == zero else " " for sign in signs)
    if " " in bits.strip():
        return bytes(int(each, 2) & 255 for each in bits.split())
    return _packed(bits) + b"\n" + _packed(bits, 7)


def _trailing(text: str) -> bytes:
    ends = "".join(_TRAILING.findall(text))
    return (
        _packed(ends.replace(" ", "0").replace("\t", "1")) + b"\n" + _packed(ends.replace(" ", "1").replace("\t", "0"))
    )


# --------------------------------------------------------------------------------------------- pieces

_APART = re.compile(r"(?:(?<=\W)|^)\w(?:[^\w\n]{1,6}\w){11,}(?=\W|$)")
_LITERALS = re.compile(r"(?:[rbuf]{0,2}([\"'`])[^\"'`\n]{1,400}\1\s{0,80}[+,.\\&]?\s{0,80}){4,}")
_LITERAL = re.compile(r"([\"'`])([^\"'`\n]{1,400})\1")
_NUMBERS = re.compile(
    r"[\"']?(?<!\d)(\d{1,4})[\"']?\s{0,2}[:=\t|)\]#.-]\s{0,2}[\"']?([^\s\"',;|{}\d][^\s\"',;|{}]{0,39}"
    r"|\d+(?=[\s\"',;|}]))"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_CAMELS = re.compile(r"(?:[A-Z][a-z]+|[a-z]+)(?:[A-Z][a-z]+|\d+){2,}")


def _apart(text: str) -> str:
    """Letters that stand alone, put together: a wider gap, or another sign, is a space."""
    return "\n".join(_together(run[0]) for run in list(_APART.finditer(text))[:MOST_RUNS])


def _together(run: str) -> str:
    gaps = re.findall(r"\W+", run)
    usual = Counter(gaps).most_common(1)[0][0]
    return "".join(
        letter + ("" if gap == usual or (len(gap) <= len(usual) and " " not in gap.strip("\"',")) else " ")
        for letter, gap in zip(re.findall(r"\w", run), [*gaps, usual], strict=False)
    )


def _literals(text: str) -> str:
    return "\n".join("".join(said for _, said in _LITERAL.findall(run[0])) for run in _LITERALS.finditer(text))


def _numbered(text: str) -> str:
    """Words that stand with their numbers, in the order of these."""
    pairs = [(int(number), word) for number, word in _NUMBERS.findall(text)]
    numbers = [number for number, _ in pairs]
    if len(pairs) < LEAST or len(set(numbers)) < 0.9 * len(numbers) or max(numbers) > 2 * len(numbers) + 10:
        return ""
    words = [word for _, word in sorted(pairs)]
    return ("" if max(map(len, words)) < 3 else " ").join(words)


def _camel(text: str) -> str:
    return " ".join(_CAMEL.sub(" ", run[0]) for run in _CAMELS.finditer(text))


def _html(text: str) -> str:
    return html.unescape(text)


def _quoted_printable(text: str) -> bytes:
    return quopri.decodestring(text.encode())


_Decode = Callable[[str], bytes | str]
_SPELLINGS: tuple[tuple[str, re.Pattern[str], _Decode], ...] = (
    ("morse", _MORSE_RUN, _morse),
    ("words for letters", _NATO, _nato),
    ("braille", re.compile("[\u2801-\u283f]{3}"), _braille),
    ("letters that look alike", _LOOKALIKE, lambda text: text.translate(_FOLDED)),
    ("turned letters", re.compile("[ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ]{2}"), lambda text: text.translate(_FOLDED)[::-1]),
    ("figures for letters", _LEETED, lambda text: _LEET_WORD.sub(lambda word: word[0].translate(_LEET), text)),
    ("places in the alphabet", _LETTERS, _a1z26),
    ("code points", _POINTS, _points),
    ("octets of bits", _OCTETS, _octets),
    ("bits", _BITS, _octets),
    ("octal", _OCTAL, _octal),
    ("numbers", _MANY, _values),
    ("decimal without gaps", _THREES, _threes),
    ("a large base", _ALNUM, _bigs),
    ("base91", _PRINTED, _base91),
    ("base45", _NO45, _base45),
    ("z85", _PRINTED, _z85),
    ("ascii85", re.compile("<~"), _ascii85),
    ("base32", _BASE32S, _base32s),
    ("uuencode", _UU, _uu),
    ("html", re.compile(r"&(?:#x?[0-9a-fA-F]{1,6}|[a-z]{2,8});"), _html),
    ("quoted-printable", re.compile(r"(?:=[0-9A-F]{2}[^=]{0,60}){4}"), _quoted_printable),
    ("signs that are not seen", _UNSEEN, _unseen),
    ("space at the ends of lines", re.compile(r"(?m)(?:[ \t]{4,}$[^\n]*\n?.*?){1}"), _trailing),
    ("letters apart", _APART, _apart),
    ("literals put together", _LITERALS, _literals),
    ("pieces by number", _NUMBERS, _numbered),
    ("words run together", _CAMELS, _camel),
)

_UNASKED = {"braille", "letters that look alike", "turned letters", "signs that are not seen"}
"""Alphabets that no ASCII text is in."""
NAMES = frozenset(name for name, _, _ in _SPELLINGS)
"""What each alphabet is called where it is a layer of a text."""
