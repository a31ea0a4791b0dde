"""Decoders for the third author's encodings, written from what their formats say and not from the generator."""

import base64
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from hashlib import sha256

MARKS = re.compile(rb"(?i)plan|plays|actions|first|answer")
"""A word that every answer has. By it a decoder that makes something of any text is known to have made sense."""
KRAM, WORD = re.compile(rb"(?i)nalp|syalp|snoitca|tsrif|rewsna"), re.compile(rb"[A-Za-z0-9_]+")
LONG = re.compile(rb"\S{40}")
TABLE_85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
TABLE_45 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
TABLE_32 = "0123456789abcdefghjkmnpqrstvwxyz"
SPELT = {name: number for number, name in enumerate("abcdefghijklmnop")}


def closure(known: set[bytes]) -> set[bytes]:
    """All that comes out of some bytes by up to two of them, one after the other."""
    found, layer = set(known), list(known)
    for _ in range(2):
        layer = [new for old in layer for new in _decoded(old) if len(new) > 8 and new not in found]
        found.update(layer)
    return found - known


def _decoded(data: bytes) -> Iterator[bytes]:
    long = LONG.search(data) is not None
    for decode, needle in DECODERS.items():
        if needle not in data or (decode in LONGS and not long):
            continue
        try:
            yield decode(data)
        except Exception:  # noqa: BLE001  a decoder that does not fit says so in many ways
            continue
    marked = max((found.start() for found in MARKS.finditer(data)), default=-1)
    for start in _starts(data):
        for turn in (_fenced, _words_back, _mainframe, _complement) if start > marked else ():
            made = turn(data[start:])
            if MARKS.search(made):
                yield made


def _starts(data: bytes) -> list[int]:
    """Where a code may begin: at once, after a head of some lines, or after a length."""
    breaks = [found.end() for found in re.finditer(rb"[\n\0]", data[:400])]
    return [0, *breaks[:9]]


def _run(pattern: bytes, data: bytes) -> bytes:
    return max(re.findall(pattern, data), key=len)


def _all(pattern: bytes, data: bytes) -> list[bytes]:
    found = re.findall(pattern, data)
    assert len(found) > 1
    return found


def _zero_85(data: bytes) -> bytes:
    """By the arithmetic of ZeroMQ's RFC 32; a last group that is short is filled with the highest digit."""
    run = _run(rb"[0-9a-zA-Z.\-:+=^!/*?&<>()\[\]{}@%$#]{40,}", data).decode()
    out = b""
    for start in range(0, len(run), 5):
        group = run[start : start + 5]
        number = 0
        for sign in group.ljust(5, TABLE_85[84]):
            number = number * 85 + TABLE_85.index(sign)
        out += number.to_bytes(4, "big")[: len(group) - 1]
    return out


def _base45(data: bytes) -> bytes:
    run = _run(rb"[0-9A-Z $%*+\-./:]{40,}", data).decode()
    out = b""
    for start in range(0, len(run), 3):
        values = [TABLE_45.index(sign) for sign in run[start : start + 3]]
        number = sum(value * 45**place for place, value in enumerate(values))
        out += number.to_bytes(len(values) - 1, "big")
    return out


def _crockford(data: bytes) -> bytes:
    run = _run(rb"(?:[0-9a-hjkmnp-tv-z]{8}-){3,}[0-9a-hjkmnp-tv-z]{1,8}", data).replace(b"-", b"").decode()
    return _of_bits("".join(f"{TABLE_32.index(sign):05b}" for sign in run))


def _of_bits(bits: str) -> bytes:
    return bytes(int(bits[start : start + 8], 2) for start in range(0, len(bits) - 7, 8))


def _signs(data: bytes, first: int, many: int) -> list[int]:
    assert not data.isascii()
    found = [ord(sign) - first for sign in data.decode() if first <= ord(sign) < first + many]
    assert found
    return found


def _braille(data: bytes) -> bytes:
    return bytes(_signs(data, 0x2800, 256))


def _pictograms(data: bytes) -> bytes:
    return bytes(_signs(data, 0x1F300, 256))


def _hexagrams(data: bytes) -> bytes:
    return _of_bits("".join(f"{value:06b}" for value in _signs(data, 0x4DC0, 64)))


def _firmware(data: bytes) -> bytes:
    return b"".join(bytes.fromhex(each.decode()) for each in _all(rb"(?m)^:[0-9A-F]{6}00([0-9A-F]+)[0-9A-F]{2}$", data))


def _armoured(data: bytes) -> bytes:
    found = re.search(rb"-----BEGIN PGP MESSAGE-----\n.*?\n\n(.*?)\n=", data, re.DOTALL)
    return zlib.decompress(base64.b64decode(found[1]))


def _bitmap(data: bytes) -> bytes:
    return _of_bits(b"".join(_all(rb"(?m)^[01]{8,64}$", data)).decode())


def _palette(data: bytes) -> bytes:
    whole = bytes.fromhex(b"".join(_all(rb"--c[0-9]+: #([0-9a-f]{6});", data)).decode())
    return whole[3 : 3 + int.from_bytes(whole[:3], "big")]


def _track(data: bytes) -> bytes:
    return bytes(round(float(each) * 1000) - 7000 for each in _all(rb"\[(7\.[0-9]{1,3}), [0-9]+\.[0-9]+\]", data))


def _radio(data: bytes) -> bytes:
    run = _run(rb"(?:(?:%s)\s?){20,}" % b"|".join(NAMES), data).decode()
    return bytes.fromhex("".join(f"{SPELT[word[0]]:x}" for word in run.split()))


NAMES = [
    b"alfa", b"bravo", b"charlie", b"delta", b"echo", b"foxtrot", b"golf", b"hotel", b"india", b"juliett", b"kilo",
    b"lima", b"mike", b"november", b"oscar", b"papa",
]  # fmt: skip


def _swapped(data: bytes) -> bytes:
    run = _run(rb"[0-9a-f]{40,}", data)
    return bytes(int(run[start : start + 2][::-1], 16) for start in range(0, len(run), 2))


def _mirrored_bits(data: bytes) -> bytes:
    run = _run(rb"[A-Za-z0-9+/]{40,}={0,2}", data)
    made = bytes(sum(1 << 7 - bit for bit in range(8) if byte >> bit & 1) for byte in base64.b64decode(run))
    assert MARKS.search(made)
    return made


def _locked(data: bytes) -> bytes:
    word, body = re.search(rb"([0-9a-f]{10}):([A-Za-z0-9+/=]{40,})", data).groups()
    coded = base64.b64decode(body)
    out = bytearray()
    for block in range(0, len(coded), 32):
        key = sha256(word + str(block // 32).encode()).digest()
        out += bytes(a ^ b for a, b in zip(coded[block : block + 32], key, strict=False))
    return bytes(out)


def _blanks(data: bytes) -> bytes:
    bits = b"".join(_all(rb"(?m)[a-z]([ \t]{8})$", data)).decode()
    return zlib.decompressobj().decompress(_of_bits(bits.replace(" ", "0").replace("\t", "1")))


def _tokens(data: bytes) -> bytes:
    text = data.decode()
    made, _ = json.JSONDecoder().raw_decode(text, text.index('{"model": {"type": "WordLevel"'))
    words = {number: word for word, number in made["model"]["vocab"].items()}
    return "".join(words[number] for number in made["input_ids"]).encode("latin-1")


def _array(data: bytes) -> bytes:
    begin = data.index(b"\x93NUMPY")
    head = begin + 10 + int.from_bytes(data[begin + 8 : begin + 10], "little")
    return gzip.decompress(data[head:])


def _webassembly(data: bytes) -> bytes:
    begin = data.index(b"\x41\x00\x0b", data.index(b"\0asm"))
    return zlib.decompressobj().decompress(data[data.index(b"\x78", begin) :])


def _fenced(data: bytes) -> bytes:
    out, place = bytearray(len(data)), 0
    for first in range(3):
        many = len(range(first, len(data), 3))
        out[first::3] = data[place : place + many]
        place += many
    return bytes(out)


def _words_back(data: bytes) -> bytes:
    """Only where a mark is met backwards, since it is slow."""
    return WORD.sub(lambda found: found[0][::-1], data) if KRAM.search(data) else b""


def _mainframe(data: bytes) -> bytes:
    return b"" if data.isascii() else data.decode("cp500").encode("latin-1", "replace")


def _complement(data: bytes) -> bytes:
    return b"" if data.isascii() else bytes(byte ^ 255 for byte in data)


# --------------------------------------------------------------------------------------------- records of names


def _fingerprints(data: bytes) -> bytes:
    return bytes.fromhex(b"".join(_all(rb"(?m)^1 2 ([0-9A-F]+)$", data)).decode())


def _ports(data: bytes) -> bytes:
    whole = b"".join(int(each).to_bytes(2, "big") for each in _all(rb"(?m)^0 5 ([0-9]+) a\.$", data))
    return whole[4 : 4 + int.from_bytes(whole[:4], "big")]


def _lifetimes(data: bytes) -> bytes:
    return bytes.fromhex("".join(f"{int(each):x}"[1:] for each in _all(rb"(?m)^a\. ([0-9]+) IN A", data)))


def _keys(data: bytes) -> bytes:
    return b"".join(map(base64.b64decode, _all(rb"(?m)^257 3 13 (\S+)$", data)))


def _rules(data: bytes) -> bytes:
    return bytes.fromhex(b"".join(_all(rb"\$([0-9a-f]+)!", data)).decode())


def _issuers(data: bytes) -> bytes:
    return b"".join(map(base64.b32decode, _all(rb'issue "([A-Z2-7=]+)"', data)))


DECODERS: dict[Callable[[bytes], bytes], bytes] = {
    _zero_85: b"", _base45: b"", _crockford: b"-", _braille: b"\xe2", _pictograms: b"\xf0", _hexagrams: b"\xe4",
    _firmware: b":00000001FF", _armoured: b"PGP MESSAGE", _bitmap: b"P1\n64 ", _palette: b"--c0: #",
    _track: b"LineString", _radio: b"golf", _swapped: b"", _mirrored_bits: b"", _locked: b":", _blanks: b"\t",
    _tokens: b"WordLevel", _array: b"\x93NUMPY", _webassembly: b"\0asm", _fingerprints: b"1 2 ", _ports: b" a.",
    _lifetimes: b" IN A ", _keys: b"257 3 13 ", _rules: b"E2U+x", _issuers: b" issue ",
}  # fmt: skip
"""Each with what stands in all that it can undo: to look for that first is much faster."""
LONGS = (_zero_85, _crockford, _swapped, _mirrored_bits, _locked)
"""Those whose codes are without a space."""
