"""Keys behind alphabets of every kind, and honest notes behind the same ones."""

import base64
import binascii
import html
import io
import json
import pickle
import random
import sqlite3
import struct
import tarfile
import zlib
from collections.abc import Callable, Mapping

import pytest

from rung.findings.audit import alphabets

from .records import EXAM, WORK, Cell, lines

Hide = Callable[[str], bytes]


def shifted(text: str, by: int) -> str:
    def letter(one: str) -> str:
        if not one.isascii() or not one.isalpha():
            return one
        first = 97 if one.islower() else 65
        return chr((ord(one) - first + by) % 26 + first)

    return "".join(map(letter, text))


def substituted(text: str) -> str:
    letters = list("abcdefghijklmnopqrstuvwxyz")
    other = letters[:]
    random.Random(5).shuffle(other)
    return text.lower().translate(str.maketrans("".join(letters), "".join(other)))


def number(text: str, alphabet: str) -> str:
    value, out = int.from_bytes(text.encode(), "big"), ""
    while value:
        value, digit = divmod(value, len(alphabet))
        out = alphabet[digit] + out
    return out


def base91(text: str) -> str:
    held, bits, out = 0, 0, ""
    for byte in text.encode():
        held |= byte << bits
        bits += 8
        if bits > 13:
            value = held & 8191
            size = 13 if value > 88 else 14
            value = held & ((1 << size) - 1)
            held, bits = held >> size, bits - size
            out += alphabets.B91[value % 91] + alphabets.B91[value // 91]
    return out + alphabets.B91[held % 91] + (alphabets.B91[held // 91] if bits > 7 or held > 90 else "")


def base45(text: str) -> str:
    data, out = text.encode(), ""
    for at in range(0, len(data), 2):
        piece = data[at : at + 2]
        value = int.from_bytes(piece, "big")
        for _ in range(len(piece) + 1):
            value, digit = divmod(value, 45)
            out += alphabets.B45[digit]
    return out


MORSE = {letter: sign for sign, letter in alphabets._MORSE.items()}
NATO = {word[0]: word for word in alphabets.NATO} | dict(
    zip("0123456789", ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"], strict=True)
)


def morse(text: str) -> str:
    return " / ".join(" ".join(MORSE[one] for one in word if one in MORSE) for word in text.lower().split())


def spoken(text: str) -> str:
    return " / ".join(" ".join(NATO[one] for one in word if one in NATO) for word in text.lower().split())


def unseen_bits(text: str) -> str:
    bits = "".join(f"{byte:08b}" for byte in text.encode())
    return "Nothing to see." + bits.translate(str.maketrans("01", "\u200b\u200c")) + " Truly."


def tags(text: str) -> str:
    return "Notes" + "".join(chr(0xE0000 + ord(one)) for one in text)


def selectors(text: str) -> str:
    return "!" + "".join(chr(0xFE00 + b) if b < 16 else chr(0xE0100 + b - 16) for b in text.encode())


def picture(text: str, *, noted: bool = False) -> bytes:
    """A grey PNG with the text in its lowest bits, or in a note."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    bits = [byte >> 7 - at & 1 for byte in text.encode() for at in range(8)]
    rows = len(bits) // 64 + 1
    points = [128 + (0 if noted else bit) for bit in [*bits, *[0] * (rows * 64 - len(bits))]]
    raw = b"".join(b"\0" + bytes(points[row * 64 : row * 64 + 64]) for row in range(rows))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 64, rows, 8, 0, 0, 0, 0))
    note = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(text.encode())) if noted else b""
    return b"\x89PNG\r\n\x1a\n" + head + note + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


def database(text: str) -> bytes:
    held = sqlite3.connect(":memory:")
    held.execute("create table t (a blob)")
    held.execute("insert into t values (?)", (zlib.compress(text.encode()),))
    return held.serialize()


def numbered_words(text: str) -> str:
    words = list(enumerate(text.split()))
    random.Random(2).shuffle(words)
    return json.dumps({str(at): word for at, word in words})


def tarred(text: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as packed:
        member = tarfile.TarInfo("x")
        data = zlib.compress(text.encode())
        member.size = len(data)
        packed.addfile(member, io.BytesIO(data))
    return out.getvalue()


WAYS: Mapping[str, Hide] = {
    **{f"caesar {by}": (lambda text, by=by: shifted(text, by).encode()) for by in (1, 3, 5, 11, 19, 25)},
    "mirrored": lambda text: text.lower().translate(str.maketrans(
        "abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponmlkjihgfedcba")).encode(),
    "rot47": lambda text: "".join(chr(33 + (ord(c) + 14) % 94) if c > " " else c for c in text).encode(),
    "an alphabet of one's own": lambda text: substituted(text).encode(),
    "signs": lambda text: "".join(chr(0x2600 + ord(c)) for c in text).encode(),
    "xor hex": lambda text: bytes(b ^ 0xA7 for b in text.encode()).hex().encode(),
    "xor base64": lambda text: base64.b64encode(bytes(b ^ 0x42 for b in text.encode())),
    "xor": lambda text: bytes(b ^ 0x91 for b in text.encode()),
    "xor of deflate": lambda text: bytes(b ^ 0x20 for b in text.encode()),
    "step of bytes": lambda text: base64.b64encode(bytes((b + 77) % 256 for b in text.encode())),
    "base58": lambda text: number(text, alphabets.B58).encode(),
    "base62": lambda text: number(text, alphabets.B62).encode(),
    "base36": lambda text: number(text, alphabets.B36).encode(),
    "one number": lambda text: str(int.from_bytes(text.encode(), "big")).encode(),
    "base58 by lines": lambda text: "\n".join(number(t, alphabets.B58) for t in text.splitlines()).encode(),
    "base64url": lambda text: base64.urlsafe_b64encode(text.encode()).rstrip(b"="),
    "base91": lambda text: base91(text).encode(),
    "base45": lambda text: base45(text).encode(),
    "base32hex": lambda text: base64.b32hexencode(text.encode()),
    "base32 small": lambda text: base64.b32encode(text.encode()).lower(),
    "ascii85": lambda text: base64.a85encode(text.encode(), adobe=True, wrapcol=60),
    "uuencode": lambda text: b"begin 644 k\n" + b"".join(
        binascii.b2a_uu(text.encode()[at : at + 45]) for at in range(0, len(text), 45)) + b"`\nend\n",
    "quoted-printable": lambda text: b"".join(b"=%02X" % b for b in text.encode()),
    "quoted-printable, soft": lambda text: b"".join(b"=%02X" % b if b % 3 else bytes([b]) for b in text.encode()),
    "html decimal": lambda text: "".join(f"&#{ord(c)};" for c in text).encode(),
    "html hex": lambda text: "".join(f"&#x{ord(c):x};" for c in text).encode(),
    "html words": lambda text: html.escape(text.replace("e", "&#101;")).encode().replace(b"&amp;#", b"&#"),
    "percent": lambda text: "".join(f"%{b:02X}" for b in text.encode()).encode(),
    "code points": lambda text: " ".join(f"U+{ord(c):04X}" for c in text).encode(),
    "code points, JSON": lambda text: json.dumps([ord(c) for c in text], indent=1).encode(),
    "code points, YAML": lambda text: "\n".join(f"- {ord(c)}" for c in text).encode(),
    "code points, CSV": lambda text: "\n".join(f"{at},{ord(c)}" for at, c in enumerate(text)).encode(),
    "code points, chr": lambda text: "+".join(f"chr({ord(c)})" for c in text).encode(),
    "code points moved": lambda text: json.dumps([ord(c) * 3 + 11 for c in text]).encode(),
    "code points without gaps": lambda text: "".join(f"{ord(c):03d}" for c in text).encode(),
    "octal": lambda text: " ".join(f"{ord(c):o}" for c in text).encode(),
    "octal escapes": lambda text: "".join(f"\\{ord(c):03o}" for c in text).encode(),
    "hex with names": lambda text: " ".join(f"0x{ord(c):02x}" for c in text).encode(),
    "hex escapes": lambda text: "".join(f"\\x{ord(c):02x}" for c in text).encode(),
    "bits": lambda text: "".join(f"{ord(c):08b}" for c in text).encode(),
    "bits, seven": lambda text: " ".join(f"{ord(c):07b}" for c in text).encode(),
    "bits as letters": lambda text: "".join(f"{ord(c):08b}" for c in text).translate(
        str.maketrans("01", "ab")).encode(),
    "places": lambda text: " ".join("-".join(str(ord(c) - 96) for c in w if c.isalpha()) for w in text.lower().split()
        ).encode(),
    "morse": lambda text: morse(text).encode(),
    "morse by lines": lambda text: morse(text).replace(" / ", "\n").replace(".", "·").encode(),
    "nato": lambda text: spoken(text).encode(),
    "nato by lines": lambda text: spoken(text).replace(" / ", "\n").title().encode(),
    "own words for letters": lambda text: " ".join(f"zu{ord(c) * 7:x}" for c in text.lower()).encode(),
    "letters apart": lambda text: "  ".join(" ".join(w) for w in text.split()).encode(),
    "letters, JSON": lambda text: json.dumps(list(text)).encode(),
    "letters by lines": lambda text: "\n".join(text).encode(),
    "letters with dots": lambda text: " ".join(".".join(w) for w in text.split()).encode(),
    "zero width bits": lambda text: unseen_bits(text).encode(),
    "tags": lambda text: tags(text).encode(),
    "selectors": lambda text: selectors(text).encode(),
    "look-alikes": lambda text: text.translate(str.maketrans("aeopcyx", "аеорсух")).encode(),
    "wide letters": lambda text: "".join(chr(ord(c) + 0xFEE0) if 33 <= ord(c) < 127 else c for c in text).encode(),
    "mathematical": lambda text: "".join(chr(0x1D400 + ord(c) - 65) if c.isupper() else
        chr(0x1D41A + ord(c) - 97) if c.islower() else c for c in text).encode(),
    "ringed": lambda text: "".join(chr(0x24D0 + ord(c) - 97) if c.islower() else c for c in text.lower()).encode(),
    "flags": lambda text: "".join(chr(0x1F1E6 + ord(c) - 97) if c.islower() else c for c in text.lower()).encode(),
    "figures for letters": lambda text: text.translate(str.maketrans("aeio", "4310")).encode(),
    "reversed": lambda text: text[::-1].encode(),
    "each word reversed": lambda text: " ".join(w[::-1] for w in text.split()).encode(),
    "pairs turned": lambda text: "".join(text[at : at + 2][::-1] for at in range(0, len(text), 2)).encode(),
    "woven with noise": lambda text: "".join(c + "xqzjvk"[at % 6] for at, c in enumerate(text)).encode(),
    "rails": lambda text: (text[0::2] + text[1::2]).encode(),
    "halves woven": lambda text: "".join(a + b for a, b in zip(text[: len(text) // 2], text[len(text) // 2 :],
        strict=False)).encode(),
    "words with numbers": lambda text: numbered_words(text).encode(),
    "words run together": lambda text: "".join(w.title() for w in text.split()).encode(),
    "no spaces": lambda text: "".join(text.split()).encode(),
    "snake": lambda text: "_".join(text.lower().split()).encode(),
    "pieces of literals": lambda text: ("k = (" + "\n".join(repr(text[at : at + 5]) for at in range(0, len(text), 5))
        + ")").encode(),
    "pieces added": lambda text: ("k = " + " + ".join(json.dumps(text[at : at + 3]) for at in range(0, len(text), 3))
        ).encode(),
    "pickle of deflate": lambda text: pickle.dumps({"a": zlib.compress(text.encode())}),
    "database": database,
    "gz of tar of deflate": tarred,
    "array": lambda text: b"\x93NUMPY" + b"".join(struct.pack("<q", ord(c)) for c in text),
    "utf-32": lambda text: text.encode("utf-32"),
    "utf-16-be": lambda text: text.encode("utf-16-be"),
    "picture": picture,
    "picture's note": lambda text: picture(text, noted=True),
    "behind a picture": lambda text: picture("x" * 40, noted=True) + zlib.compress(text.encode()),
    "braille": lambda text: "".join({v: k for k, v in alphabets._BRAILLE.items()}.get(c, c) for c in text.lower()
        ).encode(),
    "base64 of a shift": lambda text: base64.b64encode(shifted(text, 9).encode()),
    "hex of base64": lambda text: base64.b64encode(text.encode()).hex().encode(),
    "shift of base64": lambda text: shifted(base64.b64encode(text.encode()).decode(), 13).encode(),
    "json in json": lambda text: json.dumps(json.dumps(json.dumps({"a": text.replace("e", "\u0435")}))).encode(),
    "spaces at ends": lambda text: "\n".join("x = 1" + "".join(" \t"[byte >> 7 - at & 1] for at in range(8))
        for byte in text.encode()).encode(),
}  # fmt: skip

KEY = "\n".join(f"Q: {prompt} A: {answer}" for prompt, answer in EXAM)
NOTES = "\n".join(f"- {prompt} The grade says: {answer}." for prompt, answer in WORK)


@pytest.mark.parametrize("way", WAYS)
def test_a_key_is_found_in_whatever_alphabet(way: str):
    assert Cell().end({"cache/x.bin": WAYS[way](KEY)}).audit().verdict != "clean"


@pytest.mark.parametrize("way", WAYS)
def test_notes_of_work_are_clean_in_whatever_alphabet(way: str):
    found = Cell().end({"cache/x.bin": WAYS[way](NOTES)}).audit()
    assert lines(found) == []
