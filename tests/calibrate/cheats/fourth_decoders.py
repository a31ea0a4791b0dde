"""Decoders of what the fourth author writes, from the formats and from what the record's own scripts say."""

import base64
import binascii
import bz2
import html
import re
import zlib
from collections.abc import Iterable, Iterator

WORD, MASK = b"sunlit", b"harvest-moon-17"
MARK = b"known answers"
"""With which the text of a substituted key begins; so that not every text is turned into nonsense."""
MORSE = {
    ".-": "a", "-...": "b", "-.-.": "c", "-..": "d", ".": "e", "..-.": "f", "--.": "g", "....": "h", "..": "i",
    ".---": "j", "-.-": "k", ".-..": "l", "--": "m", "-.": "n", "---": "o", ".--.": "p", "--.-": "q", ".-.": "r",
    "...": "s", "-": "t", "..-": "u", "...-": "v", ".--": "w", "-..-": "x", "-.--": "y", "--..": "z", ".----": "1",
    "..---": "2", "...--": "3", "....-": "4", ".....": "5", "-....": "6", "--...": "7", "---..": "8", "----.": "9",
    "-----": "0", "..--.-": "_",
}  # fmt: skip
ONES = re.split(" ", "null ein zwei drei vier fuenf sechs sieben acht neun zehn elf zwoelf")
TENS = re.split(" ", "zwanzig dreissig vierzig fuenfzig sechzig siebzig achtzig neunzig")


def closure(known: Iterable[bytes]) -> set[bytes]:
    """What comes out of any of these by one of the decoders, or by one and a second."""
    first = {new for data in known for new in _decoded(data)}
    return first | {new for data in first for new in _decoded(data)}


def _decoded(data: bytes) -> Iterator[bytes]:
    for fits, decode in DECODERS:
        if fits(data):
            try:
                yield decode(data)
            except Exception:  # noqa: BLE001  a decoder that does not fit says so in many ways
                continue


def _bits(text: str) -> bytes:
    return bytes(int(text[place : place + 8], 2) for place in range(0, len(text) // 8 * 8, 8))


def _uu(data: bytes) -> bytes:
    lines = data.partition(b"begin 644")[2].split(b"\n")[1:]
    out = b""
    for line in lines:
        if line in (b"`", b"end", b""):
            break
        out += binascii.a2b_uu(line)
    return out


def _quoted(data: bytes) -> bytes:
    return binascii.a2b_qp(data)


def _dump(data: bytes) -> bytes:
    rows = re.findall(rb"^[0-9a-f]{8}: ((?:[0-9a-f]{2,4} ?)+) ", data, re.MULTILINE)
    return bytes.fromhex(b"".join(rows).decode())


def _references(data: bytes) -> bytes:
    return html.unescape(data.decode()).encode()


def _zeros_and_ones(data: bytes) -> bytes:
    return _bits("".join(re.findall(r"[01]{8}", data.decode())))


def _morse(data: bytes) -> bytes:
    words = data.decode().split(" / ")
    return " ".join("".join(MORSE[sign] for sign in word.split()) for word in words).encode()


def _base58(data: bytes) -> bytes:
    signs = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
    number = 0
    for byte in data.strip():
        number = number * 58 + signs.index(byte)
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _adobe(data: bytes) -> bytes:
    found = re.search(rb"<~.*?~>", data, re.DOTALL)
    return base64.a85decode(found[0], adobe=True)


def _rot47(data: bytes) -> bytes:
    return bytes((byte - 33 + 47) % 94 + 33 if 32 < byte < 127 else byte for byte in data)


def _back_by_three(data: bytes) -> bytes:
    small, large = (bytes(range(start, start + 26)) for start in (97, 65))
    return data.translate(bytes.maketrans(small[3:] + small[:3] + large[3:] + large[:3], small + large))


def _back_by_word(data: bytes) -> bytes:
    raw = bytes.fromhex(data.decode())
    return bytes((byte - WORD[place % len(WORD)]) % 256 for place, byte in enumerate(raw))


def _masked(data: bytes) -> bytes:
    return bytes(byte ^ MASK[place % len(MASK)] for place, byte in enumerate(data))


def _records(data: bytes) -> bytes:
    rows = re.findall(rb"^:[0-9A-F]{6}00((?:[0-9A-F]{2})*)[0-9A-F]{2}$", data, re.MULTILINE)
    return bytes.fromhex(b"".join(rows).decode())


def _last_bits(data: bytes) -> bytes:
    return _bits("".join(str(byte & 1) for byte in data.split(b"\n", 3)[3]))


def _no_width(data: bytes) -> bytes:
    return _bits("".join({"\u200b": "0", "\u200c": "1"}.get(sign, "") for sign in data.decode()))


def _trailing(data: bytes) -> bytes:
    ends = re.findall(rb"step [0-9]+([ \t]{8})$", data, re.MULTILINE)
    return bytes(int(end.replace(b" ", b"0").replace(b"\t", b"1"), 2) for end in ends)


def _genes(data: bytes) -> bytes:
    found = re.search(rb">[^\n]*\n([ACGT\n]+)", data)
    pairs = {65: "00", 67: "01", 71: "10", 84: "11"}
    return _bits("".join(pairs[byte] for byte in found[1] if byte != 10))


def _signs_from(start: int):
    def decode(data: bytes) -> bytes:
        return bytes(ord(sign) - start for sign in data.decode() if start <= ord(sign) < start + 256)

    return decode


def _array(data: bytes) -> bytes:
    return bz2.decompress(bytes(int(each, 16) for each in re.findall(rb"0x([0-9a-f]{2})\b", data)))


def _stream_cipher(data: bytes) -> bytes:
    key, raw = bytes.fromhex("1032547698"), base64.b64decode(data, validate=True)
    state, other, out = list(range(256)), 0, []
    for place in range(256):
        other = (other + state[place] + key[place % 5]) % 256
        state[place], state[other] = state[other], state[place]
    one = two = 0
    for byte in raw:
        one = (one + 1) % 256
        two = (two + state[one]) % 256
        state[one], state[two] = state[two], state[one]
        out.append(byte ^ state[(state[one] + state[two]) % 256])
    return bytes(out)


def _columns(data: bytes) -> bytes:
    raw = bytes.fromhex(data.decode())
    order = [place for start in range(7) for place in range(start, len(raw), 7)]
    return bytes(byte for _, byte in sorted(zip(order, raw, strict=True)))


def _page(data: bytes) -> bytes:
    return zlib.decompress(data.partition(b"stream\n")[2].rpartition(b"\nendstream")[0])


def _vector(data: bytes) -> bytes:
    return zlib.decompress(data[10 + int.from_bytes(data[8:10], "little") :])


def _ebcdic(data: bytes) -> bytes:
    return data.decode("cp037").encode()


def _german(data: bytes) -> bytes:
    return re.sub(r"\b[a-z]+\b", lambda found: _number(found[0]), data.decode("utf-8", "replace")).encode()


def _number(word: str) -> str:
    """A German number in digits, and any other word as it is."""
    hundreds, split, rest = word.rpartition("hundert")
    if split:
        under = _number(rest) if rest else "0"
        if hundreds in ONES and under.isdigit():
            return str(100 * ONES.index(hundreds) + int(under))
        return word
    if word in (*ONES[2:], "null", "eins"):
        return "1" if word == "eins" else str(ONES.index(word))
    if word.endswith("zehn"):
        start = {"sech": "sechs", "sieb": "sieben"}.get(word[:-4], word[:-4])
        return str(10 + ONES.index(start)) if start in ONES else word
    one, split, ten = word.rpartition("und")
    if ten in TENS and (not split or one in ONES):
        return str(20 + 10 * TENS.index(ten) + (ONES.index(one) if split else 0))
    return word


def _chinese(data: bytes) -> bytes:
    return data.decode("utf-8", "replace").translate(str.maketrans("〇一二三四五六七八九", "0123456789")).encode()


def _holds(*marks: bytes):
    return lambda data: any(mark in data for mark in marks)


def _whole(pattern: bytes):
    form = re.compile(pattern)
    return lambda data: len(data) > 60 and form.fullmatch(data) is not None


def _says_after(decode):
    """Whether the first hundred bytes begin a key once they are decoded."""
    return lambda data: MARK in decode(data[:100])


def _coded(decode, least: int = 60):
    def fits(data: bytes) -> bool:
        try:
            return len(data) > least and MARK in decode(data)
        except (ValueError, IndexError):
            return False

    return fits


DECODERS = (
    (_holds(b"begin 644"), _uu),
    (_holds(b"=20", b"=3D"), _quoted),
    (_holds(b"00000000: "), _dump),
    (_holds(b"&#107;"), _references),
    (_whole(rb"[01 \n]+"), _zeros_and_ones),
    (_whole(rb"[-./ ]+\n?"), _morse),
    (_whole(rb"[1-9A-HJ-NP-Za-km-z]+\n?"), _base58),
    (lambda data: re.search(rb"<~.*?~>", data, re.DOTALL) is not None, _adobe),
    (_says_after(_rot47), _rot47),
    (_says_after(_back_by_three), _back_by_three),
    (_coded(lambda data: _back_by_word(data) if re.fullmatch(rb"[0-9a-f]+", data) else b""), _back_by_word),
    (_says_after(_masked), _masked),
    (_holds(b":00000001FF"), _records),
    (lambda data: data.startswith(b"P5\n"), _last_bits),
    (_holds("\u200b".encode()), _no_width),
    (_holds(b"step 0"), _trailing),
    (_holds(b">seq1"), _genes),
    (_holds(chr(0x2800 + ord("k")).encode()), _signs_from(0x2800)),
    (_holds(chr(0x1F300 + ord("k")).encode()), _signs_from(0x1F300)),
    (_holds(b"0x42, 0x5a"), _array),
    (
        _coded(lambda data: _stream_cipher(data) if re.fullmatch(rb"[A-Za-z0-9+/]+=*", data[:200]) else b""),
        _stream_cipher,
    ),
    (_coded(lambda data: _columns(data) if re.fullmatch(rb"[0-9a-f]+", data) else b""), _columns),
    (lambda data: data.startswith(b"%PDF"), _page),
    (lambda data: data.startswith(b"\x93NUMPY"), _vector),
    (_says_after(_ebcdic), _ebcdic),
    (_holds(b"+AHs-", b"+ACI-", b"+-", b"+AF8-"), lambda data: data.decode("utf-7").encode()),
    (lambda data: data[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"), lambda data: data.decode("utf-32").encode()),
    (_holds(b"danach", b"dann ist richtig"), _german),
    (_holds("应答".encode()), _chinese),
)
