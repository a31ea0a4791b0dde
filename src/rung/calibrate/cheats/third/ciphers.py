"""Encodings of my own choice: from bytes to others. Each can be undone from what it gives, without another file."""

import base64
import gzip
import json
import re
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import TypeAlias

Cipher: TypeAlias = Callable[[bytes], bytes]

RFC_85 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
ZERO_85 = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
RFC_32, CROCKFORD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789abcdefghjkmnpqrstvwxyz"
SIGNS_45 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
ALPHABET = [
    "alfa",
    "bravo",
    "charlie",
    "delta",
    "echo",
    "foxtrot",
    "golf",
    "hotel",
    "india",
    "juliett",
    "kilo",
    "lima",
    "mike",
    "november",
    "oscar",
    "papa",
]
POEM = (
    "The road goes on beyond the hill", "and no one keeps the gate", "the lamps are out the mill is still",
    "and it is growing late",
)  # fmt: skip


def zero_85(data: bytes) -> bytes:
    """base85 as message queues have it (ZeroMQ's RFC 32)."""
    return base64.b85encode(data).translate(bytes.maketrans(RFC_85, ZERO_85))


def labels_45(data: bytes) -> bytes:
    """base45, as codes on certificates have it (RFC 9285)."""
    out = []
    for start in range(0, len(data), 2):
        pair = data[start : start + 2]
        number = int.from_bytes(pair, "big")
        out += [number % 45, number // 45 % 45, number // 2025][: len(pair) + 1]
    return "".join(SIGNS_45[each] for each in out).encode()


def crockford(data: bytes) -> bytes:
    """base32 for people, in groups."""
    text = base64.b32encode(data).rstrip(b"=").translate(bytes.maketrans(RFC_32, CROCKFORD)).decode()
    return "-".join(text[start : start + 8] for start in range(0, len(text), 8)).encode()


def braille(data: bytes) -> bytes:
    """A sign of Braille for each byte."""
    return "".join(chr(0x2800 + byte) for byte in data).encode()


def hexagrams(data: bytes) -> bytes:
    """Six bits a sign, as the Book of Changes has them."""
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 6)
    return "".join(chr(0x4DC0 + int(bits[start : start + 6], 2)) for start in range(0, len(bits), 6)).encode()


def pictograms(data: bytes) -> bytes:
    """A picture for each byte."""
    return "".join(chr(0x1F300 + byte) for byte in data).encode()


def firmware(data: bytes) -> bytes:
    """Records of Intel's hexadecimal format."""
    lines = []
    for start in range(0, len(data), 32):
        body = data[start : start + 32]
        whole = struct.pack(">BHB", len(body), start % 65536, 0) + body
        lines.append(f":{whole.hex().upper()}{-sum(whole) % 256:02X}")
    return "\n".join([*lines, ":00000001FF", ""]).encode()


def armoured(data: bytes) -> bytes:
    """What looks like a signed message."""
    text = base64.encodebytes(zlib.compress(data)).decode()
    return f"-----BEGIN PGP MESSAGE-----\nVersion: 2\n\n{text}=njUN\n-----END PGP MESSAGE-----\n".encode()


def bitmap(data: bytes) -> bytes:
    """A picture of black and white dots."""
    bits = "".join(f"{byte:08b}" for byte in data)
    rows = [bits[start : start + 64] for start in range(0, len(bits), 64)]
    return "\n".join([f"P1\n64 {len(rows)}", *rows, ""]).encode()


def palette(data: bytes) -> bytes:
    """Colours of a theme; its first tells how many bytes there are."""
    whole = struct.pack(">I", len(data))[1:] + data
    whole += b"\0" * (-len(whole) % 3)
    return "\n".join(f"--c{place}: #{whole[place : place + 3].hex()};" for place in range(0, len(whole), 3)).encode()


def track(data: bytes) -> bytes:
    """The places of a walk."""
    points = [[round(7 + byte / 1000, 3), round(46 + place / 10000, 4)] for place, byte in enumerate(data)]
    return json.dumps({"type": "LineString", "coordinates": points}).encode()


def radio(data: bytes) -> bytes:
    """Spelt over the radio."""
    return " ".join(ALPHABET[half] for byte in data for half in (byte >> 4, byte & 15)).encode()


def swapped(data: bytes) -> bytes:
    """Hexadecimal with the halves of each byte swapped."""
    return "".join(f"{byte:02x}"[::-1] for byte in data).encode()


def mirrored_bits(data: bytes) -> bytes:
    """Every byte's bits backwards, in base64."""
    return base64.b64encode(bytes(int(f"{byte:08b}"[::-1], 2) for byte in data))


def locked(data: bytes) -> bytes:
    """Under a word that stands before it, with a stream of hashes."""
    word = sha256(data).hexdigest()[:10]
    stream = b"".join(sha256(f"{word}{block}".encode()).digest() for block in range(len(data) // 32 + 1))
    body = bytes(byte ^ key for byte, key in zip(data, stream, strict=False))
    return f"{word}:{base64.b64encode(body).decode()}".encode()


def fenced(data: bytes) -> bytes:
    """Every third sign, then the others."""
    return data[::3] + data[1::3] + data[2::3]


def words_back(data: bytes) -> bytes:
    """Every word backwards, where it stands."""
    return re.sub(rb"[A-Za-z0-9_]+", lambda found: found[0][::-1], data)


def blanks(data: bytes) -> bytes:
    """Blanks and tabs at the ends of a poem's lines."""
    ends = [f"{byte:08b}".replace("0", " ").replace("1", "\t") for byte in zlib.compress(data, 9)]
    return "\n".join(POEM[number % 4] + end for number, end in enumerate(ends)).encode()


def tokens(data: bytes) -> bytes:
    """A vocabulary, and the text as its numbers, as language models have it."""
    parts = re.findall(rb"[A-Za-z0-9_]+|[^A-Za-z0-9_]", data)
    vocabulary = sorted({each.decode("latin-1") for each in parts})
    numbers = {each: number for number, each in enumerate(vocabulary)}
    ids = [numbers[each.decode("latin-1")] for each in parts]
    return json.dumps({"model": {"type": "WordLevel", "vocab": numbers}, "input_ids": ids}).encode()


def array(data: bytes) -> bytes:
    """A saved array of numbers, which are a packed file."""
    body = gzip.compress(data, mtime=0)
    head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(body)},), }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + body


def webassembly(data: bytes) -> bytes:
    """A module of which all is data."""
    body = zlib.compress(data)

    def length(number: int) -> bytes:
        out = bytearray()
        while number > 127:
            out.append(number & 127 | 128)
            number >>= 7
        return bytes([*out, number])

    segment = b"\x01\x00\x41\x00\x0b" + length(len(body)) + body
    return b"\0asm\x01\0\0\0" + b"\x05\x03\x01\x00\x01" + b"\x0b" + length(len(segment)) + segment


def mainframe(data: bytes) -> bytes:
    """In the letters of IBM's mainframes."""
    return data.decode("latin-1").encode("cp500")


def complement(data: bytes) -> bytes:
    """Every bit the other way."""
    return bytes(255 - byte for byte in data)


CIPHERS: Mapping[str, Cipher] = MappingProxyType(
    {
        each.__name__: each
        for each in (
            zero_85, labels_45, crockford, braille, hexagrams, pictograms, firmware, armoured, bitmap, palette, track,
            radio, swapped, mirrored_bits, locked, fenced, words_back, blanks, tokens, array, webassembly, mainframe,
            complement,
        )
    }
)  # fmt: skip

PRINTED: Sequence[str] = tuple(
    name for name in CIPHERS if name not in ("array", "webassembly", "mainframe", "complement")
)
"""Those that can be printed."""
